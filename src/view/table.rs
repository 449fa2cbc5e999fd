//! A tensor as labelled tables: rows and columns bear their tokens' and axes' names, cells are
//! shaded by value. comfy-table lays out the columns; the meaning of each cell is put
//! back on its lines afterwards, so that one renderer colours everything.

use crate::tensor::layout::unravel;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, TableComponent};
use unicode_width::UnicodeWidthStr;

use crate::view::figure::{Facts, Figure, summary};
use crate::view::heat;
use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// Between columns, until the lines are tagged.
const SEAM: char = '\u{E001}';
/// Crossings of the header's rule, until the lines are tagged.
const CROSS: char = '\u{E002}';
/// Columns between tables that stand side by side.
const ASIDE: usize = 4;

/// A tensor's summary line, its table or tables, and for a large one the map of the whole.
pub fn figure(figure: &Figure, look: Look) -> Text {
    let mut text = summary(figure, look);
    text.append(body(figure, look));
    text
}

/// The tables of a tensor without the summary line.
pub fn body(figure: &Figure, look: Look) -> Text {
    if figure.shape.is_empty() || figure.count() == 0 || !figure.has_values() {
        return Text::new();
    }
    if look.plain {
        return facts(figure, look);
    }
    let of_all = figure.facts();
    let (shown, left_out) = slices(figure);
    let tables: Vec<Text> = shown.iter().map(|slice| slice_table(figure, slice, &of_all, look)).collect();
    let mut text = in_rows(&tables, ASIDE, look);
    if left_out > 0 {
        text.say(Role::Dim, format!("… {left_out} more between the first and the last"));
    }
    if figure.is_cut() {
        text.section(heat::whole(figure, look));
    }
    text
}

/// Texts of equal build in as few rows as the width allows, `gap` columns between them.
pub(super) fn in_rows(texts: &[Text], gap: usize, look: Look) -> Text {
    let widest = texts.iter().map(Text::width).max().unwrap_or(0);
    let abreast = ((look.width + gap) / (widest + gap)).max(1);
    let mut text = Text::new();
    for row in texts.chunks(abreast) {
        text.section(Text::beside(row, gap));
    }
    text
}

/// One two-dimensional part of a tensor: where it is, and where its first element lies.
struct Slice {
    index: Vec<usize>,
    start: usize,
}

/// The slices of a tensor that are shown, and how many are not: of a cut tensor the first and the
/// last. A tensor of one or two axes is one slice.
fn slices(figure: &Figure) -> (Vec<Slice>, usize) {
    let outer = figure.shape.len().saturating_sub(2);
    let each: usize = figure.shape[outer..].iter().product();
    let count: usize = figure.shape[..outer].iter().product();
    let slice = |at: usize| Slice { index: place(figure, at), start: at * each };
    match figure.is_cut() && count > 2 {
        true => ([0, count - 1].map(slice).into(), count - 2),
        false => ((0..count).map(slice).collect(), 0),
    }
}

/// The index of slice number `at` over all axes but the last two.
pub(super) fn place(figure: &Figure, at: usize) -> Vec<usize> {
    unravel(at, &figure.shape[..figure.shape.len().saturating_sub(2)])
}

/// "head 0 of 2", or `name[0, 1]` where an outer axis has no name.
pub(super) fn slice_name(figure: &Figure, index: &[usize]) -> String {
    let named = |(axis, at): (usize, &usize)| {
        let size = figure.shape[axis];
        let name = figure.axis(axis)?;
        Some(match figure.label(axis, *at) {
            Some(label) => format!("{name} {label}"),
            None => format!("{name} {at} of {size}"),
        })
    };
    let names: Option<Vec<String>> = index.iter().enumerate().map(named).collect();
    match names {
        Some(names) => names.join(", "),
        None => format!("{}{}", figure.name, bracketed(index)),
    }
}

fn bracketed(index: &[usize]) -> String {
    let places: Vec<String> = index.iter().map(usize::to_string).collect();
    format!("[{}]", places.join(", "))
}

/// What one slice shows: heads of rows and columns, and cells.
struct Grid {
    corner: Vec<String>,
    heads: Vec<String>,
    rows: Vec<(String, Vec<Shaded>)>,
}

/// The text of a cell and its shade.
struct Shaded {
    text: String,
    role: Role,
}

fn slice_table(figure: &Figure, slice: &Slice, of_all: &Facts, look: Look) -> Text {
    let mut text = Text::new();
    if !slice.index.is_empty() {
        text.say(Role::Strong, slice_name(figure, &slice.index));
    }
    text.append(laid_out(&grid(figure, slice, of_all), look));
    text
}

