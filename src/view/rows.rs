//! A tensor without borders, for `--plain`: a line for each row, with the names of the row and of its elements.

use crate::view::figure::{EDGE_ITEMS, Figure};
use crate::view::slice;
use crate::view::text::{Look, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// The rows of all slices that are shown.
pub(super) fn rows(figure: &Figure, look: Look) -> Text {
    let axes = figure.shape.len();
    let columns = axes - 1;
    let size = figure.shape[columns];
    let (shown, left_out) = slice::shown(figure);
    let mut text = Text::new();
    for slice in &shown {
        if !slice.index.is_empty() {
            text.say(Role::Prose, format!("{}:", slice::name(figure, &slice.index)));
        }
        let rows = match axes {
            1 => vec![Some(0)],
            _ => figure.shown(axes - 2),
        };
        for row in rows {
            let Some(row) = row else {
                let hidden = figure.shape[axes - 2] - 2 * EDGE_ITEMS;
                text.say(Role::Prose, format!("and {hidden} more rows between"));
                continue;
            };
            let mut head = figure.name.clone();
            if axes >= 2 {
                let mut index = slice.index.clone();
                index.push(row);
                head.push_str(&slice::brackets(&index));
                if let Some(name) = figure.label(axes - 2, row) {
                    head.push_str(&format!(" {name}"));
                }
            }
            let elements = elements(figure, slice.start + row * size);
            text.append(wrap((Role::Prose, format!("{head}: {elements}")), look.width, 0, 2));
        }
    }
    if left_out > 0 {
        text.say(Role::Prose, format!("and {left_out} more between the first and the last"));
    }
    text
}

/// The elements of the row that begins at offset `start`, with their names: `Your 0.2098, journey 0.2006`.
fn elements(figure: &Figure, start: usize) -> String {
    let columns = figure.shape.len() - 1;
    let shown = figure.shown(columns);
    let offsets: Vec<usize> = shown.iter().flatten().map(|column| start + column).collect();
    let mut numbers = figure.numbers(&offsets).into_iter();
    let elements = shown.iter().map(|column| match column {
        None => format!("{} more", figure.shape[columns] - 2 * EDGE_ITEMS),
        Some(column) => {
            let number = numbers.next().expect("there is a number for each offset");
            match figure.label(columns, *column) {
                Some(name) => format!("{name} {number}"),
                None => number,
            }
        }
    });
    elements.map(|element| unbroken(&element)).collect::<Vec<_>>().join(", ")
}
