//! Small dense linear algebra: determinants, inverses and systems by Gaussian elimination with partial pivoting, QR by
//! Householder reflections, singular values by Jacobi rotations, and the Cholesky factor.
//! Source: the unblocked algorithms of LAPACK (Golub & Van Loan, chapters 3, 5 and 8).

use ndarray::{Array2, s};

use super::rank::largest_first;
use super::{Real, stop};

/// A matrix of small size.
pub type Matrix<T> = Array2<T>;

/// Ones on the diagonal.
pub fn identity<T: Real>(n: usize) -> Matrix<T> {
    Matrix::from_shape_fn((n, n), |(i, j)| if i == j { T::ONE } else { T::ZERO })
}

fn zeros<T: Real>(rows: usize, columns: usize) -> Matrix<T> {
    Matrix::from_elem((rows, columns), T::ZERO)
}

/// The LU factorisation of a square matrix with pivoting.
pub struct Factors<T> {
    lu: Matrix<T>,
    order: Vec<usize>,
    odd: bool,
    /// The index of the first pivot that is zero.
    pub(crate) singular: Option<usize>,
}

/// Factors a square matrix.
pub fn factor<T: Real>(mut a: Matrix<T>) -> Factors<T> {
    let n = a.nrows();
    let (mut order, mut odd, mut singular) = ((0..n).collect::<Vec<_>>(), false, None);
    for k in 0..n {
        stop::check();
        let pivot = (k..n).fold(k, |best, i| if a[[i, k]].abs() > a[[best, k]].abs() { i } else { best });
        if a[[pivot, k]] == T::ZERO {
            singular = singular.or(Some(k));
            continue;
        }
        if pivot != k {
            (0..n).for_each(|j| a.swap([k, j], [pivot, j]));
            order.swap(k, pivot);
            odd = !odd;
        }
        let inverse = T::ONE / a[[k, k]];
        for i in k + 1..n {
            a[[i, k]] *= inverse;
            let share = a[[i, k]];
            for j in k + 1..n {
                a[[i, j]] = (-share).fma(a[[k, j]], a[[i, j]]);
            }
        }
    }
    Factors { lu: a, order, odd, singular }
}

impl<T: Real> Factors<T> {
    pub fn determinant(&self) -> T {
        let start = if self.odd { -T::ONE } else { T::ONE };
        (0..self.lu.nrows()).fold(start, |product, i| product * self.lu[[i, i]])
    }

    /// The sign of the determinant and the logarithm of its absolute value.
    pub(crate) fn sign_and_log(&self) -> (T, T) {
        let start = if self.odd { -T::ONE } else { T::ONE };
        (0..self.lu.nrows()).fold((start, T::ZERO), |(sign, log), i| {
            let pivot = self.lu[[i, i]];
            let sign = if pivot < T::ZERO {
                -sign
            } else if pivot == T::ZERO {
                T::ZERO
            } else {
                sign
            };
            (sign, log + pivot.abs().log())
        })
    }

    /// The solution x of a x = b for each column of `b`.
    pub fn solve(&self, b: &Matrix<T>) -> Matrix<T> {
        let (n, columns) = (self.lu.nrows(), b.ncols());
        let mut x = zeros(n, columns);
        for column in 0..columns {
            stop::check();
            for i in 0..n {
                let mut sum = b[[self.order[i], column]];
                for j in 0..i {
                    sum = (-self.lu[[i, j]]).fma(x[[j, column]], sum);
                }
                x[[i, column]] = sum;
            }
            for i in (0..n).rev() {
                let mut sum = x[[i, column]];
                for j in i + 1..n {
                    sum = (-self.lu[[i, j]]).fma(x[[j, column]], sum);
                }
                x[[i, column]] = sum / self.lu[[i, i]];
            }
        }
        x
    }
}

/// Q with orthonormal columns (rows, width) and upper triangular R (width, columns); the width is that of the smaller side
/// at least, and `rows` at most.
pub fn qr<T: Real>(a: &Matrix<T>, width: usize) -> (Matrix<T>, Matrix<T>) {
    let (m, n) = a.dim();
    let mut r = a.clone();
    let mut reflections = Vec::new();
    for j in 0..m.min(n) {
        let below: Vec<T> = (j + 1..m).map(|i| r[[i, j]]).collect();
        let (_, rest, tau) = reflector(r[[j, j]], &below);
        let v: Vec<T> = [T::ONE].into_iter().chain(rest).collect();
        reflect(&mut r, j, &v, tau);
        reflections.push((j, v, tau));
    }
    let mut q = zeros(m, width);
    (0..width).for_each(|i| q[[i, i]] = T::ONE);
    for (first, v, tau) in reflections.iter().rev() {
        reflect(&mut q, *first, v, *tau);
    }
    let mut upper = zeros(width, n);
    for i in 0..width {
        for j in i..n {
            upper[[i, j]] = r[[i, j]];
        }
    }
    (q, upper)
}

/// A matrix with orthonormal columns, and further ones behind them until there are so many.
pub(crate) fn completed<T: Real>(a: &Matrix<T>, width: usize) -> Matrix<T> {
    let mut q = qr(a, width).0;
    q.slice_mut(s![.., ..a.ncols()]).assign(a);
    q
}

