//! Rules of parts chosen or written by index: a gradient goes back to the places that its numbers came from.

use super::step::{BackwardStep, Gradients};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode, ScatterSource};
use crate::tensor::{DType, Layout, Result, Tensor, index, ops};

/// Zeros in the shape of the operand, with the gradient where a view saw its elements.
fn written(
    step: &BackwardStep,
    grad: &Tensor,
    view: impl FnOnce(&Layout) -> Result<Layout>,
) -> Result<Gradients> {
    let dtype = step.arg("input").tensor().map_or(DType::Float32, Tensor::dtype);
    let whole = Tensor::zeros(step.shape("input"), dtype)?;
    let place = view(whole.layout())?;
    ops::write(&whole.with_layout(place), grad)?;
    Ok(Gradients::of("input", whole))
}

/// A position along a dimension as one from the front.
fn from_front(at: i64, size: usize) -> usize {
    (if at < 0 { at + size as i64 } else { at }) as usize
}

pub(crate) fn select(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (dim, at) = (step.int("dim").unwrap_or(0), step.int("index").unwrap_or(0));
    written(step, &grad, |whole| {
        let axis = wrap_dim(dim, whole.ndim())?;
        Ok(whole.select(axis, from_front(at, whole.shape[axis])))
    })
}

pub(crate) fn narrow(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (dim, start) = (step.int("dim").unwrap_or(0), step.int("start").unwrap_or(0));
    let length = step.int("length").unwrap_or(0);
    written(step, &grad, |whole| {
        let axis = wrap_dim(dim, whole.ndim())?;
        Ok(whole.slice(axis, from_front(start, whole.shape[axis]), length as usize, 1))
    })
}

/// `x[index]`. Where tensors index, gradients of one element add up in the order of the result.
pub(crate) fn getitem(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let name = step.name(0);
    let whole = Tensor::zeros(step.shape(name), grad.dtype())?;
    let parts = step.index()?;
    match index::view(&whole, parts) {
        Some(view) => ops::write(&view, &grad)?,
        None => index::put(&whole, parts, &grad, true)?,
    }
    Ok(Gradients::of(name, whole))
}

pub(crate) fn setitem(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (target, value, parts) = (step.name(0), step.name(1), step.index()?);
    let mut grads = Gradients::none();
    if step.wants(value) {
        grads = grads.and(value, index::get(&grad, parts)?.0);
    }
    if step.wants(target) {
        let left = ops::shape::preserved(&grad);
        index::set(&left, parts, &Tensor::zeros([], grad.dtype())?)?;
        grads = grads.and(target, left);
    }
    Ok(grads)
}

/// A tensor that was written through a view: the elements of the view get their gradient through the view.
pub(crate) fn copy_slices(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (whole, view) = (step.name(0), step.name(1));
    let (Some(of_whole), Some(of_view)) = (step.layout(whole), step.layout(view)) else {
        return Ok(Gradients::none());
    };
    // The elements in the order of the storage that both share.
    let span = Tensor::zeros([of_whole.end() - of_whole.offset], grad.dtype())?;
    let within = |layout: &Layout| {
        let offset = layout.offset.saturating_sub(of_whole.offset);
        span.with_layout(Layout { offset, ..layout.clone() })
    };
    let (all, part) = (within(of_whole), within(of_view));
    ops::write(&all, &grad)?;
    let through = ops::copy(&part);
    ops::fill(&part, 0.0, None);
    Ok(Gradients::of(whole, ops::copy(&all)).and(view, through))
}

/// `gather`: gradients of one element add up in the order of the index.
pub(crate) fn gather(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let whole = Tensor::zeros(step.tensor("input")?.shape(), grad.dtype())?;
    let dim = wrap_dim(step.int("dim").unwrap_or(0), whole.ndim())?;
    let source = ScatterSource::Tensor(grad);
    let whole = along::scatter(&whole, dim, step.tensor("index")?, &source, ScatterMode::Sum, true)?;
    Ok(Gradients::of("input", whole))
}

/// `index_select`: gradients of one element add up in the order of the index.
pub(crate) fn index_select(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let whole = Tensor::zeros(step.shape("input"), grad.dtype())?;
    let dim = wrap_dim(step.int("dim").unwrap_or(0), whole.ndim())?;
    let index = step.tensor("index")?;
    let whole = along::index_combine(&whole, dim, index, &grad, ScatterMode::Sum)?;
    Ok(Gradients::of("input", whole))
}
