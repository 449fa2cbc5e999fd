//! Rules of normalisation.

use super::step::{BackwardStep, Gradients};
use crate::in_floats;
use crate::kernel::backward::norm::{self, NormGrads, WantedGradients};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::{Result, Tensor};

fn wanted(step: &BackwardStep) -> WantedGradients {
    WantedGradients { input: step.wants("input"), weight: step.wants("weight"), bias: step.wants("bias") }
}

/// The gradients as tensors: that of the input with its shape, the others with that of the parameters.
fn gradients<T: Float>(
    step: &BackwardStep,
    found: NormGrads<T>,
    x: &Tensor,
    parameters: &[usize],
) -> Gradients {
    let mut grads = Gradients::none();
    for (name, values, shape) in [
        ("input", found.input, x.shape()),
        ("weight", found.weight, parameters),
        ("bias", found.bias, parameters),
    ] {
        if let Some(values) = values {
            let dtype = step.arg(name).tensor().map_or(x.dtype(), Tensor::dtype);
            grads = grads.and(name, T::tensor(values, shape, dtype));
        }
    }
    grads
}

fn sizes(step: &BackwardStep) -> Vec<usize> {
    step.ints("normalized_shape").unwrap_or_default().into_iter().map(|size| size.max(0) as usize).collect()
}

pub(crate) fn layer_norm(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (x, weight, shape) = (step.tensor("input")?, step.opt_tensor("weight")?, sizes(step));
    // PyTorch saves the bias too.
    step.opt_tensor("bias")?;
    let grad = to_dtype(&grad, x.dtype());
    Ok(in_floats!(x.dtype(), T => {
        let (values, grad, weight) = (T::row_major(x), T::row_major(&grad), weight.map(T::row_major));
        let width = shape.iter().product();
        let scales = step.kept_rows::<T>()?.expect("the operation kept them for this");
        let found = norm::layer_norm(&values, &grad, width, weight.as_deref(), &scales, wanted(step));
        gradients(step, found, x, &shape)
    }))
}

pub(crate) fn rms_norm(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (x, weight, shape) = (step.tensor("input")?, step.opt_tensor("weight")?, sizes(step));
    let grad = to_dtype(&grad, x.dtype());
    let eps = step.number("eps").unwrap_or(x.dtype().epsilon());
    Ok(in_floats!(x.dtype(), T => {
        let (values, grad, weight) = (T::row_major(x), T::row_major(&grad), weight.map(T::row_major));
        let width = shape.iter().product();
        let found = norm::rms_norm(&values, &grad, width, weight.as_deref(), eps, wanted(step));
        gradients(step, found, x, &shape)
    }))
}
