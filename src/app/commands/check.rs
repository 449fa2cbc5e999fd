//! `attn check`: runs files again and compares their outputs with the recorded ones; without a file, all lessons.

use std::path::Path;

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::cells::document::of_cell;
use super::super::cells::evidence::output_of;
use super::super::cells::machine;
use super::super::cells::plan::{self, Plan, PlannedCell};
use super::super::cells::processes;
use super::super::cells::runner::{FinishedCell, Runner, unexpected};
use super::super::cells::workspace::Workspace;
use super::super::file;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::options::GlobalOptions;
use crate::kernel::random::Family;
use crate::kernel::threads;
use crate::lesson::compare::{TOLERANCE, Verdict, compare, compare_output, compare_step};
use crate::lesson::front_matter::is_lesson;
use crate::lesson::recording::with_outputs;
use crate::lesson::{Catalogue, Fault, Glossary, Lesson, gate, myst, terms};
use crate::session::Outcome;
use crate::shims::outside::fs;
use crate::view::check::{self as report, CheckedCell, CheckedFile};
use crate::view::quantity::counted;

/// What `attn check` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Notebooks, Markdown files or folders of lessons, - for stdin; without any, all lessons of the chapter. Times, devices
    /// and builds may differ by machine; a cell tagged `nbval-ignore-output` or `varies` is not compared, and one tagged
    /// `raises-exception` may raise
    #[arg(value_name = "FILE|FOLDER", value_hint = clap::ValueHint::AnyPath)]
    files: Vec<String>,
    /// How far a number may be from the recorded one: absolute up to 1, relative beyond
    #[arg(long, value_name = "X", value_parser = tolerance, default_value = "0", allow_negative_numbers = true)]
    tolerance: f64,
    /// Write what the cells show now into the lessons of a folder of your own, under each cell; nothing else in them changes
    #[arg(long)]
    write: bool,
}

fn tolerance(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("it is a number that is not negative: 1e-4".to_owned()),
    }
}

/// Checks each file, shows where they differ, and fails if any does.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let chapter = course::catalogue()?;
    let targets = targets(&args.files, &chapter)?;
    let mut all = Vec::new();
    for target in &targets {
        let catalogue = target.catalogue.as_ref().unwrap_or(&chapter);
        let checker = Checker::new(catalogue, args, shell)?;
        let parts = match target.file {
            None => of_course(catalogue),
            Some(file) if is_glossary(file) => vec![Part::Glossary(file)],
            Some(file) => vec![Part::File(file)],
        };
        all.push((checker, parts));
    }
    let parts: Vec<(&Checker, &Part)> =
        all.iter().flat_map(|(checker, parts)| parts.iter().map(move |part| (checker, part))).collect();
    let names: Vec<String> = parts.iter().map(|(_, part)| part.file().to_owned()).collect();
    let one = |index: usize, shell: &mut Shell| {
        let (checker, part) = parts[index];
        match part {
            Part::Lesson(Ok(lesson)) => checker.lesson(lesson, lesson.file.clone()),
            Part::Lesson(Err(fault)) => Ok(faulty(fault)),
            Part::Glossary(_) => Ok(checker.glossary()),
            Part::File(file) => checker.file(file, shell),
        }
    };
    let mut files: Vec<FileReport> = Vec::new();
    let mut exit = Exit::Good;
    processes::each(&names, threads::count(), shell, one, |index, ran, _| {
        let (file, cells) = ran.unwrap_or_else(|text| {
            exit = Exit::Raised;
            of_fault(names[index].clone(), text)
        });
        exit = exit.max(if file.is_good() { Exit::Good } else { Exit::Failed });
        files.push((file, cells));
        Ok(true)
    })?;
    if shell.options.json {
        for (file, cells) in &files {
            let document = json!({
                "schema": "attn.check/1",
                "target": file.file,
                "ok": file.is_good(),
                "cells": cells,
                "faults": file.faults,
                "hint": file.hint,
            });
            write_json(&document, shell)?;
        }
    } else {
        let files: Vec<CheckedFile> = files.into_iter().map(|(file, _)| file).collect();
        shell.show(&report::report(&files, shell.look))?;
    }
    Ok(exit)
}

