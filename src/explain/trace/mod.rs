//! The operations that a cell ran, as a learner reads them: in order, with calls indented and loops folded.
//!
//! | file | what it does |
//! |---|---|
//! | [`outline`] | the types: an outline and its entries |
//! | [`source`] | the learner's code of an operation |
//! | [`algebra`], [`cost`], [`preview`] | what a row says of an operation |
//! | [`fold`] | repeated blocks as one |

mod algebra;
mod cost;
mod fold;
mod outline;
mod preview;
mod source;

pub use super::code::CellSources as Sources;
pub(crate) use algebra::algebra;
pub use cost::Cost;
pub(crate) use cost::cost;
pub use outline::OutlineItem;
pub(crate) use outline::{CallGroup, LoopGroup, OperationRow, Outline};
pub(crate) use preview::Preview;

use crate::ops::trace::{Called, Trace, Traced};
use source::ShownParts;

/// Returns the outline of a trace; with `all`, loops and library calls are not folded.
pub fn outline(trace: &Trace, sources: &Sources, all: bool) -> Outline {
    let steps: Vec<OutlineStep> = trace.steps.iter().filter_map(OutlineStep::of).collect();
    Outline {
        items: nested(&steps, 0, sources, all),
        operations: steps.len() + trace.beyond,
        traced: steps.len(),
        cost: total_cost(&steps),
        elapsed: steps.iter().map(|step| step.ran.elapsed).sum(),
    }
}

/// Returns the learner's code of an operation, on one line.
pub(crate) fn code_of(ran: &Traced, sources: &Sources) -> String {
    let own = ran.inside().is_empty().then_some(ran);
    let code = ran.place().map(|place| sources.code(place, 0, own, ran.in_place, &mut ShownParts::default()));
    code.map(|code| code.text).unwrap_or_default()
}

/// One operation and the learner's calls that led to it.
struct OutlineStep<'t> {
    ran: &'t Traced,
    /// The learner's calls, outermost first. A generator expression counts as part of the function around it.
    path: Vec<CallSite<'t>>,
    cost: Cost,
}

/// A call on the way to an operation, and the activation of the function that made it.
#[derive(Clone, Copy)]
struct CallSite<'t> {
    call: &'t Called,
    activation: u64,
}

impl<'t> OutlineStep<'t> {
    fn of(ran: &'t Traced) -> Option<OutlineStep<'t>> {
        let mut path: Vec<CallSite> = Vec::new();
        for call in ran.calls.iter().filter(|call| !call.library) {
            let inline = ["<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"];
            match path.last_mut() {
                Some(outer) if inline.iter().any(|name| call.function.ends_with(name)) => outer.call = call,
                _ => path.push(CallSite { call, activation: call.activation }),
            }
        }
        (!path.is_empty()).then(|| OutlineStep { ran, path, cost: cost(ran) })
    }
}

fn total_cost(steps: &[OutlineStep]) -> Cost {
    steps.iter().fold(Cost::default(), |cost, step| cost + step.cost)
}

/// The items of operations that share their calls up to `depth`; deeper calls become groups.
fn nested(steps: &[OutlineStep], depth: usize, sources: &Sources, all: bool) -> Vec<OutlineItem> {
    let mut items = Vec::new();
    let mut shown = ShownParts::default();
    let mut rest = steps;
    while let Some(first) = rest.first() {
        let deeper = first.path.get(depth + 1).map(|site| site.activation);
        let library = first.ran.inside().first().map(|call| call.activation);
        let together = |step: &&OutlineStep| match deeper {
            Some(_) => step.path.get(depth + 1).map(|site| site.activation) == deeper,
            None => {
                step.path.len() == depth + 1
                    && library.is_some()
                    && step.ran.inside().first().map(|call| call.activation) == library
            }
        };
        let count = rest.iter().take_while(together).count().max(1);
        let (part, after) = rest.split_at(count);
        items.push(match deeper {
            Some(_) => OutlineItem::Call(group(part, depth, sources, all, &mut shown)),
            None => OutlineItem::Operation(row(part, sources, all, &mut shown)),
        });
        rest = after;
    }
    if all { items } else { fold::folded(items) }
}

fn group(
    steps: &[OutlineStep],
    depth: usize,
    sources: &Sources,
    all: bool,
    shown: &mut ShownParts,
) -> CallGroup {
    let (caller, called) = (steps[0].path[depth], steps[0].path[depth + 1]);
    let code = sources.code(caller.call, caller.activation, None, false, shown);
    let items = nested(steps, depth + 1, sources, all);
    let inner: Vec<u64> = items.iter().map(OutlineItem::key).collect();
    CallGroup {
        cell: caller.call.cell.to_owned(),
        line: caller.call.span.start.line,
        code: code.text,
        function: called.call.function.replace(".<locals>", ""),
        defined_in: called.call.cell.to_owned(),
        operations: steps.len(),
        cost: total_cost(steps),
        key: fold::key(&(caller.call.span, called.call.function, inner)),
        items,
    }
}

/// The row of one operation, or of all operations of one library call.
fn row(steps: &[OutlineStep], sources: &Sources, all: bool, shown: &mut ShownParts) -> OperationRow {
    let (first, last) = (&steps[0], &steps[steps.len() - 1]);
    let site = first.path[first.path.len() - 1];
    let inside = first.ran.inside().first();
    let own = inside.is_none().then_some(first.ran);
    let code = sources.code(site.call, site.activation, own, first.ran.in_place, shown);
    let inner = match (all, steps) {
        (false, _) | (_, [_]) => Vec::new(),
        (true, many) => many.iter().map(|step| OutlineItem::Operation(inner_row(step))).collect(),
    };
    OperationRow {
        code: if code.text.is_empty() { name(first.ran) } else { code.text },
        short_code: code.short,
        library: inside.map(|call| call.class.clone().unwrap_or_else(|| call.function.to_owned())),
        shapes: match steps {
            [only] => algebra(only.ran),
            many => algebra::through(&many.iter().map(|step| step.ran).collect::<Vec<_>>()),
        },
        cost: total_cost(steps),
        is_view: steps.iter().all(|step| step.ran.is_view),
        is_unchanged: steps.len() == 1 && of_operation(first).is_unchanged,
        operations: steps.len(),
        key: fold::key(&(site.call.cell, site.call.span, name(first.ran), steps.len())),
        error: last.ran.error.clone(),
        inner,
        ..of_operation(last)
    }
}

/// The row of an operation inside of a library call, under PyTorch's name.
fn inner_row(step: &OutlineStep) -> OperationRow {
    let inside = step.ran.inside();
    let place = inside.last().map(|call| (call.cell, call.span));
    OperationRow {
        code: name(step.ran),
        library: inside.last().map(|call| call.function.to_owned()),
        shapes: algebra(step.ran),
        key: fold::key(&(place, name(step.ran))),
        ..of_operation(step)
    }
}

fn name(ran: &Traced) -> String {
    ran.operation.called(ran.in_place).to_owned()
}

fn of_operation(step: &OutlineStep) -> OperationRow {
    let place = step.path[step.path.len() - 1].call;
    let given = step.ran.operands.first().and_then(|given| given.tensor.as_ref());
    OperationRow {
        cell: place.cell.to_owned(),
        line: place.span.start.line,
        op: name(step.ran),
        operations: 1,
        cost: step.cost,
        is_view: step.ran.is_view,
        is_unchanged: step.ran.is_view
            && matches!((given, &step.ran.results[..]), (Some(given), [result]) if result.is(given)),
        preview: Preview::of(step.ran),
        error: step.ran.error.clone(),
        ..OperationRow::default()
    }
}
