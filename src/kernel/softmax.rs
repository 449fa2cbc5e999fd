//! Softmax along one axis of a strided view.
//! Source: `torch.softmax` and `torch.log_softmax`, which have one algorithm for the last axis and one for the others.
//! Share of results equal to PyTorch 2.6 bit for bit: along the last axis all (1 to 1,024 numbers, masked or not); along
//! other axes all in whole vectors and 99.98% in the remaining columns.

use ndarray::ArrayViewD;

use super::real::simd;
use super::threads::{self, PARALLEL, PIECE};
use super::{Real, buffer_pool};

/// Weights from scores along `axis`: exp(x - max) / Σ exp(x - max), same shape, row-major. Copies.
/// A row of -inf only becomes NaN, as in PyTorch.
pub fn softmax<T: Real>(x: ArrayViewD<T>, axis: usize) -> Vec<T> {
    along(x, axis, false)
}

/// log(softmax(x)) along `axis`, computed as x - max - log Σ exp(x - max). Copies.
pub fn log_softmax<T: Real>(x: ArrayViewD<T>, axis: usize) -> Vec<T> {
    along(x, axis, true)
}

fn along<T: Real>(x: ArrayViewD<T>, axis: usize, log: bool) -> Vec<T> {
    let shape = x.shape();
    let (length, inner) =
        if shape.is_empty() { (1, 1) } else { (shape[axis], shape[axis + 1..].iter().product()) };
    let is_last = axis + 1 >= shape.len();
    let mut data: Vec<T> = buffer_pool::take(x.len());
    if data.is_empty() {
        return data;
    }
    let x = x.as_standard_layout();
    let x = x.as_slice().expect("the layout is row-major");
    let block = length * inner;
    let size = (PIECE / block).max(1) * block;
    threads::share_if(x.len() >= PARALLEL, x.chunks(size).zip(data.chunks_mut(size)), |(x, data)| {
        blocks(x, data, [length, inner], is_last, log);
    });
    data
}

/// Softmax, or log-softmax if `log`, along the middle axis of (.., length, inner), from one slice to another. `is_last` if
/// that is the last axis of the tensor.
pub(super) fn blocks<T: Real>(x: &[T], out: &mut [T], [length, inner]: [usize; 2], is_last: bool, log: bool) {
    if is_last && !log {
        // Row by row, so that each is still in the cache when it is used again.
        return softmax_rows(x, out, length);
    }
    out.copy_from_slice(x);
    for block in out.chunks_exact_mut(length * inner) {
        match (is_last, log) {
            (true, _) => log_softmax_row(block),
            (_, false) => softmax_columns(block, inner),
            (_, true) => log_softmax_columns(block, inner),
        }
    }
}

simd! { wide:
    /// Softmax of each row of `width` numbers, from one slice to another.
    fn softmax_rows<'a, 'b, T>(x: &'a [T], out: &'b mut [T], width: usize) -> () {
        for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let top = fold(x, T::maximum);
            for (out, &x) in out.iter_mut().zip(x) {
                *out = (x - top).exp_vector();
            }
            let scale = T::ONE / fold(out, |a, b| a + b);
            for out in out.iter_mut() {
                *out *= scale;
            }
        }
    }
}

simd! { wide:
    fn log_softmax_row<'a, T>(row: &'a mut [T]) -> () {
        let (top, log) = log_total(row);
        for x in row.iter_mut() {
            *x = *x - top - log;
        }
    }
}

/// Of each row of `width` numbers the largest, and the logarithm of the sum of the exponentials of all less the largest:
/// x less both is [`log_softmax`].
pub fn log_totals<T: Real>(x: &[T], width: usize) -> Vec<[T; 2]> {
    let mut totals = vec![[T::ZERO; 2]; x.len().checked_div(width).unwrap_or(0)];
    let rows = PIECE.checked_div(width).unwrap_or(1).max(1);
    let pieces = x.chunks((rows * width).max(1)).zip(totals.chunks_mut(rows));
    threads::share_if(x.len() >= PARALLEL, pieces, |(x, totals)| row_totals(x, width, totals));
    totals
}

simd! { wide:
    fn row_totals<'a, 'b, T>(x: &'a [T], width: usize, totals: &'b mut [[T; 2]]) -> () {
        for (x, total) in x.chunks_exact(width).zip(totals) {
            *total = log_total(x).into();
        }
    }
}

