//! Rules of losses.

use ndarray::{ArrayViewD, IxDyn};

use super::step::{BackwardStep, Gradients};
use crate::in_floats;
use crate::kernel::backward::loss;
use crate::kernel::backward::softmax::{Known, softmax as of_softmax};
use crate::kernel::loss::{ClassValues, NllOptions, classes_and_inner, nll_total};
use crate::kernel::{Real, softmax};
use crate::tensor::layout::broadcast;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::{Float, Reduction};
use crate::tensor::ops::half;
use crate::tensor::ops::pointwise::zipped;
use crate::tensor::{Arg, Result, Tensor};

fn reduction(step: &BackwardStep) -> Result<Reduction> {
    match step.arg("reduction") {
        Arg::Str(name) => Reduction::named(name),
        _ => Ok(Reduction::Mean),
    }
}

/// The targets of a loss over classes, and what each position's loss is multiplied by.
struct Positions<T> {
    targets: Vec<i64>,
    /// The weight of the target's class; 0 for ignored targets.
    weights: Vec<T>,
    /// The gradient of the loss of each position before weights: over the sum of the weights for a mean.
    grads: Vec<T>,
}

fn positions<T: Float>(step: &BackwardStep, x: &Tensor, values: &[T], grad: &Tensor) -> Result<Positions<T>> {
    let targets = step.tensor("target")?.to_i64_vec();
    let weight = step.opt_tensor("weight")?.map(T::of);
    let ignored = step.int("ignore_index").unwrap_or(-100);
    let weight_of = |&target: &i64| match (&weight, target == ignored) {
        (_, true) => T::ZERO,
        (Some(weight), false) => weight[target as usize],
        (None, false) => T::ONE,
    };
    let weights: Vec<T> = targets.iter().map(weight_of).collect();
    let grads = match reduction(step)? {
        Reduction::None => T::of(grad),
        Reduction::Sum => vec![T::of(grad)[0]; targets.len()],
        Reduction::Mean if weight.is_none() => {
            let counted = targets.iter().filter(|&&target| target != ignored).count();
            vec![T::of(grad)[0] / T::from_f64(counted as f64); targets.len()]
        }
        Reduction::Mean => {
            let options = NllOptions { weight: weight.as_deref(), ignored };
            let total = nll_total(&ClassValues::new(values, x.shape()), &targets, &options);
            let total = total.map_or(T::NAN, |(_, total)| total);
            vec![T::of(grad)[0] / total; targets.len()]
        }
    };
    Ok(Positions { targets, weights, grads })
}

impl<T: Real> Positions<T> {
    /// The gradient of the log-probability of each target.
    fn slopes(&self) -> Vec<T> {
        let slope = |(&weight, &grad): (&T, &T)| if weight == T::ZERO { T::ZERO } else { -weight * grad };
        self.weights.iter().zip(&self.grads).map(slope).collect()
    }
}

pub(crate) fn nll_loss(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let x = step.tensor("input")?;
    let (classes, inner) = classes_and_inner(x.shape());
    let of_input = in_floats!(x.dtype(), T => {
        let positions = positions::<T>(step, x, &T::row_major(x), &grad)?;
        let found = loss::nll(&positions.targets, &positions.slopes(), classes, inner);
        T::tensor(found, x.shape(), x.dtype())
    });
    Ok(Gradients::of("input", of_input))
}

pub(crate) fn cross_entropy(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let x = step.tensor("input")?;
    if x.dtype().is_half() && x.numel() > 0
        // The gradient of the log-probabilities is rounded first.
        && let Some(of_logs) = nll_loss(step, grad.clone())?.take("input", 0)
    {
        let axis = usize::from(x.ndim() > 1);
        return Ok(Gradients::of("input", half::softmax_gradient(x, &of_logs, axis, true)?));
    }
    let of_input =
        in_floats!(x.dtype(), T => T::tensor(of_logits::<T>(step, x, &grad)?, x.shape(), x.dtype()));
    Ok(Gradients::of("input", of_input))
}

fn of_logits<T: Float>(step: &BackwardStep, x: &Tensor, grad: &Tensor) -> Result<Vec<T>> {
    let (classes, inner) = classes_and_inner(x.shape());
    let values = T::row_major(x);
    let positions = positions(step, x, &values, grad)?;
    let slopes = positions.slopes();
    if let Some(totals) = step.kept_rows::<T>()? {
        return Ok(loss::cross_entropy(&values, &totals, &positions.targets, &slopes, classes));
    }
    let of_logs = loss::nll(&positions.targets, &slopes, classes, inner);
    let view = ArrayViewD::from_shape(IxDyn(x.shape()), &values[..]).expect("the numbers of the shape");
    let logs = softmax::log_softmax(view, usize::from(x.ndim() > 1));
    Ok(of_softmax(Known::Result, &logs, &of_logs, [classes, inner], true))
}

pub(crate) fn mse_loss(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (x, target) = (step.tensor("input")?, step.tensor("target")?);
    let shape = broadcast(x.shape(), target.shape())?;
    let scale = match reduction(step)? {
        Reduction::Mean => 2.0 * (1.0 / shape.iter().product::<usize>() as f64),
        _ => 2.0,
    };
    let slope = match step.caller {
        Some(_) => step.mul(&step.sub(x, target)?, Arg::Float(scale))?,
        None => {
            let x = to_dtype(x, grad.dtype());
            zipped(&x, target, |a, b| scale as f32 * (a - b), |a, b| scale * (a - b))?
        }
    };
    let slope = step.mul(&slope, &grad)?;
    Ok(Gradients::none().if_wanted(step, "target", || step.neg(&slope))?.and("input", slope))
}
