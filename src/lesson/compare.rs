//! Compares a recorded output with the actual one: the same, close, or the lines that differ.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::machine_words::on_any_machine;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The same characters, apart from blanks at line ends.
    #[default]
    Same,
    /// The same words, and numbers within the tolerance.
    Close,
    /// Different times, devices or builds, and nothing else.
    Machine,
    /// Other differences.
    Differs,
    /// Nothing is recorded.
    Unrecorded,
}

impl Verdict {
    /// As `attn check --json` writes it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Close => "close",
            Verdict::Machine => "machine",
            Verdict::Differs => "differs",
            Verdict::Unrecorded => "unrecorded",
        }
    }
}

/// The verdict and, where it is not [`Verdict::Same`], the lines that differ.
#[derive(Clone, PartialEq)]
pub struct Comparison {
    pub verdict: Verdict,
    /// The differing lines in order.
    pub lines: Vec<LineDifference>,
    /// The largest difference between two numbers in the same place.
    pub worst: Option<f64>,
}

/// A line that differs between the two sides, or that only one side has.
#[derive(Clone, PartialEq)]
pub struct LineDifference {
    /// The line of the recorded output.
    pub recorded: Option<Side>,
    /// The line of the actual output.
    pub actual: Option<Side>,
}

/// One side of a differing line.
#[derive(Clone, PartialEq)]
pub struct Side {
    /// Its number, from 1.
    pub number: usize,
    pub text: String,
    /// The bytes to mark: the numbers that differ, or the part that differs.
    pub marks: Vec<Range<usize>>,
}

/// The default tolerance: one unit in the fourth decimal, the last that PyTorch prints, and a margin for its rounding.
pub const TOLERANCE: f64 = 1.5e-4;

/// Compares two outputs. `tolerance` is absolute for numbers up to 1 and relative above.
pub fn compare(recorded: Option<&str>, actual: &str, tolerance: f64) -> Comparison {
    let Some(recorded) = recorded else {
        return Comparison { verdict: Verdict::Unrecorded, lines: Vec::new(), worst: None };
    };
    let (old, new) = (tidy(recorded), tidy(actual));
    if old == new {
        return Comparison { verdict: Verdict::Same, lines: Vec::new(), worst: None };
    }
    let mut lines = Vec::new();
    let mut worst: Option<f64> = None;
    let mut close = true;
    for (o, n) in align(&old, &new) {
        let pair = (o.map(|i| old[i].as_str()), n.map(|i| new[i].as_str()));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        match pair {
            (Some(a), Some(b)) if a == b => continue,
            (Some(a), Some(b)) => {
                let found = compare_numbers(a, b, tolerance);
                close &= found.as_ref().is_some_and(|m| m.within);
                match found {
                    Some(found) => {
                        worst = worst.into_iter().chain(found.worst).reduce(f64::max);
                        (left, right) = (found.left, found.right);
                    }
                    None => {
                        left.push(differing_part(a, b));
                        right.push(differing_part(b, a));
                    }
                }
            }
            (a, b) => {
                close = false;
                left.extend(a.map(|a| 0..a.len()));
                right.extend(b.map(|b| 0..b.len()));
            }
        }
        let side = |at: Option<usize>, all: &[String], marks: Vec<Range<usize>>| {
            at.map(|i| cut(Side { number: i + 1, text: all[i].clone(), marks }))
        };
        lines.push(LineDifference { recorded: side(o, &old, left), actual: side(n, &new, right) });
    }
    // PyTorch wraps lines by their width: the same numbers may be on other lines.
    if !close && old.len() != new.len() {
        let found = compare_numbers(&squeeze(&old), &squeeze(&new), tolerance);
        close = found.is_some_and(|m| m.within);
    }
    Comparison { verdict: if close { Verdict::Close } else { Verdict::Differs }, lines, worst }
}

/// Compares as [`compare`], for a cell of a file, which may have run on another machine.
pub(crate) fn compare_output(recorded: Option<&str>, actual: &str, tolerance: f64) -> Comparison {
    let found = compare(recorded, actual, tolerance);
    let Some(recorded) = recorded.filter(|_| found.verdict == Verdict::Differs) else { return found };
    match compare(Some(&on_any_machine(recorded)), &on_any_machine(actual), tolerance).verdict {
        Verdict::Same | Verdict::Close => Comparison { verdict: Verdict::Machine, ..found },
        _ => found,
    }
}

/// The most bytes of a line that are shown, and those before what differs in it.
const SHOWN: (usize, usize) = (4000, 500);

/// A long line around the first place that differs.
fn cut(side: Side) -> Side {
    if side.text.len() <= SHOWN.0 {
        return side;
    }
    let first = side.marks.first().map_or(0, |mark| mark.start);
    let start = side.text.floor_char_boundary(first.saturating_sub(SHOWN.1));
    let end = side.text.floor_char_boundary(side.text.len().min(start + SHOWN.0));
    let before = if start > 0 { "…" } else { "" };
    let after = if end < side.text.len() { "…" } else { "" };
    let text = format!("{before}{}{after}", &side.text[start..end]);
    let place = |at: usize| at.clamp(start, end) - start + before.len();
    let marks = side.marks.iter().map(|mark| place(mark.start)..place(mark.end));
    Side { text, marks: marks.filter(|mark| !mark.is_empty()).collect(), ..side }
}