/// The largest number of a row, and the logarithm of the sum of the exponentials of all less the largest.
#[inline(always)]
fn log_total<T: Real>(row: &[T]) -> (T, T) {
    let top = fold(row, T::maximum);
    // The exponentials are used once, in the order of their sum, so only a few vectors of them exist at a time.
    let lanes = 2 * T::LANES;
    let sum = if row.len() < lanes {
        let mut powers = row.iter().map(|&x| (x - top).exp_vector());
        let first = powers.next().expect("a row has elements");
        powers.fold(first, |a, b| a + b)
    } else {
        let mut acc = [T::ZERO; 16];
        for (acc, &x) in acc.iter_mut().zip(&row[..lanes]) {
            *acc = (x - top).exp_vector();
        }
        let chunks = row[lanes..].chunks_exact(lanes);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (acc, &x) in acc[..lanes].iter_mut().zip(chunk) {
                *acc += (x - top).exp_vector();
            }
        }
        for (acc, &x) in acc.iter_mut().zip(rest) {
            *acc += (x - top).exp_vector();
        }
        halves(&mut acc, lanes, |a, b| a + b)
    };
    (top, sum.log_vector())
}

simd! { wide:
    /// Softmax of each column of a block with rows of `inner` numbers, in place. Columns after the last whole vector
    /// use the exponential of the C library, as in PyTorch.
    fn softmax_columns<'a, T>(block: &'a mut [T], inner: usize) -> () {
        let (top, mut sum) = (column_tops(block, inner), vec![T::ZERO; inner]);
        let whole = inner / (2 * T::LANES) * (2 * T::LANES);
        for row in block.chunks_exact_mut(inner) {
            powers(row, &top, whole);
            for (sum, &x) in sum.iter_mut().zip(&*row) {
                *sum += x;
            }
        }
        for row in block.chunks_exact_mut(inner) {
            for (x, &sum) in row.iter_mut().zip(&sum) {
                *x = *x / sum;
            }
        }
    }
}

simd! { wide:
    fn log_softmax_columns<'a, T>(block: &'a mut [T], inner: usize) -> () {
        let (top, mut log) = (column_tops(block, inner), vec![T::ZERO; inner]);
        let whole = inner / (2 * T::LANES) * (2 * T::LANES);
        let mut power = vec![T::ZERO; inner];
        for row in block.chunks_exact(inner) {
            power.copy_from_slice(row);
            powers(&mut power, &top, whole);
            for (log, &x) in log.iter_mut().zip(&power) {
                *log += x;
            }
        }
        for log in &mut log {
            *log = log.log_vector();
        }
        for row in block.chunks_exact_mut(inner) {
            for ((x, &top), &log) in row.iter_mut().zip(&top).zip(&log) {
                *x = *x - top - log;
            }
        }
    }
}

#[inline(always)]
fn column_tops<T: Real>(block: &[T], inner: usize) -> Vec<T> {
    let mut top = block[..inner].to_vec();
    for row in block.chunks_exact(inner).skip(1) {
        for (top, &x) in top.iter_mut().zip(row) {
            *top = top.maximum(x);
        }
    }
    top
}

/// e^(x - top) of a row across columns; the first `whole` as vectors.
#[inline(always)]
fn powers<T: Real>(row: &mut [T], top: &[T], whole: usize) {
    let ((row, rest), (top, rest_top)) = (row.split_at_mut(whole), top.split_at(whole));
    for (x, &top) in row.iter_mut().zip(top) {
        *x = (*x - top).exp_vector();
    }
    for (x, &top) in rest.iter_mut().zip(rest_top) {
        *x = (*x - top).exp();
    }
}

/// Combines a row into one number in the order of a vector register: lane by lane, then the lanes as in [`halves`]. With
/// fewer numbers than lanes, in order.
#[inline(always)]
pub(super) fn fold<T: Real>(row: &[T], combine: impl Fn(T, T) -> T) -> T {
    let lanes = 2 * T::LANES;
    if row.len() < lanes {
        let mut rest = row.iter();
        let &first = rest.next().expect("a row has elements");
        return rest.fold(first, |a, &b| combine(a, b));
    }
    let mut acc = [T::ZERO; 16];
    acc[..lanes].copy_from_slice(&row[..lanes]);
    let chunks = row[lanes..].chunks_exact(lanes);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (acc, &x) in acc[..lanes].iter_mut().zip(chunk) {
            *acc = combine(*acc, x);
        }
    }
    for (acc, &x) in acc.iter_mut().zip(rest) {
        *acc = combine(*acc, x);
    }
    halves(&mut acc, lanes, combine)
}

/// Combines the lanes of a register: in single precision the halves with each other, in double precision in order.
#[inline(always)]
pub(super) fn halves<T: Real>(acc: &mut [T; 16], lanes: usize, combine: impl Fn(T, T) -> T) -> T {
    if T::LANES == 8 {
        let mut half = lanes / 2;
        while half > 0 {
            for i in 0..half {
                acc[i] = combine(acc[i], acc[i + half]);
            }
            half /= 2;
        }
        acc[0]
    } else {
        acc[1..lanes].iter().fold(acc[0], |a, &b| combine(a, b))
    }
}
