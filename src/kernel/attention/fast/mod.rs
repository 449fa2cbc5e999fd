//! Attention that keeps no scores, close to the peak speed of the processor. Single precision.
//! Source: the online softmax (Milakov & Gimelshein 2018) over blocks of keys (Rabe & Staats 2021; Dao et al. 2022).
//!
//! A vector has one number of each of 16 queries, and a strip has at most `P` vectors. A tile of `R` keys by one strip
//! stays in registers during the loop over features, and a tile of `R` features of the values during the loop over keys.
//! The softmax between them never adds across a vector. Each number is computed in the same way for every position
//! of its query in a vector, strip or block, and for every vector width.
//!
//! `tiles.rs` computes the products, not `matrixmultiply`: they are many, short (64 terms) and use the
//! same data one after the other, and each call would pack both operands again.
//!
//! Measured on one core of an Intel Xeon with a peak of 217 GFLOP/s, 12 heads of 1,024 tokens: 23.4 ms, 138 GFLOP/s. The
//! tiles take 73 % of the time, the softmax 10 %; the rest is reading and writing rows that are far from each other. The
//! peak would be 14.9 ms for the tiles and 1.7 ms for the softmax, which uses the same execution units.

mod backward;
mod mask;
mod tile;

use std::cell::Cell;
use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, ArrayViewMut4, Axis, s};

use self::mask::{Coverage, ScoreBlock, apply, coverage};
use self::tile::{KEYS, NEG_INFINITIES, SIDE};
use super::super::simd::SimdWork;
use super::super::{simd, threads};
use super::operands::{Fused, GradientInputs, GroupGradients, Mask, Operands, blocks, for_each_block};
use super::streaming::streaming;
use super::tiles::{self, LANES, Lanes, Strip, ZEROS};

/// Least queries of a head: half a vector.
pub(super) const FEWEST: usize = LANES / 2;
/// Most queries in a block: enough to make loading the keys cheap, few enough for the second-level cache.
const MOST: usize = 1056;

/// As [`super::fused`], in the fast form for any size. Where that is not implemented, in double precision and on
/// processors without a fused multiply-add, as [`streaming`].
///
/// Error against the formula in double precision: at most 2e-7 (1 + the largest score) of the largest value. The rounding
/// error of a score is proportional to it and becomes the relative error of a weight. Most errors are 3 times
/// smaller; [`streaming`] has the same bound.
pub fn fast<T: Fused>(x: Operands<T>, scale: T, mask: &Mask<T>, out: ArrayViewMut4<T>) {
    match T::is_fast() && !out.is_empty() && !x.is_empty() {
        true => T::fused(&x, scale, mask, out),
        false => streaming(x, scale, mask, out),
    }
}

impl Fused for f64 {}

impl Fused for f32 {
    fn is_fast() -> bool {
        simd::vector_bytes() > 0
    }

    fn fused(x: &Operands<f32>, scale: f32, mask: &Mask<f32>, out: ArrayViewMut4<f32>) {
        // A tile of sums takes three quarters of the vector registers: 24 of 32, or 12 of 16 of half the width.
        match simd::vector_bytes() {
            64.. => heads::<8, 3>(x, scale, mask, out),
            _ => heads::<6, 1>(x, scale, mask, out),
        }
    }

    fn fused_backward(given: &GradientInputs<f32>, at: [usize; 2], out: GroupGradients<f32>) {
        match simd::vector_bytes() {
            64.. => backward::group::<8, 2>(given, at, out),
            _ => backward::group::<4, 1>(given, at, out),
        }
    }
}

/// All heads, in tiles of `R` by `P` vectors.
fn heads<const R: usize, const P: usize>(
    x: &Operands<f32>,
    scale: f32,
    mask: &Mask<f32>,
    out: ArrayViewMut4<f32>,
) {
    let (q, k, v) = (x.q, x.k, x.v);
    let (b, h, t, _) = q.dim();
    let (groups, keys) = (k.len_of(Axis(1)), k.len_of(Axis(2)));
    // As large as possible, with enough blocks for every thread; their size changes no bit.
    let parts = (4 * threads::count()).div_ceil(b * h).max(t.div_ceil(MOST));
    let rows = t.div_ceil(parts).next_multiple_of(P * LANES).min(MOST);
    for_each_block(b * h * t * keys, blocks(out, rows), |at, out| {
        let [batch, head, first] = at;
        let group = head / (h / groups);
        simd::run_widest(TiledBlock::<R, P> {
            q: q.slice(s![batch, head, first..first + out.nrows(), ..]),
            k: k.slice(s![batch, group, .., ..]),
            v: v.slice(s![batch, group, .., ..]),
            scale,
            mask,
            at,
            out,
        });
    });
}

thread_local! {
    /// The work buffers of the last block: the system would clear fresh memory for each.
    static MEMORY: Cell<Vec<Lanes>> = const { Cell::new(Vec::new()) };
}

