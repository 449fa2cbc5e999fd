//! Rules of arithmetic and of functions of one number. A gradient has the shape of the result: the traversal sums what was
//! broadcast.

use std::cmp::Ordering;

use super::compute;
use super::step::{BackwardStep, Gradients};
use crate::kernel::math;
use crate::tensor::ops::pointwise;
use crate::tensor::{Arg, DType, Result, Tensor, ops};

/// The gradient times the `alpha` of `add` and `sub`.
fn factored(step: &BackwardStep, grad: Tensor) -> Result<Tensor> {
    match step.arg("alpha") {
        Arg::None => Ok(grad),
        alpha if alpha.number() == Some(1.0) => Ok(grad),
        alpha => compute::mul(&grad, alpha),
    }
}

pub(crate) fn add(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("other") {
        grads = grads.and("other", factored(step, grad.clone())?);
    }
    Ok(grads.and("input", grad))
}

pub(crate) fn sub(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("other") {
        grads = grads.and("other", factored(step, compute::neg(&grad))?);
    }
    Ok(grads.and("input", grad))
}

pub(crate) fn mul(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    step.needs_saved();
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", compute::mul(&grad, step.operand("other")?)?);
    }
    if step.wants("other") {
        grads = grads.and("other", compute::mul(&grad, step.operand("input")?)?);
    }
    Ok(grads)
}

pub(crate) fn neg(_: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", compute::neg(&grad)))
}

pub(crate) fn div(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    if step.has("rounding_mode") {
        // PyTorch saves what the gradient of an exact quotient needs.
        step.operand("other")?;
        if step.wants("other") {
            step.operand("input")?;
        }
        let zeros = compute::zeros_like(&grad)?;
        return Ok(Gradients::of("input", zeros.clone()).and("other", zeros));
    }
    step.needs_saved();
    let other = step.operand("other")?;
    let mut grads = Gradients::none();
    if step.arg("input").tensor().is_none() {
        // A number over a tensor is the reciprocal times the number, here too.
        let scaled = compute::mul(&grad, step.arg("input"))?;
        let slope = slope_of_reciprocal(other)?;
        return Ok(Gradients::of("other", compute::mul(&scaled, &slope)?));
    }
    if step.wants("other") {
        let ratio = compute::div(step.operand("input")?, other)?;
        let slope = compute::div(Arg::Tensor(ratio), other)?;
        grads = grads.and("other", compute::mul(&compute::neg(&grad), &slope)?);
    }
    if step.wants("input") {
        grads = grads.and("input", compute::div(Arg::Tensor(grad), other)?);
    }
    Ok(grads)
}

pub(crate) fn exp(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let value = match step.result(&grad) {
        Some(result) => result,
        None => compute::function(step.tensor("input")?, math::exp, math::exp_double),
    };
    Ok(Gradients::of("input", compute::mul(&grad, &value)?))
}

pub(crate) fn log(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of("input", compute::div(&grad, step.tensor("input")?)?))
}

