//! Errors for dtypes that PyTorch's kernels do not support, in its words.

use crate::ops::op::Call;
use crate::tensor::ops::pointwise::common_dtype;
use crate::tensor::{Arg, DType, Error, Result};

pub(super) fn is_bool(dtype: DType) -> bool {
    dtype == DType::Bool
}

/// Integers and bools.
pub(super) fn is_whole(dtype: DType) -> bool {
    !dtype.is_float()
}

/// Errors: bools.
pub(super) fn bools(kernel: &str, dtype: DType) -> Result<()> {
    if dtype == DType::Bool { Err(Error::unsupported_dtype(kernel, dtype)) } else { Ok(()) }
}

/// Errors: two operands that are both bools.
pub(super) fn bool_pair(kernel: &str, c: &Call) -> Result<()> {
    bools(kernel, common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype()))
}

/// Errors: a bool on either side of a difference.
pub(super) fn bools_subtracted(a: &Arg, b: &Arg) -> Result<()> {
    let is_bool = |arg: &Arg| match arg {
        Arg::Bool(_) => true,
        arg => arg.tensor().is_some_and(|tensor| tensor.dtype() == DType::Bool),
    };
    match (is_bool(a), is_bool(b)) {
        (true, true) => Err(Error::runtime(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` \
             operator instead.",
        )),
        (false, false) => Ok(()),
        _ => Err(Error::runtime(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, \
             use the `~` or `logical_not()` operator instead.",
        )),
    }
}

/// Errors: a factor that the common dtype of two operands does not take.
pub(super) fn factor(alpha: &Arg, common: DType) -> Result<()> {
    match alpha {
        Arg::Float(_) if !common.is_float() => Err(Error::runtime(
            "For integral input tensors, argument alpha must not be a floating point number.",
        )),
        Arg::Bool(_) if common != DType::Bool => {
            Err(Error::runtime("Boolean alpha only supported for Boolean results."))
        }
        _ => Ok(()),
    }
}

/// Errors: a number that has no place in int64.
pub(super) fn overflow(is_beyond: bool) -> Result<()> {
    match is_beyond {
        true => Err(Error::runtime("value cannot be converted to type int64_t without overflow")),
        false => Ok(()),
    }
}

/// Errors: bools clamped between bools.
pub(super) fn bools_clamped(c: &Call) -> Result<()> {
    let number = |at: usize| c.arg(at).tensor().is_none() && !c.is_none(at);
    let dtype = common_dtype(&[c.arg(0), c.arg(1), c.arg(2)], c.default_dtype());
    match (c.is_none(1), c.is_none(2)) {
        (true, false) if number(2) => bools("clamp_max_scalar_cpu", dtype),
        (false, true) if number(1) => bools("clamp_min_scalar_cpu", dtype),
        (false, false) if number(1) => bools("clamp_scalar_cpu", dtype),
        (false, false) => bools("clamp_cpu", dtype),
        _ => Ok(()),
    }
}
