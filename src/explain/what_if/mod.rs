//! The effect of a change: cells run twice, as they are and with the change, and their tensors are compared.
//! Each run has an interpreter of its own; the learner's session does not change.
//!
//! | file | what it does |
//! |---|---|
//! | [`change`] | the kinds of changes, and how they are typed |
//! | [`axes`] | the names of axes and positions |
//! | [`bindings`] | which statements of a cell bind a variable |
//! | [`apply`] | the run with the changes |
//! | [`difference`] | the difference of one tensor |
//! | [`answer`], [`sentences`] | the answer, and its summary |

mod answer;
mod apply;
mod axes;
mod bindings;
mod change;
mod difference;
mod sentences;

pub use answer::{AppliedChange, WhatIf};
pub use axes::{AxisLabels, LessonWords};
pub use change::Change;
pub use difference::ChangedTensor;
pub(crate) use difference::Reshaped;

use std::collections::HashMap;

use super::code::CellSources;
use crate::session::{Outcome, Session, Variable};
use apply::ChangedRun;

/// Runs cells (name and source each) without and with the changes, and compares their tensors.
/// `asked` has the names of the cells that were asked for; it is empty if all were.
/// Errors: a change that cannot be made, in words.
pub fn what_if(
    cells: &[(String, String)],
    changes: &[Change],
    asked: &[String],
    words: &dyn LessonWords,
    new_session: &mut dyn FnMut() -> Session,
) -> Result<WhatIf, String> {
    let changes: Vec<Change> =
        changes.iter().map(|change| change.resolved(words)).collect::<Result<_, String>>()?;
    let mut run = ChangedRun::new(&changes, cells)?;
    let (mut before, mut after) = (new_session(), new_session());
    let mut what = WhatIf { asked: asked.to_vec(), ..WhatIf::default() };
    let mut made: HashMap<String, String> = HashMap::new();
    // A cell that raises without the change may be the reason why a variable is missing.
    let mut failing: Option<String> = None;
    for (at, (name, source)) in cells.iter().enumerate() {
        let plain = before.run(source, name);
        let changed = run.run(at, &mut after, words)?;
        if let ([one], true) = (asked, changed.error.is_none())
            && one == name
        {
            what.printed = printed(&plain, &changed);
        }
        made.extend(plain.changed.iter().map(|variable| (variable.name.clone(), name.clone())));
        if differs(&plain, &changed) {
            what.raised = changed.error.map(|raised| (name.clone(), raised));
            what.not_run = cells[at + 1..].iter().map(|(name, _)| name.clone()).collect();
            break;
        }
        match plain.error {
            Some(raised) if raised.interrupted => {
                what.raised = Some((name.clone(), raised));
                break;
            }
            Some(raised) => {
                failing.get_or_insert_with(|| format!("{name} raises {} without any change", raised.kind));
            }
            None => {}
        }
    }
    if what.raised.is_none() {
        run.check_all_bound(&before.names()).map_err(|message| match failing {
            Some(failing) => format!("{message}; {failing}"),
            None => message,
        })?;
    }
    what.changes = run.applied();
    // Names that only loops bind are no results.
    let loop_variables = CellSources::new(cells.iter().cloned()).counters();
    compare(&mut what, before.tensors(), after.tensors(), &loop_variables, run.dropped(), words);
    let cell_of = |name: &str| match made.get(name) {
        Some(cell) => Some(cell.clone()),
        // A tensor in a module belongs to the cell that made the module.
        None => bindings::last_binding(cells, name.split(['.', '[']).next().unwrap_or(name)),
    };
    for difference in &mut what.differences {
        difference.cell = cell_of(&difference.name);
    }
    if !asked.is_empty() {
        let is_before = |name: &&String| cell_of(name).is_some_and(|cell| !asked.contains(&cell));
        what.unchanged_before = what.unchanged.iter().filter(is_before).cloned().collect();
    }
    what.summary = sentences::summary(&what);
    Ok(what)
}

/// What a cell printed with the change, and its last value, if they are not those without.
fn printed(plain: &Outcome, changed: &Outcome) -> Option<String> {
    let text = |outcome: &Outcome| {
        let result = outcome.result.as_deref().unwrap_or_default();
        format!("{}{result}", outcome.stdout)
    };
    let (before, after) = (text(plain), text(changed));
    (before != after).then_some(after)
}

/// Whether a cell raises with the change and does not raise the same exception without it.
fn differs(plain: &Outcome, changed: &Outcome) -> bool {
    match (&plain.error, &changed.error) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(plain), Some(changed)) => plain.kind != changed.kind || changed.interrupted,
    }
}

/// Compares the tensors of both runs.
fn compare(
    what: &mut WhatIf,
    before: Vec<Variable>,
    after: Vec<Variable>,
    loop_variables: &[String],
    dropped: Option<(usize, usize)>,
    words: &dyn LessonWords,
) {
    for variable in before.iter().filter(|variable| !loop_variables.contains(&variable.name)) {
        let name = &variable.name;
        let Some(other) = after.iter().find(|other| other.name == *name) else {
            what.missing.push(name.clone());
            continue;
        };
        let shape = variable.value.shape();
        if shape != other.value.shape() {
            let labels = words.axis_labels(name, shape);
            let (old, new) = (shape.to_vec(), other.value.shape().to_vec());
            what.reshaped.push(Reshaped { name: name.clone(), before: old, after: new });
            if let Some((at, size)) = dropped
                && let Some(difference) =
                    ChangedTensor::without(name, &variable.value, &other.value, at, size, labels)
            {
                what.differences.push(difference);
            }
            continue;
        }
        let labels = words.axis_labels(name, shape);
        match ChangedTensor::between(name, &variable.value, &other.value, labels) {
            Some(difference) => what.differences.push(difference),
            None => what.unchanged.push(name.clone()),
        }
    }
    let known =
        |name: &String| before.iter().any(|variable| variable.name == *name) || loop_variables.contains(name);
    what.added = after.into_iter().map(|variable| variable.name).filter(|name| !known(name)).collect();
    // Of two differences that are equal up to rounding, the one with more axes comes first.
    let rounded = |it: &ChangedTensor| -> f64 {
        format!("{:.4e}", it.largest()).parse().expect("it is a number as Rust prints it")
    };
    what.differences
        .sort_by(|a, b| rounded(b).total_cmp(&rounded(a)).then(b.shape.len().cmp(&a.shape.len())));
}
