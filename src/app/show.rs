//! `attn show`: the prose and the code of a step or of a lesson, not run.
//! Room: app. Panels without outputs.

use serde::Serialize;

use super::run::write_json;
use super::shell::{Exit, Failure, Shell};
use super::step::unrun_panel;
use crate::lesson::catalogue::FindError;
use crate::lesson::{Catalogue, Step, Target};
use crate::view::panel;

/// What `attn show` takes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A step (step3, scores) or a lesson (3.4.1)
    #[arg(value_name = "WHERE")]
    place: String,
}

#[derive(Serialize)]
struct Document<'c> {
    schema: &'static str,
    target: &'c str,
    steps: Vec<Shown<'c>>,
}

#[derive(Serialize)]
struct Shown<'c> {
    step: String,
    slug: &'c str,
    section: &'c str,
    title: &'c str,
    prose: &'c str,
    source: &'c str,
}

/// Shows it.
pub fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = Catalogue::new();
    let found = catalogue.find(&args.place).map_err(|error| match error {
        FindError::Unknown { .. } => Failure::Usage(error.to_string()),
        FindError::Broken(fault) => Failure::Unreadable(fault.to_string()),
    })?;
    let steps: Vec<&Step> = match found {
        Target::Step(step) => vec![step],
        Target::Lesson(lesson) => lesson.steps.iter().collect(),
    };
    if shell.wishes.json {
        let steps = steps.into_iter().map(shown).collect();
        write_json(&Document { schema: "attn.show/1", target: &args.place, steps }, shell)?;
        return Ok(Exit::Good);
    }
    for (at, step) in steps.into_iter().enumerate() {
        if at > 0 {
            shell.say("\n")?;
        }
        if let Some(lesson) = catalogue.lesson_of(step) {
            shell.show(&panel(&unrun_panel(step, lesson, &catalogue), shell.look))?;
        }
    }
    Ok(Exit::Good)
}

fn shown(step: &Step) -> Shown<'_> {
    Shown {
        step: step.name(),
        slug: &step.slug,
        section: &step.section,
        title: &step.title,
        prose: &step.prose,
        source: &step.code,
    }
}
