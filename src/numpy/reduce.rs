//! Sums and products in NumPy's order, which decides the last digits.
//! Source: NumPy's notes on `numpy.sum`: along the axis that is contiguous in memory, pairwise in blocks of 128 with eight
//! partial sums; along the others, one after the other.

use std::ops::{Add, Mul};

use crate::in_floats;
use crate::kernel::{stop, threads};
use crate::tensor::ops::float::Float;
use crate::tensor::{Buffer, DType, Layout, Tensor};

/// What is computed of many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Product,
}

/// A number that can be folded.
trait Number: Copy + Send + Sync {
    const ZERO: Self;
    const ONE: Self;
    /// Whether sums are pairwise.
    const PAIRWISE: bool;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! number {
    ($type:ident: $zero:literal $one:literal $pairwise:literal $add:ident $multiply:ident) => {
        impl Number for $type {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const PAIRWISE: bool = $pairwise;
            fn plus(self, other: Self) -> Self {
                $type::$add(self, other)
            }
            fn times(self, other: Self) -> Self {
                $type::$multiply(self, other)
            }
        }
    };
}

number!(f32: 0.0 1.0 true add mul);
number!(f64: 0.0 1.0 true add mul);
number!(i64: 0 1 false wrapping_add wrapping_mul);

/// The elements that NumPy reads at a time.
const BUFFER: usize = 8192;
/// The partial sums of neighbours.
const SUMS: usize = 8;

/// The sum of every `step`th element from `from` on, in so many partial sums. More than sixteen elements for each of them are
/// added in halves.
fn pairwise<T: Number, const LANES: usize>(data: &[T], from: usize, count: usize, step: usize) -> T {
    let at = |i: usize| data[from + i * step];
    if count < LANES {
        return (0..count).map(at).fold(T::ZERO, T::plus);
    }
    if count > 16 * LANES {
        let half = count / 2 - count / 2 % LANES;
        let left = pairwise::<T, LANES>(data, from, half, step);
        return left.plus(pairwise::<T, LANES>(data, from + half * step, count - half, step));
    }
    let mut sums: [T; LANES] = std::array::from_fn(at);
    let whole = count - count % LANES;
    if step == 1 {
        // Neighbours, which vectors add.
        for chunk in data[from + LANES..from + whole].as_chunks::<LANES>().0 {
            sums = std::array::from_fn(|lane| sums[lane].plus(chunk[lane]));
        }
    } else {
        (LANES..whole).for_each(|i| sums[i % LANES] = sums[i % LANES].plus(at(i)));
    }
    for distance in [1, 2, 4].into_iter().filter(|&it| it < LANES) {
        for lane in (0..LANES).step_by(2 * distance) {
            sums[lane] = sums[lane].plus(sums[lane + distance]);
        }
    }
    (whole..count).map(at).fold(sums[0], T::plus)
}

/// An axis of the loop: its size, its step in the operand and its step in the result.
#[derive(Clone, Copy)]
struct Axis {
    size: usize,
    step: usize,
    out: usize,
    reduced: bool,
}

/// Folds into elements of `out`; sums have so many lanes.
fn fold<T: Number, const LANES: usize>(data: &[T], offset: usize, axes: &[Axis], out: &mut [T], what: Fold) {
    let mut axes: Vec<Axis> = axes.iter().copied().filter(|axis| axis.size != 1).collect();
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.step));
    // Neighbours in memory are one axis.
    let mut merged: Vec<Axis> = Vec::new();
    for axis in axes {
        match merged.last_mut() {
            Some(last)
                if last.reduced == axis.reduced
                    && last.step == axis.step * axis.size
                    && last.out == axis.out * axis.size =>
            {
                *last = Axis { size: last.size * axis.size, ..axis };
            }
            _ => merged.push(axis),
        }
    }
    let inner = merged.pop().unwrap_or(Axis { size: 1, step: 0, out: 0, reduced: true });
    let rows: usize = merged.iter().map(|axis| axis.size).product();
    let place = |row: usize| {
        let (mut rest, mut from, mut to) = (row, offset, 0);
        for axis in merged.iter().rev() {
            from += rest % axis.size * axis.step;
            to += rest % axis.size * axis.out;
            rest /= axis.size;
        }
        (from, to)
    };
    if inner.reduced && what == Fold::Sum && T::PAIRWISE {
        // The sum of each part of a row, whichever thread computes it; then they are added in order.
        let parts = inner.size.div_ceil(BUFFER);
        let mut sums = vec![T::ZERO; rows * parts];
        let each = (BUFFER / inner.size.max(1)).max(1);
        threads::share_if(
            rows * inner.size > 8 * BUFFER,
            sums.chunks_mut(each).enumerate(),
            |(task, sums)| {
                for (number, sum) in (task * each..).zip(sums) {
                    let (from, start) = (place(number / parts).0, number % parts * BUFFER);
                    let count = BUFFER.min(inner.size - start);
                    *sum = pairwise::<T, LANES>(data, from + start * inner.step, count, inner.step);
                }
            },
        );
        for (number, &sum) in sums.iter().enumerate() {
            let to = place(number / parts).1;
            out[to] = out[to].plus(sum);
        }
        return;
    }
    for (from, to) in (0..rows).map(place) {
        if !inner.reduced && (inner.step, inner.out) == (1, 1) {
            stop::check();
            let row = out[to..to + inner.size].iter_mut().zip(&data[from..from + inner.size]);
            match what {
                Fold::Product => row.for_each(|(sum, &x)| *sum = sum.times(x)),
                Fold::Sum => row.for_each(|(sum, &x)| *sum = sum.plus(x)),
            }
            continue;
        }
        for i in 0..inner.size {
            if i % BUFFER == 0 {
                stop::check();
            }
            let (value, to) = (data[from + i * inner.step], to + i * inner.out);
            out[to] = if what == Fold::Product { out[to].times(value) } else { out[to].plus(value) };
        }
    }
}

