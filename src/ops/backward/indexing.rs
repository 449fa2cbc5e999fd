//! Rules of parts chosen or written by index: a gradient goes back to the places that its numbers came from.

use super::compute::{places, recorded};
use super::step::{BackwardStep, Gradients};
use crate::ops::state::Caller;
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode};
use crate::tensor::{Arg, DType, Layout, Result, Tensor, index, ops};

/// Zeros in the shape of the operand, with the gradient where a view saw its elements.
fn written(
    step: &BackwardStep,
    grad: &Tensor,
    view: impl FnOnce(&Layout) -> Result<Layout>,
) -> Result<Gradients> {
    let dtype = step.arg("input").tensor().map_or(DType::Float32, Tensor::dtype);
    let find = |whole: &Tensor| Ok(whole.with_layout(view(whole.layout())?));
    Ok(Gradients::of("input", step.put_back(grad, step.shape("input"), dtype, find)?))
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
    let (shape, parts) = (step.shape(name), step.index()?);
    if step.caller.is_some() {
        let places = places(shape, |order| Ok(index::get(order, parts)?.0))?;
        return Ok(Gradients::of(name, step.added_at(&grad, shape, &places)?));
    }
    let whole = Tensor::zeros(shape, grad.dtype())?;
    match index::view(&whole, parts) {
        Some(view) => ops::write(&view, &grad)?,
        None => index::put(&whole, parts, &grad, true)?,
    }
    Ok(Gradients::of(name, whole))
}

pub(crate) fn setitem(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (target, value, parts) = (step.name(0), step.name(1), step.index()?);
    if let Some(caller) = step.caller {
        let places = places(grad.shape(), |order| Ok(index::get(order, parts)?.0))?;
        let shape = index::get(&grad, parts)?.0.shape().to_vec();
        return parted(step, caller, &grad, &places, &shape);
    }
    Gradients::none().if_wanted(step, value, || Ok(index::get(&grad, parts)?.0))?.if_wanted(
        step,
        target,
        || {
            let left = ops::shape::preserved(&grad);
            index::put(&left, parts, &Tensor::zeros([], grad.dtype())?, false)?;
            Ok(left)
        },
    )
}

/// The gradients of a tensor and of what was written at these places of it. Recorded.
fn parted(
    step: &BackwardStep,
    caller: Caller,
    grad: &Tensor,
    places: &Tensor,
    written: &[usize],
) -> Result<Gradients> {
    let flat = step.reshaped(grad, &[grad.numel()])?;
    let at = vec![Arg::from(&flat), Arg::Int(0), places.into()];
    let left = recorded(caller, "index_fill", 0, [&at[..], &[Arg::Int(0)]].concat())?;
    let through = step.reshaped(&recorded(caller, "index_select", 0, at)?, written)?;
    Ok(Gradients::of(step.name(0), step.reshaped(&left, grad.shape())?).and(step.name(1), through))
}

/// A tensor that was written through a view: the elements of the view get their gradient through the view.
pub(crate) fn copy_slices(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (whole, view) = (step.name(0), step.name(1));
    let (Some(of_whole), Some(of_view)) = (step.layout(whole), step.layout(view)) else {
        return Ok(Gradients::none());
    };
    // The elements in the order of the storage that both share: all, and those that the view sees.
    let spanned = |elements: &Tensor| -> Result<[Tensor; 2]> {
        let span = Tensor::zeros([of_whole.end() - of_whole.offset], elements.dtype())?;
        let within = |layout: &Layout| {
            let offset = layout.offset.saturating_sub(of_whole.offset);
            span.with_layout(Layout { offset, ..layout.clone() })
        };
        let found = [within(of_whole), within(of_view)];
        ops::write(&found[0], elements)?;
        Ok(found)
    };
    if let Some(caller) = step.caller {
        let places = places(grad.shape(), |order| Ok(spanned(order)?[1].clone()))?;
        return parted(step, caller, &grad, &places, &of_view.shape);
    }
    let [all, part] = spanned(&grad)?;
    let through = ops::copy(&part);
    ops::write(&part, &Tensor::scalar(0.0, part.dtype()))?;
    Ok(Gradients::of(whole, ops::copy(&all)).and(view, through))
}

/// `gather`: gradients of one element add up in the order of the index.
pub(crate) fn gather(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let whole = Tensor::zeros(step.tensor("input")?.shape(), grad.dtype())?;
    let dim = step.int("dim").unwrap_or(0);
    let index = step.tensor("index")?;
    let whole = match step.caller {
        None => along::scatter(&whole, wrap_dim(dim, whole.ndim())?, index, &grad, false, ScatterMode::Sum)?,
        Some(caller) => {
            let args = vec![Arg::from(&whole), Arg::Int(dim), index.into(), Arg::Tensor(grad)];
            recorded(caller, "scatter_add", 0, args)?
        }
    };
    Ok(Gradients::of("input", whole))
}

/// `index_select`: gradients of one element add up in the order of the index.
pub(crate) fn index_select(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let whole = Tensor::zeros(step.shape("input"), grad.dtype())?;
    let dim = step.int("dim").unwrap_or(0);
    let index = step.tensor("index")?;
    let whole = match step.caller {
        None => along::index_combine(&whole, wrap_dim(dim, whole.ndim())?, index, &grad, ScatterMode::Sum)?,
        Some(caller) => {
            let args = vec![Arg::from(&whole), Arg::Int(dim), index.into(), Arg::Tensor(grad)];
            recorded(caller, "index_add", 0, args)?
        }
    };
    Ok(Gradients::of("input", whole))
}
