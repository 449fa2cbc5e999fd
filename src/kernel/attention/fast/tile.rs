//! The tiles of fast attention: operations on 16 queries at once. They are compiled inside [`SimdWork`] bodies.
//! Source: as `fast`.
//!
//! [`SimdWork`]: super::super::super::simd::SimdWork

use ndarray::{ArrayView2, ArrayViewMut2, Axis};

use super::super::super::math;
use super::super::tiles::{self, LANES, Lanes, Strip, ZEROS, transpose};

/// Rows and columns that are transposed together.
pub(super) const SIDE: usize = 8;
type Square = [[f32; SIDE]; SIDE];
/// Most keys in a block: they and their values stay in the second-level cache while all strips use them.
pub(super) const KEYS: usize = 128;

pub(super) const NEG_INFINITIES: Lanes = Lanes([f32::NEG_INFINITY; LANES]);

/// Repeats a body for each index below a small constant. Without a loop the compiler keeps the results in registers and
/// does not interchange loops.
macro_rules! each {
    ($n:expr, $i:ident => $body:block) => {
        const { assert!($n <= 8, "written out eight times at most") };
        each!(@ $n, $i, $body, 0 1 2 3 4 5 6 7);
    };
    (@ $n:expr, $i:ident, $body:block, $($at:literal)*) => {
        $(if $at < $n { let $i: usize = $at; $body })*
    };
}

pub(super) use each;

/// Copies a strip of queries times `scale`, feature by feature. Missing features are 0; the results of missing queries
/// are never read.
#[inline(always)]
pub(super) fn copy_queries<const P: usize>(q: ArrayView2<f32>, scale: f32, to: &mut [Strip<P>]) {
    for (eighth, q) in q.axis_chunks_iter(Axis(0), SIDE).enumerate() {
        let (p, half) = (eighth / 2, eighth % 2);
        for (at, to) in to.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
            let mut copy = [[0.0; SIDE]; SIDE];
            let columns = to.each_mut().map(|to| &mut to[p].0.as_chunks_mut().0[half]);
            transpose(square(q, at, &mut copy), columns);
        }
    }
    for to in to {
        each!(P, p => { to[p] = times(&to[p], &Lanes([scale; LANES])); });
    }
}

/// Eight features, from number 8 `at`, of eight rows; missing ones are 0. What is not contiguous is copied to `copy`.
#[inline(always)]
fn square<'a>(rows: ArrayView2<'a, f32>, at: usize, copy: &'a mut Square) -> [&'a [f32; SIDE]; SIDE] {
    for (copy, row) in copy.iter_mut().zip(rows.outer_iter()) {
        if row.as_slice().is_none_or(|row| row.len() < (at + 1) * SIDE) {
            copy.iter_mut().zip(row.iter().skip(at * SIDE)).for_each(|(to, &x)| *to = x);
        }
    }
    let mut square = copy.each_ref();
    for (i, piece) in square.iter_mut().enumerate().take(rows.nrows()) {
        if let Some(whole) =
            rows.index_axis_move(Axis(0), i).to_slice().and_then(|row| row.as_chunks().0.get(at))
        {
            *piece = whole;
        }
    }
    square
}

/// Copies keys in tiles of `R`, at most 8, feature by feature: (keys / R, D, R). Missing features are 0.
#[inline(always)]
pub(super) fn copy_keys<const R: usize>(rows: ArrayView2<f32>, depth: usize, to: &mut [[f32; R]]) {
    for (rows, to) in rows.axis_chunks_iter(Axis(0), R).zip(to.chunks_exact_mut(depth)) {
        for (at, to) in to.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
            let (mut copy, mut columns) = ([[0.0; SIDE]; SIDE], [[0.0; SIDE]; SIDE]);
            transpose(square(rows, at, &mut copy), columns.each_mut());
            for (to, column) in to.iter_mut().zip(&columns) {
                *to = column.as_chunks().0[0];
            }
        }
    }
}

/// Copies rows in tiles of `R` numbers: all first pieces, `apart` rows on all second ones: (E / R, keys, R). The missing
/// numbers of the last piece stay 0.
#[inline(always)]
pub(super) fn copy_values<const R: usize>(rows: ArrayView2<f32>, apart: usize, to: &mut [[f32; R]]) {
    for (j, row) in rows.outer_iter().enumerate() {
        if let Some(row) = row.to_slice() {
            let (pieces, rest) = row.as_chunks();
            for (at, piece) in pieces.iter().enumerate() {
                to[at * apart + j] = *piece;
            }
            for (at, &x) in rest.iter().enumerate() {
                to[pieces.len() * apart + j][at] = x;
            }
        } else {
            for (at, &x) in row.iter().enumerate() {
                to[at / R * apart + j][at % R] = x;
            }
        }
    }
}

