//! `attn list`: lessons and steps; and what `attn` alone says of itself.
//! Room: app. The catalogue to a listing; the view lays it out.

use serde::Serialize;

use super::run::write_json;
use super::shell::{Exit, Failure, Shell};
use super::verbs::VERBS;
use crate::lesson::{Catalogue, Lesson};
use crate::view::listing::{LessonRow, Listing, StepRow, list, welcome};

/// What `attn list` takes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Lessons only, without their steps
    #[arg(long)]
    lessons: bool,
}

#[derive(Serialize)]
struct Document<'c> {
    schema: &'static str,
    steps: usize,
    lessons: Vec<Row<'c>>,
}

#[derive(Serialize)]
struct Row<'c> {
    section: &'c str,
    id: &'c str,
    title: &'c str,
    summary: &'c str,
    minutes: u32,
    steps: Vec<Step<'c>>,
    exercises: Vec<&'c str>,
}

#[derive(Serialize)]
struct Step<'c> {
    step: String,
    slug: &'c str,
    title: &'c str,
}

/// Lists the chapter.
pub fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = Catalogue::new();
    let (lessons, exit) = lessons(&catalogue, shell);
    if shell.wishes.json {
        let rows = lessons.iter().map(|lesson| row(lesson)).collect();
        let document = Document { schema: "attn.list/1", steps: catalogue.total_steps(), lessons: rows };
        write_json(&document, shell)?;
        return Ok(exit);
    }
    shell.show(&list(&listing(&lessons), !args.lessons, shell.look))?;
    Ok(exit)
}

/// What `attn` alone says: what it is, what can be typed, and the steps.
pub fn greet(shell: &mut Shell) -> Result<Exit, Failure> {
    if shell.wishes.json {
        return run(&Args { lessons: false }, shell);
    }
    let catalogue = Catalogue::new();
    let (lessons, exit) = lessons(&catalogue, shell);
    let words = "attn teaches self-attention by running it: every step of the chapter is a cell of PyTorch code \
                 that runs here, without Python or PyTorch installed, and shows its tensors.";
    let commands: Vec<(&str, &str)> = VERBS
        .iter()
        .filter(|verb| verb.first)
        .map(|verb| (verb.examples.lines().next().unwrap_or_default().trim(), verb.line))
        .chain([("attn --help", "Everything else")])
        .collect();
    shell.show(&welcome(words, &commands, &listing(&lessons), shell.look))?;
    Ok(exit)
}

/// The lessons that can be read; a fault in one is a remark and does not hide the others.
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

fn row(lesson: &Lesson) -> Row<'_> {
    let step = |step: &'_ crate::lesson::Step| step.name();
    Row {
        section: &lesson.section,
        id: &lesson.id,
        title: &lesson.title,
        summary: &lesson.summary,
        minutes: lesson.minutes,
        steps: lesson
            .steps
            .iter()
            .map(|it| Step { step: step(it), slug: &it.slug, title: &it.title })
            .collect(),
        exercises: lesson.exercises.iter().map(|exercise| exercise.slug.as_str()).collect(),
    }
}

fn listing(lessons: &[&Lesson]) -> Listing {
    let step =
        |step: &crate::lesson::Step| StepRow { number: step.number, slug: step.slug.clone(), done: false };
    let row = |lesson: &&Lesson| LessonRow {
        section: lesson.section.clone(),
        title: lesson.title.clone(),
        minutes: lesson.minutes,
        exercises: lesson.exercises.len(),
        steps: lesson.steps.iter().map(step).collect(),
    };
    Listing {
        title: "chapter 3  Attention".to_owned(),
        lessons: lessons.iter().map(row).collect(),
        next: None,
    }
}
