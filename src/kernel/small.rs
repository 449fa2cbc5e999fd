//! Products too small for the blocked kernel, in the order of summation of PyTorch's CPU build.
//! Source: measured on PyTorch 2.6 with MKL on x86: products are rounded before they are added, vectors have 16 bytes,
//! and the leading elements of a row that starts between 16-byte boundaries are added on their own. Each function states
//! its rule; `gemm.rs` says which products come here.

use std::borrow::Cow;

use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, s};

use super::Real;
use super::offset::{MatrixView, MatrixViewMut, VectorView, before_boundary};

/// How BLAS reads an operand of shape (rows, columns).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlasLayout {
    /// Row by row (an operand with other strides is copied to this layout).
    RowMajor,
    /// Column by column.
    ColumnMajor,
}

/// The layout that PyTorch takes a matrix for: it tests the strides in this order.
pub(super) fn layout<T>(x: &ArrayView2<T>) -> BlasLayout {
    let (rows, columns) = x.dim();
    let (row, column) = (x.strides()[0], x.strides()[1]);
    if column == 1 && row >= columns.max(1) as isize {
        BlasLayout::RowMajor
    } else if row == 1 && column >= rows.max(1) as isize {
        BlasLayout::ColumnMajor
    } else {
        BlasLayout::RowMajor
    }
}

/// Numbers in a 16-byte vector.
pub(super) const fn width<T>() -> usize {
    16 / size_of::<T>()
}

/// Whether a product replaces the values of `out` or is added to them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ProductTarget {
    /// `out = a @ b`.
    Replace,
    /// `out += a @ b`.
    Add,
}

impl ProductTarget {
    /// Writes one finished sum to `out`.
    fn put<T: Real>(self, out: &mut T, sum: T) {
        *out = if self == ProductTarget::Add { *out + sum } else { sum };
    }
}

/// The product of operands of which one side is short, into `out`. With `vector`, a single row or column is computed as
/// a vector, as it is outside of batches.
pub(super) fn product<T: Real>(
    a: MatrixView<T>,
    b: MatrixView<T>,
    target: ProductTarget,
    vector: bool,
    mut out: MatrixViewMut<T>,
) {
    let (rows, columns) = out.view.dim();
    if vector && rows == 1 && columns == 1 {
        let start = if target == ProductTarget::Add { out.view[[0, 0]] } else { T::ZERO };
        let pairs = a.view.row(0).into_iter().zip(b.view.column(0));
        out.view[[0, 0]] = pairs.fold(start, |sum, (&a, &b)| sum + a * b);
        return;
    }
    if vector && rows == 1 {
        return matvec(b.t(), a.row(0), target, out.view.row_mut(0));
    }
    if vector && columns == 1 {
        return matvec(a, b.column(0), target, out.view.column_mut(0));
    }
    match (layout(&a.view), layout(&b.view)) {
        (BlasLayout::RowMajor, BlasLayout::ColumnMajor) => {
            for (i, mut out) in out.view.outer_iter_mut().enumerate() {
                row_of_dots(a.row(i), b.view.t(), 0, |j, sum| target.put(&mut out[j], sum));
            }
        }
        (BlasLayout::ColumnMajor, BlasLayout::ColumnMajor) => {
            for (a, mut out) in a.view.outer_iter().zip(out.view.outer_iter_mut()) {
                for (j, out) in out.iter_mut().enumerate() {
                    let b = b.column(j);
                    let sum = if width::<T>() == 4 {
                        in_turn(a, b.view)
                    } else {
                        in_lanes(a, b.view, b.before_boundary::<T>(), 8, T::ZERO)
                    };
                    target.put(out, sum);
                }
            }
        }
        (_, BlasLayout::RowMajor) => rows_of_sums(a.view, b.view, target, true, out),
    }
}

/// The product with each row computed as a sum of the rows of `b`. With `by_boundary`, the elements of a row before its
/// first 16-byte boundary are computed on their own, unless less than a vector would remain.
fn rows_of_sums<T: Real>(
    a: ArrayView2<T>,
    b: ArrayView2<T>,
    target: ProductTarget,
    by_boundary: bool,
    mut out: MatrixViewMut<T>,
) {
    let columns = out.view.ncols();
    if out.view.is_empty() {
        return;
    }
    if target == ProductTarget::Replace {
        out.view.fill(T::ZERO);
    }
    for i in 0..out.view.nrows() {
        let (a, out) = (a.row(i), out.row_mut(i));
        let first = if by_boundary { out.before_boundary::<T>() } else { 0 };
        let first = if first + width::<T>() <= columns { first } else { 0 };
        let mut out = out.view;
        for (j, out) in out.iter_mut().take(first).enumerate() {
            *out = in_eights(a, b.column(j), *out);
        }
        match (out.as_slice_mut(), b.as_slice()) {
            (Some(out), Some(b)) => {
                for (&a, b) in a.iter().zip(b.chunks_exact(columns)) {
                    for (out, &b) in out[first..].iter_mut().zip(&b[first..]) {
                        *out += a * b;
                    }
                }
            }
            _ => add_rows(a, b.slice(s![.., first..]), out.slice_mut(s![first..])),
        }
    }
}

