//! Arithmetic that rules are made of: operations on tensors as the table runs them, with nothing recorded.

use std::cmp::Ordering;

use crate::kernel::reduce as kernel;
use crate::tensor::ops::pointwise;
use crate::tensor::ops::reduce::{self, ReductionAxes};
use crate::tensor::ops::strides::placed;
use crate::tensor::{Arg, DType, Result, Tensor, ops};

/// Gradients are floats, so no rule depends on the dtype of Python's floats.
const DEFAULT: DType = DType::Float32;

type Pointwise = fn(&Arg, &Arg, DType) -> Result<Tensor>;

/// A pointwise operation on two tensors or numbers.
fn pair(function: Pointwise, a: impl Into<Arg>, b: impl Into<Arg>) -> Result<Tensor> {
    let (a, b) = (a.into(), b.into());
    let result = function(&a, &b, DEFAULT)?;
    let operands: Vec<&Tensor> = [&a, &b].into_iter().filter_map(Arg::tensor).collect();
    Ok(placed(result, &operands))
}

macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident: $function:path;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(a: impl Into<Arg>, b: impl Into<Arg>) -> Result<Tensor> {
            pair($function, a, b)
        }
    )*};
}

pairs! {
    /// `a + b`
    add: pointwise::add;
    /// `a - b`
    sub: pointwise::sub;
    /// `a * b`
    mul: pointwise::mul;
    /// `a / b`
    div: pointwise::div;
    /// `base ** exponent`
    power: pointwise::pow;
}

/// `-a`
pub(crate) fn neg(a: &Tensor) -> Tensor {
    placed(pointwise::same_unary(a, |x| -x, |x| -x, i64::wrapping_neg), &[a])
}

/// Zeros with the shape and dtype of a tensor, in its order in memory. As `torch.zeros_like`.
pub(crate) fn zeros_like(a: &Tensor) -> Result<Tensor> {
    let layout = a.layout().preserved();
    Ok(Tensor::zeros([layout.numel()], a.dtype())?.with_layout(layout))
}

/// `a @ b`, for any ranks.
pub(crate) fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    Ok(ops::linear::matmul(&a.alias(), &b.alias())?.0)
}

/// The last two dimensions exchanged. View.
pub(crate) fn transposed(a: &Tensor) -> Tensor {
    a.with_layout(a.layout().transpose(a.ndim() - 2, a.ndim() - 1))
}

/// A function of each element.
pub(crate) fn function(a: &Tensor, f32: fn(&[f32], &mut [f32]), f64: fn(&[f64], &mut [f64])) -> Tensor {
    placed(pointwise::float_unary(a, DEFAULT, f32, f64), &[a])
}

/// `a` where the condition is true, `b` elsewhere. As `torch.where`.
pub(crate) fn choice(condition: &Tensor, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    Ok(placed(pointwise::select(condition, &a.into(), &b.into(), DEFAULT)?, &[condition, a, b]))
}

/// A number where the mask is true, `a` elsewhere. As `masked_fill`.
pub(crate) fn masked(a: &Tensor, mask: &Tensor, number: f64) -> Result<Tensor> {
    ops::mask::masked_fill(a, mask, &Tensor::scalar(number, a.dtype()))
}

/// The sum of all elements. As `sum`.
pub(crate) fn total(a: &Tensor) -> Result<Tensor> {
    Ok(reduce::sum(a, &ReductionAxes::new(a, &[], false)?, None))
}

/// Whether a comparison is true of each pair of elements; one with nan is not.
pub(crate) fn compare(a: &Arg, b: &Arg, test: fn(Ordering) -> bool) -> Result<Tensor> {
    let result = pointwise::compare(a, b, DEFAULT, test)?;
    let operands: Vec<&Tensor> = [a, b].into_iter().filter_map(Arg::tensor).collect();
    Ok(placed(result, &operands))
}

/// The mean over dimensions, which stay with size 1.
pub(crate) fn mean(a: &Tensor, over: &ReductionAxes) -> Tensor {
    reduce::floats(a, over, kernel::mean, kernel::mean)
}
