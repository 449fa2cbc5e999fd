//! The report of `attn check`: outputs that differ from the recorded ones, with the differences marked.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::lesson::compare::{Verdict, pairs};
use crate::view::text::{Line, Look, Role, Text, verdict};
use crate::view::wrap::{self, wrap};

/// A cell that was run again.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckedCell {
    /// Its name: "stepN scores-loops", "cell 4".
    pub title: String,
    /// The line of its file at which it begins.
    pub line: Option<usize>,
    /// How the outputs compare.
    pub verdict: Verdict,
    pub recorded: String,
    /// The output of this run.
    pub actual: String,
    /// Why the outputs may differ, or what to try.
    pub remark: Option<String>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckedFile {
    pub file: String,
    pub cells: Vec<CheckedCell>,
    /// Other faults of the file, with their lines.
    pub faults: Vec<String>,
    /// What was checked in a file that has no cells: "all 45 terms".
    pub instead: Option<String>,
    /// A hint after the count: "random dropout: try --random mkl".
    pub hint: Option<String>,
}

impl CheckedFile {
    fn count(&self, verdict: Verdict) -> usize {
        self.cells.iter().filter(|c| c.verdict == verdict).count()
    }

    /// Whether no output differs and the file has no fault.
    pub(crate) fn is_good(&self) -> bool {
        self.count(Verdict::Differs) == 0 && self.faults.is_empty()
    }

    /// "34 of 35 cells as recorded, 1 differs".
    pub(crate) fn verdict(&self) -> String {
        let unrecorded = self.count(Verdict::Unrecorded);
        let all = self.cells.len() - unrecorded;
        let (close, machine) = (self.count(Verdict::Close), self.count(Verdict::Machine));
        let same = self.count(Verdict::Same) + machine;
        let mut words = match (all, &self.instead) {
            (0, Some(instead)) => instead.clone(),
            (0, None) => "nothing recorded to compare with".to_string(),
            (1, _) if same + close == 1 => "1 cell as recorded".to_string(),
            (_, _) if same + close == all => format!("all {all} cells as recorded"),
            _ => format!("{} of {all} cells as recorded", same + close),
        };
        if close > 0 {
            words.push_str(&format!(", {close} of them within tolerance"));
        }
        if machine > 0 {
            words.push_str(&format!(", {machine} of them but for times, devices or builds"));
        }
        for (count, one, more) in
            [(self.count(Verdict::Differs), "differs", "differ"), (self.faults.len(), "fault", "faults")]
        {
            if count > 0 {
                words.push_str(&format!(", {count} {}", if count == 1 { one } else { more }));
            }
        }
        words
    }
}

/// The differing cells of every file, and one line for each file at the end.
pub fn report(files: &[CheckedFile], look: Look) -> Text {
    let mut text = Text::new();
    for file in files {
        for cell in file.cells.iter().filter(|c| c.verdict == Verdict::Differs) {
            text.section(difference(&file.file, cell, look));
        }
    }
    text.gap();
    for file in files {
        text.append(summary(file, look));
    }
    text
}

/// The verdict on a file, and its faults.
pub(crate) fn summary(file: &CheckedFile, look: Look) -> Text {
    let is_good = file.is_good();
    let mut line = verdict(is_good, if is_good { "good: " } else { "not good: " }, look);
    line.push(Role::Name, &file.file);
    line.push(Role::Prose, format!(": {}", file.verdict()));
    if let Some(hint) = &file.hint {
        line.push(Role::Prose, format!(" ({hint})"));
    }
    let mut text = wrap(&line, look.width, 0, 2);
    for fault in &file.faults {
        text.append(wrap((Role::Prose, fault), look.width, 2, 4));
    }
    text
}

