//! Cascade sums: short runs first, then runs of runs, so that numbers of similar size are added.
//! Source: the order of `torch.sum` on x86: four chains of vectors, runs of 16 or more elements, four levels of runs
//! (pairwise summation: Higham 1993).

use ndarray::{ArrayView1, ArrayViewD};

use super::super::real::simd;
use super::super::{Real, threads};
use super::plan::{Dim, ReductionPlan, ceil_log2};

/// Numbers below which a sum stays on the caller's thread, and numbers that a thread takes at a time.
const PARALLEL: usize = 1 << 16;
const PIECE: usize = 1 << 14;

/// Σ over `axes`, row-major over the axes kept. With no axes each element (plus 0) is a result.
pub fn sum<T: Real>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<T> {
    let mut out = vec![T::ZERO; super::plan::results(x.shape(), axes)];
    if x.is_empty() {
        return out;
    }
    let plan = ReductionPlan::new(&x, axes);
    match plan.dims[..] {
        // Each contiguous row has a sum of its own, which any thread can compute.
        [inner, outer] if inner.out == 0 && inner.step == 1 && inner.stride == 1 && outer.out == 1 => {
            let rows = (PIECE / inner.size.max(1)).max(1);
            if inner.size < T::LANES || x.len() < PARALLEL || outer.size <= rows {
                sum_blocks(&plan, &mut out);
                return out;
            }
            threads::share(out.chunks_mut(rows).enumerate(), |(number, out)| {
                let outer = Dim { size: out.len(), ..outer };
                sum_rows(&plan.data, number * rows * outer.stride, inner, outer, out);
            });
        }
        _ => sum_blocks(&plan, &mut out),
    }
    out
}

/// Σ over a whole slice, as [`sum`] over its only axis.
pub(crate) fn sum_all<T: Real>(x: &[T]) -> T {
    sum(ArrayView1::from(x).into_dyn(), &[0])[0]
}

/// Σ over one contiguous row.
pub(crate) fn sum_slice<T: Real>(x: &[T]) -> T {
    if x.len() < T::LANES {
        return row_sum::<T, 1>(x, 0, 1, x.len())[0];
    }
    sum_long(x)
}

simd! {
    fn sum_long<'a, T>(x: &'a [T]) -> T {
        if T::LANES == 8 { vector_row::<T, 8>(x) } else { vector_row::<T, 4>(x) }
    }
}

simd! {
    fn sum_rows<'a, 'b, T>(data: &'a [T], at: usize, inner: Dim, outer: Dim, out: &'b mut [T]) -> () {
        if T::LANES == 8 {
            block::<T, 8>(data, at, inner, outer, out);
        } else {
            block::<T, 4>(data, at, inner, outer, out);
        }
    }
}

simd! {
    fn sum_blocks<'a, 'b, T>(plan: &'a ReductionPlan<'b, T>, out: &'a mut [T]) -> () {
        plan.blocks(|data, at, inner, outer, to| {
            if T::LANES == 8 {
                block::<T, 8>(data, at, inner, outer, &mut out[to..]);
            } else {
                block::<T, 4>(data, at, inner, outer, &mut out[to..]);
            }
        });
    }
}

