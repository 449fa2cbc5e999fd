//! Gradients of scaled dot-product attention without keeping the weights: they are computed again in blocks.
//! Source: Dao et al. 2022, algorithm 4; `torch.nn.functional.scaled_dot_product_attention`.
//!
//! For each block of queries a first pass finds the logarithm L of the sum of the exponentials and the context O. With
//! W = exp(scale Q Kᵀ + mask - L) and D = Σ dO O of each query, a second pass adds up
//!
//! - dV = Wᵀ dO
//! - dS = W (dO Vᵀ - D)
//! - dQ = scale dS K, dK = scale dSᵀ Q
//!
//! With dropout, `noise` multiplies W where it meets values and dO Vᵀ in dS. Memory grows with queries and keys and not
//! with their product.
//!
//! As in the forward pass, there is a form in PyTorch's blocks, and a fast one for large problems (`fast::backward`), which
//! computes no product twice. Both are within 2e-6 of the largest gradient.

use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use super::super::backward::fold;
use super::super::gemm::Multiply;
use super::super::real::simd;
use super::super::{gemm, threads};
use super::fast::FEWEST;
use super::operands::{
    AttentionGradients, Fused, GradientInputs, GroupGradients, MANY, Mask, PARALLEL, matrix, of_head, split,
    whole,
};
use super::streaming::{KEYS, masked_row, queries, query_block};

/// The gradients of [`super::fused`]. Each group of heads is computed by one thread; the number of threads changes no bit.
pub fn backward<T: Fused>(given: &GradientInputs<T>, out: AttentionGradients<T>) {
    let (b, h, t, _) = given.x.q.dim();
    let keys = given.x.k.len_of(Axis(2));
    let large = t >= FEWEST && b * h * t * keys >= MANY;
    backward_in(given, out, large);
}

/// As [`backward`], in the fast form if `large` and this processor has one.
pub fn backward_in<T: Fused>(given: &GradientInputs<T>, mut out: AttentionGradients<T>, large: bool) {
    let (b, h, t, _) = given.x.q.dim();
    let keys = given.x.k.len_of(Axis(2));
    if given.grad.is_empty() || given.x.is_empty() {
        out.q.fill(T::ZERO);
        out.k.fill(T::ZERO);
        out.v.fill(T::ZERO);
        return;
    }
    let large = large && out.mask.is_none() && T::is_fast();
    let groups = groups_of(out, given.x.k.len_of(Axis(1)));
    let each = |(at, out): ([usize; 2], GroupGradients<T>)| match large {
        true => T::fused_backward(given, at, out),
        false => group(given, at, out),
    };
    threads::share_if(b * h * t * keys >= PARALLEL, groups.into_iter(), each);
}

/// The gradients of each batch and group.
fn groups_of<T>(out: AttentionGradients<T>, groups: usize) -> Vec<([usize; 2], GroupGradients<T>)> {
    let mut found = Vec::new();
    let masks = out.mask.map_or_else(Vec::new, split);
    let mut masks = masks.into_iter().map(split);
    let batches = split(out.q).into_iter().zip(split(out.k)).zip(split(out.v));
    for (batch, ((q, k), v)) in batches.enumerate() {
        let (q, mut mask) = (split(q), masks.next().unwrap_or_default().into_iter());
        let (each, mut q) = (q.len() / groups, q.into_iter());
        for (group, (k, v)) in split(k).into_iter().zip(split(v)).enumerate() {
            let (q, mask) = (q.by_ref().take(each).collect(), mask.by_ref().take(each).collect());
            found.push(([batch, group], GroupGradients { q, k, v, mask }));
        }
    }
    found
}

/// The gradients of one group of heads.
fn group<T: Multiply>(given: &GradientInputs<T>, [batch, group]: [usize; 2], mut out: GroupGradients<T>) {
    let (k, v) = (of_head(given.x.k, batch, group), of_head(given.x.v, batch, group));
    out.k.fill(T::ZERO);
    out.v.fill(T::ZERO);
    let heads = out.q.len();
    for (number, mut of_q) in out.q.into_iter().enumerate() {
        let head = group * heads + number;
        let (q, grad) = (of_head(given.x.q, batch, head), of_head(given.grad, batch, head));
        let t = q.nrows();
        of_q.fill(T::ZERO);
        for first in (0..t).step_by(query_block(t)) {
            let end = (first + query_block(t)).min(t);
            Block {
                given,
                at: [batch, head, first],
                q: q.slice(s![first..end, ..]),
                k,
                v,
                grad: grad.slice(s![first..end, ..]),
            }
            .run(
                of_q.slice_mut(s![first..end, ..]),
                out.k.view_mut(),
                out.v.view_mut(),
                out.mask.get_mut(number).map(|mask| mask.slice_mut(s![first..end, ..])),
            );
        }
    }
}

