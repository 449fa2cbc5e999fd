//! Attention over heads: materialised, where every score can be looked at, and fused, where none is kept.
//! Sees ndarray views; no Tensor, no text.
//! Source: Vaswani et al. 2017, equation 1; `torch.nn.functional.scaled_dot_product_attention`.
//!
//! Fused attention comes in two forms. [`streaming`] takes PyTorch's blocks and PyTorch's order and gives its bits;
//! [`fast`] takes the machine's and differs in the last bits. [`fused`] chooses by the size of the problem alone, so that
//! what a person reads digit by digit is PyTorch's, and what a person waits for is fast.
//!
//! Letters: B batch, H heads, T queries, S keys, D width of a head, G heads of keys, E width of a value.

mod fast;
mod materialised;
mod streaming;

use ndarray::{ArrayView4, ArrayViewMut2, ArrayViewMut4, Axis, RemoveAxis};

use super::simd::simd;
use super::{Real, threads};
pub use fast::{Fused, fast};
pub use materialised::{Materialised, materialised};
pub use streaming::streaming;

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

/// Scores from which fused attention takes its fast form: 12 heads of 592 tokens. Below it the exact one is done within
/// milliseconds.
const MANY: usize = 1 << 22;

/// softmax(scale Q K^T + mask) V without keeping the scores, in the form that the size of the problem asks for.
/// q (B, H, T, D), k (B, G, S, D), v (B, G, S, E), H a multiple of G, into (B, H, T, E); any strides, nothing copied but
/// the blocks that are at work. A row that may see nothing gives zeros. Threads change no bit.
pub fn fused<T: Real>(
    q: ArrayView4<T>,
    k: ArrayView4<T>,
    v: ArrayView4<T>,
    scale: T,
    mask: &Mask<T>,
    out: ArrayViewMut4<T>,
) {
    let (b, h, t, _) = q.dim();
    if t >= fast::FEWEST && b * h * t * k.len_of(Axis(2)) >= MANY {
        fast(q, k, v, scale, mask, out);
    } else {
        streaming(q, k, v, scale, mask, out);
    }
}

/// A block of queries: batch, head and first query, and where its results go.
type Block<'a, T> = ([usize; 3], ArrayViewMut2<'a, T>);

/// (B, H, T, E) cut into blocks of at most `rows` queries of one head. Under a causal mask late queries see most keys:
/// they come first, so that no thread begins its longest work last.
fn blocks<T>(out: ArrayViewMut4<'_, T>, rows: usize) -> Vec<Block<'_, T>> {
    let mut blocks = Vec::new();
    for (batch, out) in apart(out).into_iter().enumerate() {
        for (head, mut out) in apart(out).into_iter().enumerate() {
            let mut first = 0;
            while out.nrows() > 0 {
                let n = rows.min(out.nrows());
                let (block, rest) = out.split_at(Axis(0), n);
                blocks.push(([batch, head, first], block));
                (first, out) = (first + n, rest);
            }
        }
    }
    blocks.reverse();
    blocks
}

/// What lies along the first axis, one by one.
fn apart<T, D: RemoveAxis>(
    mut whole: ndarray::ArrayViewMut<T, D>,
) -> Vec<ndarray::ArrayViewMut<T, D::Smaller>> {
    let mut parts = Vec::with_capacity(whole.len_of(Axis(0)));
    while whole.len_of(Axis(0)) > 0 {
        let (part, rest) = whole.split_at(Axis(0), 1);
        parts.push(part.index_axis_move(Axis(0), 0));
        whole = rest;
    }
    parts
}

/// Computes every block, side by side where threads allow and there is enough to do.
fn side_by_side<T: Real>(
    scores: usize,
    blocks: Vec<Block<T>>,
    each: impl Fn([usize; 3], ArrayViewMut2<T>) + Sync,
) {
    const ENOUGH: usize = 1 << 13;
    match scores >= ENOUGH {
        true => threads::share(blocks.into_iter(), |(at, out)| each(at, out)),
        false => blocks.into_iter().for_each(|(at, out)| each(at, out)),
    }
}

simd! {
    fn scale_row<'a, T>(row: &'a mut [T], scale: T) -> () {
        row.iter_mut().for_each(|x| *x *= scale);
    }
}
