//! Norms over axes, and the logarithm of a sum of exponentials.
//! Source: `torch.linalg.vector_norm`, `torch.logsumexp`.

use ndarray::ArrayViewD;

use super::super::Real;
use super::super::real::simd;
use super::rows::Rows;

/// (Σ |x|^p)^(1/p) over `axes`, row-major over the axes kept; p may be 0 (the number of non-zero elements) and ±infinity.
pub fn norm<T: Real>(x: ArrayViewD<T>, axes: &[usize], p: f64) -> Vec<T> {
    // PyTorch reads whole vectors where the operands of one result are contiguous, and single numbers elsewhere.
    let (order, contiguous) = super::plan::order_of_reduced(&x, axes);
    let rows = Rows::ordered(&x, &order);
    if p == 2.0 {
        rows.map(|row| if contiguous { euclidean(row) } else { euclidean_in_turn(row) })
    } else if p == 1.0 {
        rows.map(|row| row.iter().fold(T::ZERO, |sum, x| sum + x.abs()))
    } else if p == f64::INFINITY {
        rows.map(|row| row.iter().fold(T::ZERO, |top, x| top.maximum(x.abs())))
    } else if p == f64::NEG_INFINITY {
        rows.map(|row| row.iter().fold(T::INFINITY, |top, x| top.minimum(x.abs())))
    } else if p == 0.0 {
        rows.map(|row| T::from_f64(row.iter().filter(|&&x| x != T::ZERO).count() as f64))
    } else {
        let power = T::from_f64(p);
        rows.map(|row| {
            let sum =
                row.iter().fold(T::ZERO, |sum, x| sum + T::from_f64(x.abs().to_f64().powf(power.to_f64())));
            T::from_f64(sum.to_f64().powf((T::ONE / power).to_f64()))
        })
    }
}

simd! {
    fn euclidean<'a, T>(row: &'a [T]) -> T {
        let lanes = T::LANES;
        let mut acc = [T::ZERO; 8];
        let runs = row.chunks_exact(lanes);
        let rest = runs.remainder();
        for run in runs {
            for (acc, &x) in acc.iter_mut().zip(run) {
                *acc = x.fma(x, *acc);
            }
        }
        let mut sum = acc[0];
        for &lane in &acc[1..lanes] {
            sum += lane;
        }
        for &x in rest {
            sum = x.fma(x, sum);
        }
        sum.sqrt()
    }
}

simd! {
    fn euclidean_in_turn<'a, T>(row: &'a [T]) -> T {
        row.iter().fold(T::ZERO, |sum, &x| x.fma(x, sum)).sqrt()
    }
}

/// log Σ e^x over `axes`, row-major over the axes kept; -inf without elements.
pub fn logsumexp<T: Real>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<T> {
    let tops = Rows::new(&x, axes).map(|row| {
        let top = row.iter().fold(T::NEG_INFINITY, |top, &x| top.maximum(x));
        if top.abs() == T::INFINITY { T::ZERO } else { top }
    });
    let mut shape = x.shape().to_vec();
    axes.iter().for_each(|&axis| shape[axis] = 1);
    let kept = ArrayViewD::from_shape(shape, &tops).expect("there is one maximum for each result");
    let mut powers = x.to_owned();
    powers.zip_mut_with(&kept, |x, &top| *x = (*x - top).exp());
    let mut sums = super::sum(powers.view(), axes);
    for (sum, &top) in sums.iter_mut().zip(&tops) {
        *sum = sum.log() + top;
    }
    sums
}
