//! A table in which the learner chooses a number: the part around the chosen one that fits the screen.

use unicode_width::UnicodeWidthStr;

use crate::tensor::layout::ravel;
use crate::tensor::show::joined;
use crate::view::figure::Figure;
use crate::view::slice::ellipsized;
use crate::view::text::{Line, Look, Role, Text};

/// The table with the element at `index` marked, in at most `rows` rows. The figure has its values.
pub fn marked(figure: &Figure, index: &[usize], rows: usize, look: Look) -> Text {
    let mut text = Text::new();
    let Some((&column, lead)) = index.split_last() else { return text };
    let columns = *figure.shape.last().expect("an element with an index has an axis");
    let (row, tall) = match lead.split_last() {
        Some((&row, _)) => (row, figure.shape[figure.shape.len() - 2]),
        None => (0, 1),
    };
    let statistics = figure.statistics();
    let start = ravel(index, &figure.shape) - row * columns - column;
    let axis = figure.shape.len() - 1;
    let shown_rows: Vec<usize> = window(row, tall, rows);
    // A name takes a third of the screen at most; numbers are whole at any width.
    let longest = (look.width / 3).max(6);
    let head = |at: usize| match lead.is_empty() {
        true => String::new(),
        false => ellipsized(&figure.position(axis - 1, at), longest),
    };
    let column_name = |at: usize| ellipsized(&figure.position(axis, at), longest);
    let cell = |row: usize, column: usize| element(figure, start + row * columns + column);
    let heads = shown_rows.iter().map(|row| head(*row).width()).max().unwrap_or(0);
    let free = look.width.saturating_sub(heads + 4);
    let wide = |column: usize| {
        let cells = shown_rows.iter().map(|row| cell(*row, column).width());
        cells.max().unwrap_or(0).max(column_name(column).width()) + 2
    };
    let shown = fitting(column, columns, free, wide);
    let more = |left: bool| if left { "… " } else { "  " };
    let before = more(shown.first().is_some_and(|first| *first > 0));
    let after = more(shown.last().is_some_and(|last| last + 1 < columns)).trim_end();
    let mut top = Line::new();
    top.fill(heads + 2);
    for at in &shown {
        let name = column_name(*at);
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
            let width = wide(*column_at).saturating_sub(2);
            let pad = " ".repeat(width.saturating_sub(words.width()));
            match at == row && *column_at == column {
                true => line.push(Role::Strong, format!("{pad}[{words}]")),
                false => {
                    let level = statistics.level(figure.values[start + at * columns + column_at]);
                    line.push(level.map_or(Role::Number, Role::Heat), format!("{pad} {words} "));
                }
            }
        }
        line.push(Role::Dim, after);
        text.line(line);
    }
    let above = shown_rows.first().copied().unwrap_or(0);
    let below = tall - shown_rows.last().map_or(tall, |last| last + 1);
    let hidden = [(above, "above"), (below, "below")].map(|(count, side)| match count {
        0 => None,
        1 => Some(format!("1 more row {side}")),
        count => Some(format!("{count} more rows {side}")),
    });
    let hidden: Vec<String> = hidden.into_iter().flatten().collect();
    if !hidden.is_empty() {
        let sign = if look.plain { "" } else { "… " };
        text.say(Role::Dim, format!("{sign}{}", hidden.join(", ")));
    }
    text
}

/// `attn_weights[1,2]`.
pub(crate) fn element_name(name: &str, index: &[usize]) -> String {
    match index {
        [] => name.to_owned(),
        _ => format!("{name}[{}]", joined(index, ",")),
    }
}

/// The text of the element at an offset.
fn element(figure: &Figure, offset: usize) -> String {
    match figure.texts.get(offset) {
        Some(text) => text.trim().to_owned(),
        None => format!("{:.4}", figure.values[offset]),
    }
}

/// `at` and its neighbours among `count`: at most `most`.
fn window(at: usize, count: usize, most: usize) -> Vec<usize> {
    let most = most.clamp(1, count.max(1));
    let first = at.saturating_sub(most / 2).min(count.saturating_sub(most));
    (first..(first + most).min(count)).collect()
}

/// `at` and its neighbours among `count`: as many as fit into `width` columns.
fn fitting(at: usize, count: usize, width: usize, wide: impl Fn(usize) -> usize) -> Vec<usize> {
    let (mut first, mut last, mut taken) = (at, at, wide(at));
    loop {
        let right = (last + 1 < count).then(|| wide(last + 1)).filter(|more| taken + more <= width);
        if let Some(more) = right {
            last += 1;
            taken += more;
        }
        let left = first.checked_sub(1).map(&wide).filter(|more| taken + more <= width);
        if let Some(more) = left {
            first -= 1;
            taken += more;
        }
        if right.is_none() && left.is_none() {
            return (first..=last).collect();
        }
    }
}
