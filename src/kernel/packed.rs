//! Products of many columns, both operands of which are packed for the tiles of `tiles.rs`. `gemm.rs` says which products
//! come here. Terms are added in the same order as in the blocked kernel; only the speed differs.
//!
//! The right operand is packed in panels of at most 48 columns, and a block of rows of the left one in strips of eight
//! rows. A block of the result stays in the second cache until all chains of terms were added to it: `matrixmultiply` is
//! called for each chain of 192 terms, and reads and writes the whole result each time.
//!
//! Measured on two cores of an Intel Xeon (Sapphire Rapids), whose multiply-adds reach 410 to 440 GFLOP/s together:
//! `F.linear` in GFLOP/s, beside `matrixmultiply` and PyTorch 2.6 (MKL), (m, k, n): 2048, 768, 2304: 304 beside 234 and 303;
//! 2048, 768, 3072: 308 beside 238 and 316; 2048, 768, 768: 307 beside 297 and 310; 1024, 1024, 1024: 294 beside 278 and
//! 330; 512, 512, 512: 307 beside 284 and 329. A tile alone, with operands in the first two caches, takes 205 to 215 of the
//! 213 to 228 that one core reaches; with the left operand where it lies (`unpacked.rs`), 165.

use std::ops::Range;

use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use super::simd::{SimdWork, run_widest, vector_bytes};
use super::tiles::{LANES, Start, Vectors, ZEROS, multiply, numbers, prefetch, strips};
use super::unpacked::{FEW, pack};
use super::{buffer_pool, stop, unpacked};

/// Terms of a chain.
pub(super) const DEPTH: usize = 192;
/// Rows that are computed together.
const ROWS: usize = 8;
/// Vectors of columns that are computed together.
const VECTORS: usize = 3;
/// Rows of the left operand that are packed at once.
const BLOCK: usize = 192;
/// Columns of the right operand, and chains, that are packed at once.
const COLUMNS: usize = 768;
const CHAINS: usize = 16;

/// Columns up to which packing a block of rows takes longer than it saves.
const NARROW: usize = 128;

/// Whether [`product`] can compute this, and is faster than the blocked kernel and the products of `unpacked.rs`.
pub(super) fn fits<T>(out: &ArrayViewMut2<T>) -> bool {
    let (rows, columns) = out.dim();
    let least = if rows < BLOCK { unpacked::COLUMNS } else { NARROW };
    vector_bytes() == 64 && rows > FEW && columns > least && out.strides()[1] == 1
}

/// The terms of each chain of a sum of `k` terms.
pub(super) fn chains(k: usize, deepest: usize) -> impl Iterator<Item = Range<usize>> {
    let mut first = 0_usize;
    std::iter::from_fn(move || {
        let most = if k > deepest && k / 2 < deepest { k / 2 } else { deepest };
        let terms = first..k.min(first.saturating_add(most));
        first = terms.end;
        (!terms.is_empty()).then_some(terms)
    })
}

/// `out = start + a @ b`; each element of the product is a sum of chains of multiply-adds, each from 0.
pub(super) fn product(
    a: ArrayView2<f32>,
    b: ArrayView2<f32>,
    start: Start<f32>,
    mut out: ArrayViewMut2<f32>,
) {
    let columns = b.ncols();
    let width = columns.div_ceil(columns.div_ceil(COLUMNS)).next_multiple_of(VECTORS * LANES);
    let parts = out.axis_chunks_iter_mut(Axis(1), width).zip(b.axis_chunks_iter(Axis(1), width));
    for (number, (out, b)) in parts.enumerate() {
        columns_of(a, b, start.columns(number * width, b.ncols()), out);
    }
}

