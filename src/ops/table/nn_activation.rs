//! `torch.nn.functional`: activations.

use crate::in_floats;
use crate::kernel::{Real, buffer_pool, elementwise, math};
use crate::ops::backward;
use crate::ops::op::{Call, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::pointwise;
use crate::tensor::explanation::Formula;
use crate::tensor::ops::float::{Float, only_floats};
use crate::tensor::{Error, Result, Tensor};

const ONE: &[&str] = &["Tensor input, bool inplace=False"];

/// A function of slices on a float tensor.
macro_rules! slices {
    ($T:ty, $x:expr, $f:expr) => {{
        let values = <$T as Float>::row_major($x);
        let mut out = buffer_pool::take(values.len());
        elementwise::in_pieces(&values, &mut out, |x: &[$T], out: &mut [$T]| $f(x, out));
        <$T as Float>::tensor(out, $x.shape(), $x.dtype())
    }};
}

/// A function of one number on a float tensor.
fn each<T: Float>(x: &Tensor, f: impl Fn(T) -> T + Sync) -> Tensor {
    let values = T::row_major(x);
    let data = elementwise::Strided { data: &values, strides: &[1], offset: 0 };
    T::tensor(elementwise::unary(&[values.len()], data, f), x.shape(), x.dtype())
}

/// An expression of each element of argument 0, which must be a float tensor, and of numbers in the same kind of float.
macro_rules! pointwise {
    ($c:expr, $kernel:literal, |$x:ident $(, $number:ident)*| $body:expr) => {{
        fn of<T: Real>($x: T $(, $number: T)*) -> T {
            $body
        }
        let input = $c.tensor(0)?;
        only_floats($kernel, input.dtype())?;
        Ok(in_floats!(input.dtype(), T => each::<T>(input, |x| of::<T>(x $(, n::<T>($number))*))).into())
    }};
}

fn n<T: Real>(value: f64) -> T {
    T::from_f64(value)
}

fn gelu(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let tanh = match c.opt_str(1) {
        Some("none") | None => false,
        Some("tanh") => true,
        _ => return Err(Error::runtime("approximate argument must be either none or tanh.")),
    };
    only_floats("GeluKernelImpl", x.dtype())?;
    Ok(in_floats!(x.dtype(), T => if tanh { slices!(T, x, math::gelu_tanh) } else { slices!(T, x, math::gelu) }).into())
}

/// Where x is not positive: alpha (e^x - 1), small x included.
fn elu(c: &Call) -> Result<Value> {
    let alpha = c.float(1)?;
    pointwise!(c, "elu_cpu", |x, alpha| if x > T::ZERO { x } else { (x.exp() - T::ONE) * alpha })
}

fn softplus(c: &Call) -> Result<Value> {
    let (x, beta, threshold) = (c.tensor(0)?, c.float(1)?, c.float(2)?);
    only_floats("softplus_cpu", x.dtype())?;
    if beta == 1.0 && threshold == 20.0 {
        return Ok(in_floats!(x.dtype(), T => slices!(T, x, math::softplus)).into());
    }
    pointwise!(c, "softplus_cpu", |x, beta, threshold| {
        if x * beta > threshold { x } else { (x * beta).exp().log1p() / beta }
    })
}

rows![
    op(pointwise("gelu").formula(Formula::Gelu).costs(1).grad("Gelu"), FUNCTIONAL, gelu)
        .forms(&["Tensor input, *, str approximate='none'"])
        .doc("x times the share of a normal distribution below x.")
        .rule_in_one_pass(backward::activations::gelu),
    op(pointwise("silu").formula(Formula::Silu).costs(1).grad("Silu"), FUNCTIONAL, |c| {
        let x = c.tensor(0)?;
        only_floats("silu_cpu", x.dtype())?;
        Ok(in_floats!(x.dtype(), T => slices!(T, x, math::silu)).into())
    })
    .forms(ONE)
    .doc("x * sigmoid(x).")
    .rule_in_one_pass(backward::activations::silu),
    op(pointwise("elu").costs(1).grad("Elu"), FUNCTIONAL, elu)
        .forms(&["Tensor input, float alpha=1.0, bool inplace=False"])
        .doc("x, or alpha (e^x - 1) below zero.")
        .rule_in_one_pass(backward::activations::elu),
    op(pointwise("leaky_relu").costs(1).grad("LeakyRelu"), FUNCTIONAL, |c| {
        let slope = c.float(1)?;
        pointwise!(c, "leaky_relu_cpu", |x, slope| if x > T::ZERO { x } else { x * slope })
    })
    .forms(&["Tensor input, float negative_slope=0.01, bool inplace=False"])
    .doc("x, or a little of it below zero.")
    .rule_in_one_pass(backward::activations::leaky_relu),
    op(pointwise("softplus").costs(1).grad("Softplus"), FUNCTIONAL, softplus)
        .forms(&["Tensor input, float beta=1, float threshold=20"])
        .doc("ln(1 + e^(beta x)) / beta; x itself where that is large.")
        .rule_in_one_pass(backward::activations::softplus),
    op(pointwise("logsigmoid").costs(1).grad("LogSigmoid"), FUNCTIONAL, |c| pointwise!(
        c,
        "log_sigmoid_cpu",
        |x| x.minimum(T::ZERO) - (-x.abs()).exp().log1p()
    ))
    .doc("ln(sigmoid(x)), without overflow."),
];
