//! Two columns: what something is called, and what there is to say of it.
//! For lists of commands, settings and variables.

use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// Rows side by side; where the names leave too little room, what is said goes under them.
pub fn columns(rows: &[(Line, Line)], look: Look) -> Text {
    let mut text = Text::new();
    let none = Line::new();
    if look.plain {
        for (name, said) in rows {
            let mut line = name.clone();
            if said.width() > 0 {
                line.push(Role::Prose, ": ");
                line.join(said.clone());
            }
            text.append(wrap(&line, look.width, &none, &none));
        }
        return text;
    }
    let widest = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let beside = widest + 2 <= look.text_width() * 2 / 5;
    let fits = |(name, said): &&(Line, Line)| 4 + name.width() + said.width() <= look.width;
    // Where most rows fit on a line, those that do stand on one.
    let after = rows.iter().filter(fits).count() * 2 > rows.len();
    for (name, said) in rows {
        let mut head = Line::spaces(2);
        head.join(name.clone());
        let mut under = Line::new();
        under.fill(if beside { widest + 4 } else { 6 });
        if beside {
            head.fill(widest + 4);
            text.append(wrap(said, look.text_width(), &head, &under));
            continue;
        }
        if after && head.width() + 2 + said.width() <= look.width {
            head.push(Role::Prose, "  ");
            head.join(said.clone());
            text.line(head);
            continue;
        }
        text.append(wrap(&head, look.width, &none, &under));
        if said.width() > 0 {
            text.append(wrap(said, look.text_width(), &under, &under));
        }
    }
    text
}
