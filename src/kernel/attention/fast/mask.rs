//! Masks of fast attention: which blocks need not be computed, and which scores are masked in the others.
//! The functions are compiled inside [`SimdWork`] bodies.
//! Source: as `fast`; the transposition of bits as in Warren, Hacker's Delight, 7-3.
//!
//! Masks are stored by query and scores by key, so masks are transposed, 16 queries at a time.
//!
//! [`SimdWork`]: super::super::super::simd::SimdWork

use std::f32::consts::LOG2_E;

use ndarray::{ArrayView2, s};

use super::super::operands::Mask;
use super::super::tiles::{LANES, Lanes, Strip};
use super::tile::{KEYS, each};

/// Which keys of a block a strip attends to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    /// No key: there is nothing to compute.
    NoKey,
    /// Some keys, or keys whose scores change.
    SomeKeys,
    /// Every key, with unchanged scores.
    AllKeys,
}

impl Coverage {
    #[inline(always)]
    fn of(all: bool, any: bool) -> Coverage {
        if all {
            Coverage::AllKeys
        } else if any {
            Coverage::SomeKeys
        } else {
            Coverage::NoKey
        }
    }
}

/// A block of the matrix of scores: batch and head, and ranges of queries and keys.
#[derive(Clone, Copy)]
pub(super) struct ScoreBlock {
    pub(super) head: [usize; 2],
    pub(super) queries: (usize, usize),
    pub(super) keys: (usize, usize),
}

/// Which keys of a block the queries attend to, and the number of leading keys that matter.
#[inline(always)]
pub(super) fn coverage(mask: &Mask<f32>, at: ScoreBlock) -> (Coverage, usize) {
    let n = at.keys.1 - at.keys.0;
    match mask {
        Mask::None => (Coverage::AllKeys, n),
        Mask::Causal => (
            Coverage::of(at.keys.1 <= at.queries.0 + 1, at.keys.0 < at.queries.1),
            n.min(at.queries.1.saturating_sub(at.keys.0)),
        ),
        Mask::Keep(keep) => (coverage_of(keep.slice(part(at)), |keep| keep, |keep| keep), n),
        Mask::Added(added) => {
            (coverage_of(added.slice(part(at)), |x| x == 0.0, |x| x != f32::NEG_INFINITY), n)
        }
    }
}

#[inline(always)]
fn part(at: ScoreBlock) -> ndarray::SliceInfo<[ndarray::SliceInfoElem; 4], ndarray::Ix4, ndarray::Ix2> {
    s![at.head[0], at.head[1], at.queries.0..at.queries.1, at.keys.0..at.keys.1]
}

/// Whether a mask changes no score (`whole`), and whether it leaves any score finite (`some`).
#[inline(always)]
fn coverage_of<T: Copy>(
    mask: ArrayView2<T>,
    whole: impl Fn(T) -> bool,
    some: impl Fn(T) -> bool,
) -> Coverage {
    let (mut all, mut any) = (true, false);
    for row in mask.outer_iter() {
        if let Some(row) = row.to_slice() {
            for &x in row {
                all &= whole(x);
                any |= some(x);
            }
        } else {
            for &x in row {
                all &= whole(x);
                any |= some(x);
            }
        }
    }
    Coverage::of(all, any)
}

/// Applies the mask to the scores of a block.
#[inline(always)]
pub(super) fn apply<const P: usize>(scores: &mut [Strip<P>], mask: &Mask<f32>, at: ScoreBlock) {
    match mask {
        Mask::None => {}
        Mask::Causal => {
            // The keys up to the first query are attended to by every query.
            for (key, s) in (at.keys.0..).zip(scores).skip(at.queries.0.saturating_sub(at.keys.0)) {
                let masked = key.saturating_sub(at.queries.0); // queries of the strip before the key
                each!(P, p => {
                    for lane in 0..LANES {
                        if p * LANES + lane < masked {
                            s[p].0[lane] = f32::NEG_INFINITY;
                        }
                    }
                });
            }
        }
        Mask::Keep(keep) => {
            let mut rows = [[true; KEYS]; LANES];
            for p in 0..P {
                rows_of(keep.slice(part(at)), p, &mut rows);
                keep_only(&rows, p, scores);
            }
        }
        Mask::Added(added) => {
            let mut rows = [[0.0; KEYS]; LANES];
            for p in 0..P {
                rows_of(added.slice(part(at)), p, &mut rows);
                add(&rows, p, scores);
            }
        }
    }
}

/// The rows of the mask for the queries in vector `p`.
#[inline(always)]
fn rows_of<T: Copy>(mask: ArrayView2<T>, p: usize, rows: &mut [[T; KEYS]; LANES]) {
    for (to, row) in rows.iter_mut().zip(mask.outer_iter().skip(p * LANES)) {
        match row.to_slice() {
            Some(row) => to[..row.len()].copy_from_slice(row),
            None => to.iter_mut().zip(row).for_each(|(to, &x)| *to = x),
        }
    }
}

/// Masks the scores of vector `p` that are not kept.
#[inline(always)]
fn keep_only<const P: usize>(rows: &[[bool; KEYS]; LANES], p: usize, scores: &mut [Strip<P>]) {
    for (at, scores) in scores.chunks_mut(8).enumerate() {
        // Eight bools are the low bits of eight bytes. Shifted by the number of the query, the bits of eight queries
        // share the bytes, and byte j has their bits for key j.
        let mut columns = [0u64; 2];
        for (l, row) in rows.iter().enumerate() {
            let row: [u8; 8] = row.as_chunks().0[at].map(u8::from);
            columns[l / 8] |= u64::from_le_bytes(row) << (l % 8);
        }
        let [low, high] = columns.map(u64::to_le_bytes);
        for (j, s) in scores.iter_mut().enumerate() {
            let kept = u32::from(low[j]) | u32::from(high[j]) << 8;
            for lane in 0..LANES {
                if kept >> lane & 1 == 0 {
                    s[p].0[lane] = f32::NEG_INFINITY;
                }
            }
        }
    }
}

/// Adds the mask to the scores of vector `p`, transposed in blocks of four queries by four keys.
#[inline(always)]
fn add<const P: usize>(rows: &[[f32; KEYS]; LANES], p: usize, scores: &mut [Strip<P>]) {
    for (at, scores) in scores.chunks_mut(4).enumerate() {
        let mut columns = [Lanes([0.0; LANES]); 4];
        for (l, [a, b, c, d]) in rows.as_chunks::<4>().0.iter().enumerate() {
            let (a, b) = (&a.as_chunks::<4>().0[at], &b.as_chunks::<4>().0[at]);
            let (c, d) = (&c.as_chunks::<4>().0[at], &d.as_chunks::<4>().0[at]);
            for (j, column) in columns.iter_mut().enumerate() {
                column.0.as_chunks_mut().0[l] = [a[j], b[j], c[j], d[j]];
            }
        }
        for (s, column) in scores.iter_mut().zip(&columns) {
            for lane in 0..LANES {
                s[p].0[lane] = column.0[lane].mul_add(LOG2_E, s[p].0[lane]);
            }
        }
    }
}
