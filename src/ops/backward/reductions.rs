//! Rules of what brings many numbers to few: sums, means, variances, extremes.

use super::compute;
use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::reduce::ReductionAxes;
use crate::tensor::{Arg, Result, Tensor, ops};

/// The dimensions that were reduced, of `ndim`; all of them if none were named.
pub(super) fn dims(step: &BackwardStep, ndim: usize) -> Result<Vec<usize>> {
    match step.ints("dim") {
        Some(dims) if !dims.is_empty() => {
            dims.iter().map(|&dim| if ndim == 0 { Ok(0) } else { wrap_dim(dim, ndim) }).collect()
        }
        _ => Ok((0..ndim).collect()),
    }
}

/// The gradient of a reduction, repeated along the dimensions that were reduced. View.
pub(super) fn spread(step: &BackwardStep, grad: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let sizes: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    ops::expanded(&restored(step, grad, shape)?, &sizes)
}

/// The gradient of a reduction with the dimensions that were reduced, which have size 1. View.
fn restored(step: &BackwardStep, grad: &Tensor, shape: &[usize]) -> Result<Tensor> {
    if shape.is_empty() {
        return Ok(ops::reshape(grad, shape));
    }
    let mut layout = grad.layout().clone();
    if !step.bool("keepdim") {
        let mut dims = dims(step, shape.len())?;
        dims.sort_unstable();
        for at in dims {
            if layout.ndim() < shape.len() {
                layout = layout.unsqueeze(at);
            }
        }
    }
    Ok(grad.with_layout(layout))
}

/// How many numbers each result was made of.
fn count(step: &BackwardStep) -> Result<usize> {
    let shape = step.shape("input");
    Ok(dims(step, shape.len())?.into_iter().map(|at| shape.get(at).copied().unwrap_or(1)).product())
}

pub(crate) fn sum(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", spread(step, &grad, step.shape("input"))?))
}

pub(crate) fn mean(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let grad = Arg::Tensor(spread(step, &grad, step.shape("input"))?);
    Ok(Gradients::of("input", compute::div(&grad, Arg::Int(count(step)? as i64))?))
}

/// The variance's divisor: the numbers less the correction.
fn degrees(step: &BackwardStep) -> Result<f64> {
    Ok((count(step)? as f64 - correction(step)).max(0.0))
}

fn correction(step: &BackwardStep) -> f64 {
    match step.arg("unbiased") {
        Arg::Bool(unbiased) => f64::from(u8::from(*unbiased)),
        _ => step.number("correction").unwrap_or(1.0),
    }
}

/// The dimensions that were reduced, which stay with size 1.
fn over(step: &BackwardStep, x: &Tensor) -> Result<ReductionAxes> {
    let dims: Vec<i64> = dims(step, x.ndim())?.into_iter().map(|dim| dim as i64).collect();
    ReductionAxes::new(x, &dims, true)
}

/// `2 / degrees * grad * (x - mean)`
fn of_variance(step: &BackwardStep, x: &Tensor, grad: &Tensor) -> Result<Gradients> {
    let degrees = degrees(step)?;
    let factor = if degrees > 0.0 { 2.0 / degrees } else { f64::NAN };
    let centred = compute::sub(x, &compute::mean(x, &over(step, x)?))?;
    let scaled = compute::mul(grad, Arg::Float(factor))?;
    Ok(Gradients::of("input", compute::mul(&scaled, &centred)?))
}

pub(crate) fn var(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let x = step.tensor("input")?;
    of_variance(step, x, &restored(step, &grad, x.shape())?)
}
