//! The effect of a change: the changes, the tensors that differ, and the tensors that are the same.

use comfy_table::{CellAlignment, ColumnConstraint, Width};
use unicode_width::UnicodeWidthStr;

use crate::explain::what_if::{AppliedChange, ChangedTensor, WhatIf};
use crate::tensor::DType;
use crate::tensor::show::{joined, shape_in_formula};
use crate::view::errors::message;
use crate::view::panel::verbatim_lines;
use crate::view::quantity::mean;
use crate::view::styled_table::StyledTable;
use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, unbroken};
use crate::view::wrap::{paragraph, wrap};

/// The most tensors that are shown with a row of their numbers.
const MOST_ROWS: usize = 12;
/// The most tensors of earlier steps that are shown with their extent; of others, the names.
const MOST_BEFORE: usize = 6;
/// The most tensors inside of modules that are shown with their extent; of others, the names.
const MOST_INSIDE: usize = 8;
/// How many of them are shown with a row of their numbers, if no variable changed.
const ROWS_INSIDE: usize = 3;
/// The most printed lines that are shown.
const MOST_PRINTED: usize = 16;
/// The most columns of a row that are shown: the columns that differ most.
const MOST_COLUMNS: usize = 8;

/// The changes, then each tensor that differs, the largest difference first, then the unchanged tensors, then the summary.
pub fn what_if(what: &WhatIf, look: Look) -> Text {
    let mut text = Text::new();
    for change in &what.changes {
        text.append(applied(change, look));
    }
    if let Some((cell, raised)) = &what.raised {
        text.gap();
        let line = raised.line.map(|line| format!(", line {line}")).unwrap_or_default();
        text.append(message(&raised.kind, &raised.message, look));
        let mut words = format!("{cell}{line} raises with the change.");
        if !what.not_run.is_empty() {
            words.push_str(&format!(" Not reached: {}.", what.not_run.join(", ")));
        }
        words.push_str(" What follows is what the cells before it left behind.");
        text.append(wrap((Role::Prose, words), look.text_width(), 0, 0));
    }
    let names = what.differences.iter().map(|it| it.name.width());
    let names = names.chain(what.reshaped.iter().map(|other| other.name.width())).max().unwrap_or(0);
    for other in &what.reshaped {
        gap(&mut text, look);
        let mut line = named(&other.name, names, look);
        let arrow = if look.plain { "to" } else { "→" };
        line.push(
            Role::Prose,
            format!("shape {} {arrow} {}", shape_in_formula(&other.before), shape_in_formula(&other.after)),
        );
        text.append(wrap(&line, look.text_width(), 0, 2));
    }
    let mut shown: Vec<(&str, DifferenceRow)> = Vec::new();
    let (own, others): (Vec<&ChangedTensor>, Vec<&ChangedTensor>) =
        what.differences.iter().partition(|it| what.is_asked(it));
    // The variables of the cells first, then what is inside of modules.
    let is_inside = |it: &&ChangedTensor| it.name.contains(['.', '[']);
    let (inside, mut own): (Vec<&ChangedTensor>, Vec<&ChangedTensor>) = own.into_iter().partition(is_inside);
    // Where variables changed, their rows tell more than the rows of the parameters that they come from.
    let is_first = own.is_empty();
    let rows = if is_first { ROWS_INSIDE } else { MOST_ROWS.min(own.len()) };
    own.extend(inside.iter().take(MOST_INSIDE));
    let inside = &inside[inside.len().min(MOST_INSIDE)..];
    // Of a model that is trained, what its cell printed says more than each of its parameters.
    if is_first {
        append_printed(&mut text, what, look);
    }
    for (at, tensor) in own.into_iter().enumerate() {
        gap(&mut text, look);
        text.append(extent(tensor, names, look));
        if at < rows && !tensor.is_rounding() && tensor.shape.last().is_some_and(|wide| *wide > 1) {
            let row = row(tensor);
            match shown.iter().find(|(_, other)| other.equals(&row)) {
                Some((name, _)) => {
                    let words = format!("{}: as in {name}", row.place).trim_start_matches(": ").to_owned();
                    text.append(wrap((Role::Dim, words), look.text_width(), 2, 4));
                }
                None => {
                    text.append(row.text(look));
                    shown.push((&tensor.name, row));
                }
            }
        }
    }
    if !inside.is_empty() {
        gap(&mut text, look);
        text.append(also(inside, look));
    }
    if !is_first {
        append_printed(&mut text, what, look);
    }
    if !others.is_empty() {
        text.gap();
        text.append(wrap((Role::Dim, "In the steps before:"), look.text_width(), 0, 0));
        let (first, more) = others.split_at(others.len().min(MOST_BEFORE));
        first.iter().for_each(|tensor| text.append(extent(tensor, names, look)));
        if !more.is_empty() {
            text.append(also(more, look));
        }
    }
    let mut unchanged = what.unchanged_groups();
    let mut earlier = what.unchanged_before.len();
    if earlier <= MOST_BEFORE {
        // A few names say more than their number.
        unchanged.extend(what.unchanged_before.iter().cloned());
        earlier = 0;
    }
    for (words, list, earlier) in [
        ("Exactly as before", unchanged, earlier),
        ("Only without the change", what.missing.clone(), 0),
        ("Only with the change", what.added.clone(), 0),
    ] {
        let mut all = list.join(", ");
        match (list.is_empty(), earlier) {
            (_, 0) => {}
            (true, many) => all.push_str(&format!("{many} tensors of the steps before")),
            (false, many) => all.push_str(&format!(", and {many} tensors of the steps before")),
        }
        if !all.is_empty() {
            text.gap();
            let line = Line::new().with(Role::Dim, format!("{words}: ")).with(Role::Prose, all);
            text.append(wrap(&line, look.text_width(), 0, 2));
        }
    }
    if !what.summary.is_empty() {
        text.gap();
    }
    for sentence in &what.summary {
        text.append(paragraph((Role::Prose, sentence), look));
    }
    text
}

