//! A table in which one number is being chosen: as much of it around that number as there is room for.
//! Which number, and how much room, is given.

use unicode_width::UnicodeWidthStr;

use crate::view::figure::Figure;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// The table with element `index` chosen, in at most `rows` rows.
pub fn pick(figure: &Figure, index: &[usize], rows: usize, look: Look) -> Text {
    let mut text = heading(figure, index, look);
    let Some((&column, lead)) = index.split_last() else {
        return text;
    };
    let columns = *figure.shape.last().unwrap_or(&1);
    let (row, tall) = match lead.split_last() {
        Some((&row, _)) => (row, figure.shape[figure.shape.len() - 2]),
        None => (0, 1),
    };
    let facts = figure.facts();
    let start = place(figure, index) - row * columns - column;
    let axis = figure.shape.len() - 1;
    let shown_rows: Vec<usize> = window(row, tall, rows);
    let head = |at: usize| match lead.is_empty() {
        true => String::new(),
        false => figure.place(axis - 1, at),
    };
    let cell = |row: usize, column: usize| element(figure, start + row * columns + column);
    let heads = shown_rows.iter().map(|row| head(*row).width()).max().unwrap_or(0);
    let room = look.width.saturating_sub(heads + 4);
    let wide = |column: usize| {
        let cells = shown_rows.iter().map(|row| cell(*row, column).width());
        cells.max().unwrap_or(0).max(figure.place(axis, column).width()) + 2
    };
    let shown = fitting(column, columns, room, wide);
    let more = |left: bool| if left { "… " } else { "  " };
    let before = more(shown.first().is_some_and(|first| *first > 0));
    let after = more(shown.last().is_some_and(|last| last + 1 < columns)).trim_end();
    let mut top = Line::new();
    top.fill(heads + 2);
    for at in &shown {
        let name = figure.place(axis, *at);
        let role = if *at == column { Role::Strong } else { Role::Dim };
        top.push(role, format!(" {name}{}", " ".repeat(wide(*at).saturating_sub(name.width() + 1))));
    }
    text.line(top);
    for at in shown_rows.iter().copied() {
        let name = head(at);
        let role = if at == row { Role::Strong } else { Role::Dim };
        let mut line = Line::new().with(role, &name);
        line.fill(heads);
        line.push(Role::Dim, before);
        for column_at in &shown {
            let words = cell(at, *column_at);
            let room = wide(*column_at).saturating_sub(2);
            let pad = " ".repeat(room.saturating_sub(words.width()));
            match at == row && *column_at == column {
                true => line.push(Role::Strong, format!("{pad}[{words}]")),
                false => {
                    let value = figure.values.get(start + at * columns + column_at).copied();
                    let level = value.and_then(|value| facts.level(value)).map_or(Role::Number, Role::Heat);
                    line.push(level, format!("{pad} {words} "));
                }
            }
        }
        line.push(Role::Dim, after);
        text.line(line);
    }
    text
}

/// What is chosen: its name and index, its place in the axes' names, its value.
fn heading(figure: &Figure, index: &[usize], look: Look) -> Text {
    let mut line = Line::new().with(Role::Name, element_name(&figure.name, index));
    let named = |(axis, at): (usize, &usize)| {
        let name = figure.axis(axis)?;
        Some(match figure.label(axis, *at) {
            Some(label) => format!("{name} \"{label}\""),
            None => format!("{name} {at}"),
        })
    };
    let places: Option<Vec<String>> = index.iter().enumerate().map(named).collect();
    if let Some(places) = places.filter(|places| !places.is_empty()) {
        line.push(Role::Dim, format!("   {}", places.join(", ")));
    }
    line.push(Role::Prose, "   = ");
    line.push(Role::Strong, element(figure, place(figure, index)));
    let rest = Line::spaces(2);
    wrap(&line, look.width, &Line::new(), &rest)
}

/// `attn_weights[1,2]`.
pub fn element_name(name: &str, index: &[usize]) -> String {
    let places: Vec<String> = index.iter().map(usize::to_string).collect();
    match places.is_empty() {
        true => name.to_owned(),
        false => format!("{name}[{}]", places.join(",")),
    }
}

/// Where an element lies in row-major order.
fn place(figure: &Figure, index: &[usize]) -> usize {
    index.iter().zip(&figure.shape).fold(0, |place, (at, size)| place * size + at)
}

fn element(figure: &Figure, place: usize) -> String {
    match figure.texts.get(place) {
        Some(text) => text.trim().to_owned(),
        None => figure.values.get(place).map_or(String::new(), |value| format!("{value:.4}")),
    }
}

/// At most `room` neighbours of `at` among `count`.
fn window(at: usize, count: usize, room: usize) -> Vec<usize> {
    let room = room.clamp(1, count.max(1));
    let first = at.saturating_sub(room / 2).min(count.saturating_sub(room));
    (first..(first + room).min(count)).collect()
}

/// As many neighbours of `at` among `count` as fit into `room` columns.
fn fitting(at: usize, count: usize, room: usize, wide: impl Fn(usize) -> usize) -> Vec<usize> {
    let (mut first, mut last, mut taken) = (at, at, wide(at));
    loop {
        let right = (last + 1 < count).then(|| wide(last + 1)).filter(|more| taken + more <= room);
        if let Some(more) = right {
            last += 1;
            taken += more;
        }
        let left = first.checked_sub(1).map(&wide).filter(|more| taken + more <= room);
        if let Some(more) = left {
            first -= 1;
            taken += more;
        }
        if right.is_none() && left.is_none() {
            return (first..=last).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(shape: &[usize]) -> Figure {
        let count: usize = shape.iter().product();
        Figure {
            name: "x".to_owned(),
            dtype: "float32".to_owned(),
            shape: shape.to_vec(),
            values: (0..count).map(|at| at as f64).collect(),
            ..Figure::default()
        }
    }

    #[test]
    fn the_chosen_number_is_shown_at_any_width() {
        let look = |width| Look { width, colour: false, plain: false };
        for (shape, index) in [
            (vec![6], vec![5]),
            (vec![6, 6], vec![3, 0]),
            (vec![2, 3, 4], vec![1, 2, 3]),
            (vec![40, 60], vec![39, 30]),
        ] {
            let figure = figure(&shape);
            for width in [40, 80, 200] {
                let drawn = pick(&figure, &index, 8, look(width));
                let chosen = format!("[{:.4}]", place(&figure, &index) as f64);
                assert!(drawn.characters().contains(&chosen), "{shape:?} {width}");
                assert!(drawn.width() <= width, "{shape:?}: {} of {width}", drawn.width());
            }
        }
        assert_eq!(pick(&figure(&[]), &[], 8, look(80)).lines.len(), 1);
    }
}
