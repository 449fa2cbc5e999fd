//! Products with few columns, as weights times values are: what `matrixmultiply` would pack is used too few times.
//! Sees ndarray views; no Tensor, no text. `gemm.rs` says which products come here, and in which order
//! terms are added: the same as in the blocked kernel, so that it is a matter of speed alone.

use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, Axis};

use super::simd::SimdWork;
use super::simd::run_widest;

/// Numbers that are multiplied side by side.
const LANES: usize = 16;
/// Rows that are computed side by side.
const ROWS: usize = 4;
/// Most columns that are worth it.
pub(super) const COLUMNS: usize = 64;

/// One vector.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Lanes([f32; LANES]);

/// Vectors of one row of `b`, or of a result.
type Strip<const V: usize> = [Lanes; V];

const NOTHING: Lanes = Lanes([0.0; LANES]);

/// A body for each of at most four places, written out: only so the compiler keeps all sums in registers.
macro_rules! each {
    ($n:expr, $i:ident => $body:block) => {
        const { assert!($n <= 4, "written out four times at most") };
        each!(@ $n, $i, $body, 0 1 2 3);
    };
    (@ $n:expr, $i:ident, $body:block, $($at:literal)*) => {
        $(if $at < $n { let $i: usize = $at; $body })*
    };
}

/// Whether [`product`] can take these: whole vectors of columns, and rows that lie straight.
pub(super) fn fits<T>(a: &ArrayView2<T>, b: &ArrayView2<T>, out: &ArrayViewMut2<T>) -> bool {
    let n = b.ncols();
    n <= COLUMNS
        && n.is_multiple_of(LANES)
        && a.strides()[1] == 1
        && out.strides()[1] == 1
        && a.nrows() >= 4 * ROWS
}

/// `out = a @ b`, or onto `out` where `more`: one block of terms, each element a chain of multiply-adds from 0.
pub(super) fn product(a: ArrayView2<f32>, b: ArrayView2<f32>, more: bool, out: ArrayViewMut2<f32>) {
    match b.ncols() / LANES {
        1 => run_widest(Thin::<1> { a, b, more, out }),
        2 => run_widest(Thin::<2> { a, b, more, out }),
        3 => run_widest(Thin::<3> { a, b, more, out }),
        _ => run_widest(Thin::<4> { a, b, more, out }),
    }
}

struct Thin<'a, const V: usize> {
    a: ArrayView2<'a, f32>,
    b: ArrayView2<'a, f32>,
    more: bool,
    out: ArrayViewMut2<'a, f32>,
}

impl<const V: usize> SimdWork for Thin<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let packed: Vec<Strip<V>> = self.b.outer_iter().map(strip).collect();
        let rows = self.a.nrows();
        let mut i = 0;
        while i < rows {
            if i + ROWS <= rows {
                let sums = chains::<ROWS, V>(std::array::from_fn(|r| straight(&self.a, i + r)), &packed);
                (0..ROWS).for_each(|r| put(&mut self.out, i + r, &sums[r], self.more));
                i += ROWS;
            } else {
                let sums = chains::<1, V>([straight(&self.a, i)], &packed);
                put(&mut self.out, i, &sums[0], self.more);
                i += 1;
            }
        }
    }
}

/// A row of `a`, which [`fits`] has seen to lie straight.
#[inline(always)]
fn straight<'a>(a: &ArrayView2<'a, f32>, row: usize) -> &'a [f32] {
    a.index_axis_move(Axis(0), row).to_slice().expect("`fits` has checked that rows of `a` are contiguous")
}

/// A row of `b` in vectors.
#[inline(always)]
fn strip<const V: usize>(row: ArrayView1<f32>) -> Strip<V> {
    let mut strip = [NOTHING; V];
    match row.to_slice() {
        Some(row) => strip.iter_mut().zip(row.as_chunks().0).for_each(|(lanes, row)| lanes.0 = *row),
        None => row.iter().enumerate().for_each(|(at, &x)| strip[at / LANES].0[at % LANES] = x),
    }
    strip
}

/// `sum + x b`, rounded once.
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
    let mut sums = [[NOTHING; V]; R];
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
fn put<const V: usize>(out: &mut ArrayViewMut2<f32>, row: usize, sums: &Strip<V>, more: bool) {
    let mut row = out.row_mut(row);
    let out = row.as_slice_mut().expect("`fits` has checked that rows of `out` are contiguous");
    for (out, sums) in out.as_chunks_mut().0.iter_mut().zip(sums) {
        match more {
            false => *out = sums.0,
            true => out.iter_mut().zip(&sums.0).for_each(|(out, &sum)| *out += sum),
        }
    }
}