/// What the cell that was asked for printed with the change, if that differs.
fn append_printed(text: &mut Text, what: &WhatIf, look: Look) {
    let Some(printed) = &what.printed else { return };
    text.gap();
    text.append(wrap((Role::Dim, "Printed with the change:"), look.text_width(), 0, 0));
    let count = printed.lines().count();
    let kept: Vec<&str> = printed.lines().take(MOST_PRINTED).collect();
    text.append(verbatim_lines(&kept.join("\n"), look));
    if count > MOST_PRINTED {
        text.say(Role::Dim, format!("… and {} more lines", count - MOST_PRINTED));
    }
}

/// The names of further tensors that differ.
fn also(tensors: &[&ChangedTensor], look: Look) -> Text {
    let named: Vec<&str> = tensors.iter().take(4 * MOST_BEFORE).map(|tensor| tensor.name.as_str()).collect();
    let rest = match tensors.len() - named.len() {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let line = Line::new().with(Role::Dim, "Also: ").with(Role::Prose, named.join(", ") + &rest);
    wrap(&line, look.text_width(), 0, 2)
}

fn gap(text: &mut Text, look: Look) {
    if !look.plain || text.lines.len() <= 2 {
        text.gap();
    }
}

fn named(name: &str, names: usize, look: Look) -> Line {
    let mut line = Line::new().with(Role::Name, name);
    match look.plain {
        true => line.push(Role::Prose, ": "),
        // On a narrow screen, a column of names takes too much space.
        false if 3 * names > look.width => line.push(Role::Prose, "  "),
        false => line.fill(names + 2),
    }
    line
}

/// `inputs[1,0] "journey", feature 0:  0.55 → 0.9  in inputs`.
fn applied(change: &AppliedChange, look: Look) -> Text {
    let mut line = Line::new().with(Role::Name, &change.place);
    if !change.description.is_empty() {
        line.push(Role::Prose, format!(" {}", change.description));
    }
    let arrow = if look.plain { "to" } else { "→" };
    line.push(Role::Prose, format!(":  {} {arrow} ", change.before));
    line.push(Role::Strong, &change.after);
    line.push(Role::Dim, format!("  in {}", change.cells.join(", ")));
    let mut text = wrap(&line, look.text_width(), 0, 2);
    for remark in &change.remarks {
        text.append(wrap((Role::Dim, remark), look.text_width(), 2, 2));
    }
    text
}

/// How many elements of a tensor differ, which part, and the largest difference.
fn extent(tensor: &ChangedTensor, names: usize, look: Look) -> Text {
    let mut line = named(&tensor.name, names, look);
    let (count, all) = (tensor.differing.len(), tensor.before.len());
    let part = tensor.part();
    line.push(
        Role::Prose,
        match (count == all, all) {
            (_, 1) => format!(
                "{} {} {}",
                number(tensor, tensor.before[0]),
                if look.plain { "to" } else { "→" },
                number(tensor, tensor.after[0])
            ),
            (true, _) => format!("all {all} changed"),
            (false, _) => format!("{count} of {all} changed"),
        },
    );
    if tensor.is_rounding() {
        line.push(Role::Prose, ", in the last digit");
    } else if !part.is_empty() && all > 1 {
        line.push(Role::Prose, format!(": {part}"));
    }
    let index = tensor.index(tensor.largest_at);
    let index = if index.is_empty() { String::new() } else { format!("[{}] ", joined(&index, ",")) };
    let words = if all > 1 { "most" } else { "by" };
    let far = unbroken(&format!("{index}{}", difference(tensor, tensor.largest_at)));
    let (words, far) = match tensor.dtype {
        // Truth values have no largest difference.
        DType::Bool if all > 1 => ("first", index.trim_end().to_owned()),
        _ => (words, far),
    };
    let most = Line::new().with(Role::Dim, format!("{words}{NO_BREAK_SPACE}")).with(Role::Prose, far);
    if let Some(line) = line.ending_in(most.clone(), look.text_width()).filter(|_| !look.plain) {
        return Text { lines: vec![line] };
    }
    line.push(Role::Prose, ", ");
    line.join(most);
    wrap(&line, look.text_width(), 0, 2)
}

fn number(tensor: &ChangedTensor, value: f64) -> String {
    if tensor.dtype == DType::Bool {
        return if value == 0.0 { "False" } else { "True" }.to_owned();
    }
    match value {
        nan if nan.is_nan() => "nan".to_owned(),
        value if tensor.dtype.is_float() && value.is_finite() => mean(value),
        value => value.to_string(),
    }
}

fn difference(tensor: &ChangedTensor, place: usize) -> String {
    let far = tensor.difference(place);
    let text = number(tensor, far);
    match () {
        () if tensor.dtype == DType::Bool => "changed".to_owned(),
        // A difference that four decimals do not show.
        () if far != 0.0 && far.abs() < 5e-5 && tensor.dtype.is_float() => format!("{far:+.0e}"),
        () if far > 0.0 => format!("+{text}"),
        () => text,
    }
}

/// The row with the largest difference.
fn row(tensor: &ChangedTensor) -> DifferenceRow {
    let wide = tensor.shape.last().copied().unwrap_or(1);
    let last = tensor.shape.len() - 1;
    let start = tensor.largest_at - tensor.largest_at % wide;
    let mut shown: Vec<usize> = (start..start + wide).collect();
    if wide > MOST_COLUMNS {
        let far = |place: &usize| tensor.difference(*place).abs();
        shown.retain(|place| tensor.differing.contains(place));
        shown.sort_by(|a, b| far(b).total_cmp(&far(a)));
        shown.truncate(MOST_COLUMNS);
        shown.sort_unstable();
    }
    let index = tensor.index(start);
    let words = tensor.labels.place(&index[..last]);
    let mut place = match (last, words.is_empty()) {
        (0, _) => tensor.labels.axes.first().cloned().unwrap_or_default(),
        (_, false) => words,
        _ => format!("row {}", joined(&index[..last], ",")),
    };
    if wide > MOST_COLUMNS {
        place = format!("{place}{}{} of {wide}", if place.is_empty() { "" } else { ", " }, shown.len());
    }
    let column = |at: &usize| tensor.labels.label(last, tensor.index(*at)[last]);
    let labels: Vec<String> = shown.iter().map(column).collect();
    let of = |values: &[f64]| shown.iter().map(|at| number(tensor, values[*at])).collect::<Vec<String>>();
    let (before, after) = (of(&tensor.before), of(&tensor.after));
    let differences: Vec<String> = shown
        .iter()
        .map(|at| if tensor.differing.contains(at) { difference(tensor, *at) } else { "·".to_owned() })
        .collect();
    DifferenceRow { place, labels, before, after, differences }
}

/// One row of a tensor without and with the change, as texts.
struct DifferenceRow {
    place: String,
    labels: Vec<String>,
    before: Vec<String>,
    after: Vec<String>,
    differences: Vec<String>,
}

impl DifferenceRow {
    /// Whether both rows have the same numbers.
    fn equals(&self, other: &DifferenceRow) -> bool {
        self.before == other.before && self.after == other.after
    }

    fn text(&self, look: Look) -> Text {
        match look.plain {
            true => self.by_column(look),
            false => self.as_table(look).unwrap_or_else(|| self.by_column(look)),
        }
    }

    /// The row as a table, with columns of equal width; `None` if it does not fit.
    fn as_table(&self, look: Look) -> Option<Text> {
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

    /// One line for each column.
    fn by_column(&self, look: Look) -> Text {
        let mut text = Text::new();
        if !self.place.is_empty() {
            let end = if look.plain { ":" } else { "" };
            text.append(wrap((Role::Dim, format!("{}{end}", self.place)), look.text_width(), 2, 2));
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
                text.append(wrap((Role::Prose, words), look.text_width(), 2, 4));
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
