//! Rules of arithmetic and of functions of one number. A gradient has the shape of the result: the traversal sums what was
//! broadcast.

use std::cmp::Ordering;

use super::compute;
use super::step::{BackwardStep, Gradients};
use crate::kernel::math;
use crate::tensor::ops::pointwise;
use crate::tensor::{Arg, Result, Tensor, ops};

/// The gradient times the `alpha` of `add` and `sub`.
fn factored(step: &BackwardStep, grad: Tensor) -> Result<Tensor> {
    match step.arg("alpha") {
        Arg::None => Ok(grad),
        alpha if alpha.number() == Some(1.0) => Ok(grad),
        alpha => step.mul(&grad, alpha),
    }
}

pub(crate) fn add(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::none().if_wanted(step, "other", || factored(step, grad.clone()))?.and("input", grad))
}

pub(crate) fn sub(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::none().if_wanted(step, "other", || factored(step, step.neg(&grad)?))?.and("input", grad))
}

pub(crate) fn mul(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    step.needs_saved();
    Gradients::none().if_wanted(step, "input", || step.mul(&grad, step.operand("other")?))?.if_wanted(
        step,
        "other",
        || step.mul(&grad, step.operand("input")?),
    )
}

pub(crate) fn neg(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", step.neg(&grad)?))
}

pub(crate) fn div(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    if step.has("rounding_mode") {
        // PyTorch saves what the gradient of an exact quotient needs.
        step.operand("other")?;
        if step.wants("other") {
            step.operand("input")?;
        }
        let zeros = grad.zeros_like(grad.dtype())?;
        return Ok(Gradients::of("input", zeros.clone()).and("other", zeros));
    }
    step.needs_saved();
    let other = step.operand("other")?;
    if step.arg("input").tensor().is_none() {
        // A number over a tensor is the reciprocal times the number, here too.
        let scaled = step.mul(&grad, step.arg("input"))?;
        let slope = slope_of_reciprocal(step, other)?;
        return Ok(Gradients::of("other", step.mul(&scaled, &slope)?));
    }
    Gradients::none()
        .if_wanted(step, "other", || {
            let ratio = step.div(step.operand("input")?, other)?;
            let slope = step.div(Arg::Tensor(ratio), other)?;
            step.mul(&step.neg(&grad)?, &slope)
        })?
        .if_wanted(step, "input", || step.div(&grad, other))
}

pub(crate) fn exp(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let value = || step.function("exp", step.tensor("input")?, math::exp, math::exp_double);
    let value = step.result(&grad).map_or_else(value, Ok)?;
    Ok(Gradients::of("input", step.mul(&grad, &value)?))
}

pub(crate) fn log(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", step.div(&grad, step.tensor("input")?)?))
}

pub(crate) fn masked_fill(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mask = step.tensor("mask")?;
    Gradients::none()
        .if_wanted(step, "value", || {
            let zeros = grad.zeros_like(grad.dtype())?;
            step.total(&step.choice(mask, &grad, &zeros)?)
        })?
        .if_wanted(step, "input", || step.masked(&grad, mask, 0.0))
}

pub(crate) fn choice(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let keep = step.tensor("condition")?;
    let zeros = Tensor::zeros([], grad.dtype())?;
    Gradients::none().if_wanted(step, "input", || step.choice(keep, &grad, &zeros))?.if_wanted(
        step,
        "other",
        || step.choice(keep, &zeros, &grad),
    )
}

/// `dropout`: the operation keeps its noise.
pub(crate) fn dropout(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of(
        "input",
        match step.kept(0)? {
            None => grad,
            Some(noise) => step.mul(&grad, noise)?,
        },
    ))
}

pub(crate) fn square(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let slope = step.mul(step.tensor("input")?, Arg::Int(2))?;
    Ok(Gradients::of("input", step.mul(&grad, &slope)?))
}

pub(crate) fn sqrt(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let root = || step.power(step.operand("input")?, Arg::Float(0.5));
    let root = step.result(&grad).map_or_else(root, Ok)?;
    Ok(Gradients::of("input", step.div(&grad, &step.mul(&root, Arg::Int(2))?)?))
}

