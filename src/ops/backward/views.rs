//! Rules of views and of copies that keep the shape: a gradient goes back to where its numbers came from.

use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Result, Tensor};

/// The gradient as it is: of copies, conversions, and of `expand`, which is summed back to the operand's shape.
pub(crate) fn same(_: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", grad))
}

/// The same elements in another shape: `view`, `reshape`, `flatten`, `squeeze` and the like.
pub(crate) fn reshaped(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", step.reshaped(&grad, step.shape("input"))?))
}

pub(crate) fn transpose(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let dims = step.all_ints();
    let axis = |at: usize| wrap_dim(dims.get(at).copied().unwrap_or(0), grad.ndim());
    Ok(Gradients::of("input", step.swapped(&grad, axis(0)?, axis(1)?)?))
}

pub(crate) fn last_two(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let grad = if grad.ndim() > 1 { step.transposed(&grad)? } else { grad };
    Ok(Gradients::of("input", grad))
}

pub(crate) fn reversed(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let dims: Vec<usize> = (0..grad.ndim()).rev().collect();
    Ok(Gradients::of("input", step.permuted(&grad, &dims)?))
}

pub(crate) fn permute(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let dims = step.ints("dims").unwrap_or_default();
    let mut back = vec![0; dims.len()];
    for (at, &dim) in dims.iter().enumerate() {
        back[wrap_dim(dim, grad.ndim())?] = at;
    }
    Ok(Gradients::of("input", step.permuted(&grad, &back)?))
}