/// Work buffers of a block; their size does not depend on the number of keys.
struct WorkBuffers<'a, const R: usize> {
    /// Queries, scaled: for each strip, feature by feature.
    queries: &'a mut [Lanes],
    /// Weighted sums of the values so far: for each strip, feature by feature.
    context: &'a mut [Lanes],
    /// Scores, then weights, of a strip: key by key.
    scores: &'a mut [Lanes],
    /// The largest score so far.
    top: &'a mut [Lanes],
    /// The sum of the weights so far.
    sum: &'a mut [Lanes],
    /// A block of keys: (keys / R, D, R).
    keys: Vec<[f32; R]>,
    /// A block of values: (E / R, keys, R), the tiles [`apart`].
    values: Vec<[f32; R]>,
}

/// One block of queries against all keys. Shapes (t, D), (S, D), (S, E) to (t, E); any strides.
struct TiledBlock<'a, 'm, 'n, 'o, const R: usize, const P: usize> {
    q: ArrayView2<'a, f32>,
    k: ArrayView2<'a, f32>,
    v: ArrayView2<'a, f32>,
    scale: f32,
    mask: &'m Mask<'n, f32>,
    /// Batch, head, first query.
    at: [usize; 3],
    out: ArrayViewMut2<'o, f32>,
}

impl<const R: usize, const P: usize> SimdWork for TiledBlock<'_, '_, '_, '_, R, P> {
    const WIDEST: usize = tiles::vector_bytes_of(R);
    const ONLY_WIDEST: bool = true;
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let (t, keys, width) = (self.q.nrows(), self.k.nrows(), self.v.ncols());
        let (vectors, block) = (t.div_ceil(LANES), KEYS.min(keys));
        let (depth, tall) = (self.q.ncols().next_multiple_of(SIDE), width.next_multiple_of(R));
        let rows = block.next_multiple_of(R);
        let sizes = [vectors * depth, vectors * tall, rows * P, vectors, vectors];
        let (mut memory, all) = (MEMORY.take(), sizes.iter().sum());
        if memory.len() < all {
            memory.resize(all, ZEROS);
        }
        let mut rest = &mut memory[..];
        let [queries, context, scores, top, sum] =
            sizes.map(|size| rest.split_off_mut(..size).expect("the sizes add up to the memory's length"));
        context.fill(ZEROS);
        top.fill(NEG_INFINITIES);
        sum.fill(ZEROS);
        let mut buffers = WorkBuffers::<R> {
            queries,
            context,
            scores,
            top,
            sum,
            keys: vec![[0.0; R]; rows / R * depth],
            values: vec![[0.0; R]; tall / R * apart(block)],
        };
        let attended = if matches!(self.mask, Mask::Causal) { (self.at[2] + t).min(keys) } else { keys };
        for start in (0..attended).step_by(block) {
            let n = block.min(attended - start);
            let rows = self.k.slice(s![start..start + n, ..]);
            tile::copy_keys(rows, depth, &mut buffers.keys);
            tile::copy_values(self.v.slice(s![start..start + n, ..]), apart(block), &mut buffers.values);
            let mut next = start + n..(start + n + block).min(attended);
            let share = next.len().div_ceil(vectors.div_ceil(P));
            for first in (0..vectors).step_by(P) {
                let last_key = match self.mask {
                    Mask::Causal => attended.min(self.at[2] + (first + P) * LANES),
                    _ => attended,
                };
                let (is_first, is_last) = (start == 0, (start..start + n).contains(&(last_key - 1)));
                let share = next.start..(next.start + share).min(next.end);
                next.start = share.end;
                let rows = |first: usize| first * LANES..((first + P) * LANES).min(t);
                let turn = StripAndBlock {
                    first,
                    keys: (start, start + n),
                    is_first,
                    is_last,
                    ahead: PrefetchRows {
                        keys: share,
                        queries: if is_first { rows(first + P) } else { 0..0 },
                        results: if is_last { rows(first) } else { 0..0 },
                        tiles: n.div_ceil(R),
                    },
                };
                match P.min(vectors - first) {
                    3 if P >= 3 => self.strip::<3>(&mut buffers, turn),
                    2 if P >= 2 => self.strip::<2>(&mut buffers, turn),
                    _ => self.strip::<1>(&mut buffers, turn),
                }
            }
        }
        MEMORY.set(memory);
    }
}

impl<const R: usize, const P: usize> TiledBlock<'_, '_, '_, '_, R, P> {
    /// The queries of the strip of `N` vectors that begins with vector `first`.
    fn queries<const N: usize>(&self, first: usize) -> Range<usize> {
        first * LANES..((first + N) * LANES).min(self.q.nrows())
    }

    /// One strip against one block of keys.
    #[inline(always)]
    fn strip<const N: usize>(&mut self, buffers: &mut WorkBuffers<'_, R>, turn: StripAndBlock) {
        let (first, is_first, is_last) = (turn.first, turn.is_first, turn.is_last);
        if is_first {
            self.load::<N>(buffers, first);
        }
        self.attend::<N>(buffers, turn);
        if is_last {
            self.store::<N>(buffers, first);
        }
    }

