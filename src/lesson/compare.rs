//! Compares a recorded output with the actual one: the same, close, or different.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use serde::{Deserialize, Serialize};

use super::machine_words::on_any_machine;

/// The result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// The verdict and how far apart the numbers are.
#[derive(Clone, PartialEq)]
pub struct Comparison {
    pub verdict: Verdict,
    /// The largest difference between two numbers in the same place.
    pub worst: Option<f64>,
}

/// The default tolerance: one unit in the fourth decimal, the last that PyTorch prints, and a margin for its rounding.
pub const TOLERANCE: f64 = 1.5e-4;

/// Compares two outputs. `tolerance` is absolute for numbers up to 1 and relative above.
pub fn compare(recorded: Option<&str>, actual: &str, tolerance: f64) -> Comparison {
    let Some(recorded) = recorded else { return Comparison { verdict: Verdict::Unrecorded, worst: None } };
    let (old, new) = (tidy(recorded), tidy(actual));
    if old == new {
        return Comparison { verdict: Verdict::Same, worst: None };
    }
    let mut worst: Option<f64> = None;
    let mut close = true;
    let differing =
        pairs(&old, &new).into_iter().filter(|(o, n)| o.map(|at| &old[at]) != n.map(|at| &new[at]));
    for (o, n) in differing {
        let found = o.zip(n).and_then(|(o, n)| compare_numbers(&old[o], &new[n], tolerance));
        close &= found.as_ref().is_some_and(|it| it.within);
        worst = worst.into_iter().chain(found.and_then(|it| it.worst)).reduce(f64::max);
    }
    // PyTorch wraps lines by their width: the same numbers may be on other lines.
    if !close && old.len() != new.len() {
        let found = compare_numbers(&squeeze(&old), &squeeze(&new), tolerance);
        close = found.is_some_and(|m| m.within);
    }
    Comparison { verdict: if close { Verdict::Close } else { Verdict::Differs }, worst }
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

/// The lines of both outputs in pairs, by their indices: equal lines are matched, changed lines between them are paired in
/// order.
pub fn pairs<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = Vec::new();
    let (mut removed, mut added) = (0, 0);
    for (at, to) in common_lines(old, new).into_iter().chain([(old.len(), new.len())]) {
        while removed < at || added < to {
            pairs.push(((removed < at).then_some(removed), (added < to).then_some(added)));
            removed = at.min(removed + 1);
            added = to.min(added + 1);
        }
        pairs.extend((at < old.len()).then_some((Some(at), Some(to))));
        (removed, added) = (at + 1, to + 1);
    }
    pairs
}

/// The places of the longest common subsequence of lines. Of parts that differ in millions of pairs, no line is matched.
fn common_lines<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..], &new[head..]);
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - tail], &b[..b.len() - tail]);
    let mut common: Vec<_> = (0..head).map(|at| (at, at)).collect();
    if a.len() * b.len() <= 4_000_000 {
        // How many lines the parts from each pair of places have in common.
        let wide = b.len() + 1;
        let mut lengths = vec![0_u32; (a.len() + 1) * wide];
        for at in (0..a.len()).rev() {
            for to in (0..b.len()).rev() {
                lengths[at * wide + to] = match a[at] == b[to] {
                    true => lengths[(at + 1) * wide + to + 1] + 1,
                    false => lengths[(at + 1) * wide + to].max(lengths[at * wide + to + 1]),
                };
            }
        }
        let (mut at, mut to) = (0, 0);
        while at < a.len() && to < b.len() {
            if a[at] == b[to] {
                common.push((head + at, head + to));
                (at, to) = (at + 1, to + 1);
            } else if lengths[(at + 1) * wide + to] >= lengths[at * wide + to + 1] {
                at += 1;
            } else {
                to += 1;
            }
        }
    }
    common.extend((0..tail).rev().map(|left| (old.len() - 1 - left, new.len() - 1 - left)));
    common
}

struct NumberDifferences {
    within: bool,
    worst: Option<f64>,
}

/// The numbers of two lines compared; `None` if the words between them differ.
fn compare_numbers(a: &str, b: &str, tolerance: f64) -> Option<NumberDifferences> {
    let (xs, ys) = (numbers(a), numbers(b));
    if xs.len() != ys.len() || between(a, &xs) != between(b, &ys) {
        return None;
    }
    let mut found = NumberDifferences { within: true, worst: None };
    for (x, y) in xs.into_iter().zip(ys) {
        let (s, t) = (&a[x], &b[y]);
        let is_address = s.starts_with("0x") && t.starts_with("0x");
        if s == t || is_address {
            continue;
        }
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
    static NUMBER_OR_NAME: LazyLock<Regex> = LazyLock::new(|| {
        let number = r"0x[0-9a-fA-F]+|nan|inf|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?";
        Regex::new(&format!(r"({number})|(?:\w|[^\x00-\x7F])+")).expect("it is a regular expression")
    });
    let in_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || !letter.is_ascii();
    let number = |found: Captures| {
        let number = found.get(1).filter(|number| !line[number.end()..].starts_with(in_name))?;
        let before = &line[..number.start()];
        // A minus after a name or a number is an operator.
        let signed = before.strip_suffix(['-', '+']).is_some_and(|before| !before.ends_with(in_name));
        Some(number.start() - usize::from(signed)..number.end())
    };
    NUMBER_OR_NAME.captures_iter(line).filter_map(number).collect()
}
