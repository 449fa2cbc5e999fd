//! `masked_fill`: one number where a mask is true.
//! Source: `torch.masked_fill`; the number must fit the dtype of the tensor.

use super::float::Float;
use crate::tensor::layout::broadcast;
use crate::tensor::{Arg, DType, Result, Tensor, refuse_if};

/// A number as a 0-d tensor of `dtype`. Errors: it does not fit the dtype.
pub(crate) fn checked_number(value: &Arg, dtype: DType) -> Result<Tensor> {
    let name = || match dtype {
        DType::Bool | DType::Int32 => dtype.c_name().to_owned(),
        _ if dtype.is_float() => dtype.c_name().replace("c10", "at"),
        _ => format!("{}_t", dtype.name()),
    };
    refuse_if!(!fits(value, dtype), "value cannot be converted to type {} without overflow", name());
    super::pointwise::operand(value, dtype)
}

/// Whether a number lies in the range of a dtype; a negative one counts as an unsigned one from the end.
pub(crate) fn fits(value: &Arg, dtype: DType) -> bool {
    let number = value.number().unwrap_or(0.0);
    let (least, most) = match dtype {
        DType::Bool | DType::Float64 => return true,
        DType::Int64 if matches!(value, Arg::Int(_) | Arg::Bool(_)) => return true,
        DType::Int64 => (-(2f64.powi(63)), 2f64.powi(63) - 1024.0),
        unsigned if unsigned.is_unsigned() => (-unsigned.range().1, unsigned.range().1),
        _ => dtype.range(),
    };
    (dtype.is_float() && !number.is_finite()) || (least..=most).contains(&number)
}

/// `value` where the mask is true, `x` elsewhere, broadcast. Copies. As `masked_fill`.
pub(crate) fn masked_fill(x: &Tensor, mask: &Tensor, value: &Tensor) -> Result<Tensor> {
    super::pointwise::chosen(mask, value, x, broadcast(mask.shape(), x.shape())?, x.dtype())
}

/// What a mask adds to scores: nothing where a mask of bools is true, -inf elsewhere; or its own numbers.
pub(crate) fn added<T: Float>(mask: &Tensor) -> Vec<T> {
    match mask.dtype() {
        DType::Bool => {
            mask.to_bool_vec().into_iter().map(|keep| if keep { T::ZERO } else { T::NEG_INFINITY }).collect()
        }
        _ => T::of(mask),
    }
}

/// The same with -inf for keys after the query, in scores of so many rows and keys.
pub(crate) fn with_causal<T: Float>(mask: &Tensor, rows: usize, keys: usize) -> Vec<T> {
    let mut added = added::<T>(mask);
    for (at, x) in added.iter_mut().enumerate() {
        if at % keys > at / keys % rows {
            *x = T::NEG_INFINITY;
        }
    }
    added
}
