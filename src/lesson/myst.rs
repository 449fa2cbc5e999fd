//! One lesson file: MyST Markdown to a [`Lesson`].
//! Text in, data or a [`Fault`] out.
//!
//! A step is a heading (`##`), prose, any `{predict}`, a `{code-cell}`, its `{output}`, and prose after it.
//! What stands between an output and the next heading belongs to the step before. An exercise is a heading,
//! prose (the task), `{exercise}` with the starter, hints, a solution, checks. Raw HTML folds things on
//! GitHub and is passed over. Source: MyST notebooks as jupytext reads and writes them.

use std::collections::HashSet;
use std::ops::Range;

use serde::Deserialize;

use super::exercise::{Attempt, Code, Exercise, Prediction};
use super::fence::{Options, Source};
use super::markdown::{Block, Kind, blocks};
use super::vocabulary::{DIRECTIVES, FRONT_MATTER, directive};
use super::{Fault, Lesson};

/// Reads a lesson. `file` is its name in faults; `first` is the number of its first step in the chapter.
/// Errors: the first fault in reading order.
pub fn parse(file: &str, text: &str, first: usize) -> Result<Lesson, Fault> {
    let mut reader = Reader::new(file, text, first);
    for block in blocks(text) {
        reader.block(&block)?;
    }
    reader.finish()
}

#[derive(Deserialize)]
struct Front {
    id: String,
    title: String,
    section: String,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    tokens: Vec<String>,
    summary: String,
    minutes: u32,
    #[serde(default)]
    needs: Vec<String>,
}

/// What the prose that is being read belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Intro,
    Before,
    AfterStep,
    AfterExercise,
}

struct Reader<'t> {
    source: Source<'t>,
    text: &'t str,
    lesson: Option<Lesson>,
    first: usize,
    place: Place,
    title: String,
    prose: Option<Range<usize>>, // bytes of the text that wait for an owner
    pieces: Vec<String>,
    predictions: Vec<Prediction>,
    slugs: HashSet<String>,
    last_was_cell: bool,
    open_exercise: bool,
}

impl<'t> Reader<'t> {
    fn new(file: &'t str, text: &'t str, first: usize) -> Self {
        Reader {
            source: Source { file },
            text,
            lesson: None,
            first,
            place: Place::Intro,
            title: String::new(),
            prose: None,
            pieces: Vec::new(),
            predictions: Vec::new(),
            slugs: HashSet::new(),
            last_was_cell: false,
            open_exercise: false,
        }
    }

    fn lesson(&mut self) -> &mut Lesson {
        self.lesson.as_mut().expect("front matter is demanded before any other block")
    }

    fn block(&mut self, block: &Block) -> Result<(), Fault> {
        if let Kind::Front(yaml) = &block.kind {
            return self.front(yaml, block.line);
        }
        if self.lesson.is_none() {
            return self.source.fault(1, "a lesson starts with its front matter between two lines `---`");
        }
        match &block.kind {
            Kind::Front(_) | Kind::Html => self.cut(),
            Kind::Heading(1, _) => {}
            Kind::Heading(_, words) => {
                self.settle();
                self.orphan();
                if !self.predictions.is_empty() {
                    return self
                        .source
                        .fault(self.predictions[0].line, "no code cell follows this {predict}");
                }
                self.title = words.clone();
                self.place = Place::Before;
                self.open_exercise = false;
                self.last_was_cell = false;
            }
            Kind::Prose => {
                self.last_was_cell = false;
                self.extend(&block.range);
            }
            Kind::Fence { info, body } if info.starts_with('{') => {
                self.directive(info, body, block)?;
            }
            Kind::Fence { .. } => {
                self.last_was_cell = false;
                self.extend(&block.range);
            }
        }
        Ok(())
    }

    // Prose is kept as the file has it, from the first block of a run to the last.
    fn extend(&mut self, range: &Range<usize>) {
        match &mut self.prose {
            Some(run) => run.end = range.end,
            None => self.prose = Some(range.clone()),
        }
    }

    fn cut(&mut self) {
        if let Some(run) = self.prose.take() {
            self.pieces.push(self.text[run].trim().to_string());
        }
    }