pub(crate) fn masked_fill(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
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

pub(crate) fn choice(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
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

/// `dropout`: the operation keeps its noise.
pub(crate) fn dropout(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    Ok(Gradients::of(
        "input",
        match step.kept(0)? {
            None => grad,
            Some(noise) => compute::mul(&grad, noise)?,
        },
    ))
}

pub(crate) fn square(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let slope = compute::mul(step.tensor("input")?, Arg::Int(2))?;
    Ok(Gradients::of("input", compute::mul(&grad, &slope)?))
}

pub(crate) fn sqrt(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let root = match step.result(&grad) {
        Some(root) => root,
        None => compute::power(step.operand("input")?, Arg::Float(0.5))?,
    };
    Ok(Gradients::of("input", compute::div(&grad, &compute::mul(&root, Arg::Int(2))?)?))
}

pub(crate) fn rsqrt(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let root = match step.result(&grad) {
        Some(root) => root,
        None => compute::power(step.operand("input")?, Arg::Float(-0.5))?,
    };
    let cube = compute::power(Arg::Tensor(root), Arg::Int(3))?;
    Ok(Gradients::of("input", compute::mul(&compute::mul(&grad, Arg::Float(-0.5))?, &cube)?))
}

/// -(1 / x)²
fn slope_of_reciprocal(x: &Arg) -> Result<Tensor> {
    let value = compute::power(x, Arg::Float(-1.0))?;
    Ok(compute::neg(&compute::mul(&value, &value)?))
}

pub(crate) fn pow(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (base, exponent) = (step.operand("input")?, step.operand("exponent")?);
    let mut grads = Gradients::none();
    if step.wants("exponent") {
        let logarithm = match base {
            Arg::Tensor(base) => Arg::Tensor(compute::function(base, math::log, math::log_double)),
            base => Arg::Float(base.number().unwrap_or(0.0).ln()),
        };
        let slope = compute::mul(&compute::power(base, exponent)?, &logarithm)?;
        let zero = Arg::Int(0);
        let at_zero = compute::compare(base, &zero, Ordering::is_eq)?;
        let not_negative = compute::compare(exponent, &zero, Ordering::is_ge)?;
        let flat = pointwise::logical(&at_zero, &not_negative, |a, b| a & b)?;
        let slope = compute::choice(&flat, &Tensor::zeros([], slope.dtype())?, &slope)?;
        grads = grads.and("exponent", compute::mul(&grad, &slope)?);
    }
    if !step.wants("input") {
        return Ok(grads);
    }
    let of_base = match exponent {
        Arg::Tensor(_) => {
            let lower = compute::sub(exponent, Arg::Int(1))?;
            let slope = compute::mul(&compute::power(base, Arg::Tensor(lower))?, exponent)?;
            let flat = compute::compare(exponent, &Arg::Int(0), Ordering::is_eq)?;
            let slope = compute::choice(&flat, &Tensor::zeros([], slope.dtype())?, &slope)?;
            compute::mul(&grad, &slope)?
        }
        number => match number.number().unwrap_or(1.0) {
            0.0 => compute::zeros_like(&grad)?,
            value => {
                let lower = match number {
                    Arg::Int(value) => Arg::Int(value - 1),
                    _ => Arg::Float(value - 1.0),
                };
                compute::mul(&grad, &compute::mul(&compute::power(base, &lower)?, number)?)?
            }
        },
    };
    Ok(grads.and("input", of_base))
}

pub(crate) fn clamp(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let x = step.tensor("input")?;
    if let (None, None) = (step.opt_tensor("min")?, step.opt_tensor("max")?) {
        // Without a bound everything is inside, nan too.
        let wide = x.dtype() == DType::Float64;
        let bound = |name: &str| step.number(name).map(|at| if wide { at } else { f64::from(at as f32) });
        let (least, most) = (bound("min"), bound("max"));
        let inside = |x: f64| least.is_none_or(|least| x >= least) && most.is_none_or(|most| x <= most);
        let kept = pointwise::zipped(
            &grad,
            x,
            |g, x| if inside(f64::from(x)) { g } else { 0.0 },
            |g, x| if inside(x) { g } else { 0.0 },
        )?;
        return Ok(Gradients::of("input", kept));
    }
    let of = Arg::Tensor(x.clone());
    let mut inside: Option<Tensor> = None;
    for (name, test) in [("min", Ordering::is_ge as fn(Ordering) -> bool), ("max", Ordering::is_le)] {
        if step.has(name) {
            let one = compute::compare(&of, step.operand(name)?, test)?;
            inside = Some(match inside {
                None => one,
                Some(both) => pointwise::logical(&both, &one, |a, b| a & b)?,
            });
        }
    }
    let Some(inside) = inside else { return Ok(Gradients::of("input", grad)) };
    let zeros = Tensor::zeros([], grad.dtype())?;
    Ok(Gradients::of("input", compute::choice(&inside, &grad, &zeros)?))
}

fn triangle(step: &BackwardStep, grad: &Tensor, lower: bool) -> Result<Gradients> {
    let diagonal = step.int("diagonal").unwrap_or(0);
    Ok(Gradients::of("input", ops::shape::triangle(grad, diagonal, lower)))
}

pub(crate) fn tril(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    triangle(step, &grad, true)
}

pub(crate) fn triu(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    triangle(step, &grad, false)
}

/// `fill` and `zero_`, which forget what was there.
pub(crate) fn fill(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::of("input", compute::zeros_like(&grad)?);
    if step.wants("value") {
        grads = grads.and("value", compute::total(&grad)?);
    }
    Ok(grads)
}

/// `copy_`, which forgets what was there.
pub(crate) fn overwrite(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", compute::zeros_like(&grad)?);
    }
    let source = step.name(1);
    Ok(grads.and(source, grad))
}
