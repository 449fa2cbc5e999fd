//! Parses a lesson file: MyST Markdown to a [`Lesson`].
//!
//! A step is a heading (`##`), prose, any `{predict}`, a `{code-cell}`, its `{output}`, and prose after it.
//! Prose between an output and the next heading belongs to the step before it. An exercise is a heading,
//! prose (the task), `{exercise}` with the starter, hints, a solution, checks. Raw HTML is skipped: it folds parts of
//! the page on GitHub. Source: MyST notebooks as jupytext reads and writes them.

use std::collections::HashSet;
use std::ops::Range;

use super::exercise::{Attempt, Check, Exercise, Prediction, Snippet};
use super::fault::Fault;
use super::fence::{DirectiveOptions, LessonSource};
use super::front_matter;
use super::markdown::{BlockKind, MarkdownBlock, blocks};
use super::notebook::add_prose;
use super::step::Lesson;
use super::vocabulary::{DIRECTIVES, directive};

/// Parses a lesson. `file` is its name in faults; `first` is the number of its first step in the course.
/// Errors: the first fault in reading order.
pub fn parse(file: &str, text: &str, first: usize) -> Result<Lesson, Fault> {
    let lesson = front_matter::read(file, text)?;
    let lesson = Lesson { file: file.to_string(), text: text.to_string(), ..lesson };
    let source = LessonSource { file };
    let mut parser = LessonParser { source, text, lesson, first, ..LessonParser::default() };
    for block in blocks(text) {
        parser.block(&block)?;
    }
    parser.finish()
}

/// What the prose at the current place belongs to.
#[derive(Clone, Copy, Default, PartialEq)]
enum ProseOwner {
    #[default]
    Intro,
    Before,
    AfterStep,
    AfterExercise,
}

#[derive(Default)]
struct LessonParser<'t> {
    source: LessonSource<'t>,
    text: &'t str,
    lesson: Lesson,
    first: usize,
    owner: ProseOwner,
    title: String,
    /// Prose that has no owner yet: bytes of the text.
    prose: Option<Range<usize>>,
    /// Prose that has no owner yet and lies before other blocks.
    pieces: Vec<String>,
    predictions: Vec<Prediction>,
    slugs: HashSet<String>,
    last_was_cell: bool,
    open_exercise: bool,
}

