//! Names and their descriptions in two columns: lists of commands, settings and variables.

use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// Each name with its description beside it, or under it if the names leave too little space.
pub(crate) fn columns(rows: &[(Line, Line)], look: Look) -> Text {
    let mut text = Text::new();
    if look.plain {
        for (name, description) in rows {
            let mut line = name.clone();
            if description.width() > 0 {
                line.push(Role::Prose, ": ");
                line.join(description.clone());
            }
            text.append(wrap(&line, look.width, 0, 0));
        }
        return text;
    }
    let widest = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let beside = widest + 2 <= look.text_width() * 2 / 5;
    let fits = |(name, description): &&(Line, Line)| 4 + name.width() + description.width() <= look.width;
    // If most rows fit on one line, each of them takes one line.
    let after = rows.iter().filter(fits).count() * 2 > rows.len();
    for (name, description) in rows {
        let mut head = Line::spaces(2);
        head.join(name.clone());
        let mut under = Line::new();
        under.fill(if beside { widest + 4 } else { 6 });
        if beside {
            head.fill(widest + 4);
            text.append(wrap(description, look.text_width(), &head, &under));
            continue;
        }
        if after && head.width() + 2 + description.width() <= look.width {
            head.push(Role::Prose, "  ");
            head.join(description.clone());
            text.line(head);
            continue;
        }
        text.append(wrap(&head, look.width, 0, &under));
        if description.width() > 0 {
            text.append(wrap(description, look.text_width(), &under, &under));
        }
    }
    text
}

/// Words after a label that is `column` columns wide.
pub(crate) fn labelled(label: &str, role: Role, words: (Role, &str), column: usize, look: Look) -> Text {
    if look.plain {
        let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
        return wrap(words, look.width, (Role::Prose, label), 0);
    }
    let mut first = Line::from((role, label));
    first.fill(column);
    wrap(words, look.text_width(), &first, column.min(look.width / 2))
}
