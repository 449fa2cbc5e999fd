//! The report of a what-if run: the changes that were asked for, the tensors that differ, and those that do not.

use comfy_table::{CellAlignment, ColumnConstraint, Width};
use unicode_width::UnicodeWidthStr;

use crate::explain::what_if::{Moved, Setting, WhatIf};
use crate::tensor::show::shape_in_formula;
use crate::view::quantity::mean;
use crate::view::styled_table::StyledTable;
use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, unbroken};
use crate::view::wrap::{paragraph, wrap};

/// How many tensors are shown with a row of their numbers; the others only with how much of them differs.
const ROWS: usize = 12;
/// How many columns of a row are shown: those that differ most.
const COLUMNS: usize = 8;

/// The changes, then each tensor that differs, the largest difference first, then those that do not, then a summary
/// in words.
pub fn what_if(what: &WhatIf, look: Look) -> Text {
    let mut text = Text::new();
    for setting in &what.settings {
        text.append(changed(setting, look));
    }
    if let Some((cell, raised)) = &what.raised {
        text.gap();
        let line = raised.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let head =
            Line::new().with(Role::Bad, format!("{}: ", raised.kind)).with(Role::Prose, &raised.message);
        text.append(wrapped(&head, look, 0, 2));
        let mut words = format!("{cell}{line} raises with the change.");
        if !what.unreached.is_empty() {
            words.push_str(&format!(" Not reached: {}.", what.unreached.join(", ")));
        }
        words.push_str(" What follows is what the cells before it left behind.");
        text.append(wrapped(&Line::new().with(Role::Prose, words), look, 0, 0));
    }
    let names = what.moved.iter().map(|moved| moved.name.width());
    let names = names.chain(what.reshaped.iter().map(|other| other.name.width())).max().unwrap_or(0);
    for other in &what.reshaped {
        gap(&mut text, look);
        let mut line = named(&other.name, names, look);
        let arrow = if look.plain { "to" } else { "→" };
        line.push(
            Role::Prose,
            format!("shape {} {arrow} {}", shape_in_formula(&other.before), shape_in_formula(&other.after)),
        );
        text.append(wrapped(&line, look, 0, 2));
    }
    let mut shown: Vec<(&str, ComparedRow)> = Vec::new();
    let (own, others): (Vec<&Moved>, Vec<&Moved>) = what.moved.iter().partition(|moved| what.is_asked(moved));
    for (at, moved) in own.into_iter().enumerate() {
        gap(&mut text, look);
        text.append(extent(moved, names, look));
        if at < ROWS && !moved.is_rounding() && moved.shape.last().is_some_and(|wide| *wide > 1) {
            let row = row(moved);
            match shown.iter().find(|(_, other)| other.numbers_as(&row)) {
                Some((name, _)) => {
                    let words = format!("{}: as in {name}", row.place).trim_start_matches(": ").to_owned();
                    text.append(wrapped(&Line::new().with(Role::Dim, words), look, 2, 4));
                }
                None => {
                    text.append(row.text(look));
                    shown.push((&moved.name, row));
                }
            }
        }
    }
    if !others.is_empty() {
        text.gap();
        text.append(wrapped(&Line::new().with(Role::Dim, "In the steps before:"), look, 0, 0));
        others.into_iter().for_each(|moved| text.append(extent(moved, names, look)));
    }
    for (words, list) in [
        ("Exactly as before", what.still()),
        ("Only without the change", what.missing.clone()),
        ("Only with the change", what.added.clone()),
    ] {
        if !list.is_empty() {
            text.gap();
            let line = Line::new().with(Role::Dim, format!("{words}: ")).with(Role::Prose, list.join(", "));
            text.append(wrapped(&line, look, 0, 2));
        }
    }
    if !what.words.is_empty() {
        text.gap();
    }
    for sentence in &what.words {
        let words = Line::new().with(Role::Prose, sentence);
        text.append(paragraph(&words, look));
    }
    text
}

fn gap(text: &mut Text, look: Look) {
    if !look.plain || text.lines.len() <= 2 {
        text.gap();
    }
}

fn wrapped(line: &Line, look: Look, first: usize, rest: usize) -> Text {
    let indent = |columns| Line::spaces(columns);
    wrap(line, look.text_width(), &indent(first), &indent(rest))
}

