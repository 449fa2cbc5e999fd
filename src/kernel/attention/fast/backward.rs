//! Gradients of attention in tiles, close to the peak speed of the processor. Single precision.
//! Source: as `fast`; Dao et al. 2022, algorithm 4.
//!
//! The numbers of 16 queries lie in a vector, as in the forward pass: scores, weights and the gradients of both are tiles
//! of keys by strips of queries, computed again for each block of queries and of keys. Only in the gradients of keys and
//! values, which are sums over queries, a vector has 16 features. Each number is one chain of multiply-adds in the order of
//! queries or keys, whatever the blocks.

use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use super::super::super::math;
use super::super::super::simd::{self, SimdWork};
use super::super::super::tiles::{LANES, Lanes, Strip, Vectors, ZEROS};
use super::super::operands::{Given, GroupGradients, Mask};
use super::mask::{Coverage, ScoreBlock, apply, coverage};
use super::tile::{self, KEYS, NEG_INFINITIES, each};

/// Queries in a block: their strips and the block of weights stay in the second-level cache.
const QUERIES: usize = 256;

/// All heads of one group; `at` is batch and group.
pub(super) fn group<const R: usize, const P: usize>(
    given: &Given<f32>,
    at: [usize; 2],
    out: GroupGradients<f32>,
) {
    simd::run_widest(TiledGroup::<R, P> { given, at, out });
}

/// The gradients of one group of heads.
struct TiledGroup<'a, 'g, 'o, const R: usize, const P: usize> {
    given: &'a Given<'g, f32>,
    at: [usize; 2],
    out: GroupGradients<'o, f32>,
}

impl<const R: usize, const P: usize> SimdWork for TiledGroup<'_, '_, '_, R, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let TiledGroup { given, at: [batch, group], mut out } = self;
        let k = given.x.k.view.slice(s![batch, group, .., ..]);
        let v = given.x.v.view.slice(s![batch, group, .., ..]);
        let (t, heads) = (given.x.q.view.dim().2, out.q.len());
        let mut buffers = Buffers::<R, P>::new(t, k.nrows(), k.ncols(), v.ncols());
        for (number, of_q) in out.q.iter_mut().enumerate() {
            let head = group * heads + number;
            let q = given.x.q.view.slice(s![batch, head, .., ..]);
            let grad = given.grad.view.slice(s![batch, head, .., ..]);
            for first in (0..t).step_by(QUERIES) {
                let end = (first + QUERIES).min(t);
                let at = [batch, head, first];
                buffers.take_queries(
                    q.slice(s![first..end, ..]),
                    grad.slice(s![first..end, ..]),
                    given.scale,
                );
                buffers.pass(given, at, k, v, false);
                buffers.finish_totals();
                buffers.pass(given, at, k, v, true);
                buffers.put_queries(given.scale, of_q.slice_mut(s![first..end, ..]));
            }
        }
        put_rows(&buffers.of_keys, buffers.padded, given.scale, &mut out.k);
        put_rows(&buffers.of_values, buffers.padded, 1.0, &mut out.v);
    }
}

/// Work buffers of a group. Sizes: strips of a block of queries, keys of a block, features rounded up.
struct Buffers<const R: usize, const P: usize> {
    vectors: Vectors,
    /// Queries in this block.
    t: usize,
    /// Keys in a block.
    block: usize,
    /// All keys, rounded up to whole tiles.
    padded: usize,
    /// Rounded up features of keys and of values.
    depth: [usize; 2],
    /// Queries, scaled, feature by feature: (strips, D).
    queries: Vec<Strip<P>>,
    /// The gradient of the result, feature by feature: (strips, E).
    grads: Vec<Strip<P>>,
    /// Queries as rows: (pieces of features, queries).
    query_rows: Vec<Strip<P>>,
    /// The gradient of the result as rows: (pieces of features, queries).
    grad_rows: Vec<Strip<P>>,
    /// A block of keys and of values for products: (block / R, D, R).
    keys: Vec<[f32; R]>,
    values: Vec<[f32; R]>,
    /// A block of keys for the gradients of queries: (D / R, block, R).
    tall_keys: Vec<[f32; R]>,
    /// Scores, then weights: (strips, block).
    weights: Vec<Strip<P>>,
    /// Gradients of the weights, then of the scores: (strips, block).
    of_scores: Vec<Strip<P>>,
    /// The largest score, the sum of the weights and that of weights times their gradients: (strips).
    top: Vec<Strip<P>>,
    sum: Vec<Strip<P>>,
    total: Vec<Strip<P>>,
    /// The gradients of the queries so far: (strips, D).
    of_queries: Vec<Strip<P>>,
    /// Those of keys and values: (pieces of features, keys).
    of_keys: Vec<Strip<P>>,
    of_values: Vec<Strip<P>>,
    /// Which strips attend to the block of keys.
    attends: Vec<bool>,
}

