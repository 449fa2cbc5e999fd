//! Attention that keeps no scores, close to the peak speed of the processor. Single precision.
//! Source: the online softmax (Milakov & Gimelshein 2018) over blocks of keys (Rabe & Staats 2021; Dao et al. 2022).
//!
//! A vector has one number of each of 16 queries, and a strip has `P` vectors. A tile of `R` keys by one strip
//! stays in registers during the loop over features, and a tile of `R` features of the values during the loop over keys.
//! The softmax between them never adds across a vector. Each number is computed in the same way for every position
//! of its query in a vector, strip or block, and for every vector width.
//!
//! The products are not calls of `matrixmultiply`: they are many, short (64 terms) and use the same data one after
//! the other, and each call would pack both operands again. Measured on one core with a peak of 255 GFLOP/s: these tiles
//! 250 and more, its products of this shape 139 to 220; all of attention, 12 heads of 1,024 tokens, 15 ms against 25.

mod backward;
mod mask;
mod tile;

use ndarray::{ArrayView2, ArrayViewMut2, ArrayViewMut4, Axis, s};

use self::mask::{Coverage, ScoreBlock, apply, coverage};
use self::tile::{DEPTH, KEYS, LANES, NEG_INFINITIES, Strip, ZEROS};
use super::super::simd::SimdWork;
use super::super::{Real, simd, threads};
use super::operands::{Fused, Given, GroupGradients, Mask, Operands, blocks, for_each_block};
use super::streaming::streaming;

/// Least queries of a head: half a vector.
pub(super) const FEWEST: usize = LANES / 2;
/// Most queries in a block: enough to make loading the keys cheap, few enough for the second-level cache.
const MOST: usize = 512;

/// As [`super::fused`], in the fast form for any size. Where that is not implemented, in double precision and on
/// processors without a fused multiply-add, as [`streaming`].
///
/// Error against the formula in double precision: at most 2e-7 (1 + the largest score) of the largest value. The rounding
/// error of a score is proportional to it and becomes the relative error of a weight. Most errors are 3 times
/// smaller; [`streaming`] has the same bound.
pub fn fast<T: Real>(x: Operands<T>, scale: T, mask: &Mask<T>, mut out: ArrayViewMut4<T>) {
    if out.is_empty() || x.is_empty() || !T::fused(&x, scale, mask, out.view_mut()) {
        streaming(x, scale, mask, out);
    }
}

impl Fused for f64 {
    fn fused_backward<'a>(
        _: &Given<f64>,
        _: [usize; 2],
        out: GroupGradients<'a, f64>,
    ) -> Option<GroupGradients<'a, f64>> {
        Some(out)
    }

    fn fused(_: &Operands<f64>, _: f64, _: &Mask<f64>, _: ArrayViewMut4<f64>) -> bool {
        false
    }
}

impl Fused for f32 {
    fn fused_backward<'a>(
        given: &Given<f32>,
        at: [usize; 2],
        out: GroupGradients<'a, f32>,
    ) -> Option<GroupGradients<'a, f32>> {
        match simd::vector_bytes() {
            0 => return Some(out),
            64.. => backward::group::<8, 2>(given, at, out),
            _ => backward::group::<4, 1>(given, at, out),
        }
        None
    }

    fn fused(x: &Operands<f32>, scale: f32, mask: &Mask<f32>, out: ArrayViewMut4<f32>) -> bool {
        // A tile of sums takes half of the vector registers.
        match simd::vector_bytes() {
            0 => return false,
            64.. => heads::<8, 2>(x, scale, mask, out),
            _ => heads::<4, 1>(x, scale, mask, out),
        }
        true
    }
}

