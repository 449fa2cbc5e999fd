//! `masked_fill`: one number where a mask is true.
//! Source: `torch.masked_fill`; the number must fit the dtype of the tensor.

use crate::kernel::elementwise::{Strided, ternary};
use crate::tensor::layout::broadcast;
use crate::tensor::{Arg, Buffer, DType, Result, Tensor, allow, refuse_if};

/// A number as a 0-d tensor of `dtype`. Errors: it does not fit the dtype.
pub(crate) fn checked_number(value: &Arg, dtype: DType) -> Result<Tensor> {
    let name = match dtype {
        DType::Float64 => "double",
        DType::Float32 => "float",
        DType::Float16 => "at::Half",
        DType::BFloat16 => "at::BFloat16",
        DType::Int64 => "int64_t",
        DType::Int32 => "int",
        DType::Int16 => "int16_t",
        DType::Int8 => "int8_t",
        DType::UInt8 => "uint8_t",
        DType::Bool => "bool",
    };
    refuse_if!(!fits(value, dtype), "value cannot be converted to type {name} without overflow");
    super::pointwise::operand(value, dtype)
}

/// Whether a number lies in the range of a dtype; a negative one counts as an unsigned one from the end.
pub(crate) fn fits(value: &Arg, dtype: DType) -> bool {
    let within = |low: f64, high: f64, value: f64| value >= low && value <= high;
    match (dtype, value) {
        (DType::Bool | DType::Float64, _) => true,
        (DType::Int64, Arg::Int(_) | Arg::Bool(_)) => true,
        (_, value) => {
            let number = value.number().unwrap_or(0.0);
            match dtype {
                DType::Float32 | DType::BFloat16 if !number.is_finite() => true,
                DType::Float16 if !number.is_finite() => true,
                DType::Float32 => within(f64::from(f32::MIN), f64::from(f32::MAX), number),
                DType::BFloat16 => within(-3.389_531_389_251_535_5e38, 3.389_531_389_251_535_5e38, number),
                DType::Float16 => within(-65504.0, 65504.0, number),
                DType::Int32 => within(f64::from(i32::MIN), f64::from(i32::MAX), number),
                DType::Int16 => within(f64::from(i16::MIN), f64::from(i16::MAX), number),
                DType::Int8 => within(-128.0, 127.0, number),
                DType::UInt8 => within(-255.0, 255.0, number),
                _ => within(-(2f64.powi(63)), 2f64.powi(63) - 1024.0, number),
            }
        }
    }
}

/// `value` where the mask is true, `x` elsewhere, broadcast. Copies. As `masked_fill`.
pub(crate) fn masked_fill(x: &Tensor, mask: &Tensor, value: &Tensor) -> Result<Tensor> {
    let shape = broadcast(mask.shape(), x.shape())?;
    allow(&shape, x.dtype())?;
    let (lx, lm) = (x.layout().broadcast_to(&shape), mask.layout().broadcast_to(&shape));
    let everywhere = vec![0; shape.len()];
    let masks = mask.storage().read();
    let Buffer::Bool(masks) = &*masks else { unreachable!("the caller has checked the mask's dtype") };
    macro_rules! filled {
        ($variant:ident) => {
            match (&*x.storage().read(), &*value.storage().read()) {
                (Buffer::$variant(data), Buffer::$variant(values)) => Buffer::$variant(ternary(
                    &shape,
                    Strided { data: masks, strides: &lm.strides, offset: lm.offset },
                    Strided { data, strides: &lx.strides, offset: lx.offset },
                    Strided { data: values, strides: &everywhere, offset: value.layout().offset },
                    |mask: bool, x, value| if mask { value } else { x },
                )),
                _ => unreachable!("the value was made the tensor's dtype"),
            }
        };
    }
    let buffer = match x.dtype().lane() {
        crate::tensor::Lane::F32 => filled!(F32),
        crate::tensor::Lane::F64 => filled!(F64),
        crate::tensor::Lane::I64 => filled!(I64),
        crate::tensor::Lane::Bool => filled!(Bool),
    };
    Ok(Tensor::new(buffer, shape, x.dtype()))
}
