//! Uniform numbers and integers, permutations.
//! Source: `torch.rand`, `Tensor.uniform_`, `torch.randint`, `Tensor.random_`, `torch.randperm`.

use std::f64::consts::PI;

use crate::kernel::real::simd;

use super::normal::{log, sin_cos};
use super::{Generator, RandomFloat, mcg31};

/// Fills `out` with numbers in [from, to): `Tensor.uniform_`. Bounds are rounded to the type first.
pub fn uniform<T: RandomFloat>(generator: &mut Generator, out: &mut [T], from: f64, to: f64) {
    let (from, to) = (T::from_f64(from), T::from_f64(to));
    T::units(generator, out);
    scale(out, from, to);
}

simd! {
    /// Maps uniform numbers in [0, 1) to [from, to), in place.
    fn scale<'a, T>(out: &'a mut [T], from: T, to: T) -> () {
        for x in out {
            *x = x.fma(to - from, from);
        }
    }
}

/// `n` integers `base + draw mod range`: the kernel under `randint` and every form of `random_`
/// with bounds. `range` 0 means 2^64 (`random_(-2**63, None)`, whose base counts as 0).
pub fn raw_integers(generator: &mut Generator, range: u64, base: i64, n: usize) -> Vec<i64> {
    let mut draw = || match range {
        0 => generator.random64(),
        1..=0xffff_ffff => u64::from(generator.random()) % range,
        _ => generator.random64() % range,
    };
    (0..n).map(|_| base.wrapping_add(draw() as i64)).collect()
}

/// A permutation of 0..n: `torch.randperm`.
pub fn randperm(generator: &mut Generator, n: usize) -> Vec<i64> {
    if n < u32::MAX as usize / 20 {
        let mut out: Vec<i64> = (0..n as i64).collect();
        for i in 0..n.saturating_sub(1) {
            let z = generator.random() as usize % (n - i);
            out.swap(i, i + z);
        }
        return out;
    }
    // So long that 32 bits would be visibly biased: the inside-out shuffle with 64-bit draws.
    let mut out = Vec::with_capacity(n);
    for i in 0..n {
        let z = (generator.random64() % (i as u64 + 1)) as usize;
        out.push(i as i64);
        out.swap(i, z);
    }
    out
}

impl RandomFloat for f32 {
    #[inline]
    fn unit(generator: &mut Generator) -> f32 {
        generator.unit_f32()
    }

    fn units(generator: &mut Generator, out: &mut [f32]) {
        generator.units_f32(out);
    }

    /// Cephes' log, sin and cos on each pair.
    #[inline(always)]
    fn box_muller(block: &mut [f32; 16], mean: f64, std: f64) {
        const TWO_PI: f32 = (2.0 * PI) as f32;
        let (mean, std) = (mean as f32, std as f32);
        let (first, second) = block.split_at_mut(8);
        for (a, b) in first.iter_mut().zip(second) {
            let radius = (-2.0 * log(1.0 - *a)).sqrt();
            let (sin, cos) = sin_cos(TWO_PI * *b);
            *a = (radius * cos).mul_add(std, mean);
            *b = (radius * sin).mul_add(std, mean);
        }
    }

    fn mkl_seed(generator: &mut Generator) -> u32 {
        generator.random()
    }

    /// The quotient is rounded first, as in MKL. MKL's logarithm has an error of up to 0.9 units in the last place, this
    /// one is the nearest, so the last bits differ sometimes.
    fn mkl_exponential(x: u32, lambda: f64) -> f32 {
        let log = f64::from(mcg31::unit(x) as f32).ln() as f32;
        -log * (1.0 / lambda) as f32 + f32::MIN_POSITIVE
    }
}

impl RandomFloat for f64 {
    #[inline]
    fn unit(generator: &mut Generator) -> f64 {
        generator.unit()
    }

    fn units(generator: &mut Generator, out: &mut [f64]) {
        generator.units(out);
    }

    /// The C library's functions on each pair.
    #[inline(always)]
    fn box_muller(block: &mut [f64; 16], mean: f64, std: f64) {
        let (first, second) = block.split_at_mut(8);
        for (a, b) in first.iter_mut().zip(second) {
            let radius = (-2.0 * (1.0 - *a).ln()).sqrt();
            let theta = 2.0 * PI * *b;
            *a = (radius * theta.cos()).mul_add(std, mean);
            *b = (radius * theta.sin()).mul_add(std, mean);
        }
    }

    fn mkl_seed(generator: &mut Generator) -> u32 {
        // Of a 64-bit draw MKL sees the low half.
        generator.random64() as u32
    }

    fn mkl_exponential(x: u32, lambda: f64) -> f64 {
        -mcg31::unit(x).ln() * (1.0 / lambda) + f64::MIN_POSITIVE
    }
}
