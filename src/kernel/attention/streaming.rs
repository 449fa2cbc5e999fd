//! Attention that keeps no scores, in PyTorch's blocks and order.
//! Source: the online softmax (Milakov & Gimelshein 2018; Dao et al. 2022) with the block sizes of PyTorch's CPU kernel.

use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, ArrayViewMut4, Axis, s};

use super::super::gemm::Multiply;
use super::super::real::simd;
use super::super::{Real, gemm, softmax};
use super::operands::{Mask, Operands, blocks, for_each_block, matrix, of_head, whole};

/// softmax(scale Q Kᵀ + mask) V without keeping the scores: one block of queries and one block of keys at a
/// time, with a running maximum and sum for each query. Shapes and results as [`super::fused`].
pub fn streaming<T: Multiply>(x: Operands<T>, scale: T, mask: &Mask<T>, mut out: ArrayViewMut4<T>) {
    let (b, h, t, _) = x.q.dim();
    let (groups, keys) = (x.k.len_of(Axis(1)), x.k.len_of(Axis(2)));
    if out.is_empty() || keys == 0 {
        return out.fill(T::ZERO);
    }
    for_each_block(b * h * t * keys, blocks(out, query_block(t)), |at, out| {
        let [batch, head, first] = at;
        let group = head / (h / groups);
        let q = of_head(x.q, batch, head).slice_move(s![first..first + out.nrows(), ..]);
        let (k, v) = (of_head(x.k, batch, group), of_head(x.v, batch, group));
        queries(q, k, v, scale, mask, None, at, out, None);
    });
}

/// Queries in a block.
pub(super) fn query_block(t: usize) -> usize {
    match t {
        768.. => 256,
        192.. => 64,
        _ => 32,
    }
}

/// Keys in a block.
pub(super) const KEYS: usize = 512;

/// One block of queries and all keys; `at` is batch, head and first query. Shapes (t, D), (S, D), (S, E) to (t, E).
/// Dropout multiplies weights by `noise` (t, S). `log_sum` gets ln Σ exp(score) of each query.
#[expect(clippy::too_many_arguments, reason = "operands, options and results of one block")]
pub(super) fn queries<T: Multiply>(
    q: ArrayView2<T>,
    k: ArrayView2<T>,
    v: ArrayView2<T>,
    scale: T,
    mask: &Mask<T>,
    noise: Option<ArrayView2<T>>,
    at: [usize; 3],
    mut out: ArrayViewMut2<T>,
    log_sum: Option<&mut [T]>,
) {
    let (t, keys, width) = (q.nrows(), k.nrows(), v.ncols());
    let attended = if matches!(mask, Mask::Causal) { (at[2] + t).min(keys) } else { keys };
    let mut top = vec![T::NEG_INFINITY; t];
    let mut sum = vec![T::ZERO; t];
    let mut scores = vec![T::ZERO; t * KEYS.min(keys)];
    // In PyTorch the context lies behind the scores and two numbers for each query: where it is aligned counts for the order
    // of sums (`small.rs`). With more than one block of queries all sizes are multiples of a vector.
    let skipped = if at[2] == 0 { t * (KEYS.min(keys) + 2) % 4 } else { 0 };
    let mut memory = vec![T::ZERO; skipped + t * width];
    let context = &mut memory[skipped..];
    for first in (0..attended).step_by(KEYS) {
        let n = KEYS.min(keys - first);
        let scores = &mut scores[..t * n];
        gemm::matmul(q, k.slice(s![first..first + n, ..]).reversed_axes(), matrix(scores, t, n));
        for (i, row) in scores.chunks_exact_mut(n).enumerate() {
            masked_row(row, scale, mask, [at[0], at[1], at[2] + i], first);
            let (before, part) = (top[i], &mut context[i * width..(i + 1) * width]);
            top[i] = row_max(row, before);
            if top[i] == T::NEG_INFINITY {
                row.fill(T::ZERO);
                continue;
            }
            let new = exponentials(row, top[i]);
            let shrink = (before - top[i]).exp();
            sum[i] = shrink.fma(sum[i], new);
            if let Some(noise) = noise {
                let noise = noise.slice_move(s![i, first..first + n]);
                row.iter_mut().zip(noise).for_each(|(x, &noise)| *x *= noise);
            }
            if first > 0 {
                part.iter_mut().for_each(|x| *x *= shrink);
            }
        }
        let (weights, out) = (whole(scores, t, n), matrix(context, t, width));
        let before = if first == 0 { T::ZERO } else { T::ONE };
        gemm::gemm(T::ONE, weights, v.slice(s![first..first + n, ..]), before, out);
    }
    for ((row, mut out), &sum) in context.chunks_exact(width).zip(out.outer_iter_mut()).zip(&sum) {
        let share = if sum == T::ZERO { T::ZERO } else { T::ONE / sum };
        for (out, &x) in out.iter_mut().zip(row) {
            *out = x * share;
        }
    }
    for ((log, &top), sum) in log_sum.into_iter().flatten().zip(&top).zip(sum) {
        *log = if sum == T::ZERO { T::NEG_INFINITY } else { top + sum.log() };
    }
}

