//! Layer normalisation.
//! Sees slices; no Tensor, no text.
//! Source: `torch.nn.functional.layer_norm` (Ba, Kiros & Hinton 2016); mean and variance by Welford's recurrence in
//! lanes and chunks of 16 vectors, chunks combined pairwise (Chan, Golub & LeVeque 1979), as PyTorch's x86 build does.
//! Equal to PyTorch 2.6's bit for bit in every row tried: 1 to 5,000 numbers, with and without weight and bias.

use super::simd::simd;
use super::{Real, buffer_pool, threads};

/// Numbers below which rows stay on the caller's thread, and those that a thread takes at a time.
const PARALLEL: usize = 1 << 15;
const PIECE: usize = 1 << 14;

/// Vectors in one chunk of the recurrence.
const CHUNK: usize = 16;

/// Each row of `width` numbers brought to mean 0 and variance 1 (biased, plus `eps`), then scaled and shifted:
/// (rows, width) row-major in and out. `weight` and `bias` hold `width` numbers. Copies.
pub fn layer_norm<T: Real>(
    x: &[T],
    width: usize,
    weight: Option<&[T]>,
    bias: Option<&[T]>,
    eps: f64,
) -> Vec<T> {
    let mut out = buffer_pool::take(x.len());
    if width == 0 {
        return out;
    }
    let rows = |x: &[T], out: &mut [T]| {
        for (x, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            out.copy_from_slice(x);
            normalise(out, weight, bias, T::from_f64(eps));
        }
    };
    let size = (PIECE / width).max(1) * width;
    match x.len() < PARALLEL {
        true => rows(x, &mut out),
        false => threads::share(x.chunks(size).zip(out.chunks_mut(size)), |(x, out)| rows(x, out)),
    }
    out
}

/// Mean and biased variance of one row.
pub fn moments<T: Real>(row: &[T]) -> (T, T) {
    row_moments(row)
}

simd! {
    fn normalise<'a, 'b, T>(row: &'a mut [T], weight: Option<&'b [T]>, bias: Option<&'b [T]>, eps: T) -> () {
        let (mean, var) = lanes_of::<T>(row);
        let scale = T::ONE / (var.maximum(T::ZERO) + eps).sqrt();
        match (weight, bias) {
            (Some(weight), Some(bias)) => {
                for ((x, &w), &b) in row.iter_mut().zip(weight).zip(bias) {
                    *x = ((*x - mean) * scale).fma(w, b);
                }
            }
            (weight, bias) => {
                for (i, x) in row.iter_mut().enumerate() {
                    let w = weight.map_or(T::ONE, |weight| weight[i]);
                    let b = bias.map_or(T::ZERO, |bias| bias[i]);
                    *x = ((*x - mean) * scale).fma(w, b);
                }
            }
        }
    }
}

simd! {
    fn row_moments<'a, T>(row: &'a [T]) -> (T, T) {
        lanes_of::<T>(row)
    }
}

#[inline(always)]
fn lanes_of<T: Real>(row: &[T]) -> (T, T) {
    if T::LANES == 8 { in_lanes::<T, 8>(row) } else { in_lanes::<T, 4>(row) }
}

/// Count, mean and sum of squared deviations, in `W` lanes.
#[derive(Clone, Copy)]
struct Moments<T, const W: usize> {
    count: usize,
    mean: [T; W],
    squares: [T; W],
}

impl<T: Real, const W: usize> Moments<T, W> {
    const NONE: Self = Moments { count: 0, mean: [T::ZERO; W], squares: [T::ZERO; W] };

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        let count = self.count + other.count;
        let share = if count == 0 { T::ZERO } else { whole::<T>(other.count) / whole(count) };
        let before = whole::<T>(self.count);
        for i in 0..W {
            let delta = other.mean[i] - self.mean[i];
            self.mean[i] = share.fma(delta, self.mean[i]);
            self.squares[i] += (delta * delta * share).fma(before, other.squares[i]);
        }
        self.count = count;
    }
}

#[inline(always)]
fn whole<T: Real>(n: usize) -> T {
    T::from_f64(n as f64)
}

#[inline(always)]
fn in_lanes<T: Real, const W: usize>(row: &[T]) -> (T, T) {
    let vectors = row.len() / W;
    let chunks = vectors.div_ceil(CHUNK);
    let depth = super::reduce::ceil_log2(chunks);
    let mut stack = vec![Moments::<T, W>::NONE; depth];
    for (i, chunk) in row[..vectors * W].chunks(CHUNK * W).enumerate() {
        let mut part = Moments::<T, W>::NONE;
        for (j, x) in chunk.chunks_exact(W).enumerate() {
            let step = T::ONE / whole(j + 1);
            for ((&x, mean), squares) in x.iter().zip(&mut part.mean).zip(&mut part.squares) {
                let delta = x - *mean;
                *mean = delta.fma(step, *mean);
                *squares = delta.fma(x - *mean, *squares);
            }
            part.count = j + 1;
        }
        stack[0].join(&part);
        let mut mask = i + 1;
        for j in 1..depth {
            if mask & 1 != 0 {
                break;
            }
            let below = std::mem::replace(&mut stack[j - 1], Moments::NONE);
            stack[j].join(&below);
            mask >>= 1;
        }
    }
    let (first, rest) = stack.split_at_mut(1);
    for part in rest {
        first[0].join(part);
    }
    let lanes = first[0];
    let mut all = Moments::<T, 1>::NONE;
    for &x in &row[vectors * W..] {
        let delta = x - all.mean[0];
        all.count += 1;
        all.mean[0] += delta / whole(all.count);
        all.squares[0] = delta.fma(x - all.mean[0], all.squares[0]);
    }
    for l in 0..W {
        all.join(&Moments { count: vectors, mean: [lanes.mean[l]], squares: [lanes.squares[l]] });
    }
    (all.mean[0], all.squares[0] / whole(row.len()))
}
