//! Finds attention among the operations: queries and keys, scores, softmax, weights, and the product with the values.

use std::rc::Rc;

use super::axes::{Axis, Product, is_product, mixed_heads};
use super::flow::{FlowPath, FlowStep, axis_at_start, origin, projection, source, trace_back};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Reducer, SoftmaxKind};
use crate::tensor::{Arg, Record, Site, Tensor};

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
    pub(crate) product: Product,
    /// The weights as they were multiplied.
    pub(crate) weights: Tensor,
    /// Whether the weights were the left operand.
    pub(crate) weights_are_left: bool,
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
        || is_pointer(record)
}

/// Whether an operation is the logarithm of a softmax over masked products of two projections: a pointer, whose weights are
/// the answer and meet no values.
pub(super) fn is_pointer(record: &Record) -> bool {
    if record.operation.explanation != Explanation::Softmax(SoftmaxKind::Log) {
        return false;
    }
    let args = record.args();
    let Some(path) = args.first().and_then(Arg::tensor).and_then(|it| trace_back(it, &is_product)) else {
        return false;
    };
    let is_masked = path.steps.iter().any(|step| step.fill().is_some());
    let Some(product) = Product::of(&path.record).filter(|_| is_masked) else { return false };
    let [left, right] = [&product.left, &product.right].map(|it| source(it).1);
    let is_linear = path.record.operation.explanation == Explanation::Linear;
    !is_linear && !left.is(&right) && projection(&left).is_some() && projection(&right).is_some()
}

/// The input and the axis of a softmax that is written out, if a record is the division that ends it.
fn written_out(record: &Record) -> Option<(Tensor, Axis)> {
    let is = |record: &Rc<Record>, explanation: Explanation| record.operation.explanation == explanation;
    if record.operation.explanation != Explanation::Pointwise(Formula::Div) || record.in_place {
        return None;
    }
    let args = record.args();
    let (above, below) = (args.first()?.tensor()?, args.get(1)?.tensor()?);
    let exponent = |of: &Tensor| {
        let record = origin(of).filter(|it| is(it, Explanation::Pointwise(Formula::Exp)))?;
        record.args().first()?.tensor().cloned()
    };
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
    let ndim = summed.ndim() as i64;
    let dim = match sum_args.get(1) {
        Some(Arg::Int(dim)) => *dim,
        Some(Arg::Ints(dims)) if dims.len() == 1 => dims[0],
        _ if ndim == 1 => 0,
        _ => return None,
    };
    let axis = usize::try_from(if dim < 0 { -dim } else { ndim - dim }).ok()?;
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
    written_out(record).map(|(input, _)| input).or_else(|| record.args().first()?.tensor().cloned())
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
    let args = record.args();
    let (input, dim) = (args.first()?.tensor()?, args.get(1)?);
    let Arg::Int(dim) = dim else { return None };
    let ndim = input.ndim().max(1) as i64;
    usize::try_from(if *dim < 0 { -dim } else { ndim - dim }).ok()
}

impl<'r> Attention<'r> {
    /// The attention that ends with this operation: a product with weights that come from a softmax.
    pub(super) fn ending_at(traced: &'r Traced) -> Option<Attention<'r>> {
        let record = record_of(traced)?;
        let is_linear = record.operation.explanation == Explanation::Linear;
        let product = Product::of(&record).filter(|_| !is_linear && mixed_heads(&record).is_none())?;
        for weights_are_left in [true, false] {
            let (weights, values) = match weights_are_left {
                true => (&product.left, &product.right),
                false => (&product.right, &product.left),
            };
            // A layer of the library, such as a convolution over the heads.
            let values = source(values).1;
            if !traced.inside().is_empty() && values.is_leaf() && values.requires_grad() {
                continue;
            }
            let Some(FlowPath { steps, start, record }) = trace_back(weights, &is_softmax) else { continue };
            let summed = if weights_are_left { product.summed.0 } else { product.summed.1 };
            let summed_in_softmax = axis_at_start(&steps, summed);
            let context = Context {
                traced,
                weights: weights.clone(),
                product: product.clone(),
                weights_are_left,
                after: steps,
                summed,
                summed_in_softmax,
            };
            return Attention::new(record, start, Some(context));
        }
        None
    }

    /// The attention of weights that come from another function than a softmax: `exp`, to be divided by its sums, or a
    /// sigmoid. The axis is that of the keys, the last one.
    pub(super) fn of_other_weights(traced: &'r Traced) -> Option<Attention<'r>> {
        let record = record_of(traced)?;
        let is_linear = record.operation.explanation == Explanation::Linear;
        let product = Product::of(&record).filter(|_| !is_linear && mixed_heads(&record).is_none())?;
        let FlowPath { steps, start, record } = trace_back(&product.left, &is_other_weighting)?;
        if steps.iter().any(|step| is_softmax(&step.record)) {
            return None;
        }
        let summed = product.summed.0;
        let summed_in_softmax = axis_at_start(&steps, summed);
        let weights = product.left.clone();
        let context = Context {
            traced,
            weights,
            product,
            weights_are_left: true,
            after: steps,
            summed,
            summed_in_softmax,
        };
        let attention = Attention::with_axis(record, start, Some(context), 1)?;
        attention.scores.is_some().then_some(attention)
    }

    /// The attention of a traced softmax, whether or not its weights are used.
    pub(super) fn of_softmax(traced: &'r Traced) -> Option<Attention<'r>> {
        let record = record_of(traced).filter(|record| is_softmax(record))?;
        let weights = traced.results.first()?.tensor.clone()?;
        Attention::new(record, weights, None)
    }

    fn new(softmax: Rc<Record>, weights: Tensor, context: Option<Context<'r>>) -> Option<Attention<'r>> {
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
        let path = trace_back(&input, &is_product);
        let (before, scores) = match path {
            Some(FlowPath { steps, record, .. }) => {
                let product = Product::of(&record)?;
                let (left, right) = (source(&product.left), source(&product.right));
                let (paths, sources) = ([left.0, right.0], [left.1, right.1]);
                (steps, Some(Scores { record, product, paths, sources }))
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
        let context = self.context.as_ref()?;
        Some(if context.weights_are_left { &context.product.right } else { &context.product.left })
    }

    /// The line of the softmax.
    pub(super) fn site(&self) -> Option<Site> {
        self.softmax.site.clone()
    }
}

impl Context<'_> {
    /// The line of the product with the values.
    pub(super) fn site(&self) -> Option<Site> {
        self.traced.site()
    }
}

/// What the queries, the keys and the values of an attention that ends with this operation were before they were scaled and
/// rearranged. Of transposed scores the first two are in each other's place.
pub(super) fn roles(step: &Traced) -> Option<[Tensor; 3]> {
    operands(step).map(|all| all.map(|it| source(&it).1))
}

/// The queries, the keys and the values as they are multiplied.
pub(super) fn operands(step: &Traced) -> Option<[Tensor; 3]> {
    if step.operation.explanation == Explanation::Attention {
        let operand = |at: usize| step.operand(at)?.tensor.clone();
        return Some([operand(0)?, operand(1)?, operand(2)?]);
    }
    let attention = Attention::ending_at(step)?;
    let values = attention.values()?.clone();
    let Product { left, right, .. } = attention.scores?.product;
    Some([left, right, values])
}

/// The record that a traced operation made.
pub(super) fn record_of(traced: &Traced) -> Option<Rc<Record>> {
    let record = origin(traced.results.first()?.tensor.as_ref()?)?;
    (record.operation.name == traced.operation.name).then_some(record)
}
