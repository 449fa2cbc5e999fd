//! Reductions over axes of a strided view.
//! Source: `torch.sum` and the other reductions; each file names its own.
//!
//! Every function takes the axes to reduce (in any order, none twice) and returns its results row-major over the
//! remaining axes. An empty list reduces nothing: to reduce everything, pass all axes.
//!
//! Share of results equal to PyTorch 2.6 bit for bit over some thousand random shapes, contiguous, permuted, sliced
//! and expanded, single precision (one thread): sum, mean, prod, var, std, amax, amin, cumsum, cumprod and the norms
//! 1 and 2 all; norm 3 99%; logsumexp 97%. Double precision: the same except for var and std, whose last bits differ in
//! half of the cases.

mod extremes;
mod moments;
mod norms;
mod plan;
mod product;
mod rows;
mod sum;

pub(crate) use extremes::truths;
pub use extremes::{End, extremes, extremes_and_places};
pub use moments::{mean, var};
pub use norms::{logsumexp, norm};
pub(crate) use plan::ceil_log2;
pub(crate) use product::{cumprod, cumprod_i64, cumsum_i64, prod_i64, sum_i64};
pub use product::{cumsum, prod};
pub use sum::sum;
pub(crate) use sum::{sum_all, sum_slice};
