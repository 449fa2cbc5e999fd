//! The shape algebra of an expression: the code at the left, its shapes at the right.
//! What the shapes are is worked out elsewhere.

use unicode_width::UnicodeWidthStr;

use crate::view::code::highlighted;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// One operation: its code, the shapes that go in, the shape that comes out, and a remark.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeRow {
    /// The code.
    pub code: String,
    /// The shapes that go in; may be empty.
    pub algebra: String,
    /// The shape that comes out; `None` where the operation raises.
    pub result: Option<String>,
    /// `broadcast`; may be empty.
    pub remark: String,
}

/// Operations under each other, their shapes lined up where the screen is wide enough.
pub fn shapes(rows: &[ShapeRow], look: Look) -> Text {
    let codes = rows.iter().map(|row| row.code.width()).max().unwrap_or(0);
    let told: Vec<Line> = rows.iter().map(|row| told(row, look)).collect();
    let fits = codes + 3 + told.iter().map(Line::width).max().unwrap_or(0) <= look.width;
    let mut text = Text::new();
    for (row, told) in rows.iter().zip(told) {
        let mut line = highlighted(&row.code).into_iter().next().unwrap_or_default().with_plain_spaces();
        if look.plain || !fits {
            let under = Line::spaces(4);
            line.push(Role::Dim, " : ");
            line.join(told);
            text.append(wrap(&line, look.width, &Line::new(), &under));
            continue;
        }
        line.fill(codes);
        line.push(Role::Dim, " : ");
        line.join(told);
        text.line(line);
    }
    text
}

fn told(row: &ShapeRow, look: Look) -> Line {
    let mut line = Line::new();
    if !row.algebra.is_empty() {
        line.push(Role::Prose, format!("{} -> ", row.algebra));
    }
    match &row.result {
        Some(result) => line.push(Role::Strong, result),
        None => line.push(Role::Bad, if look.plain { "does not fit" } else { "✗" }),
    }
    if !row.remark.is_empty() {
        line.push(Role::Dim, format!("   {}", row.remark));
    }
    line
}