/// Some columns of the product.
fn columns_of(a: ArrayView2<f32>, b: ArrayView2<f32>, start: Start<f32>, mut out: ArrayViewMut2<f32>) {
    let vectors = b.ncols().div_ceil(LANES);
    // As many panels as needed, of equal width.
    let panel = vectors.div_ceil(vectors.div_ceil(VECTORS)) * LANES;
    let line = vectors * LANES;
    let mut right = buffer_pool::take::<f32>(line * b.nrows().min(CHAINS * DEPTH) + LANES);
    let mut left = buffer_pool::take::<f32>(BLOCK * DEPTH.min(b.nrows()));
    // Each vector is one cache line.
    let aligned = right.as_ptr().align_offset(64);
    let all: Vec<_> = chains(b.nrows(), DEPTH).collect();
    for chains in all.chunks(CHAINS) {
        let mut rest = &mut right[aligned..];
        let mut packed = Vec::with_capacity(chains.len());
        for chain in chains {
            stop::check();
            let (panels, behind) = rest.split_at_mut(chain.len() * line);
            let b = b.slice(s![chain.clone(), ..]);
            for (b, to) in b.axis_chunks_iter(Axis(1), panel).zip(panels.chunks_mut(chain.len() * panel)) {
                if b.ncols() % LANES > 0 {
                    to.fill(0.0);
                }
                pack(b, to);
            }
            packed.push(&*panels);
            rest = behind;
        }
        for (mut out, a) in out.axis_chunks_iter_mut(Axis(0), BLOCK).zip(a.axis_chunks_iter(Axis(0), BLOCK)) {
            stop::check();
            for (chain, panels) in chains.iter().zip(&packed) {
                // All chains but the first are added to the result.
                let start = if chain.start == 0 { start } else { Start::Out };
                pack_rows(a.slice(s![.., chain.clone()]), &mut left);
                let a = &left[..a.nrows().next_multiple_of(ROWS) * chain.len()];
                let parts = out.axis_chunks_iter_mut(Axis(1), panel).zip(panels.chunks(chain.len() * panel));
                for (number, (out, b)) in parts.enumerate() {
                    let start = start.columns(number * panel, out.ncols());
                    match out.ncols().div_ceil(LANES) {
                        1 => run_widest(Panel::<1> { a, b, start, out }),
                        2 => run_widest(Panel::<2> { a, b, start, out }),
                        _ => run_widest(Panel::<3> { a, b, start, out }),
                    }
                }
            }
        }
    }
    buffer_pool::recycle(right);
    buffer_pool::recycle(left);
}

/// Packs rows in strips, each with the numbers of one term together. The last strip is filled with zeros.
fn pack_rows(a: ArrayView2<f32>, packed: &mut [f32]) {
    let size = ROWS * a.ncols();
    for (a, strip) in a.axis_chunks_iter(Axis(0), ROWS).zip(packed.chunks_exact_mut(size)) {
        if a.nrows() == ROWS && a.strides()[0] != 1 {
            pack(a.reversed_axes(), strip);
            continue;
        }
        for (term, to) in a.axis_iter(Axis(1)).zip(strip.as_chunks_mut::<ROWS>().0) {
            match term.to_slice().and_then(|term| term.first_chunk()) {
                Some(term) => *to = *term,
                None => {
                    to.fill(0.0);
                    to.iter_mut().zip(term).for_each(|(to, &x)| *to = x);
                }
            }
        }
    }
}

/// `out = start + a @ b` of packed operands: the columns of `P` vectors, the last of which may be filled in part.
struct Panel<'a, 's, const P: usize> {
    a: &'a [f32],
    b: &'a [f32],
    start: Start<'s, f32>,
    out: ArrayViewMut2<'a, f32>,
}

impl<const P: usize> SimdWork for Panel<'_, '_, P> {
    const WIDEST: usize = 64;
    const ONLY_WIDEST: bool = true;
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let (vectors, b) = (Vectors::detect(), strips::<P>(self.b));
        let columns = self.out.ncols();
        let mut sums = [[ZEROS; P]; ROWS];
        let rows = self.out.axis_chunks_iter_mut(Axis(0), ROWS);
        for (mut out, a) in rows.zip(self.a.chunks_exact(ROWS * b.len())) {
            for row in out.outer_iter() {
                prefetch(row.to_slice().expect("`fits` has checked that rows are contiguous"));
            }
            multiply(vectors, a.as_chunks().0, b, None, &mut sums);
            for (out, sums) in out.outer_iter_mut().zip(&sums) {
                let out = out.into_slice().expect("`fits` has checked that rows are contiguous");
                let sums = &numbers(sums)[..columns];
                match self.start {
                    Start::Nothing => out.copy_from_slice(sums),
                    Start::Out => out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum),
                    Start::Row(row) => {
                        let row = row.to_slice().expect("a bias is contiguous");
                        out.iter_mut().zip(sums).zip(row).for_each(|((out, sum), start)| *out = start + sum);
                    }
                }
            }
        }
    }
}
