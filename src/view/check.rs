//! `attn check`: what came out beside what was recorded, and where they part.
//! The verdicts are given; only the places that differ are found here, to be marked.

use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::{paragraph, wrap};

/// What became of one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// To the character.
    #[default]
    Same,
    /// Within the tolerance.
    Close,
    /// Otherwise.
    Differs,
    /// There is nothing to compare with.
    Unrecorded,
}

/// A cell that was run again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckedCell {
    /// Which: "step12 attention-weights", "cell 4".
    pub title: String,
    /// Where it begins in its file.
    pub line: Option<usize>,
    /// What became of it.
    pub verdict: Verdict,
    /// The output that is on record.
    pub recorded: String,
    /// The output that came now.
    pub actual: String,
    /// Why it may differ, or what to try.
    pub remark: Option<String>,
}

/// A file that was checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckedFile {
    /// Its name.
    pub file: String,
    /// Its cells, in order.
    pub cells: Vec<CheckedCell>,
    /// What is wrong with the file besides its outputs, each with its line if it has one.
    pub faults: Vec<String>,
    /// What it has, where it has no cells: "all 45 terms".
    pub instead: Option<String>,
    /// What to say after the count: "random dropout: try --random mkl".
    pub hint: Option<String>,
}

impl CheckedFile {
    fn count(&self, verdict: Verdict) -> usize {
        self.cells.iter().filter(|c| c.verdict == verdict).count()
    }

    /// Whether everything came out as recorded.
    pub fn holds(&self) -> bool {
        self.count(Verdict::Differs) == 0 && self.faults.is_empty()
    }

