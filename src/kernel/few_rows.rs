//! Products with few rows in single precision, such as one token through the layers of a model: the right operand, a
//! weight, is read once, in the order of memory, and serves all rows. Packing it first, as `matrixmultiply` does, would
//! take longer than the product.
//!
//! - Columns of the weight are contiguous (`nn.Linear` stores it transposed), at most [`DOTS`] rows, so many only of a
//!   weight with [`MANY`] numbers: each element is a dot product on vectors, in tiles that fill the registers: [`WIDE`]
//!   columns by two rows on the longest vectors, half of [`NARROW`] on those of eight lanes. It is 16 chains of sums, which
//!   are added at the end.
//! - The same, at most [`MOST`] rows: vectors hold a number of each of 16 (or 8) rows, which are transposed for it, and
//!   meet the numbers of [`NARROW`] or [`WIDE`] columns, one after the other. More than 16 rows take several passes over
//!   columns that the second-level cache holds. An element is a chain of sums for each [`in_a_row`] terms.
//! - Rows of the weight are contiguous: row by row, [`TILE`] rows at a time, into sums that stay in the first-level cache.
//!
//! Threads take blocks of columns. Each element is the same chain of sums in every block and on all vectors.
//! A large weight is fetched [`AHEAD`].
//!
//! Measured on both cores of an AMD EPYC (Zen 3), GFLOP/s beside `matrixmultiply`, contiguous columns: 768 terms, 768
//! columns: 4 rows 75 beside 33, 8 rows 129 beside 62, 16 rows 164 beside 97, 64 rows 171 beside 150; 50,257 columns: 16
//! rows 169 beside 67, 64 rows 167 beside 120; 384 terms, 1,536 columns: 16 rows 163 beside 94, 64 rows 168 beside 136.
//! One core of an AMD EPYC (Zen 5), microseconds beside `matrixmultiply`: contiguous columns, 1 row 31 beside 264, 4 rows
//! 50 beside 268; contiguous rows, 1 row 36 beside 160, 4 rows 55 beside 160, 16 rows 130 beside 158. One row reads 70 GB/s
//! from the third-level cache.

#![allow(clippy::needless_range_loop, reason = "closures would not be compiled for the processor's vectors")]

use std::borrow::Cow;
use std::ops::Range;

use ndarray::{ArrayView2, ArrayViewMut2, Axis};

use super::simd::{MOST_LANES, TableVector, VectorWork, run_on_vectors};
use super::{simd, stop, threads};

/// Most rows whose elements are dot products, where columns are contiguous.
const DOTS: usize = 4;
/// Least rows whose elements are sums in the order of PyTorch's.
const LEAST_IN_ORDER: usize = 4;
/// Most rows of one pass over the weight.
const PASS: usize = 16;
/// Most rows of several passes; with more, packing pays.
const MOST: usize = 64;
/// Least terms of a dot product: adding up the lanes of a vector takes as long as 16 terms.
const TERMS: usize = 64;
/// Least terms for each row of several passes, whose results have to be transposed.
const TERMS_OF_PASSES: usize = 6;
/// Columns that all passes use one after the other: half a megabyte of numbers.
const COLUMNS_OF_PASSES: usize = 1 << 17;
/// Least columns where rows are contiguous.
const COLUMNS: usize = 32;
/// Numbers of a weight from which speed counts more than PyTorch's order.
const MANY: usize = 1 << 18;
/// Least numbers of the weight. A smaller one is packed in no time.
const LEAST: usize = 4096;
/// Numbers of the weight from which several threads read it.
const PARALLEL: usize = 1 << 17;
/// Rows of the weight that are used together.
const TILE: usize = 4;
/// Columns that are used together by rows in one vector, and by dot products on the longest vectors. As many pointers fit
/// into registers, and as many places of the first-level cache have the same address but for a multiple of 4 kB.
const WIDE: usize = 8;
/// Columns that are used together by rows in two vectors of eight lanes: twelve sums, as many as registers hold.
const NARROW: usize = 6;
/// Numbers by which a large weight is fetched ahead, into the second-level cache: 48 kB. A processor follows one row of
/// memory by itself, and loses it where a tile begins: one core of an AMD EPYC (Zen 4) reads 768 terms of one row with
/// 23 GB/s instead of 13, as fast as it sums up numbers in a row, and of four rows with 18 instead of 12.
const AHEAD: usize = 3 << 12;
/// Sums that one thread keeps while it goes through rows of the weight: 16 kB.
const SUMS: usize = 4096;

/// How many of so many terms of an element are one chain of sums, which is then added to the element: in single precision
/// the order of MKL's products on processors of AMD's with AVX-512, for at least four rows and more than eight columns,
/// whatever the strides. [`Form::Dots`] has another one.
pub(super) fn in_a_row(terms: usize) -> usize {
    match terms {
        0..=192 => terms,
        193..=384 => terms / 2,
        _ => 192,
    }
}

/// How a product is computed.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Dots,
    Lanes,
    Rows,
}