impl<const R: usize, const P: usize> Buffers<R, P> {
    /// Queries in a strip, and features in a piece.
    const ROWS: usize = P * LANES;

    fn new(t: usize, keys: usize, d: usize, e: usize) -> Self {
        let strips = t.min(QUERIES).div_ceil(Self::ROWS);
        let block = KEYS.min(keys.next_multiple_of(R));
        let (depth, padded) = ([d, e].map(|width| width.next_multiple_of(LANES)), keys.next_multiple_of(R));
        let zeros = |count: usize| vec![[ZEROS; P]; count];
        let pieces = [d, e].map(|width| width.div_ceil(Self::ROWS));
        Buffers {
            vectors: Vectors::detect(),
            t,
            block,
            padded,
            depth,
            queries: zeros(strips * depth[0]),
            grads: zeros(strips * depth[1]),
            query_rows: zeros(pieces[0] * strips * Self::ROWS),
            grad_rows: zeros(pieces[1] * strips * Self::ROWS),
            keys: vec![[0.0; R]; block / R * depth[0]],
            values: vec![[0.0; R]; block / R * depth[1]],
            tall_keys: vec![[0.0; R]; depth[0] / R * block],
            weights: zeros(strips * block),
            of_scores: zeros(strips * block),
            top: zeros(strips),
            sum: zeros(strips),
            total: zeros(strips),
            of_queries: zeros(strips * depth[0]),
            of_keys: zeros(pieces[0] * padded),
            of_values: zeros(pieces[1] * padded),
            attends: vec![false; strips],
        }
    }

    /// Strips of the block of queries.
    #[inline(always)]
    fn strips(&self) -> usize {
        self.t.div_ceil(Self::ROWS)
    }

    /// Begins a block of queries.
    #[inline(always)]
    fn take_queries(&mut self, q: ArrayView2<f32>, grad: ArrayView2<f32>, scale: f32) {
        self.t = q.nrows();
        for buffer in [&mut self.queries, &mut self.grads, &mut self.query_rows, &mut self.grad_rows] {
            if !self.t.is_multiple_of(Self::ROWS) {
                buffer.fill([ZEROS; P]);
            }
        }
        let scale = scale * std::f32::consts::LOG2_E;
        for (rows, scale, depth, to) in
            [(q, scale, self.depth[0], &mut self.queries), (grad, 1.0, self.depth[1], &mut self.grads)]
        {
            for (rows, to) in rows.axis_chunks_iter(Axis(0), Self::ROWS).zip(to.chunks_exact_mut(depth)) {
                tile::copy_queries(self.vectors, rows, scale, to);
            }
        }
        let stride = self.attends.len() * Self::ROWS;
        copy_features(q, stride, &mut self.query_rows);
        copy_features(grad, stride, &mut self.grad_rows);
        self.top.fill([NEG_INFINITIES; P]);
        self.sum.fill([ZEROS; P]);
        self.total.fill([ZEROS; P]);
        self.of_queries.fill([ZEROS; P]);
    }

