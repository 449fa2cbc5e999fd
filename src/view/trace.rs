//! The outline of a cell's operations: each with its shapes, its cost and its numbers if they are few.
//! Calls are indented, and a loop is shown once.

use unicode_width::UnicodeWidthStr;

use crate::explain::trace::{CallGroup, Cost, LoopGroup, OperationRow, Outline, OutlineItem};
use crate::tensor::size_in_words;
use crate::view::code::first_line;
use crate::view::quantity::{counted, duration, grouped};
use crate::view::run::SLOW;
use crate::view::text::{Line, Look, NO_BREAK_SPACE, Role, Text, unbroken};
use crate::view::wrap::wrap;

/// The operations of a cell, then their total cost.
pub fn trace(outline: &Outline, look: Look) -> Text {
    let mut text = Text::new();
    if outline.items.is_empty() {
        let words = "No operation on tensors ran here.";
        text.say(Role::Dim, words);
        return text;
    }
    let page = TracePage { digits: last_line(&outline.items).to_string().len().max(2), look };
    page.items(&outline.items, 0, None, &mut text);
    text.gap();
    text.append(totals(outline, look));
    text
}

/// What the words for costs mean.
const LEGEND: &str = "mul: multiplications, divisions, roots, functions; moved: bytes read, written";

/// `21 operations, 720 multiplications, 12.3 kB moved, 0.4 ms`.
fn totals(outline: &Outline, look: Look) -> Text {
    let but = match outline.cost.uncounted {
        0 => String::new(),
        many => format!(" (without {})", counted(many as usize, "operation")),
    };
    let mut words = format!(
        "{}, {}{but}, {} moved",
        counted(outline.operations, "operation"),
        counted(outline.cost.multiplications as usize, "multiplication"),
        size_in_words(outline.cost.bytes as f64)
    );
    if outline.elapsed >= SLOW {
        words.push_str(&format!(", {}", duration(outline.elapsed)));
    }
    if outline.traced < outline.operations {
        words.push_str(&format!("; only the first {} are shown", grouped(outline.traced as u64)));
    }
    let mut text = wrap((Role::Dim, words), look.width, 0, 2);
    if !look.plain {
        text.append(wrap((Role::Dim, LEGEND), look.width, 0, 2));
    }
    text
}

fn last_line(items: &[OutlineItem]) -> usize {
    let of = |item: &OutlineItem| match item {
        OutlineItem::Operation(row) => row.line,
        OutlineItem::Call(group) => group.line.max(last_line(&group.items)),
        OutlineItem::Loop(group) => last_line(&group.items),
    };
    items.iter().map(of).max().unwrap_or(0)
}

fn mul(cost: Cost) -> String {
    format!("{} mul", grouped(cost.multiplications))
}

/// What an operation costs, in short or in `plain` words.
fn cost_words(row: &OperationRow, plain: bool) -> String {
    let bytes = size_in_words(row.cost.bytes as f64);
    match (row.is_view, row.cost.multiplications) {
        (true, _) if row.is_unchanged => "unchanged".to_owned(),
        (true, _) => if plain { "a view" } else { "view" }.to_owned(),
        (_, 0) if row.error.is_some() && !plain => String::new(),
        _ if row.cost.uncounted > 0 => {
            format!("{} not counted", if plain { "multiplications" } else { "mul" })
        }
        (_, 0) => bytes,
        (_, many) if plain => format!("{}, {bytes}", counted(many as usize, "multiplication")),
        _ => mul(row.cost),
    }
}

struct TracePage {
    /// The width of line numbers.
    digits: usize,
    look: Look,
}

impl TracePage {
    /// The items at `depth`; `passes` is how often the loop around them ran in all, if that is known.
    fn items(&self, items: &[OutlineItem], depth: usize, passes: Option<usize>, text: &mut Text) {
        for item in items {
            match item {
                OutlineItem::Operation(row) => self.row(row, depth, text),
                OutlineItem::Call(group) => self.group(group, depth, text),
                OutlineItem::Loop(group) => self.loop_group(group, depth, passes, text),
            }
        }
    }

    /// The start of a line: a line number if there is one, and the indentation of `depth`.
    fn gutter(&self, line: Option<usize>, depth: usize) -> Line {
        let digits = self.digits;
        let number = line.map(|line| line.to_string()).unwrap_or_default();
        let indent = (2 * depth).min(self.look.width / 3);
        Line::new().with(Role::Dim, format!("{number:>digits$} │ ")).with(Role::Prose, " ".repeat(indent))
    }

    fn say(&self, words: &str, role: Role, depth: usize, text: &mut Text) {
        if self.look.plain {
            let line = Line::new().with(Role::Prose, words);
            let indent = Line::spaces(2 * depth);
            text.append(wrap(&line, self.look.width, &indent, &indent));
            return;
        }
        let gutter = self.gutter(None, depth);
        text.append(wrap((role, words), self.look.width, &gutter, &gutter));
    }

