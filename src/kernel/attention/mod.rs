//! Scaled dot-product attention over heads without keeping the scores.
//! Source: Vaswani et al. 2017, equation 1; `torch.nn.functional.scaled_dot_product_attention`.
//!
//! There are two forms. [`streaming`] uses PyTorch's blocks of queries and keys; [`fast`] uses tiles that fit the processor.
//! [`fused`] chooses by the size of the problem alone.
//!
//! The gradients are in [`backward`], in the same two forms.
//!
//! Letters: B batch, H heads, T queries, S keys, D width of a head, G heads of keys, E width of a value.

pub mod backward;
mod fast;
mod operands;
mod streaming;
mod tiles;

use ndarray::{ArrayViewMut4, Axis};

pub use fast::fast;
use operands::MANY;
pub use operands::{AttentionGradients, Fused, GradientInputs, Mask, Operands};
pub use streaming::streaming;

/// softmax(scale Q Kᵀ + mask) V into (B, H, T, E) without keeping the scores, in the form for the size of the problem.
/// Copies only the current blocks. A query that attends to no key gets zeros. The number of threads changes no bit.
pub fn fused<T: Fused>(x: Operands<T>, scale: T, mask: &Mask<T>, out: ArrayViewMut4<T>) {
    let (b, h, t, _) = x.q.dim();
    if t >= fast::FEWEST && b * h * t * x.k.len_of(Axis(2)) >= MANY {
        fast(x, scale, mask, out);
    } else {
        streaming(x, scale, mask, out);
    }
}
