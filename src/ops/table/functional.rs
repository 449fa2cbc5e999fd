//! `torch.nn.functional`: softmax, dropout, embeddings, padding, similarity.

use ndarray::{ArrayViewD, IxDyn};

use super::reduce::norm_of;
use crate::in_floats;
use crate::kernel::softmax;
use crate::ops::op::{BOTH, Call, FUNCTION, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{CostRule, Descriptor, OpFamily, ShapeRule, indexed, joined};
use crate::tensor::explanation::{Explanation, Movement, SoftmaxKind};
use crate::tensor::layout::{implicit_dim, wrap_dim};
use crate::tensor::ops::float::Float;
use crate::tensor::ops::reduce::ReductionAxes;
use crate::tensor::ops::{self, cast::to_dtype, draw, half, pad};
use crate::tensor::{Arg, DType, Error, ErrorFact, ErrorKind, Result, Tensor, refuse_if};

const ALONG: &[&str] = &["Tensor input, int dim, dtype? dtype=None"];
const ALONG_F: &[&str] = &["Tensor input, int? dim=None, int _stacklevel=3, dtype? dtype=None"];

/// The tensor, dimension and dtype of a call, from the signature of `torch` or that of `torch.nn.functional`.
fn along(c: &Call, log: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let functional = c.op.params()[c.form].len() == 4;
    let dim = c.opt_int(1).unwrap_or_else(|| implicit_dim(x.ndim()));
    let dtype = c.opt_dtype(if functional { 3 } else { 2 });
    Ok(softmax_along(x, dim, dtype, log)?.into())
}

/// Softmax, or its logarithm, along one dimension.
pub(super) fn softmax_along(x: &Tensor, dim: i64, dtype: Option<DType>, log: bool) -> Result<Tensor> {
    let axis = wrap_dim(dim, x.ndim())?;
    let dtype = dtype.unwrap_or(x.dtype());
    if !dtype.is_float() {
        let kernel = match (axis + 1 == x.ndim().max(1), log) {
            (true, true) => "log_softmax_lastdim_kernel_impl",
            (true, false) => "softmax_lastdim_kernel_impl",
            _ => "softmax_kernel_impl",
        };
        return Err(Error::unsupported_dtype(kernel, dtype));
    }
    let x = to_dtype(x, dtype);
    if dtype.is_half() && x.numel() > 0 {
        return half::softmax(&x, axis, log);
    }
    let shape: Vec<usize> = if x.ndim() == 0 { vec![1] } else { x.shape().to_vec() };
    Ok(in_floats!(dtype, T => {
        let data = T::row_major(&x);
        let view = ArrayViewD::from_shape(IxDyn(&shape), &data[..]).expect("as many elements as the shape has");
        let out = if log { softmax::log_softmax(view, axis) } else { softmax::softmax(view, axis) };
        T::tensor(out, x.shape(), dtype)
    }))
}

/// `F.dropout`: nothing is drawn where nothing can be dropped.
fn dropout(c: &Call) -> Result<Value> {
    let (x, p, training) = (c.tensor(0)?, c.float(1)?, c.bool(2));
    if !(0.0..=1.0).contains(&p) {
        let kind = if c.op.is_in(FUNCTIONAL) { ErrorKind::Value } else { ErrorKind::Runtime };
        return Err(Error::dropout_probability(kind, python_float(c.arg(1))));
    }
    if p == 0.0 || !training || x.numel() == 0 {
        return Ok(x.clone().into());
    }
    if !x.dtype().is_float() && p < 1.0 {
        return Err(Error::uncastable(DType::Float32, x.dtype()).about(ErrorFact::DifferentDtypes));
    }
    let noise = if p == 1.0 {
        Tensor::zeros([], x.dtype())?
    } else {
        draw::dropout_noise(x, &mut c.state.generator.borrow_mut(), c.state.family_of(x.numel())?, p)?
    };
    let out = ops::pointwise::mul(c.arg(0), &Arg::Tensor(noise.clone()), c.default_dtype())?;
    let out = ops::strides::placed(out, &[x, &noise]);
    c.keep(noise);
    Ok(out.into())
}

/// A Python number as Python writes it.
fn python_float(arg: &Arg) -> String {
    match arg {
        Arg::Float(value) if value.fract() == 0.0 && value.abs() < 1e16 => format!("{value:.1}"),
        Arg::Float(value) => value.to_string(),
        Arg::Int(value) => value.to_string(),
        _ => String::new(),
    }
}

/// Rows of a table by their numbers.
fn embedding(c: &Call) -> Result<Value> {
    let (indices, weight) = (c.tensor(0)?, c.tensor(1)?);
    if let Some(padding) = c.opt_int(2) {
        let rows = weight.shape().first().map_or(0, |&rows| rows as i64);
        if padding >= rows || padding < -rows {
            return Err(Error::new(ErrorKind::Value, "Padding_idx must be within num_embeddings"));
        }
    }
    refuse_if!(weight.ndim() != 2, "'weight' must be 2-D");
    if !matches!(indices.dtype(), DType::Int64 | DType::Int32) {
        return Err(Error::runtime(format!(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got \
             torch.{}Tensor instead (while checking arguments for embedding)",
            indices.dtype().cpp_name()
        )).about(ErrorFact::DifferentDtypes));
    }
    let (rows, width) = (weight.shape()[0], weight.shape()[1]);
    let at = indices.to_i64_vec();
    if at.iter().any(|&at| at < 0 || at >= rows as i64) {
        return Err(Error::index("index out of range in self"));
    }
    let mut shape = indices.shape().to_vec();
    shape.push(width);
    crate::tensor::allow(&shape, weight.dtype())?;
    let out = pad::rows(&ops::contiguous(weight), &at, width);
    Ok(Tensor::new(out, shape, weight.dtype()).into())
}

fn pad_(c: &Call) -> Result<Value> {
    let (x, sides) = (c.tensor(0)?, c.ints(1)?);
    let value = if c.is_none(3) { Arg::Int(0) } else { c.arg(3).clone() };
    Ok(pad::pad(x, &sides, &value)?.into())
}

/// The descriptor of softmax and its kin: an exponential and a division for each element.
const fn softmax_family(name: &'static str, kind: SoftmaxKind, gradient: &'static str) -> Descriptor {
    Descriptor::new(name, OpFamily::Normalisation, Explanation::Softmax(kind)).costs(2).grad(gradient)
}

fn normalize(c: &Call) -> Result<Value> {
    let (x, eps) = (c.tensor(0)?, c.float(3)?);
    let norms = norm_of(x, &ReductionAxes::new(x, &[c.int(2)?], true)?, c.float(1)?)?;
    let at_least = ops::pointwise::maximum(&Arg::Tensor(norms), &Arg::Float(eps), c.default_dtype())?;
    Ok(ops::pointwise::div(c.arg(0), &Arg::Tensor(at_least), c.default_dtype())?.into())
}

const fn softmax(places: u8, forms: &'static [&'static str]) -> Op {
    op(softmax_family("softmax", SoftmaxKind::Weights, "Softmax"), places, |c| along(c, false))
        .forms(forms)
        .doc("exp(x) / sum(exp(x)) along dim: positive, and sums to 1.")
        .saving_result()
        .rule_in_one_pass(backward::activations::softmax)
}

