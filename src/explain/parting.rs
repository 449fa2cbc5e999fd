//! Where two programs that should compute the same part: the first operation of each whose result the other has nowhere,
//! and from which nothing follows that the other has.
//!
//! Results are compared as numbers and not by names, so that it does not matter how a program cuts heads, in which order it
//! scales and masks, or whether it computes queries, keys and values with one matrix.

use serde::Serialize;

use crate::ops::trace::{Trace, Traced, TracedTensor};
use crate::tensor::Tensor;
use crate::tensor::layout::unravel;

/// Where two programs part.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Parting {
    /// The operation of each; `None` where one of them only leaves something out.
    pub sides: [Option<PartedStep>; 2],
    /// How many results before that both have.
    pub shared: usize,
    /// What the numbers of the two have to do with each other.
    pub relation: Option<Relation>,
    /// If both run the same operation: the first operand that differs.
    pub operand: Option<PartedOperand>,
}

/// An operand of the same operation that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartedOperand {
    /// What the code calls it in each; empty where it has no name.
    pub names: [String; 2],
    pub shapes: [Vec<usize>; 2],
    /// The lines that made it while the programs ran.
    pub lines: [Option<usize>; 2],
    /// How many elements differ, the first that does, and both values, if the shapes are equal.
    pub differing: Option<(usize, Vec<usize>, [f64; 2])>,
}

/// An operation at which a program parts from the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartedStep {
    /// `torch` inside of a module of the library, which has no line.
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The function, as Python names it.
    pub function: String,
    pub operation: &'static str,
    pub shape: Vec<usize>,
}

/// What the numbers of two results have to do with each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Each of the second is this times that of the first.
    Factor(f64),
    /// The numbers are the same in another order.
    Order,
    /// So many of so many differ; the first that does, and both values.
    Elements { differing: usize, count: usize, index: Vec<usize>, values: [f64; 2] },
}

/// A difference is rounding up to this part of the largest number.
const ROUNDING: f64 = 2e-5;
/// The most elements of a result that is compared.
const MOST: usize = 1 << 20;

/// A result that depends on an input or on a parameter.
struct Found<'t> {
    step: &'t Traced,
    shape: Vec<usize>,
    values: Vec<f64>,
    sorted: Vec<f64>,
    /// Whether the other program has it, and whether something follows from it that the other has.
    known: bool,
    leads: bool,
    /// Whether the output follows from it.
    counts: bool,
}

impl<'t> Found<'t> {
    fn of(step: &'t Traced, result: &TracedTensor) -> Option<Found<'t>> {
        if result.layout.numel() > MOST {
            return None;
        }
        let values = result.floats()?;
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let shape = result.shape().iter().copied().filter(|size| *size != 1).collect();
        Some(Found { step, shape, values, sorted, known: false, leads: false, counts: false })
    }

    fn has_numbers_of(&self, other: &Found) -> bool {
        self.values.len() == other.values.len() && nearly(&self.sorted, &other.sorted, 1.0)
    }
}

/// Whether the numbers of `b` are those of `a` times `factor`, but for rounding.
fn nearly(a: &[f64], b: &[f64], factor: f64) -> bool {
    let largest = b.iter().filter(|it| it.is_finite()).fold(0.0_f64, |most, it| most.max(it.abs()));
    let near = |(one, other): (&f64, &f64)| {
        let one = one * factor;
        one == *other || one.is_nan() && other.is_nan() || (one - other).abs() <= ROUNDING * largest
    };
    a.iter().zip(b).all(near)
}

/// How many elements of two tensors of one shape differ, and where the first is.
fn differing(a: &[f64], b: &[f64]) -> Option<(usize, usize)> {
    let mut all = (0..a.len()).filter(|&at| !nearly(&a[at..=at], &b[at..=at], 1.0));
    let first = all.next()?;
    Some((1 + all.count(), first))
}

/// Where two programs part whose outputs these are. The cell `caller` called both, and is no part of them. `None`: nothing
/// that was recorded of both differs.
pub fn parting(traces: [&Trace; 2], outputs: [&Tensor; 2], caller: &str) -> Option<Parting> {
    let [mut one, mut two] = traces.map(results);
    let know = |own: &mut [Found], others: &[Found]| {
        for found in own {
            let same: Vec<&Found> = others.iter().filter(|other| found.has_numbers_of(other)).collect();
            let alike: Vec<&&Found> = same.iter().filter(|other| other.shape == found.shape).collect();
            // The same numbers in the same shape and another order are another result.
            found.known = match alike.as_slice() {
                [] => !same.is_empty(),
                alike => alike.iter().any(|other| nearly(&found.values, &other.values, 1.0)),
            };
        }
    };
    know(&mut one, &two);
    know(&mut two, &one);
    for (found, output) in [(&mut one, outputs[0]), (&mut two, outputs[1])] {
        follow(found, output);
    }
    let parted = |found: &[Found]| found.iter().position(|it| it.counts && !it.leads);
    let at = [parted(&one), parted(&two)];
    if at == [None, None] {
        return None;
    }
    let shared = one[..at[0].unwrap_or(one.len())].iter().filter(|it| it.known && it.counts).count();
    Some(Parting {
        sides: [at[0].and_then(|at| place(&one[at], caller)), at[1].and_then(|at| place(&two[at], caller))],
        shared,
        relation: relation(&one, &two, at),
        operand: at[0].zip(at[1]).and_then(|(a, b)| operand([one[a].step, two[b].step], traces)),
    })
}

/// The first operand that differs, of the same operation in both programs.
fn operand([one, two]: [&Traced; 2], traces: [&Trace; 2]) -> Option<PartedOperand> {
    if one.operation.name != two.operation.name || one.operands.len() != two.operands.len() {
        return None;
    }
    one.operands.iter().zip(&two.operands).find_map(|(a, b)| {
        let count = a.layout.numel();
        let values = |it: &TracedTensor| it.floats().filter(|_| count <= MOST);
        let differing = match a.shape() == b.shape() {
            true => {
                let (left, right) = (values(a)?, values(b)?);
                let (count, first) = differing(&left, &right)?;
                Some((count, unravel(first, a.shape()), [left[first], right[first]]))
            }
            false => None,
        };
        let made = |operand: &TracedTensor, trace: &Trace| {
            let tensor = operand.tensor.as_ref()?;
            let step = trace.steps.iter().find(|step| !step.in_place && step.made(tensor))?;
            Some(step.place()?.span.start.line)
        };
        Some(PartedOperand {
            names: [a, b].map(|it| it.name.clone().unwrap_or_default()),
            shapes: [a.shape().to_vec(), b.shape().to_vec()],
            lines: [made(a, traces[0]), made(b, traces[1])],
            differing,
        })
    })
}

/// The results of a program that depend on its inputs and parameters; all, where no graph says what does.
fn results(trace: &Trace) -> Vec<Found<'_>> {
    let all = || {
        let steps = trace.steps.iter().filter(|step| step.error.is_none());
        steps.flat_map(|step| step.results.iter().map(move |result| (step, result)))
    };
    let depends = |result: &TracedTensor| result.tensor.as_ref().is_some_and(Tensor::requires_grad);
    let has_graph = all().any(|(_, result)| depends(result));
    let kept = all().filter(|(_, result)| !has_graph || depends(result));
    kept.filter_map(|(step, result)| Found::of(step, result)).collect()
}