/// Scores: one strip of queries times the keys of whole tiles. (D) x (keys, D) -> (keys). Calls `before` before each
/// tile.
#[inline(always)]
pub(super) fn products<const R: usize, const P: usize>(
    q: &[Strip<P>],
    keys: &[[f32; R]],
    scores: &mut [Strip<P>],
    mut before: impl FnMut(),
) {
    let keys = keys.chunks_exact(q.len());
    for (scores, keys) in scores.as_chunks_mut::<R>().0.iter_mut().zip(keys) {
        before();
        tiles::multiply(keys, q, None, scores);
    }
}

/// Raises `top` to the largest score of each query; nan is none.
#[inline(always)]
pub(super) fn largest<const P: usize>(scores: &[Strip<P>], top: &mut Strip<P>) {
    let mut new = *top;
    for s in scores {
        each!(P, p => {
            for l in 0..LANES {
                new[p].0[l] = if s[p].0[l] > new[p].0[l] { s[p].0[l] } else { new[p].0[l] };
            }
        });
    }
    *top = new;
}

/// Replaces scores by weights 2^(score - top) and updates `top` and `sum`. Returns the factor by which the context so
/// far is multiplied.
#[inline(always)]
pub(super) fn weigh<const P: usize>(
    scores: &mut [Strip<P>],
    top: &mut Strip<P>,
    sum: &mut Strip<P>,
) -> Strip<P> {
    let mut new = *top;
    largest(scores, &mut new);
    let (mut base, mut shrink, mut part) = ([ZEROS; P], [ZEROS; P], [ZEROS; P]);
    each!(P, p => {
        for l in 0..LANES {
            // A query without keys so far has weights 0.
            base[p].0[l] = if new[p].0[l] == f32::NEG_INFINITY { 0.0 } else { new[p].0[l] };
            shrink[p].0[l] = math::exp2_down(top[p].0[l] - base[p].0[l]);
        }
    });
    *top = new;
    for s in scores {
        each!(P, p => {
            for l in 0..LANES {
                let weight = math::exp2_down(s[p].0[l] - base[p].0[l]);
                s[p].0[l] = weight;
                part[p].0[l] += weight;
            }
        });
    }
    each!(P, p => {
        for l in 0..LANES {
            sum[p].0[l] = sum[p].0[l].mul_add(shrink[p].0[l], part[p].0[l]);
        }
    });
    shrink
}

/// Multiplies the context by `shrink` and adds the weighted values. (keys) x (keys, E) -> (E)
#[inline(always)]
pub(super) fn gather<const R: usize, const P: usize>(
    weights: &[Strip<P>],
    values: &[[f32; R]],
    apart: usize,
    shrink: &Strip<P>,
    context: &mut [Strip<P>],
) {
    for (context, values) in context.as_chunks_mut::<R>().0.iter_mut().zip(values.chunks_exact(apart)) {
        tiles::multiply(values, weights, Some(shrink), context);
    }
}

/// `y + a x`.
#[inline(always)]
pub(super) fn onto(y: &Lanes, a: f32, x: &Lanes) -> Lanes {
    let mut out = ZEROS;
    for l in 0..LANES {
        out.0[l] = a.mul_add(x.0[l], y.0[l]);
    }
    out
}

/// The product of each number.
#[inline(always)]
fn times(x: &Lanes, y: &Lanes) -> Lanes {
    let mut out = ZEROS;
    for l in 0..LANES {
        out.0[l] = x.0[l] * y.0[l];
    }
    out
}

/// Divides the context of a strip by the sum of the weights, query by query; zeros for a query without keys.
#[inline(always)]
pub(super) fn put<const P: usize>(context: &mut [Strip<P>], sum: &Strip<P>, mut out: ArrayViewMut2<f32>) {
    let mut share = *sum;
    for x in share.iter_mut().flat_map(|lanes| &mut lanes.0) {
        *x = if *x == 0.0 { 0.0 } else { 1.0 / *x };
    }
    for context in &mut *context {
        each!(P, p => { context[p] = times(&context[p], &share[p]); });
    }
    for (eighth, mut out) in out.axis_chunks_iter_mut(Axis(0), SIDE).enumerate() {
        let (p, half) = (eighth / 2, eighth % 2);
        for (at, context) in context.chunks(SIDE).enumerate() {
            let (mut rows, mut columns) = ([[0.0; SIDE]; SIDE], [&[0.0; SIDE]; SIDE]);
            for (column, context) in columns.iter_mut().zip(context) {
                *column = &context[p].0.as_chunks().0[half];
            }
            let mut pieces = rows.each_mut();
            let mut whole = 0;
            for (piece, out) in pieces.iter_mut().zip(out.outer_iter_mut()) {
                if let Some(out) = out.into_slice().and_then(|out| out.as_chunks_mut().0.get_mut(at)) {
                    *piece = out;
                    whole += 1;
                }
            }
            transpose(columns, pieces);
            for (mut out, row) in out.outer_iter_mut().zip(&rows).skip(whole) {
                out.iter_mut().skip(at * SIDE).zip(row).for_each(|(out, &x)| *out = x);
            }
        }
    }
}
