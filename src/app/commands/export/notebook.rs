//! Exports steps and answers as a notebook that Jupyter opens: cells in order, with their outputs.

use super::markdown::without_links;
use super::material::{ExportPart, ExportedExercise, ExportedStep, Material};
use crate::lesson::ipynb::IpynbWriter;
use crate::lesson::notebook::{RAISES, RecordedOutput, VARIES};
use crate::session::Outcome;
use crate::view::markdown::{before, fenced, joined, question};

/// The text of the notebook.
pub(crate) fn of(material: &Material) -> String {
    let mut notebook = IpynbWriter::default();
    let mut lesson = "";
    for part in &material.parts {
        let own = match part {
            ExportPart::Step(run) => run.lesson,
            ExportPart::Exercise(exported) => exported.lesson,
        };
        if own.id != lesson {
            lesson = &own.id;
            notebook.markdown(&format!("{}-title", own.id), &format!("# {}\n", own.heading()));
        }
        match part {
            ExportPart::Step(run) => step(run, &mut notebook),
            ExportPart::Exercise(exported) => exercise(exported, &mut notebook),
        }
    }
    notebook.finish()
}

fn step(run: &ExportedStep, notebook: &mut IpynbWriter) {
    let slug = &run.step.slug;
    if !run.silent {
        let mut parts = vec![before(&run.panel)];
        parts.extend(run.asked.iter().map(question));
        notebook.markdown(&format!("{slug}-before"), &without_links(&joined(&parts)));
    }
    let tags = [(RAISES, run.step.raises), (VARIES, run.step.varies)];
    let tags: Vec<&str> = tags.into_iter().filter_map(|(tag, applies)| applies.then_some(tag)).collect();
    notebook.code(slug, &run.step.code, &recorded(&run.outcome), &tags);
    if !run.silent {
        notebook.markdown(&format!("{slug}-after"), &without_links(&run.panel.after));
    }
}

/// An outcome, to be stored with its cell.
pub(crate) fn recorded(outcome: &Outcome) -> RecordedOutput {
    RecordedOutput {
        stdout: outcome.stdout.clone(),
        stderr: outcome.stderr.clone(),
        result: outcome.result.clone(),
        error: outcome.error.as_ref().map(|raised| (raised.kind.clone(), raised.message.clone())),
        pictures: 0,
    }
}

/// The task and the learner's code. It is no cell: the lesson goes on without what it changes.
fn exercise(exported: &ExportedExercise, notebook: &mut IpynbWriter) {
    let exercise = exported.exercise;
    let task = format!("## {}\n\n{}", exercise.heading(), exercise.task.trim());
    let mut parts = vec![task, fenced("python", exported.code())];
    if exported.tried.passed.is_some() {
        parts.push(exercise.after.clone());
    }
    notebook.markdown(&exercise.slug, &without_links(&joined(&parts)));
}
