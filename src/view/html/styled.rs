//! Styled text in HTML: a class for each role, no style of its own.

use super::escape::escape;
use crate::view::code::highlighted;
use crate::view::statistics::Statistics;
use crate::view::text::{Line, Role, Text, heat_step};

/// The class of a role; none for text in the page's own style.
pub(super) fn class(role: Role) -> Option<String> {
    let name = match role {
        Role::Prose | Role::Output | Role::Code | Role::Number | Role::Label => return None,
        Role::Title | Role::Strong => "s",
        Role::Name => "n",
        Role::Emphasis => "e",
        Role::Link => "l",
        Role::Defined => "df",
        Role::CodeInline => "c",
        Role::Keyword => "k",
        Role::Str => "st",
        Role::NumberLit => "nu",
        Role::Comment => "co",
        Role::Dim => "d",
        Role::Good => "g",
        Role::Bad | Role::Differs => "b",
        Role::Token(token) => return Some(format!("t{}", token % 8)),
        Role::Heat(level) => return Some(format!("h{}", heat_step(level))),
    };
    Some(name.to_owned())
}

fn line(line: &Line) -> String {
    let mut out = String::new();
    for span in line.clone().with_plain_spaces().spans {
        let text = escape(&span.text);
        match class(span.role) {
            Some(class) => out.push_str(&format!("<span class=\"{class}\">{text}</span>")),
            None => out.push_str(&text),
        }
    }
    out
}

pub(super) fn lines(text: &Text) -> String {
    let all: Vec<String> = text.lines.iter().map(line).collect();
    all.join("\n")
}

pub(super) fn code(source: &str) -> String {
    let all: Vec<String> = highlighted(source).iter().map(line).collect();
    format!("<pre class=\"code\"><code>{}</code></pre>\n", all.join("\n"))
}

/// The class that shades a value, by the same rules as the marks of a terminal.
pub(super) fn shade(is_bool: bool, value: f64, statistics: &Statistics) -> Option<String> {
    if is_bool {
        return Some(if value != 0.0 { "on" } else { "m" }.to_owned());
    }
    let (_, role) = statistics.mark(value)?;
    match role {
        Role::Dim => Some("m".to_owned()),
        Role::Bad => Some("nan".to_owned()),
        Role::Number => Some("on".to_owned()),
        role => class(role),
    }
}
