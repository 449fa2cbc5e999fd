//! Products with few rows in single precision, such as one token through the layers of a model: the right operand, a
//! weight, is read once, in the order of memory, and serves all rows. Packing it first, as `matrixmultiply` does, would
//! take longer than the product.
//!
//! A weight whose columns are contiguous (`nn.Linear` stores it transposed) is multiplied column by column, in tiles that
//! fill the registers: on the longest vectors [`TILE`] columns by as many rows, or [`WIDE`] columns by two rows; on vectors
//! of eight lanes [`NARROW`] columns by two rows. What is [`AHEAD`] is fetched meanwhile. More than [`PASS`] rows take several
//! passes over the columns that the second-level cache holds. A weight whose rows are contiguous is multiplied row by row,
//! [`TILE`] rows at a time, into sums that stay in the first-level cache.
//!
//! Threads take blocks of columns. Each element is the same chain of sums in every block and on all vectors;
//! where columns are contiguous, it is 16 chains, which are added at the end.
//!
//! Measured on one core of an AMD EPYC (Zen 5), microseconds, beside `matrixmultiply`: 768 terms, 768 columns that are
//! contiguous: 1 row 31 beside 264, 4 rows 50 beside 268, 16 rows 206 beside 269, 32 rows 399 beside 340. With contiguous
//! rows: 36 beside 160, 55 beside 160, 130 beside 158, 311 beside 244. One row reads 70 GB/s from the third-level cache.
//! Several passes, on two threads of an AMD EPYC (Zen 4), GFLOP/s: 768 terms and columns, 32 rows 179 beside 124, 64 rows
//! 182 beside 160, 128 rows 181 beside 185; 384 terms, 32 rows 145 beside 126, 64 rows 146 beside 159.

use std::borrow::Cow;

use ndarray::{ArrayView2, ArrayViewMut2, Axis};

use super::simd::{MOST_LANES, TableVector, VectorWork, run_on_vectors};
use super::{simd, stop, threads};

/// Most rows of one pass over the weight; with more, packing pays, but for long rows on the longest vectors.
const PASS: usize = 16;
/// Most rows of several passes.
const MOST: usize = 128;
/// Least terms for each row where columns are contiguous: adding up the lanes of a vector takes as long as 16 terms.
const TERMS: usize = 16;
/// The same for several passes, among which those columns are fetched once.
const TERMS_OF_PASSES: usize = 8;
/// Numbers of the columns that all passes use one after the other: half a megabyte.
const COLUMNS_OF_PASSES: usize = 1 << 17;
/// Least columns where rows are contiguous.
const COLUMNS: usize = 32;
/// Least numbers of the weight. A smaller one is packed in no time.
const LEAST: usize = 4096;
/// Numbers of the weight from which several threads read it.
const PARALLEL: usize = 1 << 17;
/// Columns, or rows, of the weight that are used together.
const TILE: usize = 4;
/// Columns that are used together by one or two rows, on the longest vectors.
const WIDE: usize = 8;
/// Columns that are used together by several rows, on vectors of eight lanes: six sums, of two vectors each.
const NARROW: usize = 3;
/// Numbers by which a large weight is fetched ahead, into the second-level cache: 48 kB. A processor follows one row of
/// memory by itself, and loses it where a tile begins: one core of an AMD EPYC (Zen 4) reads 768 terms of one row with
/// 23 GB/s instead of 13, as fast as it sums up numbers in a row, and of four rows with 18 instead of 12.
const AHEAD: usize = 3 << 12;
/// Sums that one thread keeps while it goes through rows of the weight: 16 kB.
const SUMS: usize = 4096;

/// Whether [`multiply`] is the fastest form of the product of these rows with this weight.
fn fits(a: &ArrayView2<f32>, weight: &ArrayView2<f32>) -> bool {
    let (terms, columns) = weight.dim();
    let rows = a.nrows();
    let long = match weight.strides() {
        [1, _] if rows > PASS => {
            // Rows that have to be copied first take longer.
            rows <= MOST && terms >= TERMS_OF_PASSES * rows && a.to_slice().is_some() && simd::has_longest()
        }
        [1, _] => terms >= TERMS * rows,
        [_, 1] => rows <= PASS && columns >= COLUMNS,
        _ => false,
    };
    rows > 0 && weight.len() >= LEAST && long && simd::has_vectors()
}