    /// Goes through all keys: first for the sums of each query, then, if `adds`, for the gradients.
    #[inline(always)]
    fn pass(
        &mut self,
        given: &Given<f32>,
        at: [usize; 3],
        k: ArrayView2<f32>,
        v: ArrayView2<f32>,
        adds: bool,
    ) {
        let (block, [d, e]) = (self.block, self.depth);
        let causal = matches!(given.mask, Mask::Causal);
        let attended = if causal { (at[2] + self.t).min(k.nrows()) } else { k.nrows() };
        for first in (0..attended).step_by(block) {
            let n = block.min(attended - first);
            tile::copy_keys(self.vectors, k.slice(s![first..first + n, ..]), d, &mut self.keys);
            tile::copy_keys(self.vectors, v.slice(s![first..first + n, ..]), e, &mut self.values);
            if adds {
                tile::copy_values(k.slice(s![first..first + n, ..]), block, &mut self.tall_keys);
            }
            for strip in 0..self.strips() {
                let queries = at[2] + strip * Self::ROWS..at[2] + ((strip + 1) * Self::ROWS).min(self.t);
                let mut place = ScoreBlock {
                    head: [at[0], at[1]],
                    queries: (queries.start, queries.end),
                    keys: (first, first + n),
                };
                let (coverage, seen) = coverage(&given.mask, place);
                self.attends[strip] = coverage != Coverage::NoKey;
                if coverage == Coverage::NoKey {
                    continue;
                }
                let weights = &mut self.weights[strip * block..][..block];
                let of_scores = &mut self.of_scores[strip * block..][..block];
                let tiles = seen.next_multiple_of(R);
                let (q, grad) = (&self.queries[strip * d..][..d], &self.grads[strip * e..][..e]);
                tile::products::<R, P>(self.vectors, q, &self.keys, &mut weights[..tiles], || ());
                tile::products::<R, P>(self.vectors, grad, &self.values, &mut of_scores[..tiles], || ());
                place.keys.1 = first + seen;
                if coverage == Coverage::SomeKeys {
                    apply(&mut weights[..seen], &given.mask, place);
                }
                let noise =
                    given.noise.map(|noise| noise.slice_move(s![at[0], at[1], queries, first..first + seen]));
                if let Some(noise) = noise {
                    times(&mut of_scores[..seen], noise);
                }
                let (top, total) = (&mut self.top[strip], &mut self.total[strip]);
                if !adds {
                    add_up(&weights[..seen], &of_scores[..seen], top, &mut self.sum[strip], total);
                    continue;
                }
                through_softmax(&mut weights[..seen], &mut of_scores[..seen], top, total);
                if let Some(noise) = noise {
                    times(&mut weights[..seen], noise);
                }
                let rest = seen..n.next_multiple_of(R);
                weights[rest.clone()].fill([ZEROS; P]);
                of_scores[rest].fill([ZEROS; P]);
                let to = &mut self.of_queries[strip * d..][..d];
                tile::gather(self.vectors, &of_scores[..seen], &self.tall_keys, block, &[ONES; P], to);
            }
            if adds {
                let (tiles, strips) = (first..first + n.next_multiple_of(R), self.strips());
                let stride = self.attends.len() * Self::ROWS;
                let attends = &self.attends[..strips];
                for (weights, rows, to) in [
                    (&self.weights, &self.grad_rows, &mut self.of_values),
                    (&self.of_scores, &self.query_rows, &mut self.of_keys),
                ] {
                    for (rows, to) in rows.chunks_exact(stride).zip(to.chunks_exact_mut(self.padded)) {
                        over_queries::<R, P>(weights, block, rows, attends, &mut to[tiles.clone()]);
                    }
                }
            }
        }
    }

    /// Turns the sums of each query into the logarithm of the sum of the exponentials and the mean gradient of a weight.
    #[inline(always)]
    fn finish_totals(&mut self) {
        for ((top, sum), total) in self.top.iter_mut().zip(&self.sum).zip(&mut self.total) {
            each!(P, p => {
                for l in 0..LANES {
                    let sum = sum[p].0[l];
                    // The weights of a query without keys are 0.
                    let none = sum == 0.0;
                    top[p].0[l] = if none { f32::INFINITY } else { top[p].0[l] + sum.log2() };
                    total[p].0[l] = if none { 0.0 } else { total[p].0[l] / sum };
                }
            });
        }
    }

    /// Writes the gradients of the block of queries.
    #[inline(always)]
    fn put_queries(&self, scale: f32, mut out: ArrayViewMut2<f32>) {
        for (i, mut row) in out.outer_iter_mut().enumerate() {
            let (strip, p, lane) = (i / Self::ROWS, i / LANES % P, i % LANES);
            for (to, from) in row.iter_mut().zip(&self.of_queries[strip * self.depth[0]..]) {
                *to = from[p].0[lane] * scale;
            }
        }
    }
}

const ONES: Lanes = Lanes([1.0; LANES]);

/// Copies rows in pieces of `P` vectors of features: all first pieces, then, `stride` further, all second ones. The
/// missing numbers of the last piece stay 0.
#[inline(always)]
fn copy_features<const P: usize>(rows: ArrayView2<f32>, stride: usize, to: &mut [Strip<P>]) {
    for (i, row) in rows.outer_iter().enumerate() {
        for (at, &x) in row.iter().enumerate() {
            to[at / (P * LANES) * stride + i][at / LANES % P].0[at % LANES] = x;
        }
    }
}

