//! A call that computes attention, and what its repetitions on changed inputs showed.

use std::collections::HashSet;

use super::attention::{Attention, is_softmax, record_of};
use super::axes::Product;
use super::flow::{is_parameter, operands, origin, source};
use crate::ops::trace::{Called, Trace, Traced};
use crate::session::{AxisReport, CallReport, ChangeReport};
use crate::tensor::explanation::{Explanation, SoftmaxKind};
use crate::tensor::{Record, Site, Tensor};

/// Whether an operation is attention, the softmax in it, or the last product of attention without a softmax.
pub(super) fn is_attention(step: &Traced) -> bool {
    step.operation.explanation == Explanation::Attention
        || step.operation.explanation == Explanation::Softmax(SoftmaxKind::Weights)
        || record_of(step).is_some_and(|record| is_softmax(&record) || is_last_product(&record))
}

/// Whether an operation is fused attention, or the product of weights and values.
pub(super) fn is_last_of_attention(step: &Traced) -> bool {
    step.operation.explanation == Explanation::Attention
        || Attention::ending_at(step).is_some()
        || record_of(step).is_some_and(|record| is_last_product(&record))
}

/// The most records that the search for a product examines.
const MOST_RECORDS: usize = 200;

/// Whether two computed tensors are multiplied, one of which was made from the product of two others, and by no layer and no softmax.
fn is_last_product(record: &Record) -> bool {
    let Some(mut open) = of_computed(record) else { return false };
    for _ in 0..MOST_RECORDS {
        let Some(record) = open.pop().map(|it| origin(&it)) else { return false };
        match record {
            Some(record) if of_computed(&record).is_some() => return true,
            Some(record) if Product::of(&record).is_none() && !is_softmax(&record) => {
                open.extend(operands(&record));
            }
            _ => {}
        }
    }
    false
}

/// The factors of a product of which none is a matrix of weights.
pub(super) fn of_computed(record: &Record) -> Option<Vec<Tensor>> {
    let is_weight = |tensor: &Tensor| {
        let (_, start) = source(tensor);
        is_parameter(&start) || start.ndim() == 2 && origin(&start).is_none()
    };
    let factors = match Product::of(record) {
        Some(product) => vec![product.left, product.right],
        None if record.operation.explanation == Explanation::Einsum => operands(record),
        None => return None,
    };
    (factors.len() > 1 && !factors.iter().any(is_weight)).then_some(factors)
}

/// The learner's functions that were running when an operation ran, outermost first.
fn functions(step: &Traced) -> impl DoubleEndedIterator<Item = &Called> {
    step.calls.iter().filter(|call| !call.library && !call.function.starts_with('<'))
}

/// The numbers of the activations that are to be repeated: those of functions that compute attention.
pub fn calls_to_repeat(trace: &Trace) -> Vec<u64> {
    let steps = trace.steps.iter().filter(|step| is_attention(step));
    let mut found: Vec<u64> = steps.flat_map(functions).map(|call| call.activation).collect();
    found.sort_unstable();
    found.dedup();
    found
}

pub(super) struct RepeatedCall<'r> {
    pub(super) report: &'r CallReport,
    /// The function, as Python names it.
    pub(super) function: &'r str,
    /// The line of the first attention in it.
    pub(super) site: Option<Site>,
    /// How many lines of the learner's code in it are attention.
    pub(super) lines: usize,
    /// Whether another function in it computes the attention.
    pub(super) is_outer: bool,
}

impl<'r> RepeatedCall<'r> {
    pub(super) fn of(report: &'r CallReport, trace: &'r Trace) -> Option<RepeatedCall<'r>> {
        let called = |step: &'r Traced| functions(step).find(|call| call.activation == report.activation);
        let is_within = |step: &&'r Traced| called(step).is_some() && is_attention(step);
        let attention: Vec<&Traced> = trace.steps.iter().filter(is_within).collect();
        let first = *attention.first()?;
        let function = called(first)?.function;
        let line = |step: &&Traced| step.place().map(|place| (place.cell, place.span.start.line));
        let lines: HashSet<(&str, usize)> = attention.iter().filter_map(line).collect();
        let own = |step: &&Traced| functions(step).next_back().map(|call| call.activation);
        let ends = trace.steps.iter().filter(|step| called(step).is_some() && is_last_of_attention(step));
        let mut inner: Vec<u64> = ends.filter_map(|step| own(&step)).collect();
        // A function for the softmax alone computes no attention.
        if inner.is_empty() {
            inner = attention.iter().filter_map(own).collect();
        }
        inner.dedup();
        Some(RepeatedCall {
            report,
            function,
            site: first.site(),
            lines: lines.len(),
            is_outer: inner != [report.activation],
        })
    }

    /// Whether an operation ran in the call.
    pub(super) fn has(&self, step: &Traced) -> bool {
        step.calls.iter().any(|it| it.activation == self.report.activation)
    }

    /// The axis along which the call mixes positions, if there is one only.
    pub(super) fn token_axis(&self) -> Option<&'r AxisReport> {
        let mut mixing = self.report.axes.iter().filter(|axis| Reach::of(axis).mixes());
        mixing.next().filter(|_| mixing.next().is_none())
    }
}

/// Which outputs move when the input at one position is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// None, or it was not tried.
    Unknown,
    /// That at the same position only.
    Own,
    /// That at the same position and the later ones.
    Causal,
    /// Those, and this many before it.
    Leaks(usize),
    All,
    /// Others: those within a window, or in a block.
    Some,
}

impl Reach {
    /// The reach along an axis.
    pub(super) fn of(axis: &AxisReport) -> Reach {
        let changes = &axis.changes;
        let count = |moved: &[f64]| moved.iter().filter(|far| **far > 0.0).count();
        let earlier = |it: &ChangeReport| count(&it.moved[..it.at]);
        let later = |it: &ChangeReport| count(&it.moved[it.at + 1..]);
        if changes.len() < 2 || changes.iter().all(|it| count(&it.moved) == 0) {
            return Reach::Unknown;
        }
        let all_later = changes.iter().all(|it| it.at + 1 + later(it) == axis.size);
        match (changes.iter().all(|it| earlier(it) == 0), changes.iter().all(|it| later(it) == 0)) {
            (true, true) => return Reach::Own,
            (true, false) if all_later => return Reach::Causal,
            _ => {}
        }
        if all_later && changes.iter().all(|it| earlier(it) == it.at) {
            return Reach::All;
        }
        // The same number of positions before each changed one, and those nearest to it.
        let most = changes.iter().map(earlier).max().unwrap_or(0);
        let is_band = |change: &ChangeReport| {
            let first = change.at.saturating_sub(most);
            (0..change.at).all(|position| (change.moved[position] > 0.0) == (position >= first))
        };
        match all_later && most > 0 && changes.iter().all(is_band) {
            true => Reach::Leaks(most),
            false => Reach::Some,
        }
    }

    /// Whether one position depends on another.
    pub(super) fn mixes(self) -> bool {
        !matches!(self, Reach::Unknown | Reach::Own)
    }
}
