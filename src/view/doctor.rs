//! The doctor's findings: the mistake, the line, what was observed, why it matters, and a fix.

use serde::{Deserialize, Serialize};

use crate::explain::doctor::{Finding, Mistake, example_of};
use crate::lesson::fault::listed;
use crate::view::code;
use crate::view::quantity::counted;
use crate::view::text::{Line, Look, Role, Text};
use crate::view::wrap::wrap;

/// The code of a mistake, a file, and a line.
pub(crate) type Place = (String, String, usize);

#[derive(Clone, PartialEq)]
pub(crate) struct CodeFinding {
    pub(crate) finding: Finding,
    pub(crate) code: Option<String>,
    /// The cell that ran it, if another cell has the line.
    pub(crate) run_by: Option<String>,
    /// The script that has the line.
    pub(crate) file: Option<String>,
    pub(crate) file_line: Option<usize>,
    /// A change that was tried: with it the finding is gone, and no other came.
    pub(crate) diff: Option<String>,
}

impl CodeFinding {
    /// A finding and its line of code.
    pub(crate) fn new(code: Option<String>, finding: Finding) -> CodeFinding {
        CodeFinding { finding, code, run_by: None, file: None, file_line: None, diff: None }
    }

    /// The mistake and its line, if that is in a file.
    pub(crate) fn place(&self) -> Option<Place> {
        Some((self.finding.code.to_string(), self.file.clone()?, self.file_line?))
    }

    /// Whether both are the same mistake in the same line.
    pub(crate) fn is_at_place_of(&self, other: &CodeFinding) -> bool {
        let place = |it: &Finding| (it.mistake, it.cell.clone(), it.line);
        place(&self.finding) == place(&other.finding)
    }
}

pub(crate) fn found(found: &CodeFinding, look: Look) -> Text {
    let CodeFinding { finding, code, run_by, file, file_line, diff } = found;
    let mut text = Text::new();
    let cell = finding.cell.as_deref().unwrap_or("");
    let mut place = match (file, file_line, finding.line) {
        (Some(file), Some(line), _) => match finding.column {
            Some(column) => format!("{file}:{line}:{column}"),
            None => format!("{file}:{line}"),
        },
        (_, _, Some(line)) => format!("{cell}, line {line}"),
        _ => cell.to_owned(),
    };
    if let Some(function) = &finding.function {
        place.push_str(&format!(", in {function}"));
    }
    if let Some(cell) = run_by {
        place.push_str(&format!(", run by {cell}"));
    }
    if look.plain {
        text.say(Role::Prose, format!("Found: {} ({} {})", finding.title, finding.code, finding.mistake));
        let code = code.as_deref().map(|code| format!(": {}", code.trim())).unwrap_or_default();
        text.say(Role::Prose, format!("Where: {place}{code}"));
        text.say(Role::Prose, format!("Seen: {}", finding.observed));
        text.say(Role::Prose, format!("Why it matters: {}", finding.why));
        text.say(Role::Prose, format!("Fix: {}", finding.fix));
        if let Some(diff) = diff {
            text.say(Role::Prose, "Tried: with this change the finding is gone, and no other came.");
            diff.lines().for_each(|line| text.say(Role::Prose, line));
        }
        return text;
    }
    let mut head = Line::new().with(Role::Strong, &finding.title);
    head.push(Role::Dim, format!("  {} {}", finding.code, finding.mistake));
    text.append(wrap(&head, look.width, (Role::Bad, "✗ "), 2));
    text.append(wrap((Role::Dim, place), look.width, 2, 2));
    if let Some(code) = code {
        text.append(code::code_line(code.trim(), file_line.or(finding.line).unwrap_or(1), look));
    }
    text.gap();
    let width = look.text_width();
    let said = |words: &str| wrap((Role::Prose, words), width, 2, 2);
    text.append(said(&finding.observed));
    text.append(wrap((Role::Dim, &finding.why), width, 2, 2));
    text.append(wrap((Role::Good, &finding.fix), width, (Role::Prose, "  Better: "), 4));
    if let Some(diff) = diff {
        text.gap();
        text.append(said("Tried: with this change the finding is gone, and no other came."));
        for line in diff.lines() {
            let role = match line.chars().next() {
                Some('+') => Role::Good,
                Some('-') => Role::Bad,
                _ => Role::Dim,
            };
            text.line(Line::spaces(4).with(role, line));
        }
    }
    text
}

