//! Scaled dot-product attention over heads without keeping the scores.
//! Source: Vaswani et al. 2017, equation 1; `torch.nn.functional.scaled_dot_product_attention`.
//!
//! There are two forms. [`streaming`] uses PyTorch's blocks and order and returns its bits; [`fast`] uses tiles that fit
//! the processor and differs in the last bits. [`fused`] chooses by the size of the problem alone: small results, which
//! a person reads digit by digit, are PyTorch's, and large ones are fast.
//!
//! Letters: B batch, H heads, T queries, S keys, D width of a head, G heads of keys, E width of a value.

mod fast;
mod streaming;

use ndarray::{ArrayView4, ArrayViewMut2, ArrayViewMut4, Axis, RemoveAxis};

use super::offset::WithOffset;
use super::simd::simd;
use super::{Real, threads};
pub use fast::{Fused, fast};
pub use streaming::streaming;

/// Queries (B, H, T, D), keys (B, G, S, D) and values (B, G, S, E), H a multiple of G, with any strides.
#[derive(Clone, Copy)]
pub struct Operands<'a, T> {
    /// Queries.
    pub q: WithOffset<ArrayView4<'a, T>>,
    /// Keys.
    pub k: WithOffset<ArrayView4<'a, T>>,
    /// Values.
    pub v: WithOffset<ArrayView4<'a, T>>,
}

impl<'a, T> Operands<'a, T> {
    /// Operands that begin their storages.
    pub fn new(q: ArrayView4<'a, T>, k: ArrayView4<'a, T>, v: ArrayView4<'a, T>) -> Self {
        Operands { q: q.into(), k: k.into(), v: v.into() }
    }

    fn is_empty(&self) -> bool {
        self.q.view.is_empty() || self.k.view.is_empty()
    }
}

/// Which keys a query attends to.
pub enum Mask<'a, T> {
    /// All.
    None,
    /// Keys up to the position of the query, counted from the start.
    Causal,
    /// Keys where this is true: (B, H, T, S), which may be expanded.
    Keep(ArrayView4<'a, bool>),
    /// All, with this added to the scores: (B, H, T, S), which may be expanded.
    Added(ArrayView4<'a, T>),
}

/// Scores from which [`fused`] uses the fast form: 12 heads of 592 tokens. Below it the exact form takes milliseconds.
const MANY: usize = 1 << 22;

/// softmax(scale Q Kᵀ + mask) V into (B, H, T, E) without keeping the scores, in the form for the size of the problem.
/// Copies only the current blocks. A query that attends to no key gets zeros. The number of threads changes no bit.
pub fn fused<T: Real>(x: Operands<T>, scale: T, mask: &Mask<T>, out: ArrayViewMut4<T>) {
    let (b, h, t, _) = x.q.view.dim();
    if t >= fast::FEWEST && b * h * t * x.k.view.len_of(Axis(2)) >= MANY {
        fast(x, scale, mask, out);
    } else {
        streaming(x, scale, mask, out);
    }
}

/// A block of queries: batch, head and first query, and the part of the result.
type Block<'a, T> = ([usize; 3], ArrayViewMut2<'a, T>);

/// (B, H, T, E) divided into blocks of at most `rows` queries of one head. Late queries come first: under a causal mask
/// they attend to most keys, and no thread should begin the longest work last.
fn blocks<T>(out: ArrayViewMut4<'_, T>, rows: usize) -> Vec<Block<'_, T>> {
    let mut blocks = Vec::new();
    for (batch, out) in split(out).into_iter().enumerate() {
        for (head, mut out) in split(out).into_iter().enumerate() {
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

/// The parts along the first axis.
fn split<T, D: RemoveAxis>(
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

/// Computes every block, on several threads if there are enough scores.
fn for_each_block<T: Real>(
    scores: usize,
    blocks: Vec<Block<T>>,
    each: impl Fn([usize; 3], ArrayViewMut2<T>) + Sync,
) {
    const PARALLEL: usize = 1 << 13;
    match scores >= PARALLEL {
        true => threads::share(blocks.into_iter(), |(at, out)| each(at, out)),
        false => blocks.into_iter().for_each(|(at, out)| each(at, out)),
    }
}

simd! {
    fn scale_row<'a, T>(row: &'a mut [T], scale: T) -> () {
        row.iter_mut().for_each(|x| *x *= scale);
    }
}