/// `out = alpha * a @ weight + beta * out`: (m, k) @ (k, n) into (m, n), if this is the fastest form; returns whether it is.
pub(super) fn multiply(
    alpha: f32,
    a: ArrayView2<f32>,
    weight: ArrayView2<f32>,
    beta: f32,
    mut out: ArrayViewMut2<f32>,
) -> bool {
    if !fits(&a, &weight) {
        return false;
    }
    let rows: Cow<[f32]> = match a.to_slice() {
        Some(rows) => Cow::Borrowed(rows),
        None => Cow::Owned(a.iter().copied().collect()),
    };
    let by_columns = weight.strides()[0] == 1;
    let is_large = weight.len() * a.nrows().div_ceil(PASS) >= PARALLEL;
    let parts =
        if is_large && threads::shares() { threads::count() * if by_columns { 4 } else { 1 } } else { 1 };
    let size = out.ncols().div_ceil(parts).next_multiple_of(MOST_LANES);
    let blocks = out.axis_chunks_iter_mut(Axis(1), size).zip(weight.axis_chunks_iter(Axis(1), size));
    threads::share_if(is_large, blocks, |(out, weight)| {
        let block = Block { alpha, rows: &rows, weight, beta, out, is_large };
        if by_columns { run_on_vectors(ByColumns(block)) } else { run_on_vectors(ByRows(block)) }
    });
    true
}

/// Some columns of a product.
struct Block<'a, 'o> {
    alpha: f32,
    /// The left operand, row by row.
    rows: &'a [f32],
    weight: ArrayView2<'a, f32>,
    beta: f32,
    out: ArrayViewMut2<'o, f32>,
    /// Whether the weight is too large for the second-level cache.
    is_large: bool,
}

impl<'a> Block<'a, '_> {
    /// Some columns of a row of the weight.
    fn row(&self, row: usize, first: usize, columns: usize) -> &'a [f32] {
        let row = self.weight.index_axis_move(Axis(0), row).to_slice();
        &row.expect("`fits` has checked that rows are contiguous")[first..first + columns]
    }

    /// Columns of the weight from `first` on. The last ones repeat the last column, whose sums are written once.
    fn columns<const C: usize>(&self, first: usize) -> [&'a [f32]; C] {
        std::array::from_fn(|at| {
            let column = (first + at).min(self.weight.ncols() - 1);
            let column = self.weight.index_axis_move(Axis(1), column).to_slice();
            column.expect("`fits` has checked that columns are contiguous")
        })
    }

    fn put(&mut self, row: usize, column: usize, sum: f32) {
        let out = &mut self.out[[row, column]];
        *out = if self.beta == 0.0 { self.alpha * sum } else { self.beta * *out + self.alpha * sum };
    }

    /// The sums of `R` rows with `C` columns of the weight, from these on; returns `R`. Each sum has as many chains as the
    /// longest vectors have lanes, in `PARTS` vectors.
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "closures would not be compiled for the processor's vectors"
    )]
    fn tile<V: TableVector, const R: usize, const C: usize, const PARTS: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) -> usize {
        let columns = self.columns::<C>(column);
        let terms = columns[0].len();
        let count = terms / MOST_LANES;
        // All of one length, so that no index in the loop is checked.
        let mut weights = [&[][..]; C];
        for c in 0..C {
            weights[c] = &columns[c].as_chunks::<MOST_LANES>().0[..count];
        }
        let mut rows = [&[][..]; R];
        for r in 0..R {
            rows[r] = &self.rows[(row + r) * terms..].as_chunks::<MOST_LANES>().0[..count];
        }
        let fetches = self.is_large && row == 0;
        let mut sums = [[[V::all(0.0); PARTS]; C]; R];
        for at in 0..count {
            for part in 0..PARTS {
                let lanes = part * V::LANES..;
                let mut x = [V::all(0.0); R];
                for r in 0..R {
                    x[r] = V::load(&rows[r][at][lanes.clone()]);
                }
                for c in 0..C {
                    let weight = V::load(&weights[c][at][lanes.clone()]);
                    if fetches {
                        simd::fetch(&weights[c][at][lanes.clone()], AHEAD);
                    }
                    for r in 0..R {
                        sums[r][c][part] = x[r].fma(weight, sums[r][c][part]);
                    }
                }
            }
        }
        for r in 0..R {
            for c in 0..C.min(self.out.ncols() - column) {
                let parts = &mut sums[r][c];
                let mut half = PARTS / 2;
                while half > 0 {
                    for part in 0..half {
                        parts[part] = parts[part].add(parts[part + half]);
                    }
                    half /= 2;
                }
                let mut sum = parts[0].sum();
                for at in count * MOST_LANES..terms {
                    sum = self.rows[(row + r) * terms + at].mul_add(columns[c][at], sum);
                }
                self.put(row + r, column + c, sum);
            }
        }
        R
    }
}

