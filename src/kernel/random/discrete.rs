//! Samples: Bernoulli, multinomial.
//! Source: `torch.bernoulli`, `torch.multinomial`.

use super::mcg31::{Mcg31, unit};
use super::{Family, Generator, RandomFloat, exponential};
use crate::kernel::rank::largest_first;

/// Fills `out` with 1 (or true) at probability `p`, else 0: `Tensor.bernoulli_(p)` and `torch.bernoulli(x, p)` with one
/// number `p`, for any dtype.
pub fn bernoulli<T: From<bool>>(generator: &mut Generator, family: Family, p: f64, out: &mut [T]) {
    match family {
        Family::Book => {
            let mut units = [0.0; 512];
            for out in out.chunks_mut(512) {
                let units = &mut units[..out.len()];
                generator.units(units);
                out.iter_mut().zip(&*units).for_each(|(out, &unit)| *out = T::from(unit < p));
            }
        }
        Family::Mkl if out.is_empty() => {}
        Family::Mkl => {
            let mut stream = Mcg31::new(generator.random());
            out.iter_mut().for_each(|out| *out = T::from(unit(stream.draw()) < p));
        }
    }
}

/// One bool for each probability: `torch.bernoulli(p)` and `bernoulli_(p)` with a tensor `p`.
/// The same in both families: a 32-bit draw an element for f32, a 64-bit draw for f64.
pub fn bernoulli_each<T: RandomFloat>(generator: &mut Generator, p: &[T]) -> Vec<bool> {
    p.iter().map(|p| T::unit(generator) < *p).collect()
}

/// `samples` indices for each row of `weights` (rows of `categories` weights: not negative, finite,
/// with a positive sum), row after row: `torch.multinomial`. Shapes: (rows * categories) in,
/// (rows * samples) out.
///
/// Without replacement, or for a single sample, the samples are those with the largest weight / exponential, best
/// first; here the families differ. Otherwise each sample is a binary search of one 64-bit draw in the cumulative
/// sums, in both families.
pub fn multinomial<T: RandomFloat>(
    generator: &mut Generator,
    family: Family,
    weights: &[T],
    categories: usize,
    samples: usize,
    replacement: bool,
) -> Vec<i64> {
    if categories == 0 || samples == 0 {
        Vec::new()
    } else if replacement && samples > 1 {
        let mut out = Vec::new();
        for row in weights.chunks(categories) {
            by_cumulative_sums(generator, row, samples, &mut out);
        }
        out
    } else {
        by_exponentials(generator, family, weights, categories, samples)
    }
}

/// Sampling by weight / exponential: the categories with the largest ones.
fn by_exponentials<T: RandomFloat>(
    generator: &mut Generator,
    family: Family,
    weights: &[T],
    categories: usize,
    samples: usize,
) -> Vec<i64> {
    let mut race = vec![T::default(); weights.len()];
    exponential(generator, family, &mut race, 1.0);
    let mut out = Vec::new();
    for (row, race) in weights.chunks(categories).zip(race.chunks(categories)) {
        let over = |(p, q): (&T, &T)| (*p / *q).to_f64();
        let score: Vec<f64> = row.iter().zip(race).map(over).collect();
        out.extend(largest_first(&score).iter().take(samples).map(|i| *i as i64));
    }
    out
}

/// Sampling by searching a uniform number in the cumulative sums of one row.
fn by_cumulative_sums<T: RandomFloat>(
    generator: &mut Generator,
    row: &[T],
    samples: usize,
    out: &mut Vec<i64>,
) {
    let mut sum = T::ZERO;
    let mut running: Vec<T> = Vec::with_capacity(row.len());
    for p in row {
        sum += *p;
        running.push(sum);
    }
    for x in &mut running {
        *x = *x / sum;
    }
    *running.last_mut().expect("there is a category") = T::ONE;
    for _ in 0..samples {
        let u = generator.unit();
        out.push(running.partition_point(|x| x.to_f64() < u) as i64);
    }
}
