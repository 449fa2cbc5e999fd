//! The bytes of elements, as files have them.

use half::{bf16, f16};

use super::buffer::Buffer;
use super::dtype::DType;

/// The bytes of elements, the lowest first.
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
        DType::UInt16 => Buffer::I64(read(bytes, |bytes| i64::from(u16::from_le_bytes(bytes)))),
        DType::Int32 => Buffer::I64(read(bytes, |bytes| i64::from(i32::from_le_bytes(bytes)))),
        DType::UInt32 => Buffer::I64(read(bytes, |bytes| i64::from(u32::from_le_bytes(bytes)))),
        DType::Int64 => Buffer::I64(read(bytes, i64::from_le_bytes)),
        DType::Float16 => Buffer::F32(read(bytes, |bytes| f16::from_le_bytes(bytes).to_f32())),
        DType::BFloat16 => Buffer::F32(read(bytes, |bytes| bf16::from_le_bytes(bytes).to_f32())),
        DType::Float32 => Buffer::F32(read(bytes, f32::from_le_bytes)),
        DType::Float64 => Buffer::F64(read(bytes, f64::from_le_bytes)),
    }
}
