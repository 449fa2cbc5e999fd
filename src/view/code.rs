//! Highlighted Python code with line numbers. Code that does not parse is highlighted too.
//! Source: the tokens of `ruff_python_parser`, the parser of RustPython.

use crate::syntax::parse_unchecked;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;

use crate::view::text::{Line, Look, Role, Text, unbroken};
use crate::view::wrap::{part_of, wrap};

/// The code of a cell, numbered from 1.
pub fn code(source: &str, look: Look) -> Text {
    numbered(&highlighted(source), 1, look)
}

/// The first `most` lines of a cell's code, and how many more there are; in plain text all lines.
pub(crate) fn code_short(source: &str, most: usize, look: Look) -> Text {
    let mut lines = highlighted(source);
    let hidden = if lines.len() > most + 1 && !look.plain { lines.split_off(most).len() } else { 0 };
    let mut text = numbered(&lines, 1, look);
    if hidden > 0 {
        let words = format!("{:>1$} │ {hidden} more lines", "…", digits(most, look));
        text.line(Line::new().with(Role::Dim, words));
    }
    text
}

/// One line of code with its number in its cell.
pub(crate) fn code_line(source: &str, number: usize, look: Look) -> Text {
    numbered(&highlighted(source), number, look)
}

/// Highlighted lines with their numbers; long lines are wrapped, indented and marked.
fn numbered(lines: &[Line], from: usize, look: Look) -> Text {
    if look.plain {
        return Text { lines: lines.iter().cloned().map(Line::with_plain_spaces).collect() };
    }
    let digits = digits(from + lines.len().saturating_sub(1), look);
    let mut text = Text::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.text().chars().take_while(|c| *c == ' ').count();
        let inner = indent.min(look.width / 3);
        let line = part_of(&line.spans, indent, usize::MAX);
        let numbered = |number: String| Line::new().with(Role::Dim, format!("{number:>digits$} │ "));
        let first = numbered((from + at).to_string()).with(Role::Prose, " ".repeat(inner));
        let below = numbered(String::new()).with(Role::Prose, " ".repeat(inner));
        let shift = if look.width < 60 { 0 } else { 2 };
        let further = below.clone().with(Role::Prose, " ".repeat(shift + 2));
        let marked = below.clone().with(Role::Prose, " ".repeat(shift)).with(Role::Dim, "↳ ");
        let (code, comment) = match first.width() + line.width() <= look.width {
            true => (line, None),
            false => split_comment(line),
        };
        let is_empty = code.spans.is_empty();
        if comment.is_none() || !is_empty {
            text.append(wrap(&code, look.width, &first, &marked));
        }
        // Each line of a comment begins with #: without it the words would read as code.
        if let Some(comment) = comment {
            let sign = |line: &Line| line.clone().with(Role::Comment, "# ");
            let (first, rest) = if is_empty { (&first, &below) } else { (&marked, &further) };
            text.append(wrap(&comment, look.width, sign(first), sign(rest)));
        }
    }
    text
}

/// The code of a line, and the words of its comment.
fn split_comment(mut line: Line) -> (Line, Option<Line>) {
    let Some(last) = line.spans.pop_if(|span| span.role == Role::Comment) else { return (line, None) };
    if let Some(space) = line.spans.last_mut() {
        space.text.truncate(space.text.trim_end().len());
    }
    line.spans.pop_if(|span| span.text.is_empty());
    let words = last.text.trim_start_matches('#').trim_start();
    (line, Some(Line::new().with(Role::Comment, words)))
}

/// Columns of the line numbers.
fn digits(greatest: usize, look: Look) -> usize {
    let least = if look.width < 60 { 2 } else { 4 };
    greatest.to_string().len().max(least)
}

/// The lines of `source`, each token with its role. Strings are not broken when lines are wrapped.
pub(crate) fn highlighted(source: &str) -> Vec<Line> {
    let source = source.trim_end().replace('\t', "    ");
    let parsed = parse_unchecked(&source, Mode::Ipython);
    let mut lines = vec![Line::new()];
    let mut at = 0;
    let mut names_next = false;
    for token in parsed.tokens() {
        let (kind, range) = token.as_tuple();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        if start < at || end <= start || end > source.len() {
            continue;
        }
        push(&mut lines, Role::Code, &source[at..start]);
        let role = role(kind, names_next);
        push(&mut lines, role, &source[start..end]);
        names_next = matches!(kind, TokenKind::Def | TokenKind::Class);
        at = end;
    }
    push(&mut lines, Role::Code, &source[at..]);
    lines
}

/// The first line of `source`, highlighted.
pub(crate) fn first_line(source: &str) -> Line {
    highlighted(source).into_iter().next().expect("there is a line from the start")
}

/// Appends a token, which may end lines.
fn push(lines: &mut Vec<Line>, role: Role, source: &str) {
    for (at, part) in source.split('\n').enumerate() {
        if at > 0 {
            lines.push(Line::new());
        }
        let part = part.trim_end_matches('\r');
        let line = lines.last_mut().expect("there is a line from the start");
        if role == Role::Str && at == 0 { line.push(role, unbroken(part)) } else { line.push(role, part) }
    }
}

fn role(kind: TokenKind, names_next: bool) -> Role {
    match kind {
        TokenKind::Name if names_next => Role::Name,
        TokenKind::Name => Role::Code,
        TokenKind::Int | TokenKind::Float | TokenKind::Complex => Role::NumberLit,
        TokenKind::String
        | TokenKind::FStringStart
        | TokenKind::FStringMiddle
        | TokenKind::FStringEnd
        | TokenKind::TStringStart
        | TokenKind::TStringMiddle
        | TokenKind::TStringEnd => Role::Str,
        TokenKind::Comment => Role::Comment,
        TokenKind::IpyEscapeCommand => Role::Dim,
        kind if kind.is_non_soft_keyword() => Role::Keyword,
        _ => Role::Code,
    }
}