    fn group(&self, group: &CallGroup, depth: usize, text: &mut Text) {
        let mut inside = counted(group.operations, "operation");
        if group.cost.multiplications > 0 {
            inside.push_str(&format!(", {}", mul(group.cost)));
        }
        let cell =
            if group.defined_in == group.cell { String::new() } else { format!(" ({})", group.defined_in) };
        if self.look.plain {
            let words =
                format!("line {}: {} calls {}{cell}: {inside}", group.line, group.code, group.function);
            self.say(&words, Role::Prose, depth, text);
        } else {
            self.code(&group.code, None, group.line, depth, String::new(), text);
            let gutter = self.gutter(None, depth + 1);
            let line =
                Line::new().with(Role::Name, &group.function).with(Role::Dim, format!("{cell}  {inside}"));
            text.append(wrap(&line, self.look.width, &gutter, &gutter));
        }
        self.items(&group.items, depth + 1, None, text);
    }

    fn loop_group(&self, group: &LoopGroup, depth: usize, outer: Option<usize>, text: &mut Text) {
        let (least, most) = group.passes;
        let times = match least == most {
            true => format!("{least}"),
            false => format!("{least} to {most}"),
        };
        let in_all = match outer {
            Some(outer) if least == most => format!(", {} in all", grouped((outer * most) as u64)),
            _ => String::new(),
        };
        let sum = match group.cost.multiplications > 0 {
            true => format!(", {} together", mul(group.cost)),
            false => String::new(),
        };
        match self.look.plain {
            true => {
                self.say(&format!("{times} times{in_all}{sum}; the first time:"), Role::Prose, depth, text)
            }
            false => self.say(&format!("× {times}{in_all}{sum}"), Role::Emphasis, depth, text),
        }
        let passes = (least == most).then(|| most * outer.unwrap_or(1));
        self.items(&group.items, depth + 1, passes, text);
        if self.look.plain {
            self.say(&format!("end of what ran {times} times"), Role::Prose, depth, text);
        }
    }

    fn row(&self, row: &OperationRow, depth: usize, text: &mut Text) {
        // The numbers and the cost belong to the first pass, so they stand before the shapes of the last one.
        let at_last = row.last_shapes.as_ref().map(|last| format!("at last {last}")).unwrap_or_default();
        let library = row.library.clone().unwrap_or_default();
        let library = match row.operations {
            1 => library,
            many => format!("{library}, {}", counted(many, "operation")),
        };
        if self.look.plain {
            return self.plain_row(row, &library, &at_last, depth, text);
        }
        let cost = unbroken(&cost_words(row, false));
        let arrows = |shapes: &str| shapes.replace("-> ", &format!("->{NO_BREAK_SPACE}"));
        let shapes = arrows(&row.shapes);
        let parts = [
            library,
            shapes,
            row.preview.numbers.join(" "),
            unbroken(&row.preview.nonfinite.join(", ")),
            cost,
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let mut detail = parts.join("  ");
        if !at_last.is_empty() {
            detail.push_str(&format!(", {}", arrows(&at_last)));
        }
        self.code(&row.code, row.short_code.as_deref(), row.line, depth, detail, text);
        if let Some(error) = &row.error {
            self.say(&format!("raised: {error}"), Role::Bad, depth + 1, text);
        }
        self.items(&row.inner, depth + 1, None, text);
    }

    fn plain_row(&self, row: &OperationRow, library: &str, at_last: &str, depth: usize, text: &mut Text) {
        let mut words = format!("line {}: {}", row.line, row.code);
        let cost = cost_words(row, true);
        let numbers = match row.preview.numbers.as_slice() {
            [] => String::new(),
            numbers => format!("gives {}", numbers.join(", ")),
        };
        let nonfinite = row.preview.nonfinite.join(", ");
        for part in [library, &row.shapes, &cost, &numbers, &nonfinite, at_last] {
            if !part.is_empty() {
                words.push_str("; ");
                words.push_str(part);
            }
        }
        if let Some(error) = &row.error {
            words.push_str(&format!("; raised: {error}"));
        }
        self.say(&words, Role::Prose, depth, text);
        self.items(&row.inner, depth + 1, None, text);
    }

    /// A line of code with details at its right, or below it if they do not fit.
    fn code(
        &self,
        code: &str,
        short: Option<&str>,
        line: usize,
        depth: usize,
        detail: String,
        text: &mut Text,
    ) {
        let width = self.look.text_width();
        let gutter = self.gutter(Some(line), depth);
        let below = self.gutter(None, depth + 1);
        let available = width.saturating_sub(gutter.width());
        let beside = if detail.is_empty() { 0 } else { detail.width() + 2 };
        let fits_beside = |code: &&str| code.width() + beside <= available;
        let fits_alone = |code: &&str| code.width() <= available;
        let forms = [Some(code), short].into_iter().flatten();
        let shown = forms.clone().find(fits_beside).or_else(|| forms.clone().find(fits_alone));
        let shown = shown.or(short).unwrap_or(code);
        let code = first_line(shown);
        let mut lines = wrap(&code, width, &gutter, self.gutter(None, depth + 2));
        if !detail.is_empty() {
            let right = Line::new().with(Role::Dim, &detail);
            let last = lines.lines.last_mut().expect("wrapped text has a line");
            match last.ending_in(right.clone(), width) {
                Some(line) => *last = line,
                None => lines.append(wrap(&right, width, &below, &below)),
            }
        }
        text.append(lines);
    }
}