fn named(name: &str, names: usize, look: Look) -> Line {
    let mut line = Line::new().with(Role::Name, name);
    match look.plain {
        true => line.push(Role::Prose, ": "),
        // On a narrow screen a column of names leaves too little space for the rest.
        false if 3 * names > look.width => line.push(Role::Prose, "  "),
        false => line.fill(names + 2),
    }
    line
}

/// `inputs[1,0]  "journey", feature 0:  0.55 → 0.9   (cell 1)`.
fn changed(setting: &Setting, look: Look) -> Text {
    let mut line = Line::new().with(Role::Name, &setting.place);
    if !setting.words.is_empty() {
        line.push(Role::Prose, format!(" {}", setting.words));
    }
    let arrow = if look.plain { "to" } else { "→" };
    line.push(Role::Prose, format!(":  {} {arrow} ", setting.before));
    line.push(Role::Strong, &setting.after);
    line.push(Role::Dim, format!("  in {}", setting.at.join(", ")));
    let mut text = wrapped(&line, look, 0, 2);
    for remark in &setting.remarks {
        text.append(wrapped(&Line::new().with(Role::Dim, remark), look, 2, 2));
    }
    text
}

/// How much of a tensor differs, and which element differs most.
fn extent(moved: &Moved, names: usize, look: Look) -> Text {
    let mut line = named(&moved.name, names, look);
    let (count, all) = (moved.changed.len(), moved.before.len());
    let part = moved.extent();
    line.push(
        Role::Prose,
        match (count == all, all) {
            (_, 1) => format!(
                "{} {} {}",
                number(moved, moved.before[0]),
                if look.plain { "to" } else { "→" },
                number(moved, moved.after[0])
            ),
            (true, _) => format!("all {all} changed"),
            (false, _) => format!("{count} of {all} changed"),
        },
    );
    if moved.is_rounding() {
        line.push(Role::Prose, ", in the last digit");
    } else if !part.is_empty() && all > 1 {
        line.push(Role::Prose, format!(": {part}"));
    }
    let index: Vec<String> = moved.index(moved.most).iter().map(usize::to_string).collect();
    let index = if index.is_empty() { String::new() } else { format!("[{}] ", index.join(",")) };
    let words = if all > 1 { "most" } else { "by" };
    let far = unbroken(&format!("{index}{}", difference(moved, moved.most)));
    let (words, far) = match moved.dtype {
        // No truth value differs more than another.
        "bool" if all > 1 => ("first", index.trim_end().to_owned()),
        _ => (words, far),
    };
    let most = Line::new().with(Role::Dim, format!("{words}{NO_BREAK_SPACE}")).with(Role::Prose, far);
    let width = look.text_width();
    if !look.plain && line.width() + 2 + most.width() <= width {
        line.fill(width - most.width());
        line.join(most.with_plain_spaces());
        return Text { lines: vec![line] };
    } else {
        line.push(Role::Prose, ", ");
    }
    line.join(most);
    wrapped(&line, look, 0, 2)
}

fn number(moved: &Moved, value: f64) -> String {
    if moved.dtype == "bool" {
        return if value == 0.0 { "False" } else { "True" }.to_owned();
    }
    match value {
        nan if nan.is_nan() => "nan".to_owned(),
        value if moved.is_float && value.is_finite() => mean(value),
        value => value.to_string(),
    }
}

fn difference(moved: &Moved, place: usize) -> String {
    let far = moved.difference(place);
    let text = number(moved, far);
    match () {
        () if moved.dtype == "bool" => "changed".to_owned(),
        // A difference that four digits do not show.
        () if far != 0.0 && far.abs() < 5e-5 && moved.is_float => format!("{far:+.0e}"),
        () if far > 0.0 => format!("+{text}"),
        () => text,
    }
}

