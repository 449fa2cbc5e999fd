//! Attention over heads: materialised, where every score can be looked at, and streaming, where none is kept.
//! Room: kernel. Sees ndarray views; no Tensor, no text.
//! Source: Vaswani et al. 2017, equation 1; `torch.nn.functional.scaled_dot_product_attention`; streaming by the online
//! softmax (Milakov & Gimelshein 2018; Dao et al. 2022), in the blocks PyTorch's CPU kernel takes.
//!
//! Share of results that equal PyTorch 2.6's bit for bit, single precision: streaming over 99.8%, all in most shapes.
//!
//! Letters: B batch, H heads, T queries, S keys, D width of a head.

use ndarray::{ArrayView2, ArrayView4, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::wide::wide;
use super::{Real, gemm, small, softmax};

/// What a query may see of the keys.
pub enum Mask<'a, T> {
    /// Everything.
    None,
    /// Keys up to its own position, counted from the start.
    Causal,
    /// Where true. (B, H, T, S), expanded axes welcome.
    Keep(ArrayView4<'a, bool>),
    /// This is added to the scores. (B, H, T, S), expanded axes welcome.
    Added(ArrayView4<'a, T>),
}

/// Everything that materialised attention computes, row-major.
pub struct Materialised<T> {
    /// Scores, scaled and masked: (B, H, T, S).
    pub scores: Vec<T>,
    /// Their softmax: (B, H, T, S).
    pub weights: Vec<T>,
    /// Weights times values: (B, H, T, D).
    pub context: Vec<T>,
}

/// Results below which heads stay on the caller's thread.
const PARALLEL: usize = 1 << 12;

/// softmax(scale Q K^T + mask) V, every stage kept. A row that may see nothing is NaN, as the formula says.
/// q (B, H, T, D), k (B, G, S, D), v (B, G, S, E), H a multiple of G.
pub fn materialised<T: Real>(
    q: ArrayView4<T>,
    k: ArrayView4<T>,
    v: ArrayView4<T>,
    scale: T,
    mask: &Mask<T>,
) -> Materialised<T> {
    let (b, h, t, _) = q.dim();
    let (keys, width) = (k.len_of(Axis(2)), v.len_of(Axis(3)));
    let share = h.checked_div(k.len_of(Axis(1))).unwrap_or(1);
    let mut scores = vec![T::ZERO; b * h * t * keys];
    each_head(&mut scores, t * keys, |index, scores| {
        let (batch, head) = (index / h, index % h);
        let (q, k) = (q.slice(s![batch, head, .., ..]), k.slice(s![batch, head / share, .., ..]));
        if let Ok(scores) = ArrayViewMut2::from_shape((t, keys), &mut *scores) {
            gemm::of_batch(b * h, q, k.reversed_axes(), scores); // (T, D) x (D, S) -> (T, S)
        }
        for (i, row) in scores.chunks_exact_mut(keys).enumerate() {
            scale_row(row, scale);
            if !matches!(mask, Mask::None) {
                for (j, x) in row.iter_mut().enumerate() {
                    *x = masked(*x, mask, [batch, head, i, j]);
                }
            }
        }
    });
    let mut weights = scores.clone();
    if keys > 0 {
        each_head(&mut weights, t * keys, |_, rows| {
            rows.chunks_exact_mut(keys).for_each(softmax::softmax_row)
        });
    }
    let mut context = vec![T::ZERO; b * h * t * width];
    each_head(&mut context, t * width, |index, context| {
        let (batch, head) = (index / h, index % h);
        let weights = ArrayView2::from_shape((t, keys), &weights[index * t * keys..(index + 1) * t * keys]);
        if let (Ok(weights), Ok(context)) = (weights, ArrayViewMut2::from_shape((t, width), context)) {
            gemm::of_batch(b * h, weights, v.slice(s![batch, head / share, .., ..]), context); // (T, S) x (S, D) -> (T, D)
        }
    });
    Materialised { scores, weights, context }
}

/// Calls `one` for each head's part of `out`, side by side when there is enough to do.
fn each_head<T: Real>(out: &mut [T], part: usize, one: impl Fn(usize, &mut [T]) + Sync) {
    if part == 0 {
        return;
    }
    if out.len() >= PARALLEL && out.len() > part && rayon::current_num_threads() > 1 {
        out.par_chunks_exact_mut(part).enumerate().for_each(|(index, out)| one(index, out));
    } else {
        out.chunks_exact_mut(part).enumerate().for_each(|(index, out)| one(index, out));
    }
}

/// One score after the mask.
#[inline(always)]
fn masked<T: Real>(x: T, mask: &Mask<T>, at: [usize; 4]) -> T {
    match mask {
        Mask::None => x,
        Mask::Causal => {
            if at[3] > at[2] {
                T::NEG_INFINITY
            } else {
                x
            }
        }
        Mask::Keep(keep) => {
            if keep[at] {
                x
            } else {
                T::NEG_INFINITY
            }
        }
        Mask::Added(added) => x + added[at],
    }
}

/// softmax(scale Q K^T + mask) V without keeping the scores: one block of queries against one block of keys at a
/// time, a running maximum and sum a query. A row that may see nothing gives zeros. Shapes as [`materialised`];
/// the result is (B, H, T, E), row-major. Heads run side by side; threads change no bit.
pub fn streaming<T: Real>(
    q: ArrayView4<T>,
    k: ArrayView4<T>,
    v: ArrayView4<T>,
    scale: T,
    mask: &Mask<T>,
) -> Vec<T> {
    let (b, h, t, _) = q.dim();
    let (keys, width) = (k.len_of(Axis(2)), v.len_of(Axis(3)));
    let share = h.checked_div(k.len_of(Axis(1))).unwrap_or(1);
    let mut out = vec![T::ZERO; b * h * t * width];
    if out.is_empty() || keys == 0 {
        return out;
    }
    let rows = query_block(t);
    each_head(&mut out, t * width, |index, out| {
        let (batch, head) = (index / h, index % h);
        let (q, k, v) = (
            q.slice(s![batch, head, .., ..]),
            k.slice(s![batch, head / share, .., ..]),
            v.slice(s![batch, head / share, .., ..]),
        );
        for (block, out) in out.chunks_mut(rows * width).enumerate() {
            let first = block * rows;
            let last = (first + rows).min(t);
            queries(q.slice(s![first..last, ..]), k, v, scale, mask, [batch, head, first], out);
        }
    });
    out
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
    out: &mut [T],
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
                _ => {
                    for (j, x) in row.iter_mut().enumerate() {
                        *x = match mask {
                            Mask::Added(added) => x.fma(scale, added[[at[0], at[1], at[2] + i, first + j]]),
                            _ => masked(*x * scale, mask, [at[0], at[1], at[2] + i, first + j]),
                        };
                    }
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
    for ((row, out), &sum) in context.chunks_exact(width).zip(out.chunks_exact_mut(width)).zip(&sum) {
        let share = if sum == T::ZERO { T::ZERO } else { T::ONE / sum };
        for (out, &x) in out.iter_mut().zip(row) {
            *out = x * share;
        }
    }
}

wide! {
    fn scale_row<'a, T>(row: &'a mut [T], scale: T) -> () {
        row.iter_mut().for_each(|x| *x *= scale);
    }
}

wide! {
    /// The largest of a row and `before`; NaN wins.
    fn top_of<'a, T>(row: &'a [T], before: T) -> T {
        let mut acc = [before; 16];
        for run in row.chunks(16) {
            for (acc, &x) in acc.iter_mut().zip(run) {
                *acc = acc.maximum(x);
            }
        }
        acc.iter().fold(before, |top, &x| top.maximum(x))
    }
}

wide! {
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
