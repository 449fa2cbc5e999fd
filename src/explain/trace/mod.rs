//! What a cell did, as a learner reads it: operations in order, calls indented, loops folded.
//! Reads a trace and the cells' sources; runs nothing, styles nothing.

mod code;
mod cost;
mod fold;
mod glance;
mod shapes;

use std::time::Duration;

pub use code::Sources;
pub use cost::{Cost, cost};
pub use glance::Glance;
pub use shapes::{algebra, shape};

use crate::ops::trace::{Called, Seen, Trace, Traced};
use code::Told as Parts;

/// A cell's operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What ran, in order.
    pub items: Vec<Item>,
    /// How many operations ran.
    pub operations: usize,
    /// How many of them are told.
    pub told: usize,
    /// What they took together.
    pub cost: Cost,
    /// How long they took together, without the Python around them.
    pub elapsed: Duration,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// An operation, or a call of the library.
    Ran(Row),
    /// A call of a learner's function.
    Called(Group),
    /// The same over and over.
    Again(Repeat),
}

/// An operation, or a call of the library and what ran in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The cell its code stands in.
    pub cell: String,
    /// The line there.
    pub line: usize,
    /// Its code, with what it is bound to: `keys = self.W_key(x)`.
    pub text: String,
    /// The same, with `…` for what rows before have told; where that is shorter.
    pub short: Option<String>,
    /// The library's class or function it ran in: `Linear`.
    pub library: Option<String>,
    /// PyTorch's name of the operation; of a library's call, of the last one in it.
    pub op: String,
    /// Shapes as algebra: `(6,3) @ (3,2) -> (6,2)`.
    pub shapes: String,
    /// The same of the last time, where a loop changes them.
    pub last_shapes: Option<String>,
    /// What it took.
    pub cost: Cost,
    /// Whether it only looks at the same elements in another way.
    pub is_view: bool,
    /// Whether what went in came out as it was: dropout that drops nothing.
    pub is_same: bool,
    /// What came out, in small.
    pub glance: Glance,
    /// What it raised.
    pub error: Option<String>,
    /// How many operations it is: more than one of a call of the library.
    pub operations: usize,
    /// Those, where all are asked for.
    pub inner: Vec<Item>,
    key: u64,
}

/// A call of a learner's function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The cell that calls.
    pub cell: String,
    /// The line there.
    pub line: usize,
    /// The call, with what it is bound to: `context_vecs = ca(batch)`.
    pub text: String,
    /// The function: `CausalAttention.forward`.
    pub function: String,
    /// The cell it was written in.
    pub home: String,
    /// What ran in it.
    pub items: Vec<Item>,
    /// How many operations that were.
    pub operations: usize,
    /// What they took.
    pub cost: Cost,
    key: u64,
}

/// A block that ran several times running.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeat {
    /// How often; where it stands in another one: the fewest and the most in one pass.
    pub times: (usize, usize),
    /// The first pass.
    pub items: Vec<Item>,
    /// How many operations all passes ran.
    pub operations: usize,
    /// What they took together.
    pub cost: Cost,
    key: u64,
}

impl Item {
    fn key(&self) -> u64 {
        match self {
            Item::Ran(row) => row.key,
            Item::Called(group) => group.key,
            Item::Again(repeat) => repeat.key,
        }
    }

    /// What it took.
    pub fn cost(&self) -> Cost {
        match self {
            Item::Ran(row) => row.cost,
            Item::Called(group) => group.cost,
            Item::Again(repeat) => repeat.cost,
        }
    }

    /// How many operations it is.
    pub fn operations(&self) -> usize {
        match self {
            Item::Ran(row) => row.operations,
            Item::Called(group) => group.operations,
            Item::Again(repeat) => repeat.operations,
        }
    }
}

/// A trace in a learner's terms; with `all`, loops and the library's calls are not folded.
pub fn told(trace: &Trace, sources: &Sources, all: bool) -> Told {
    let steps: Vec<Step> = trace.steps.iter().filter_map(Step::of).collect();
    let total = |cost: Cost, step: &Step| cost + step.cost;
    Told {
        items: nested(&steps, 0, sources, all),
        operations: steps.len() + trace.beyond,
        told: steps.len(),
        cost: steps.iter().fold(Cost::default(), total),
        elapsed: steps.iter().map(|step| step.ran.elapsed).sum(),
    }
}

/// The learner's code of one operation, on one line.
pub fn code_of(ran: &Traced, sources: &Sources) -> String {
    let op = if ran.inside().is_empty() { ran.op } else { "" };
    let code = ran.place().map(|place| sources.code(place, 0, op, ran.in_place, &mut Parts::default()));
    code.map(|code| code.text).unwrap_or_default()
}

/// One operation and the learner's calls that led to it.
struct Step<'t> {
    ran: &'t Traced,
    /// The learner's calls, outermost first; generator expressions are taken into the function they stand in.
    path: Vec<Place<'t>>,
    cost: Cost,
}

/// A learner's line on the way to an operation.
#[derive(Clone, Copy)]
struct Place<'t> {
    call: &'t Called,
    activation: u64,
}

