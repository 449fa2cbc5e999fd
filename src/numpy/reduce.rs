//! Sums and products in NumPy's order, which decides the last digits.
//! Source: NumPy's notes on `numpy.sum`: along the axis that is contiguous in memory, pairwise in blocks of 128 with eight
//! partial sums; along the others, one after the other.

use std::ops::{Add, Mul};

use crate::in_floats;
use crate::kernel::stop;
use crate::tensor::ops::float::Float;
use crate::tensor::{Buffer, DType, Layout, Tensor};

/// What is computed of many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Product,
}

/// A number that can be folded.
trait Number: Copy {
    const ZERO: Self;
    const ONE: Self;
    /// Whether sums are pairwise.
    const PAIRWISE: bool;
    /// The partial sums of neighbours.
    const SUMS: usize = SUMS;
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

macro_rules! complex {
    ($($type:ident)*) => {$(
        impl Number for [$type; 2] {
            const ZERO: Self = [0.0; 2];
            const ONE: Self = [1.0, 0.0];
            const PAIRWISE: bool = true;
            const SUMS: usize = SUMS / 2;
            fn plus(self, other: Self) -> Self {
                [self[0] + other[0], self[1] + other[1]]
            }
            fn times(self, _: Self) -> Self {
                unreachable!("sums alone are of complex numbers")
            }
        }
    )*};
}

complex!(f32 f64);

/// The elements that NumPy reads at a time.
const BUFFER: usize = 8192;
/// The most partial sums of neighbours.
const SUMS: usize = 8;

/// The sum of every `step`th element from `from` on, in partial sums. More than sixteen for each of them are added in halves.
fn pairwise<T: Number>(data: &[T], from: usize, count: usize, step: usize) -> T {
    let at = |i: usize| data[from + i * step];
    if count < T::SUMS {
        return (0..count).map(at).fold(T::ZERO, T::plus);
    }
    if count > 16 * T::SUMS {
        let half = count / 2;
        let half = half - half % T::SUMS;
        let left = pairwise(data, from, half, step);
        return left.plus(pairwise(data, from + half * step, count - half, step));
    }
    let mut sums = [T::ZERO; SUMS];
    sums[..T::SUMS].iter_mut().enumerate().for_each(|(lane, sum)| *sum = at(lane));
    let whole = count - count % T::SUMS;
    if step == 1 && T::SUMS == SUMS {
        // Neighbours, which vectors add.
        for chunk in data[from + SUMS..from + whole].as_chunks::<SUMS>().0 {
            (0..SUMS).for_each(|lane| sums[lane] = sums[lane].plus(chunk[lane]));
        }
    } else {
        (T::SUMS..whole).for_each(|i| sums[i % T::SUMS] = sums[i % T::SUMS].plus(at(i)));
    }
    let mut distance = 1;
    while distance < T::SUMS {
        for lane in (0..T::SUMS).step_by(2 * distance) {
            sums[lane] = sums[lane].plus(sums[lane + distance]);
        }
        distance *= 2;
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

fn fold<T: Number>(data: &[T], offset: usize, axes: &[Axis], out: &mut [T], what: Fold) {
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
    if inner.size == 0 || merged.iter().any(|axis| axis.size == 0) {
        return;
    }
    let mut at = vec![0; merged.len()];
    loop {
        let from = offset + merged.iter().zip(&at).map(|(axis, i)| axis.step * i).sum::<usize>();
        let to = merged.iter().zip(&at).map(|(axis, i)| axis.out * i).sum::<usize>();
        match (inner.reduced, what) {
            (true, Fold::Sum) if T::PAIRWISE => {
                for start in (0..inner.size).step_by(BUFFER) {
                    stop::check();
                    let count = BUFFER.min(inner.size - start);
                    out[to] = out[to].plus(pairwise(data, from + start * inner.step, count, inner.step));
                }
            }
            _ if !inner.reduced && (inner.step, inner.out) == (1, 1) => {
                stop::check();
                let (row, sums) = (&data[from..from + inner.size], &mut out[to..to + inner.size]);
                match what {
                    Fold::Product => sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.times(x)),
                    _ => sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.plus(x)),
                }
            }
            _ => {
                for i in 0..inner.size {
                    if i % BUFFER == 0 {
                        stop::check();
                    }
                    let (value, to) = (data[from + i * inner.step], to + i * inner.out);
                    out[to] = if what == Fold::Product { out[to].times(value) } else { out[to].plus(value) };
                }
            }
        }
        // The next index of the outer axes.
        let mut axis = merged.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < merged[axis].size {
                break;
            }
            at[axis] = 0;
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
    let count = shape.iter().product();
    macro_rules! folded {
        ($data:expr, $type:ty) => {{
            let start = if what == Fold::Product { <$type as Number>::ONE } else { <$type as Number>::ZERO };
            let mut out = vec![start; count];
            fold($data, layout.offset, &loops, &mut out, what);
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

/// The sum over axes of complex numbers, which are pairs in the last dimension.
pub(super) fn over_pairs(pairs: &Tensor, axes: &[usize]) -> Tensor {
    let (loops, mut shape) = loops(&Layout::contiguous(&pairs.shape()[..pairs.ndim() - 1]), axes);
    let count = shape.iter().product();
    shape.push(2);
    in_floats!(pairs.dtype(), T => {
        let mut out = vec![<[T; 2] as Number>::ZERO; count];
        fold(T::row_major(pairs).as_chunks::<2>().0, 0, &loops, &mut out, Fold::Sum);
        T::tensor(out.into_flattened(), shape, pairs.dtype())
    })
}
