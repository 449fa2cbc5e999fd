//! Products too small for blocking, in the order of summation that PyTorch's CPU build uses for them.
//! Sees ndarray views; no Tensor, no text. Reads addresses to know where 16-byte boundaries lie; follows none.
//! Source: measured on PyTorch 2.6 with MKL on x86 (products rounded before they are added; 16-byte vectors; a few
//! leading elements by themselves where a row does not start on a 16-byte boundary). Each rule below is stated
//! where it stands; `gemm.rs` says which products come here.

use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, s};

use super::Real;

/// How BLAS is told to read an operand of shape (rows, columns).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// Rows lie in memory one after another (or the operand is copied until they do).
    Plain,
    /// Columns do.
    Transposed,
}

/// Which of the two a view counts as: PyTorch asks the strides in this order.
pub(super) fn layout<T>(x: &ArrayView2<T>) -> Layout {
    let (rows, columns) = x.dim();
    let (row, column) = (x.strides()[0], x.strides()[1]);
    if column == 1 && row >= columns.max(1) as isize {
        Layout::Plain
    } else if row == 1 && column >= rows.max(1) as isize {
        Layout::Transposed
    } else {
        Layout::Plain
    }
}

/// How many numbers a 16-byte vector holds.
pub(super) const fn width<T>() -> usize {
    16 / size_of::<T>()
}

/// How many numbers stand before the next 16-byte boundary.
pub(super) fn peel<T>(pointer: *const T) -> usize {
    let width = width::<T>();
    (width - (pointer as usize / size_of::<T>()) % width) % width
}

/// Whether a product replaces what `out` held or is added to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Onto {
    /// `out = a @ b`.
    Nothing,
    /// `out += a @ b`.
    Out,
}

impl Onto {
    /// Puts one finished sum where it belongs.
    fn put<T: Real>(self, out: &mut T, sum: T) {
        *out = if self == Onto::Out { *out + sum } else { sum };
    }
}

/// `out = a @ b` (or onto `out`) for a product of which one side is short; `vector`: one row or one column counts
/// as a vector, as it does outside of batches.
pub(super) fn product<T: Real>(
    a: ArrayView2<T>,
    b: ArrayView2<T>,
    onto: Onto,
    vector: bool,
    mut out: ArrayViewMut2<T>,
) {
    let (rows, columns) = out.dim();
    if vector && rows == 1 && columns == 1 {
        let start = if onto == Onto::Out { out[[0, 0]] } else { T::ZERO };
        out[[0, 0]] = a.row(0).iter().zip(b.column(0)).fold(start, |sum, (&a, &b)| sum + a * b);
        return;
    }
    if vector && rows == 1 {
        return matvec(b.reversed_axes(), a.row(0), onto, out.row_mut(0));
    }
    if vector && columns == 1 {
        return matvec(a, b.column(0), onto, out.column_mut(0));
    }
    match (layout(&a), layout(&b)) {
        (Layout::Plain, Layout::Transposed) => {
            for (a, mut out) in a.outer_iter().zip(out.outer_iter_mut()) {
                row_of_dots(a, b.t(), |j, sum| onto.put(&mut out[j], sum));
            }
        }
        (Layout::Transposed, Layout::Transposed) => {
            for (a, mut out) in a.outer_iter().zip(out.outer_iter_mut()) {
                for (b, out) in b.columns().into_iter().zip(&mut out) {
                    let sum = if width::<T>() == 4 {
                        in_turn(a, b)
                    } else {
                        in_lanes(a, b, peel(b.as_ptr()), 8, T::ZERO)
                    };
                    onto.put(out, sum);
                }
            }
        }
        (_, Layout::Plain) => rows_of_sums(a, b, onto, true, out),
    }
}

/// `out = a @ b` (or onto `out`), each row a sum of `b`'s rows. With `peels`, a row that starts off a 16-byte
/// boundary has its leading elements computed by themselves, unless nothing else would be left.
fn rows_of_sums<T: Real>(
    a: ArrayView2<T>,
    b: ArrayView2<T>,
    onto: Onto,
    peels: bool,
    mut out: ArrayViewMut2<T>,
) {
    let columns = out.ncols();
    if out.is_empty() {
        return;
    }
    if onto == Onto::Nothing {
        out.fill(T::ZERO);
    }
    for i in 0..out.nrows() {
        let (a, mut out) = (a.row(i), out.row_mut(i));
        let first = if peels { peel(out.as_ptr()) } else { 0 };
        let first = if first + width::<T>() <= columns { first } else { 0 };
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
            _ => rows_added(a, b.slice(s![.., first..]), out.slice_mut(s![first..])),
        }
    }
}

/// The rows that blocks of four leave over, in double precision: by vectors where `b` is transposed.
pub(super) fn lower_edge<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, onto: Onto, mut out: ArrayViewMut2<T>) {
    if layout(&a) == Layout::Plain && layout(&b) == Layout::Transposed {
        for (a, out) in a.outer_iter().zip(out.outer_iter_mut()) {
            matvec(b.reversed_axes(), a, onto, out);
        }
    } else {
        product(a, b, onto, false, out);
    }
}

