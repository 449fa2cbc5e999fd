//! A tensor as tables: rows and columns have the names of tokens and axes, cells are shaded by value.

use std::ops::Range;

use comfy_table::{ColumnConstraint, TableComponent, Width};
use unicode_width::UnicodeWidthStr;

use crate::view::figure::{Figure, summary};
use crate::view::heat;
use crate::view::slice::{self, Slice, ellipsized};
use crate::view::statistics::Statistics;
use crate::view::styled_table::StyledTable;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// Columns between tables side by side.
const GAP: usize = 4;

/// A tensor's summary line and its tables; of a large tensor also the heat map of the whole.
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
        return heat::plain(figure, look);
    }
    let statistics = figure.statistics();
    let (shown, left_out) = slice::shown(figure);
    let (mut tables, mut repeated) = (Vec::new(), Text::new());
    for (at, slice) in shown.iter().enumerate() {
        let Some(first) = slice::equal(figure, &shown, at) else {
            tables.push(slice_table(figure, slice, &statistics, look));
            continue;
        };
        let [own, first] = [slice, &shown[first]].map(|it| slice::name(figure, &it.index));
        let words =
            Line::new().with(Role::Strong, own).with(Role::Dim, format!(": the same numbers as {first}"));
        repeated.append(wrap(&words, look.width, 0, 0));
    }
    let mut text = Text::in_rows(&tables, GAP, look);
    text.append(repeated);
    if left_out > 0 {
        text.say(Role::Dim, format!("… {left_out} more between the first and the last"));
    }
    if figure.is_summarized() {
        text.section(heat::whole(figure, look));
    }
    text
}

/// One slice under its name.
fn slice_table(figure: &Figure, slice: &Slice, statistics: &Statistics, look: Look) -> Text {
    let mut text = Text::new();
    if !slice.index.is_empty() {
        text.say(Role::Strong, slice::name(figure, &slice.index));
    }
    text.append(Grid::new(figure, slice, statistics).tables(look));
    text
}

/// The contents of a slice's table.
struct Grid {
    /// The names of the axes of rows and columns.
    corner: Vec<String>,
    headers: Vec<String>,
    /// Each row's name and cells.
    rows: Vec<(String, Vec<Line>)>,
}

/// Marks rows and columns that are left out.
const LEFT_OUT: &str = "…";

impl Grid {
    fn new(figure: &Figure, slice: &Slice, statistics: &Statistics) -> Grid {
        let axes = figure.shape.len();
        let column_axis = axes - 1;
        let row_axis = axes.checked_sub(2);
        let rows = row_axis.map_or(vec![Some(0)], |axis| figure.shown(axis));
        let columns = figure.shown(column_axis);

        // The numbers of a slice are formatted together, as PyTorch formats those of one tensor. They are padded to one
        // width here: comfy-table aligns whole cells, and a cell is a number and a mark under a header of its own.
        let offsets = slice::offsets(figure, slice);
        let numbers = figure.numbers(&offsets);
        let digits = numbers.iter().map(|number| number.width()).max().unwrap_or(0);
        let mut cells = offsets.iter().zip(numbers);

        let named = figure.labels.get(column_axis).is_some_and(Option::is_some);
        let headers = columns.iter().map(|column| match column {
            Some(at) if named => ellipsized(&figure.position(column_axis, *at), digits.max(12)),
            Some(at) => format!("{at:>digits$}"),
            None => LEFT_OUT.to_string(),
        });
        let left_out = || Line::new().with(Role::Dim, LEFT_OUT);
        let mut grid_rows = Vec::new();
        for row in &rows {
            let name = match (row_axis, row) {
                (None, _) => String::new(),
                (Some(axis), Some(row)) => ellipsized(&figure.position(axis, *row), 16),
                (Some(_), None) => LEFT_OUT.to_string(),
            };
            let cells = columns.iter().map(|column| match (row, column) {
                (Some(_), Some(_)) => {
                    let (&offset, number) = cells.next().expect("there is a number for each offset");
                    let mut line = Line::spaces(digits - number.width());
                    line.join(cell(figure, figure.values[offset], &number, statistics));
                    line
                }
                _ => left_out(),
            });
            grid_rows.push((name, cells.collect()));
        }
        let corner = row_axis.into_iter().chain([column_axis]).filter_map(|axis| figure.axis(axis));
        Grid { corner: corner.collect(), headers: headers.collect(), rows: grid_rows }
    }

