//! `attn list`: the lessons, their steps and the learner's progress; and what `attn` alone shows without a terminal.

use serde::Serialize;

use super::course;
use super::json::write_json;
use super::shell::{Exit, Failure, Shell};
use super::stops::{Stop, StopKind, resume};
use super::store::Store;
use crate::lesson::progress::Progress;
use crate::lesson::{Catalogue, Exercise, Lesson};
use crate::view::listing::{ListedLesson, ListedStep, Listing, list, welcome};

/// What `attn list` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Lessons only, without their steps
    #[arg(long)]
    lessons: bool,
}

#[derive(Serialize)]
struct ListDocument<'c> {
    schema: &'static str,
    steps: usize,
    done: usize,
    next: Option<String>,
    lessons: Vec<LessonEntry<'c>>,
}

#[derive(Serialize)]
struct LessonEntry<'c> {
    section: &'c str,
    id: &'c str,
    title: &'c str,
    summary: &'c str,
    minutes: u32,
    steps: Vec<ListedStepEntry<'c>>,
    exercises: Vec<&'c str>,
    passed: Vec<&'c str>,
}

#[derive(Serialize)]
struct ListedStepEntry<'c> {
    step: String,
    slug: &'c str,
    title: &'c str,
    done: bool,
}

/// Lists the chapter.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = course::catalogue()?;
    let (lessons, exit) = lessons(&catalogue, shell);
    let progress = progress(shell);
    if shell.options.json {
        let rows: Vec<LessonEntry> = lessons.iter().map(|lesson| row(lesson, &progress)).collect();
        let done = rows.iter().flat_map(|row| &row.steps).filter(|step| step.done).count();
        let document = ListDocument {
            schema: "attn.list/1",
            steps: catalogue.total_steps(),
            done,
            next: next(&catalogue, &progress),
            lessons: rows,
        };
        write_json(&document, shell)?;
        return Ok(exit);
    }
    let next = next(&catalogue, &progress);
    shell.show(&list(&listing(&lessons, &progress, next), !args.lessons, shell.look))?;
    Ok(exit)
}

/// What `attn` alone shows without a terminal: what attn is, its first commands with an example each, and the steps.
pub(crate) fn greet(first: &[(&str, &str)], shell: &mut Shell) -> Result<Exit, Failure> {
    if shell.options.json {
        return run(&Args { lessons: false }, shell);
    }
    let catalogue = course::catalogue()?;
    let (lessons, exit) = lessons(&catalogue, shell);
    let words = "attn teaches self-attention by running it: every step of the chapter is a cell of PyTorch code \
                 that runs here, without Python or PyTorch installed, and shows its tensors.";
    let commands: Vec<(&str, &str)> =
        first.iter().copied().chain([("attn --help", "Everything else")]).collect();
    let progress = progress(shell);
    let next = next(&catalogue, &progress);
    shell.show(&welcome(words, &commands, &listing(&lessons, &progress, next), shell.look))?;
    Ok(exit)
}

/// The learner's progress. A problem with its file is a remark.
fn progress(shell: &mut Shell) -> Progress {
    let mut store = Store::read();
    for remark in store.remarks() {
        shell.remark(&remark);
    }
    store.progress().clone()
}

/// The name of the stop where the walkthrough continues.
fn next(catalogue: &Catalogue, progress: &Progress) -> Option<String> {
    let stops = Stop::all(catalogue).ok()?;
    match stops.get(resume(&stops, progress))?.kind {
        StopKind::Step(step) => Some(step.name()),
        StopKind::Exercise(exercise) => Some(exercise.slug.clone()),
        StopKind::End => None,
    }
}

/// The lessons that can be read. A fault in one is a remark and does not hide the others.
fn lessons<'c>(catalogue: &'c Catalogue, shell: &mut Shell) -> (Vec<&'c Lesson>, Exit) {
    let mut exit = Exit::Good;
    let mut lessons = Vec::new();
    for lesson in catalogue.lessons() {
        match lesson {
            Ok(lesson) => lessons.push(lesson),
            Err(fault) => {
                shell.remark(&format!("a lesson cannot be read: {fault}"));
                exit = Exit::Raised;
            }
        }
    }
    (lessons, exit)
}

fn row<'c>(lesson: &'c Lesson, progress: &Progress) -> LessonEntry<'c> {
    let passed =
        |exercise: &&Exercise| progress.tried(lesson, exercise).is_some_and(|it| it.passed.is_some());
    LessonEntry {
        section: &lesson.section,
        id: &lesson.id,
        title: &lesson.title,
        summary: &lesson.summary,
        minutes: lesson.minutes,
        steps: lesson
            .steps
            .iter()
            .map(|it| ListedStepEntry {
                step: it.name(),
                slug: &it.slug,
                title: &it.title,
                done: progress.done(lesson, it),
            })
            .collect(),
        exercises: lesson.exercises.iter().map(|exercise| exercise.slug.as_str()).collect(),
        passed: lesson.exercises.iter().filter(passed).map(|exercise| exercise.slug.as_str()).collect(),
    }
}

/// The rows of the list.
pub(crate) fn listing(lessons: &[&Lesson], progress: &Progress, next: Option<String>) -> Listing {
    let row = |lesson: &&Lesson| ListedLesson {
        section: lesson.section.clone(),
        title: lesson.title.clone(),
        minutes: lesson.minutes,
        exercises: lesson.exercises.len(),
        steps: lesson
            .steps
            .iter()
            .map(|step| ListedStep {
                number: step.number,
                slug: step.slug.clone(),
                done: progress.done(lesson, step),
            })
            .collect(),
    };
    Listing { title: "chapter 3  Attention".to_owned(), lessons: lessons.iter().map(row).collect(), next }
}
