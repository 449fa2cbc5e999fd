//! Attention as it was found in what ran: scores, softmax, weights, and the product with the values.

use std::rc::Rc;

use super::axes::{Axis, Product};
use super::flow::{Link, Way, axis_at_end, back, source};
use crate::ops::trace::Traced;
use crate::tensor::{Arg, Record, Site, Tensor};

/// A softmax, what it was computed from, and what was done with it.
pub(super) struct Attention<'r> {
    /// The softmax.
    pub softmax: Rc<Record>,
    /// Its result.
    pub soft: Tensor,
    /// The axis along which it runs, counted from the end.
    pub axis: Axis,
    /// What lies between the product of queries and keys and the softmax, nearest to the softmax first.
    pub before: Vec<Link>,
    /// The product of queries and keys.
    pub scores: Option<Scores>,
    /// The product with the values.
    pub used: Option<Use<'r>>,
}

/// The product of queries and keys.
pub(super) struct Scores {
    /// The operation.
    pub record: Rc<Record>,
    /// Its operands.
    pub product: Product,
    /// The way from each operand back to where it was made: scalings and views.
    pub ways: [Vec<Link>; 2],
    /// What each was made as.
    pub sources: [Tensor; 2],
}

/// The product of weights and values.
pub(super) struct Use<'r> {
    /// The operation, as it was traced.
    pub traced: &'r Traced,
    /// Its operands.
    pub product: Product,
    /// The weights as they were multiplied.
    pub weights: Tensor,
    /// Whether they were the left operand.
    pub left: bool,
    /// What lies between the softmax and this, nearest to this first.
    pub after: Vec<Link>,
    /// The axis of the weights that is summed over.
    pub summed: Axis,
    /// That axis where the softmax gave it; none where views on the way hide it.
    pub summed_at_softmax: Option<Axis>,
}

fn is_softmax(record: &Record) -> bool {
    record.op == "softmax"
}

/// The axis of a softmax, counted from the end.
fn axis_of(record: &Record) -> Option<Axis> {
    let args = record.args();
    let (input, dim) = (args.first()?.tensor()?, args.get(1)?);
    let Arg::Int(dim) = dim else { return None };
    let ndim = input.ndim().max(1) as i64;
    usize::try_from(if *dim < 0 { -dim } else { ndim - dim }).ok()
}

impl<'r> Attention<'r> {
    /// The attention that a traced operation completes: a product with weights that came out of a softmax.
    pub(super) fn used_by(traced: &'r Traced) -> Option<Attention<'r>> {
        let record = made_by(traced)?;
        let product = Product::of(&record).filter(|_| record.op != "linear")?;
        for left in [true, false] {
            let weights = if left { &product.left } else { &product.right };
            let Some(Way { links, end, record }) = back(weights, &is_softmax) else { continue };
            let summed = if left { product.summed.0 } else { product.summed.1 };
            let summed_at_softmax = axis_at_end(&links, summed);
            let (weights, product) = (weights.clone(), product.clone());
            let used = Use { traced, product, weights, left, after: links, summed, summed_at_softmax };
            return Attention::of(record, end, Some(used));
        }
        None
    }

    /// The attention of a traced softmax, whatever is done with it.
    pub(super) fn softmax(traced: &'r Traced) -> Option<Attention<'r>> {
        let record = made_by(traced).filter(|record| is_softmax(record))?;
        let soft = traced.results.first()?.tensor.clone()?;
        Attention::of(record, soft, None)
    }

    fn of(softmax: Rc<Record>, soft: Tensor, used: Option<Use<'r>>) -> Option<Attention<'r>> {
        let axis = axis_of(&softmax)?;
        let input = softmax.args().first()?.tensor()?.clone();
        let way = back(&input, &|record| Product::of(record).is_some());
        let (before, scores) = match way {
            Some(Way { links, record, .. }) => {
                let product = Product::of(&record)?;
                let (left, right) = (source(&product.left), source(&product.right));
                let (ways, sources) = ([left.0, right.0], [left.1, right.1]);
                (links, Some(Scores { record, product, ways, sources }))
            }
            None => (source(&input).0, None),
        };
        Some(Attention { softmax, soft, axis, before, scores, used })
    }

    /// What the softmax was given.
    pub(super) fn input(&self) -> Option<Tensor> {
        self.softmax.args().first()?.tensor().cloned()
    }

    /// The values that the weights were multiplied with.
    pub(super) fn values(&self) -> Option<&Tensor> {
        let used = self.used.as_ref()?;
        Some(if used.left { &used.product.right } else { &used.product.left })
    }

    /// The line of the softmax.
    pub(super) fn site(&self) -> Option<Site> {
        self.softmax.site.clone()
    }
}

impl Use<'_> {
    /// The line of the product with the values.
    pub(super) fn site(&self) -> Option<Site> {
        self.traced.site()
    }
}

/// The record of a traced operation.
pub(super) fn made_by(traced: &Traced) -> Option<Rc<Record>> {
    let record = traced.results.first()?.tensor.as_ref()?.origin()?;
    (record.op == traced.op).then_some(record)
}