    /// Copies the queries of a strip.
    #[inline(always)]
    fn load<const N: usize>(&self, buffers: &mut WorkBuffers<'_, R>, first: usize) {
        let depth = self.q.ncols().next_multiple_of(SIDE);
        let queries = strips_mut(&mut buffers.queries[first * depth..][..N * depth]);
        let q = self.q.slice(s![self.queries::<N>(first), ..]);
        tile::copy_queries::<N>(q, self.scale * std::f32::consts::LOG2_E, queries);
    }

    /// One strip against the block of keys in the buffers.
    #[inline(always)]
    fn attend<const N: usize>(&self, buffers: &mut WorkBuffers<'_, R>, turn: StripAndBlock) {
        let StripAndBlock { first, keys, mut ahead, .. } = turn;
        let WorkBuffers { queries, context, scores, top, sum, keys: k, values } = buffers;
        let depth = self.q.ncols().next_multiple_of(SIDE);
        let tall = self.v.ncols().next_multiple_of(R);
        let rows = self.queries::<N>(first);
        let mut place = ScoreBlock {
            head: [self.at[0], self.at[1]],
            queries: (self.at[2] + rows.start, self.at[2] + rows.end),
            keys,
        };
        let (coverage, n) = coverage(self.mask, place);
        if coverage == Coverage::NoKey {
            return;
        }
        let queries = strips(&queries[first * depth..][..N * depth]);
        let scores = strips_mut::<N>(&mut scores[..n.next_multiple_of(R) * N]);
        let top = &mut strips_mut::<N>(&mut top[first..][..N])[0];
        let sum = &mut strips_mut::<N>(&mut sum[first..][..N])[0];
        tile::products::<R, N>(queries, k, scores, || {
            let tiles = ahead.tiles;
            for row in take_share(&mut ahead.keys, tiles) {
                prefetch(self.k.row(row));
                prefetch(self.v.row(row));
            }
            take_share(&mut ahead.queries, tiles).for_each(|row| prefetch(self.q.row(row)));
            take_share(&mut ahead.results, tiles).for_each(|row| prefetch(self.out.row(row)));
            ahead.tiles = tiles.saturating_sub(1);
        });
        let scores = &mut scores[..n];
        if coverage == Coverage::SomeKeys {
            place.keys.1 = keys.0 + n;
            apply(scores, self.mask, place);
        }
        let shrink = tile::weigh(scores, top, sum);
        let context = strips_mut(&mut context[first * tall..][..N * tall]);
        let apart = apart(KEYS.min(self.k.nrows()));
        tile::gather::<R, N>(scores, values, apart, &shrink, context);
    }

    /// Writes the result of a strip.
    #[inline(always)]
    fn store<const N: usize>(&mut self, buffers: &mut WorkBuffers<'_, R>, first: usize) {
        let tall = self.v.ncols().next_multiple_of(R);
        let context = strips_mut::<N>(&mut buffers.context[first * tall..][..N * tall]);
        let sum = &strips::<N>(&buffers.sum[first..][..N])[0];
        let rows = self.queries::<N>(first);
        tile::put(context, sum, self.out.slice_mut(s![rows, ..]));
    }
}

/// Rows between tiles of values for a block of so many keys: not a whole page, as pages share the same sets of the
/// first-level cache.
fn apart(block: usize) -> usize {
    block + 2
}

/// A strip and a block of keys.
struct StripAndBlock {
    /// The first vector of the strip.
    first: usize,
    /// The keys, from and to.
    keys: (usize, usize),
    /// Whether the strip has not been loaded.
    is_first: bool,
    /// Whether the strip attends to no later key.
    is_last: bool,
    ahead: PrefetchRows,
}

/// Rows to prefetch while the scores are computed: without that the processor waits for a twelfth of the time, since
/// the rows of a head are far from each other in memory.
struct PrefetchRows {
    /// Of the next block of keys and values.
    keys: Range<usize>,
    /// Of the next strip of queries.
    queries: Range<usize>,
    /// Of the result of this strip.
    results: Range<usize>,
    /// Tiles of scores until then.
    tiles: usize,
}

/// The first of the rows: the same share for each of so many tiles.
#[inline(always)]
fn take_share(rows: &mut Range<usize>, tiles: usize) -> Range<usize> {
    let share = rows.start..rows.start + rows.len().div_ceil(tiles.max(1));
    rows.start = share.end;
    share
}

/// Vectors as strips of `N`.
#[inline(always)]
fn strips<const N: usize>(vectors: &[Lanes]) -> &[Strip<N>] {
    vectors.as_chunks().0
}

#[inline(always)]
fn strips_mut<const N: usize>(vectors: &mut [Lanes]) -> &mut [Strip<N>] {
    vectors.as_chunks_mut().0
}

/// Asks for a row that is read or written soon.
#[inline(always)]
fn prefetch(row: ArrayView1<f32>) {
    if let Some(row) = row.to_slice() {
        tiles::prefetch(row);
    }
}
