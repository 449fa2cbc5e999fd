//! Line wrapping of styled text: spans keep their roles across breaks.
//! Source: line breaking by textwrap; its optimal fit follows Knuth and Plass.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::Regex;
use textwrap::core::Fragment;
use textwrap::wrap_algorithms::{Penalties, wrap_first_fit, wrap_optimal_fit};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Span, Text};

/// A word to wrap: its spans, and the spaces after it.
#[derive(Debug)]
struct StyledWord {
    spans: Vec<Span>,
    width: usize,
    space: String,
}

impl StyledWord {
    fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Appends a word after a space at which no line is broken.
    fn take(&mut self, word: StyledWord) {
        let role = self.spans.last().map_or(Role::Prose, |span| span.role);
        self.spans.push(Span::new(role, NO_BREAK_SPACE.to_string()));
        self.spans.extend(word.spans);
        self.width += 1 + word.width;
        self.space = word.space;
    }
}

impl Fragment for StyledWord {
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

/// `line` wrapped to `width` columns, as many words on each line as fit: for code and for printed text. The first line
/// starts with `first`, the others with `rest`, each a line or a number of spaces. A word wider than a line is broken after punctuation if possible;
/// addresses stay whole.
pub(crate) fn wrap(
    line: impl Into<Line>,
    width: usize,
    first: impl Into<Line>,
    rest: impl Into<Line>,
) -> Text {
    let (first, rest) = (first.into(), rest.into());
    let widths = [&first, &rest].map(|prefix| width.saturating_sub(prefix.width()).max(8));
    let words = words(&line.into(), widths[0].min(widths[1]));
    joined(&wrap_first_fit(&words, &widths.map(|width| width as f64)), &first, &rest)
}

/// As [`wrap`], with lines as equal in width as possible: for sentences.
pub(crate) fn wrap_evenly(line: &Line, width: usize, first: &Line, rest: &Line) -> Text {
    let widths = [first, rest].map(|prefix| width.saturating_sub(prefix.width()).max(8));
    let least = widths[0].min(widths[1]);
    let words = with_formulas(words(line, least), (least / 3).clamp(12, 24));
    let widths = widths.map(|width| width as f64);
    let rows = wrap_optimal_fit(&words, &widths, &Penalties::new())
        .expect("widths of a screen do not overflow the squares in the penalties");
    joined(&rows, first, rest)
}

/// `line` as a paragraph of running text.
pub(crate) fn paragraph(line: impl Into<Line>, look: Look) -> Text {
    wrap_evenly(&line.into(), look.text_width(), &Line::new(), &Line::new())
}

/// A remark of attn: a dim paragraph.
pub(crate) fn remark(words: &str, look: Look) -> Text {
    paragraph((Role::Dim, words), look)
}

/// The rows as lines, after `first` and `rest`.
fn joined(rows: &[&[StyledWord]], first: &Line, rest: &Line) -> Text {
    let mut text = Text::new();
    for (at, row) in rows.iter().enumerate() {
        let mut out = if at == 0 { first } else { rest }.clone();
        for (i, word) in row.iter().enumerate() {
            for span in &word.spans {
                out.push(span.role, span.text.replace(NO_BREAK_SPACE, " "));
            }
            if let Some(next) = row.get(i + 1) {
                // A space between spans of one role has it too, so that an underline is not interrupted.
                let next = next.spans.first().map(|s| s.role);
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

/// The words of a line; one wider than `width` is broken in parts.
fn words(line: &Line, width: usize) -> Vec<StyledWord> {
    let mut words: Vec<StyledWord> = Vec::new();
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
                    _ => words.push(StyledWord {
                        width: part.width(),
                        spans: vec![part],
                        space: String::new(),
                    }),
                }
                open = true;
            }
            if spaces > 0 {
                match words.last_mut() {
                    Some(word) => word.space.push_str(&" ".repeat(spaces)),
                    None => words.push(StyledWord { spans: Vec::new(), width: 0, space: " ".repeat(spaces) }),
                }
                open = false;
            }
        }
    }
    words
        .into_iter()
        .flat_map(|word| match word.width > width && !is_address(&word) {
            true => broken(word, width),
            false => vec![word],
        })
        .collect()
}

/// The words with short formulas and shapes in running text as one word each: `1 - p`, `(6, 3)`, at most `most` columns wide.
/// In a longer formula a line ends before an operator.
fn with_formulas(words: Vec<StyledWord>, most: usize) -> Vec<StyledWord> {
    let mut kept: Vec<StyledWord> = Vec::new();
    let mut rest = words.into_iter().peekable();
    while let Some(word) = rest.next() {
        let right = word.text();
        // An operator stands with what follows it, and with what is before it if all of it fits.
        let following = match (is_operator(&right), rest.peek()) {
            (true, Some(next)) => 1 + next.width,
            _ => 0,
        };
        let joins = kept.last().is_some_and(|before| {
            let left = before.text();
            let last = left.rsplit(NO_BREAK_SPACE).next().unwrap_or_default();
            let opened = left.rfind('(').is_some_and(|at| !left[at..].contains(')'));
            let number = right.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let fits = before.width + 1 + word.width + following <= most && before.space == " ";
            let in_shape = opened && left.ends_with(',') && number;
            fits && (in_shape || is_operator(last) || is_operator(&right) && following > 0)
        });
        match kept.last_mut() {
            Some(before) if joins => before.take(word),
            _ => kept.push(word),
        }
    }
    kept
}

fn is_operator(word: &str) -> bool {
    matches!(word, "-" | "+" | "·" | "×" | "@" | "=" | "/" | "<" | ">" | "≈" | "->")
}

fn is_address(word: &StyledWord) -> bool {
    word.spans.iter().any(|s| s.text.contains("://"))
}

/// Bytes of the longest letter that takes a column, with its marks.
const LONGEST_LETTER: usize = 32;
/// Columns after a cut that decide whether it is one.
const AHEAD: usize = 8;

/// A word in parts of at most `width` columns, broken after a no-break space or punctuation if possible.
fn broken(word: StyledWord, width: usize) -> Vec<StyledWord> {
    let text: String = word.spans.iter().map(|span| span.text.as_str()).collect();
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let rest = &text[start..];
        // A long rest does not fit, and is not measured for each of its parts.
        let fits = rest.len() <= LONGEST_LETTER * width && rest.width() <= width;
        let cut = if fits { rest.len() } else { break_at(rest, width) };
        let spans = part_of(&word.spans, start, start + cut).spans;
        start += cut;
        let space = if start == text.len() { word.space.clone() } else { String::new() };
        parts.push(StyledWord { width: spans.iter().map(Span::width).sum(), spans, space });
    }
    parts
}

