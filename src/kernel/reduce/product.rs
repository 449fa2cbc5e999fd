//! Products, and cumulative sums and products.
//! Source: `torch.prod` (four vectors at a time where memory is contiguous), `torch.cumsum`, `torch.cumprod`
//! (single precision is accumulated in double, as in PyTorch's CPU build).

use ndarray::ArrayViewD;

use super::super::buffer_pool::Element;
use super::super::real::simd;
use super::super::{Real, buffer_pool, threads};
use super::plan::ReductionPlan;
use super::rows::Rows;

/// Π over `axes`, row-major over the axes kept; 1 without elements.
pub fn prod<T: Real>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<T> {
    let mut out = vec![T::ONE; super::plan::results(x.shape(), axes)];
    if !x.is_empty() {
        prod_blocks(&ReductionPlan::new(&x, axes), &mut out);
    }
    out
}

simd! {
    fn prod_blocks<'a, 'b, T>(plan: &'a ReductionPlan<'b, T>, out: &'a mut [T]) -> () {
        plan.blocks(|data, at, inner, outer, to| {
            let contiguous = inner.out == 0 && inner.step == 1 && inner.stride == 1;
            for j in 0..outer.size {
                let at = at + j * outer.stride;
                let to = to + j * outer.out;
                let mut from = 0;
                if contiguous {
                    from = inner.size / (4 * T::LANES) * (4 * T::LANES);
                    if from > 0 {
                        out[to] *= four_vectors(&data[at..at + from]);
                    }
                }
                for i in from..inner.size {
                    out[to + i * inner.out] *= data[at + i * inner.stride];
                }
            }
        });
    }
}

/// The product of a whole number of runs of four vectors.
#[inline(always)]
fn four_vectors<T: Real>(x: &[T]) -> T {
    let lanes = T::LANES;
    let mut acc = [T::ONE; 32];
    for run in x.chunks_exact(4 * lanes) {
        for (acc, &x) in acc.iter_mut().zip(run) {
            *acc *= x;
        }
    }
    let mut product = T::ONE;
    for i in 0..lanes {
        product *= (acc[i] * acc[i + lanes]) * (acc[i + 2 * lanes] * acc[i + 3 * lanes]);
    }
    product
}

/// Π of integers; it wraps around.
pub(crate) fn prod_i64(x: ArrayViewD<i64>, axes: &[usize]) -> Vec<i64> {
    Rows::new(&x, axes).map(|row| row.iter().fold(1_i64, |product, &x| product.wrapping_mul(x)))
}

/// Σ of integers; it wraps around.
pub(crate) fn sum_i64(x: ArrayViewD<i64>, axes: &[usize]) -> Vec<i64> {
    Rows::new(&x, axes).map(|row| row.iter().fold(0_i64, |sum, &x| sum.wrapping_add(x)))
}

/// Cumulative sums along `axis`; same shape, row-major.
pub fn cumsum<T: Real>(x: ArrayViewD<T>, axis: usize) -> Vec<T> {
    scan(x, axis, 0.0, |carried, x: T| carried + x.to_f64(), T::from_f64)
}

/// Cumulative products along `axis`; same shape, row-major.
pub(crate) fn cumprod<T: Real>(x: ArrayViewD<T>, axis: usize) -> Vec<T> {
    scan(x, axis, 1.0, |carried, x: T| carried * x.to_f64(), T::from_f64)
}

/// As [`cumsum`], for integers, which wrap around.
pub(crate) fn cumsum_i64(x: ArrayViewD<i64>, axis: usize) -> Vec<i64> {
    scan(x, axis, 0_i64, |carried, x: i64| carried.wrapping_add(x), |carried| carried)
}

/// As [`cumprod`], for integers, which wrap around.
pub(crate) fn cumprod_i64(x: ArrayViewD<i64>, axis: usize) -> Vec<i64> {
    scan(x, axis, 1_i64, |carried, x: i64| carried.wrapping_mul(x), |carried| carried)
}

/// Rows that are accumulated at once: one row alone would wait for each sum. Twice as many rows of 4,096 bytes would
/// not fit into the first cache, since each of their elements has the same place there.
const ROWS: usize = 4;
/// Numbers below which a scan stays on the caller's thread, and numbers that a thread takes at a time.
const PARALLEL: usize = 1 << 15;
const PIECE: usize = 1 << 13;

/// Accumulates along `axis`; a view without axes is one element.
fn scan<T: Element, C: Copy + Send + Sync>(
    x: ArrayViewD<T>,
    axis: usize,
    start: C,
    step: impl Fn(C, T) -> C + Sync,
    finish: impl Fn(C) -> T + Sync,
) -> Vec<T> {
    let shape = x.shape();
    let (length, inner) = match shape {
        [] => (1, 1),
        shape => (shape[axis], shape[axis + 1..].iter().product()),
    };
    let x = x.as_standard_layout();
    let data = x.as_slice().expect("the layout is row-major");
    let mut out: Vec<T> = buffer_pool::take(data.len());
    let block = length * inner;
    if block == 0 {
        return out;
    }
    let each = |(x, out): (&[T], &mut [T])| match inner {
        1 => {
            for (x, out) in x.chunks(ROWS * length).zip(out.chunks_mut(ROWS * length)) {
                scan_rows(x, out, length, start, &step, &finish);
            }
        }
        _ => {
            for (x, out) in x.chunks_exact(block).zip(out.chunks_exact_mut(block)) {
                let mut carried = vec![start; inner];
                for (x, out) in x.chunks_exact(inner).zip(out.chunks_exact_mut(inner)) {
                    for ((&x, out), carried) in x.iter().zip(out).zip(&mut carried) {
                        *carried = step(*carried, x);
                        *out = finish(*carried);
                    }
                }
            }
        }
    };
    let size = (PIECE / block).max(if inner == 1 { ROWS } else { 1 }) * block;
    threads::share_if(data.len() >= PARALLEL, data.chunks(size).zip(out.chunks_mut(size)), each);
    out
}

/// Accumulates each of at most [`ROWS`] rows of `length`.
fn scan_rows<T: Copy, C: Copy>(
    x: &[T],
    out: &mut [T],
    length: usize,
    start: C,
    step: &impl Fn(C, T) -> C,
    finish: &impl Fn(C) -> T,
) {
    if x.len() < ROWS * length {
        for (x, out) in x.chunks_exact(length).zip(out.chunks_exact_mut(length)) {
            let mut carried = start;
            for (&x, out) in x.iter().zip(out) {
                carried = step(carried, x);
                *out = finish(carried);
            }
        }
        return;
    }
    let mut carried = [start; ROWS];
    let rows: [&[T]; ROWS] = std::array::from_fn(|row| &x[row * length..(row + 1) * length]);
    let mut rest = out;
    let outs: [&mut [T]; ROWS] = std::array::from_fn(|_| {
        let (row, after) = std::mem::take(&mut rest).split_at_mut(length);
        rest = after;
        row
    });
    for i in 0..length {
        for row in 0..ROWS {
            carried[row] = step(carried[row], rows[row][i]);
            outs[row][i] = finish(carried[row]);
        }
    }
}
