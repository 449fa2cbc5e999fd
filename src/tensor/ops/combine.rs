//! Values written at positions of a storage, several of which may be one.

use crate::kernel::Real;
use crate::tensor::{Buffer, Tensor};
use crate::zip_lanes;

/// How written values combine with the value at their position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScatterMode {
    /// The last value replaces it.
    Replace,
    Sum,
    Product,
    Mean,
    Largest,
    Smallest,
}

/// An element type whose elements can be combined: by sum, product, as the larger and as the smaller one.
trait Combined: Copy {
    fn sum(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

macro_rules! combined {
    ($($t:ty: $sum:expr, $product:expr, $larger:expr, $smaller:expr;)*) => {$(
        impl Combined for $t {
            fn sum(self, other: $t) -> $t {
                $sum(self, other)
            }
            fn product(self, other: $t) -> $t {
                $product(self, other)
            }
            fn larger(self, other: $t) -> $t {
                $larger(self, other)
            }
            fn smaller(self, other: $t) -> $t {
                $smaller(self, other)
            }
        }
    )*};
}

combined! {
    f32: |a, b| a + b, |a, b| a * b, Real::maximum, Real::minimum;
    f64: |a, b| a + b, |a, b| a * b, Real::maximum, Real::minimum;
    i64: i64::wrapping_add, i64::wrapping_mul, i64::max, i64::min;
    bool: |a, b| a | b, |a, b| a & b, |a, b| a | b, |a, b| a & b;
}

/// Writes values at positions of a storage, each combined with what is there, unless the position is still `fresh`.
fn combined<T: Combined>(
    data: &mut [T],
    found: &[usize],
    values: &[T],
    mode: ScatterMode,
    fresh: &mut [bool],
) {
    fn each<T: Copy>(
        data: &mut [T],
        found: &[usize],
        values: &[T],
        fresh: &mut [bool],
        join: impl Fn(T, T) -> T,
    ) {
        for (&at, &value) in found.iter().zip(values) {
            let is_first = fresh.get_mut(at).is_some_and(std::mem::take);
            data[at] = if is_first { value } else { join(data[at], value) };
        }
    }
    match mode {
        ScatterMode::Replace => each(data, found, values, fresh, |_, value| value),
        ScatterMode::Sum | ScatterMode::Mean => each(data, found, values, fresh, T::sum),
        ScatterMode::Product => each(data, found, values, fresh, T::product),
        ScatterMode::Largest => each(data, found, values, fresh, T::larger),
        ScatterMode::Smallest => each(data, found, values, fresh, T::smaller),
    }
}

/// Writes values at positions of the storage of a tensor and combines several at one position. Without `include_self` the
/// old values do not count.
pub(crate) fn combine_at(
    out: &Tensor,
    found: &[usize],
    values: &Buffer,
    mode: ScatterMode,
    include_self: bool,
) {
    let mut data = out.storage().write();
    let mut fresh = vec![true; if include_self { 0 } else { data.len() }];
    zip_lanes!(&mut *data, values, data, values => combined(data, found, values, mode, &mut fresh));
    if mode == ScatterMode::Mean {
        let mut counts = vec![i64::from(include_self); data.len()];
        found.iter().for_each(|&at| counts[at] += 1);
        let touched = counts.iter().enumerate().filter(|(_, count)| **count > 1);
        match &mut *data {
            Buffer::F32(data) => touched.for_each(|(at, &count)| data[at] /= count as f32),
            Buffer::F64(data) => touched.for_each(|(at, &count)| data[at] /= count as f64),
            Buffer::I64(data) => touched.for_each(|(at, &count)| data[at] = data[at].div_euclid(count)),
            Buffer::Bool(_) => {}
        }
    }
    // What is only replaced is rounded already.
    if mode != ScatterMode::Replace {
        data.round_to(out.dtype());
    }
}
