//! Layer and root-mean-square normalisation.
//! Source: `torch.nn.functional.layer_norm` (Ba, Kiros & Hinton 2016), `rms_norm`. Mean and
//! variance by Welford's recurrence in lanes and chunks of 16 vectors, chunks combined pairwise (Chan, Golub & LeVeque
//! 1979), as in PyTorch's x86 build. [`layer_norm`] is equal to PyTorch 2.6 bit for bit in every row tried: 1 to 5,000
//! numbers, with and without weight and bias.

use super::real::simd;
use super::threads::{self, PARALLEL, PIECE};
use super::{Real, buffer_pool, reduce};

/// Vectors in one chunk of the recurrence.
const CHUNK: usize = 16;

/// Some rows: x, the result, and the mean and factor of each row.
type NormRows<'a, T> = ((&'a [T], &'a mut [T]), &'a mut [[T; 2]]);

/// Normalises each row of `width` numbers to mean 0 and variance 1 (biased, plus `eps`), then multiplies by `weight` and
/// adds `bias`, which have `width` numbers. (rows, width) row-major in and out. Also returns for each row its mean and the
/// factor 1 / √(variance + eps), which the gradient needs.
pub fn layer_norm<T: Real>(
    x: &[T],
    width: usize,
    weight: Option<&[T]>,
    bias: Option<&[T]>,
    eps: f64,
) -> (Vec<T>, Vec<[T; 2]>) {
    let mut out = buffer_pool::take(x.len());
    if width == 0 {
        return (out, Vec::new());
    }
    let mut scales = vec![[T::ZERO; 2]; x.len() / width];
    let each = |((x, out), scales): NormRows<T>| {
        row_scales(x, width, T::from_f64(eps), scales);
        normalise(x, out, width, weight, bias, scales);
    };
    let rows = (PIECE / width).max(1);
    let size = rows * width;
    let pieces = x.chunks(size).zip(out.chunks_mut(size)).zip(scales.chunks_mut(rows));
    threads::share_if(x.len() >= PARALLEL, pieces, each);
    (out, scales)
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

simd! { wide:
    /// The mean of each row of `width` numbers and the factor 1 / √(variance + eps).
    fn row_scales<'a, 'b, T>(x: &'a [T], width: usize, eps: T, scales: &'b mut [[T; 2]]) -> () {
        let scale = |(mean, var): (T, T)| [mean, T::ONE / (var.maximum(T::ZERO) + eps).sqrt()];
        let (pairs, last) = scales.as_chunks_mut::<2>();
        let mut rows = x.chunks_exact(width);
        let mut next = || rows.next().expect("as many rows as scales");
        for pair in pairs {
            *pair = lanes_of_two([next(), next()]).map(scale);
        }
        for last in last {
            *last = scale(lanes_of(next()));
        }
    }
}

simd! { wide:
    /// Each row of `width` numbers normalised by its mean and factor, from one slice to another.
    fn normalise<'a, 'b, 'c, T>(
        x: &'a [T],
        out: &'b mut [T],
        width: usize,
        weight: Option<&'c [T]>,
        bias: Option<&'c [T]>,
        scales: &'c [[T; 2]],
    ) -> () {
        for ((x, out), scale) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)).zip(scales) {
            normalise_row(x, out, *scale, weight, bias);
        }
    }
}

/// One row normalised by its mean and factor.
#[inline(always)]
fn normalise_row<T: Real>(
    x: &[T],
    out: &mut [T],
    [mean, scale]: [T; 2],
    weight: Option<&[T]>,
    bias: Option<&[T]>,
) {
    match (weight, bias) {
        (Some(weight), Some(bias)) => {
            for (((out, &x), &w), &b) in out.iter_mut().zip(x).zip(weight).zip(bias) {
                *out = ((x - mean) * scale).fma(w, b);
            }
        }
        (weight, bias) => {
            for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
                let w = weight.map_or(T::ONE, |weight| weight[i]);
                let b = bias.map_or(T::ZERO, |bias| bias[i]);
                *out = ((x - mean) * scale).fma(w, b);
            }
        }
    }
}