const fn log_softmax(places: u8, forms: &'static [&'static str]) -> Op {
    op(softmax_family("log_softmax", SoftmaxKind::Log, "LogSoftmax"), places, |c| along(c, true))
        .forms(forms)
        .doc("log(softmax(x)), without the detour.")
        .saving_result()
        .rule_in_one_pass(backward::activations::log_softmax)
}

const fn dropped() -> Descriptor {
    Descriptor::new("dropout", OpFamily::Random, Explanation::Dropout)
        .shapes(ShapeRule::Same)
        .costs(1)
        .grad("Mul")
}

rows![
    softmax(BOTH, ALONG),
    log_softmax(BOTH, ALONG),
    softmax(FUNCTIONAL, ALONG_F),
    log_softmax(FUNCTIONAL, ALONG_F),
    op(dropped(), FUNCTIONAL, dropout)
        .forms(&["Tensor input, float p=0.5, bool training=True, bool inplace=False"])
        .doc("Sets random elements to 0 and scales the others up; returns the input unless training.")
        .rule(backward::pointwise::dropout),
    op(dropped(), FUNCTION, dropout)
        .forms(&["Tensor input, float p, bool train"])
        .doc("Some elements 0, the others scaled up.")
        .rule(backward::pointwise::dropout),
    op(indexed("embedding", Movement::Embedded).grad("Embedding"), FUNCTIONAL, embedding)
        .forms(&["Tensor input, Tensor weight, int? padding_idx=None, only max_norm=None, \
             hint norm_type=2.0, only scale_grad_by_freq=False, only sparse=False"])
        .doc("Rows of a table by their numbers. (..) x (n, d) -> (.., d)")
        .rule_in_one_pass(backward::activations::embedding),
    op(joined("pad", Movement::Rearranged).grad("ConstantPadNd"), FUNCTIONAL, pad_)
        .forms(&["Tensor input, ints pad, only mode='constant', Number? value=None"])
        .doc("More elements before and after, last dimension first."),
    op(
        Descriptor::new("linear", OpFamily::Product, Explanation::Linear)
            .shapes(ShapeRule::LastAxes(0, 1))
            .cost(CostRule::MatrixProduct(0))
            .grad("Mm"),
        FUNCTIONAL,
        super::linear::linear_
    )
    .forms(&["Tensor input, Tensor weight, Tensor? bias=None"])
    .doc("input @ weight.T + bias. (.., in) x (out, in) -> (.., out)")
    .autocast(autocast::lower_precision)
    .rule(backward::products::linear),
    op(
        Descriptor::new("normalize", OpFamily::Normalisation, Explanation::UnitLength).costs(2).grad("Div"),
        FUNCTIONAL,
        normalize
    )
    .forms(&["Tensor input, float p=2.0, int dim=1, float eps=1e-12, out? out=None"])
    .doc("Each vector along dim over its norm."),
];
