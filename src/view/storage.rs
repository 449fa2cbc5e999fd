//! The elements of a storage in the order in which views read them, each shown by the token that it belongs to.

use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text};
use crate::view::wrap::wrap;

#[derive(Clone, Default, PartialEq)]
pub struct StorageView {
    /// The expression: "x.transpose(1, 2)".
    pub name: String,
    /// Its shape, and whether it is a copy: "(row 3, column 2), a copy".
    pub facts: String,
    /// For each element in reading order the token that it belongs to.
    pub tokens: Vec<usize>,
    /// How many elements are shown without a gap: the size of the last axis.
    pub run: usize,
    /// How many elements a slice has: the product of the last two axes; 0 if there is one slice.
    pub page: usize,
}

/// The character of a token.
pub(super) fn sign(token: usize) -> char {
    const SIGNS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    char::from(SIGNS[token % SIGNS.len()])
}

/// The views, each element as the character and colour of its token, then the names of the tokens.
pub fn storage(strips: &[StorageView], tokens: &[String], look: Look) -> Text {
    let mut text = Text::new();
    for strip in strips {
        let mut head = Line::new().with(Role::Name, &strip.name);
        head.push(Role::Dim, format!("{}{}", if look.plain { ": " } else { "   " }, strip.facts));
        text.append(wrap(&head, look.width, 0, 2));
        let mut line = Line::new();
        if look.plain {
            line.push(Role::Prose, "tokens as read: ");
        }
        for (at, run) in strip.tokens.chunks(strip.run.max(1)).enumerate() {
            let new_slice = at > 0 && strip.page > 0 && (at * strip.run.max(1)).is_multiple_of(strip.page);
            match (at, look.plain) {
                (0, _) => {}
                (_, true) => line.push(Role::Prose, if new_slice { "; " } else { ", " }),
                (_, false) if new_slice => line.push(Role::Dim, format!(" │{NO_BREAK_SPACE}")),
                (_, false) => line.push(Role::Prose, " "),
            }
            for (i, &token) in run.iter().enumerate() {
                let apart = if look.plain && i > 0 { NO_BREAK_SPACE.to_string() } else { String::new() };
                let role = if look.plain { Role::Prose } else { Role::Token(token) };
                line.push(role, format!("{apart}{}", sign(token)));
            }
        }
        let first = if look.plain { 0 } else { 2 };
        text.append(wrap(&line, look.width, first, 2));
    }
    if !tokens.is_empty() {
        let mut names = Line::new();
        for (at, name) in tokens.iter().enumerate() {
            let between = if look.plain { ", " } else { "  " };
            names.push(Role::Prose, if at == 0 { "" } else { between });
            let role = if look.plain { Role::Prose } else { Role::Token(at) };
            names.push(role, sign(at).to_string());
            names.push(Role::Prose, format!("{NO_BREAK_SPACE}{name}"));
        }
        if !look.plain {
            text.gap();
        }
        let first = if look.plain { 0 } else { 2 };
        text.append(wrap(&names, look.width, first, 2));
    }
    text
}
