//! The panel of a step: its parts in the order in which they are read.

use crate::view::code;
use crate::view::errors::{ErrorNote, error};
use crate::view::figure::Figure;
use crate::view::picture::{self, Picture};
use crate::view::prose::prose;
use crate::view::table;
use crate::view::text::{Line, Look, Role, Text, escape_controls, unbroken, verdict};
use crate::view::wrap::{self, wrap};

/// Everything that a step shows.
#[derive(Clone, Default, PartialEq)]
pub struct Panel {
    /// The section as the chapter numbers it: "3.3.1".
    pub section: String,
    /// The lesson's title.
    pub title: String,
    /// The step's number in the chapter, from 1.
    pub number: usize,
    /// How many steps the chapter has; 0 for a cell that is not one of them.
    pub total: usize,
    /// The step's stable name.
    pub slug: String,
    /// Markdown before the code.
    pub prose: String,
    /// The cell's code.
    pub code: String,
    /// What the cell printed.
    pub stdout: String,
    /// The text of its bare last expression.
    pub result: Option<String>,
    pub error: Option<ErrorNote>,
    /// The tensors that it bound or changed, in order.
    pub figures: Vec<Figure>,
    /// The pictures that the step asks for.
    pub pictures: Vec<Picture>,
    /// The invariants and their outcomes.
    pub checks: Vec<Check>,
    /// The computation of one element, line by line.
    pub worked: Vec<String>,
    /// Markdown after the output: what the numbers show.
    pub after: String,
    pub remarks: Vec<String>,
    /// For each of its tensors: the text that PyTorch prints, and its shape.
    pub prints: Vec<(String, String)>,
}

/// An invariant and its outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// The invariant: "every row sums to 1".
    pub text: String,
    pub is_true: bool,
    /// The largest deviation as text: "6e-8".
    pub deviation: Option<String>,
}

pub fn panel(panel: &Panel, look: Look) -> Text {
    let mut text = reading(panel, look);
    text.section(outcome(panel, look));
    text
}

/// The part before the cell runs: position, prose, code.
pub(crate) fn reading(panel: &Panel, look: Look) -> Text {
    let mut text = if panel.total > 0 { position(panel, look) } else { Text::new() };
    text.append(prose(&panel.prose, look));
    if !panel.code.trim().is_empty() {
        text.gap();
        if look.plain {
            text.say(Role::Prose, "Code:");
        }
        text.append(code::code(&panel.code, look));
    }
    text
}

/// The part after it: output, tensors, pictures, checks, and what they show.
pub(crate) fn outcome(panel: &Panel, look: Look) -> Text {
    let mut text = printed(&panel.stdout, panel.result.as_deref(), look);
    if let Some(note) = &panel.error {
        text.section(error(note, look));
    }
    for figure in &panel.figures {
        text.section(table::figure(figure, look));
    }
    for picture in &panel.pictures {
        text.section(picture::picture(picture, look));
    }
    text.section(checks(&panel.checks, look));
    text.section(worked(&panel.worked, look));
    text.section(prose(&panel.after, look));
    for remark in &panel.remarks {
        text.section(wrap::remark(remark, look));
    }
    text
}

/// The outcome in the walkthrough: the output once, then what to look at. A tensor that has a table below is folded to
/// its shape where it was printed, unless `opened`.
pub fn lesson_outcome(panel: &Panel, opened: bool, look: Look) -> Text {
    let mut shown = panel.clone();
    if !opened {
        shown.fold();
    }
    let after = std::mem::take(&mut shown.after);
    let (checks, worked) = (std::mem::take(&mut shown.checks), std::mem::take(&mut shown.worked));
    let remarks = std::mem::take(&mut shown.remarks);
    let mut text = outcome(&shown, look);
    match checks.iter().all(|check| check.is_true) && !look.plain {
        true => text.append(checks_in_line(&checks, look)),
        false => text.section(self::checks(&checks, look)),
    }
    text.section(prose(&after, look));
    text.section(self::worked(&worked, look));
    for remark in &remarks {
        text.section(wrap::remark(remark, look));
    }
    text
}