impl LessonParser<'_> {
    fn block(&mut self, block: &MarkdownBlock) -> Result<(), Fault> {
        match &block.kind {
            BlockKind::FrontMatter(_) | BlockKind::Html => self.end_prose(),
            BlockKind::Heading(1, _) => {}
            BlockKind::Heading(_, words) => {
                self.assign_prose();
                self.assign_section();
                if !self.predictions.is_empty() {
                    return self
                        .source
                        .fault(self.predictions[0].line, "no code cell follows this {predict}");
                }
                self.title = words.clone();
                self.owner = ProseOwner::Before;
                self.open_exercise = false;
                self.last_was_cell = false;
            }
            BlockKind::Fence { info, body } if info.starts_with('{') => {
                self.directive(info, body, block)?;
            }
            BlockKind::Prose | BlockKind::Fence { .. } => {
                self.last_was_cell = false;
                self.extend(&block.range);
            }
        }
        Ok(())
    }

    /// Adds a block to the current run of prose, which is kept as it is in the file.
    fn extend(&mut self, range: &Range<usize>) {
        match &mut self.prose {
            Some(run) => run.end = range.end,
            None => self.prose = Some(range.clone()),
        }
    }

    /// Ends the current run of prose.
    fn end_prose(&mut self) {
        if let Some(run) = self.prose.take() {
            self.pieces.push(self.text[run].trim().to_string());
        }
    }

    fn take_prose(&mut self) -> String {
        self.end_prose();
        std::mem::take(&mut self.pieces).join("\n\n")
    }

    /// Appends the prose without an owner to what it comes after.
    fn assign_prose(&mut self) {
        let owner = self.owner;
        if owner == ProseOwner::Before {
            return;
        }
        let prose = self.take_prose();
        let lesson = &mut self.lesson;
        let into = match owner {
            ProseOwner::AfterStep => lesson.steps.last_mut().map(|s| &mut s.after),
            ProseOwner::AfterExercise => lesson.exercises.last_mut().map(|e| &mut e.after),
            _ => Some(&mut lesson.intro),
        };
        if let Some(into) = into {
            add_prose(into, &prose);
        }
    }

    /// Appends a section without a cell, with its heading, to the step or exercise before it.
    fn assign_section(&mut self) {
        if self.owner != ProseOwner::Before {
            return;
        }
        let prose = self.take_prose();
        if prose.is_empty() {
            return;
        }
        let titled = format!("### {}\n\n{prose}", self.title);
        let lesson = &mut self.lesson;
        let after_exercise = lesson.exercises.last().is_some_and(|e| e.after_steps == lesson.steps.len());
        let into = if after_exercise {
            lesson.exercises.last_mut().map(|e| &mut e.after)
        } else {
            lesson.steps.last_mut().map(|s| &mut s.after)
        };
        add_prose(into.unwrap_or(&mut lesson.intro), &titled);
    }

    fn directive(&mut self, info: &str, body: &str, block: &MarkdownBlock) -> Result<(), Fault> {
        let Some(name) = info[1..].split_once('}').map(|(name, _)| name.trim()) else {
            return self
                .source
                .fault(block.line, format!("`{info}`: the directive's name has no closing `}}`"));
        };
        let Some(known) = directive(name) else {
            let what = format!("there is no directive `{{{name}}}`");
            let known = DIRECTIVES.iter().map(|directive| directive.name);
            return Err(Fault::new(self.source.file, block.line, what).near(name, known));
        };
        self.end_prose();
        let after_cell = std::mem::replace(&mut self.last_was_cell, false);
        if name == "output" {
            if !after_cell {
                return self.source.fault(block.line, "{output} belongs right under its {code-cell}");
            }
            if let Some(step) = self.lesson.steps.last_mut() {
                step.recorded = Some(body.to_string());
            }
            return Ok(());
        }
        if name == "predict" {
            self.assign_prose();
            if self.owner != ProseOwner::Before {
                self.owner = ProseOwner::Before;
                self.title.clear();
            }
            let prediction = self.source.prediction(body, block.line, known.options)?;
            self.predictions.push(prediction);
            return Ok(());
        }
        let (options, code) = self.source.options(body, block.line, name, known.options)?;
        match name {
            "code-cell" => self.cell(options, code, block.line),
            "exercise" => self.exercise(options, code, block.line),
            _ => self.part(name, options, code, block.line),
        }
    }

    fn slug(&mut self, options: &DirectiveOptions, line: usize) -> Result<String, Fault> {
        let Some((slug, at)) = options.get("name") else {
            return self.source.fault(line, "this block needs a `:name:`");
        };
        let fine = slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if slug.is_empty() || !fine {
            return self
                .source
                .fault(at, format!("`{slug}`: a name has lowercase letters, digits and hyphens"));
        }
        if !self.slugs.insert(slug.to_string()) {
            return self.source.fault(at, format!("the name `{slug}` occurs twice in this lesson"));
        }
        Ok(slug.to_string())
    }

    fn cell(&mut self, options: DirectiveOptions, code: Snippet, line: usize) -> Result<(), Fault> {
        self.assign_prose();
        let mut step = self.source.step(&options)?;
        step.slug = self.slug(&options, line)?;
        if code.source.is_empty() {
            return self.source.fault(line, "this code cell is empty");
        }
        if self.owner == ProseOwner::Before {
            step.prose = self.take_prose();
        }
        step.title = std::mem::take(&mut self.title);
        step.predictions = std::mem::take(&mut self.predictions);
        for asked in &step.predictions {
            let times = asked.blank().map(|blank| (code.source.matches(&blank.hidden).count(), blank));
            if let Some((times, blank)) = times.filter(|(times, _)| *times != 1) {
                let what =
                    format!("`{}` occurs {times} times in the cell; it should occur once", blank.hidden);
                return self.source.fault(asked.line, what);
            }
        }
        step.code = code.source;
        step.line = code.line;
        step.number = self.first + self.lesson.steps.len();
        step.section = self.lesson.section.clone();
        self.lesson.steps.push(step);
        self.owner = ProseOwner::AfterStep;
        self.last_was_cell = true;
        self.open_exercise = false;
        Ok(())
    }

    fn exercise(&mut self, options: DirectiveOptions, starter: Snippet, line: usize) -> Result<(), Fault> {
        self.assign_prose();
        let slug = self.slug(&options, line)?;
        let title = options.get("title").map_or_else(|| self.title.clone(), |(title, _)| title.to_string());
        let minutes = match options.get("minutes").map(|(n, at)| (n.parse::<u32>(), at)) {
            Some((Err(_), at)) => return self.source.fault(at, "`:minutes:` is a whole number"),
            Some((Ok(minutes), _)) => minutes,
            None => 5,
        };
        let task = if self.owner == ProseOwner::Before { self.take_prose() } else { String::new() };
        // A lesson that begins with an exercise is introduced there.
        let opens = self.lesson.steps.is_empty() && self.lesson.exercises.is_empty();
        let intro = if opens { std::mem::take(&mut self.lesson.intro) } else { String::new() };
        if task.is_empty() {
            return self.source.fault(line, "an {exercise} needs its task: prose between its heading and it");
        }
        let task = if intro.is_empty() { task } else { format!("{intro}\n\n{task}") };
        self.title.clear();
        let section = self.lesson.section.clone();
        let after_steps = self.lesson.steps.len();
        let exercise = Exercise {
            slug,
            title,
            section,
            minutes,
            task,
            starter,
            after_steps,
            line,
            ..Exercise::default()
        };
        self.lesson.exercises.push(exercise);
        self.owner = ProseOwner::AfterExercise;
        self.open_exercise = true;
        Ok(())
    }

    fn part(
        &mut self,
        name: &str,
        options: DirectiveOptions,
        code: Snippet,
        line: usize,
    ) -> Result<(), Fault> {
        if !self.open_exercise {
            return self.source.fault(line, format!("{{{name}}} belongs to an {{exercise}} above it"));
        }
        let option = |name: &str| options.get(name).map(|(words, _)| words.to_string());
        let exercise = self.lesson.exercises.last_mut().expect("open_exercise is set where one is pushed");
        match (name, option("says")) {
            ("hint", _) => exercise.hints.push(code.source),
            ("solution", _) if !exercise.solution.source.is_empty() => {
                return self.source.fault(line, "this exercise already has a solution");
            }
            ("solution", _) => exercise.solution = code,
            ("check", _) => exercise.checks.push(Check { code, asks: option("asks").unwrap_or_default() }),
            (_, Some(says)) => exercise.attempts.push(Attempt { code, says }),
            (_, None) => {
                return self
                    .source
                    .fault(line, "{attempt} needs `:says:`, words of the message that it gets");
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Lesson, Fault> {
        self.assign_prose();
        self.assign_section();
        if let Some(p) = self.predictions.first() {
            return self.source.fault(p.line, "no code cell follows this {predict}");
        }
        let lesson = &mut self.lesson;
        let missing = lesson.exercises.iter().find_map(|e| {
            let what = if e.hints.len() < 2 {
                "at least two hints"
            } else if e.solution.source.is_empty() {
                "a {solution}"
            } else if e.checks.is_empty() {
                "a {check}"
            } else {
                return None;
            };
            Some((e.line, format!("the exercise `{}` needs {what}", e.slug)))
        });
        if let Some((line, what)) = missing {
            return self.source.fault(line, what);
        }
        if self.lesson.steps.is_empty() {
            return self.source.fault(1, "this lesson has no {code-cell}");
        }
        Ok(self.lesson)
    }
}
