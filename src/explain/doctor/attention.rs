//! Finds attention among the operations: queries and keys, scores, softmax, weights, and the product with the values.

use std::rc::Rc;

use super::axes::{Axis, Product, axis_of, is_product, mixed_heads};
use super::flow::{FlowPath, FlowStep, axis_at_start, is_parameter, operand, origin, source, trace_back};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Reducer, SoftmaxKind};
use crate::tensor::{Record, Site, Tensor};

/// A softmax, the operations that lead to it, and the product that uses its weights.
pub(super) struct Attention<'r> {
    pub(crate) softmax: Rc<Record>,
    /// The result of the softmax.
    pub(crate) weights: Tensor,
    /// The axis along which the softmax runs, counted from the end.
    pub(crate) axis: Axis,
    /// The operations between the product of queries and keys and the softmax, nearest to the softmax first.
    pub(crate) before: Vec<FlowStep>,
    /// The product of queries and keys.
    pub(crate) scores: Option<Scores>,
    /// The product with the values.
    pub(crate) context: Option<Context<'r>>,
}

/// The product of queries and keys.
pub(super) struct Scores {
    pub(crate) record: Rc<Record>,
    pub(crate) product: Product,
    /// The scalings and views between each operand and its source.
    pub(crate) paths: [Vec<FlowStep>; 2],
    /// Each operand as it was before these scalings and views.
    pub(crate) sources: [Tensor; 2],
}

/// The product of weights and values.
pub(super) struct Context<'r> {
    /// The operation in the trace.
    pub(crate) traced: &'r Traced,
    /// The weights as they were multiplied.
    pub(crate) weights: Tensor,
    /// The values, and their axis that is summed over: the tokens.
    pub(crate) values: Tensor,
    pub(crate) tokens: Axis,
    /// The operations between the softmax and this product, nearest to the product first.
    pub(crate) after: Vec<FlowStep>,
    /// The axis of the weights that is summed over.
    pub(crate) summed: Axis,
    /// The same axis in the result of the softmax; none where views between them hide it.
    pub(crate) summed_in_softmax: Option<Axis>,
}

/// Whether an operation is a softmax, or the division that ends one written out: exp(x) / exp(x).sum(dim).
pub(super) fn is_softmax(record: &Record) -> bool {
    record.operation.explanation == Explanation::Softmax(SoftmaxKind::Weights)
        || written_out(record).is_some()
}

/// The input and the axis of a softmax that is written out, if a record is the division that ends it.
fn written_out(record: &Record) -> Option<(Tensor, Axis)> {
    let is = |record: &Rc<Record>, explanation: Explanation| record.operation.explanation == explanation;
    if record.operation.explanation != Explanation::Pointwise(Formula::Div) || record.in_place {
        return None;
    }
    let args = record.args();
    let (above, below) = (args.first()?.tensor()?, args.get(1)?.tensor()?);
    let exponent =
        |of: &Tensor| operand(&*origin(of).filter(|it| is(it, Explanation::Pointwise(Formula::Exp)))?, 0);
    let input = exponent(above)?;
    let sum = origin(&source(below).1).filter(|it| is(it, Explanation::Reduction(Reducer::Sum)))?;
    let sum_args = sum.args();
    let summed = sum_args.first()?.tensor()?;
    let is_same = summed.is(above)
        || exponent(summed)
            .is_some_and(|it| it.storage().same(input.storage()) && it.shape() == input.shape());
    if !is_same {
        return None;
    }
    let only_axis = (summed.ndim() == 1).then_some(1);
    let axis = axis_of(sum_args.get(1), summed.ndim()).or(only_axis)?;
    // The largest score is often subtracted first.
    let shifted = origin(&input).filter(|it| is(it, Explanation::Pointwise(Formula::Sub)));
    let scores = shifted.and_then(|it| {
        let args = it.args();
        let (scores, top) = (args.first()?.tensor()?, args.get(1)?.tensor()?);
        (top.numel() < scores.numel()).then(|| scores.clone())
    });
    Some((scores.unwrap_or(input), axis))
}

/// The input of a softmax, or of another function that makes weights.
fn input_of(record: &Record) -> Option<Tensor> {
    written_out(record).map(|(input, _)| input).or_else(|| operand(record, 0))
}

/// Whether an operation makes weights of scores and is no softmax.
fn is_other_weighting(record: &Record) -> bool {
    matches!(record.operation.explanation, Explanation::Pointwise(Formula::Exp | Formula::Sigmoid))
}

/// The axis of a softmax, counted from the end.
pub(super) fn softmax_axis(record: &Record) -> Option<Axis> {
    if let Some((_, axis)) = written_out(record) {
        return Some(axis);
    }
    axis_of(record.args().get(1), operand(record, 0)?.ndim().max(1))
}