/// The spans between two places of their text.
pub(crate) fn part_of(spans: &[Span], from: usize, to: usize) -> Line {
    let (mut part, mut at) = (Line::new(), 0);
    for span in spans {
        let end = at + span.text.len();
        let (first, last) = (from.max(at), to.min(end));
        if first < last {
            part.push(span.role, &span.text[first - at..last - at]);
        }
        at = end;
    }
    part
}

/// A number, inside of which no line is broken: `0.3061`, `1,024`, `2e-05`, `-7`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"-?(?:\d{1,3}(?:,\d{3})+\b|\d+)?\.?\d*(?:[eE][-+]?\d+)?";
    Regex::new(number).expect("it is a regular expression")
});

/// Where to cut `text` so that the part before takes at most `most` columns, at least one letter: after a no-break space or
/// punctuation, unless that leaves the line two thirds empty; inside a name or number only if it is wider than the line.
fn break_at(text: &str, most: usize) -> usize {
    let mut columns = 0;
    let near = |&(_, letter): &(usize, char)| {
        let near = columns <= most + AHEAD;
        columns += letter.width().unwrap_or(0);
        near
    };
    let letters: Vec<(usize, char)> = text.char_indices().take_while(near).collect();
    let seen = &text[..letters.last().map_or(0, |(at, last)| at + last.len_utf8())];
    let numbers: Vec<Range<usize>> = NUMBER.find_iter(seen).map(|number| number.range()).collect();
    let mut any = letters.first().map_or(0, |(_, first)| first.len_utf8());
    let (mut width, mut part, mut hard, mut soft) = (0, 0, 0, 0);
    for (place, &(at, c)) in letters.iter().enumerate() {
        width += c.width().unwrap_or(0);
        if width > most {
            break;
        }
        let end = at + c.len_utf8();
        any = end;
        if numbers.iter().any(|number| number.start < end && end < number.end) {
            continue;
        }
        if c == '_' {
            part = end;
        }
        if splits_name(&letters, place) {
            continue;
        }
        hard = end;
        if c == NO_BREAK_SPACE || ",.;:()[]{}/=-+*@".contains(c) {
            soft = hard;
        }
    }
    match () {
        () if hard == 0 && part > 0 => part,
        () if hard == 0 => any,
        () if soft * 3 >= hard => soft,
        () => hard,
    }
}

/// Whether a cut after the letter at `place` would be inside a name or part it from its quotes, or would begin the next
/// line with a sign that closes: `context_|vec`, `"|mask`, `dim=-1|)`.
fn splits_name(letters: &[(usize, char)], place: usize) -> bool {
    let Some((_, next)) = letters.get(place + 1) else { return false };
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_\"'`".contains(c);
    in_name(letters[place].1) && in_name(*next) || ",;:)]}>".contains(*next) && *next != letters[place].1
}