/// `a -= tau v (vᵀ a)`, of the rows of `a` from the first one on.
pub(super) fn reflect<T: Real>(a: &mut Matrix<T>, first: usize, v: &[T], tau: T) {
    for j in 0..a.ncols() {
        stop::check();
        let share = tau * v.iter().enumerate().fold(T::ZERO, |sum, (i, &v)| sum + v * a[[first + i, j]]);
        for (i, &v) in v.iter().enumerate() {
            a[[first + i, j]] -= share * v;
        }
    }
}

/// The reflection that maps a vector onto its first axis: beta, the vector after its first 1, and tau (LAPACK's larfg).
pub(super) fn reflector<T: Real>(alpha: T, rest: &[T]) -> (T, Vec<T>, T) {
    let squares: f64 = rest.iter().map(|x| x.to_f64() * x.to_f64()).sum();
    let norm = T::from_f64(squares.sqrt());
    if norm == T::ZERO {
        return (alpha, vec![T::ZERO; rest.len()], T::ZERO);
    }
    let beta = -signed(hypot(alpha, norm), alpha);
    let scale = T::ONE / (alpha - beta);
    (beta, rest.iter().map(|&x| x * scale).collect(), (beta - alpha) / beta)
}

/// A size with the sign of another number.
pub(super) fn signed<T: Real>(size: T, like: T) -> T {
    if like.to_f64().is_sign_negative() { -size.abs() } else { size.abs() }
}

pub(super) fn hypot<T: Real>(a: T, b: T) -> T {
    T::from_f64(a.to_f64().hypot(b.to_f64()))
}

/// U (rows, k), singular values, largest first, and Vᵀ (k, columns); computed in double precision.
pub fn svd<T: Real>(a: &Matrix<T>) -> (Matrix<T>, Vec<T>, Matrix<T>) {
    if a.nrows() < a.ncols() {
        let (u, s, vt) = svd(&a.t().to_owned());
        return (vt.reversed_axes(), s, u.reversed_axes());
    }
    let (m, n) = a.dim();
    if a.iter().any(|x| !x.to_f64().is_finite()) {
        let nan = |rows: usize| Matrix::from_elem((rows, n), T::NAN);
        return (nan(m), vec![T::NAN; n], nan(n));
    }
    // Both transposed: a rotation reads and writes two columns, which are contiguous so.
    let mut u: Vec<f64> = a.t().iter().map(|x| x.to_f64()).collect();
    let mut v = vec![0.0; n * n];
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    for _ in 0..60 {
        let mut off = 0.0_f64;
        for p in 0..n {
            for q in p + 1..n {
                stop::check();
                let (mut alpha, mut beta, mut gamma) = (0.0, 0.0, 0.0);
                for (&x, &y) in u[p * m..][..m].iter().zip(&u[q * m..][..m]) {
                    (alpha, beta, gamma) = (alpha + x * x, beta + y * y, gamma + x * y);
                }
                if gamma == 0.0 {
                    continue;
                }
                off = off.max(gamma.abs() / (alpha * beta).sqrt());
                let zeta = (beta - alpha) / (2.0 * gamma);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                let rotate = |data: &mut [f64], rows: usize| {
                    let (before, after) = data.split_at_mut(q * rows);
                    for (x, y) in before[p * rows..][..rows].iter_mut().zip(&mut after[..rows]) {
                        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                    }
                };
                rotate(&mut u, m);
                rotate(&mut v, n);
            }
        }
        if off < 1e-15 {
            break;
        }
    }
    let norm = |j: usize| (0..m).map(|i| u[j * m + i] * u[j * m + i]).sum::<f64>().sqrt();
    let sizes: Vec<f64> = (0..n).map(norm).collect();
    let order = largest_first(&sizes);
    // Columns that are no longer than rounding leaves them come last, and count as 0.
    let least = order.first().map_or(0.0, |&at| sizes[at] * 1e-16);
    let rank = order.iter().filter(|&&at| sizes[at] > least).count();
    let (mut left, mut right) = (zeros(m, rank), zeros(n, n));
    for (to, &from) in order.iter().enumerate() {
        // The sign is arbitrary; the vectors of LAPACK mostly begin with a negative number.
        let (column, size) = match to < rank {
            true => (&u[from * m..][..m], sizes[from]),
            false => (&v[from * n..][..n], 1.0),
        };
        let first = column.iter().find(|x| x.abs() > 1e-12 * size).unwrap_or(&-1.0);
        // A single number keeps its sign in U.
        let sign = if *first > 0.0 && (m, n) != (1, 1) { -1.0 } else { 1.0 };
        if to < rank {
            (0..m).for_each(|i| left[[i, to]] = T::from_f64(sign * column[i] / size));
        }
        (0..n).for_each(|i| right[[to, i]] = T::from_f64(sign * v[from * n + i]));
    }
    let left = if rank < n { completed(&left, n) } else { left };
    let size = |(to, &at): (usize, &usize)| T::from_f64(if to < rank { sizes[at] } else { 0.0 });
    (left, order.iter().enumerate().map(size).collect(), right)
}
