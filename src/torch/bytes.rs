//! The elements of a storage as the bytes of a file: little-endian, each as wide as its dtype.

use half::{bf16, f16};

use crate::tensor::{Buffer, DType};

/// The bytes of all elements of `buffer`, which holds elements of `dtype`.
pub(super) fn bytes_of(buffer: &Buffer, dtype: DType) -> Vec<u8> {
    match (buffer, dtype) {
        (Buffer::F32(data), DType::Float16) => each(data, |x| f16::from_f32(x).to_le_bytes()),
        (Buffer::F32(data), DType::BFloat16) => each(data, |x| bf16::from_f32(x).to_le_bytes()),
        (Buffer::F32(data), _) => each(data, f32::to_le_bytes),
        (Buffer::F64(data), _) => each(data, f64::to_le_bytes),
        (Buffer::I64(data), DType::UInt8 | DType::Int8) => each(data, |x| (x as u8).to_le_bytes()),
        (Buffer::I64(data), DType::Int16) => each(data, |x| (x as i16).to_le_bytes()),
        (Buffer::I64(data), DType::Int32) => each(data, |x| (x as i32).to_le_bytes()),
        (Buffer::I64(data), _) => each(data, i64::to_le_bytes),
        (Buffer::Bool(data), _) => each(data, |x| [u8::from(x)]),
    }
}

/// The elements of `dtype` in these bytes; bytes at the end that make no whole element are left out.
pub(super) fn buffer_of(bytes: &[u8], dtype: DType) -> Buffer {
    match dtype {
        DType::Float16 => Buffer::F32(all(bytes, |x| f16::from_le_bytes(x).to_f32())),
        DType::BFloat16 => Buffer::F32(all(bytes, |x| bf16::from_le_bytes(x).to_f32())),
        DType::Float32 => Buffer::F32(all(bytes, f32::from_le_bytes)),
        DType::Float64 => Buffer::F64(all(bytes, f64::from_le_bytes)),
        DType::UInt8 => Buffer::I64(all(bytes, |x: [u8; 1]| i64::from(x[0]))),
        DType::Int8 => Buffer::I64(all(bytes, |x| i64::from(i8::from_le_bytes(x)))),
        DType::Int16 => Buffer::I64(all(bytes, |x| i64::from(i16::from_le_bytes(x)))),
        DType::Int32 => Buffer::I64(all(bytes, |x| i64::from(i32::from_le_bytes(x)))),
        DType::Int64 => Buffer::I64(all(bytes, i64::from_le_bytes)),
        DType::Bool => Buffer::Bool(all(bytes, |x: [u8; 1]| x[0] != 0)),
    }
}

fn each<T: Copy, const N: usize>(data: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    data.iter().flat_map(|&x| bytes(x)).collect()
}

fn all<T, const N: usize>(bytes: &[u8], element: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|&x| element(x)).collect()
}
