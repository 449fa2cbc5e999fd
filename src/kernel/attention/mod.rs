//! Attention over heads: materialised, where every score can be looked at, and streaming, where none is kept.
//! Room: kernel. Sees ndarray views; no Tensor, no text.
//! Source: Vaswani et al. 2017, equation 1; `torch.nn.functional.scaled_dot_product_attention`.
//!
//! Letters: B batch, H heads, T queries, S keys, D width of a head, G heads of keys, E width of a value.

mod materialised;
mod streaming;

use ndarray::ArrayView4;
use rayon::prelude::*;

use super::Real;
use super::wide::wide;
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

/// Results below which heads stay on the caller's thread.
const PARALLEL: usize = 1 << 12;

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

wide! {
    fn scale_row<'a, T>(row: &'a mut [T], scale: T) -> () {
        row.iter_mut().for_each(|x| *x *= scale);
    }
}
