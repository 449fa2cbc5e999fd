//! Conversion between dtypes.
//! Source: `Tensor.to(dtype)`; conversion from floats to integers truncates.

use crate::kernel::elementwise::{Strided, unary};
use crate::tensor::{Buffer, DType, Lane, Tensor};

/// The same values in `dtype`: the tensor itself if it has that dtype, otherwise a copy.
pub(crate) fn to_dtype(tensor: &Tensor, dtype: DType) -> Tensor {
    if tensor.dtype() == dtype { tensor.clone() } else { converted(tensor, dtype) }
}

/// The same values in `dtype`. Copies.
pub(crate) fn converted(tensor: &Tensor, dtype: DType) -> Tensor {
    let layout = tensor.layout();
    let shape = &layout.shape;
    macro_rules! each {
        ($data:expr, $f:expr) => {
            unary(shape, Strided { data: $data, strides: &layout.strides, offset: layout.offset }, $f)
        };
    }
    let buffer = match (&*tensor.storage().read(), dtype.lane()) {
        (Buffer::F32(data), Lane::F32) => Buffer::F32(each!(data, |x: f32| x)),
        (Buffer::F32(data), Lane::F64) => Buffer::F64(each!(data, |x: f32| f64::from(x))),
        (Buffer::F32(data), Lane::I64) => Buffer::I64(each!(data, |x: f32| x as i64)),
        (Buffer::F32(data), Lane::Bool) => Buffer::Bool(each!(data, |x: f32| x != 0.0)),
        (Buffer::F64(data), Lane::F32) => Buffer::F32(each!(data, |x: f64| x as f32)),
        (Buffer::F64(data), Lane::F64) => Buffer::F64(each!(data, |x: f64| x)),
        (Buffer::F64(data), Lane::I64) => Buffer::I64(each!(data, |x: f64| x as i64)),
        (Buffer::F64(data), Lane::Bool) => Buffer::Bool(each!(data, |x: f64| x != 0.0)),
        (Buffer::I64(data), Lane::F32) => Buffer::F32(each!(data, |x: i64| x as f32)),
        (Buffer::I64(data), Lane::F64) => Buffer::F64(each!(data, |x: i64| x as f64)),
        (Buffer::I64(data), Lane::I64) => Buffer::I64(each!(data, |x: i64| x)),
        (Buffer::I64(data), Lane::Bool) => Buffer::Bool(each!(data, |x: i64| x != 0)),
        (Buffer::Bool(data), Lane::F32) => Buffer::F32(each!(data, |x: bool| f32::from(u8::from(x)))),
        (Buffer::Bool(data), Lane::F64) => Buffer::F64(each!(data, |x: bool| f64::from(u8::from(x)))),
        (Buffer::Bool(data), Lane::I64) => Buffer::I64(each!(data, |x: bool| i64::from(x))),
        (Buffer::Bool(data), Lane::Bool) => Buffer::Bool(each!(data, |x: bool| x)),
    };
    Tensor::new(buffer, shape.clone(), dtype).laid_out(layout.preserved())
}
