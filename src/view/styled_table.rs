//! Tables drawn by comfy-table, with the roles of their cells.
//!
//! comfy-table finds the widths of the columns, pads and aligns the cells, and draws borders and rules. It has no style
//! for a border, one style for a whole cell, and it writes styles as escape codes into the string that it returns, which
//! can then not be set beside other text. So it draws the characters, and the spans of the cells replace their
//! characters in each line.

use comfy_table::{Cell, Table, TableComponent, presets};

use crate::view::text::{Line, Role, Text, escape_controls};

/// Cells of styled text, and the table that draws them.
pub(crate) struct StyledTable {
    rows: Vec<Vec<Line>>,
    /// The table, for borders, padding, alignment and widths; it starts without any border.
    pub(crate) table: Table,
}

impl StyledTable {
    /// A table whose first row is its header. Each cell takes one line.
    pub(crate) fn new(rows: impl IntoIterator<Item = Vec<Line>>) -> StyledTable {
        let clean = |cell: Line| {
            let mut line = Line::new();
            for span in cell.with_plain_spaces().spans {
                line.push(span.role, escape_controls(&span.text, &[]));
            }
            line
        };
        let rows: Vec<Vec<Line>> = rows.into_iter().map(|row| row.into_iter().map(clean).collect()).collect();
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        for (at, row) in rows.iter().enumerate() {
            let cells: Vec<Cell> = row.iter().map(|cell| Cell::new(cell.text())).collect();
            match at {
                0 => table.set_header(cells),
                _ => table.add_row(cells),
            };
        }
        StyledTable { rows, table }
    }

    /// The table as text; borders and rules are dim.
    pub(crate) fn draw(mut self) -> Text {
        let ruled = self.table.style(TableComponent::HeaderLines).is_some();
        let mut lines = self.table.lines();
        let mut text = Text::new();
        for (at, cells) in self.rows.iter().enumerate() {
            let drawn = lines.next().expect("comfy-table draws a line for each row of one-line cells");
            text.line(with_roles(&drawn, cells));
            if at == 0 && ruled {
                text.say(Role::Dim, lines.next().expect("comfy-table draws a rule under the header"));
            }
        }
        text
    }
}

/// The drawn line of a row, its cells replaced by their spans.
fn with_roles(drawn: &str, cells: &[Line]) -> Line {
    let mut line = Line::new();
    let mut rest = drawn;
    for cell in cells {
        let (before, after) =
            rest.split_once(&cell.text()).expect("comfy-table draws the cells of a row in order");
        push_border(&mut line, before);
        line.join(cell.clone());
        rest = after;
    }
    push_border(&mut line, rest);
    line
}

/// Appends what stands between two cells: padding, and a border where there is one.
fn push_border(line: &mut Line, drawn: &str) {
    let start = drawn.len() - drawn.trim_start().len();
    let end = drawn.trim_end().len().max(start);
    line.push(Role::Prose, &drawn[..start]);
    line.push(Role::Dim, &drawn[start..end]);
    line.push(Role::Prose, &drawn[end..]);
}