/// The row with the largest difference.
fn row(moved: &Moved) -> ComparedRow {
    let wide = moved.shape.last().copied().unwrap_or(1);
    let last = moved.shape.len() - 1;
    let start = moved.most - moved.most % wide;
    let mut shown: Vec<usize> = (start..start + wide).collect();
    if wide > COLUMNS {
        let far = |place: &usize| moved.difference(*place).abs();
        shown.sort_by(|a, b| far(b).total_cmp(&far(a)));
        shown.truncate(COLUMNS);
        shown.sort_unstable();
    }
    let index = moved.index(start);
    let words = moved.naming.place(&index[..last]);
    let mut place = match (last, words.is_empty()) {
        (0, _) => moved.naming.axes.first().cloned().unwrap_or_default(),
        (_, false) => words,
        _ => format!("row {}", index[..last].iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
    };
    if wide > COLUMNS {
        place = format!("{place}{}{COLUMNS} of {wide}", if place.is_empty() { "" } else { ", " });
    }
    let column = |at: &usize| moved.naming.label(last, moved.index(*at)[last]);
    let labels: Vec<String> = shown.iter().map(column).collect();
    let of = |values: &[f64]| shown.iter().map(|at| number(moved, values[*at])).collect::<Vec<String>>();
    let (before, after) = (of(&moved.before), of(&moved.after));
    let differences: Vec<String> = shown
        .iter()
        .map(|at| if moved.changed.contains(at) { difference(moved, *at) } else { "·".to_owned() })
        .collect();
    ComparedRow { place, labels, before, after, differences }
}

/// A row before and after the change, as text.
struct ComparedRow {
    place: String,
    labels: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
    differences: Vec<String>,
}

impl ComparedRow {
    /// Whether both rows have the same numbers, before and after.
    fn numbers_as(&self, other: &ComparedRow) -> bool {
        self.before == other.before && self.after == other.after
    }

    fn text(&self, look: Look) -> Text {
        match look.plain {
            true => self.by_column(look),
            false => self.lined_up(look).unwrap_or_else(|| self.by_column(look)),
        }
    }

    /// The row as a table, with columns of equal width; `None` if it does not fit.
    fn lined_up(&self, look: Look) -> Option<Text> {
        let rows = [
            (self.place.as_str(), &self.labels, Role::Label),
            ("before", &self.before, Role::Number),
            ("after", &self.after, Role::Number),
            ("difference", &self.differences, Role::Strong),
        ];
        let widest = rows.iter().flat_map(|(_, cells, _)| cells.iter()).map(|cell| cell.width()).max()?;
        let rows = rows.map(|(name, cells, role)| {
            let role = |cell: &str| if cell == "·" { Role::Dim } else { role };
            let cells = cells.iter().map(|cell| Line::new().with(role(cell), cell));
            [Line::new().with(Role::Dim, name)].into_iter().chain(cells).collect()
        });
        let mut table = StyledTable::new(rows);
        let width = u16::try_from(widest + 2).ok()?;
        for (at, column) in table.table.column_iter_mut().enumerate() {
            column.set_padding((2, 0));
            if at > 0 {
                column.set_cell_alignment(CellAlignment::Right);
                column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            }
        }
        // Two columns at the right stay free.
        Some(table.draw()).filter(|text| text.width() + 2 <= look.width)
    }

    /// The row as a line for each column.
    fn by_column(&self, look: Look) -> Text {
        let mut text = Text::new();
        if !self.place.is_empty() {
            let end = if look.plain { ":" } else { "" };
            text.append(wrapped(&Line::new().with(Role::Dim, format!("{}{end}", self.place)), look, 2, 2));
        }
        let widest = |texts: &[String]| texts.iter().map(|text| text.width()).max().unwrap_or(0);
        let (names, olds, news) = (widest(&self.labels), widest(&self.before), widest(&self.after));
        for (at, label) in self.labels.iter().enumerate() {
            let (before, after, far) = (&self.before[at], &self.after[at], &self.differences[at]);
            if look.plain {
                let words = match far.as_str() {
                    "·" => format!("{label}: {before}, the same"),
                    far => format!("{label}: {before} to {after}, {far}"),
                };
                text.append(wrapped(&Line::new().with(Role::Prose, words), look, 2, 4));
                continue;
            }
            let mut line = Line::new().with(Role::Label, format!("    {label}"));
            line.fill(names + 6);
            line.push(Role::Number, format!("{before:>olds$} → {after:>news$}  "));
            line.push(if far == "·" { Role::Dim } else { Role::Strong }, far);
            text.line(line);
        }
        text
    }
}