/// The form that is faster than packing, if one is.
fn form(a: &ArrayView2<f32>, weight: &ArrayView2<f32>) -> Option<Form> {
    let (terms, columns) = weight.dim();
    let rows = a.nrows();
    if rows == 0 || weight.len() < LEAST || !simd::has_vectors() {
        return None;
    }
    match weight.strides() {
        [1, _] if rows < LEAST_IN_ORDER || rows <= DOTS && weight.len() >= MANY => {
            (terms >= TERMS).then_some(Form::Dots)
        }
        [1, _] => (rows <= PASS || rows <= MOST && terms >= TERMS_OF_PASSES * rows).then_some(Form::Lanes),
        [_, 1] => (rows <= PASS && columns >= COLUMNS).then_some(Form::Rows),
        _ => None,
    }
}

/// `out = alpha * a @ weight + beta * out`: (m, k) @ (k, n) into (m, n), if this is the fastest form; returns whether it is.
pub(super) fn multiply(
    alpha: f32,
    a: ArrayView2<f32>,
    weight: ArrayView2<f32>,
    beta: f32,
    mut out: ArrayViewMut2<f32>,
) -> bool {
    let Some(form) = form(&a, &weight) else { return false };
    let rows: Cow<[f32]> = match a.to_slice() {
        _ if form == Form::Lanes => Cow::Owned(panels(a)),
        Some(rows) => Cow::Borrowed(rows),
        None => Cow::Owned(a.iter().copied().collect()),
    };
    let is_large = weight.len() * a.nrows().div_ceil(PASS) >= PARALLEL;
    let parts = if is_large && threads::shares() {
        threads::count() * if form == Form::Rows { 1 } else { 4 }
    } else {
        1
    };
    let size = out.ncols().div_ceil(parts).next_multiple_of(MOST_LANES);
    let blocks = out.axis_chunks_iter_mut(Axis(1), size).zip(weight.axis_chunks_iter(Axis(1), size));
    threads::share_if(is_large, blocks, |(out, weight)| {
        let block = Block { alpha, rows: &rows, weight, beta, out, is_large };
        match form {
            Form::Dots => run_on_vectors(Dots(block)),
            Form::Lanes => run_on_vectors(Lanes(block)),
            Form::Rows => run_on_vectors(ByRows(block)),
        }
    });
    true
}

/// Rows of a panel, of so many: the last panel may have half the rows. What is missing is 0.
fn width_of_panel(rows: usize) -> usize {
    if rows <= PASS / 2 && !simd::has_longest() { PASS / 2 } else { PASS }
}

/// The rows in panels of 16, each of which is transposed.
fn panels(a: ArrayView2<f32>) -> Vec<f32> {
    let (rows, terms) = a.dim();
    let last = (rows - 1) / PASS * PASS;
    let mut panels = vec![0.0; (last + width_of_panel(rows - last)) * terms];
    for (rows, panel) in a.axis_chunks_iter(Axis(0), PASS).zip(panels.chunks_mut(PASS * terms)) {
        let width = panel.len() / terms.max(1);
        // A few terms at a time, so that the lines that are read and written stay in the first-level cache.
        for (rows, panel) in rows.axis_chunks_iter(Axis(1), PASS).zip(panel.chunks_mut(PASS * width)) {
            for (at, row) in rows.outer_iter().enumerate() {
                for (&x, lanes) in row.iter().zip(panel.chunks_exact_mut(width)) {
                    lanes[at] = x;
                }
            }
        }
    }
    panels
}

/// Some columns of a product.
struct Block<'a, 'o> {
    alpha: f32,
    /// The left operand, row by row, or its panels.
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

    /// The sums of `R` rows with `C` columns of the weight, from these on. Each has as many chains as the longest vectors
    /// have lanes, in `PARTS` vectors.
    #[inline(always)]
    fn dots<V: TableVector, const R: usize, const C: usize, const PARTS: usize>(
        &mut self,
        row: usize,
        column: usize,
    ) {
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
    }