/// The axes of the loop over a tensor, and the shape of the result.
fn loops(layout: &Layout, axes: &[usize]) -> (Vec<Axis>, Vec<usize>) {
    let kept: Vec<usize> = (0..layout.ndim()).filter(|axis| !axes.contains(axis)).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| layout.shape[axis]).collect();
    let steps = crate::tensor::layout::row_major(&shape);
    let axis = |axis| {
        let place = kept.iter().position(|&it| it == axis);
        Axis {
            size: layout.shape[axis],
            step: layout.strides[axis],
            out: place.map_or(0, |place| steps[place]),
            reduced: place.is_none(),
        }
    };
    ((0..layout.ndim()).map(axis).collect(), shape)
}

/// The sum or the product over axes, in the dtype of the tensor. Shape without the axes.
pub(super) fn over(tensor: &Tensor, axes: &[usize], what: Fold) -> Tensor {
    let layout = tensor.layout();
    let (loops, shape) = loops(layout, axes);
    macro_rules! folded {
        ($data:expr, $type:ty) => {{
            let start = if what == Fold::Product { <$type as Number>::ONE } else { <$type as Number>::ZERO };
            let mut out = vec![start; shape.iter().product()];
            fold::<_, SUMS>($data, layout.offset, &loops, &mut out, what);
            out
        }};
    }
    let dtype = tensor.dtype();
    let mut buffer = match &*tensor.storage().read() {
        Buffer::F32(data) => Buffer::F32(folded!(data, f32)),
        Buffer::F64(data) => Buffer::F64(folded!(data, f64)),
        Buffer::I64(data) => Buffer::I64(folded!(data, i64)),
        Buffer::Bool(data) => {
            let whole: Vec<i64> = data.iter().map(|&value| i64::from(value)).collect();
            return Tensor::new(Buffer::I64(folded!(&whole, i64)), shape, DType::Int64);
        }
    };
    buffer.round_to(dtype);
    Tensor::new(buffer, shape, dtype)
}

/// The sum over axes of complex numbers, which are pairs in the last dimension. Real and imaginary parts share the lanes.
pub(super) fn over_pairs(pairs: &Tensor, axes: &[usize]) -> Tensor {
    let (mut loops, mut shape) = loops(&Layout::contiguous(&pairs.shape()[..pairs.ndim() - 1]), axes);
    loops.iter_mut().for_each(|axis| (axis.step, axis.out) = (2 * axis.step, 2 * axis.out));
    shape.push(2);
    in_floats!(pairs.dtype(), T => {
        let (data, mut out) = (T::row_major(pairs), vec![0.0; shape.iter().product()]);
        for part in 0..2 {
            fold::<T, { SUMS / 2 }>(&data, part, &loops, &mut out[part..], Fold::Sum);
        }
        T::tensor(out, shape, pairs.dtype())
    })
}