    /// "34 of 35 cells as recorded, 1 differs".
    pub fn verdict(&self) -> String {
        let unrecorded = self.count(Verdict::Unrecorded);
        let all = self.cells.len() - unrecorded;
        let (same, close) = (self.count(Verdict::Same), self.count(Verdict::Close));
        let mut words = match all {
            0 if self.instead.is_some() => self.instead.clone().unwrap_or_default(),
            0 => "nothing recorded to compare with".to_string(),
            1 if same + close == 1 => "1 cell as recorded".to_string(),
            _ if same + close == all => format!("all {all} cells as recorded"),
            _ => format!("{} of {all} cells as recorded", same + close),
        };
        if close > 0 {
            words.push_str(&format!(", {close} of them within tolerance"));
        }
        match self.count(Verdict::Differs) {
            0 => {}
            1 => words.push_str(", 1 differs"),
            more => words.push_str(&format!(", {more} differ")),
        }
        match self.faults.len() {
            0 => {}
            1 => words.push_str(", 1 fault"),
            more => words.push_str(&format!(", {more} faults")),
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

/// One file on one line, and its faults.
pub fn summary(file: &CheckedFile, look: Look) -> Text {
    let mut line = Line::new();
    match (look.plain, file.holds()) {
        (true, true) => line.push(Role::Prose, "good: "),
        (true, false) => line.push(Role::Prose, "not good: "),
        (false, true) => line.push(Role::Good, "✓ "),
        (false, false) => line.push(Role::Bad, "✗ "),
    }
    line.push(Role::Name, &file.file);
    line.push(Role::Prose, format!(": {}", file.verdict()));
    if let Some(hint) = &file.hint {
        line.push(Role::Prose, format!(" ({hint})"));
    }
    let none = Line::new();
    let shift = Line::spaces(2);
    let mut text = wrap(&line, look.width, &none, &shift);
    for fault in &file.faults {
        let line = Line::new().with(Role::Prose, fault);
        let below = Line::spaces(4);
        text.append(wrap(&line, look.width, &shift, &below));
    }
    text
}

/// One differing cell: recorded and actual side by side where both fit, else one under the other.
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
    let none = Line::new();
    let shift = Line::spaces(2);
    let mut text = wrap(&head, look.width, &none, &shift);
    let pairs = pairs(&cell.recorded, &cell.actual);
    match look.plain {
        true => text.append(spoken(cell, &pairs)),
        false => text.append(shown(&pairs, look)),
    }
    if let Some(remark) = &cell.remark {
        let line = Line::new().with(Role::Dim, remark);
        text.append(paragraph(&line, look));
    }
    text
}

/// Lines that belong together, by their places: either may be missing.
type Pair<'a> = (Option<&'a str>, Option<&'a str>);

/// Most lines of either output that are compared line by line; beyond, only the ends are matched.
const MOST: usize = 400;

/// The lines of both, matched: equal lines to each other, changed ones by order between them.
fn pairs<'a>(recorded: &'a str, actual: &'a str) -> Vec<Pair<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (recorded.lines().collect(), actual.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut pairs: Vec<Pair> = old[..head].iter().map(|l| (Some(*l), Some(*l))).collect();
    match a.len().max(b.len()) <= MOST {
        true => matched(a, b, &mut pairs),
        false => zipped(a, b, &mut pairs),
    }
    pairs.extend(old[old.len() - tail..].iter().map(|l| (Some(*l), Some(*l))));
    pairs
}

/// Matches by the longest common run of equal lines (the classical table); between them, by order.
fn matched<'a>(a: &[&'a str], b: &[&'a str], pairs: &mut Vec<Pair<'a>>) {
    let mut long = vec![vec![0u16; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            long[i][j] = match a[i] == b[j] {
                true => long[i + 1][j + 1] + 1,
                false => long[i + 1][j].max(long[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut from) = (0, 0, (0, 0));
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            zipped(&a[from.0..i], &b[from.1..j], pairs);
            pairs.push((Some(a[i]), Some(b[j])));
            (i, j) = (i + 1, j + 1);
            from = (i, j);
        } else if long[i + 1][j] >= long[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    zipped(&a[from.0..], &b[from.1..], pairs);
}

fn zipped<'a>(a: &[&'a str], b: &[&'a str], pairs: &mut Vec<Pair<'a>>) {
    let line = |at| (a.get(at).copied(), b.get(at).copied());
    pairs.extend((0..a.len().max(b.len())).map(line));
}

/// A line cut where comparing may part: numbers, words, and single other characters.
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

/// A line with the pieces that differ from the other one marked.
fn marked(line: &str, other: Option<&str>) -> Line {
    let mut out = Line::new();
    let Some(other) = other else {
        return out.with(Role::Differs, line);
    };
    let others = pieces(other);
    let mine = pieces(line);
    if mine.len() != others.len() {
        // Different in build: mark what is neither in the common start nor in the common end.
        let head = mine.iter().zip(&others).take_while(|(a, b)| a == b).count();
        let ends = mine[head..].iter().rev().zip(others[head.min(others.len())..].iter().rev());
        let tail = ends.take_while(|(a, b)| a == b).count();
        for (at, piece) in mine.iter().enumerate() {
            let same = at < head || at >= mine.len() - tail || piece.trim().is_empty();
            out.push(if same { Role::Output } else { Role::Differs }, *piece);
        }
        return out;
    }
    for (piece, other) in mine.iter().zip(&others) {
        let same = piece == other || piece.trim().is_empty();
        out.push(if same { Role::Output } else { Role::Differs }, *piece);
    }
    out
}

/// Rows that are shown: those that differ, with one line about them; the rest is counted.
fn near(pairs: &[Pair]) -> Vec<Option<usize>> {
    let differs = |at: usize| pairs.get(at).is_some_and(|(a, b)| a != b);
    let wanted = |at: usize| differs(at) || differs(at + 1) || (at > 0 && differs(at - 1));
    let mut rows = Vec::new();
    let mut hidden = 0;
    for at in 0..pairs.len() {
        // A single line is not worth hiding.
        let alone = !wanted(at) && (at == 0 || wanted(at - 1)) && (at + 1 == pairs.len() || wanted(at + 1));
        if wanted(at) || alone {
            if hidden > 0 {
                rows.push(None);
            }
            hidden = 0;
            rows.push(Some(at));
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 {
        rows.push(None);
    }
    rows
}

fn shown(pairs: &[Pair], look: Look) -> Text {
    let wide = |line: &Option<&str>| Line::new().with(Role::Output, line.unwrap_or("")).width();
    let rows = near(pairs);
    let left = rows.iter().flatten().map(|&at| wide(&pairs[at].0)).max().unwrap_or(0).max(8);
    let right = rows.iter().flatten().map(|&at| wide(&pairs[at].1)).max().unwrap_or(0).max(8);
    match left + 3 + right <= look.width {
        true => abreast(pairs, &rows, left, right, look),
        false => stacked(pairs, &rows, look),
    }
}

/// `^^^` under what differs, where colour cannot show it.
fn carets(line: &Line, look: Look) -> Line {
    let mut under = Line::new();
    if look.coloured() {
        return under;
    }
    for span in &line.spans {
        let sign = if span.role == Role::Differs { "^" } else { " " };
        under.push(span.role, sign.repeat(span.width()));
    }
    match under.text().trim().is_empty() {
        true => Line::new(),
        false => under,
    }
}

fn abreast(pairs: &[Pair], rows: &[Option<usize>], left: usize, right: usize, look: Look) -> Text {
    let mut text = Text::new();
    let mut row = |a: Line, b: Line, seam: &str| {
        let mut line = a;
        line.fill(left);
        line.push(Role::Dim, seam);
        line.join(b);
        text.line(line);
    };
    let word = |word: &str| Line::new().with(Role::Dim, word);
    row(word("recorded"), word("now"), " │ ");
    let rule = |width: usize| Line::new().with(Role::Dim, "─".repeat(width));
    row(rule(left), rule(right), "─┼─");
    for at in rows {
        let Some(at) = at else {
            row(word("…"), word("…"), " │ ");
            continue;
        };
        let (a, b) = pairs[*at];
        let (a, b) = (a.map_or(Line::new(), |a| marked(a, b)), b.map_or(Line::new(), |l| marked(l, a)));
        let (under_a, under_b) = (carets(&a, look), carets(&b, look));
        row(a, b, " │ ");
        if !under_a.spans.is_empty() || !under_b.spans.is_empty() {
            row(under_a, under_b, " │ ");
        }
    }
    text
}

/// One under the other, as a diff: `-` before what is recorded, `+` before what came now.
fn stacked(pairs: &[Pair], rows: &[Option<usize>], look: Look) -> Text {
    let mut text = Text::new();
    let mut key = Line::new().with(Role::Bad, "-").with(Role::Dim, " recorded   ");
    key.push(Role::Good, "+");
    key.push(Role::Dim, " now");
    text.line(key);
    let same = Line::spaces(2);
    let old = Line::new().with(Role::Bad, "- ");
    let new = Line::new().with(Role::Good, "+ ");
    for at in rows {
        let Some(at) = at else {
            text.say(Role::Dim, "  …");
            continue;
        };
        match pairs[*at] {
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

/// A line in as many parts as the width asks for, each with its own marks beneath.
fn parts(line: &Line, sign: &Line, look: Look) -> Text {
    let indent = line.text().len() - line.text().trim_start().len();
    let indent = " ".repeat(indent.min(look.width / 3));
    let first = sign.clone().with(Role::Prose, &indent);
    let rest = Line::new().with(Role::Dim, format!("  {indent}↳ "));
    let mut text = Text::new();
    for part in wrap(&stripped(line), look.width, &first, &rest).lines {
        let under = carets(&part, look);
        text.line(part);
        if !under.spans.is_empty() {
            text.line(under);
        }
    }
    text
}

/// The line without the spaces at its start.
fn stripped(line: &Line) -> Line {
    let mut out = Line::new();
    for span in &line.spans {
        match out.spans.is_empty() {
            true => out.push(span.role, span.text.trim_start()),
            false => out.push(span.role, &span.text),
        }
    }
    out
}

/// The difference without marks: each place that differs on a line of its own.
fn spoken(cell: &CheckedCell, pairs: &[Pair]) -> Text {
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