/// What a word of the command line means.
struct Target<'a> {
    /// Its course; `None`: the chapter.
    catalogue: Option<Catalogue>,
    /// The file; `None`: all of the course.
    file: Option<&'a str>,
}

/// The words of the command line. Errors: there is no such folder, or its lessons cannot be read.
fn targets<'a>(words: &'a [String], chapter: &Catalogue) -> Result<Vec<Target<'a>>, Failure> {
    if words.is_empty() {
        return Ok(vec![Target { catalogue: None, file: None }]);
    }
    let target = |word: &'a String| match course::is_folder(word, chapter)? {
        true => Ok(Target { catalogue: Some(course::in_folder(Path::new(word))?), file: None }),
        false => {
            let catalogue = course_of(word).map(course::in_folder).transpose()?;
            Ok(Target { catalogue, file: Some(word.as_str()) })
        }
    };
    words.iter().map(target).collect()
}

/// What is checked by itself.
enum Part<'c> {
    Lesson(Result<&'c Lesson, Fault>),
    /// The glossary of the course.
    Glossary(&'c str),
    /// A file on the command line.
    File(&'c str),
}

impl Part<'_> {
    fn file(&self) -> &str {
        match self {
            Part::Lesson(Ok(lesson)) => &lesson.file,
            Part::Lesson(Err(fault)) => &fault.file,
            Part::Glossary(file) | Part::File(file) => file,
        }
    }
}

/// All lessons of a course, its glossary, and the questions of readers.
fn of_course(catalogue: &Catalogue) -> Vec<Part<'_>> {
    // Of a course with translations, those are checked: the other lessons are as they were.
    let translated = catalogue.has_translations();
    let own =
        |read: &Result<&Lesson, Fault>| read.as_ref().map_or(true, |it| it.lang.is_some()) || !translated;
    let mut parts: Vec<Part> = catalogue.lessons().filter(own).map(Part::Lesson).collect();
    let is_own = |file: &str| {
        !translated || catalogue.course().folder.as_ref().is_some_and(|it| Path::new(file).starts_with(it))
    };
    let glossary = catalogue.glossary_file();
    if !glossary.text.is_empty() && is_own(&glossary.path) {
        parts.push(Part::Glossary(&glossary.path));
    }
    let faq = catalogue.faq().filter(|faq| faq.as_ref().map_or(true, |faq| is_own(&faq.file)));
    parts.extend(faq.map(Part::Lesson));
    parts
}

/// The folder of the course to which a file belongs; `None` for the chapter and for what is no lesson.
fn course_of(word: &str) -> Option<&Path> {
    let path = Path::new(word);
    let belongs = is_glossary(word)
        || word.ends_with(".md") && fs::read_to_string(path).is_ok_and(|text| is_lesson(&text));
    course::course_folder(path).filter(|_| belongs)
}

struct Checker<'c> {
    catalogue: &'c Catalogue,
    tolerance: f64,
    /// Whether outputs that differ are written into the lessons.
    write: bool,
    options: GlobalOptions,
    glossary: Result<Glossary, Fault>,
}

/// Whether a word on the command line is a glossary's file.
fn is_glossary(word: &str) -> bool {
    Path::new(word).file_name().is_some_and(|name| name == "glossary.md")
}

/// The report on a file, and its cells for the JSON document.
type FileReport = (CheckedFile, Vec<Value>);