#[inline(always)]
fn block<T: Real, const W: usize>(data: &[T], at: usize, mut inner: Dim, mut outer: Dim, out: &mut [T]) {
    if inner.out != 0 && outer.out == 0 {
        std::mem::swap(&mut inner, &mut outer);
    }
    let (n, rows) = (inner.size, outer.size);
    if inner.out != 0 {
        for j in 0..rows {
            for i in 0..n {
                out[j * outer.out + i * inner.out] += data[at + j * outer.stride + i * inner.stride];
            }
        }
    } else if inner.step == 1 && n >= W {
        for j in 0..rows {
            let row = &data[at + j * outer.stride..];
            if inner.stride == 1 {
                out[j * outer.out] += vector_row::<T, W>(&row[..n]);
            } else {
                let row: Vec<T> = (0..n).map(|i| row[i * inner.stride]).collect();
                out[j * outer.out] += vector_row::<T, W>(&row);
            }
        }
    } else if outer.step == 1 && rows >= W && outer.stride == 1 {
        let mut j = 0;
        while j + 4 * W <= rows {
            let sums = multi_row::<T, W, 4>(data, at + j, inner.stride, W, n);
            for (i, lane) in sums.as_flattened().iter().enumerate() {
                out[(j + i) * outer.out] += *lane;
            }
            j += 4 * W;
        }
        while j + W <= rows {
            for (i, lane) in row_sum::<T, W>(data, at + j, inner.stride, n).iter().enumerate() {
                out[(j + i) * outer.out] += *lane;
            }
            j += W;
        }
        for j in j..rows {
            out[j * outer.out] += row_sum::<T, 1>(data, at + j, inner.stride, n)[0];
        }
    } else if inner.step < outer.step {
        for j in 0..rows {
            out[j * outer.out] += row_sum::<T, 1>(data, at + j * outer.stride, inner.stride, n)[0];
        }
    } else {
        let mut j = 0;
        while j + 4 <= rows {
            let sums = multi_row::<T, 1, 4>(data, at + j * outer.stride, inner.stride, outer.stride, n);
            for (i, [lane]) in sums.iter().enumerate() {
                out[(j + i) * outer.out] += *lane;
            }
            j += 4;
        }
        for j in j..rows {
            out[j * outer.out] += row_sum::<T, 1>(data, at + j * outer.stride, inner.stride, n)[0];
        }
    }
}

/// The sum of a contiguous row of at least `W` numbers: vectors, then the rest in order, then the lanes.
#[inline(always)]
fn vector_row<T: Real, const W: usize>(row: &[T]) -> T {
    let vectors = row.len() / W;
    let lanes = row_sum::<T, W>(row, 0, W, vectors);
    let mut sum = T::ZERO;
    for &x in &row[vectors * W..] {
        sum += x;
    }
    for lane in lanes {
        sum += lane;
    }
    sum
}

/// One sum of `n` vectors of `W` lanes, `stride` apart, in four chains.
#[inline(always)]
fn row_sum<T: Real, const W: usize>(data: &[T], at: usize, stride: usize, n: usize) -> [T; W] {
    let [mut sum, rest @ ..] = multi_row::<T, W, 4>(data, at, 4 * stride, stride, n / 4);
    for i in n / 4 * 4..n {
        add(&mut sum, &data[at + i * stride..]);
    }
    for chain in rest {
        add(&mut sum, &chain);
    }
    sum
}

/// `R` sums at once, `apart` from each other, over `n` vectors of `W` lanes that lie `stride` apart.
#[inline(always)]
fn multi_row<T: Real, const W: usize, const R: usize>(
    data: &[T],
    at: usize,
    stride: usize,
    apart: usize,
    n: usize,
) -> [[T; W]; R] {
    const LEVELS: usize = 4;
    let power = (ceil_log2(n) / LEVELS).max(4);
    let run = 1 << power;
    let mut acc = [[[T::ZERO; W]; R]; LEVELS];
    let mut i = 0;
    while i + run <= n {
        let mut level = acc[0];
        for _ in 0..run {
            for (k, level) in level.iter_mut().enumerate() {
                add(level, &data[at + i * stride + k * apart..]);
            }
            i += 1;
        }
        acc[0] = level;
        for j in 1..LEVELS {
            let below = std::mem::replace(&mut acc[j - 1], [[T::ZERO; W]; R]);
            for (level, below) in acc[j].iter_mut().zip(&below) {
                add(level, below);
            }
            if i & ((run - 1) << (j * power)) != 0 {
                break;
            }
        }
    }
    let [mut sums, upper @ ..] = acc;
    for i in i..n {
        for (k, sum) in sums.iter_mut().enumerate() {
            add(sum, &data[at + i * stride + k * apart..]);
        }
    }
    for level in upper {
        for (sum, level) in sums.iter_mut().zip(&level) {
            add(sum, level);
        }
    }
    sums
}

#[inline(always)]
fn add<T: Real, const W: usize>(sum: &mut [T; W], x: &[T]) {
    for (sum, &x) in sum.iter_mut().zip(&x[..W]) {
        *sum += x;
    }
}
