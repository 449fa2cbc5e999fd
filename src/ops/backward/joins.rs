//! Rules of joining and of splitting.

use super::compute;
use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, DType, Result, Tensor, ops};

/// The parts of a gradient along a dimension, one for each of the tensors that were joined there. Views.
fn joined(step: &BackwardStep, grad: &Tensor, dim: i64) -> Result<Gradients> {
    let Some(name) = step.list() else { return Ok(Gradients::none()) };
    let axis = wrap_dim(dim, grad.ndim())?;
    let mut start = 0;
    let mut grads = Vec::new();
    for tensor in step.arg(name).tensors() {
        if tensor.shape() == [0] && grad.ndim() != 1 {
            grads.push(None);
            continue;
        }
        let size = tensor.shape()[axis];
        grads.push(Some(grad.with_layout(grad.layout().slice(axis, start, size, 1))));
        start += size;
    }
    Ok(Gradients::list(name, grads))
}

/// Of `cat`.
pub(crate) fn cat(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    joined(step, &grad, step.int("dim").unwrap_or(0))
}

/// Of `stack`.
pub(crate) fn stack(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let Some(name) = step.list() else { return Ok(Gradients::none()) };
    let axis = wrap_dim(step.int("dim").unwrap_or(0), grad.ndim())?;
    let part = |at: usize| Some(grad.with_layout(grad.layout().select(axis, at)));
    Ok(Gradients::list(name, (0..grad.shape()[axis]).map(part).collect()))
}

/// Of `unbind`.
pub(crate) fn unbind(step: &BackwardStep, grads: Vec<Option<Tensor>>) -> Result<Gradients> {
    let Some(known) = grads.iter().flatten().next().cloned() else { return Ok(Gradients::none()) };
    let parts: Vec<Tensor> = grads
        .into_iter()
        .map(|grad| grad.map_or_else(|| compute::zeros_like(&known), Ok))
        .collect::<Result<_>>()?;
    let whole = ops::join::stack(&parts, step.int("dim").unwrap_or(0), DType::Float32)?;
    Ok(Gradients::of("input", whole))
}

/// Of `split`, `split_with_sizes`, `chunk`.
pub(crate) fn split(step: &BackwardStep, grads: Vec<Option<Tensor>>) -> Result<Gradients> {
    let name = step.name(0);
    let shape = step.shape(name);
    let axis = wrap_dim(step.int("dim").unwrap_or(0), shape.len())?;
    if grads.iter().all(Option::is_some) {
        let parts: Vec<Tensor> = grads.into_iter().flatten().collect();
        return Ok(Gradients::of(name, ops::join::cat(&parts, axis as i64, DType::Float32)?));
    }
    let Some(dtype) = grads.iter().flatten().map(Tensor::dtype).next() else { return Ok(Gradients::none()) };
    let whole = Tensor::zeros(shape, dtype)?;
    let sizes = match (step.argument(1), step.int("chunks")) {
        (Arg::Ints(sizes), _) => sizes.clone(),
        (_, Some(chunks)) => vec![shape[axis].div_ceil(chunks.max(1) as usize) as i64; grads.len()],
        (size, None) => vec![size.number().unwrap_or(0.0) as i64; grads.len()],
    };
    let mut start = 0;
    for (grad, size) in grads.into_iter().zip(sizes) {
        if let Some(grad) = grad {
            let place = whole.layout().slice(axis, start, grad.shape()[axis], 1);
            ops::write(&whole.with_layout(place), &grad)?;
        }
        start += size as usize;
    }
    Ok(Gradients::of(name, whole))
}
