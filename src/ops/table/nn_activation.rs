//! `torch.nn.functional`: activations.

use crate::in_floats;
use crate::kernel::{Real, buffer_pool, elementwise, math};
use crate::ops::backward;
use crate::ops::op::{Call, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{CostRule, ShapeRule, pointwise, random};
use crate::tensor::explanation::{Explanation, Formula, RandomKind};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::float::{Float, only_floats};
use crate::tensor::{Error, Result, Tensor};

const ONE: &[&str] = &["Tensor input, bool inplace=False"];
const PLAIN: &[&str] = &["Tensor input"];

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

/// Where x is not positive: alpha (e^x - 1). Whole vectors take the power less 1, what is left over the function for small
/// powers, as PyTorch's loop does.
fn elu(c: &Call) -> Result<Value> {
    fn of<T: Real>(x: T, alpha: T, whole: bool) -> T {
        match (x <= T::ZERO, whole) {
            (false, _) => x,
            (true, true) => (x.exp() - T::ONE) * alpha,
            (true, false) => x.expm1() * alpha,
        }
    }
    let (x, alpha) = (c.tensor(0)?, c.float(1)?);
    only_floats("elu_cpu", x.dtype())?;
    Ok(in_floats!(x.dtype(), T => {
        let values = T::of(x);
        let vectors = values.len() / (4 * T::LANES) * (4 * T::LANES);
        let out = values.into_iter().enumerate().map(|(at, x)| of(x, n::<T>(alpha), at < vectors));
        T::tensor(out.collect(), x.shape(), x.dtype())
    })
    .into())
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

fn glu(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.ndim() == 0 {
        return Err(Error::runtime("glu does not support scalars because halving size must be even"));
    }
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let size = x.shape()[axis];
    if !size.is_multiple_of(2) {
        return Err(Error::runtime(format!(
            "Halving dimension must be even, but dimension {axis} is size {size}"
        )));
    }
    only_floats("glu_cpu", x.dtype())?;
    let half = |at: usize| x.with_layout(x.layout().slice(axis, at, size / 2, 1));
    let (a, b) = (half(0), half(size / 2));
    Ok(in_floats!(x.dtype(), T => {
        let gate = slices!(T, &b, math::sigmoid);
        let values = T::of(&a).into_iter().zip(T::of(&gate)).map(|(a, g)| a * g).collect();
        T::tensor(values, a.shape(), x.dtype())
    })
    .into())
}

rows![
    op(
        pointwise("gelu").formula(Formula::Gelu).cost(CostRule::PerResult(1)).grad("Gelu"),
        FUNCTIONAL,
        &["Tensor input, *, str approximate='none'"],
        "x times the share of a normal distribution below x.",
        gelu,
    )
    .rule(backward::activations::gelu),
    op(
        pointwise("silu").formula(Formula::Silu).cost(CostRule::PerResult(1)).grad("Silu"),
        FUNCTIONAL,
        ONE,
        "x * sigmoid(x).",
        |c| {
            let x = c.tensor(0)?;
            only_floats("silu_cpu", x.dtype())?;
            Ok(in_floats!(x.dtype(), T => slices!(T, x, math::silu)).into())
        },
    )
    .rule(backward::activations::silu),
    op(
        pointwise("elu").grad("Elu"),
        FUNCTIONAL,
        &["Tensor input, float alpha=1.0, bool inplace=False"],
        "x, or alpha (e^x - 1) below zero.",
        elu,
    )
    .rule(backward::activations::elu),
    op(
        pointwise("leaky_relu").grad("LeakyRelu"),
        FUNCTIONAL,
        &["Tensor input, float negative_slope=0.01, bool inplace=False"],
        "x, or a little of it below zero.",
        |c| {
            let slope = c.float(1)?;
            pointwise!(c, "leaky_relu_cpu", |x, slope| if x > T::ZERO { x } else { x * slope })
        },
    )
    .rule(backward::activations::leaky_relu),
    op(
        pointwise("softplus").grad("Softplus"),
        FUNCTIONAL,
        &["Tensor input, float beta=1, float threshold=20"],
        "ln(1 + e^(beta x)) / beta; x itself where that is large.",
        softplus,
    )
    .rule(backward::activations::softplus),
    op(pointwise("mish").grad("Mish"), FUNCTIONAL, ONE, "x * tanh(softplus(x)).", |c| {
        pointwise!(c, "mish_cpu", |x| x * x.exp().log1p().tanh())
    }),
    op(
        pointwise("logsigmoid").grad("LogSigmoid"),
        FUNCTIONAL,
        PLAIN,
        "ln(sigmoid(x)), without overflow.",
        |c| pointwise!(c, "log_sigmoid_cpu", |x| x.minimum(T::ZERO) - (-x.abs()).exp().log1p()),
    ),
    op(
        pointwise("glu").explained(Explanation::Whole).shapes(ShapeRule::Own).grad("Glu"),
        FUNCTIONAL,
        &["Tensor input, int dim=-1"],
        "The first half times the sigmoid of the second.",
        glu,
    ),
    op(pointwise("hardswish").grad("Hardswish"), FUNCTIONAL, ONE, "x * hardsigmoid(x).", |c| {
        pointwise!(c, "hardswish_cpu", |x| x * (x + n(3.0)).maximum(T::ZERO).minimum(n(6.0)) / n(6.0))
    }),
    op(
        random("gumbel_softmax", RandomKind::Together).keeping_order().grad("Softmax"),
        FUNCTIONAL,
        &["Tensor logits, float tau=1, bool hard=False, hint eps=1e-10, int dim=-1"],
        "Softmax of logits with Gumbel noise: a sample, in numbers.",
        super::functional::gumbel_softmax,
    ),
];
