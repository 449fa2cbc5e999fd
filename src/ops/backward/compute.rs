//! Operations that rules are made of. They compute what the operations of the table compute, without records; where
//! gradients have gradients themselves, or are explained, the table's operations run and are recorded.

use std::cmp::Ordering;

use super::step::BackwardStep;
use crate::kernel::reduce as kernel;
use crate::ops::call::call_named;
use crate::ops::state::Caller;
use crate::tensor::ops::cast;
use crate::tensor::ops::pointwise;
use crate::tensor::ops::reduce::{self, ReductionAxes};
use crate::tensor::ops::strides::placed;
use crate::tensor::{Arg, Buffer, DType, Layout, Result, Tensor, ops};

/// Gradients are floats, so no rule depends on the dtype of Python's floats.
const DEFAULT: DType = DType::Float32;

/// Runs a form of an operation of the table, recorded; arguments that are not given have their defaults.
pub(crate) fn recorded(caller: Caller, name: &'static str, form: usize, args: Vec<Arg>) -> Result<Tensor> {
    // Zeros and places that a rule makes.
    for tensor in args.iter().flat_map(Arg::tensors) {
        caller.state.mark_gradient(tensor, (caller.site)());
    }
    call_named(caller, name, form, args)
}

/// Methods of a step: the operation of the table with its form and its arguments, and what computes the same.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) is $op:literal $form:literal ($($given:expr),*) => $direct:expr;)*) => {
        impl BackwardStep<'_> {$(
            $(#[$doc])*
            pub(crate) fn $name(&self, $($arg: $type),*) -> Result<Tensor> {
                match self.caller {
                    None => $direct,
                    Some(caller) => recorded(caller, $op, $form, vec![$($given.into()),*]),
                }
            }
        )*}
    };
}

operations! {
    /// `-a`
    neg(a: &Tensor) is "neg" 0 (a) => Ok(neg(a));
    /// `a @ b`, for any ranks.
    matmul(a: &Tensor, b: &Tensor) is "matmul" 0 (a, b) => Ok(ops::linear::matmul(&a.alias(), &b.alias())?.0);
    /// The last two dimensions exchanged. View.
    transposed(a: &Tensor) is "mT" 0 (a) => seen(a, a.layout().transpose(a.ndim() - 2, a.ndim() - 1));
    /// Two dimensions exchanged. View.
    swapped(a: &Tensor, first: usize, second: usize) is "transpose" 0 (a, int(first), int(second)) =>
        seen(a, a.layout().transpose(first, second));
    /// The dimensions in another order. View.
    permuted(a: &Tensor, dims: &[usize]) is "permute" 0 (a, ints(dims)) => seen(a, a.layout().permute(dims));
    /// A dimension of size 1 more. View.
    unsqueezed(a: &Tensor, axis: usize) is "unsqueeze" 0 (a, int(axis)) => seen(a, a.layout().unsqueeze(axis));
    /// Without a dimension of size 1. View.
    squeezed(a: &Tensor, axis: usize) is "squeeze" 1 (a, int(axis)) => seen(a, a.layout().squeeze(axis));
    /// Repeated to a shape. View.
    expanded(a: &Tensor, shape: &[usize]) is "expand" 0 (a, ints(shape)) =>
        ops::expanded(a, &shape.iter().map(|&size| size as i64).collect::<Vec<_>>());
    /// Neighbours along a dimension. View.
    narrowed(a: &Tensor, axis: usize, start: usize, size: usize) is "narrow" 0 (a, int(axis), int(start), int(size)) =>
        seen(a, a.layout().slice(axis, start, size, 1));
    /// One index of a dimension, which goes. View.
    selected(a: &Tensor, axis: usize, at: usize) is "select" 0 (a, int(axis), int(at)) =>
        seen(a, a.layout().select(axis, at));
    /// The same elements in another shape.
    reshaped(a: &Tensor, shape: &[usize]) is "reshape" 0 (a, ints(shape)) => Ok(ops::reshape(a, shape));
    /// The values in another dtype.
    converted(a: &Tensor, dtype: DType) is "to" 0 (a, Arg::DType(dtype)) => Ok(cast::to_dtype(a, dtype));
    /// `a` where the condition is true, `b` elsewhere. As `torch.where`.
    choice(condition: &Tensor, a: &Tensor, b: &Tensor) is "where" 0 (condition, a, b) =>
        Ok(placed(pointwise::select(condition, &a.into(), &b.into(), DEFAULT)?, &[condition, a, b]));
    /// A number where the mask is true, `a` elsewhere. As `masked_fill`.
    masked(a: &Tensor, mask: &Tensor, number: f64) is "masked_fill" 0 (a, mask, Arg::Float(number)) =>
        ops::mask::masked_fill(a, mask, &Tensor::scalar(number, a.dtype()));
    /// The sum of all elements.
    total(a: &Tensor) is "sum" 0 (a) => Ok(reduce::sum(a, &ReductionAxes::new(a, &[], false)?, None));
    /// The sum over dimensions, which stay with size 1.
    sum(a: &Tensor, dims: &[usize]) is "sum" 1 (a, ints(dims), Arg::Bool(true)) =>
        Ok(reduce::sum(a, &axes(a, dims)?, None));
    /// The mean over dimensions, which stay with size 1.
    mean(a: &Tensor, dims: &[usize]) is "mean" 1 (a, ints(dims), Arg::Bool(true)) =>
        Ok(reduce::floats(a, &axes(a, dims)?, kernel::mean, kernel::mean));
    /// Tensors one after the other along a dimension.
    joined(parts: &[Tensor], axis: usize) is "cat" 0 (Arg::Tensors(parts.to_vec()), int(axis)) =>
        ops::join::cat(parts, axis as i64, DEFAULT);
    /// Tensors of one shape along a new dimension.
    stacked(parts: &[Tensor], axis: usize) is "stack" 0 (Arg::Tensors(parts.to_vec()), int(axis)) =>
        ops::join::stack(parts, axis as i64, DEFAULT);
    /// `a - b`
    sub(a: impl Into<Arg>, b: impl Into<Arg>) is "sub" 0 (a, b) => pair(pointwise::sub, &a.into(), &b.into());
    /// `a * b`
    mul(a: impl Into<Arg>, b: impl Into<Arg>) is "mul" 0 (a, b) => pair(pointwise::mul, &a.into(), &b.into());
    /// `a / b`
    div(a: impl Into<Arg>, b: impl Into<Arg>) is "div" 0 (a, b) => pair(pointwise::div, &a.into(), &b.into());
    /// `a ** b`
    power(a: impl Into<Arg>, b: impl Into<Arg>) is "pow" 0 (a, b) => pair(pointwise::pow, &a.into(), &b.into());
}