/// Compares as [`compare`], for a step of a lesson: a cell that shows nothing needs no recorded output.
pub fn compare_step(recorded: Option<&str>, actual: &str, tolerance: f64) -> Comparison {
    match recorded {
        None if actual.trim().is_empty() => compare(Some(""), "", tolerance),
        _ => compare(recorded, actual, tolerance),
    }
}

/// Lines without blanks at their ends, without blank lines at the end; `\r\n` as `\n`.
fn tidy(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(|l| l.trim_end().to_string()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn squeeze(lines: &[String]) -> String {
    lines.iter().flat_map(|l| l.split_whitespace()).collect::<Vec<_>>().join(" ")
}

/// Pairs lines of both sides by a longest common subsequence; lines between two anchors pair up in order.
fn align(old: &[String], new: &[String]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut anchors = Vec::new();
    if old.len() * new.len() > 4_000_000 {
        anchors.extend((0..old.len().min(new.len())).filter(|i| old[*i] == new[*i]).map(|i| (i, i)));
    } else {
        let width = new.len() + 1;
        let mut longest = vec![0u32; (old.len() + 1) * width];
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                longest[i * width + j] = if old[i] == new[j] {
                    longest[(i + 1) * width + j + 1] + 1
                } else {
                    longest[(i + 1) * width + j].max(longest[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < old.len() && j < new.len() {
            if old[i] == new[j] {
                anchors.push((i, j));
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (a, b) in anchors.into_iter().chain([(old.len(), new.len())]) {
        while i < a || j < b {
            pairs.push(((i < a).then_some(i), (j < b).then_some(j)));
            i += usize::from(i < a);
            j += usize::from(j < b);
        }
        if a < old.len() {
            pairs.push((Some(a), Some(b)));
        }
        (i, j) = (a + 1, b + 1);
    }
    pairs
}

struct NumberDifferences {
    within: bool,
    worst: Option<f64>,
    left: Vec<Range<usize>>,
    right: Vec<Range<usize>>,
}

/// The numbers of two lines compared; `None` if the words between them differ.
fn compare_numbers(a: &str, b: &str, tolerance: f64) -> Option<NumberDifferences> {
    let (xs, ys) = (numbers(a), numbers(b));
    if xs.len() != ys.len() || between(a, &xs) != between(b, &ys) {
        return None;
    }
    let mut found = NumberDifferences { within: true, worst: None, left: Vec::new(), right: Vec::new() };
    for (x, y) in xs.into_iter().zip(ys) {
        let (s, t) = (&a[x.clone()], &b[y.clone()]);
        if s == t {
            continue;
        }
        let is_address = s.starts_with("0x") && t.starts_with("0x");
        if !is_address {
            match (value(s), value(t)) {
                (Some(p), Some(q)) if p == q || p.is_nan() && q.is_nan() => {}
                (Some(p), Some(q)) => {
                    let apart = (p - q).abs();
                    found.worst = Some(found.worst.unwrap_or(0.0).max(apart));
                    found.within &= apart.is_finite() && apart <= tolerance * p.abs().max(q.abs()).max(1.0);
                }
                _ => found.within = false,
            }
        }
        found.left.push(x);
        found.right.push(y);
    }
    Some(found)
}

fn value(text: &str) -> Option<f64> {
    text.strip_suffix('.').unwrap_or(text).parse().ok()
}

/// The text between numbers without blanks, because PyTorch pads numbers to one width.
fn between(line: &str, numbers: &[Range<usize>]) -> Vec<String> {
    let ends = numbers.iter().map(|n| n.start).chain([line.len()]);
    let starts = [0].into_iter().chain(numbers.iter().map(|n| n.end));
    starts.zip(ends).map(|(s, e)| line[s..e].split_whitespace().collect()).collect()
}

/// The places of the numbers in a line: decimals with sign and exponent, nan, inf, addresses.
/// Digits inside a name (`MmBackward0`, `attn_scores_2`) are not numbers.
fn numbers(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let in_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let after_name = at > 0 && in_name(bytes[at - 1]);
        let length = if after_name { 0 } else { number_length(&line[at..]) };
        if length > 0 && !bytes.get(at + length).copied().is_some_and(in_name) {
            found.push(at..at + length);
            at += length;
        } else {
            at += line[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

fn number_length(rest: &str) -> usize {
    let digits = |from: usize, hex: bool| {
        let is = |b: &u8| {
            if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() }
        };
        rest.as_bytes()[from..].iter().take_while(|b| is(b)).count()
    };
    let sign = usize::from(rest.starts_with(['-', '+']));
    if rest[sign..].starts_with("nan") || rest[sign..].starts_with("inf") {
        return sign + 3;
    }
    if rest.starts_with("0x") {
        return 2 + digits(2, true);
    }
    let mut end = sign + digits(sign, false);
    let whole = end - sign;
    let mut fraction = 0;
    if rest[end..].starts_with('.') {
        fraction = digits(end + 1, false);
        if whole + fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return 0;
    }
    if rest[end..].starts_with(['e', 'E']) {
        let signed = usize::from(rest[end + 1..].starts_with(['-', '+']));
        let power = digits(end + 1 + signed, false);
        if power > 0 {
            end += 1 + signed + power;
        }
    }
    end
}

/// The part of `a` between the start and the end that it shares with `b`.
fn differing_part(a: &str, b: &str) -> Range<usize> {
    let start: usize = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let (a_rest, b_rest) = (&a[start..], &b[start..]);
    let end: usize = a_rest
        .chars()
        .rev()
        .zip(b_rest.chars().rev())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    start..a.len() - end
}
