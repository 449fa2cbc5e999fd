//! The solution of a system of equations that leaves the least squares, and of several such the shortest.
//! Source: Golub & Van Loan, chapter 5; the fields are named as in LAPACK's gelsy.

use super::linalg::{Matrix, qr, svd};
use super::{Real, stop};

/// The solution of one system, with what is known of it.
pub(crate) struct LeastSquares<T> {
    /// x of a x = b: (columns of a, columns of b).
    pub(crate) solution: Matrix<T>,
    /// The sum of the squares of what each column of b is away.
    pub(crate) residuals: Vec<T>,
    /// How many singular values of a are larger than `rcond` times the largest.
    pub(crate) rank: usize,
    /// The singular values of a, largest first.
    pub(crate) sizes: Vec<T>,
}

/// Solves a x = b for `a` (m, n) and `b` (m, k): by a QR factorisation if `a` has full rank, else by singular values.
pub(crate) fn least_squares<T: Real>(a: &Matrix<T>, b: &Matrix<T>, rcond: T) -> LeastSquares<T> {
    let (u, sizes, vt) = svd(a);
    let least = sizes.first().map_or(T::ZERO, |&most| most * rcond);
    let rank = sizes.iter().filter(|&&size| size > least).count();
    let solution = if rank < a.rows.min(a.columns) {
        let mut shares = product(&u.transposed(), b);
        for (at, &size) in sizes.iter().enumerate() {
            for share in &mut shares.data[at * b.columns..(at + 1) * b.columns] {
                *share = if size > least { *share / size } else { T::ZERO };
            }
        }
        product(&vt.transposed(), &shares)
    } else if a.rows >= a.columns {
        let (q, r) = qr(a, false);
        backwards(&r, product(&q.transposed(), b))
    } else {
        let (q, r) = qr(&a.transposed(), false);
        product(&q, &forwards(&r.transposed(), b.clone()))
    };
    let reached = product(a, &solution);
    let mut residuals = vec![T::ZERO; b.columns];
    for (at, (&reached, &wanted)) in reached.data.iter().zip(&b.data).enumerate() {
        let apart = reached - wanted;
        residuals[at % b.columns] += apart * apart;
    }
    LeastSquares { solution, residuals, rank, sizes }
}

fn product<T: Real>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    let mut out = Matrix::new(vec![T::ZERO; a.rows * b.columns], a.rows, b.columns);
    for i in 0..a.rows {
        stop::check();
        for k in 0..a.columns {
            let share = a.data[i * a.columns + k];
            for j in 0..b.columns {
                out.data[i * b.columns + j] += share * b.data[k * b.columns + j];
            }
        }
    }
    out
}

/// x of r x = b for an upper triangle.
fn backwards<T: Real>(r: &Matrix<T>, mut b: Matrix<T>) -> Matrix<T> {
    for i in (0..r.columns).rev() {
        substitute(r, &mut b, i, i + 1..r.columns);
    }
    b
}

/// x of l x = b for a lower triangle.
fn forwards<T: Real>(l: &Matrix<T>, mut b: Matrix<T>) -> Matrix<T> {
    for i in 0..l.columns {
        substitute(l, &mut b, i, 0..i);
    }
    b
}

fn substitute<T: Real>(a: &Matrix<T>, b: &mut Matrix<T>, row: usize, known: std::ops::Range<usize>) {
    stop::check();
    for column in 0..b.columns {
        let sum = known.clone().fold(b.data[row * b.columns + column], |sum, at| {
            sum - a.data[row * a.columns + at] * b.data[at * b.columns + column]
        });
        b.data[row * b.columns + column] = sum / a.data[row * a.columns + row];
    }
}