/// The recorded and the actual output of a cell as a diff.
pub fn difference(file: &str, cell: &CheckedCell, look: Look) -> Text {
    let place = match cell.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_string(),
    };
    let head = Line::new().with(Role::Title, &cell.title).with(Role::Dim, format!("   {place}"));
    let head = if look.plain {
        Line::new().with(Role::Prose, format!("{}, {place}, differs", cell.title))
    } else {
        head
    };
    let mut text = wrap(&head, look.width, 0, 2);
    let (pairs, left_out) = excerpt(&cell.recorded, &cell.actual);
    match look.plain {
        true => text.append(differences_in_words(cell, &pairs)),
        false => text.append(stacked(&pairs, look)),
    }
    if left_out > 0 {
        let lines = if left_out == 1 { "line differs" } else { "lines differ" };
        text.say(Role::Dim, format!("… {left_out} more {lines}; --json has all of them"));
    }
    if let Some(remark) = &cell.remark {
        text.append(wrap::remark(remark, look));
    }
    text
}

/// A recorded line and the actual one in its place; either may be missing.
type LinePair<'a> = (Option<Cow<'a, str>>, Option<Cow<'a, str>>);

/// The most differing lines that a report shows.
const MOST_LINES: usize = 500;
/// Characters of a line from which only a part is shown, and characters before the first difference that are.
const LONG: usize = 4_000;
const BEFORE: usize = 200;

/// The pairs of lines up to the last that is shown, their long lines cut, and how many pairs more differ.
fn excerpt<'a>(recorded: &'a str, actual: &'a str) -> (Vec<LinePair<'a>>, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) = (recorded.lines().collect(), actual.lines().collect());
    let pair = |(o, n): (Option<usize>, Option<usize>)| {
        (o.map(|at| Cow::Borrowed(old[at])), n.map(|at| Cow::Borrowed(new[at])))
    };
    let mut pairs: Vec<LinePair> = pairs(&old, &new).into_iter().map(pair).collect();
    let mut differing = (0..pairs.len()).filter(|&at| pairs[at].0 != pairs[at].1).skip(MOST_LINES);
    let (cut, left_out) = differing.next().map_or((pairs.len(), 0), |first| (first, 1 + differing.count()));
    pairs.truncate(cut);
    for (a, b) in &mut pairs {
        let is_long = |line: &Option<Cow<str>>| line.as_ref().is_some_and(|line| line.len() > LONG);
        if !is_long(a) && !is_long(b) {
            continue;
        }
        let same = match (&a, &b) {
            (Some(a), Some(b)) => a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count(),
            _ => 0,
        };
        for line in [a, b].into_iter().flatten() {
            *line = Cow::Owned(part_of(line, same.saturating_sub(BEFORE)));
        }
    }
    (pairs, left_out)
}

/// A part of a long line, with what is left out marked at both ends.
fn part_of(line: &str, from: usize) -> String {
    let part: String = line.chars().skip(from).take(LONG).collect();
    let before = if from > 0 { format!("… {from} characters, then: ") } else { String::new() };
    match line.chars().count().saturating_sub(from + LONG) {
        0 => format!("{before}{part}"),
        after => format!("{before}{part} … and {after} characters"),
    }
}

/// A line as numbers and words, spaces, and single other characters.
fn pieces(line: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || "._+-".contains(c) => 1,
        ' ' => 2,
        _ => 0,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in line.char_indices() {
        let now = class(c);
        if at > start && (Some(now) != last || now == 0) {
            pieces.push(&line[start..at]);
            start = at;
        }
        last = Some(now);
    }
    if start < line.len() {
        pieces.push(&line[start..]);
    }
    pieces
}

