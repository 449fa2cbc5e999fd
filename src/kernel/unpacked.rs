//! Products of few columns or few rows, which read the left operand where it lies: what is packed of it would be used too
//! few times. `gemm.rs` says which products come here. Terms are added in the same order as in the blocked kernel; only the
//! speed differs.
//!
//! The right operand is packed in panels of at most 48 columns, unless there are so few rows that packing it would take
//! longer than reading it once more.
//!
//! Measured on two cores of an Intel Xeon with AVX-512, whose multiply-adds reach 250 GFLOP/s together, with operands that
//! no cache has, in GFLOP/s, beside `matrixmultiply`, (m, k, n): 2048, 128, 128: 188 beside 138; 2048, 512, 128: 207
//! beside 157; with the left operand transposed, as in the gradient of a linear layer's weights, 512, 2048, 128: 140 beside
//! 123; few rows, 8, 768, 768: 19 beside 14.

use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use super::buffer_pool;
use super::simd::{SimdWork, run_widest, vector_bytes};
use super::tiles::{LANES, Start, Vectors, strided, transpose};

/// Rows that are computed together.
const ROWS: usize = 8;
/// Vectors of columns that are computed together.
const VECTORS: usize = 3;
/// Rows of the left operand that stay in the second cache while each panel is used.
const BLOCK: usize = 128;
/// Columns up to which this is faster than the blocked kernel, and with few rows than packing both operands.
pub(super) const COLUMNS: usize = 512;
/// Numbers between two columns of a transposed left operand up to which this is faster.
const APART: isize = 1024;
/// Rows up to which a right operand with contiguous rows is not packed, and this is faster with any number of columns.
pub(super) const FEW: usize = 3 * ROWS;

/// Whether [`product`] can compute this, and is faster.
pub(super) fn fits<T>(a: &ArrayView2<T>, b: &ArrayView2<T>, out: &ArrayViewMut2<T>) -> bool {
    let (rows, columns) = out.dim();
    let in_place = a.strides()[1] == 1 || a.strides()[0] == 1 && a.strides()[1] <= APART;
    let few_rows = rows <= FEW && b.strides()[1] == 1;
    vector_bytes() == 64 && (columns <= COLUMNS || few_rows) && in_place && out.strides()[1] == 1
}

/// `out = start + a @ b`; each element of the product is a chain of multiply-adds from 0.
pub(super) fn product(
    a: ArrayView2<f32>,
    b: ArrayView2<f32>,
    start: Start<f32>,
    mut out: ArrayViewMut2<f32>,
) {
    let (terms, vectors) = (b.nrows(), b.ncols().div_ceil(LANES));
    // As many panels as needed, of equal width.
    let width = vectors.div_ceil(vectors.div_ceil(VECTORS)) * LANES;
    if b.strides()[1] == 1 && a.nrows() <= FEW {
        let parts = out.axis_chunks_iter_mut(Axis(1), width).zip(b.axis_chunks_iter(Axis(1), width));
        for (number, (out, b)) in parts.enumerate() {
            strips(a, b, start.columns(number * width, b.ncols()), out);
        }
        return;
    }
    let mut buffer = buffer_pool::take::<f32>(terms * vectors * LANES + LANES);
    // Each vector is one cache line.
    let first = buffer.as_ptr().align_offset(64);
    let packed = &mut buffer[first..first + terms * vectors * LANES];
    for (b, panel) in b.axis_chunks_iter(Axis(1), width).zip(packed.chunks_mut(terms * width)) {
        pack(b, panel);
    }
    for (mut out, a) in out.axis_chunks_iter_mut(Axis(0), BLOCK).zip(a.axis_chunks_iter(Axis(0), BLOCK)) {
        let parts = out.axis_chunks_iter_mut(Axis(1), width).zip(packed.chunks(terms * width));
        for (number, (out, panel)) in parts.enumerate() {
            let panel = ArrayView2::from_shape((terms, panel.len() / terms), panel)
                .expect("a panel has a row for each term");
            let columns = out.ncols();
            strips(a, panel.slice_move(s![.., ..columns]), start.columns(number * width, columns), out);
        }
    }
    buffer_pool::recycle(buffer);
}