/// One block of queries: (t, D), (S, D), (S, E), (t, E).
struct Block<'a, 'g, T> {
    given: &'a GradientInputs<'g, T>,
    /// Batch, head and first query.
    at: [usize; 3],
    q: ArrayView2<'a, T>,
    k: ArrayView2<'a, T>,
    v: ArrayView2<'a, T>,
    grad: ArrayView2<'a, T>,
}

impl<T: Multiply> Block<'_, '_, T> {
    /// Adds to the gradients.
    fn run(
        self,
        mut of_q: ArrayViewMut2<T>,
        mut of_k: ArrayViewMut2<T>,
        mut of_v: ArrayViewMut2<T>,
        mut of_mask: Option<ArrayViewMut2<T>>,
    ) {
        let Block { given, at, q, k, v, grad } = self;
        let (t, keys, width) = (q.nrows(), k.nrows(), v.ncols());
        let noise = given.noise.map(|noise| noise.slice_move(s![at[0], at[1], at[2]..at[2] + t, ..]));
        let (mut context, mut log_sum) = (vec![T::ZERO; t * width], vec![T::ZERO; t]);
        let out = matrix(&mut context, t, width);
        queries(q, k, v, given.scale, &given.mask, noise, at, out, Some(&mut log_sum));
        let totals: Vec<T> = (context.chunks_exact(width).zip(grad.outer_iter()))
            .map(|(context, grad)| match grad.to_slice() {
                Some(grad) => product_sum(context, grad),
                None => product_sum(context, &grad.to_vec()),
            })
            .collect();
        let attended = if matches!(given.mask, Mask::Causal) { (at[2] + t).min(keys) } else { keys };
        let block = KEYS.min(attended);
        let (mut weights, mut of_scores) = (vec![T::ZERO; t * block], vec![T::ZERO; t * block]);
        if let Some(of_mask) = &mut of_mask {
            of_mask.fill(T::ZERO);
        }
        for first in (0..attended).step_by(KEYS) {
            let n = KEYS.min(attended - first);
            let (k, v) = (k.slice(s![first..first + n, ..]), v.slice(s![first..first + n, ..]));
            let (weights, of_scores) = (&mut weights[..t * n], &mut of_scores[..t * n]);
            gemm::gemm(given.scale, q, k.t(), T::ZERO, matrix(weights, t, n));
            gemm::matmul(grad, v.t(), matrix(of_scores, t, n));
            let rows = weights.chunks_exact_mut(n).zip(of_scores.chunks_exact_mut(n)).enumerate();
            for (i, (weights, of_scores)) in rows {
                masked_row(weights, T::ONE, &given.mask, [at[0], at[1], at[2] + i], first);
                weigh(weights, log_sum[i]);
                if let Some(noise) = noise {
                    let noise = noise.slice_move(s![i, first..first + n]);
                    of_scores.iter_mut().zip(noise).for_each(|(x, &noise)| *x *= noise);
                }
                through_softmax(weights, of_scores, totals[i]);
                if let Some(noise) = noise {
                    let noise = noise.slice_move(s![i, first..first + n]);
                    weights.iter_mut().zip(noise).for_each(|(x, &noise)| *x *= noise);
                }
                if let Some(of_mask) = &mut of_mask {
                    let to = of_mask.slice_mut(s![i, first..first + n]);
                    to.into_iter().zip(&*of_scores).for_each(|(to, &x)| *to = x);
                }
            }
            let (weights, of_scores) = (whole(weights, t, n), whole(of_scores, t, n));
            gemm::addmm(weights.reversed_axes(), grad, of_v.slice_mut(s![first..first + n, ..]));
            gemm::gemm(given.scale, of_scores, k, T::ONE, of_q.view_mut());
            let of_k = of_k.slice_mut(s![first..first + n, ..]);
            gemm::gemm(given.scale, of_scores.reversed_axes(), q, T::ONE, of_k);
        }
    }
}

simd! {
    /// Σ of the products of two rows in the order of a vector register.
    fn product_sum<'a, T>(a: &'a [T], b: &'a [T]) -> T {
        fold(2 * T::LANES, [a, b], |[a, b]| a * b, |sum, [a, b]| a.fma(b, sum), |a, b| a + b)
    }
}

simd! { wide:
    /// Replaces each score by its weight e^(score - log sum); zeros for a query that attends to no key.
    fn weigh<'a, T>(row: &'a mut [T], log_sum: T) -> () {
        if log_sum == T::NEG_INFINITY {
            return row.fill(T::ZERO);
        }
        for x in row {
            *x = (*x - log_sum).exp_vector();
        }
    }
}

simd! {
    /// Replaces the gradients of a row of weights by the gradients of its scores.
    fn through_softmax<'a, 'b, T>(weights: &'a [T], grad: &'b mut [T], total: T) -> () {
        for (x, &weight) in grad.iter_mut().zip(weights) {
            *x = weight * (*x - total);
        }
    }
}
