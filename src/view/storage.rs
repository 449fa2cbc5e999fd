//! The storage strip: which token each stored number belongs to, in the order that a view reads them.
//! `view`, `transpose` and `contiguous` side by side; shapes and strides are given.

use unicode_width::UnicodeWidthStr;

use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text};
use crate::view::wrap::wrap;

/// One way of reading the same storage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// The expression: "x.transpose(1, 2)".
    pub name: String,
    /// What there is to say: "shape (2, 3, 2), strides (2, 4, 1), not contiguous".
    pub facts: String,
    /// For each element, in the order in which it is read, the token it belongs to.
    pub tokens: Vec<usize>,
    /// How many elements stand together: the size of the last axis.
    pub run: usize,
    /// How many elements make a table: the product of the last two axes; 0 where there is one table.
    pub page: usize,
}

/// The sign of a token in a strip.
fn sign(token: usize) -> char {
    const SIGNS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    char::from(SIGNS[token % SIGNS.len()])
}

/// Strips under each other, each element the sign and colour of its token, and the tokens' names last.
pub fn storage(strips: &[Strip], tokens: &[String], look: Look) -> Text {
    let mut text = Text::new();
    let none = Line::new();
    let shift = Line::spaces(2);
    for strip in strips {
        let mut head = Line::new().with(Role::Name, &strip.name);
        head.push(
            Role::Dim,
            match look.plain {
                true => format!(": {}", strip.facts),
                false => format!("   {}", strip.facts),
            },
        );
        text.append(wrap(&head, look.width, &none, &shift));
        let mut line = Line::new();
        if look.plain {
            line.push(Role::Prose, "tokens as read: ");
        }
        for (at, run) in strip.tokens.chunks(strip.run.max(1)).enumerate() {
            let turned = at > 0 && strip.page > 0 && (at * strip.run.max(1)).is_multiple_of(strip.page);
            match (at, look.plain) {
                (0, _) => {}
                (_, true) => line.push(Role::Prose, if turned { "; " } else { ", " }),
                (_, false) if turned => line.push(Role::Dim, format!(" │{NO_BREAK_SPACE}")),
                (_, false) => line.push(Role::Prose, " "),
            }
            for (i, &token) in run.iter().enumerate() {
                let apart = if look.plain && i > 0 { NO_BREAK_SPACE.to_string() } else { String::new() };
                let role = if look.plain { Role::Prose } else { Role::Token(token) };
                line.push(role, format!("{apart}{}", sign(token)));
            }
        }
        let first = if look.plain { &none } else { &shift };
        text.append(wrap(&line, look.width, first, &shift));
    }
    if !tokens.is_empty() {
        let mut names = Line::new();
        for (at, name) in tokens.iter().enumerate() {
            let before = if at == 0 {
                ""
            } else if look.plain {
                ", "
            } else {
                "  "
            };
            names.push(Role::Prose, before);
            let role = if look.plain { Role::Prose } else { Role::Token(at) };
            names.push(role, sign(at).to_string());
            names.push(Role::Prose, format!("{NO_BREAK_SPACE}{name}"));
        }
        if !look.plain {
            text.gap();
        }
        let first = if look.plain { &none } else { &shift };
        text.append(wrap(&names, look.width, first, &shift));
    }
    text
}

/// A bar that fills while long work runs: one line, to be written again over itself.
pub fn progress(what: &str, part: f64, look: Look) -> Line {
    let percent = format!("{:>3.0} %", part.clamp(0.0, 1.0) * 100.0);
    if look.plain {
        return Line::new().with(Role::Prose, format!("{what}: {}", percent.trim_start()));
    }
    let room = look.text_width().saturating_sub(what.width() + percent.len() + 3);
    let bar = crate::view::heat::bar_of(part, room.min(40));
    let rest = room.min(40).saturating_sub(bar.width());
    Line::new()
        .with(Role::Prose, format!("{what} "))
        .with(Role::Good, bar)
        .with(Role::Dim, "░".repeat(rest))
        .with(Role::Prose, format!(" {percent}"))
}

/// A light that runs to and fro while work of unknown length runs, and how long it has: one line.
pub fn working(what: &str, elapsed: std::time::Duration, look: Look) -> Line {
    const LONG: usize = 4;
    let time = crate::view::run::spoken_time(elapsed);
    if look.plain {
        return Line::new().with(Role::Prose, format!("{what}: {time}"));
    }
    let room = look.text_width().saturating_sub(what.width() + time.width() + 3).clamp(LONG + 1, 40);
    let ways = room - LONG;
    let at = (elapsed.as_millis() / 100) as usize % (2 * ways);
    let at = if at < ways { at } else { 2 * ways - at };
    Line::new()
        .with(Role::Prose, format!("{what} "))
        .with(Role::Dim, "░".repeat(at))
        .with(Role::Good, "█".repeat(LONG))
        .with(Role::Dim, "░".repeat(ways - at))
        .with(Role::Prose, format!(" {time}"))
}
