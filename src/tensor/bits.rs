//! The bits of elements, read as elements of another dtype: `Tensor.view(dtype)`.
//!
//! The elements are in four kinds of memory only, so the bits are copied, where PyTorch shares them. A write to either
//! tensor would have to change the other: it is refused while both exist.

use half::{bf16, f16};

use super::buffer::Buffer;
use super::dtype::DType;
use super::error::{Error, Result};
use super::graph::{Storage, Tensor};
use super::layout::Layout;

/// The elements of `x` in memory as elements of `dtype`; the last dimension has more or fewer of them if their sizes
/// differ. Errors: RuntimeError, if the layout does not allow that.
pub(crate) fn view_bits(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let layout = layout(x, dtype)?;
    let storage = Storage::new(elements(&bytes(&x.storage().read(), x.dtype()), dtype));
    storage.share_bits(x.storage());
    Ok(Tensor::from_parts(storage, layout, dtype))
}

/// Source: `_view_dtype` in PyTorch's `TensorConversions.cpp` and its checks.
fn layout(x: &Tensor, dtype: DType) -> Result<Layout> {
    let (from, to) = (x.dtype().size(), dtype.size());
    let mut layout = x.layout().clone();
    if from == to {
        return Ok(layout);
    }
    let words = format!("to view {} as {} (different element sizes)", x.dtype().cpp_name(), dtype.cpp_name());
    let Some(last) = x.ndim().checked_sub(1) else {
        return Err(Error::runtime(format!("self.dim() cannot be 0 {words}")));
    };
    if layout.strides[last] != 1 {
        let stride = layout.strides[last];
        return Err(Error::runtime(format!("self.stride(-1) must be 1 {words}, but got {stride}")));
    }
    if from > to {
        let times = from / to;
        layout.strides.iter_mut().for_each(|stride| *stride *= times);
        layout.strides[last] = 1;
        layout.shape[last] *= times;
        layout.offset *= times;
        return Ok(layout);
    }
    let parts = to / from;
    let divisible = |what: &str, value: usize| match value.is_multiple_of(parts) {
        true => Ok(value / parts),
        false => Err(Error::runtime(format!("{what} must be divisible by {parts} {words}, but got {value}"))),
    };
    layout.shape[last] = divisible("self.size(-1)", layout.shape[last])?;
    layout.offset = divisible("self.storage_offset()", layout.offset)?;
    for at in 0..last {
        layout.strides[at] = divisible(&format!("self.stride({at})"), layout.strides[at])?;
    }
    Ok(layout)
}

/// The bytes of elements, the lowest first: also those of a file.
pub(crate) fn bytes(buffer: &Buffer, dtype: DType) -> Vec<u8> {
    match buffer {
        Buffer::Bool(data) => data.iter().map(|&x| u8::from(x)).collect(),
        Buffer::F64(data) => data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Buffer::F32(data) => match dtype {
            DType::Float16 => data.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect(),
            DType::BFloat16 => data.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect(),
            _ => data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        },
        Buffer::I64(data) => {
            data.iter().flat_map(|x| x.to_le_bytes().into_iter().take(dtype.size())).collect()
        }
    }
}

/// The elements with these bytes; bytes that are no whole element at the end are left out.
pub(crate) fn elements(bytes: &[u8], dtype: DType) -> Buffer {
    fn read<const SIZE: usize, T>(bytes: &[u8], each: impl Fn([u8; SIZE]) -> T) -> Vec<T> {
        bytes.as_chunks::<SIZE>().0.iter().map(|bytes| each(*bytes)).collect()
    }
    match dtype {
        DType::Bool => Buffer::Bool(read(bytes, |[byte]| byte != 0)),
        DType::UInt8 => Buffer::I64(read(bytes, |[byte]| i64::from(byte))),
        DType::Int8 => Buffer::I64(read(bytes, |byte| i64::from(i8::from_le_bytes(byte)))),
        DType::Int16 => Buffer::I64(read(bytes, |bytes| i64::from(i16::from_le_bytes(bytes)))),
        DType::Int32 => Buffer::I64(read(bytes, |bytes| i64::from(i32::from_le_bytes(bytes)))),
        DType::Int64 => Buffer::I64(read(bytes, i64::from_le_bytes)),
        DType::Float16 => Buffer::F32(read(bytes, |bytes| f16::from_le_bytes(bytes).to_f32())),
        DType::BFloat16 => Buffer::F32(read(bytes, |bytes| bf16::from_le_bytes(bytes).to_f32())),
        DType::Float32 => Buffer::F32(read(bytes, f32::from_le_bytes)),
        DType::Float64 => Buffer::F64(read(bytes, f64::from_le_bytes)),
    }
}
