//! Breaking a styled line into lines that fit.
//! Spans keep their meaning across breaks.
//! Source: textwrap's line breaking over fragments of our own (optimal fit, after Knuth and Plass).

use textwrap::core::Fragment;
use textwrap::wrap_algorithms::{Penalties, wrap_first_fit, wrap_optimal_fit};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::view::text::{Line, Role, Span, Text};

/// A character that stands for a space at which no line may break; never shown.
pub const GLUE: char = '\u{E000}';

/// A word: spans without a break between them, and the spaces after it.
#[derive(Debug)]
struct Word {
    spans: Vec<Span>,
    width: usize,
    space: String,
}

impl Fragment for Word {
    fn width(&self) -> f64 {
        self.width as f64
    }
    fn whitespace_width(&self) -> f64 {
        self.space.len() as f64
    }
    fn penalty_width(&self) -> f64 {
        0.0
    }
}

/// How lines are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// As much on each line as fits: for code and for what was printed.
    First,
    /// Lines as even as they can be: for sentences.
    Even,
}

/// `line` broken to at most `width` columns: the first line starts with `first`, the others with
/// `rest`. Words that fit on no line are broken after punctuation, or where they must; addresses stay whole.
pub fn wrap(line: &Line, width: usize, first: &Line, rest: &Line, fit: Fit) -> Text {
    let room = |prefix: &Line| width.saturating_sub(prefix.width()).max(8);
    let rooms = [room(first) as f64, room(rest) as f64];
    let words = words(line, room(first).min(room(rest)));
    let rows: Vec<&[Word]> = match fit {
        Fit::First => wrap_first_fit(&words, &rooms),
        Fit::Even => wrap_optimal_fit(&words, &rooms, &Penalties::new())
            .unwrap_or_else(|_| wrap_first_fit(&words, &rooms)),
    };
    let mut text = Text::new();
    for (at, row) in rows.iter().enumerate() {
        let mut out = if at == 0 { first } else { rest }.clone();
        for (i, word) in row.iter().enumerate() {
            for span in &word.spans {
                out.push(span.role, span.text.replace(GLUE, " "));
            }
            if i + 1 < row.len() {
                // A space inside one meaning keeps it, so that underlines and the like run through.
                let next = row[i + 1].spans.first().map(|s| s.role);
                let role = match word.spans.last().map(|s| s.role) {
                    Some(role) if Some(role) == next => role,
                    _ => Role::Prose,
                };
                out.push(role, word.space.clone());
            }
        }
        text.line(out);
    }
    if text.is_empty() {
        text.line(first.clone());
    }
    text
}

/// The words of a line, none wider than `room` where it can be helped.
fn words(line: &Line, room: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for span in &line.spans {
        for piece in span.text.split_inclusive(' ') {
            let text = piece.trim_end_matches(' ');
            let spaces = piece.len() - text.len();
            if !text.is_empty() {
                let part = Span::new(span.role, text);
                match words.last_mut() {
                    Some(word) if open => {
                        word.width += part.width();
                        word.spans.push(part);
                    }
                    _ => words.push(Word { width: part.width(), spans: vec![part], space: String::new() }),
                }
                open = true;
            }
            if spaces > 0 {
                match words.last_mut() {
                    Some(word) => word.space.push_str(&" ".repeat(spaces)),
                    None => words.push(Word { spans: Vec::new(), width: 0, space: " ".repeat(spaces) }),
                }
                open = false;
            }
        }
    }
    words
        .into_iter()
        .flat_map(|word| match word.width > room && !is_address(&word) {
            true => broken(word, room),
            false => vec![word],
        })
        .collect()
}

fn is_address(word: &Word) -> bool {
    word.spans.iter().any(|s| s.text.contains("://"))
}

/// A word too wide for any line, in parts: after glue or punctuation where there is some, else anywhere.
fn broken(word: Word, room: usize) -> Vec<Word> {
    let mut parts = Vec::new();
    let mut line = Line::new();
    for span in &word.spans {
        let mut rest = span.text.as_str();
        while !rest.is_empty() {
            let space_left = room.saturating_sub(line.width());
            if rest.width() <= space_left {
                line.push(span.role, rest);
                break;
            }
            let cut = break_at(rest, space_left);
            if cut == 0 && line.spans.is_empty() {
                let first = rest.chars().next().map_or(rest.len(), char::len_utf8);
                line.push(span.role, &rest[..first]);
                rest = &rest[first..];
                continue;
            }
            line.push(span.role, &rest[..cut]);
            rest = &rest[cut..];
            parts.push(std::mem::take(&mut line));
        }
    }
    parts.push(line);
    let last = parts.len() - 1;
    let part = |(at, line): (usize, Line)| Word {
        width: line.width(),
        spans: line.spans,
        space: if at == last { word.space.clone() } else { String::new() },
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Where to cut `text` so that its start takes at most `room` columns.
fn break_at(text: &str, room: usize) -> usize {
    let (mut width, mut hard, mut soft) = (0, 0, 0);
    for (at, c) in text.char_indices() {
        width += c.width().unwrap_or(0);
        if width > room {
            break;
        }
        hard = at + c.len_utf8();
        if c == GLUE || ",.;:()[]{}/=_-+*@".contains(c) {
            soft = hard;
        }
    }
    if soft * 3 >= hard { soft } else { hard }
}
