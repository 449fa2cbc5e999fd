//! Uniform and normal random numbers of the half-precision types, in f32 rounded to the type.
//! Source: `Tensor.uniform_` and `Tensor.normal_` on float16 and bfloat16. Intermediate results are rounded as well
//! where PyTorch keeps them in half precision.

use super::Generator;
use super::normal::next_normal;
use std::f64::consts::PI;

/// A half-precision type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfKind {
    /// float16: 11 significant bits.
    Float16,
    /// bfloat16: 8 significant bits.
    BFloat16,
}

impl HalfKind {
    /// Rounds `x` to the nearest value of the type, ties to even.
    pub fn round(self, x: f32) -> f32 {
        match self {
            HalfKind::Float16 => half::f16::from_f32(x).to_f32(),
            HalfKind::BFloat16 => half::bf16::from_f32(x).to_f32(),
        }
    }

    /// A uniform number in [0, 1) with as many bits as the type has significant ones: one 32-bit draw.
    fn unit(self, generator: &mut Generator) -> f32 {
        let digits = if self == HalfKind::Float16 { 11 } else { 8 };
        let bits = generator.random() & ((1 << digits) - 1);
        bits as f32 / (1u32 << digits) as f32
    }

    /// Fills `out` with uniform numbers in [from, to). As `torch.rand` and `Tensor.uniform_`.
    pub fn uniform(self, generator: &mut Generator, out: &mut [f32], from: f64, to: f64) {
        let (from, to) = (self.round(from as f32), self.round(to as f32));
        let width = self.round(to - from);
        for x in out {
            *x = self.round(self.unit(generator).mul_add(width, from));
        }
    }

    /// Fills `out` with normals in blocks of 16, as for the wider types. As `torch.randn` and `Tensor.normal_` on a
    /// contiguous tensor.
    pub fn normal(self, generator: &mut Generator, out: &mut [f32], mean: f64, std: f64) {
        let n = out.len();
        if n < 16 {
            return self.normal_each(generator, out, mean, std);
        }
        for x in out.iter_mut() {
            *x = self.unit(generator);
        }
        let (mean, std) = (self.round(mean as f32), self.round(std as f32));
        let (blocks, rest) = out.as_chunks_mut::<16>();
        for block in blocks {
            self.box_muller(block, mean, std);
        }
        if !rest.is_empty() {
            let mut block = [0.0; 16].map(|_: f32| self.unit(generator));
            self.box_muller(&mut block, mean, std);
            out[n - 16..].copy_from_slice(&block);
        }
    }

    /// Fills `out` with normals one by one, as [`normal_each`](super::normal_each).
    pub fn normal_each(self, generator: &mut Generator, out: &mut [f32], mean: f64, std: f64) {
        for x in out {
            *x = self.round(next_normal(generator, mean, std) as f32);
        }
    }

    fn box_muller(self, block: &mut [f32; 16], mean: f32, std: f32) {
        let (first, second) = block.split_at_mut(8);
        for (a, b) in first.iter_mut().zip(second) {
            // Every step is rounded: results of functions and products too.
            let log = self.round(self.round(1.0 - *a).ln());
            let radius = self.round(self.round(-2.0 * log).sqrt());
            let theta = self.round((2.0 * PI * f64::from(*b)) as f32);
            let scaled =
                |wave: f32| self.round(self.round(self.round(radius * self.round(wave)) * std) + mean);
            (*a, *b) = (scaled(theta.cos()), scaled(theta.sin()));
        }
    }
}
