//! Gradients of losses over classes.
//! Source: `torch.nn.functional.nll_loss` and `cross_entropy`: the negative log likelihood of a log-softmax.

use super::super::real::simd;
use super::super::{Real, buffer_pool, threads};
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

/// Some rows: the result, x, its totals, targets and slopes.
type LossRows<'a, T> = (((&'a mut [T], &'a [T]), &'a [[T; 2]]), (&'a [i64], &'a [T]));

/// The gradient of [`nll`] through log_softmax(x), for x of shape (positions, classes). `totals` has what
/// [`log_totals`](crate::kernel::softmax::log_totals) found for each row.
pub fn cross_entropy<T: Real>(
    x: &[T],
    totals: &[[T; 2]],
    targets: &[i64],
    slopes: &[T],
    classes: usize,
) -> Vec<T> {
    let mut out: Vec<T> = buffer_pool::take(x.len());
    if classes == 0 {
        return out;
    }
    let rows = (PIECE / classes).max(1);
    let size = rows * classes;
    let pieces = out.chunks_mut(size).zip(x.chunks(size)).zip(totals.chunks(rows));
    let pieces = pieces.zip(targets.chunks(rows).zip(slopes.chunks(rows)));
    let each = |(((out, x), totals), (targets, slopes)): LossRows<T>| {
        cross_entropy_rows(out, x, totals, targets, slopes, classes);
    };
    threads::share_if(x.len() >= PARALLEL, pieces, each);
    out
}

simd! { wide:
    /// For each row -e^y times its slope, y = log_softmax(x), and the slope is added at the target.
    fn cross_entropy_rows<'a, 'b, T>(
        out: &'a mut [T],
        x: &'b [T],
        totals: &'b [[T; 2]],
        targets: &'b [i64],
        slopes: &'b [T],
        classes: usize,
    ) -> () {
        let rows = out.chunks_exact_mut(classes).zip(x.chunks_exact(classes)).zip(totals);
        for (((out, x), &[top, log]), (&target, &slope)) in rows.zip(targets.iter().zip(slopes)) {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = (-(x - top - log).exp_vector()).fma(slope, T::ZERO);
            }
            if let Some(target) = usize::try_from(target).ok().filter(|_| slope != T::ZERO) {
                out[target] = (-(x[target] - top - log).exp_vector()).fma(slope, slope);
            }
        }
    }
}