/// The last rows of a product in double precision, fewer than four; as vectors where `b` is transposed.
pub(super) fn lower_edge<T: Real>(
    a: MatrixView<T>,
    b: MatrixView<T>,
    target: ProductTarget,
    mut out: MatrixViewMut<T>,
) {
    if layout(&a.view) == BlasLayout::RowMajor && layout(&b.view) == BlasLayout::ColumnMajor {
        for (i, out) in out.view.outer_iter_mut().enumerate() {
            matvec(b.t(), a.row(i), target, out);
        }
    } else {
        product(a, b, target, false, out);
    }
}

/// `out = a @ b` with the terms of every element added in order, as in a batch of tiny products.
pub(super) fn product_in_turn<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, mut out: MatrixViewMut<T>) {
    if layout(&b) == BlasLayout::RowMajor {
        return rows_of_sums(a, b, ProductTarget::Replace, false, out);
    }
    for (a, mut out) in a.outer_iter().zip(out.view.outer_iter_mut()) {
        for (b, out) in b.columns().into_iter().zip(&mut out) {
            *out = match (a.as_slice(), b.as_slice()) {
                (Some(a), Some(b)) => a.iter().zip(b).fold(T::ZERO, |sum, (&a, &b)| sum + a * b),
                _ => in_turn(a, b),
            };
        }
    }
}

/// A matrix times a vector into `out`.
pub(super) fn matvec<T: Real>(
    a: MatrixView<T>,
    x: VectorView<T>,
    target: ProductTarget,
    mut out: ArrayViewMut1<T>,
) {
    if layout(&a.view.t()) == BlasLayout::ColumnMajor {
        dots(a, x, 0, |i, sum| target.put(&mut out[i], sum));
    } else {
        if target == ProductTarget::Replace {
            out.fill(T::ZERO);
        }
        add_rows(x.view, a.view.reversed_axes(), out);
    }
}

/// Adds the rows of `b` to `out` in order, each times its element of `a`.
fn add_rows<T: Real>(a: ArrayView1<T>, b: ArrayView2<T>, mut out: ArrayViewMut1<T>) {
    for (&a, b) in a.iter().zip(b.outer_iter()) {
        match (out.as_slice_mut(), b.as_slice()) {
            (Some(out), Some(b)) => {
                for (out, &b) in out.iter_mut().zip(b) {
                    *out += a * b;
                }
            }
            _ => {
                for (out, &b) in out.iter_mut().zip(b) {
                    *out += a * b;
                }
            }
        }
    }
}

/// Σ x_i y_i, the terms added in order.
pub(super) fn in_turn<T: Real>(x: ArrayView1<T>, y: ArrayView1<T>) -> T {
    x.iter().zip(y).fold(T::ZERO, |sum, (&x, &y)| sum + x * y)
}

/// `sum` + Σ x_i y_i; of each whole eight terms the second four are summed on their own.
fn in_eights<T: Real>(x: ArrayView1<T>, y: ArrayView1<T>, mut sum: T) -> T {
    let n = x.len();
    for i in (0..n / 8 * 8).step_by(8) {
        let mut second = x[i + 4] * y[i + 4];
        for i in i + 5..i + 8 {
            second += x[i] * y[i];
        }
        for i in i..i + 4 {
            sum += x[i] * y[i];
        }
        sum += second;
    }
    for i in n / 8 * 8..n {
        sum += x[i] * y[i];
    }
    sum
}

/// The columns from `start` on of a product in a batch, of a row-major operand and one that lies column by column.
pub(super) fn columns_from<T: Real>(
    a: MatrixView<T>,
    b: MatrixView<T>,
    start: usize,
    mut out: ArrayViewMut2<T>,
) {
    if out.nrows() == 1 {
        return dots(b.t(), a.row(0), start, |j, sum| out[[0, j]] = sum);
    }
    for (i, mut out) in out.outer_iter_mut().enumerate() {
        row_of_dots(a.row(i), b.view.t(), start, |j, sum| out[j] = sum);
    }
}

/// One row of a product with a transposed operand, from column `start` on: columns four at a time, the rest in eight lanes.
fn row_of_dots<T: Real>(
    a: VectorView<T>,
    columns: ArrayView2<T>,
    start: usize,
    mut put: impl FnMut(usize, T),
) {
    let fours = columns.nrows() / 4 * 4;
    let width = width::<T>();
    let first = a.before_boundary::<T>();
    for (j, column) in columns.outer_iter().enumerate().skip(start) {
        let lanes = if j < fours { width } else { 8 };
        put(j, in_lanes(a.view, column, first, lanes, T::ZERO));
    }
}