/// Scales a row of scores, which begins with key `first`, and applies the mask; `at` is batch, head and query.
pub(super) fn masked_row<T: Real>(row: &mut [T], scale: T, mask: &Mask<T>, at: [usize; 3], first: usize) {
    let keys = first..first + row.len();
    match mask {
        Mask::None => scale_row(row, scale),
        Mask::Causal => {
            let visible = (at[2] + 1).saturating_sub(first).min(row.len());
            row[visible..].fill(T::NEG_INFINITY);
            scale_row(row, scale);
        }
        Mask::Keep(keep) => keep_row(row, scale, keep.slice(s![at[0], at[1], at[2], keys])),
        Mask::Added(added) => add_row(row, scale, added.slice(s![at[0], at[1], at[2], keys])),
    }
}

simd! {
    /// Scales a row; -inf where `keep` is false.
    fn keep_row<'a, T>(row: &'a mut [T], scale: T, keep: ArrayView1<'a, bool>) -> () {
        let masked = |x: T, keep: bool| if keep { x * scale } else { T::NEG_INFINITY };
        match keep.to_slice() {
            Some(keep) => row.iter_mut().zip(keep).for_each(|(x, &keep)| *x = masked(*x, keep)),
            None => row.iter_mut().zip(keep).for_each(|(x, &keep)| *x = masked(*x, keep)),
        }
    }
}

simd! {
    /// Scales a row and adds `added`, rounded once.
    fn add_row<'a, T>(row: &'a mut [T], scale: T, added: ArrayView1<'a, T>) -> () {
        match added.to_slice() {
            Some(added) => row.iter_mut().zip(added).for_each(|(x, &added)| *x = x.fma(scale, added)),
            None => row.iter_mut().zip(added).for_each(|(x, &added)| *x = x.fma(scale, added)),
        }
    }
}

simd! {
    /// The largest of a row and `before`; NaN if any is NaN.
    fn row_max<'a, T>(row: &'a [T], before: T) -> T {
        softmax::fold(row, T::maximum).maximum(before)
    }
}

simd! { wide:
    /// Replaces each x by e^(x - top) and returns their sum; whole vectors use the fast exponential.
    fn exponentials<'a, T>(row: &'a mut [T], top: T) -> T {
        let lanes = 2 * T::LANES;
        let whole = row.len() / lanes * lanes;
        let mut acc = [T::ZERO; 16];
        for run in row[..whole].chunks_exact_mut(lanes) {
            for (acc, x) in acc.iter_mut().zip(run) {
                *x = (*x - top).exp_fast();
                *acc += *x;
            }
        }
        let mut sum = softmax::halves(&mut acc, lanes, |a, b| a + b);
        for x in &mut row[whole..] {
            *x = (*x - top).exp();
            sum += *x;
        }
        sum
    }
}

simd! {
    fn scale_row<'a, T>(row: &'a mut [T], scale: T) -> () {
        row.iter_mut().for_each(|x| *x *= scale);
    }
}
