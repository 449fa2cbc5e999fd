//! Half precision where PyTorch rounds in the middle of an operation; all others are computed in float32 and rounded once.
//! Source: formulas compared with PyTorch 2.6 on random numbers, until each element was equal.

use super::cast::to_dtype;
use super::float::Float;
use super::pointwise::{add, div, float_unary, mul, same_unary, sub};
use super::reduce::{End, ReductionAxes, extreme, floats, sum};
use crate::kernel::{math, reduce};
use crate::tensor::Arg;
use crate::tensor::{DType, Result, Tensor};

/// A tensor of a half-precision dtype in float32.
fn wide(x: &Tensor) -> Tensor {
    to_dtype(x, DType::Float32)
}

/// Rounded to a half-precision dtype, and in float32 again.
fn rounded(x: &Tensor, dtype: DType) -> Tensor {
    wide(&to_dtype(x, dtype))
}

type Pair = fn(&Arg, &Arg, DType) -> Result<Tensor>;

/// An operation on two float32 tensors.
fn of(op: Pair, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    op(&Arg::Tensor(a.clone()), &Arg::Tensor(b.clone()), DType::Float32)
}

fn exp(x: &Tensor) -> Tensor {
    float_unary(x, DType::Float32, math::exp, math::exp)
}

fn log(x: &Tensor) -> Tensor {
    float_unary(x, DType::Float32, math::log, math::log_double)
}

/// The largest element over axes, 0 where it is infinite.
fn largest(x: &Tensor, over: &ReductionAxes) -> Tensor {
    let largest = extreme(x, over, End::Max).unwrap_or_else(|| x.clone());
    same_unary(&largest, |x| if x.is_infinite() { 0.0 } else { x }, |x| x, |x| x)
}

/// Softmax along an axis, or its logarithm, of a tensor of half precision with elements.
pub(crate) fn softmax(x: &Tensor, axis: usize, log_of: bool) -> Result<Tensor> {
    let (dtype, is_last) = (x.dtype(), axis + 1 == x.ndim().max(1));
    let x = wide(x);
    let over = ReductionAxes::new(&x, &[axis as i64], true)?;
    let largest = largest(&x, &over);
    let whole = floats(&x, &over, reduce::logsumexp, reduce::logsumexp);
    let whole = of(sub, &whole, &largest)?;
    let result = match (log_of, is_last) {
        (true, true) => {
            let log = rounded(&log(&rounded(&exp(&whole), dtype)), dtype);
            of(sub, &of(sub, &x, &largest)?, &log)?
        }
        (true, false) => of(sub, &of(sub, &x, &largest)?, &whole)?,
        // PyTorch has a loop of its own for rows of whole vectors.
        (false, is_last) if is_last || x.shape()[axis + 1..].iter().product::<usize>().is_multiple_of(32) => {
            exp(&of(sub, &of(sub, &x, &largest)?, &whole)?)
        }
        (false, _) => of(div, &rounded(&exp(&of(sub, &x, &largest)?), dtype), &exp(&whole))?,
    };
    Ok(to_dtype(&result, dtype))
}

/// The gradient of [`softmax`], from its input.
pub(crate) fn softmax_gradient(x: &Tensor, grad: &Tensor, axis: usize, log_of: bool) -> Result<Tensor> {
    let (dtype, is_last) = (x.dtype(), axis + 1 == x.ndim().max(1));
    let (result, grad) = (wide(&softmax(x, axis, log_of)?), wide(grad));
    let over = ReductionAxes::new(x, &[axis as i64], true)?;
    let terms = if log_of { grad.clone() } else { of(mul, &grad, &result)? };
    let sum = sum(&terms, &over, None);
    let sum = if is_last { rounded(&sum, dtype) } else { sum };
    let of_input = match log_of {
        true => of(sub, &grad, &of(mul, &exp(&result), &sum)?)?,
        false => of(mul, &result, &of(sub, &grad, &sum)?)?,
    };
    Ok(to_dtype(&of_input, dtype))
}

/// The logarithm of the sum of exponentials over axes.
pub(crate) fn logsumexp(x: &Tensor, over: &ReductionAxes) -> Result<Tensor> {
    let dtype = x.dtype();
    let kept =
        x.shape().iter().enumerate().map(|(axis, &size)| if over.axes.contains(&axis) { 1 } else { size });
    let keepdim = ReductionAxes { axes: over.axes.clone(), shape: kept.collect() };
    let x = wide(x);
    let shifted = rounded(&of(sub, &x, &largest(&x, &keepdim))?, dtype);
    let total = rounded(&sum(&rounded(&exp(&shifted), dtype), over, None), dtype);
    Ok(to_dtype(&of(add, &rounded(&log(&total), dtype), &largest(&x, over))?, dtype))
}

/// The product over one axis or all.
pub(crate) fn prod(x: &Tensor, over: &ReductionAxes) -> Tensor {
    let (dtype, values) = (x.dtype(), f32::of(x));
    let (length, inner) = match *over.axes {
        [axis] => (x.shape()[axis], x.shape()[axis + 1..].iter().product()),
        _ => (values.len(), 1),
    };
    let product = |at: usize| {
        let first = at / inner * inner * length + at % inner;
        (0..length).fold(1.0, |product, step| dtype.round_f32(product * values[first + step * inner]))
    };
    let count = over.shape.iter().product();
    f32::tensor((0..count).map(product).collect(), over.shape.clone(), dtype)
}