    fn take_prose(&mut self) -> String {
        self.cut();
        std::mem::take(&mut self.pieces).join("\n\n")
    }

    /// Gives waiting prose to what it stands after.
    fn settle(&mut self) {
        let place = self.place;
        if place == Place::Before {
            return;
        }
        let prose = self.take_prose();
        if prose.is_empty() {
            return;
        }
        let lesson = self.lesson();
        let into = match place {
            Place::AfterStep => lesson.steps.last_mut().map(|s| &mut s.after),
            Place::AfterExercise => lesson.exercises.last_mut().map(|e| &mut e.after),
            _ => Some(&mut lesson.intro),
        };
        if let Some(into) = into {
            if !into.is_empty() {
                into.push_str("\n\n");
            }
            into.push_str(&prose);
        }
    }

    /// A heading with prose and no cell: goes, heading and all, to what stands before it.
    fn orphan(&mut self) {
        if self.place != Place::Before {
            return;
        }
        let prose = self.take_prose();
        if prose.is_empty() {
            return;
        }
        let titled = format!("### {}\n\n{prose}", self.title);
        let lesson = self.lesson();
        let after_exercise = lesson.exercises.last().is_some_and(|e| e.after_steps == lesson.steps.len());
        let into = if after_exercise {
            lesson.exercises.last_mut().map(|e| &mut e.after)
        } else {
            lesson.steps.last_mut().map(|s| &mut s.after)
        };
        let into = match into {
            Some(into) => into,
            None => &mut lesson.intro,
        };
        if !into.is_empty() {
            into.push_str("\n\n");
        }
        into.push_str(&titled);
    }

    fn front(&mut self, yaml: &str, line: usize) -> Result<(), Fault> {
        let table = self.source.mapping(yaml, line + 1)?;
        for key in table.keys().filter_map(|k| k.as_str()) {
            if !FRONT_MATTER.iter().any(|w| w.name == key) {
                let at = line + 1 + yaml.lines().position(|l| l.starts_with(key)).unwrap_or(0);
                let what = format!("the front matter has no key `{key}`");
                return self.source.unknown(at, what, key, FRONT_MATTER.iter().map(|w| w.name));
            }
        }
        let front: Front = match yaml_serde::from_value(yaml_serde::Value::Mapping(table)) {
            Ok(front) => front,
            Err(e) => return self.source.fault(line, format!("front matter: {e}")),
        };
        self.lesson = Some(Lesson {
            id: front.id,
            title: front.title,
            section: front.section,
            also: front.also,
            tokens: front.tokens,
            summary: front.summary,
            minutes: front.minutes,
            needs: front.needs,
            file: self.source.file.to_string(),
            text: self.text.to_string(),
            intro: String::new(),
            steps: Vec::new(),
            exercises: Vec::new(),
        });
        Ok(())
    }