    /// The sums of the rows of a panel, in `R` vectors, with `C` columns of the weight from this one on. `row` is the first.
    #[inline(always)]
    fn lanes<V: TableVector, const R: usize, const C: usize>(&mut self, row: usize, column: usize) {
        let columns = self.columns::<C>(column);
        let terms = columns[0].len();
        let panel = &self.rows[row * terms..][..R * V::LANES * terms];
        // All of one length, so that no index in the loop is checked.
        let mut weights = [&[][..]; C];
        let fetches = self.is_large && row == 0;
        let (rows, width) = (PASS.min(self.out.nrows() - row), C.min(self.out.ncols() - column));
        let mut tile = [[0.0; PASS]; C];
        if self.beta != 0.0 {
            for r in 0..rows {
                for c in 0..width {
                    tile[c][r] = self.beta * self.out[[row + r, column + c]];
                }
            }
        }
        let step = in_a_row(terms).max(1);
        for (part, panel) in panel.chunks(step * R * V::LANES).enumerate() {
            let count = panel.len() / (R * V::LANES);
            for c in 0..C {
                weights[c] = &columns[c][part * step..][..count];
            }
            let mut sums = [[V::all(0.0); R]; C];
            for (at, numbers) in panel.chunks_exact(R * V::LANES).take(count).enumerate() {
                if fetches {
                    // Columns that follow each other: a line or less for each term.
                    simd::fetch(columns[0], AHEAD + (part * step + at) * C);
                }
                let mut x = [V::all(0.0); R];
                for r in 0..R {
                    x[r] = V::load(&numbers[r * V::LANES..]);
                }
                for c in 0..C {
                    let weight = V::all(weights[c][at]);
                    for r in 0..R {
                        sums[c][r] = x[r].fma(weight, sums[c][r]);
                    }
                }
            }
            for c in 0..C {
                for r in 0..R {
                    let lanes = &mut tile[c][r * V::LANES..];
                    sums[c][r].fma(V::all(self.alpha), V::load(lanes)).store(lanes);
                }
            }
        }
        for r in 0..rows {
            for c in 0..width {
                self.out[[row + r, column + c]] = tile[c][r];
            }
        }
    }

    /// All of one pass with some columns of the weight: [`Block::lanes`] for each tile.
    #[inline(always)]
    fn pass<V: TableVector, const R: usize, const C: usize>(&mut self, row: usize, columns: Range<usize>) {
        for first in columns.step_by(C) {
            self.lanes::<V, R, C>(row, first);
        }
    }
}

/// Few rows with a weight whose columns are contiguous.
struct Dots<'a, 'o>(Block<'a, 'o>);

impl VectorWork for Dots<'_, '_> {
    #[inline(always)]
    fn run<V: TableVector>(self) {
        let mut block = self.0;
        let (rows, columns) = block.out.dim();
        let width = if V::LANES == MOST_LANES { WIDE } else { NARROW / 2 };
        for first in (0..columns).step_by(width) {
            for row in (0..rows).step_by(2) {
                match (V::LANES, rows - row) {
                    (MOST_LANES, 1) => block.dots::<V, 1, WIDE, 1>(row, first),
                    (MOST_LANES, _) => block.dots::<V, 2, WIDE, 1>(row, first),
                    (8, 1) => block.dots::<V, 1, { NARROW / 2 }, 2>(row, first),
                    (8, _) => block.dots::<V, 2, { NARROW / 2 }, 2>(row, first),
                    (_, 1) => block.dots::<V, 1, { NARROW / 2 }, MOST_LANES>(row, first),
                    _ => block.dots::<V, 2, { NARROW / 2 }, MOST_LANES>(row, first),
                }
            }
        }
    }
}

/// More rows with a weight whose columns are contiguous.
struct Lanes<'a, 'o>(Block<'a, 'o>);

impl VectorWork for Lanes<'_, '_> {
    #[inline(always)]
    fn run<V: TableVector>(self) {
        let mut block = self.0;
        let (rows, columns) = block.out.dim();
        let terms = block.weight.nrows();
        let size = if rows > PASS { COLUMNS_OF_PASSES / terms.max(1) } else { columns };
        let size = size.next_multiple_of(WIDE * NARROW / 2);
        for first in (0..columns).step_by(size) {
            stop::check();
            let columns = first..columns.min(first + size);
            for row in (0..rows).step_by(PASS) {
                let columns = columns.clone();
                match (V::LANES, width_of_panel(rows - row)) {
                    (8, 16) => block.pass::<V, 2, NARROW>(row, columns),
                    (8 | 16, _) => block.pass::<V, 1, WIDE>(row, columns),
                    (_, 8) => block.pass::<V, 8, 1>(row, columns),
                    _ => block.pass::<V, 16, 1>(row, columns),
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
        // An element of one to three rows is summed otherwise in PyTorch.
        let step = if rows < LEAST_IN_ORDER { terms } else { in_a_row(terms) };
        let beta = block.beta;
        let width = (SUMS / rows / MOST_LANES * MOST_LANES).min(count);
        let mut sums = vec![0.0; rows * width];
        for first in (0..count).step_by(width) {
            stop::check();
            let columns = width.min(count - first);
            block.beta = beta;
            for start in (0..terms).step_by(step) {
                let end = terms.min(start + step);
                sums.fill(0.0);
                let whole = start + (end - start) / TILE * TILE;
                for term in (start..whole).step_by(TILE) {
                    let weights = std::array::from_fn(|at| block.row(term + at, first, columns));
                    add_rows::<V, TILE>(&block.rows[term..], terms, weights, &mut sums, width);
                }
                for term in whole..end {
                    let row = [block.row(term, first, columns)];
                    add_rows::<V, 1>(&block.rows[term..], terms, row, &mut sums, width);
                }
                for (row, sums) in sums.chunks_exact(width).enumerate() {
                    for (column, &sum) in sums[..columns].iter().enumerate() {
                        block.put(row, first + column, sum);
                    }
                }
                block.beta = 1.0;
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