/// Invariants that are all true, on one line.
fn checks_in_line(checks: &[Check], look: Look) -> Text {
    let mut line = Line::new();
    for check in checks {
        line.push(Role::Good, if line.spans.is_empty() { "✓ " } else { "   ✓ " });
        line.push(Role::Dim, &check.text);
    }
    if checks.is_empty() { Text::new() } else { wrap(&line, look.width, 0, 2) }
}

impl Panel {
    /// Whether a printed tensor can be folded, since it has a table.
    pub(crate) fn folds(&self) -> bool {
        let printed = |print: &(String, String)| {
            self.stdout.contains(&print.0) || self.result.as_ref().is_some_and(|it| it.contains(&print.0))
        };
        self.prints.iter().any(printed)
    }

    fn fold(&mut self) {
        for (printed, shape) in &self.prints {
            let fold = |text: &str| {
                // Where nothing else stands in its lines, the table says all.
                let alone = format!("\n{text}\n").replace(&format!("\n{printed}\n"), "\n");
                let line = format!("tensor, {shape}: the table below");
                let folded = if printed.contains('\n') { alone.replace(printed, &line) } else { alone };
                folded.trim_matches('\n').to_owned()
            };
            self.stdout = fold(&self.stdout);
            self.result = self.result.take().map(|result| fold(&result));
        }
    }
}

/// Screens with fewer columns than this have the place of a step under its title, at the left.
const NARROW: usize = 60;

/// The head of a step: section and title at the left, step and slug at the right.
pub(crate) fn position(panel: &Panel, look: Look) -> Text {
    let step = format!("step {} of {}", panel.number, panel.total);
    let mut left = Line::new().with(Role::Dim, &panel.section);
    if !panel.section.is_empty() && !panel.title.is_empty() {
        left.push(Role::Prose, " ");
    }
    left.push(Role::Title, &panel.title);
    head(left, &step, &panel.slug, None, look)
}

/// A place in a lesson, for the head of a page of the walkthrough.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LessonPlace {
    /// The number of the lesson and how many there are; 0 outside of a course.
    pub lesson: (usize, usize),
    /// What stands here: the title of the lesson or of an exercise.
    pub title: String,
    /// The section of the book.
    pub section: String,
    /// Which of the steps and exercises of the lesson this is, and how many there are.
    pub at: (usize, usize),
    /// What stands at the right: of a step its number, by which commands and keys take it.
    pub words: String,
    /// The stable name.
    pub slug: String,
}

/// The head of a page of the walkthrough, with a bar that shows how far the lesson is.
pub fn lesson_head(place: &LessonPlace, look: Look) -> Text {
    let mut left = Line::new();
    if place.lesson.0 > 0 {
        left.push(Role::Dim, format!("Lesson {} of {}", place.lesson.0, place.lesson.1));
        left.push(Role::Prose, if look.plain { ", " } else { "  " });
    }
    left.push(Role::Title, &place.title);
    if !place.section.is_empty() {
        left.push(Role::Dim, format!("  {}", place.section));
    }
    head(left, &place.words, &place.slug, Some(place.at), look)
}

