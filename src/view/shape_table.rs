//! The shapes of an expression: each operation's code at the left, its shapes at the right.

use unicode_width::UnicodeWidthStr;

use crate::explain::shape_steps::ShapeStep;
use crate::view::code::first_line;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// The operations, one on each line, with their shapes in a column if the screen is wide enough.
pub(crate) fn shapes(rows: &[ShapeStep], look: Look) -> Text {
    let codes = rows.iter().map(|row| row.code.width()).max().unwrap_or(0);
    let shapes: Vec<Line> = rows.iter().map(|row| shapes_of(row, look)).collect();
    let fits = codes + 3 + shapes.iter().map(Line::width).max().unwrap_or(0) <= look.width;
    let mut text = Text::new();
    for (row, shapes) in rows.iter().zip(shapes) {
        let mut line = first_line(&row.code).with_plain_spaces();
        if look.plain || !fits {
            line.push(Role::Dim, " : ");
            line.join(shapes);
            text.append(wrap(&line, look.width, 0, 4));
            continue;
        }
        line.fill(codes);
        line.push(Role::Dim, " : ");
        line.join(shapes);
        text.line(line);
    }
    text
}

/// The shapes of one operation.
fn shapes_of(row: &ShapeStep, look: Look) -> Line {
    let mut line = Line::new();
    if !row.algebra.is_empty() {
        line.push(Role::Prose, format!("{} -> ", row.algebra));
    }
    match &row.result {
        Ok(result) => line.push(Role::Strong, result),
        Err(_) => line.push(Role::Bad, if look.plain { "does not fit" } else { "✗" }),
    }
    if !row.remark.is_empty() {
        line.push(Role::Dim, format!("   {}", row.remark));
    }
    line
}