/// Marks the results that the output follows from, and those from which something follows that the other program has.
fn follow(found: &mut [Found], output: &Tensor) {
    let made = |it: &Found, tensor: &Tensor| it.step.made(tensor);
    let last = found.iter().rposition(|it| made(it, output)).or(found.len().checked_sub(1));
    let Some(last) = last else { return };
    found[last].counts = true;
    for at in (0..=last).rev() {
        found[at].leads |= found[at].known;
        if !found[at].counts {
            continue;
        }
        let leads = found[at].leads;
        let (before, here) = found.split_at_mut(at);
        for operand in &here[0].step.operands {
            let Some(tensor) = &operand.tensor else { continue };
            let own = before.iter().rposition(|it| made(it, tensor));
            let shares =
                || before.iter().rposition(|it| it.step.results.iter().any(|result| result.shares(operand)));
            if let Some(from) = own.or_else(shares) {
                before[from].counts = true;
                before[from].leads |= leads;
            }
        }
    }
}

fn place(found: &Found, caller: &str) -> Option<PartedStep> {
    let called = found.step.place()?;
    // A module of the library was called itself.
    let is_library = called.cell == caller;
    let called = found.step.inside().first().filter(|_| is_library).unwrap_or(called);
    Some(PartedStep {
        file: if is_library { "torch" } else { called.cell }.to_owned(),
        line: if is_library { 0 } else { called.span.start.line },
        column: called.span.start.column,
        function: called.function.to_owned(),
        operation: found.step.operation.called(found.step.in_place),
        shape: found.step.results.first().map(|it| it.shape().to_vec()).unwrap_or_default(),
    })
}

/// What the first results that differ have to do with each other, or else those after them.
fn relation(one: &[Found], two: &[Found], at: [Option<usize>; 2]) -> Option<Relation> {
    let [first, second] = at;
    let (first, second) = (first?, second?);
    let parted = |found: &Found| found.counts && !found.leads;
    let pairs = || {
        let own = one[first..].iter().filter(|it| parted(it));
        own.flat_map(|a| two[second..].iter().filter(|it| parted(it)).map(move |b| (a, b)))
    };
    let (a, b) = (&one[first], &two[second]);
    if a.shape == b.shape && a.has_numbers_of(b) {
        return Some(Relation::Order);
    }
    if let Some(factor) = pairs().find_map(|(a, b)| factor(a, b)) {
        return Some(Relation::Factor(factor));
    }
    if a.shape != b.shape {
        return None;
    }
    let (differing, index) = differing(&a.values, &b.values)?;
    Some(Relation::Elements {
        differing,
        count: a.values.len(),
        index: unravel(index, &a.shape),
        values: [a.values[index], b.values[index]],
    })
}

/// The factor between the numbers of two results, if there is one.
fn factor(a: &Found, b: &Found) -> Option<f64> {
    if a.values.len() != b.values.len() || a.values.len() < 4 {
        return None;
    }
    let size = |values: &[f64]| values.iter().filter(|it| it.is_finite()).map(|it| it.abs()).sum::<f64>();
    let factor = size(&b.values) / size(&a.values);
    if !factor.is_finite() || factor == 0.0 {
        return None;
    }
    let same_order = a.shape == b.shape;
    let (left, right) = if same_order { (&a.values, &b.values) } else { (&a.sorted, &b.sorted) };
    nearly(left, right, factor).then_some(factor)
}