/// The elements of a vector, copied if they are not contiguous.
fn contiguous<'a, T: Real>(x: &'a ArrayView1<T>) -> Cow<'a, [T]> {
    x.as_slice().map_or_else(|| Cow::Owned(x.to_vec()), Cow::Borrowed)
}

/// A matrix times a vector where the rows of the matrix are contiguous, from row `begin` on: rows four at a time, the rest
/// one by one.
///
/// The first product starts the sum. Then come the elements up to a 16-byte boundary: of the fourth row for groups of
/// four rows, of the vector for single rows. Single rows work in eights: the first in two vectors, the second in
/// one, the third in eight lanes. With a strided vector, single rows have eight chains instead.
fn dots<T: Real>(a: MatrixView<T>, x: VectorView<T>, begin: usize, mut put: impl FnMut(usize, T)) {
    let (rows, n) = a.view.dim();
    if n == 0 {
        (begin..rows).for_each(|i| put(i, T::ZERO));
        return;
    }
    let width = width::<T>();
    let strided = x.view.as_slice().is_none();
    let first = before_boundary::<T>(x.offset + 1);
    let x = contiguous(&x.view);
    let fours = rows / 4 * 4;
    for i in begin..rows {
        let row = a.view.row(i);
        let row = contiguous(&row);
        let start = row[0] * x[0];
        let sum = if i < fours {
            let first = before_boundary::<T>(a.row(i / 4 * 4 + 3).offset + 1);
            in_lanes_contiguous(&row[1..], &x[1..], first, width, start)
        } else if strided {
            in_chains(&row[1..], &x[1..], start)
        } else {
            let lanes = match i - fours {
                0 => 2 * width,
                1 => width,
                _ => 8,
            };
            let most = (1 + first + n.saturating_sub(1 + first) / 8 * 8).min(n);
            let sum = in_lanes_contiguous(&row[1..most], &x[1..most], first, lanes, start);
            row[most..].iter().zip(&x[most..]).fold(sum, |sum, (&a, &x)| sum + a * x)
        };
        put(i, sum);
    }
}

/// `start` + Σ x_i y_i in eight chains, which are then added in order; fewer than sixteen terms are added in order.
fn in_chains<T: Real>(x: &[T], y: &[T], start: T) -> T {
    let whole = if x.len() < 16 { 0 } else { x.len() / 8 * 8 };
    let mut chains = [T::ZERO; 8];
    chains[0] = start;
    for (x, y) in x[..whole].chunks_exact(8).zip(y[..whole].chunks_exact(8)) {
        for ((chain, &x), &y) in chains.iter_mut().zip(x).zip(y) {
            *chain += x * y;
        }
    }
    let sum = chains[1..].iter().fold(chains[0], |sum, &chain| sum + chain);
    x[whole..].iter().zip(&y[whole..]).fold(sum, |sum, (&x, &y)| sum + x * y)
}

/// `start` + Σ x_i y_i: the first `first` terms in order make the first lane; then come whole groups of `lanes` terms;
/// the halves of the lanes are added to each other, and the remaining terms in order. Without a whole group all terms
/// are added in order.
fn in_lanes<T: Real>(x: ArrayView1<T>, y: ArrayView1<T>, first: usize, lanes: usize, start: T) -> T {
    match (x.as_slice(), y.as_slice()) {
        (Some(x), Some(y)) => in_lanes_contiguous(x, y, first, lanes, start),
        _ => in_lanes_contiguous(&x.to_vec(), &y.to_vec(), first, lanes, start),
    }
}

fn in_lanes_contiguous<T: Real>(x: &[T], y: &[T], first: usize, lanes: usize, start: T) -> T {
    let add = |sum: T, x: &[T], y: &[T]| x.iter().zip(y).fold(sum, |sum, (&x, &y)| sum + x * y);
    if x.len() < first + lanes {
        return add(start, x, y);
    }
    let mut acc = [T::ZERO; 8];
    acc[0] = add(start, &x[..first], &y[..first]);
    let (x, y) = (x[first..].chunks_exact(lanes), y[first..].chunks_exact(lanes));
    let (x_rest, y_rest) = (x.remainder(), y.remainder());
    for (x, y) in x.zip(y) {
        for ((acc, &x), &y) in acc.iter_mut().zip(x).zip(y) {
            *acc += x * y;
        }
    }
    // Neighbouring vectors are added to each other, then the halves of the last one.
    let width = width::<T>();
    let mut vectors = lanes / width;
    while vectors > 1 {
        vectors /= 2;
        for v in 0..vectors {
            for l in 0..width {
                acc[v * width + l] = acc[2 * v * width + l] + acc[(2 * v + 1) * width + l];
            }
        }
    }
    let mut half = width / 2;
    while half > 0 {
        for i in 0..half {
            let other = acc[i + half];
            acc[i] += other;
        }
        half /= 2;
    }
    add(acc[0], x_rest, y_rest)
}