/// A head with a rule under it: the lesson at the left, the place in it and its name at the right. Of `bar`, how many of
/// how many, so much of the rule is heavy.
fn head(left: Line, place: &str, slug: &str, bar: Option<(usize, usize)>, look: Look) -> Text {
    let mut text = Text::new();
    if look.plain {
        text.say(Role::Prose, left.text());
        let comma = if slug.is_empty() { "" } else { ", " };
        let far = bar.map(|(done, all)| format!(" ({done} of {all} in this lesson)")).unwrap_or_default();
        text.say(Role::Prose, format!("{place}{comma}{slug}{far}"));
        text.gap();
        return text;
    }
    let mut right = Line::new().with(Role::Dim, place);
    if !slug.is_empty() {
        right.push(Role::Dim, "  ");
        right.push(Role::Prose, slug);
    }
    let width = look.text_width();
    if let Some(line) = left.ending_in(right.clone(), width) {
        text.line(line);
    } else {
        text.append(wrap(&left, look.width, 0, 0));
        // On a narrow screen the place always stands under the title.
        let free = if look.width < NARROW { 0 } else { width.saturating_sub(right.width()) };
        text.append(wrap(&right, look.width, free, 0));
    }
    let (done, all) = bar.unwrap_or_default();
    let heavy = (width * done).checked_div(all).unwrap_or(0).min(width);
    text.line(Line::new().with(Role::Good, "━".repeat(heavy)).with(Role::Dim, "─".repeat(width - heavy)));
    text
}

/// What a cell printed, and the text of its last expression. Long lines are wrapped, and the wrapped parts are marked;
/// when plain they are left as they are.
pub(crate) fn printed(stdout: &str, result: Option<&str>, look: Look) -> Text {
    let mut text = Text::new();
    let parts = [
        ("Printed:", Some(stdout.trim_end_matches('\n')).filter(|s| !s.is_empty())),
        ("Result:", result.map(|r| r.trim_end_matches('\n')).filter(|s| !s.is_empty())),
    ];
    for (name, part) in parts {
        let Some(part) = part else { continue };
        if look.plain {
            text.say(Role::Prose, name);
        }
        text.append(verbatim_lines(part, look));
    }
    text
}

/// Printed lines; lines that are too long are wrapped.
pub(crate) fn verbatim_lines(printed: &str, look: Look) -> Text {
    let mut text = Text::new();
    for line in printed.lines() {
        text.append(verbatim(line, look));
    }
    text
}

/// One printed line.
fn verbatim(line: &str, look: Look) -> Text {
    let whole = Line::new().with(Role::Output, printable(line));
    if look.plain || whole.width() <= look.width {
        return Text { lines: vec![whole] };
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    let indent = indent.min(look.width / 2);
    let rest = Line::spaces(indent).with(Role::Dim, "↳ ");
    wrap((Role::Output, printable(line.trim_start_matches(' '))), look.width, indent, &rest)
}

/// A printed line as it is shown: control characters are escaped, tabs become spaces, and of a line that carriage
/// returns rewrote only the last text is left.
pub(crate) fn printable(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().expect("a split has at least one part");
    let mut out = String::new();
    for c in escape_controls(line, &['\t']).chars() {
        match c {
            '\t' => {
                let column = out.chars().count();
                out.push_str(&" ".repeat(8 - column % 8));
            }
            c => out.push(c),
        }
    }
    out
}

/// The invariants: whether each is true, and its largest deviation.
pub(crate) fn checks(checks: &[Check], look: Look) -> Text {
    let mut text = Text::new();
    for check in checks {
        let mut line = verdict(check.is_true, if check.is_true { "true: " } else { "false: " }, look);
        line.push(if check.is_true { Role::Prose } else { Role::Bad }, &check.text);
        if let Some(deviation) = &check.deviation {
            let space = if look.plain { ", " } else { "   " };
            let far = unbroken(&format!("largest deviation {deviation}"));
            line.push(Role::Dim, format!("{space}{far}"));
        }
        text.append(wrap(&line, look.width, 0, 2));
    }
    text
}

/// The computation of one element; a line that is too long continues under its first `=`.
pub(crate) fn worked(lines: &[String], look: Look) -> Text {
    let mut text = Text::new();
    for line in lines {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let equals = line.find("= ").map_or(indent + 2, |at| line[..at].chars().count());
        // Where there is no space under it, all parts are indented alike.
        let is_narrow = look.plain || equals >= look.width / 2;
        let deeper = if is_narrow { 2 } else { equals };
        let indent = if look.plain { 0 } else { indent.min(deeper) };
        text.append(wrap((Role::Prose, line.trim_start_matches(' ')), look.width, indent, deeper));
    }
    text
}
