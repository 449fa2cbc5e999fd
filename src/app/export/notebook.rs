//! Exports steps and answers as a notebook that Jupyter opens: cells in order, with their outputs.

use super::material::{ExportPart, ExportedExercise, ExportedStep, Material};
use crate::lesson::ipynb::IpynbWriter;
use crate::lesson::notebook::RecordedOutput;
use crate::view::markdown::{before, joined, question};

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
            notebook.markdown(&format!("{}-title", own.id), &format!("# {} {}\n", own.section, own.title));
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
        notebook.markdown(&format!("{slug}-before"), &joined(&parts));
    }
    let outcome = &run.outcome;
    let output = RecordedOutput {
        stdout: outcome.stdout.clone(),
        stderr: outcome.stderr.clone(),
        result: outcome.result.clone(),
        error: outcome.error.as_ref().map(|raised| (raised.kind.clone(), raised.message.clone())),
        pictures: 0,
    };
    notebook.code(slug, &run.step.code, &output, run.step.raises);
    if !run.silent {
        notebook.markdown(&format!("{slug}-after"), &run.panel.after);
    }
}

fn exercise(exported: &ExportedExercise, notebook: &mut IpynbWriter) {
    let exercise = exported.exercise;
    let head = format!("## {}\n\n{}", exercise.heading(), exercise.task.trim());
    notebook.markdown(&format!("{}-task", exercise.slug), &head);
    notebook.code_without_output(&exercise.slug, exported.code());
    if exported.tried.passed.is_some() {
        notebook.markdown(&format!("{}-after", exercise.slug), &exercise.after);
    }
}