/// All heads, in tiles of `R` by `P` vectors.
fn heads<const R: usize, const P: usize>(
    x: &Operands<f32>,
    scale: f32,
    mask: &Mask<f32>,
    out: ArrayViewMut4<f32>,
) {
    let (q, k, v) = (x.q.view, x.k.view, x.v.view);
    let (b, h, t, d) = q.dim();
    let (groups, keys) = (k.len_of(Axis(1)), k.len_of(Axis(2)));
    // As large as possible, with enough blocks for every thread; their size changes no bit.
    let parts = (4 * threads::count()).div_ceil(b * h);
    let rows = t.div_ceil(parts).next_multiple_of(P * LANES).min(MOST);
    for_each_block(b * h * t * keys, blocks(out, rows), |at, out| {
        let [batch, head, first] = at;
        let group = head / (h / groups);
        simd::run_widest(TiledBlock::<R, P> {
            buffers: WorkBuffers::new(out.nrows(), keys, d, out.ncols()),
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

/// Work buffers of a block; their size does not depend on the number of keys.
struct WorkBuffers<const R: usize, const P: usize> {
    /// Queries, scaled, feature by feature: (strips, D).
    queries: Vec<Strip<P>>,
    /// Weighted sums of the values so far: (strips, E).
    context: Vec<Strip<P>>,
    /// Scores, then weights, of a strip: (keys of a block).
    scores: Vec<Strip<P>>,
    /// The largest score so far: (strips).
    top: Vec<Strip<P>>,
    /// The sum of the weights so far: (strips).
    sum: Vec<Strip<P>>,
    /// Keys in a block.
    block: usize,
    /// A block of keys: (D / 16, block, 16).
    keys: Vec<[f32; DEPTH]>,
    /// A block of values: (E / R, block, R).
    values: Vec<[f32; R]>,
}

impl<const R: usize, const P: usize> WorkBuffers<R, P> {
    /// Enough for `t` queries and `keys` of width `d` over values of width `e`.
    fn new(t: usize, keys: usize, d: usize, e: usize) -> Self {
        let strips = t.div_ceil(P * LANES);
        // The buffer of keys also has space for a strip of queries.
        let block = KEYS.min(keys.next_multiple_of(R)).max(P * LANES);
        let (depth, tall) = (d.div_ceil(DEPTH), e.div_ceil(R));
        WorkBuffers {
            queries: vec![[ZEROS; P]; strips * depth * DEPTH],
            context: vec![[ZEROS; P]; strips * tall * R],
            scores: vec![[ZEROS; P]; block],
            top: vec![[NEG_INFINITIES; P]; strips],
            sum: vec![[ZEROS; P]; strips],
            block,
            keys: vec![[0.0; DEPTH]; depth * block],
            values: vec![[0.0; R]; tall * block],
        }
    }
}

/// One block of queries against all keys. Shapes (t, D), (S, D), (S, E) to (t, E); any strides.
struct TiledBlock<'a, 'm, 'n, 'o, const R: usize, const P: usize> {
    buffers: WorkBuffers<R, P>,
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
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let TiledBlock { buffers, q, k, v, scale, mask, at, out } = self;
        let WorkBuffers {
            mut queries,
            mut context,
            mut scores,
            mut top,
            mut sum,
            block,
            mut keys,
            mut values,
        } = buffers;
        let rows = P * LANES;
        let (t, d) = q.dim();
        let (depth, tall) = (d.next_multiple_of(DEPTH), v.ncols().next_multiple_of(R));
        let strips = t.div_ceil(rows);
        tile::copy_queries(q, scale * std::f32::consts::LOG2_E, &mut keys, block, depth, &mut queries);
        let attended = if matches!(mask, Mask::Causal) { (at[2] + t).min(k.nrows()) } else { k.nrows() };
        for first in (0..attended).step_by(block) {
            let n = block.min(attended - first);
            tile::copy_rows(k.slice(s![first..first + n, ..]), block, &mut keys);
            tile::copy_rows(v.slice(s![first..first + n, ..]), block, &mut values);
            for strip in 0..strips {
                let mut place = ScoreBlock {
                    head: [at[0], at[1]],
                    queries: (at[2] + strip * rows, at[2] + ((strip + 1) * rows).min(t)),
                    keys: (first, first + n),
                };
                let (coverage, n) = coverage(mask, place);
                if coverage == Coverage::NoKey {
                    continue;
                }
                tile::products::<R, P>(
                    &queries[strip * depth..][..depth],
                    &keys,
                    block,
                    &mut scores[..n.next_multiple_of(R)],
                );
                let scores = &mut scores[..n];
                if coverage == Coverage::SomeKeys {
                    place.keys.1 = first + n;
                    apply(scores, mask, place);
                }
                let shrink = tile::weigh(scores, &mut top[strip], &mut sum[strip]);
                tile::gather(scores, &values, block, &shrink, &mut context[strip * tall..][..tall]);
            }
        }
        tile::put(&context, &sum, tall, out);
    }
}
