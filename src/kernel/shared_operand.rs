//! A batch of products of very few rows with one and the same matrix, which lies column by column: a linear layer on a
//! batch that is not contiguous, as in `nn.MultiheadAttention` without gradients.
//!
//! The sums equal those in `small.rs`, whose chains follow the terms; here as many columns are computed together as a
//! vector has numbers, so only the speed differs. The matrix is packed once for all products.

use ndarray::{ArrayView3, ArrayViewMut2, ArrayViewMut3, Axis};

use super::offset::{MatrixView, WithOffset, before_boundary};
use super::simd::{SimdWork, run_widest};
use super::small::{self, BlasLayout};
use super::{Real, threads};

/// Rows of a product up to which `small.rs` computes each element as a dot product.
const ROWS: usize = 3;
/// Columns that are computed together.
const COLUMNS: usize = 16;
/// Rows that are computed together.
const TOGETHER: usize = 4;

/// The terms of a sum: the first ones in order, then groups of as many as there are chains, then the rest in order.
#[derive(Clone, Copy)]
struct Terms {
    /// Terms of the first chain before the groups begin.
    before: usize,
    /// Groups of terms.
    groups: usize,
}

/// Whether a batch can be computed here, and the order of the terms.
fn terms<T: Real>(a: &WithOffset<ArrayView3<T>>, b: &MatrixView<T>) -> Option<Terms> {
    let (_, rows, length) = a.view.dim();
    let (width, strides) = (small::width::<T>(), a.view.strides());
    let straight = strides[2] == 1 && small::layout(&a.matrix(0).view) == BlasLayout::RowMajor;
    let by_columns = b.view.strides()[0] == 1 && small::layout(&b.view) == BlasLayout::ColumnMajor;
    if rows > ROWS || !straight || !by_columns {
        return None;
    }
    let before = if rows == 1 {
        // The first product starts the sum; every fourth column has the same boundary.
        1 + before_boundary::<T>(b.offset + 3 * b.view.strides()[1] + 1)
    } else {
        // All rows have the same boundary.
        let aligned = |stride: isize| stride % width as isize == 0;
        if !aligned(strides[0]) || !aligned(strides[1]) {
            return None;
        }
        a.before_boundary::<T>()
    };
    let groups = length.checked_sub(before)? / width;
    (groups > 0).then_some(Terms { before, groups })
}

/// Computes such a batch and returns whether it is one: (batch, m, k) @ (k, n) into (batch, m, n), which is contiguous; of
/// several products, none of them tiny.
pub(super) fn product<T: Real>(
    a: &WithOffset<ArrayView3<T>>,
    b: &MatrixView<T>,
    whole: &mut ArrayViewMut3<T>,
) -> bool {
    let (count, rows, columns) = whole.dim();
    // The columns after the last whole four have sums of another kind.
    let fours = columns / 4 * 4;
    let Some(terms) = terms(a, b).filter(|_| fours > 0) else { return false };
    let Some(out) = whole.as_slice_mut() else { return false };
    let mut lines: Vec<&[T]> = Vec::with_capacity(count * rows);
    for (at, row) in (0..count).flat_map(|at| (0..rows).map(move |row| (at, row))) {
        lines.push(
            a.matrix(at).row(row).view.to_slice().expect("`terms` has checked that rows are contiguous"),
        );
    }
    let out = ArrayViewMut2::from_shape((count * rows, columns), out).expect("as many numbers as before");
    let (mut out, _) = out.split_at(Axis(1), fours);
    let strips = out.axis_chunks_iter_mut(Axis(1), COLUMNS);
    threads::share(strips.enumerate(), |(strip, out)| {
        let first = strip * COLUMNS;
        let width = out.ncols();
        let mut packed = vec![[T::ZERO; COLUMNS]; b.view.nrows()];
        for (j, column) in b.view.columns().into_iter().skip(first).take(width).enumerate() {
            packed.iter_mut().zip(column).for_each(|(packed, &x)| packed[j] = x);
        }
        let (lines, packed) = (&lines[..], &packed[..]);
        match small::width::<T>() {
            4 => run_widest(Strip::<T, 4> { lines, packed, terms, out }),
            _ => run_widest(Strip::<T, 2> { lines, packed, terms, out }),
        }
    });
    if fours < columns {
        for (at, out) in whole.outer_iter_mut().enumerate() {
            small::columns_from(a.matrix(at), *b, fours, out);
        }
    }
    true
}

/// Some columns of all rows, in `L` chains.
struct Strip<'a, T, const L: usize> {
    lines: &'a [&'a [T]],
    packed: &'a [[T; COLUMNS]],
    terms: Terms,
    out: ArrayViewMut2<'a, T>,
}

impl<T: Real, const L: usize> SimdWork for Strip<'_, T, L> {
    const WIDEST: usize = 64;
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let (fours, rest) = self.lines.as_chunks::<TOGETHER>();
        for (number, &lines) in fours.iter().enumerate() {
            let sums = sums::<T, L, TOGETHER>(lines, self.packed, self.terms);
            for (r, sums) in sums.iter().enumerate() {
                self.out
                    .row_mut(number * TOGETHER + r)
                    .iter_mut()
                    .zip(sums)
                    .for_each(|(out, &sum)| *out = sum);
            }
        }
        for (number, &line) in rest.iter().enumerate() {
            let [sums] = sums::<T, L, 1>([line], self.packed, self.terms);
            self.out
                .row_mut(fours.len() * TOGETHER + number)
                .iter_mut()
                .zip(&sums)
                .for_each(|(out, &sum)| *out = sum);
        }
    }
}

/// Sums of products of `R` rows with each column. Products are rounded before they are added.
#[inline(always)]
fn sums<T: Real, const L: usize, const R: usize>(
    lines: [&[T]; R],
    packed: &[[T; COLUMNS]],
    terms: Terms,
) -> [[T; COLUMNS]; R] {
    let lines = lines.map(|line| &line[..packed.len()]);
    let mut chains = [[[T::ZERO; COLUMNS]; L]; R];
    let add = |sum: &mut [T; COLUMNS], x: T, b: &[T; COLUMNS]| {
        for c in 0..COLUMNS {
            sum[c] += x * b[c];
        }
    };
    for k in 0..terms.before {
        for r in 0..R {
            add(&mut chains[r][0], lines[r][k], &packed[k]);
        }
    }
    let end = terms.before + terms.groups * L;
    for k in (terms.before..end).step_by(L) {
        for l in 0..L {
            for r in 0..R {
                add(&mut chains[r][l], lines[r][k + l], &packed[k + l]);
            }
        }
    }
    // The halves of the chains are added to each other, then the remaining terms.
    let mut sums = [[T::ZERO; COLUMNS]; R];
    for r in 0..R {
        let mut half = L / 2;
        while half > 0 {
            let (low, high) = chains[r].split_at_mut(half);
            for (sums, others) in low.iter_mut().zip(high) {
                sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += *other);
            }
            half /= 2;
        }
        sums[r] = chains[r][0];
    }
    for k in end..packed.len() {
        for r in 0..R {
            add(&mut sums[r], lines[r][k], &packed[k]);
        }
    }
    sums
}