impl BackwardStep<'_> {
    /// A function of each element: that of the operation of this name.
    pub(crate) fn function(
        &self,
        name: &'static str,
        a: &Tensor,
        f32: fn(&[f32], &mut [f32]),
        f64: fn(&[f64], &mut [f64]),
    ) -> Result<Tensor> {
        match self.caller {
            None => Ok(placed(pointwise::float_unary(a, DEFAULT, f32, f64), &[a])),
            Some(caller) => recorded(caller, name, 0, vec![a.into()]),
        }
    }

    /// Zeros in a shape, with the gradient where `find` finds its elements in a tensor of that shape. Views.
    pub(crate) fn put_back(
        &self,
        grad: &Tensor,
        shape: &[usize],
        dtype: DType,
        find: impl FnOnce(&Tensor) -> Result<Tensor>,
    ) -> Result<Tensor> {
        if self.caller.is_some() {
            return self.added_at(grad, shape, &places(shape, find)?);
        }
        let whole = Tensor::zeros(shape, dtype)?;
        ops::write(&find(&whole)?, grad)?;
        Ok(whole)
    }

    /// Zeros in a shape with the elements of a gradient added at these [`places`]. Recorded.
    pub(crate) fn added_at(&self, grad: &Tensor, shape: &[usize], places: &Tensor) -> Result<Tensor> {
        let Some(caller) = self.caller else { unreachable!("it is for what is recorded") };
        let zeros = Tensor::zeros([shape.iter().product()], grad.dtype())?;
        let flat = self.reshaped(grad, &[grad.numel()])?;
        let args = vec![Arg::from(&zeros), Arg::Int(0), places.into(), Arg::from(&flat)];
        self.reshaped(&recorded(caller, "index_add", 0, args)?, shape)
    }
}

/// The places that `find` finds in a tensor of a shape, counted in row-major order: a vector.
pub(crate) fn places(shape: &[usize], find: impl FnOnce(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let order = Tensor::new(Buffer::I64((0..count as i64).collect()), shape, DType::Int64);
    let found = find(&order)?;
    Ok(ops::reshape(&found, &[found.numel()]))
}

fn seen(a: &Tensor, layout: Layout) -> Result<Tensor> {
    Ok(a.with_layout(layout))
}

fn int(value: usize) -> Arg {
    Arg::Int(value as i64)
}

fn ints(values: &[usize]) -> Arg {
    Arg::Ints(values.iter().map(|&value| value as i64).collect())
}

/// Dimensions to reduce, which stay with size 1.
fn axes(a: &Tensor, dims: &[usize]) -> Result<ReductionAxes> {
    let dims: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
    ReductionAxes::new(a, &dims, true)
}

/// A pointwise operation on two tensors or numbers.
fn pair(function: impl Fn(&Arg, &Arg, DType) -> Result<Tensor>, a: &Arg, b: &Arg) -> Result<Tensor> {
    let result = function(a, b, DEFAULT)?;
    let operands: Vec<&Tensor> = [a, b].into_iter().filter_map(Arg::tensor).collect();
    Ok(placed(result, &operands))
}

/// `a + b`, without a record.
pub(super) fn add(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    pair(pointwise::add, &a.into(), &b.into())
}

/// `-a`, without a record.
pub(super) fn neg(a: &Tensor) -> Tensor {
    placed(pointwise::same_unary(a, |x| -x, |x| -x, i64::wrapping_neg), &[a])
}

/// Whether a comparison is true of each pair of elements; one with nan is not.
pub(crate) fn compare(a: &Arg, b: &Arg, test: fn(Ordering) -> bool) -> Result<Tensor> {
    pair(|a, b, default| pointwise::compare(a, b, default, test), a, b)
}
