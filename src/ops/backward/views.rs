//! Rules of views and of copies that keep the shape: a gradient goes back to where its numbers came from.

use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Layout, Result, Tensor, ops};

/// The gradient as it is: of copies, conversions, and of `expand`, which is summed back to the operand's shape.
pub(crate) fn same(_: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", grad))
}

/// The same elements in another shape: `view`, `reshape`, `flatten`, `squeeze` and the like.
pub(crate) fn reshaped(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", ops::reshape(&grad, step.shape("input"))))
}

fn seen(grad: &Tensor, layout: Layout) -> Result<Gradients> {
    Ok(Gradients::of("input", grad.with_layout(layout)))
}

pub(crate) fn transpose(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let dims = step.all_ints();
    let axis = |at: usize| wrap_dim(dims.get(at).copied().unwrap_or(0), grad.ndim());
    seen(&grad, grad.layout().transpose(axis(0)?, axis(1)?))
}

pub(crate) fn last_two(_: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    match grad.ndim() {
        0 | 1 => Ok(Gradients::of("input", grad)),
        ndim => seen(&grad, grad.layout().transpose(ndim - 2, ndim - 1)),
    }
}

pub(crate) fn reversed(_: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let dims: Vec<usize> = (0..grad.ndim()).rev().collect();
    seen(&grad, grad.layout().permute(&dims))
}

pub(crate) fn permute(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let dims = step.ints("dims").unwrap_or_default();
    let mut back = vec![0; dims.len()];
    for (at, &dim) in dims.iter().enumerate() {
        back[wrap_dim(dim, grad.ndim())?] = at;
    }
    seen(&grad, grad.layout().permute(&back))
}
