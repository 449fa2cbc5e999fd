//! `attn reset`: deletes the progress of the chapter, a lesson, a step or an exercise, after asking.

use std::io::IsTerminal;

use super::super::cells::course;
use super::super::learner::stops::{Stop, StopKind, find};
use super::super::learner::store::Store;
use super::super::terminal::prompt::confirmed;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::lesson::progress::{ProgressChange, ResetScope};
use crate::lesson::{Catalogue, Target};

/// What `attn reset` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step, an exercise or a lesson, after a folder of lessons if it is there; without one, everything
    #[arg(value_name = "WHERE|FOLDER", num_args = 0..=2)]
    place: Vec<String>,
    /// Do it without asking
    #[arg(long, short)]
    yes: bool,
}

/// Deletes progress.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let (catalogue, place) = course::of_place(&args.place, shell)?;
    let (what, words) = what(place.as_deref(), &catalogue)?;
    let mut store = Store::read(catalogue.course());
    if store.progress().is_empty() && store.remarks().is_empty() {
        shell.say("There is no progress yet, so there is nothing to delete.\n")?;
        return Ok(Exit::Good);
    }
    if !args.yes {
        if shell.options.no_input || !std::io::stdin().is_terminal() {
            return Err(Failure::Usage(format!(
                "nothing was deleted: to delete {words} without being asked, say --yes"
            )));
        }
        if !confirmed(&format!("Delete {words}: answers, attempts, and what was seen?"), shell)? {
            shell.say("Nothing was forgotten.\n")?;
            return Ok(Exit::Good);
        }
    }
    store.change(ProgressChange::Forget(what));
    let remarks = store.remarks();
    if store.is_behind() {
        return Err(Failure::Unreadable(remarks.join("; ")));
    }
    for remark in remarks {
        shell.remark(&remark);
    }
    shell.say(&format!("Deleted: {words}.\n"))?;
    Ok(Exit::Good)
}

/// What to delete, and its description.
fn what(place: Option<&str>, catalogue: &Catalogue) -> Result<(ResetScope, String), Failure> {
    let Some(place) = place else { return Ok((ResetScope::All, "all progress".to_owned())) };
    if let Ok(Target::Lesson(lesson)) = catalogue.find(place) {
        let words = format!("the progress in {}", lesson.place());
        return Ok((ResetScope::Lesson(lesson.id.clone()), words));
    }
    let stops = Stop::all(catalogue)?;
    let stop = stops[find(&stops, place, catalogue).map_err(Failure::Usage)?];
    let words = match stop.kind {
        StopKind::End => format!("the progress in {}", stop.lesson.title),
        _ => format!("the progress in {}", stop.title()),
    };
    Ok((ResetScope::One(stop.lesson.id.clone(), stop.slug().to_owned()), words))
}