impl<'c> Checker<'c> {
    /// A checker of files of a course.
    fn new(catalogue: &'c Catalogue, args: &Args, shell: &Shell) -> Result<Checker<'c>, Failure> {
        if args.write && catalogue.course().own.is_none() {
            return Err(Failure::Usage(
                "--write is for lessons of your own: name their folder, `attn check my-course --write`; the outputs of the \
                 chapter are recorded with PyTorch"
                    .to_owned(),
            ));
        }
        let mut options = shell.options.clone();
        if let Some(folder) = &catalogue.course().folder {
            options.folder.clone_from(folder);
        }
        let glossary = catalogue.glossary();
        Ok(Checker { catalogue, tolerance: args.tolerance, write: args.write, options, glossary })
    }

    /// Checks a file: a lesson if its front matter says so, else cells with recorded outputs.
    fn file(&self, word: &str, shell: &mut Shell) -> Result<FileReport, Failure> {
        let document = plan::open(Path::new(word))?;
        if let Some(read) = self.read_lesson(word) {
            return match read {
                Ok(lesson) => self.lesson(&lesson, word.to_owned()),
                Err(fault) => Ok(faulty(&fault)),
            };
        }
        if self.write {
            return Err(Failure::Usage(format!(
                "{word} is no lesson, and --write is for lessons: `attn export {word} -o OUT` writes its cells with what \
                 they show"
            )));
        }
        let plan = plan::from_file(word, document, None)?;
        plan.show_remarks(shell);
        let mut workspace = plan.workspace(&self.options);
        let (cells, documents) = self.cells(&plan, &mut workspace)?;
        let hint = self.random_hint(&workspace, &cells);
        Ok((CheckedFile { file: plan.target, cells, hint, ..CheckedFile::default() }, documents))
    }

    /// Checks the glossary against the lessons of the catalogue.
    fn glossary(&self) -> FileReport {
        let glossary = match &self.glossary {
            Ok(glossary) => glossary,
            Err(fault) => return faulty(fault),
        };
        let lessons: Vec<&Lesson> = self.catalogue.lessons().filter_map(Result::ok).collect();
        // A translation has other headings, and a lesson that cannot be read has no steps.
        let unread = self.catalogue.lessons().any(|lesson| lesson.is_err());
        let (faults, checked) = match unread || lessons.iter().any(|lesson| lesson.lang.is_some()) {
            true => (Vec::new(), "readable"),
            false => (
                terms::in_glossary(glossary, &self.catalogue.glossary_file().text, &lessons),
                "each explained where first linked",
            ),
        };
        let faults = faults.iter().map(Fault::to_string).collect();
        let instead = Some(format!("{}, {checked}", counted(glossary.terms.len(), "term")));
        (CheckedFile { file: glossary.file.clone(), faults, instead, ..CheckedFile::default() }, Vec::new())
    }

    /// A Markdown file as a lesson, if its front matter says that it is one.
    fn read_lesson(&self, word: &str) -> Option<Result<Lesson, Fault>> {
        let text = fs::read_to_string(word).ok().filter(|_| word.ends_with(".md"))?;
        let numbered = |mut lesson: Lesson| {
            self.catalogue.renumber(&mut lesson)?;
            Ok(lesson)
        };
        is_lesson(&text).then(|| myst::parse(word, &text, 1).and_then(numbered))
    }

    /// Runs a lesson and checks all its claims.
    fn lesson(&self, lesson: &Lesson, file: String) -> Result<FileReport, Failure> {
        let options = GlobalOptions { random: Some(Family::Book), ..self.options.clone() };
        let presses = machine::presses();
        let glossary = self.glossary.clone().unwrap_or_default();
        let checked = gate::check(self.catalogue, lesson, &glossary, &|| machine::session(&options));
        if machine::presses() != presses {
            return Err(Failure::Stopped);
        }
        let report = match checked {
            Ok(report) => report,
            Err(fault) => return Ok(faulty(&fault)),
        };
        let (mut cells, mut outputs) = (Vec::new(), Vec::new());
        for (index, ran) in report.steps.iter().enumerate() {
            let step = ran.step;
            let failure = unexpected(step.raises, &ran.outcome);
            if failure.is_some_and(|raised| raised.interrupted) {
                return Err(Failure::Stopped);
            }
            let mut verdict = match step.varies {
                true => Verdict::Same,
                false => compare_step(step.recorded.as_deref(), &ran.shown, self.tolerance).verdict,
            };
            // A lesson must record everything that its cells show.
            if verdict == Verdict::Unrecorded || failure.is_some() {
                verdict = Verdict::Differs;
            }
            let is_recorded =
                compare_step(step.recorded.as_deref(), &ran.shown, 0.0).verdict == Verdict::Same;
            if self.write && !is_recorded && !step.varies && failure.is_none() {
                outputs.push((step.line, ran.shown.as_str()));
                verdict = Verdict::Same;
            }
            let planned = PlannedCell::of_step((step, lesson), false);
            let (line, actual) = (Some(step.line), ran.shown.clone());
            let checked = CheckedCell { line, verdict, actual, ..CheckedCell::default() };
            cells.push(reported(index, &planned, &ran.outcome, step.recorded.clone(), checked));
        }
        let hint = (!outputs.is_empty()).then(|| format!("{} written", counted(outputs.len(), "output")));
        if hint.is_some() {
            file::write(Path::new(&lesson.file), &with_outputs(&lesson.text, &outputs)).map_err(|error| {
                Failure::Unreadable(format!("{} cannot be written: {error}", lesson.file))
            })?;
        }
        // Outputs that differ are shown as cells.
        let faults = report.faults.iter().map(Fault::to_string).collect();
        let (cells, documents) = cells.into_iter().unzip();
        Ok((CheckedFile { file, cells, faults, hint, ..CheckedFile::default() }, documents))
    }

    /// Runs all cells of a file, also after one that raises.
    fn cells<'p>(
        &self,
        plan: &Plan<'p>,
        workspace: &mut Workspace<'p>,
    ) -> Result<(Vec<CheckedCell>, Vec<Value>), Failure> {
        let mut runner = Runner::new(workspace, &plan.cells).by_evidence().keep_going(true);
        let mut cells = Vec::new();
        for FinishedCell { index, cell, outcome, .. } in runner.by_ref() {
            let recorded = cell.recorded.as_ref().map(|recorded| recorded.shown());
            let actual = output_of(&outcome);
            let mut verdict = match cell.varies {
                true => Verdict::Same,
                false => compare_output(recorded.as_deref(), &actual, self.tolerance).verdict,
            };
            let mut remark = None;
            if verdict == Verdict::Unrecorded && outcome.error.is_some() {
                verdict = Verdict::Differs;
                remark = Some("nothing is recorded for this cell, and now it raises".to_owned());
            }
            if verdict == Verdict::Differs && remark.is_none() && self.tolerance < TOLERANCE {
                let wider = compare(recorded.as_deref(), &actual, TOLERANCE);
                if let (Verdict::Close, Some(worst)) = (wider.verdict, wider.worst) {
                    remark = Some(format!(
                        "the numbers differ by at most {worst:.0e}: --tolerance {TOLERANCE} takes them as close"
                    ));
                }
            }
            let is_text = plan.target.ends_with(".md") || plan.target.ends_with(".py");
            let line = is_text.then_some(cell.line);
            let checked = CheckedCell { line, verdict, actual, remark, ..CheckedCell::default() };
            cells.push(reported(index, cell, &outcome, recorded, checked));
        }
        if runner.is_interrupted() { Err(Failure::Stopped) } else { Ok(cells.into_iter().unzip()) }
    }

