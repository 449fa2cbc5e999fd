//! The panel of a step that has run: prose, code, output, tensors, checks, and one element worked out.

use rustpython_vm::{PyObjectRef, VirtualMachine};

use super::figures::{StepNames, called, figure};
use super::notes::explained;
use super::pictures::pictures;
use crate::explain;
use crate::explain::trace::Sources;
use crate::kernel::random::Family;
use crate::lesson::judge::deviation;
use crate::lesson::{Invariant, Lesson, Step};
use crate::session::{Outcome, Session, Variable};
use crate::tensor::show::tuple_repr;
use crate::view::picture::Picture;
use crate::view::{Check, Figure, Panel};

/// The panel of `step`, which has just run in `session`.
pub(crate) fn step_panel(step: &Step, lesson: &Lesson, outcome: &Outcome, session: &mut Session) -> Panel {
    let completed = outcome.error.is_none();
    Panel {
        stdout: outcome.stdout.clone(),
        result: outcome.result.clone(),
        error: outcome.error.as_ref().map(|raised| {
            let names = StepNames::of(step, lesson);
            explained(raised, &step.code, session, &|cell| session.source(cell), &|name| names.axes(name))
        }),
        figures: figures(step, lesson, outcome, session),
        pictures: plots(outcome)
            .chain(if completed { pictures(step, lesson, session) } else { Vec::new() })
            .collect(),
        checks: if completed { checks(step, session) } else { Vec::new() },
        worked: worked(step, lesson, session),
        remarks: [remarks(step, session), nonfinite(outcome, session)].concat(),
        // The text after the cell explains its numbers: without numbers it makes no sense.
        after: if completed || step.raises { step.after.clone() } else { String::new() },
        ..unrun_panel(step, lesson)
    }
}

/// The text that PyTorch prints for each of these tensors, and its shape.
pub(crate) fn prints(figures: &[Figure], session: &mut Session) -> Vec<(String, String)> {
    let text = |figure: &Figure| {
        let read = |value: &PyObjectRef, vm: &VirtualMachine| value.try_to_value::<String>(vm).ok();
        let printed =
            session.with_rng_restored(|session| session.evaluate(&format!("str({})", figure.name), read));
        let printed = printed.ok().flatten()?;
        Some((printed, tuple_repr(&figure.shape)))
    };
    figures.iter().filter_map(text).collect()
}

/// What a cell plotted.
pub(crate) fn plots(outcome: &Outcome) -> impl Iterator<Item = Picture> {
    outcome.figures.iter().map(|figure| Picture::Plot(Box::new(figure.clone())))
}

/// The panel of a step that has not run.
pub(crate) fn unrun_panel(step: &Step, lesson: &Lesson) -> Panel {
    // The introduction of a lesson belongs to its first step.
    let is_first = lesson.steps.first().is_some_and(|first| first.number == step.number);
    let intro = if is_first { lesson.intro.as_str() } else { "" };
    let heading = if step.title.is_empty() { String::new() } else { format!("## {}\n\n", step.title) };
    Panel {
        section: lesson.section.clone(),
        title: lesson.title.clone(),
        number: step.number,
        total: lesson.total_steps,
        slug: step.slug.clone(),
        prose: [intro, &heading, &step.prose].join("\n"),
        code: step.code.clone(),
        ..Panel::default()
    }
}

/// The tensors that a step shows as tables, just after it ran in `session`.
pub(crate) fn shown_tensors(step: &Step, outcome: &Outcome, session: &mut Session) -> Vec<Variable> {
    match &step.show {
        Some(wanted) => {
            let tensor = |name: &String| {
                let value = session.tensor(name).ok().flatten()?;
                Some(Variable { name: name.clone(), value })
            };
            wanted.iter().filter_map(tensor).collect()
        }
        None => {
            let counters = loop_variables(&step.code);
            let is_result = |variable: &&Variable| !counters.contains(&variable.name);
            outcome.changed.iter().filter(is_result).cloned().collect::<Vec<_>>()
        }
    }
}

fn figures(step: &Step, lesson: &Lesson, outcome: &Outcome, session: &mut Session) -> Vec<Figure> {
    let shown = shown_tensors(step, outcome, session);
    let names = StepNames::of(step, lesson);
    let options = *session.state().print_options.borrow();
    shown.iter().map(|shown| figure(&shown.name, &shown.value, Some(names), &options)).collect()
}

fn checks(step: &Step, session: &mut Session) -> Vec<Check> {
    let check = |invariant: &Invariant| {
        let off = deviation(invariant, session);
        Check {
            is_true: off.as_ref().is_ok_and(|off| *off <= Invariant::TOLERANCE),
            deviation: match off {
                Ok(0.0) => None,
                Ok(off) => Some(Invariant::figure(off)),
                Err(raised) => Some(format!("unknown: {}: {}", raised.kind, raised.message)),
            },
            text: invariant.to_string(),
        }
    };
    step.checks.iter().map(check).collect()
}

/// A remark if the random numbers differ from the numbers that the prose mentions.
fn remarks(step: &Step, session: &Session) -> Vec<String> {
    let (drawn, name) = match session.state().family.get() {
        Family::Book => ("book", "as in the book"),
        Family::Mkl => ("mkl", "as in builds with Intel's library"),
    };
    let other = step.random.as_deref().is_some_and(|recorded| recorded != drawn);
    other
        .then(|| format!("Drawn {name} (--random {drawn}): the text speaks of other numbers."))
        .into_iter()
        .collect()
}

/// For each tensor with nan that a cell bound or changed, the operation that first returned nan.
pub(super) fn nonfinite(outcome: &Outcome, session: &Session) -> Vec<String> {
    let variables = session.variables().into_iter().map(|variable| (variable.name, variable.value));
    let names = explain::TensorNames::new(variables);
    let one = |variable: &Variable| {
        let origin = explain::first_nan(&variable.value, &names)?;
        Some(origin.sentence(&variable.name))
    };
    outcome.changed.iter().filter_map(one).collect()
}

fn worked(step: &Step, lesson: &Lesson, session: &mut Session) -> Vec<String> {
    let element = |why: &str| {
        let (name, index) = element_of(why)?;
        let tensor = session.tensor(name).ok().flatten()?;
        explain::worked(&tensor, &index, &called(session, &[(step, lesson)]))
    };
    step.why.as_deref().and_then(element).map(|worked| worked.lines()).unwrap_or_default()
}

/// Parses `attn_weights[1,2]` into the name and the index. A name alone is a tensor of one element.
pub fn element_of(why: &str) -> Option<(&str, Vec<usize>)> {
    let why = why.trim();
    let Some((name, rest)) = why.split_once('[') else { return Some((why, Vec::new())) };
    let index = rest.strip_suffix(']')?.split(',').map(|at| at.trim().parse().ok());
    Some((name.trim(), index.collect::<Option<Vec<_>>>()?))
}

/// The names that a cell binds only as variables of its loops: they are not shown as results.
pub fn loop_variables(code: &str) -> Vec<String> {
    Sources::new([(String::new(), code.to_owned())]).counters()
}
