//! Rules of what brings many numbers to few: sums, means, variances, extremes.

use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, Result, Tensor};

/// The dimensions that were reduced, of `ndim`; all of them if none were named.
fn dims(step: &BackwardStep, ndim: usize) -> Result<Vec<usize>> {
    match step.ints("dim") {
        Some(dims) if !dims.is_empty() => {
            dims.iter().map(|&dim| if ndim == 0 { Ok(0) } else { wrap_dim(dim, ndim) }).collect()
        }
        _ => Ok((0..ndim).collect()),
    }
}

/// The gradient of a reduction, repeated along the dimensions that were reduced. View.
fn spread(step: &BackwardStep, grad: &Tensor, shape: &[usize]) -> Result<Tensor> {
    step.expanded(&restored(step, grad, shape)?, shape)
}

/// The gradient of a reduction with the dimensions that were reduced, which have size 1. View.
fn restored(step: &BackwardStep, grad: &Tensor, shape: &[usize]) -> Result<Tensor> {
    if shape.is_empty() {
        return step.reshaped(grad, shape);
    }
    let mut grad = grad.clone();
    if !step.bool("keepdim") {
        let mut dims = dims(step, shape.len())?;
        dims.sort_unstable();
        for at in dims {
            if grad.ndim() < shape.len() {
                grad = step.unsqueezed(&grad, at)?;
            }
        }
    }
    Ok(grad)
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
    Ok(Gradients::of("input", step.div(&grad, Arg::Int(count(step)? as i64))?))
}

fn correction(step: &BackwardStep) -> f64 {
    match step.arg("unbiased") {
        Arg::Bool(unbiased) => f64::from(u8::from(*unbiased)),
        _ => step.number("correction").unwrap_or(1.0),
    }
}

/// `2 / degrees * grad * (x - mean)`
pub(crate) fn var(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let x = step.tensor("input")?;
    let degrees = (count(step)? as f64 - correction(step)).max(0.0);
    let factor = if degrees > 0.0 { 2.0 / degrees } else { f64::NAN };
    let centred = step.sub(x, &step.mean(x, &dims(step, x.ndim())?)?)?;
    let scaled = step.mul(&restored(step, &grad, x.shape())?, Arg::Float(factor))?;
    Ok(Gradients::of("input", step.mul(&scaled, &centred)?))
}
