//! Rules of activation functions, softmax and embedding: one pass of the kernel each.

use super::step::{BackwardStep, Gradients};
use crate::in_floats;
use crate::kernel::backward::activation::Slope;
use crate::kernel::backward::softmax::{Known, softmax as of_softmax};
use crate::kernel::backward::{activation, embedding as rows};
use crate::kernel::{Real, math};
use crate::tensor::layout::{implicit_dim, wrap_dim};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::ops::half;
use crate::tensor::ops::pointwise::zipped;
use crate::tensor::{Arg, Result, Tensor};

/// Rules of functions of one number, from the input and the gradient of the result.
macro_rules! of_one {
    ($($(#[$meta:meta])* $name:ident => |$x:ident, $grad:ident $(, $number:ident = $default:literal)*| $slope:expr;)*) => {$(
        $(#[$meta])*
        pub(crate) fn $name(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
            struct OfOneNumber {
                $($number: f64,)*
            }
            impl<T: Real> Slope<T> for OfOneNumber {
                #[inline(always)]
                fn of(&self, $x: T, $grad: T) -> T {
                    $(let $number = T::from_f64(self.$number);)*
                    $slope
                }
            }
            $(let $number = step.number(stringify!($number)).unwrap_or($default);)*
            Ok(Gradients::of("input", slopes(step.tensor("input")?, &grad, &OfOneNumber { $($number,)* })?))
        }
    )*};
}

/// Rules of functions of one number whose slope follows from the result (`y`), which is computed again from the input if it
/// is not at hand.
macro_rules! of_result {
    ($($(#[$meta:meta])* $name:ident $op:literal => $single:path, $double:path, |$y:ident, $grad:ident| $slope:expr;)*) => {$(
        $(#[$meta])*
        pub(crate) fn $name(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
            struct FromResult;
            impl<T: Real> Slope<T> for FromResult {
                #[inline(always)]
                fn of(&self, $y: T, $grad: T) -> T {
                    $slope
                }
            }
            let of_input = match step.result(&grad) {
                Some(result) => slopes(&result, &grad, &FromResult)?,
                None => slopes(&step.function($op, step.tensor("input")?, $single, $double)?, &grad, &FromResult)?,
            };
            Ok(Gradients::of("input", of_input))
        }
    )*};
}

of_result! {
    tanh "tanh" => math::tanh, math::tanh_double, |y, grad| activation::tanh(y, grad);
    sigmoid "sigmoid" => math::sigmoid, math::sigmoid, |y, grad| activation::sigmoid(y, grad);
    relu "relu" => as_positive_as, as_positive_as, |y, grad| activation::relu(y, grad);
}

/// What is positive where the result of `relu` is: its input.
fn as_positive_as<T: Copy>(x: &[T], out: &mut [T]) {
    out.copy_from_slice(x);
}

/// The gradient of the input of a function of one number.
fn slopes(x: &Tensor, grad: &Tensor, slope: &(impl Slope<f32> + Slope<f64>)) -> Result<Tensor> {
    if !(x.is_contiguous() && grad.is_contiguous() && x.dtype() == grad.dtype()) {
        return zipped(x, grad, |x, grad| slope.of(x, grad), |x, grad| slope.of(x, grad));
    }
    Ok(in_floats!(x.dtype(), T => {
        T::tensor(activation::slopes(&T::row_major(x), &T::row_major(grad), slope), x.shape(), x.dtype())
    }))
}

of_one! {
    leaky_relu => |x, grad, negative_slope = 0.01| activation::leaky_relu(x, grad, negative_slope);
    elu => |x, grad, alpha = 1.0| activation::elu(x, grad, alpha);
    silu => |x, grad| activation::silu(x, grad);
    softplus => |x, grad, beta = 1.0, threshold = 20.0| activation::softplus(x, grad, beta, threshold);
}

pub(crate) fn gelu(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let tanh = matches!(step.arg("approximate"), Arg::Str(name) if &**name == "tanh");
    let x = step.tensor("input")?;
    let grad = to_dtype(&grad, x.dtype());
    let of_input = in_floats!(x.dtype(), T => {
        let write = if tanh { activation::gelu_tanh::<T> } else { activation::gelu::<T> };
        T::tensor(activation::pieces(&T::row_major(x), &T::row_major(&grad), write), x.shape(), x.dtype())
    });
    Ok(Gradients::of("input", of_input))
}

pub(crate) fn softmax(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    along(step, &grad, false)
}

pub(crate) fn log_softmax(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    along(step, &grad, true)
}

fn along(step: &BackwardStep, grad: &Tensor, log: bool) -> Result<Gradients> {
    let shape = step.shape("input");
    let axis = wrap_dim(step.int("dim").unwrap_or_else(|| implicit_dim(shape.len())), shape.len())?;
    if grad.dtype().is_half() && grad.numel() > 0 {
        let input = to_dtype(step.tensor("input")?, grad.dtype());
        return Ok(Gradients::of("input", half::softmax_gradient(&input, grad, axis, log)?));
    }
    let (length, inner) = match shape {
        [] => (1, 1),
        shape => (shape[axis], shape[axis + 1..].iter().product()),
    };
    let (known, values) = match step.result(grad) {
        Some(result) => (Known::Result, result),
        None => (Known::Input, to_dtype(step.tensor("input")?, grad.dtype())),
    };
    let of_input = in_floats!(grad.dtype(), T => {
        let found = of_softmax(known, &T::row_major(&values), &T::row_major(grad), [length, inner], log);
        T::tensor(found, shape, grad.dtype())
    });
    Ok(Gradients::of("input", of_input))
}

pub(crate) fn embedding(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let shape = step.shape("weight");
    let indices = step.tensor("input")?.to_i64_vec();
    let skipped = step.int("padding_idx").map(|at| at.rem_euclid(shape[0].max(1) as i64));
    let of_weight = in_floats!(grad.dtype(), T => {
        let found = rows::embedding(&indices, &T::row_major(&grad), [shape[0], shape[1]], skipped);
        T::tensor(found, shape, grad.dtype())
    });
    Ok(Gradients::of("weight", of_weight))
}
