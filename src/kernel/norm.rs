//! Layer, group, batch and root-mean-square normalisation.
//! Source: `torch.nn.functional.layer_norm` (Ba, Kiros & Hinton 2016), `group_norm`, `batch_norm`, `rms_norm`. Mean and
//! variance by Welford's recurrence in lanes and chunks of 16 vectors, chunks combined pairwise (Chan, Golub & LeVeque
//! 1979), as in PyTorch's x86 build. [`layer_norm`] is equal to PyTorch 2.6 bit for bit in every row tried: 1 to 5,000
//! numbers, with and without weight and bias.

use ndarray::{ArrayViewD, IxDyn};

use super::real::simd;
use super::{Real, buffer_pool, reduce, threads};

/// Numbers below which rows stay on the caller's thread, and numbers that a thread takes at a time.
const PARALLEL: usize = 1 << 15;
const PIECE: usize = 1 << 14;

/// Vectors in one chunk of the recurrence.
const CHUNK: usize = 16;

/// Normalises each row of `width` numbers to mean 0 and variance 1 (biased, plus `eps`), then multiplies by `weight` and
/// adds `bias`, which have `width` numbers. (rows, width) row-major in and out.
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

/// Divides each row of `width` numbers by the root of its mean square plus `eps`. (rows, width) row-major in and out.
pub(crate) fn rms_norm<T: Real>(x: &[T], width: usize, eps: f64) -> Vec<T> {
    let mut out = x.to_vec();
    for row in out.chunks_exact_mut(width.max(1)) {
        let squares: Vec<T> = row.iter().map(|&x| x * x).collect();
        let mean = reduce::sum_slice(&squares) / T::from_f64(width as f64);
        let scale = T::ONE / (mean + T::from_f64(eps)).sqrt();
        row.iter_mut().for_each(|x| *x *= scale);
    }
    out
}

/// Normalises each group of channels as [`layer_norm`] does a row. (batch, channels, ..) row-major in and out;
/// `weight` and `bias` have a number for each channel.
pub(crate) fn group_norm<T: Real>(
    x: &[T],
    shape: &[usize],
    groups: usize,
    weight: Option<&[T]>,
    bias: Option<&[T]>,
    eps: f64,
) -> Vec<T> {
    let (per_group, inner) = (shape[1] / groups, shape[2..].iter().product::<usize>());
    let mut out = x.to_vec();
    for (at, group) in out.chunks_exact_mut((per_group * inner).max(1)).enumerate().take(shape[0] * groups) {
        let (mean, var) = moments(group);
        let scale = T::from_f64(1.0 / (var.maximum(T::ZERO).to_f64() + eps).sqrt());
        for (channel, row) in group.chunks_exact_mut(inner.max(1)).enumerate() {
            let channel = at % groups * per_group + channel;
            if weight.is_none() && bias.is_none() {
                row.iter_mut().for_each(|x| *x = (*x - mean) * scale);
            } else {
                let gain = weight.map_or(scale, |weight| scale * weight[channel]);
                let shift = (-gain).fma(mean, bias.map_or(T::ZERO, |bias| bias[channel]));
                row.iter_mut().for_each(|x| *x = gain.fma(*x, shift));
            }
        }
    }
    out
}

/// Parameters of [`batch_norm`]; each vector has a number for each channel.
pub(crate) struct BatchNorm<'a, T> {
    /// Multiplies the normalised values.
    pub(crate) weight: Option<&'a [T]>,
    /// Is added last.
    pub(crate) bias: Option<&'a [T]>,
    /// The running mean: updated in training, used in evaluation.
    pub(crate) running_mean: Option<&'a mut [T]>,
    /// The running variance: updated in training, used in evaluation.
    pub(crate) running_var: Option<&'a mut [T]>,
    /// Whether the statistics of this batch are used.
    pub(crate) training: bool,
    /// The share of this batch in the running statistics.
    pub(crate) momentum: f64,
    /// Added to the variance.
    pub(crate) eps: f64,
}

/// Normalises each channel over the batch and all inner dimensions. (batch, channels, ..) row-major in and out.
/// In evaluation there are running statistics; the caller checks it.
pub(crate) fn batch_norm<T: Real>(x: &[T], shape: &[usize], parameters: BatchNorm<T>) -> Vec<T> {
    let BatchNorm { weight, bias, mut running_mean, mut running_var, training, momentum, eps } = parameters;
    let (batch, channels, inner) = (shape[0], shape[1], shape[2..].iter().product::<usize>());
    let count = (batch * inner) as f64;
    let places = |channel: usize| {
        (0..batch).flat_map(move |row| {
            let start = (row * channels + channel) * inner;
            start..start + inner
        })
    };
    let view = ArrayViewD::from_shape(IxDyn(shape), x).expect("x has the elements of its shape");
    let axes: Vec<usize> = (0..shape.len()).filter(|&axis| axis != 1).collect();
    let means = reduce::mean(view, &axes);
    let mut out = x.to_vec();
    for channel in 0..channels {
        let (mean, scale) = if training {
            let mean = means[channel];
            let squares = places(channel).fold(0.0, |sum, at| {
                let deviation = x[at].to_f64() - mean.to_f64();
                sum + deviation * deviation
            });
            let unbiased = T::from_f64(squares / (count - 1.0));
            let share = T::from_f64(momentum);
            for (running, new) in [(&mut running_mean, mean), (&mut running_var, unbiased)] {
                if let Some(running) = running {
                    running[channel] = share * new + (T::ONE - share) * running[channel];
                }
            }
            (mean, T::from_f64(1.0 / (squares / count + eps).sqrt()))
        } else {
            let at = |running: &Option<&mut [T]>| {
                running.as_ref().expect("evaluation has running statistics")[channel]
            };
            (at(&running_mean), T::ONE / (at(&running_var) + T::from_f64(eps)).sqrt())
        };
        let gain = weight.map_or(scale, |weight| scale * weight[channel]);
        let shift = (-mean).fma(gain, bias.map_or(T::ZERO, |bias| bias[channel]));
        for at in places(channel) {
            out[at] = x[at].fma(gain, shift);
        }
    }
    out
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
    /// Mean and biased variance of one row.
    fn moments<'a, T>(row: &'a [T]) -> (T, T) {
        lanes_of::<T>(row)
    }
}

#[inline(always)]
pub(super) fn lanes_of<T: Real>(row: &[T]) -> (T, T) {
    if T::LANES == 8 { in_lanes::<T, 8>(row) } else { in_lanes::<T, 4>(row) }
}

/// Count, mean and sum of squared deviations in each of `W` lanes.
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
