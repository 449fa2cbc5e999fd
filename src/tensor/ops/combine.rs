//! Values written at positions of a storage, several of which may be one.

use crate::tensor::{Buffer, Tensor};
use crate::zip_lanes;

/// How written values combine with the value at their position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScatterMode {
    /// The last value replaces it.
    Replace,
    Sum,
}

/// Writes values at positions of the storage of a tensor, one after the other.
pub(crate) fn combine_at(out: &Tensor, found: &[usize], values: &Buffer, mode: ScatterMode) {
    fn sum<T: Copy>(data: &mut [T], found: &[usize], values: &[T], add: impl Fn(T, T) -> T) {
        for (&at, &value) in found.iter().zip(values) {
            data[at] = add(data[at], value);
        }
    }
    let mut data = out.storage().write();
    if mode == ScatterMode::Replace {
        // What is only replaced is rounded already.
        return zip_lanes!(&mut *data, values, data, values => {
            found.iter().zip(values).for_each(|(&at, &value)| data[at] = value);
        });
    }
    match (&mut *data, values) {
        (Buffer::F32(data), Buffer::F32(values)) => sum(data, found, values, |a, b| a + b),
        (Buffer::F64(data), Buffer::F64(values)) => sum(data, found, values, |a, b| a + b),
        (Buffer::I64(data), Buffer::I64(values)) => sum(data, found, values, i64::wrapping_add),
        (Buffer::Bool(data), Buffer::Bool(values)) => sum(data, found, values, |a, b| a | b),
        _ => unreachable!("both buffers have one dtype"),
    }
    data.round_to(out.dtype());
}
