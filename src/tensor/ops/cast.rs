//! Conversion between dtypes.
//! Source: `Tensor.to(dtype)`; conversion from floats to integers truncates.

use crate::each_lane;
use crate::kernel::elementwise::unary;
use crate::tensor::buffer::Number;
use crate::tensor::{Buffer, DType, Lane, Tensor};

/// The same values in `dtype`: the tensor itself if it has that dtype, otherwise a copy.
pub(crate) fn to_dtype(tensor: &Tensor, dtype: DType) -> Tensor {
    if tensor.dtype() == dtype { tensor.clone() } else { converted(tensor, dtype) }
}

/// The same values in `dtype`. Copies.
pub(crate) fn converted(tensor: &Tensor, dtype: DType) -> Tensor {
    let (layout, shape) = (tensor.layout(), &tensor.layout().shape);
    let data = tensor.storage().read();
    let buffer = match dtype.lane() {
        Lane::F32 => Buffer::F32(each_lane!(&*data, x => unary(shape, layout.strided(x), Number::f32))),
        Lane::F64 => Buffer::F64(each_lane!(&*data, x => unary(shape, layout.strided(x), Number::f64))),
        Lane::I64 => Buffer::I64(each_lane!(&*data, x => unary(shape, layout.strided(x), Number::i64))),
        Lane::Bool => Buffer::Bool(each_lane!(&*data, x => unary(shape, layout.strided(x), Number::truth))),
    };
    Tensor::new(buffer, shape.clone(), dtype).laid_out(layout.preserved())
}