/// Mean and biased variance of one row.
#[inline(always)]
fn lanes_of<T: Real>(row: &[T]) -> (T, T) {
    let [found] = if T::LANES == 8 { in_lanes::<T, 8, 1, 8>([row]) } else { in_lanes::<T, 4, 1, 4>([row]) };
    found
}

/// Mean and biased variance of two rows of one length. Each step of the recurrence waits for the one before: two rows take
/// little longer than one.
#[inline(always)]
fn lanes_of_two<T: Real>(rows: [&[T]; 2]) -> [(T, T); 2] {
    if T::LANES == 8 { in_lanes::<T, 8, 2, 16>(rows) } else { in_lanes::<T, 4, 2, 8>(rows) }
}

/// Count, mean and sum of squared deviations in each of `N` lanes.
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

/// Levels of the pairwise combination that need no allocation: enough for rows of 2^14 numbers.
const LEVELS: usize = 8;

/// Mean and biased variance of `R` rows of one length, each in `W` of `N` lanes.
#[inline(always)]
fn in_lanes<T: Real, const W: usize, const R: usize, const N: usize>(rows: [&[T]; R]) -> [(T, T); R] {
    let length = rows[0].len();
    let rows = rows.map(|row| &row[..length]);
    let vectors = length / W;
    let chunks = vectors.div_ceil(CHUNK);
    let depth = super::reduce::ceil_log2(chunks);
    let (mut few, mut many);
    let stack = match depth <= LEVELS {
        true => {
            few = [Moments::<T, N>::NONE; LEVELS];
            &mut few[..depth]
        }
        false => {
            many = vec![Moments::<T, N>::NONE; depth];
            &mut many[..]
        }
    };
    let steps: [T; CHUNK] = std::array::from_fn(|j| T::ONE / whole(j + 1));
    for i in 0..chunks {
        let chunk = i * CHUNK * W..((i + 1) * CHUNK).min(vectors) * W;
        let part = recurrence::<T, W, R, N>(rows.map(|row| &row[chunk.clone()]), &steps);
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
    let mut found = [(T::ZERO, T::ZERO); R];
    for r in 0..R {
        let mut all = Moments::<T, 1>::NONE;
        for &x in &rows[r][vectors * W..] {
            let delta = x - all.mean[0];
            all.count += 1;
            all.mean[0] += delta / whole(all.count);
            all.squares[0] = delta.fma(x - all.mean[0], all.squares[0]);
        }
        for l in r * W..(r + 1) * W {
            all.join(&Moments { count: vectors, mean: [lanes.mean[l]], squares: [lanes.squares[l]] });
        }
        found[r] = (all.mean[0], all.squares[0] / whole(length));
    }
    found
}

/// The moments of one chunk of each row; `steps` has 1 / n for each n.
#[inline(always)]
fn recurrence<T: Real, const W: usize, const R: usize, const N: usize>(
    chunks: [&[T]; R],
    steps: &[T; CHUNK],
) -> Moments<T, N> {
    let count = chunks[0].len() / W;
    let chunks = chunks.map(|chunk| chunk.as_chunks::<W>().0);
    let chunks = chunks.map(|chunk| &chunk[..count]);
    let (mut mean, mut squares) = ([T::ZERO; N], [T::ZERO; N]);
    for (j, &step) in steps[..count].iter().enumerate() {
        let mut x = [T::ZERO; N];
        for r in 0..R {
            x[r * W..(r + 1) * W].copy_from_slice(&chunks[r][j]);
        }
        for l in 0..N {
            let delta = x[l] - mean[l];
            mean[l] = delta.fma(step, mean[l]);
            squares[l] = delta.fma(x[l] - mean[l], squares[l]);
        }
    }
    Moments { count, mean, squares }
}
