//! Rules of arithmetic and of functions of one number. A gradient has the shape of the result: the traversal sums what was
//! broadcast.

use super::compute;
use super::step::{Gradients, Step};
use crate::kernel::math;
use crate::tensor::{Arg, Result, Tensor};

/// The gradient times the `alpha` of `add` and `sub`.
fn factored(step: &Step, grad: Tensor) -> Result<Tensor> {
    match step.arg("alpha") {
        Arg::None => Ok(grad),
        alpha if alpha.number() == Some(1.0) => Ok(grad),
        alpha => compute::times(&grad, alpha),
    }
}

/// Of `add`.
pub(crate) fn add(step: &Step, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("other") {
        grads = grads.and("other", factored(step, grad.clone())?);
    }
    Ok(grads.and("input", grad))
}

/// Of `sub`.
pub(crate) fn sub(step: &Step, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("other") {
        grads = grads.and("other", factored(step, compute::neg(&grad))?);
    }
    Ok(grads.and("input", grad))
}

/// Of `rsub`.
pub(crate) fn rsub(step: &Step, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", factored(step, compute::neg(&grad))?);
    }
    Ok(grads.and("other", grad))
}

/// Of `mul`.
pub(crate) fn mul(step: &Step, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", compute::times(&grad, step.operand("other")?)?);
    }
    if step.wants("other") {
        grads = grads.and("other", compute::times(&grad, step.operand("input")?)?);
    }
    Ok(grads)
}

/// Of `neg`.
pub(crate) fn neg(_: &Step, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", compute::neg(&grad)))
}

/// Of `div`.
pub(crate) fn div(step: &Step, grad: Tensor) -> Result<Gradients> {
    if step.has("rounding_mode") {
        let zeros = compute::zeros_like(&grad)?;
        return Ok(Gradients::of("input", zeros.clone()).and("other", zeros));
    }
    let other = step.operand("other")?;
    let mut grads = Gradients::none();
    if step.wants("other") {
        let ratio = compute::quotient(step.operand("input")?, other)?;
        let slope = compute::quotient(&Arg::Tensor(ratio), other)?;
        grads = grads.and("other", compute::mul(&compute::neg(&grad), &slope)?);
    }
    if step.wants("input") {
        grads = grads.and("input", compute::quotient(&Arg::Tensor(grad), other)?);
    }
    Ok(grads)
}

/// Of `exp`.
pub(crate) fn exp(step: &Step, grad: Tensor) -> Result<Gradients> {
    let value = compute::function(step.tensor("input")?, math::exp, math::exp);
    Ok(Gradients::of("input", compute::mul(&grad, &value)?))
}

/// Of `log`.
pub(crate) fn log(step: &Step, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", compute::div(&grad, step.tensor("input")?)?))
}

/// Of `masked_fill`.
pub(crate) fn masked_fill(step: &Step, grad: Tensor) -> Result<Gradients> {
    let mask = step.tensor("mask")?;
    let mut grads = Gradients::none();
    if step.wants("value") {
        let zeros = compute::zeros_like(&grad)?;
        let filled = compute::choice(mask, &grad, &zeros)?;
        grads = grads.and("value", compute::total(&filled)?);
    }
    if step.wants("input") {
        grads = grads.and("input", compute::masked(&grad, mask, 0.0)?);
    }
    Ok(grads)
}

/// Of `where`.
pub(crate) fn choice(step: &Step, grad: Tensor) -> Result<Gradients> {
    let keep = step.tensor("condition")?;
    let zeros = Tensor::zeros([], grad.dtype())?;
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", compute::choice(keep, &grad, &zeros)?);
    }
    if step.wants("other") {
        grads = grads.and("other", compute::choice(keep, &zeros, &grad)?);
    }
    Ok(grads)
}

/// Of `dropout`: the operation keeps its noise.
pub(crate) fn dropout(step: &Step, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of(
        "input",
        match step.kept(0)? {
            None => grad,
            Some(noise) => compute::mul(&grad, noise)?,
        },
    ))
}