impl<'t> Step<'t> {
    fn of(ran: &'t Traced) -> Option<Step<'t>> {
        let mut path: Vec<Place> = Vec::new();
        for call in ran.calls.iter().filter(|call| !call.library) {
            let inline = ["<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"];
            match path.last_mut() {
                Some(outer) if inline.iter().any(|name| call.function.ends_with(name)) => outer.call = call,
                _ => path.push(Place { call, activation: call.activation }),
            }
        }
        (!path.is_empty()).then(|| Step { ran, path, cost: cost(ran) })
    }
}

/// These operations, whose calls agree up to `depth`, with the calls below it as groups.
fn nested(steps: &[Step], depth: usize, sources: &Sources, all: bool) -> Vec<Item> {
    let mut items = Vec::new();
    let mut seen = Parts::default();
    let mut rest = steps;
    while let Some(first) = rest.first() {
        let deeper = first.path.get(depth + 1).map(|place| place.activation);
        let library = first.ran.inside().first().map(|call| call.activation);
        let together = |step: &&Step| match deeper {
            Some(_) => step.path.get(depth + 1).map(|place| place.activation) == deeper,
            None => {
                step.path.len() == depth + 1
                    && library.is_some()
                    && step.ran.inside().first().map(|call| call.activation) == library
            }
        };
        let count = rest.iter().take_while(together).count().max(1);
        let (part, after) = rest.split_at(count);
        items.push(match deeper {
            Some(_) => Item::Called(group(part, depth, sources, all, &mut seen)),
            None => Item::Ran(row(part, sources, all, &mut seen)),
        });
        rest = after;
    }
    if all { items } else { fold::folded(items) }
}

fn group(steps: &[Step], depth: usize, sources: &Sources, all: bool, seen: &mut Parts) -> Group {
    let (caller, called) = (steps[0].path[depth], steps[0].path[depth + 1]);
    let code = sources.code(caller.call, caller.activation, "", false, seen);
    let items = nested(steps, depth + 1, sources, all);
    let inner: Vec<u64> = items.iter().map(Item::key).collect();
    Group {
        cell: caller.call.cell.to_owned(),
        line: caller.call.span.start.line,
        text: code.text,
        function: called.call.function.replace(".<locals>", ""),
        home: called.call.cell.to_owned(),
        operations: steps.len(),
        cost: steps.iter().fold(Cost::default(), |cost, step| cost + step.cost),
        key: fold::key(&(caller.call.span, called.call.function, inner)),
        items,
    }
}

/// One operation, or all those of one call of the library.
fn row(steps: &[Step], sources: &Sources, all: bool, seen: &mut Parts) -> Row {
    let (first, last) = (&steps[0], &steps[steps.len() - 1]);
    let place = first.path[first.path.len() - 1];
    let inside = first.ran.inside().first();
    let op = if inside.is_some() { "" } else { first.ran.op };
    let code = sources.code(place.call, place.activation, op, first.ran.in_place, seen);
    let inner = match (all, steps) {
        (false, _) | (_, [_]) => Vec::new(),
        (true, many) => many.iter().map(|step| Item::Ran(inner_row(step))).collect(),
    };
    Row {
        text: if code.text.is_empty() { first.ran.op.to_owned() } else { code.text },
        short: code.short,
        library: inside.map(|call| call.class.clone().unwrap_or_else(|| call.function.to_owned())),
        shapes: match steps {
            [only] => algebra(only.ran),
            many => shapes::through(&many.iter().map(|step| step.ran).collect::<Vec<_>>()),
        },
        cost: steps.iter().fold(Cost::default(), |cost, step| cost + step.cost),
        is_view: steps.iter().all(|step| step.ran.is_view),
        is_same: steps.len() == 1 && of_operation(first).is_same,
        operations: steps.len(),
        key: fold::key(&(place.call.cell, place.call.span, first.ran.op, steps.len())),
        error: last.ran.error.clone(),
        inner,
        ..of_operation(last)
    }
}

/// An operation inside the library, under PyTorch's own name.
fn inner_row(step: &Step) -> Row {
    let inside = step.ran.inside();
    let line = inside.last().map_or(0, |call| call.span.start.line);
    let place = inside.last().map(|call| (call.cell, call.span));
    Row {
        text: step.ran.op.to_owned(),
        library: inside.last().map(|call| call.function.to_owned()),
        shapes: algebra(step.ran),
        key: fold::key(&(place, step.ran.op, line)),
        ..of_operation(step)
    }
}

fn same(given: &Seen, results: &[Seen]) -> bool {
    let is = |result: &Seen| given.tensor.as_ref().zip(result.tensor.as_ref()).is_some_and(|(a, b)| a.is(b));
    matches!(results, [result] if is(result))
}

fn of_operation(step: &Step) -> Row {
    let place = step.path[step.path.len() - 1].call;
    Row {
        cell: place.cell.to_owned(),
        line: place.span.start.line,
        op: step.ran.op.to_owned(),
        operations: 1,
        cost: step.cost,
        is_view: step.ran.is_view,
        is_same: step.ran.is_view
            && step.ran.operands.first().is_some_and(|given| same(given, &step.ran.results)),
        glance: Glance::of(step.ran),
        error: step.ran.error.clone(),
        ..Row::default()
    }
}
