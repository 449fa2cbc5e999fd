//! The tiles of fast attention: operations on 16 queries at once. They are compiled inside [`SimdWork`] bodies.
//! Source: as `fast`.
//!
//! [`SimdWork`]: super::super::super::simd::SimdWork

use ndarray::{ArrayView2, ArrayViewMut2, Axis};

use super::super::super::math;

/// Queries in a vector.
pub(super) const LANES: usize = 16;
/// Features of a key that are stored together.
pub(super) const DEPTH: usize = 16;
/// Most keys in a block: they and their values stay in the second-level cache while all strips use them.
pub(super) const KEYS: usize = 128;

/// One number of each of 16 queries.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

/// One number of each query of a strip.
pub(super) type Strip<const P: usize> = [Lanes; P];

pub(super) const ZEROS: Lanes = Lanes([0.0; LANES]);
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

/// Copies queries times `scale` to strips, feature by feature; `between` is a work buffer.
#[inline(always)]
pub(super) fn copy_queries<const P: usize>(
    q: ArrayView2<f32>,
    scale: f32,
    between: &mut [[f32; DEPTH]],
    block: usize,
    depth: usize,
    to: &mut [Strip<P>],
) {
    for (q, to) in q.axis_chunks_iter(Axis(0), P * LANES).zip(to.chunks_exact_mut(depth)) {
        copy_rows(q, block, between);
        for (to, rows) in to.as_chunks_mut::<DEPTH>().0.iter_mut().zip(between.chunks_exact(block)) {
            for (i, row) in rows[..q.nrows()].iter().enumerate() {
                for (to, x) in to.iter_mut().zip(row) {
                    to[i / LANES].0[i % LANES] = x * scale;
                }
            }
        }
    }
}

/// Copies at most `block` rows in pieces of `N` numbers: all first pieces, then all second ones. The missing numbers of
/// the last piece stay 0.
#[inline(always)]
pub(super) fn copy_rows<const N: usize>(rows: ArrayView2<f32>, block: usize, to: &mut [[f32; N]]) {
    for (j, row) in rows.outer_iter().enumerate() {
        if let Some(row) = row.to_slice() {
            let (pieces, rest) = row.as_chunks();
            for (at, piece) in pieces.iter().enumerate() {
                to[at * block + j] = *piece;
            }
            for (at, &x) in rest.iter().enumerate() {
                to[pieces.len() * block + j][at] = x;
            }
        } else {
            for (at, &x) in row.iter().enumerate() {
                to[at / N * block + j][at % N] = x;
            }
        }
    }
}

/// Scores: one strip of queries times a block of keys. (D) x (keys, D) -> (keys)
#[inline(always)]
pub(super) fn products<const R: usize, const P: usize>(
    q: &[Strip<P>],
    keys: &[[f32; DEPTH]],
    block: usize,
    scores: &mut [Strip<P>],
) {
    for (at, scores) in scores.as_chunks_mut::<R>().0.iter_mut().enumerate() {
        let mut acc = [[ZEROS; P]; R];
        for (q, keys) in q.as_chunks::<DEPTH>().0.iter().zip(keys.chunks_exact(block)) {
            let keys = &keys.as_chunks::<R>().0[at];
            for (d, q) in q.iter().enumerate() {
                each!(R, r => {
                    each!(P, p => { acc[r][p] = onto(&acc[r][p], keys[r][d], &q[p]); });
                });
            }
        }
        *scores = acc;
    }
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
    for s in scores.iter() {
        each!(P, p => {
            for l in 0..LANES {
                new[p].0[l] = if s[p].0[l] > new[p].0[l] { s[p].0[l] } else { new[p].0[l] };
            }
        });
    }
    let (mut base, mut shrink, mut part) = ([ZEROS; P], [ZEROS; P], [ZEROS; P]);
    each!(P, p => {
        for l in 0..LANES {
            // A query without keys so far has weights 0.
            base[p].0[l] = if new[p].0[l] == f32::NEG_INFINITY { 0.0 } else { new[p].0[l] };
            shrink[p].0[l] = math::exp2_fast(top[p].0[l] - base[p].0[l]);
        }
    });
    *top = new;
    for s in scores {
        each!(P, p => {
            for l in 0..LANES {
                let weight = math::exp2_fast(s[p].0[l] - base[p].0[l]);
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
    block: usize,
    shrink: &Strip<P>,
    context: &mut [Strip<P>],
) {
    for (context, values) in context.as_chunks_mut::<R>().0.iter_mut().zip(values.chunks_exact(block)) {
        let mut acc = *context;
        each!(R, r => {
            each!(P, p => {
                for l in 0..LANES {
                    acc[r][p].0[l] *= shrink[p].0[l];
                }
            });
        });
        for (w, v) in weights.iter().zip(values) {
            each!(R, r => {
                each!(P, p => { acc[r][p] = onto(&acc[r][p], v[r], &w[p]); });
            });
        }
        *context = acc;
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

/// Divides the context by the sum of the weights, query by query; zeros for a query without keys.
#[inline(always)]
pub(super) fn put<const P: usize>(
    context: &[Strip<P>],
    sum: &[Strip<P>],
    tall: usize,
    mut out: ArrayViewMut2<f32>,
) {
    for (i, mut row) in out.outer_iter_mut().enumerate() {
        let (strip, p, lane) = (i / (P * LANES), i / LANES % P, i % LANES);
        let sum = sum[strip][p].0[lane];
        let share = if sum == 0.0 { 0.0 } else { 1.0 / sum };
        for (to, from) in row.iter_mut().zip(&context[strip * tall..]) {
            *to = from[p].0[lane] * share;
        }
    }
}