/// The page of a mistake: what it is, why it matters, code that has it and code that does not.
pub(crate) fn page(mistake: &Mistake, look: Look) -> Text {
    let mut text = Text::new();
    let Mistake { code, name, title, why, .. } = mistake;
    text.say(Role::Strong, format!("{code} {name}"));
    text.gap();
    let width = look.text_width();
    text.append(wrap((Role::Prose, format!("What: {title}.")), width, 0, 0));
    text.append(wrap((Role::Prose, format!("Why: {why}")), width, 0, 0));
    let Some(example) = example_of(mistake) else { return text };
    let mut listing = |heading: &str, source: &str| {
        text.gap();
        text.say(Role::Strong, heading);
        text.gap();
        for (at, line) in source.lines().enumerate() {
            text.append(code::code_line(line, at + 1, look));
        }
    };
    listing("Wrong", example.wrong);
    listing("Right", example.right);
    text.gap();
    let run = format!(
        "To see it found, and why: attn doctor {code}. It runs the wrong code. A line where this is meant ends in \
         `# attn: allow({name})`."
    );
    text.append(wrap((Role::Prose, run), width, 0, 0));
    text
}

/// How a target was examined that cannot run as a whole.
#[derive(serde::Serialize)]
pub(crate) struct Partly {
    pub(crate) reason: String,
    /// The classes and functions that ran before that, and none of `ran`.
    pub(crate) before: Vec<String>,
    /// The classes and functions that ran on made-up inputs; none if the syntax tree was read.
    pub(crate) ran: Vec<String>,
}

/// Why a file did not run as a whole, and what of it was examined.
pub(crate) fn partly(target: &str, Partly { reason, before, ran }: &Partly, look: Look) -> Text {
    let ran_before =
        if before.is_empty() { String::new() } else { listed("ran before that: ", before) + "; " };
    let how = match ran.as_slice() {
        [] => "nothing else in it could run".to_owned(),
        ran => format!("run alone, on inputs made up from their signatures: {}", ran.join(", ")),
    };
    let words = format!("{target} cannot run as a whole ({reason}); {ran_before}{how}.");
    wrap((Role::Dim, words), look.width, 0, 0)
}

/// How much was examined.
#[derive(Default)]
pub(crate) struct Looked {
    pub(crate) cells: usize,
    pub(crate) operations: usize,
    /// How many more repeat them, in the same lines and with the same shapes.
    pub(crate) repeats: usize,
    /// How many others were not examined, for their tensors were not kept.
    pub(crate) lost: usize,
    /// The classes and functions that did not run, and ran alone.
    pub(crate) alone: Vec<String>,
}

/// A class or function that computes attention and was not examined.
#[derive(serde::Deserialize, serde::Serialize)]
pub(crate) struct Unexamined {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// How much was examined, how many mistakes were found, and what was not examined.
pub(crate) fn summary(looked: &Looked, found: usize, unexamined: &[Unexamined], look: Look) -> Text {
    let mut words =
        format!("Looked at {} in {}", counted(looked.operations, "operation"), counted(looked.cells, "cell"));
    if looked.repeats > 0 {
        words.push_str(&format!(", which {} more repeat", looked.repeats));
    }
    words.push('.');
    let mut text = Text::new();
    let mut say = |role, words: String, sign: &str| {
        text.append(wrap((role, words), look.width, (Role::Good, if look.plain { "" } else { sign }), 0));
    };
    match found {
        0 if looked.operations == 0 => {
            say(Role::Differs, "Nothing was examined: no operation ran.".to_owned(), "");
        }
        0 => say(Role::Prose, format!("Nothing found. {words}"), "✓ "),
        count => say(Role::Prose, format!("{} found. {words}", counted(count, "mistake")), ""),
    }
    if !looked.alone.is_empty() {
        let names = looked.alone.join(", ");
        say(Role::Dim, format!("Not called, and run alone on made-up inputs: {names}."), "");
    }
    for Unexamined { name, line, reason } in unexamined {
        let words = format!("Not examined: {name} (line {line}), which could not run alone: {reason}");
        say(Role::Differs, words, "");
    }
    if looked.lost > 0 {
        let count = counted(looked.lost, "operation");
        say(Role::Differs, format!("Not examined: {count} on tensors beyond 256 MB."), "");
    }
    text
}

/// What several targets add up to.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) targets: usize,
    pub(crate) mistakes: usize,
    pub(crate) fixed: usize,
    /// How many ran in part only.
    pub(crate) in_part: usize,
    /// Of how many nothing ran.
    pub(crate) unchecked: usize,
}

impl Tally {
    /// Adds a part of the targets.
    pub(crate) fn add(&mut self, part: &Tally) {
        self.targets += part.targets;
        self.mistakes += part.mistakes;
        self.fixed += part.fixed;
        self.in_part += part.in_part;
        self.unchecked += part.unchecked;
    }
}

/// The last line of a report on several targets, each a `noun`.
pub(crate) fn tally(tally: &Tally, noun: &str, look: Look) -> Text {
    let mut words = format!("{}, {}", counted(tally.targets, noun), counted(tally.mistakes, "mistake"));
    for (count, what) in
        [(tally.fixed, "fixed"), (tally.in_part, "checked in part"), (tally.unchecked, "not checked")]
    {
        if count > 0 {
            words.push_str(&format!(", {count} {what}"));
        }
    }
    wrap((Role::Strong, words), look.width, 0, 0)
}