pub(crate) fn rsqrt(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let root = || step.power(step.operand("input")?, Arg::Float(-0.5));
    let root = step.result(&grad).map_or_else(root, Ok)?;
    let cube = step.power(Arg::Tensor(root), Arg::Int(3))?;
    Ok(Gradients::of("input", step.mul(&step.mul(&grad, Arg::Float(-0.5))?, &cube)?))
}

/// -(1 / x)²
fn slope_of_reciprocal(step: &BackwardStep, x: &Arg) -> Result<Tensor> {
    let value = step.power(x, Arg::Float(-1.0))?;
    step.neg(&step.mul(&value, &value)?)
}

pub(crate) fn pow(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (base, exponent) = (step.operand("input")?, step.operand("exponent")?);
    let grads = Gradients::none().if_wanted(step, "exponent", || {
        let logarithm = match base {
            Arg::Tensor(base) => Arg::Tensor(step.function("log", base, math::log, math::log_double)?),
            base => Arg::Float(base.number().unwrap_or(0.0).ln()),
        };
        let slope = step.mul(&step.power(base, exponent)?, &logarithm)?;
        let zero = Arg::Int(0);
        let at_zero = compute::compare(base, &zero, Ordering::is_eq)?;
        let not_negative = compute::compare(exponent, &zero, Ordering::is_ge)?;
        let flat = pointwise::logical(&at_zero, &not_negative, |a, b| a & b)?;
        let slope = step.choice(&flat, &Tensor::zeros([], slope.dtype())?, &slope)?;
        step.mul(&grad, &slope)
    })?;
    grads.if_wanted(step, "input", || match exponent {
        Arg::Tensor(_) => {
            let lower = step.sub(exponent, Arg::Int(1))?;
            let slope = step.mul(&step.power(base, Arg::Tensor(lower))?, exponent)?;
            let flat = compute::compare(exponent, &Arg::Int(0), Ordering::is_eq)?;
            let slope = step.choice(&flat, &Tensor::zeros([], slope.dtype())?, &slope)?;
            step.mul(&grad, &slope)
        }
        number => match number.number().unwrap_or(1.0) {
            0.0 => grad.zeros_like(grad.dtype()),
            value => {
                let lower = match number {
                    Arg::Int(value) => Arg::Int(value - 1),
                    _ => Arg::Float(value - 1.0),
                };
                step.mul(&grad, &step.mul(&step.power(base, &lower)?, number)?)
            }
        },
    })
}

pub(crate) fn clamp(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let of = step.operand("input")?;
    let mut inside: Option<Tensor> = None;
    for (name, test) in [("min", Ordering::is_ge as fn(Ordering) -> bool), ("max", Ordering::is_le)] {
        if step.has(name) {
            let one = compute::compare(of, step.operand(name)?, test)?;
            inside = Some(match inside {
                None => one,
                Some(both) => pointwise::logical(&both, &one, |a, b| a & b)?,
            });
        }
    }
    let Some(inside) = inside else { return Ok(Gradients::of("input", grad)) };
    let zeros = Tensor::zeros([], grad.dtype())?;
    Ok(Gradients::of("input", step.choice(&inside, &grad, &zeros)?))
}

fn triangle(step: &BackwardStep, grad: &Tensor, lower: bool) -> Result<Gradients> {
    let diagonal = step.int("diagonal").unwrap_or(0);
    let kept = match step.caller {
        None => ops::shape::triangle(grad, diagonal, lower),
        Some(caller) => {
            let name = if lower { "tril" } else { "triu" };
            compute::recorded(caller, name, 0, vec![grad.into(), Arg::Int(diagonal)])?
        }
    };
    Ok(Gradients::of("input", kept))
}

pub(crate) fn tril(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    triangle(step, &grad, true)
}

pub(crate) fn triu(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    triangle(step, &grad, false)
}

/// `fill` and `zero_`, which forget what was there.
pub(crate) fn fill(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Gradients::of("input", grad.zeros_like(grad.dtype())?).if_wanted(step, "value", || step.total(&grad))
}

/// `copy_`, which forgets what was there.
pub(crate) fn overwrite(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let zeros = || grad.zeros_like(grad.dtype());
    Ok(Gradients::none().if_wanted(step, "input", zeros)?.and(step.name(1), grad))
}