/// `out = a @ b`, every element one product after another: what tiny batches get.
pub(super) fn product_in_turn<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, mut out: ArrayViewMut2<T>) {
    if layout(&b) == Layout::Plain {
        return rows_of_sums(a, b, Onto::Nothing, false, out);
    }
    for (a, mut out) in a.outer_iter().zip(out.outer_iter_mut()) {
        for (b, out) in b.columns().into_iter().zip(&mut out) {
            *out = match (a.as_slice(), b.as_slice()) {
                (Some(a), Some(b)) => a.iter().zip(b).fold(T::ZERO, |sum, (&a, &b)| sum + a * b),
                _ => in_turn(a, b),
            };
        }
    }
}

/// `out = a @ x`, or onto `out`.
pub(super) fn matvec<T: Real>(a: ArrayView2<T>, x: ArrayView1<T>, onto: Onto, mut out: ArrayViewMut1<T>) {
    if layout(&a.t()) == Layout::Transposed {
        dots(a, x, |i, sum| onto.put(&mut out[i], sum));
    } else {
        if onto == Onto::Nothing {
            out.fill(T::ZERO);
        }
        rows_added(x, a.reversed_axes(), out);
    }
}

/// Onto `out` the sum of `b`'s rows, each times its element of `a`, one after another.
fn rows_added<T: Real>(a: ArrayView1<T>, b: ArrayView2<T>, mut out: ArrayViewMut1<T>) {
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

/// Σ x_i y_i one after another.
pub(super) fn in_turn<T: Real>(x: ArrayView1<T>, y: ArrayView1<T>) -> T {
    x.iter().zip(y).fold(T::ZERO, |sum, (&x, &y)| sum + x * y)
}

/// `sum` + Σ x_i y_i, of each whole eight the second four by themselves.
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

/// One row of a product with a transposed operand: columns four at a time, the rest in eight lanes.
fn row_of_dots<T: Real>(a: ArrayView1<T>, columns: ArrayView2<T>, mut put: impl FnMut(usize, T)) {
    let fours = columns.nrows() / 4 * 4;
    let width = width::<T>();
    let first = peel(a.as_ptr());
    for (j, column) in columns.outer_iter().enumerate() {
        let lanes = if j < fours { width } else { 8 };
        put(j, in_lanes(a, column, first, lanes, T::ZERO));
    }
}

/// Matrix times vector where the matrix' rows lie straight: rows four at a time, the rest by themselves.
///
/// The first product stands alone; then come elements up to a boundary, of the fourth row for rows in fours
/// and of the vector for the others, which work in eights: the first in two vectors, the second in one, the third in eight lanes.
/// A vector with a stride knows no boundaries: rows by themselves then have eight chains.
fn dots<T: Real>(a: ArrayView2<T>, x: ArrayView1<T>, mut put: impl FnMut(usize, T)) {
    let (rows, n) = a.dim();
    if n == 0 {
        (0..rows).for_each(|i| put(i, T::ZERO));
        return;
    }
    let width = width::<T>();
    let copy = x.as_slice().is_none().then(|| x.to_vec());
    let strided = copy.is_some();
    let x = copy.as_deref().or(x.to_slice()).unwrap_or_default();
    let fours = rows / 4 * 4;
    let first = peel(x.as_ptr().wrapping_add(1));
    for i in 0..rows {
        let copy = a.row(i).as_slice().is_none().then(|| a.row(i).to_vec());
        let row = copy.as_deref().or(a.row(i).to_slice()).unwrap_or_default();
        let start = row[0] * x[0];
        let sum = if i < fours {
            let first = peel(a.row(i / 4 * 4 + 3).as_ptr().wrapping_add(1));
            in_lanes_straight(&row[1..], &x[1..], first, width, start)
        } else if strided {
            in_chains(&row[1..], &x[1..], start)
        } else {
            let lanes = match i - fours {
                0 => 2 * width,
                1 => width,
                _ => 8,
            };
            let most = (1 + first + n.saturating_sub(1 + first) / 8 * 8).min(n);
            let sum = in_lanes_straight(&row[1..most], &x[1..most], first, lanes, start);
            row[most..].iter().zip(&x[most..]).fold(sum, |sum, (&a, &x)| sum + a * x)
        };
        put(i, sum);
    }
}

/// `start` + Σ x_i y_i in eight chains, added up one after another; fewer than sixteen terms: one after another.
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

/// Σ x_i y_i: `first` elements one by one onto `start`, which is then the first lane; whole vectors of `lanes`;
/// halves of the lanes onto each other; what is left one by one. Too few for one vector: all one by one.
fn in_lanes<T: Real>(x: ArrayView1<T>, y: ArrayView1<T>, first: usize, lanes: usize, start: T) -> T {
    match (x.as_slice(), y.as_slice()) {
        (Some(x), Some(y)) => in_lanes_straight(x, y, first, lanes, start),
        _ => in_lanes_straight(&x.to_vec(), &y.to_vec(), first, lanes, start),
    }
}

fn in_lanes_straight<T: Real>(x: &[T], y: &[T], first: usize, lanes: usize, start: T) -> T {
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
    // Neighbouring vectors onto each other, then the halves of what is left.
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