impl<'r> Attention<'r> {
    /// The attention that ends with this operation: a product with weights that come from a softmax.
    pub(super) fn ending_at(traced: &'r Traced) -> Option<Attention<'r>> {
        let product = product_with_values(traced)?;
        for weights_are_left in [true, false] {
            let (weights, values) = match weights_are_left {
                true => (&product.left, &product.right),
                false => (&product.right, &product.left),
            };
            // A layer of the library, such as a convolution over the heads.
            if !traced.inside().is_empty() && is_parameter(&source(values).1) {
                continue;
            }
            let Some(FlowPath { steps, start, record }) = trace_back(weights, &is_softmax) else { continue };
            let context = Context::new(traced, product, weights_are_left, steps);
            return Attention::new(record, start, Some(context));
        }
        None
    }

    /// The attention of weights that come from another function than a softmax: `exp`, to be divided by its sums, or a
    /// sigmoid. The axis is that of the keys, the last one.
    pub(super) fn of_other_weights(traced: &'r Traced) -> Option<Attention<'r>> {
        let product = product_with_values(traced)?;
        let FlowPath { steps, start, record } = trace_back(&product.left, &is_other_weighting)?;
        if steps.iter().any(|step| is_softmax(&step.record)) {
            return None;
        }
        let context = Context::new(traced, product, true, steps);
        let attention = Attention::with_axis(record, start, Some(context), 1)?;
        attention.scores.is_some().then_some(attention)
    }

    /// The attention of a traced softmax, whether or not its weights are used.
    pub(super) fn of_softmax(traced: &'r Traced) -> Option<Attention<'r>> {
        let record = record_of(traced).filter(|record| is_softmax(record))?;
        Attention::new(record, traced.result()?.clone(), None)
    }

    /// The attention whose weights are the result of this softmax.
    pub(super) fn new(
        softmax: Rc<Record>,
        weights: Tensor,
        context: Option<Context<'r>>,
    ) -> Option<Attention<'r>> {
        let axis = softmax_axis(&softmax)?;
        Attention::with_axis(softmax, weights, context, axis)
    }

    fn with_axis(
        softmax: Rc<Record>,
        weights: Tensor,
        context: Option<Context<'r>>,
        axis: Axis,
    ) -> Option<Attention<'r>> {
        let input = input_of(&softmax)?;
        let (before, scores) = match trace_back(&input, &is_product) {
            Some(FlowPath { steps, record, .. }) => {
                let product = Product::of(&record)?;
                (steps, Some(Scores::new(record, product)))
            }
            None => (source(&input).0, None),
        };
        Some(Attention { softmax, weights, axis, before, scores, context })
    }

    /// The input of the softmax.
    pub(super) fn input(&self) -> Option<Tensor> {
        input_of(&self.softmax)
    }

    /// The values that the weights are multiplied with.
    pub(super) fn values(&self) -> Option<&Tensor> {
        Some(&self.context.as_ref()?.values)
    }

    /// The line of the softmax.
    pub(super) fn site(&self) -> Option<Site> {
        self.softmax.site.clone()
    }
}

impl Scores {
    pub(super) fn new(record: Rc<Record>, product: Product) -> Scores {
        let (left, right) = (source(&product.left), source(&product.right));
        Scores { record, product, paths: [left.0, right.0], sources: [left.1, right.1] }
    }
}

impl<'r> Context<'r> {
    fn new(
        traced: &'r Traced,
        product: Product,
        weights_are_left: bool,
        after: Vec<FlowStep>,
    ) -> Context<'r> {
        let (left, right) = ((product.left, product.summed.0), (product.right, product.summed.1));
        let ((weights, summed), (values, tokens)) =
            if weights_are_left { (left, right) } else { (right, left) };
        let summed_in_softmax = axis_at_start(&after, summed);
        Context { traced, weights, values, tokens, after, summed, summed_in_softmax }
    }
}

/// The product that an operation is, if it may be one with values: no layer, and no mixing of heads.
fn product_with_values(traced: &Traced) -> Option<Product> {
    let record = record_of(traced).filter(|it| it.operation.explanation != Explanation::Linear)?;
    Product::of(&record).filter(|_| mixed_heads(&record).is_none())
}

/// What the queries, the keys and the values of an attention that ends with this operation were before they were scaled and
/// rearranged. Of transposed scores the first two are in each other's place.
pub(super) fn roles(step: &Traced) -> Option<[Tensor; 3]> {
    operands_of_attention(step).map(|all| all.map(|it| source(&it).1))
}

/// The queries, the keys and the values as they are multiplied.
pub(super) fn operands_of_attention(step: &Traced) -> Option<[Tensor; 3]> {
    if step.operation.explanation == Explanation::Attention {
        return Some([step.tensor(0)?.clone(), step.tensor(1)?.clone(), step.tensor(2)?.clone()]);
    }
    let attention = Attention::ending_at(step)?;
    let values = attention.values()?.clone();
    let Product { left, right, .. } = attention.scores?.product;
    Some([left, right, values])
}

/// The record that a traced operation made.
pub(super) fn record_of(traced: &Traced) -> Option<Rc<Record>> {
    let record = origin(traced.result()?)?;
    (record.operation.name == traced.operation.name).then_some(record)
}
