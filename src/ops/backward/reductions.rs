//! Rules of what brings many numbers to few: sums, means, variances, extremes.

use super::compute;
use super::step::{Gradients, Step};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, Result, Tensor, ops};

/// The dimensions that were reduced, of `ndim`; all of them if none were named.
pub(super) fn dims(step: &Step, ndim: usize) -> Result<Vec<usize>> {
    match step.ints("dim") {
        Some(dims) if !dims.is_empty() => {
            dims.iter().map(|&dim| if ndim == 0 { Ok(0) } else { wrap_dim(dim, ndim) }).collect()
        }
        _ => Ok((0..ndim).collect()),
    }
}

/// The gradient of a reduction, repeated along the dimensions that were reduced. View.
pub(super) fn spread(step: &Step, grad: &Tensor, shape: &[usize]) -> Result<Tensor> {
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
    let sizes: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    ops::expanded(&grad.with_layout(layout), &sizes)
}

/// How many numbers each result was made of.
fn count(step: &Step) -> Result<usize> {
    let shape = step.shape("input");
    Ok(dims(step, shape.len())?.into_iter().map(|at| shape.get(at).copied().unwrap_or(1)).product())
}

/// Of `sum`.
pub(crate) fn sum(step: &Step, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", spread(step, &grad, step.shape("input"))?))
}

/// Of `mean`.
pub(crate) fn mean(step: &Step, grad: Tensor) -> Result<Gradients> {
    let grad = Arg::Tensor(spread(step, &grad, step.shape("input"))?);
    Ok(Gradients::of("input", compute::quotient(&grad, &Arg::Int(count(step)? as i64))?))
}
