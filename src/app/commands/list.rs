//! `attn list`: the lessons, their steps and the learner's progress; and what `attn` alone shows without a terminal.

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::json::write_json;
use super::super::learner::stops::{self, Stop, StopKind, resume};
use super::super::learner::store::Store;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::lesson::progress::Progress;
use crate::lesson::states::{StepCount, StopState};
use crate::lesson::{Catalogue, Course, Exercise, Lesson, Step};
use crate::view::listing::{Listing, list};

/// What `attn list` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A lesson (3, or 3.4.1) or a step of it: only this lesson; before it or alone, a folder of lessons
    #[arg(value_name = "WHERE|FOLDER", num_args = 0..=2)]
    place: Vec<String>,
    /// Lessons only, without their steps
    #[arg(long)]
    lessons: bool,
}

/// Lists the chapter.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let (catalogue, place) = course::of_place(&args.place, shell)?;
    let (mut lessons, exit) = lessons(&catalogue, shell);
    let progress = progress(catalogue.course(), shell);
    if let Some(place) = &place {
        let stops = Stop::all(&catalogue)?;
        let at = stops::find(&stops, place, &catalogue).map_err(Failure::Usage)?;
        lessons = vec![stops[at].lesson];
    }
    let here = here(&catalogue, &progress);
    let next = here.and_then(|stop| match stop.kind {
        StopKind::Step(step) => Some(step.name()),
        StopKind::Exercise(exercise) => Some(exercise.slug.clone()),
        StopKind::End => None,
    });
    if shell.options.json {
        let all: Vec<&Lesson> = catalogue.lessons().flatten().collect();
        let done = |lesson: &&Lesson| lesson.steps.iter().filter(|it| progress.done(lesson, it)).count();
        let document = json!({
            "schema": "attn.list/1",
            "steps": catalogue.total_steps(),
            "asides": StepCount::of(&all, &progress).asides,
            "done": lessons.iter().map(done).sum::<usize>(),
            "next": next,
            "lessons": lessons.iter().map(|lesson| row(lesson, &progress)).collect::<Vec<_>>(),
        });
        write_json(&document, shell)?;
        return Ok(exit);
    }
    let here = here.map_or(0, |stop| stop.lesson.number);
    let listing = Listing { course: catalogue.course(), lessons: &lessons, progress: &progress, here, next };
    shell.show(&list(&listing, !args.lessons, shell.look))?;
    Ok(exit)
}

/// What `attn` alone shows without a terminal.
pub(crate) fn all(shell: &mut Shell) -> Result<Exit, Failure> {
    run(&Args { place: Vec::new(), lessons: false }, shell)
}

/// The learner's progress. A problem with its file is a remark.
fn progress(course: &Course, shell: &mut Shell) -> Progress {
    let mut store = Store::read(course);
    store.tell(shell);
    store.progress().clone()
}

/// The stop where the walkthrough continues.
fn here<'c>(catalogue: &'c Catalogue, progress: &Progress) -> Option<Stop<'c>> {
    let stops = Stop::all(catalogue).ok()?;
    stops.get(resume(&stops, progress, false)).copied()
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

/// A lesson as the JSON document has it.
fn row(lesson: &Lesson, progress: &Progress) -> Value {
    let exercises = |fits: &dyn Fn(&Exercise) -> bool| -> Vec<&str> {
        lesson.exercises.iter().filter(|it| fits(it)).map(|it| it.slug.as_str()).collect()
    };
    let of_state = |wanted: StopState| exercises(&|it| progress.exercise_state(lesson, it) == wanted);
    let step = |step: &Step| {
        json!({
            "step": step.name(),
            "slug": step.slug,
            "title": step.title,
            "aside": step.is_optional(),
            "done": progress.done(lesson, step),
        })
    };
    json!({
        "number": lesson.number,
        "part": lesson.part,
        "section": lesson.section,
        "id": lesson.id,
        "title": lesson.title,
        "summary": lesson.summary,
        "minutes": lesson.minutes,
        "steps": lesson.steps.iter().map(step).collect::<Vec<_>>(),
        "exercises": exercises(&|_| true),
        "passed": of_state(StopState::Finished),
        "skipped": of_state(StopState::Skipped),
        "tried": of_state(StopState::Wrong),
    })
}
