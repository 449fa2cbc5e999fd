//! Scaled dot-product attention over heads without keeping the scores.
//! Source: Vaswani et al. 2017, equation 1; `torch.nn.functional.scaled_dot_product_attention`.
//!
//! There are two forms. [`streaming`] uses PyTorch's blocks and order and returns its bits; [`fast`] uses tiles that fit
//! the processor and differs in the last bits. [`fused`] chooses by the size of the problem alone: small results, which
//! a person reads digit by digit, are PyTorch's, and large ones are fast.
//!
//! The gradients are in [`backward`], in the same two forms.
//!
//! Letters: B batch, H heads, T queries, S keys, D width of a head, G heads of keys, E width of a value.

pub mod backward;
mod fast;
mod operands;
mod streaming;

use ndarray::{ArrayViewMut4, Axis};

use super::Real;
pub use fast::fast;
pub(crate) use operands::Fused;
use operands::MANY;
pub use operands::{AttentionGradients, GradientInputs, Mask, Operands};
pub use streaming::streaming;

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
