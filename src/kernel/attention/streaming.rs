//! Attention that keeps no scores, in PyTorch's blocks and PyTorch's order.
//! Sees ndarray views; no Tensor, no text.
//! Source: the online softmax (Milakov & Gimelshein 2018; Dao et al. 2022), in the blocks PyTorch's CPU kernel takes.
//!
//! Share of results that equal PyTorch 2.6's bit for bit, single precision: over 99.8%, all in most shapes.

use ndarray::{ArrayView1, ArrayView2, ArrayView4, ArrayViewMut2, ArrayViewMut4, Axis, s};

use super::super::simd::simd;
use super::super::{Real, gemm, small, softmax};
use super::{Mask, blocks, scale_row, side_by_side};

/// softmax(scale Q K^T + mask) V without keeping the scores: one block of queries against one block of keys at a
/// time, a running maximum and sum a query. Shapes and promises as [`super::fused`].
pub fn streaming<T: Real>(
    q: ArrayView4<T>,
    k: ArrayView4<T>,
    v: ArrayView4<T>,
    scale: T,
    mask: &Mask<T>,
    mut out: ArrayViewMut4<T>,
) {
    let (b, h, t, _) = q.dim();
    let (groups, keys) = (k.len_of(Axis(1)), k.len_of(Axis(2)));
    if out.is_empty() || keys == 0 {
        return out.fill(T::ZERO);
    }
    side_by_side(b * h * t * keys, blocks(out, query_block(t)), |at, out| {
        let [batch, head, first] = at;
        let group = head / (h / groups);
        queries(
            q.slice(s![batch, head, first..first + out.nrows(), ..]),
            k.slice(s![batch, group, .., ..]),
            v.slice(s![batch, group, .., ..]),
            scale,
            mask,
            at,
            out,
        );
    });
}

/// Queries in a block.
fn query_block(t: usize) -> usize {
    match t {
        768.. => 256,
        192.. => 64,
        _ => 32,
    }
}

/// Keys in a block.
const KEYS: usize = 512;

/// One block of queries against all keys; `at` is batch, head and the first query. Shapes (t, D), (S, D), (S, E) to (t, E).
fn queries<T: Real>(
    q: ArrayView2<T>,
    k: ArrayView2<T>,
    v: ArrayView2<T>,
    scale: T,
    mask: &Mask<T>,
    at: [usize; 3],
    mut out: ArrayViewMut2<T>,
) {
    let (t, keys, width) = (q.nrows(), k.nrows(), v.ncols());
    let seen = if matches!(mask, Mask::Causal) { (at[2] + t).min(keys) } else { keys };
    let mut top = vec![T::NEG_INFINITY; t];
    let mut sum = vec![T::ZERO; t];
    let mut scores = vec![T::ZERO; t * KEYS.min(keys)];
    // PyTorch sums the context in the same buffer as the scores, behind two numbers a query; where that falls
    // against a 16-byte boundary decides the order of some sums, so it falls there here.
    let behind = (t * KEYS.min(keys) + 2 * t) % small::width::<T>();
    let mut buffer = vec![T::ZERO; t * width + 2 * small::width::<T>()];
    let behind = small::peel(buffer.as_ptr()) + behind;
    let context = &mut buffer[behind..behind + t * width];
    for first in (0..seen).step_by(KEYS) {
        let n = KEYS.min(keys - first);
        let scores = &mut scores[..t * n];
        if let Ok(scores) = ArrayViewMut2::from_shape((t, n), &mut *scores) {
            gemm::matmul(q, k.slice(s![first..first + n, ..]).reversed_axes(), scores);
        }
        for (i, row) in scores.chunks_exact_mut(n).enumerate() {
            match mask {
                Mask::None => scale_row(row, scale),
                Mask::Causal => {
                    let visible = (at[2] + i + 1).saturating_sub(first).min(n);
                    row[visible..].fill(T::NEG_INFINITY);
                    scale_row(row, scale);
                }
                Mask::Keep(keep) => {
                    keep_row(row, scale, keep.slice(s![at[0], at[1], at[2] + i, first..first + n]));
                }
                Mask::Added(added) => {
                    add_row(row, scale, added.slice(s![at[0], at[1], at[2] + i, first..first + n]));
                }
            }
            let (before, part) = (top[i], &mut context[i * width..(i + 1) * width]);
            top[i] = top_of(row, before);
            if top[i] == T::NEG_INFINITY {
                row.fill(T::ZERO);
                continue;
            }
            let new = powers(row, top[i]);
            let shrink = (before - top[i]).exp();
            sum[i] = shrink.fma(sum[i], new);
            if first > 0 {
                part.iter_mut().for_each(|x| *x *= shrink);
            }
        }
        let (Ok(weights), Ok(out)) =
            (ArrayView2::from_shape((t, n), &*scores), ArrayViewMut2::from_shape((t, width), &mut *context))
        else {
            return;
        };
        let values = v.slice(s![first..first + n, ..]);
        if first == 0 { gemm::matmul(weights, values, out) } else { gemm::addmm(weights, values, out) }
    }
    for ((row, mut out), &sum) in context.chunks_exact(width).zip(out.outer_iter_mut()).zip(&sum) {
        let share = if sum == T::ZERO { T::ZERO } else { T::ONE / sum };
        for (out, &x) in out.iter_mut().zip(row) {
            *out = x * share;
        }
    }
}

simd! {
    /// Scaled, and hidden where not to be kept.
    fn keep_row<'a, T>(row: &'a mut [T], scale: T, keep: ArrayView1<'a, bool>) -> () {
        let kept = |x: T, keep: bool| if keep { x * scale } else { T::NEG_INFINITY };
        match keep.to_slice() {
            Some(keep) => row.iter_mut().zip(keep).for_each(|(x, &keep)| *x = kept(*x, keep)),
            None => row.iter_mut().zip(keep).for_each(|(x, &keep)| *x = kept(*x, keep)),
        }
    }
}

simd! {
    /// Scaled and added to, rounded once.
    fn add_row<'a, T>(row: &'a mut [T], scale: T, added: ArrayView1<'a, T>) -> () {
        match added.to_slice() {
            Some(added) => row.iter_mut().zip(added).for_each(|(x, &added)| *x = x.fma(scale, added)),
            None => row.iter_mut().zip(added).for_each(|(x, &added)| *x = x.fma(scale, added)),
        }
    }
}

simd! {
    /// The largest of a row and `before`; NaN wins.
    fn top_of<'a, T>(row: &'a [T], before: T) -> T {
        let mut acc = [before; 16];
        let (runs, rest) = row.as_chunks::<16>();
        for run in runs {
            for (acc, &x) in acc.iter_mut().zip(run) {
                // `|`, so that the compiler sees a choice and no branch.
                *acc = if acc.is_nan() | (*acc > x) { *acc } else { x };
            }
        }
        acc.iter().chain(rest).fold(before, |top, &x| top.maximum(x))
    }
}

simd! {
    /// Puts e^(x - top) in place of each x and gives their sum; whole vectors by the fast exponential.
    fn powers<'a, T>(row: &'a mut [T], top: T) -> T {
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
