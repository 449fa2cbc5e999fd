//! Mean, variance and standard deviation.
//! Sees ndarray views; no Tensor, no text.
//! Source: `torch.mean` (the cascade sum over the count); `torch.var`, `torch.std` (Welford 1962, in double precision).

use ndarray::ArrayViewD;

use super::super::Real;
use super::super::real::simd;
use super::rows::Rows;

/// The mean over `axes`, row-major over the axes kept; NaN of nothing.
pub fn mean<T: Real>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<T> {
    let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    let count = T::from_f64(count as f64);
    let mut sums = super::sum(x, axes);
    for sum in &mut sums {
        *sum = *sum / count;
    }
    sums
}

/// Σ (x - mean)² / (n - correction) over `axes`, row-major over the axes kept; `torch.var`'s default correction is 1.
/// A divisor below zero counts as zero.
pub fn var<T: Real>(x: ArrayViewD<T>, axes: &[usize], correction: f64) -> Vec<T> {
    let (order, _) = super::plan::order_of_reduced(&x, axes);
    Rows::ordered(&x, &order).map(|row| T::from_f64(spread(row, correction)))
}

/// The square root of [`var`].
pub fn std<T: Real>(x: ArrayViewD<T>, axes: &[usize], correction: f64) -> Vec<T> {
    let (order, _) = super::plan::order_of_reduced(&x, axes);
    Rows::ordered(&x, &order).map(|row| T::from_f64(spread(row, correction).sqrt()))
}

simd! {
    /// The variance of a row, one number after another.
    fn spread<'a, T>(row: &'a [T], correction: f64) -> f64 {
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