fn grid(figure: &Figure, slice: &Slice, of_all: &Facts) -> Grid {
    let axes = figure.shape.len();
    let columns = axes - 1;
    let row_axis = (axes >= 2).then(|| axes - 2);
    let rows = row_axis.map_or(vec![Some(0)], |axis| figure.shown(axis));
    let cols = figure.shown(columns);
    let size = figure.shape[columns];

    // The numbers of one slice are formed together, as PyTorch forms those of one tensor.
    let places: Vec<usize> = rows
        .iter()
        .flatten()
        .flat_map(|r| cols.iter().flatten().map(move |c| slice.start + r * size + c))
        .collect();
    let texts = figure.numbers(&places);
    let digits = texts.iter().map(|t| t.width()).max().unwrap_or(0);
    let mut cells = places.iter().zip(texts);
    let named = figure.labels.get(columns).is_some_and(Option::is_some);

    let heads = cols.iter().map(|c| match c {
        Some(c) if named => clipped(&figure.place(columns, *c), digits.max(12)),
        Some(c) => format!("{c:>digits$}"),
        None => "…".to_string(),
    });
    let mut out = Vec::new();
    for row in &rows {
        let shaded = cols.iter().map(|c| match (row, c) {
            (Some(_), Some(_)) => {
                let (&place, text) = cells.next().expect("one text for each place shown");
                shaded(figure.values[place], &text, digits, of_all, figure)
            }
            _ => Shaded { text: "…".to_string(), role: Role::Dim },
        });
        let shaded: Vec<Shaded> = shaded.collect();
        let head = match (row_axis, row) {
            (None, _) => String::new(),
            (Some(axis), Some(r)) => clipped(&figure.place(axis, *r), 16),
            (Some(_), None) => "…".to_string(),
        };
        out.push((head, shaded));
    }
    let corner = row_axis.into_iter().chain([columns]).filter_map(|axis| figure.axis(axis)).collect();
    Grid { corner, heads: heads.collect(), rows: out }
}

fn shaded(value: f64, text: &str, digits: usize, of_all: &Facts, figure: &Figure) -> Shaded {
    let number = format!("{text:>digits$}");
    if figure.is_bool() {
        let (mark, role) = match value != 0.0 {
            true => ('█', Role::Number),
            false => ('·', Role::Dim),
        };
        let text = format!("{number} {mark}");
        return Shaded { text, role };
    }
    match of_all.mark(value) {
        Some((mark, role)) => Shaded { text: format!("{number} {mark}"), role },
        None => Shaded { text: number, role: Role::Number },
    }
}

