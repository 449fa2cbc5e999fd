//! Products with few columns, such as weights times values: `matrixmultiply` would use what it packs too few times.
//! `gemm.rs` says which products come here. Terms are added in the same order as in the blocked kernel; only the speed
//! differs.

use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, Axis};

use super::simd::SimdWork;
use super::simd::run_widest;
use super::tiles::{LANES, Lanes, Strip, Vectors, ZEROS, transpose};

/// Rows that are computed together.
const ROWS: usize = 4;
/// Columns up to which this is faster than the blocked kernel.
pub(super) const COLUMNS: usize = 64;

/// Repeats a body for each of at most four indices without a loop: only then the compiler keeps all sums in registers.
macro_rules! each {
    ($n:expr, $i:ident => $body:block) => {
        const { assert!($n <= 4, "written out four times at most") };
        each!(@ $n, $i, $body, 0 1 2 3);
    };
    (@ $n:expr, $i:ident, $body:block, $($at:literal)*) => {
        $(if $at < $n { let $i: usize = $at; $body })*
    };
}

/// Whether [`product`] can compute this: whole vectors of columns, and contiguous rows.
pub(super) fn fits<T>(a: &ArrayView2<T>, b: &ArrayView2<T>, out: &ArrayViewMut2<T>) -> bool {
    let n = b.ncols();
    n <= COLUMNS
        && n.is_multiple_of(LANES)
        && a.strides()[1] == 1
        && out.strides()[1] == 1
        && a.nrows() >= 4 * ROWS
}

/// `out = a @ b`, or `out += a @ b` if `add`; each element is a chain of multiply-adds from 0.
pub(super) fn product(a: ArrayView2<f32>, b: ArrayView2<f32>, add: bool, out: ArrayViewMut2<f32>) {
    match b.ncols() / LANES {
        1 => run_widest(FewColumns::<1> { a, b, add, out }),
        2 => run_widest(FewColumns::<2> { a, b, add, out }),
        3 => run_widest(FewColumns::<3> { a, b, add, out }),
        _ => run_widest(FewColumns::<4> { a, b, add, out }),
    }
}

struct FewColumns<'a, const V: usize> {
    a: ArrayView2<'a, f32>,
    b: ArrayView2<'a, f32>,
    add: bool,
    out: ArrayViewMut2<'a, f32>,
}

impl<const V: usize> SimdWork for FewColumns<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let packed: Vec<Strip<V>> = match self.b.strides() {
            [1, columns] if *columns != 1 => transposed(self.b),
            _ => self.b.outer_iter().map(strip).collect(),
        };
        let rows = self.a.nrows();
        let mut i = 0;
        while i < rows {
            if i + ROWS <= rows {
                let sums =
                    chains::<ROWS, V>(std::array::from_fn(|r| contiguous_row(&self.a, i + r)), &packed);
                (0..ROWS).for_each(|r| put(&mut self.out, i + r, &sums[r], self.add));
                i += ROWS;
            } else {
                let sums = chains::<1, V>([contiguous_row(&self.a, i)], &packed);
                put(&mut self.out, i, &sums[0], self.add);
                i += 1;
            }
        }
    }
}

/// A row of `a`, which [`fits`] has checked to be contiguous.
#[inline(always)]
fn contiguous_row<'a>(a: &ArrayView2<'a, f32>, row: usize) -> &'a [f32] {
    a.index_axis_move(Axis(0), row).to_slice().expect("`fits` has checked that rows of `a` are contiguous")
}

/// A row of `b` as vectors.
#[inline(always)]
fn strip<const V: usize>(row: ArrayView1<f32>) -> Strip<V> {
    let mut strip = [ZEROS; V];
    match row.to_slice() {
        Some(row) => strip.iter_mut().zip(row.as_chunks().0).for_each(|(lanes, row)| lanes.0 = *row),
        None => row.iter().enumerate().for_each(|(at, &x)| strip[at / LANES].0[at % LANES] = x),
    }
    strip
}

/// Numbers of a column that are transposed together.
const SIDE: usize = 8;

/// The rows of `b` as vectors, where its columns are contiguous.
fn transposed<const V: usize>(b: ArrayView2<f32>) -> Vec<Strip<V>> {
    fn place<const V: usize>(row: &mut Strip<V>, eighth: usize) -> &mut [f32; SIDE] {
        &mut row[eighth / 2].0.as_chunks_mut().0[eighth % 2]
    }
    let vectors = Vectors::detect();
    let mut packed = vec![[ZEROS; V]; b.nrows()];
    for (eighth, columns) in b.axis_chunks_iter(Axis(1), SIDE).enumerate() {
        let columns: [&[f32]; SIDE] = std::array::from_fn(|at| {
            columns
                .index_axis_move(Axis(1), at)
                .to_slice()
                .expect("the caller has checked that columns are contiguous")
        });
        let (squares, rest) = packed.as_chunks_mut::<SIDE>();
        for (at, square) in squares.iter_mut().enumerate() {
            let pieces = columns.map(|column| &column.as_chunks().0[at]);
            transpose(vectors, pieces, square.each_mut().map(|row| place(row, eighth)));
        }
        let done = squares.len() * SIDE;
        for (at, row) in rest.iter_mut().enumerate() {
            *place(row, eighth) = columns.map(|column| column[done + at]);
        }
    }
    packed
}

/// `sum + x * b`, rounded once.
#[inline(always)]
fn onto(sum: &Lanes, x: f32, b: &Lanes) -> Lanes {
    let mut out = *sum;
    for l in 0..LANES {
        out.0[l] = x.mul_add(b.0[l], out.0[l]);
    }
    out
}

/// Several rows of the product at once.
#[inline(always)]
fn chains<const R: usize, const V: usize>(rows: [&[f32]; R], b: &[Strip<V>]) -> [Strip<V>; R] {
    let mut sums = [[ZEROS; V]; R];
    let rows: [&[f32]; R] = rows.map(|row| &row[..b.len()]);
    for (k, b) in b.iter().enumerate() {
        each!(R, r => {
            let x = rows[r][k];
            each!(V, v => { sums[r][v] = onto(&sums[r][v], x, &b[v]); });
        });
    }
    sums
}

#[inline(always)]
fn put<const V: usize>(out: &mut ArrayViewMut2<f32>, row: usize, sums: &Strip<V>, add: bool) {
    let mut row = out.row_mut(row);
    let out = row.as_slice_mut().expect("`fits` has checked that rows of `out` are contiguous");
    for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums) {
        match add {
            false => *out = sums.0,
            true => out.iter_mut().zip(&sums.0).for_each(|(out, &sum)| *out += sum),
        }
    }
}
