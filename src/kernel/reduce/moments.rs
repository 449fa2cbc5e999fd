//! Mean, variance and standard deviation.
//! Source: `torch.mean` (the cascade sum over the count); `torch.var`, `torch.std` (Welford 1962, in double precision).

use ndarray::ArrayViewD;

use super::super::Real;
use super::super::real::simd;
use super::rows::Rows;

/// The mean over `axes`, row-major over the axes kept; NaN without elements.
pub fn mean<T: Real>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<T> {
    let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    let count = T::from_f64(count as f64);
    let mut sums = super::sum(x, axes);
    for sum in &mut sums {
        *sum = *sum / count;
    }
    sums
}

/// Σ (x - mean)² / (n - correction) over `axes`, row-major over the axes kept, or with `root` the square root of it;
/// `torch.var`'s default correction is 1. A negative divisor counts as zero.
pub fn var<T: Real>(x: ArrayViewD<T>, axes: &[usize], correction: f64, root: bool) -> Vec<T> {
    let (order, _) = super::plan::order_of_reduced(&x, axes);
    Rows::ordered(&x, &order).map(|row| {
        let var = variance(row, correction);
        T::from_f64(if root { var.sqrt() } else { var })
    })
}

simd! {
    /// The variance of a row, computed in order.
    fn variance<'a, T>(row: &'a [T], correction: f64) -> f64 {
        let (mut mean, mut squares) = (0.0, 0.0);
        for (n, &x) in (1_u64..).zip(row) {
            let x = x.to_f64();
            let delta: f64 = x - mean;
            mean += delta / n as f64;
            squares = delta.mul_add(x - mean, squares);
        }
        squares / (row.len() as f64 - correction).max(0.0)
    }
}