/// Writes rows that are stored in pieces of features, times `scale`.
fn put_rows<const P: usize>(from: &[Strip<P>], padded: usize, scale: f32, out: &mut ArrayViewMut2<f32>) {
    for (i, mut row) in out.outer_iter_mut().enumerate() {
        for (at, to) in row.iter_mut().enumerate() {
            *to = from[at / (P * LANES) * padded + i][at / LANES % P].0[at % LANES] * scale;
        }
    }
}

/// Multiplies a block by the noise of its queries and keys.
#[inline(always)]
fn times<const P: usize>(block: &mut [Strip<P>], noise: ArrayView2<f32>) {
    for (i, row) in noise.outer_iter().enumerate() {
        for (strip, &noise) in block.iter_mut().zip(row) {
            strip[i / LANES].0[i % LANES] *= noise;
        }
    }
}

/// Adds a block of scores to the sum of the exponentials, and the exponentials times the gradients of the weights to
/// `total`; both relative to the largest score so far.
#[inline(always)]
fn add_up<const P: usize>(
    scores: &[Strip<P>],
    of_weights: &[Strip<P>],
    top: &mut Strip<P>,
    sum: &mut Strip<P>,
    total: &mut Strip<P>,
) {
    let mut new = *top;
    for s in scores {
        each!(P, p => {
            for l in 0..LANES {
                new[p].0[l] = if s[p].0[l] > new[p].0[l] { s[p].0[l] } else { new[p].0[l] };
            }
        });
    }
    let mut base = [ZEROS; P];
    each!(P, p => {
        for l in 0..LANES {
            base[p].0[l] = if new[p].0[l] == f32::NEG_INFINITY { 0.0 } else { new[p].0[l] };
            let shrink = math::exp2_fast(top[p].0[l] - base[p].0[l]);
            sum[p].0[l] *= shrink;
            total[p].0[l] *= shrink;
        }
    });
    *top = new;
    let (mut part, mut along) = ([ZEROS; P], [ZEROS; P]);
    for (s, grad) in scores.iter().zip(of_weights) {
        each!(P, p => {
            for l in 0..LANES {
                let weight = math::exp2_fast(s[p].0[l] - base[p].0[l]);
                part[p].0[l] += weight;
                along[p].0[l] = weight.mul_add(grad[p].0[l], along[p].0[l]);
            }
        });
    }
    each!(P, p => {
        for l in 0..LANES {
            sum[p].0[l] += part[p].0[l];
            total[p].0[l] += along[p].0[l];
        }
    });
}

/// Replaces scores by weights, and gradients of the weights by those of the scores.
#[inline(always)]
fn through_softmax<const P: usize>(
    scores: &mut [Strip<P>],
    grads: &mut [Strip<P>],
    log_sum: &Strip<P>,
    total: &Strip<P>,
) {
    for (s, grad) in scores.iter_mut().zip(grads) {
        each!(P, p => {
            for l in 0..LANES {
                let weight = math::exp2_fast(s[p].0[l] - log_sum[p].0[l]);
                s[p].0[l] = weight;
                grad[p].0[l] = weight * (grad[p].0[l] - total[p].0[l]);
            }
        });
    }
}

/// Adds, for each key of a block, the rows of the queries times their weights for it. (strips, keys) of queries times
/// (queries, features) to (keys, features).
#[inline(always)]
fn over_queries<const R: usize, const P: usize>(
    weights: &[Strip<P>],
    block: usize,
    rows: &[Strip<P>],
    attends: &[bool],
    to: &mut [Strip<P>],
) {
    for (at, to) in to.as_chunks_mut::<R>().0.iter_mut().enumerate() {
        let mut acc = *to;
        let strips = weights.chunks_exact(block).zip(rows.chunks_exact(P * LANES)).zip(attends);
        for ((weights, rows), _) in strips.filter(|(_, attends)| **attends) {
            let weights = &weights.as_chunks::<R>().0[at];
            each!(P, half => {
                for (l, row) in rows[half * LANES..][..LANES].iter().enumerate() {
                    each!(R, r => {
                        each!(P, p => { acc[r][p] = tile::onto(&acc[r][p], weights[r][half].0[l], &row[p]); });
                    });
                }
            });
        }
        *to = acc;
    }
}
