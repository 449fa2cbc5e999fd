//! Gradients of losses over classes.
//! Source: `torch.nn.functional.nll_loss` and `cross_entropy`: the negative log likelihood of a log-softmax.

use super::super::real::simd;
use super::super::{Real, buffer_pool, softmax, threads};
use super::{PARALLEL, PIECE};

/// The gradient of the negative log likelihood: at each position `slopes` in the place of its target, 0 elsewhere. For
/// log-probabilities of shape (batch, classes, inner); targets and slopes (batch, inner). A slope of 0 may have any target.
pub fn nll<T: Real>(targets: &[i64], slopes: &[T], classes: usize, inner: usize) -> Vec<T> {
    let mut out = buffer_pool::filled(slopes.len() * classes, T::ZERO);
    for (at, (&target, &slope)) in targets.iter().zip(slopes).enumerate() {
        if slope != T::ZERO {
            out[(at / inner * classes + target as usize) * inner + at % inner] = slope;
        }
    }
    out
}

/// Some rows: the result, x, targets and slopes.
type LossRows<'a, T> = ((&'a mut [T], &'a [T]), (&'a [i64], &'a [T]));

/// The gradient of [`nll`] through log_softmax(x), for x of shape (positions, classes), without keeping either.
pub fn cross_entropy<T: Real>(x: &[T], targets: &[i64], slopes: &[T], classes: usize) -> Vec<T> {
    let mut out: Vec<T> = buffer_pool::take(x.len());
    if classes == 0 {
        return out;
    }
    let rows = (PIECE / classes).max(1);
    let size = rows * classes;
    let pieces = out.chunks_mut(size).zip(x.chunks(size)).zip(targets.chunks(rows).zip(slopes.chunks(rows)));
    let each = |((out, x), (targets, slopes)): LossRows<T>| {
        out.copy_from_slice(x);
        for ((out, &target), &slope) in out.chunks_exact_mut(classes).zip(targets).zip(slopes) {
            softmax::log_softmax_row(out);
            let target = usize::try_from(target).ok().filter(|_| slope != T::ZERO);
            let own = target.map(|target| (target, out[target]));
            times_weights(out, slope);
            if let Some((target, y)) = own {
                out[target] = (-y.exp_vector()).fma(slope, slope);
            }
        }
    };
    threads::share_if(x.len() >= PARALLEL, pieces, each);
    out
}

simd! {
    /// Replaces each y of a row by -e^y times `slope`.
    fn times_weights<'a, T>(row: &'a mut [T], slope: T) -> () {
        for y in row {
            *y = (-y.exp_vector()).fma(slope, T::ZERO);
        }
    }
}