    fn directive(&mut self, info: &str, body: &str, block: &Block) -> Result<(), Fault> {
        let Some(name) = info[1..].split_once('}').map(|(name, _)| name.trim()) else {
            return self.source.fault(block.line, format!("`{info}`: the directive's name lacks its `}}`"));
        };
        let Some(known) = directive(name) else {
            let what = format!("there is no directive `{{{name}}}`");
            return self.source.unknown(block.line, what, name, DIRECTIVES.iter().map(|d| d.name));
        };
        self.cut();
        let after_cell = std::mem::replace(&mut self.last_was_cell, false);
        if name == "output" {
            if !after_cell {
                return self.source.fault(block.line, "{output} stands right under its {code-cell}");
            }
            if let Some(step) = self.lesson().steps.last_mut() {
                step.recorded = Some(body.to_string());
            }
            return Ok(());
        }
        if name == "predict" {
            self.settle();
            if self.place != Place::Before {
                self.place = Place::Before;
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

    fn slug(&mut self, options: &Options, line: usize) -> Result<String, Fault> {
        let Some((slug, at)) = options.get("name") else {
            return self.source.fault(line, "this block needs a `:name:`");
        };
        let fine = slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if slug.is_empty() || !fine {
            return self.source.fault(at, format!("`{slug}`: a name has small letters, digits and hyphens"));
        }
        if !self.slugs.insert(slug.to_string()) {
            return self.source.fault(at, format!("the name `{slug}` stands twice in this lesson"));
        }
        Ok(slug.to_string())
    }

    fn cell(&mut self, options: Options, code: Code, line: usize) -> Result<(), Fault> {
        self.settle();
        let mut step = self.source.step(&options)?;
        step.slug = self.slug(&options, line)?;
        if code.source.is_empty() {
            return self.source.fault(line, "this code cell is empty");
        }
        if self.place == Place::Before {
            step.prose = self.take_prose();
        }
        step.title = std::mem::take(&mut self.title);
        step.predictions = std::mem::take(&mut self.predictions);
        step.code = code.source;
        step.line = code.line;
        step.number = self.first + self.lesson().steps.len();
        step.section = self.lesson().section.clone();
        self.lesson().steps.push(step);
        self.place = Place::AfterStep;
        self.last_was_cell = true;
        self.open_exercise = false;
        Ok(())
    }

    fn exercise(&mut self, options: Options, starter: Code, line: usize) -> Result<(), Fault> {
        self.settle();
        let slug = self.slug(&options, line)?;
        let title = options.get("title").map_or_else(|| self.title.clone(), |(title, _)| title.to_string());
        let minutes = match options.get("minutes").map(|(n, at)| (n.parse::<u32>(), at)) {
            Some((Err(_), at)) => return self.source.fault(at, "`:minutes:` is a whole number"),
            Some((Ok(minutes), _)) => minutes,
            None => 5,
        };
        let task = if self.place == Place::Before { self.take_prose() } else { String::new() };
        if task.is_empty() {
            return self
                .source
                .fault(line, "the task of an {exercise} stands as prose between its heading and it");
        }
        self.title.clear();
        let section = self.lesson().section.clone();
        let after_steps = self.lesson().steps.len();
        self.lesson().exercises.push(Exercise {
            slug,
            title,
            section,
            minutes,
            task,
            starter,
            hints: Vec::new(),
            solution: Code::default(),
            checks: Vec::new(),
            attempts: Vec::new(),
            after: String::new(),
            after_steps,
            line,
        });
        self.place = Place::AfterExercise;
        self.open_exercise = true;
        Ok(())
    }

    fn part(&mut self, name: &str, options: Options, code: Code, line: usize) -> Result<(), Fault> {
        if !self.open_exercise {
            return self.source.fault(line, format!("{{{name}}} belongs to an {{exercise}} above it"));
        }
        let says = options.get("says").map(|(words, _)| words.to_string());
        if name == "attempt" && says.is_none() {
            return self.source.fault(line, "{attempt} needs `:says:`, words of the message it must get");
        }
        let solved = |e: &Exercise| !e.solution.source.is_empty();
        let exercise = self.lesson().exercises.last_mut().expect("open_exercise is set where one is pushed");
        match name {
            "hint" => exercise.hints.push(code.source),
            "solution" if solved(exercise) => {
                return self.source.fault(line, "this exercise has a solution already");
            }
            "solution" => exercise.solution = code,
            "check" => exercise.checks.push(code),
            _ => exercise.attempts.push(Attempt { code, says: says.unwrap_or_default() }),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Lesson, Fault> {
        if self.lesson.is_none() {
            return self.source.fault(1, "a lesson starts with its front matter between two lines `---`");
        }
        self.settle();
        self.orphan();
        if let Some(p) = self.predictions.first() {
            return self.source.fault(p.line, "no code cell follows this {predict}");
        }
        let lesson = self.lesson();
        let lack = lesson.exercises.iter().find_map(|e| {
            let what = if e.hints.len() < 2 {
                "two hints at least"
            } else if e.solution.source.is_empty() {
                "a {solution}"
            } else if e.checks.is_empty() {
                "a {check}"
            } else {
                return None;
            };
            Some((e.line, format!("the exercise `{}` needs {what}", e.slug)))
        });
        if let Some((line, what)) = lack {
            return self.source.fault(line, what);
        }
        if self.lesson().steps.is_empty() {
            return self.source.fault(1, "this lesson has no {code-cell}");
        }
        Ok(self.lesson.expect("looked at above"))
    }
}
