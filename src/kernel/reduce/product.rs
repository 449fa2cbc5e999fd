//! Products, and cumulative sums and products.
//! Source: `torch.prod` (four vectors at a time where memory is contiguous), `torch.cumsum`, `torch.cumprod`
//! (single precision is accumulated in double, as in PyTorch's CPU build).

use ndarray::{ArrayViewD, Axis};

use super::super::Real;
use super::super::real::simd;
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

/// Accumulates along `axis`; a view without axes is one element.
fn scan<T: Copy, C: Copy>(
    x: ArrayViewD<T>,
    axis: usize,
    start: C,
    step: impl Fn(C, T) -> C,
    finish: impl Fn(C) -> T,
) -> Vec<T> {
    if x.ndim() == 0 {
        return x.iter().map(|&x| finish(step(start, x))).collect();
    }
    let mut out = x.to_owned();
    if !out.is_standard_layout() {
        out = out.as_standard_layout().into_owned();
    }
    for lane in out.lanes_mut(Axis(axis)) {
        let mut carried = start;
        for x in lane {
            carried = step(carried, *x);
            *x = finish(carried);
        }
    }
    out.into_raw_vec_and_offset().0
}