/// A name cut to `most` columns, with a sign that it was.
pub(super) fn clipped(name: &str, most: usize) -> String {
    if name.width() <= most {
        return name.to_string();
    }
    let mut short = String::new();
    for c in name.chars() {
        if short.width() + 2 > most {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// The grid as tables, as many as the width asks for: columns are never broken, they go on below.
fn laid_out(grid: &Grid, look: Look) -> Text {
    let widths = grid.rows.iter().flat_map(|(_, cells)| cells.iter().map(|c| c.text.width()));
    let cell = widths.chain(grid.heads.iter().map(|h| h.width())).max().unwrap_or(1);
    // All columns are equally wide, so that tables under each other line up; only a cut is narrow.
    let wide = |head: &String| if head == "…" { 1 } else { cell };
    let all: Vec<usize> = grid.heads.iter().map(wide).collect();
    let names = grid.rows.iter().map(|(head, _)| head.width()).max().unwrap_or(0);
    let full = grid.corner.join(" \\ ");
    let short = grid.corner.first().cloned().unwrap_or_default();
    let groups = |label: usize| {
        let taken = if label > 0 { label + 2 } else { 0 };
        let room = look.width.saturating_sub(taken);
        match all.iter().map(|w| w + 2).sum::<usize>() <= room + 1 {
            true => 1,
            false => grid.heads.len().div_ceil(((room + 1) / (cell + 2)).max(1)),
        }
    };
    // The columns' axis stands in the corner too, unless that costs a table more.
    let corner = match groups(names.max(full.width())) > groups(names.max(short.width())) {
        true => short,
        false => full,
    };
    let label = names.max(corner.width());
    let count = groups(label).max(1);
    let each = grid.heads.len().div_ceil(count).max(1);
    let mut text = Text::new();
    for start in (0..grid.heads.len()).step_by(each) {
        let end = (start + each).min(grid.heads.len());
        text.section(one_table(grid, &corner, label, &all, start..end));
    }
    text
}

fn one_table(
    grid: &Grid,
    corner: &str,
    label: usize,
    widths: &[usize],
    columns: std::ops::Range<usize>,
) -> Text {
    let mut table = Table::new();
    table
        .load_preset(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_style(TableComponent::VerticalLines, SEAM)
        .set_style(TableComponent::HeaderLines, '─')
        .set_style(TableComponent::MiddleHeaderIntersections, CROSS);
    let left = |text: String| Cell::new(text).set_alignment(CellAlignment::Left);
    let padded = |text: &str, width: usize| {
        let missing = width.saturating_sub(text.width());
        left(format!("{text}{}", " ".repeat(missing)))
    };
    let lead = |text: &str| (label > 0).then(|| padded(text, label));
    let heads = columns.clone().map(|c| padded(&grid.heads[c], widths[c]));
    table.set_header(lead(corner).into_iter().chain(heads));
    for (head, cells) in &grid.rows {
        let cells = columns.clone().map(|c| padded(&cells[c].text, widths[c]));
        table.add_row(lead(head).into_iter().chain(cells));
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding(if at == 0 && label > 0 { (0, 1) } else { (1, 0) });
    }
    tagged(&table, grid, label > 0, columns)
}

/// The table's lines with the meaning of each cell put back on.
fn tagged(table: &Table, grid: &Grid, labelled: bool, columns: std::ops::Range<usize>) -> Text {
    let mut text = Text::new();
    for (at, line) in table.lines().enumerate() {
        if at == 1 {
            let mut line = line;
            if labelled {
                line = line.replacen(CROSS, "┼", 1);
            }
            text.say(Role::Dim, line.replace(CROSS, "─"));
            continue;
        }
        let mut tagged = Line::new();
        for (part, words) in line.split(SEAM).enumerate() {
            if part > 0 {
                let (role, seam) = match labelled && part == 1 {
                    true => (Role::Dim, "│"),
                    false => (Role::Prose, " "),
                };
                tagged.push(role, seam);
            }
            let role = match (at, labelled && part == 0) {
                (0, true) => Role::Dim,
                (0, false) | (_, true) => Role::Label,
                (row, false) => {
                    let column = columns.start + part - usize::from(labelled);
                    let cells = grid.rows.get(row - 2).map(|(_, cells)| cells);
                    cells.and_then(|c| c.get(column)).map_or(Role::Number, |c| c.role)
                }
            };
            let start = words.len() - words.trim_start().len();
            let end = words.trim_end().len().max(start);
            tagged.push(Role::Prose, &words[..start]);
            tagged.push(role, &words[start..end]);
            tagged.push(Role::Prose, &words[end..]);
        }
        text.line(tagged);
    }
    text
}

/// A tensor without borders: each row on one line, opened by its place and its name.
fn facts(figure: &Figure, look: Look) -> Text {
    let axes = figure.shape.len();
    let columns = axes - 1;
    let size = figure.shape[columns];
    let (shown, left_out) = slices(figure);
    let mut text = Text::new();
    for slice in &shown {
        if !slice.index.is_empty() {
            text.say(Role::Prose, format!("{}:", slice_name(figure, &slice.index)));
        }
        let rows = match axes {
            1 => vec![Some(0)],
            _ => figure.shown(axes - 2),
        };
        for row in rows {
            let Some(row) = row else {
                let hidden = figure.shape[axes - 2] - 2 * crate::view::figure::EDGE;
                text.say(Role::Prose, format!("and {hidden} more rows between"));
                continue;
            };
            let mut index = slice.index.clone();
            let mut head = figure.name.clone();
            if axes >= 2 {
                index.push(row);
                head.push_str(&bracketed(&index));
                if let Some(name) = figure.label(axes - 2, row) {
                    head.push_str(&format!(" {name}"));
                }
            }
            let line = format!("{head}: {}", row_facts(figure, slice.start + row * size, columns));
            let line = Line::new().with(Role::Prose, line);
            let shift = Line::spaces(2);
            text.append(wrap(&line, look.width, &Line::new(), &shift));
        }
    }
    if left_out > 0 {
        text.say(Role::Prose, format!("and {left_out} more between the first and the last"));
    }
    if figure.is_cut() {
        text.append(heat::whole(figure, look));
    }
    text
}

/// The elements of one row with their names: "Your 0.2098, journey 0.2006".
fn row_facts(figure: &Figure, start: usize, columns: usize) -> String {
    let shown = figure.shown(columns);
    let places: Vec<usize> = shown.iter().flatten().map(|c| start + c).collect();
    let mut texts = figure.numbers(&places).into_iter();
    let mut fact = |c: &Option<usize>| match c {
        None => {
            let hidden = figure.shape[columns] - 2 * crate::view::figure::EDGE;
            format!("{hidden} more")
        }
        Some(c) => {
            let number = texts.next().expect("one text for each place shown");
            match figure.label(columns, *c) {
                Some(name) => format!("{name} {number}"),
                None => number,
            }
        }
    };
    let facts: Vec<String> = shown.iter().map(|c| unbroken(&fact(c))).collect();
    facts.join(", ")
}
