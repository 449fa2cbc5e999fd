//! `torch.nn.functional`: normalisation over the last dimensions.

use crate::in_floats;
use crate::kernel::norm;
use crate::ops::backward;
use crate::ops::op::{Call, FUNCTION, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily};
use crate::tensor::explanation::{Explanation, NormKind};
use crate::tensor::ops::{
    self,
    float::{Float, only_floats},
};
use crate::tensor::show::joined;
use crate::tensor::{Arg, DType, Error, Result, Tensor, refuse_if};

/// The sizes that are normalised over, checked against the input and the parameters at these places of the arguments.
fn normalized(c: &Call, x: &Tensor, parameters: &[(&str, usize)]) -> Result<Vec<usize>> {
    if let Arg::Int(_) = c.arg(1) {
        return Err(c.mismatch(1, "tuple of ints, not int"));
    }
    let wanted = c.ints(1)?;
    refuse_if!(
        wanted.is_empty(),
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got \
             normalized_shape = []"
    );
    let shape: Vec<usize> = wanted.iter().map(|&size| size.max(0) as usize).collect();
    for &(name, at) in parameters {
        if let Some(tensor) = c.opt_tensor(at).filter(|tensor| tensor.shape() != shape) {
            return Err(Error::runtime(format!(
                "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {:?} and \
                 normalized_shape = {shape:?}",
                tensor.shape()
            )));
        }
    }
    if x.ndim() < shape.len() || x.shape()[x.ndim() - shape.len()..] != shape {
        return Err(Error::runtime(format!(
            "Given normalized_shape={shape:?}, expected input with shape [*, {}], but got input of size{:?}",
            joined(&shape, ", "),
            x.shape()
        )));
    }
    Ok(shape)
}

fn same_dtype(x: &Tensor, other: Option<&Tensor>) -> Result<()> {
    match other {
        Some(other) if other.dtype() != x.dtype() => Err(Error::runtime(format!(
            "expected scalar type {} but found {}",
            x.dtype().cpp_name(),
            other.dtype().cpp_name()
        ))),
        _ => Ok(()),
    }
}

fn layer_norm(c: &Call) -> Result<Value> {
    let (x, weight, bias, eps) = (c.tensor(0)?, c.opt_tensor(2), c.opt_tensor(3), c.float(4)?);
    let width: usize = normalized(c, x, &[("weight", 2), ("bias", 3)])?.iter().product();
    if !x.dtype().is_float() && (weight.is_some() || bias.is_some()) {
        return Err(Error::runtime("mixed dtype (CPU): all inputs must share same datatype."));
    }
    only_floats("LayerNormKernelImpl", x.dtype())?;
    // As under autocast: the parameters may be of float32.
    let is_float32 = |parameter: &Tensor| parameter.dtype() == DType::Float32;
    if !(x.dtype().is_narrow() && weight.is_none_or(is_float32) && bias.is_none_or(is_float32)) {
        same_dtype(x, weight)?;
        same_dtype(x, bias)?;
    }
    Ok(in_floats!(x.dtype(), T => {
        let (weight, bias) = (weight.map(T::of), bias.map(T::of));
        let (weight, bias) = (weight.as_deref(), bias.as_deref());
        let (out, scales) = norm::layer_norm(&T::row_major(x), width, weight, bias, eps);
        c.keep_rows(&scales);
        T::tensor(out, x.shape(), x.dtype())
    })
    .into())
}

fn rms_norm(c: &Call) -> Result<Value> {
    let (x, weight) = (c.tensor(0)?, c.opt_tensor(2));
    let width: usize = normalized(c, x, &[("weight", 2)])?.iter().product();
    only_floats("rms_norm", x.dtype())?;
    let eps = c.opt_float(3).unwrap_or(x.dtype().epsilon());
    let out = in_floats!(x.dtype(), T => {
        T::tensor(norm::rms_norm(&T::row_major(x), width, eps), x.shape(), x.dtype())
    });
    let out = ops::strides::placed(out, &[x]);
    let Some(weight) = weight else { return Ok(out.into()) };
    let scaled =
        ops::pointwise::mul(&Arg::Tensor(out.clone()), &Arg::Tensor(weight.clone()), c.default_dtype())?;
    Ok(ops::strides::placed(scaled, &[&out, weight]).into())
}

const fn normalisation(name: &'static str, kind: NormKind) -> Descriptor {
    Descriptor::new(name, OpFamily::Normalisation, Explanation::Normalisation(kind))
}

rows![
    op(
        normalisation("layer_norm", NormKind::Layer).costs(3).grad("NativeLayerNorm"),
        FUNCTION | FUNCTIONAL,
        layer_norm
    )
    .forms(&["Tensor input, ints normalized_shape, Tensor? weight=None, Tensor? bias=None, \
             float eps=1e-05, hint cudnn_enable=True"])
    .doc("Mean 0 and variance 1 along the last dimensions, then scaled and shifted. Shape kept.")
    .rule_in_one_pass(backward::norms::layer_norm),
    op(normalisation("rms_norm", NormKind::Rms).costs(3).grad("Mul"), FUNCTION | FUNCTIONAL, rms_norm)
        .forms(&["Tensor input, ints normalized_shape, Tensor? weight=None, float? eps=None"])
        .doc("x over the root of its mean square along the last dimensions. Shape kept.")
        .rule_in_one_pass(backward::norms::rms_norm),
];
