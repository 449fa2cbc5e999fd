//! Gradients of softmax and log-softmax.
//! Source: `torch._softmax_backward_data` and `torch._log_softmax_backward_data`, which have one order for the last axis
//! and one for the others. Equal bits, single precision: all.

use super::super::real::simd;
use super::super::{Real, buffer_pool, softmax as forward, threads};
use super::{PARALLEL, PIECE, fold};

/// Writes the gradient of some rows or of a block of columns.
type Part<T> = fn(&[T], &[T], &mut [T], usize);

/// What the gradient is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// y, the result.
    Result,
    /// x, the input: each block of y is computed again while it is in the cache.
    Input,
}

/// The gradient along the middle axis of (.., length, inner), all row-major: (grad - Σ grad y) y for y = softmax(x), or
/// with `log` grad - exp(y) Σ grad for y = log_softmax(x).
pub fn softmax<T: Real>(known: Known, y: &[T], grad: &[T], [length, inner]: [usize; 2], log: bool) -> Vec<T> {
    let [rows, columns]: [Part<T>; 2] = match log {
        true => [log_softmax_rows, log_softmax_columns],
        false => [softmax_rows, softmax_columns],
    };
    let mut out: Vec<T> = buffer_pool::take(y.len());
    if out.is_empty() {
        return out;
    }
    let block = length * inner;
    let each = |at: usize, out: &mut [T]| {
        let (mut y, grad) = (&y[at..at + out.len()], &grad[at..at + out.len()]);
        let mut computed = Vec::new();
        if known == Known::Input {
            computed.resize(y.len(), T::ZERO);
            forward::blocks(y, &mut computed, [length, inner], inner == 1, log);
            y = &computed;
        }
        if inner == 1 {
            return rows(y, grad, out, length);
        }
        for ((y, grad), out) in
            y.chunks_exact(block).zip(grad.chunks_exact(block)).zip(out.chunks_exact_mut(block))
        {
            columns(y, grad, out, inner);
        }
    };
    let (size, is_large) = ((PIECE / block).max(1) * block, out.len() >= PARALLEL);
    threads::share_if(is_large, out.chunks_mut(size).enumerate(), |(number, out)| each(number * size, out));
    out
}

simd! {
    fn softmax_rows<'a, 'b, 'c, T>(y: &'a [T], grad: &'b [T], out: &'c mut [T], width: usize) -> () {
        let rows = y.chunks_exact(width).zip(grad.chunks_exact(width)).zip(out.chunks_exact_mut(width));
        for ((y, grad), out) in rows {
            let sum = fold(2 * T::LANES, [grad, y], |[g, y]| g * y, |sum, [g, y]| g.fma(y, sum), |a, b| a + b);
            for ((out, &y), &g) in out.iter_mut().zip(y).zip(grad) {
                *out = (g - sum) * y;
            }
        }
    }
}

simd! {
    fn log_softmax_rows<'a, 'b, 'c, T>(y: &'a [T], grad: &'b [T], out: &'c mut [T], width: usize) -> () {
        let rows = y.chunks_exact(width).zip(grad.chunks_exact(width)).zip(out.chunks_exact_mut(width));
        for ((y, grad), out) in rows {
            let sum = fold(2 * T::LANES, [grad], |[g]| g, |sum, [g]| sum + g, |a, b| a + b);
            for ((out, &y), &g) in out.iter_mut().zip(y).zip(grad) {
                *out = (-y.exp_vector()).fma(sum, g);
            }
        }
    }
}

simd! {
    fn softmax_columns<'a, 'b, 'c, T>(y: &'a [T], grad: &'b [T], out: &'c mut [T], inner: usize) -> () {
        let mut sums = vec![T::ZERO; inner];
        for (y, grad) in y.chunks_exact(inner).zip(grad.chunks_exact(inner)) {
            for ((sum, &y), &g) in sums.iter_mut().zip(y).zip(grad) {
                *sum = g.fma(y, *sum);
            }
        }
        let rows = y.chunks_exact(inner).zip(grad.chunks_exact(inner)).zip(out.chunks_exact_mut(inner));
        for ((y, grad), out) in rows {
            for (((out, &y), &g), &sum) in out.iter_mut().zip(y).zip(grad).zip(&sums) {
                *out = (g - sum) * y;
            }
        }
    }
}

simd! {
    fn log_softmax_columns<'a, 'b, 'c, T>(y: &'a [T], grad: &'b [T], out: &'c mut [T], inner: usize) -> () {
        let (mut sums, whole) = (vec![T::ZERO; inner], inner / (2 * T::LANES) * (2 * T::LANES));
        for grad in grad.chunks_exact(inner) {
            for (sum, &g) in sums.iter_mut().zip(grad) {
                *sum += g;
            }
        }
        let rows = y.chunks_exact(inner).zip(grad.chunks_exact(inner)).zip(out.chunks_exact_mut(inner));
        for ((y, grad), out) in rows {
            let e = |at: usize, y: T| if at < whole { y.exp_vector() } else { y.exp() };
            for (at, (((out, &y), &g), &sum)) in out.iter_mut().zip(y).zip(grad).zip(&sums).enumerate() {
                *out = (-e(at, y)).fma(sum, g);
            }
        }
    }
}
