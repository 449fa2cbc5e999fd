//! Attention with every stage kept, as the learner's own class computes it.
//! Sees ndarray views; no Tensor, no text.
//! Source: Vaswani et al. 2017, equation 1.

use ndarray::{ArrayView2, ArrayView4, ArrayViewMut2, Axis, s};

use super::super::{Real, gemm, softmax, threads};
use super::{Mask, scale_row};

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
    let parts = out.chunks_exact_mut(part).enumerate();
    match parts.len() > 1 && parts.len() * part >= PARALLEL {
        true => threads::share(parts, |(index, out)| one(index, out)),
        false => parts.for_each(|(index, out)| one(index, out)),
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