/// Columns of the right operand row by row, each row in whole vectors; what is behind the last column stays as it was.
pub(super) fn pack(b: ArrayView2<f32>, panel: &mut [f32]) {
    let width = panel.len() / b.nrows();
    let whole = match b.strides() {
        [1, apart] if *apart != 1 => transposed(b, panel, width),
        _ => 0,
    };
    if whole < b.ncols() {
        run_widest(PackedRows { b: b.slice_move(s![.., whole..]), panel, width, first: whole });
    }
}

/// Copies rows of `b` to the rows of a panel, from column `first` on.
struct PackedRows<'a> {
    b: ArrayView2<'a, f32>,
    panel: &'a mut [f32],
    width: usize,
    first: usize,
}

impl SimdWork for PackedRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (row, panel) in self.b.outer_iter().zip(self.panel.chunks_exact_mut(self.width)) {
            let panel = &mut panel[self.first..];
            let Some(row) = row.to_slice() else {
                panel.iter_mut().zip(row).for_each(|(to, &x)| *to = x);
                continue;
            };
            // A call for each of these short copies would take longer than the copy.
            let (vectors, rest) = row.as_chunks::<LANES>();
            for (to, from) in panel.as_chunks_mut::<LANES>().0.iter_mut().zip(vectors) {
                *to = *from;
            }
            panel[vectors.len() * LANES..].iter_mut().zip(rest).for_each(|(to, &x)| *to = x);
        }
    }
}

/// Numbers of a column that are transposed together.
const SIDE: usize = 8;

/// Packs whole eights of contiguous columns, and returns how many columns these are.
fn transposed(b: ArrayView2<f32>, panel: &mut [f32], width: usize) -> usize {
    let vectors = Vectors::detect();
    for (at, columns) in b.axis_chunks_iter(Axis(1), SIDE).enumerate().take(b.ncols() / SIDE) {
        let columns: [&[f32]; SIDE] = std::array::from_fn(|column| {
            columns
                .index_axis_move(Axis(1), column)
                .to_slice()
                .expect("the caller has checked that columns are contiguous")
        });
        let mut squares = panel.chunks_exact_mut(width * SIDE);
        for (number, square) in squares.by_ref().enumerate() {
            let pieces = columns.map(|column| &column.as_chunks().0[number]);
            let mut rows = square.chunks_exact_mut(width);
            let rows: [&mut [f32; SIDE]; SIDE] = std::array::from_fn(|_| {
                let row = rows.next().expect("a square has eight rows");
                &mut row.as_chunks_mut().0[at]
            });
            transpose(vectors, pieces, rows);
        }
        let done = b.nrows() / SIDE * SIDE;
        for (row, panel) in squares.into_remainder().chunks_exact_mut(width).enumerate() {
            panel.as_chunks_mut().0[at] = columns.map(|column| column[done + row]);
        }
    }
    b.ncols() / SIDE * SIDE
}

/// The product with at most 48 columns.
fn strips(a: ArrayView2<f32>, b: ArrayView2<f32>, start: Start<f32>, mut out: ArrayViewMut2<f32>) {
    for (out, a) in out.axis_chunks_iter_mut(Axis(0), ROWS).zip(a.axis_chunks_iter(Axis(0), ROWS)) {
        match b.ncols().div_ceil(LANES) {
            1 => strip::<1>(a, b, start, out),
            2 => strip::<2>(a, b, start, out),
            _ => strip::<3>(a, b, start, out),
        }
    }
}

/// At most eight rows of a product with `P` vectors of columns.
fn strip<const P: usize>(a: ArrayView2<f32>, b: ArrayView2<f32>, start: Start<f32>, out: ArrayViewMut2<f32>) {
    let vectors = Vectors::detect();
    if a.nrows() == ROWS {
        return strided::<ROWS, P>(vectors, a, b, start, out);
    }
    const FOUR: usize = ROWS / 2;
    let fours = a.nrows() / FOUR * FOUR;
    let (upper, mut lower) = out.split_at(Axis(0), fours);
    let (a, rest) = a.split_at(Axis(0), fours);
    if fours > 0 {
        strided::<FOUR, P>(vectors, a, b, start, upper);
    }
    for (out, a) in lower.axis_chunks_iter_mut(Axis(0), 1).zip(rest.axis_chunks_iter(Axis(0), 1)) {
        strided::<1, P>(vectors, a, b, start, out);
    }
}
