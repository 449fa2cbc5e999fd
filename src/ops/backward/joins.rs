//! Rules of joining and of splitting.

use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, Result, Tensor};

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
        grads.push(Some(step.narrowed(grad, axis, start, size)?));
        start += size;
    }
    Ok(Gradients::list(name, grads))
}

pub(crate) fn cat(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    joined(step, &grad, step.int("dim").unwrap_or(0))
}

pub(crate) fn stack(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let Some(name) = step.list() else { return Ok(Gradients::none()) };
    let axis = wrap_dim(step.int("dim").unwrap_or(0), grad.ndim())?;
    let part = |at: usize| step.selected(&grad, axis, at).map(Some);
    Ok(Gradients::list(name, (0..grad.shape()[axis]).map(part).collect::<Result<_>>()?))
}

pub(crate) fn unbind(step: &BackwardStep, grads: Vec<Option<Tensor>>) -> Result<Gradients> {
    let Some(known) = grads.iter().flatten().next().cloned() else { return Ok(Gradients::none()) };
    let parts: Vec<Tensor> = grads
        .into_iter()
        .map(|grad| grad.map_or_else(|| known.zeros_like(known.dtype()), Ok))
        .collect::<Result<_>>()?;
    let axis = wrap_dim(step.int("dim").unwrap_or(0), known.ndim() + 1)?;
    Ok(Gradients::of("input", step.stacked(&parts, axis)?))
}

pub(crate) fn split(step: &BackwardStep, grads: Vec<Option<Tensor>>) -> Result<Gradients> {
    let name = step.name(0);
    let mut shape = step.shape(name).to_vec();
    let axis = wrap_dim(step.int("dim").unwrap_or(0), shape.len())?;
    let Some(dtype) = grads.iter().flatten().map(Tensor::dtype).next() else { return Ok(Gradients::none()) };
    let sizes = match (step.argument(1), step.int("chunks")) {
        (Arg::Ints(sizes), _) => sizes.clone(),
        (_, Some(chunks)) => vec![shape[axis].div_ceil(chunks.max(1) as usize) as i64; grads.len()],
        (size, None) => vec![size.number().unwrap_or(0.0) as i64; grads.len()],
    };
    let (mut parts, mut left) = (Vec::new(), shape[axis]);
    for (grad, size) in grads.into_iter().zip(sizes) {
        shape[axis] = left.min(size as usize);
        left -= shape[axis];
        parts.push(grad.map_or_else(|| Tensor::zeros(&shape[..], dtype), Ok)?);
    }
    Ok(Gradients::of(name, step.joined(&parts, axis)?))
}
