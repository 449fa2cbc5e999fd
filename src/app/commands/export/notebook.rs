//! Exports steps and answers as a notebook that Jupyter opens: cells in order, with their outputs.

use super::markdown::without_links;
use super::material::{ExportPart, ExportedExercise, ExportedStep, Material};
use crate::lesson::ipynb::IpynbWriter;
use crate::lesson::notebook::{RAISES, RecordedOutput, VARIES};
use crate::session::Outcome;
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

/// Code that keeps these tensors of the lesson, and code that restores them and the stream of random numbers.
fn guard(names: &[String]) -> (String, String) {
    let listed = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let before = format!(
        "# The next cell changes tensors of the lesson. It goes on with these.\n\
         _stream = torch.get_rng_state()\n\
         _kept = [(name, globals()[name], globals()[name].detach().clone()) for name in [{listed}]]"
    );
    let after = "with torch.no_grad():\n    \
                 for _name, _tensor, _numbers in _kept:\n        \
                 globals()[_name] = _tensor.copy_(_numbers)\n\
                 torch.set_rng_state(_stream)";
    (before, after.to_owned())
}

fn exercise(exported: &ExportedExercise, notebook: &mut IpynbWriter) {
    let exercise = exported.exercise;
    let head = format!("## {}\n\n{}", exercise.heading(), exercise.task.trim());
    notebook.markdown(&format!("{}-task", exercise.slug), &without_links(&head));
    // What the learner's code overwrites, the lesson goes on with as it was.
    let guard = (!exported.overwritten.is_empty()).then(|| guard(&exported.overwritten));
    if let Some((before, _)) = &guard {
        notebook.code_without_output(&format!("{}-keep", exercise.slug), before);
    }
    notebook.code_without_output(&exercise.slug, exported.code());
    if let Some((_, after)) = &guard {
        notebook.code_without_output(&format!("{}-restore", exercise.slug), after);
    }
    if exported.tried.passed.is_some() {
        notebook.markdown(&format!("{}-after", exercise.slug), &without_links(&exercise.after));
    }
}
