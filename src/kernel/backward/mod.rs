//! Gradients of the operations that models are made of: given the gradient of a result, the gradient of each operand.
//!
//! The sums are in the order of PyTorch's own kernels on one thread, and no number of threads changes a bit. Each file
//! states the share of results equal to PyTorch 2.6 bit for bit. Gradients of attention are in `attention::backward`.

pub mod activation;
pub mod embedding;
pub mod loss;
pub mod norm;
pub mod softmax;

use super::Real;
use super::threads::{PARALLEL, PIECE};

/// Combines `map` of the numbers at each place of some rows in the order of a vector register of `lanes` numbers, as
/// `softmax::fold` does for one row. PyTorch has kernels for registers of 32 and of 64 bytes.
#[inline(always)]
pub(super) fn fold<T: Real, const N: usize>(
    lanes: usize,
    rows: [&[T]; N],
    map: impl Fn([T; N]) -> T,
    combine: impl Fn(T, [T; N]) -> T,
    join: impl Fn(T, T) -> T,
) -> T {
    let length = rows[0].len();
    let rows = rows.map(|row| &row[..length]);
    let at = |i: usize| -> [T; N] { std::array::from_fn(|n| rows[n][i]) };
    if length < lanes {
        return (1..length).fold(map(at(0)), |acc, i| join(acc, map(at(i))));
    }
    let mut acc = [T::ZERO; 16];
    for (l, acc) in acc[..lanes].iter_mut().enumerate() {
        *acc = map(at(l));
    }
    let whole = length / lanes * lanes;
    for start in (lanes..whole).step_by(lanes) {
        let part: [&[T]; N] = std::array::from_fn(|n| &rows[n][start..start + lanes]);
        for (l, acc) in acc[..lanes].iter_mut().enumerate() {
            *acc = combine(*acc, std::array::from_fn(|n| part[n][l]));
        }
    }
    for (l, i) in (whole..length).enumerate() {
        acc[l] = combine(acc[l], at(i));
    }
    super::softmax::halves(&mut acc, lanes, join)
}