    /// What to say about the random numbers that depend on the build of PyTorch.
    fn random_hint(&self, workspace: &Workspace, cells: &[CheckedCell]) -> Option<String> {
        let drawn = workspace.session.state().family_draws.get() > 0;
        let differs = cells.iter().any(|cell| cell.verdict == Verdict::Differs);
        match (self.options.random, workspace.options().random) {
            (None, Some(Family::Mkl)) => {
                Some("random dropout: drawn as with --random mkl, which fits what is recorded".to_owned())
            }
            (None, None) if drawn && differs && workspace.session.has_written() => Some(
                "random dropout: drawn as in the book, since cells have written files; try --random mkl"
                    .to_owned(),
            ),
            (Some(_), _) if drawn && differs => {
                Some("random dropout: without --random, it is drawn as what is recorded shows".to_owned())
            }
            _ => None,
        }
    }
}

/// A cell that ran again, for the report and for the document.
fn reported(
    index: usize,
    cell: &PlannedCell,
    outcome: &Outcome,
    recorded: Option<String>,
    checked: CheckedCell,
) -> (CheckedCell, Value) {
    let mut document = of_cell(index, cell, outcome, None);
    document["recorded"] = json!(recorded);
    document["verdict"] = json!(checked.verdict);
    (CheckedCell { title: cell.title(), recorded: recorded.unwrap_or_default(), ..checked }, document)
}

fn faulty(fault: &Fault) -> FileReport {
    of_fault(fault.file.clone(), fault.to_string())
}

fn of_fault(file: String, fault: String) -> FileReport {
    (CheckedFile { file, faults: vec![fault], ..CheckedFile::default() }, Vec::new())
}
