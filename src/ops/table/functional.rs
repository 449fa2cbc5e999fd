//! `torch.nn.functional`: softmax, dropout, embeddings, padding, similarity.

use ndarray::{ArrayViewD, IxDyn};

use crate::in_floats;
use crate::kernel::{Real, softmax};
use crate::ops::op::{BOTH, Call, FUNCTION, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{CostRule, Descriptor, GradName, OpFamily, ShapeRule};
use crate::tensor::explanation::{DistanceKind, Explanation, Movement, SoftmaxKind};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::float::Float;
use crate::tensor::ops::{self, cast::to_dtype, draw, pad};
use crate::tensor::{Arg, DType, Error, ErrorFact, ErrorKind, Lane, Result, Tensor};

const ALONG: &[&str] = &["Tensor input, int dim, dtype? dtype=None"];
const ALONG_F: &[&str] = &["Tensor input, int? dim=None, int _stacklevel=3, dtype? dtype=None"];

/// The dimension softmax takes where none is named.
pub(super) fn implicit_dim(x: &Tensor) -> i64 {
    if matches!(x.ndim(), 0 | 1 | 3) { 0 } else { 1 }
}

/// The tensor, dimension and dtype of a call, from the signature of `torch` or that of `torch.nn.functional`.
fn along(c: &Call, log: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let functional = c.op.params()[c.form].len() == 4;
    let dim = c.opt_int(1).unwrap_or_else(|| implicit_dim(x));
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
    let shape: Vec<usize> = if x.ndim() == 0 { vec![1] } else { x.shape().to_vec() };
    Ok(in_floats!(dtype, T => {
        let data = T::row_major(&x);
        let view = ArrayViewD::from_shape(IxDyn(&shape), &data[..]).expect("as many elements as the shape has");
        let out = if log { softmax::log_softmax(view, axis) } else { softmax::softmax(view, axis) };
        T::tensor(out, x.shape(), dtype)
    }))
}

/// A sample of a categorical distribution, in numbers.
pub(super) fn gumbel_softmax(c: &Call) -> Result<Value> {
    let (logits, tau, hard, dim) = (c.tensor(0)?, c.float(1)?, c.bool(2), c.int(4)?);
    if !logits.dtype().is_float() {
        return Err(Error::runtime(format!(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you \
             specified {}",
            logits.dtype().cpp_name()
        )));
    }
    let noise = draw::empty_like(logits, logits.dtype())?;
    draw::exponential(&noise, &mut c.state.generator.borrow_mut(), c.state.family_of(noise.numel())?, 1.0)?;
    let gumbels = c.apply("neg", vec![Arg::Tensor(c.apply("log", vec![Arg::Tensor(noise)])?)])?;
    let sum = c.apply("add", vec![c.arg(0).clone(), Arg::Tensor(gumbels), Arg::Int(1)])?;
    let scaled = c.apply("div", vec![Arg::Tensor(sum), Arg::Float(tau)])?;
    let soft = c.apply("softmax", vec![Arg::Tensor(scaled), Arg::Int(dim)])?;
    if !hard {
        return Ok(soft.into());
    }
    let top = c.apply("amax", vec![Arg::Tensor(soft.clone()), Arg::Ints(vec![dim]), Arg::Bool(true)])?;
    let first = c.apply("eq", vec![Arg::Tensor(soft.clone()), Arg::Tensor(top)])?;
    let one_hot = to_dtype(&first, soft.dtype());
    let rest = c.apply("sub", vec![Arg::Tensor(one_hot), Arg::Tensor(soft.alias()), Arg::Int(1)])?;
    Ok(c.apply("add", vec![Arg::Tensor(rest), Arg::Tensor(soft), Arg::Int(1)])?.into())
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
        return Err(Error::runtime(format!(
            "result type Float can't be cast to the desired output type {}",
            x.dtype().cpp_name()
        ))
        .about(ErrorFact::DifferentDtypes));
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
    if weight.ndim() != 2 {
        return Err(Error::runtime("'weight' must be 2-D"));
    }
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

fn one_hot(c: &Call) -> Result<Value> {
    let (x, wanted) = (c.tensor(0)?, c.int(1)?);
    if x.dtype() != DType::Int64 {
        return Err(Error::runtime("one_hot is only applicable to index tensor of type LongTensor."));
    }
    let values = x.to_i64_vec();
    if values.is_empty() && wanted <= 0 {
        return Err(Error::runtime("Can not infer total number of classes from empty tensor."));
    }
    if values.iter().any(|&value| value < 0) {
        return Err(Error::runtime("Class values must be non-negative."));
    }
    let most = values.iter().max().map_or(0, |&most| most + 1);
    let classes = match wanted {
        -1 => most,
        wanted if wanted < 1 && values.is_empty() => {
            return Err(Error::runtime("num_classes should be positive"));
        }
        wanted if wanted < most => {
            return Err(Error::runtime("Class values must be smaller than num_classes."));
        }
        wanted => wanted,
    } as usize;
    let mut shape = x.shape().to_vec();
    shape.push(classes);
    let mut out = vec![0; crate::tensor::allow(&shape, DType::Int64)?];
    for (row, &value) in values.iter().enumerate() {
        out[row * classes + value as usize] = 1;
    }
    Ok(Tensor::from_i64(out, shape).into())
}

fn pad_(c: &Call) -> Result<Value> {
    let (x, sides) = (c.tensor(0)?, c.ints(1)?);
    let mode = c.opt_str(2).unwrap_or("constant");
    let value = if c.is_none(3) { Arg::Int(0) } else { c.arg(3).clone() };
    let (out, name) = pad::pad(x, &sides, mode, &value)?;
    c.set_grad_name(name);
    Ok(out.into())
}

/// Both tensors over their norms, multiplied and summed.
fn cosine_similarity(c: &Call) -> Result<Value> {
    let (a, b, eps) = (c.tensor(0)?, c.tensor(1)?, c.float(3)?);
    let dtype = ops::pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    if !dtype.is_float() {
        return Err(Error::runtime(format!(
            "expected common dtype to be floating point, yet common dtype is {}",
            dtype.cpp_name()
        )));
    }
    let shape = crate::tensor::layout::broadcast(a.shape(), b.shape())?;
    let axis = wrap_dim(c.int(2)?, shape.len())?;
    let spread = |x: &Tensor| {
        let x = to_dtype(x, dtype);
        x.with_layout(x.layout().broadcast_to(&shape))
    };
    let (a, b) = (ops::contiguous(&spread(a)), ops::contiguous(&spread(b)));
    let mut kept = shape.clone();
    if !kept.is_empty() {
        kept.remove(axis);
    }
    let (length, inner) = match shape.is_empty() {
        true => (1, 1),
        false => (shape[axis], shape[axis + 1..].iter().product::<usize>()),
    };
    let dims = if shape.is_empty() { vec![1] } else { shape.clone() };
    Ok(in_floats!(dtype, T => {
        let (x, y) = (T::of(&a), T::of(&b));
        let view = |data| ArrayViewD::<T>::from_shape(IxDyn(&dims), data).expect("as many elements as the shape has");
        let least = T::from_f64(eps);
        let norms = |data| -> Vec<T> {
            crate::kernel::reduce::norm(view(data), &[axis], 2.0).into_iter().map(|norm| if norm < least { least } else { norm }).collect()
        };
        let (p, q) = (norms(&x), norms(&y));
        let row = |at: usize| at / (length * inner).max(1) * inner + at % inner.max(1);
        let products: Vec<T> = (0..x.len()).map(|at| (x[at] / p[row(at)]) * (y[at] / q[row(at)])).collect();
        T::tensor(crate::kernel::reduce::sum(view(&products), &[axis]), kept, dtype)
    })
    .into())
}

/// A tensor's p-norm along one dimension, which is kept.
fn norm_along<T: Float>(x: &Tensor, axis: usize, p: f64) -> Vec<T> {
    let data = T::of(x);
    let shape: Vec<usize> = if x.ndim() == 0 { vec![1] } else { x.shape().to_vec() };
    let view = ArrayViewD::from_shape(IxDyn(&shape), &data).expect("as many elements as the shape has");
    crate::kernel::reduce::norm(view, &[axis], p)
}

fn normalize(c: &Call) -> Result<Value> {
    let (x, p, eps) = (c.tensor(0)?, c.float(1)?, c.float(3)?);
    if !x.dtype().is_float() {
        return Err(Error::runtime(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
            x.dtype().cpp_name()
        )));
    }
    let axis = wrap_dim(c.int(2)?, x.ndim())?;
    let mut shape = x.shape().to_vec();
    if let Some(size) = shape.get_mut(axis) {
        *size = 1;
    }
    let least = in_floats!(x.dtype(), T => {
        let eps = <T as Real>::from_f64(eps);
        let norms = norm_along::<T>(x, axis, p).into_iter().map(|norm| if norm < eps { eps } else { norm }).collect();
        T::tensor(norms, shape, x.dtype())
    });
    Ok(ops::pointwise::div(c.arg(0), &Arg::Tensor(least), c.default_dtype())?.into())
}

/// The p-norm of x1 - x2 + eps along the last dimension.
fn pairwise_distance(c: &Call) -> Result<Value> {
    let (p, eps, keepdim) = (c.float(2)?, c.float(3)?, c.bool(4));
    let default = c.default_dtype();
    let apart = ops::pointwise::sub(c.arg(0), c.arg(1), default)?;
    let apart = ops::pointwise::add(&Arg::Tensor(apart), &Arg::Float(eps), default)?;
    let axis = apart.ndim().saturating_sub(1);
    let mut shape = apart.shape().to_vec();
    shape.pop();
    if keepdim {
        shape.push(1);
    }
    Ok(in_floats!(apart.dtype(), T => T::tensor(norm_along::<T>(&apart, axis, p), shape, apart.dtype()))
        .into())
}

/// Whether the elements are integers or bools.
pub(super) fn is_whole(x: &Tensor) -> bool {
    matches!(x.dtype().lane(), Lane::I64 | Lane::Bool)
}

/// The descriptor of softmax and its kin: an exponential and a division for each element.
const fn softmax_family(name: &'static str, kind: SoftmaxKind, gradient: &'static str) -> Descriptor {
    Descriptor::new(name, OpFamily::Normalisation, Explanation::Softmax(kind))
        .cost(CostRule::PerResult(2))
        .grad(gradient)
}

rows![
    op(
        softmax_family("softmax", SoftmaxKind::Weights, "Softmax"),
        BOTH,
        ALONG,
        "exp(x) / sum(exp(x)) along dim: positive, and sums to 1.",
        |c| along(c, false),
    ).saving_result()
    .rule(backward::activations::softmax),
    op(
        softmax_family("log_softmax", SoftmaxKind::Log, "LogSoftmax"),
        BOTH,
        ALONG,
        "log(softmax(x)), without the detour.",
        |c| along(c, true),
    ).saving_result()
    .rule(backward::activations::log_softmax),
    op(
        softmax_family("softmax", SoftmaxKind::Weights, "Softmax"),
        FUNCTIONAL,
        ALONG_F,
        "exp(x) / sum(exp(x)) along dim: positive, and sums to 1.",
        |c| along(c, false),
    ).saving_result()
    .rule(backward::activations::softmax),
    op(
        softmax_family("log_softmax", SoftmaxKind::Log, "LogSoftmax"),
        FUNCTIONAL,
        ALONG_F,
        "log(softmax(x)), without the detour.",
        |c| along(c, true),
    ).saving_result()
    .rule(backward::activations::log_softmax),
    op(
        Descriptor::new("dropout", OpFamily::Random, Explanation::Dropout)
            .shapes(ShapeRule::Same)
            .cost(CostRule::PerResult(1))
            .grad("Mul"),
        FUNCTIONAL,
        &["Tensor input, float p=0.5, bool training=True, bool inplace=False"],
        "Sets random elements to 0 and scales the others up; returns the input unless training.",
        dropout,
    )
    .rule(backward::pointwise::dropout),
    op(
        Descriptor::new("dropout", OpFamily::Random, Explanation::Dropout)
            .shapes(ShapeRule::Same)
            .cost(CostRule::PerResult(1))
            .grad("Mul"),
        FUNCTION,
        &["Tensor input, float p, bool train"],
        "Some elements 0, the others scaled up.",
        dropout,
    )
    .rule(backward::pointwise::dropout),
    op(
        Descriptor::new("embedding", OpFamily::Index, Explanation::Moved(Movement::Embedded))
            .grad("Embedding"),
        FUNCTIONAL,
        &[
            "Tensor input, Tensor weight, int? padding_idx=None, only max_norm=None, hint norm_type=2.0, bool scale_grad_by_freq=False, only sparse=False",
        ],
        "Rows of a table by their numbers. (..) x (n, d) -> (.., d)",
        embedding,
    )
    .rule(backward::activations::embedding),
    op(
        Descriptor::new("one_hot", OpFamily::Creation, Explanation::Whole),
        FUNCTIONAL,
        &["Tensor input, int num_classes=-1"],
        "A row with a single 1 for each number. (..) -> (.., num_classes)",
        one_hot,
    ),
    op(
        Descriptor::new("pad", OpFamily::Join, Explanation::Moved(Movement::Rearranged))
            .grad("ConstantPadNd"),
        FUNCTIONAL,
        &["Tensor input, ints pad, str mode='constant', Number? value=None"],
        "More elements before and after, last dimension first.",
        pad_,
    )
    .autocast(autocast::pad),
    op(
        Descriptor::new("cosine_similarity", OpFamily::Distance, Explanation::Distance(DistanceKind::Cosine))
            .grad_name(GradName::Node("Sum", 1)),
        FUNCTION | FUNCTIONAL,
        &["Tensor x1, Tensor x2, int dim=1, float eps=1e-8"],
        "The cosine of the angle between vectors along dim.",
        cosine_similarity,
    ),
    op(
        Descriptor::new("normalize", OpFamily::Normalisation, Explanation::UnitLength).grad("Div"),
        FUNCTIONAL,
        &["Tensor input, float p=2.0, int dim=1, float eps=1e-12, out? out=None"],
        "Each vector along dim over its norm.",
        normalize,
    ),
    op(
        Descriptor::new(
            "pairwise_distance",
            OpFamily::Distance,
            Explanation::Distance(DistanceKind::Pairwise),
        )
        .grad_name(GradName::Node("Norm", 1)),
        FUNCTION | FUNCTIONAL,
        &["Tensor x1, Tensor x2, float p=2.0, float eps=1e-6, bool keepdim=False"],
        "The norm of the difference of vectors along the last dimension.",
        pairwise_distance,
    ).saving_result().refusing(super::refused::is_bool, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."),
    op(
        Descriptor::new("linear", OpFamily::Product, Explanation::Linear)
            .shapes(ShapeRule::LastAxes(0, 1))
            .cost(CostRule::MatrixProduct(0))
            .grad("Mm"),
        FUNCTIONAL,
        &["Tensor input, Tensor weight, Tensor? bias=None"],
        "input @ weight.T + bias. (.., in) x (out, in) -> (.., out)",
        super::linear::linear_,
    )
    .autocast(autocast::lower_precision)
    .rule(backward::products::linear),
];