    /// The grid as tables. comfy-table fits a table to the screen by breaking the text of cells, which would break
    /// numbers: columns that do not fit are moved to further tables instead, each under the one before.
    fn tables(&self, look: Look) -> Text {
        let cells = self.rows.iter().flat_map(|(_, cells)| cells.iter().map(Line::width));
        let widest = cells.chain(self.headers.iter().map(|h| h.width())).max().unwrap_or(1);
        // Columns are equally wide, so that tables under each other align; only those left out are narrow.
        let width = |header: &String| if header == LEFT_OUT { 1 } else { widest };
        let widths: Vec<usize> = self.headers.iter().map(width).collect();
        let names = self.rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        let both = self.corner.join(" \\ ");
        let first = self.corner.first().cloned().unwrap_or_default();
        let count = |names: usize| {
            let taken = if names > 0 { names + 2 } else { 0 };
            let free = look.width.saturating_sub(taken) + 1;
            match widths.iter().map(|width| width + 2).sum::<usize>() <= free {
                true => 1,
                false => self.headers.len().div_ceil((free / (widest + 2)).max(1)),
            }
        };
        // The corner names the columns' axis too, unless that makes one more table necessary.
        let corner = match count(names.max(both.width())) > count(names.max(first.width())) {
            true => first,
            false => both,
        };
        let names = names.max(corner.width());
        let each = self.headers.len().div_ceil(count(names)).max(1);
        let mut text = Text::new();
        for start in (0..self.headers.len()).step_by(each) {
            let end = (start + each).min(self.headers.len());
            text.section(self.table(&corner, names, &widths, start..end));
        }
        text
    }

    /// The table of some columns. The names of the rows are a table of their own at its left, because comfy-table draws
    /// vertical lines between all columns or none: the line between the two is the border of the numbers.
    fn table(&self, corner: &str, names: usize, widths: &[usize], columns: Range<usize>) -> Text {
        let header = columns.clone().map(|at| Line::new().with(Role::Label, &self.headers[at])).collect();
        let cells = self.rows.iter().map(|(_, cells)| cells[columns.clone()].to_vec());
        let mut numbers = StyledTable::new([header].into_iter().chain(cells));
        numbers.table.set_style(TableComponent::HeaderLines, '─');
        for (at, column) in numbers.table.column_iter_mut().enumerate() {
            let after = u16::from(at + 1 < columns.len());
            let width =
                u16::try_from(widths[columns.start + at]).expect("names are cut and numbers are short");
            column.set_padding((1, after));
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + 1 + after)));
        }
        if names == 0 {
            return numbers.draw();
        }
        numbers.table.set_style(TableComponent::LeftBorder, '│');
        numbers.table.set_style(TableComponent::LeftHeaderIntersection, '┼');
        let corner = Line::new().with(Role::Dim, corner);
        let names_of_rows = self.rows.iter().map(|(name, _)| Line::new().with(Role::Label, name));
        let mut labels = StyledTable::new([corner].into_iter().chain(names_of_rows).map(|name| vec![name]));
        labels.table.set_style(TableComponent::HeaderLines, '─');
        for column in labels.table.column_iter_mut() {
            column.set_padding((0, 1));
        }
        Text::beside(&[labels.draw(), numbers.draw()], 0)
    }
}

/// A number and the mark that shades it.
fn cell(figure: &Figure, value: f64, number: &str, statistics: &Statistics) -> Line {
    let mark = match figure.is_bool() {
        true if value != 0.0 => Some(('█', Role::Number)),
        true => Some(('·', Role::Dim)),
        false => statistics.mark(value),
    };
    match mark {
        Some((mark, role)) => Line::new().with(role, format!("{number} {mark}")),
        None => Line::new().with(Role::Number, number),
    }
}