/// A weight whose columns are contiguous.
struct ByColumns<'a, 'o>(Block<'a, 'o>);

impl VectorWork for ByColumns<'_, '_> {
    #[inline(always)]
    fn run<V: TableVector>(self) {
        let mut block = self.0;
        let (terms, count) = block.weight.dim();
        let rows = block.rows.len() / terms;
        let width = match (V::LANES, rows) {
            (MOST_LANES, ..=2) => WIDE,
            (MOST_LANES, _) => TILE,
            (8, 2..) => NARROW,
            _ => TILE,
        };
        let size = if rows > PASS { (COLUMNS_OF_PASSES / terms).next_multiple_of(width) } else { count };
        for from in (0..count).step_by(size) {
            for pass in (0..rows).step_by(PASS) {
                for first in (from..count.min(from + size)).step_by(width) {
                    let (mut row, end) = (pass, rows.min(pass + PASS));
                    while row < end {
                        row += match (V::LANES, width, end - row) {
                            (MOST_LANES, WIDE, 2..) => block.tile::<V, 2, WIDE, 1>(row, first),
                            (MOST_LANES, WIDE, _) => block.tile::<V, 1, WIDE, 1>(row, first),
                            (MOST_LANES, _, 4..) => block.tile::<V, 4, TILE, 1>(row, first),
                            (MOST_LANES, _, 2..) => block.tile::<V, 2, TILE, 1>(row, first),
                            (MOST_LANES, _, _) => block.tile::<V, 1, TILE, 1>(row, first),
                            (8, NARROW, 2..) => block.tile::<V, 2, NARROW, 2>(row, first),
                            (8, NARROW, _) => block.tile::<V, 1, NARROW, 2>(row, first),
                            (8, _, _) => block.tile::<V, 1, TILE, 2>(row, first),
                            _ => block.tile::<V, 1, TILE, MOST_LANES>(row, first),
                        };
                    }
                }
            }
        }
    }
}

/// A weight whose rows are contiguous.
struct ByRows<'a, 'o>(Block<'a, 'o>);

impl VectorWork for ByRows<'_, '_> {
    #[inline(always)]
    fn run<V: TableVector>(self) {
        let mut block = self.0;
        let (terms, count) = block.weight.dim();
        let rows = block.rows.len() / terms;
        let width = (SUMS / rows / MOST_LANES * MOST_LANES).min(count);
        let mut sums = vec![0.0; rows * width];
        for first in (0..count).step_by(width) {
            stop::check();
            let columns = width.min(count - first);
            sums.fill(0.0);
            let whole = terms / TILE * TILE;
            for term in (0..whole).step_by(TILE) {
                let weights = std::array::from_fn(|at| block.row(term + at, first, columns));
                add_rows::<V, TILE>(&block.rows[term..], terms, weights, &mut sums, width);
            }
            for term in whole..terms {
                add_rows::<V, 1>(
                    &block.rows[term..],
                    terms,
                    [block.row(term, first, columns)],
                    &mut sums,
                    width,
                );
            }
            for (row, sums) in sums.chunks_exact(width).enumerate() {
                for (column, &sum) in sums[..columns].iter().enumerate() {
                    block.put(row, first + column, sum);
                }
            }
        }
    }
}

/// Adds rows of the weight to the sums, each times its number in every row of the left operand, which are `terms` apart.
#[inline(always)]
fn add_rows<V: TableVector, const K: usize>(
    rows: &[f32],
    terms: usize,
    weights: [&[f32]; K],
    sums: &mut [f32],
    width: usize,
) {
    let columns = weights[0].len();
    let whole = columns / V::LANES * V::LANES;
    for at in (0..whole).step_by(V::LANES) {
        let mut parts = [V::all(0.0); K];
        for k in 0..K {
            parts[k] = V::load(&weights[k][at..]);
        }
        for (row, sums) in rows.chunks(terms).zip(sums.chunks_exact_mut(width)) {
            let mut sum = V::load(&sums[at..]);
            for k in 0..K {
                sum = V::all(row[k]).fma(parts[k], sum);
            }
            sum.store(&mut sums[at..]);
        }
    }
    for at in whole..columns {
        for (row, sums) in rows.chunks(terms).zip(sums.chunks_exact_mut(width)) {
            for k in 0..K {
                sums[at] = row[k].mul_add(weights[k][at], sums[at]);
            }
        }
    }
}