/// A line in which the pieces that differ from the other line are marked.
fn marked(line: &str, other: Option<&str>) -> Line {
    let mut out = Line::new();
    let Some(other) = other else { return out.with(Role::Differs, line) };
    let others = pieces(other);
    let mine = pieces(line);
    // Where the pieces cannot be paired, all but the common start and the common end is marked.
    let paired = mine.len() == others.len();
    let head = mine.iter().zip(&others).take_while(|(a, b)| a == b).count();
    let ends = mine[head..].iter().rev().zip(others[head..].iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    for (at, piece) in mine.iter().enumerate() {
        let at_end = at < head || at >= mine.len() - tail;
        let same = at_end || paired && *piece == others[at] || piece.trim().is_empty();
        out.push(if same { Role::Output } else { Role::Differs }, *piece);
    }
    out
}

/// The pairs that are shown: those that differ, with one line before and after; `None` where others are left out.
fn near(pairs: &[LinePair]) -> Vec<Option<usize>> {
    let differs = |at: usize| pairs.get(at).is_some_and(|(a, b)| a != b);
    let wanted = |at: usize| differs(at) || differs(at + 1) || (at > 0 && differs(at - 1));
    // A single line takes no more space than the sign that it is left out.
    let alone = |at: usize| (at == 0 || wanted(at - 1)) && (at + 1 == pairs.len() || wanted(at + 1));
    let mut rows: Vec<Option<usize>> =
        (0..pairs.len()).map(|at| (wanted(at) || alone(at)).then_some(at)).collect();
    rows.dedup();
    rows
}

/// `^^^` under the marked pieces, if they have no colour.
fn carets(line: &Line, look: Look) -> Line {
    let mut under = Line::new();
    if look.coloured() {
        return under;
    }
    for span in &line.spans {
        let sign = if span.role == Role::Differs { "^" } else { " " };
        under.push(span.role, sign.repeat(span.width()));
    }
    if under.text().trim().is_empty() { Line::new() } else { under }
}

/// A diff: `-` before recorded lines, `+` before actual ones.
fn stacked(pairs: &[LinePair], look: Look) -> Text {
    let mut text = Text::new();
    let mut key = Line::new().with(Role::Bad, "-").with(Role::Dim, " recorded   ");
    key.push(Role::Good, "+");
    key.push(Role::Dim, " now");
    text.line(key);
    let same = Line::spaces(2);
    let old = Line::new().with(Role::Bad, "- ");
    let new = Line::new().with(Role::Good, "+ ");
    for at in near(pairs) {
        let Some(at) = at else {
            text.say(Role::Dim, "  …");
            continue;
        };
        match (pairs[at].0.as_deref(), pairs[at].1.as_deref()) {
            (Some(a), Some(b)) if a == b => text.append(parts(&marked(a, Some(b)), &same, look)),
            (a, b) => {
                for (sign, line, other) in [(&old, a, b), (&new, b, a)] {
                    if let Some(line) = line {
                        text.append(parts(&marked(line, other), sign, look));
                    }
                }
            }
        }
    }
    text
}

/// A line wrapped to the width, with carets under each part.
fn parts(line: &Line, sign: &Line, look: Look) -> Text {
    let indent = line.text().len() - line.text().trim_start().len();
    let stripped = wrap::part_of(&line.spans, indent, usize::MAX);
    let indent = " ".repeat(indent.min(look.width / 3));
    let first = sign.clone().with(Role::Prose, &indent);
    let mut text = Text::new();
    for part in wrap(stripped, look.width, &first, (Role::Dim, format!("  {indent}↳ "))).lines {
        let under = carets(&part, look);
        text.line(part);
        if !under.spans.is_empty() {
            text.line(under);
        }
    }
    text
}

/// The differences for `--plain`, one on each line.
fn differences_in_words(cell: &CheckedCell, pairs: &[LinePair]) -> Text {
    let mut text = Text::new();
    let (mut old, mut new) = (0, 0);
    for (a, b) in pairs {
        old += usize::from(a.is_some());
        new += usize::from(b.is_some());
        match (a, b) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let (from, to) = (pieces(a), pieces(b));
                if from.len() == to.len() {
                    let changed = from
                        .iter()
                        .zip(&to)
                        .filter(|(a, b)| a != b && !(a.trim().is_empty() && b.trim().is_empty()));
                    for (a, b) in changed {
                        text.say(Role::Prose, format!("line {new}: recorded {a}, now {b}"));
                    }
                } else {
                    text.say(Role::Prose, format!("line {old} recorded: {a}"));
                    text.say(Role::Prose, format!("line {new} now: {b}"));
                }
            }
            (Some(a), None) => text.say(Role::Prose, format!("line {old} recorded: {a}, now missing")),
            (None, Some(b)) => text.say(Role::Prose, format!("line {new} now: {b}, not recorded")),
            (None, None) => {}
        }
    }
    if text.is_empty() && cell.recorded != cell.actual {
        text.say(Role::Prose, "only spaces or the ends of lines differ");
    }
    text
}
