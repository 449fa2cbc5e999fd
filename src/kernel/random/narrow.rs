//! Uniform and normal numbers in the half-width float types.
//! Values stand in f32, each rounded to the narrow type; no tensors, no text.
//! Source: `Tensor.uniform_` and `Tensor.normal_` on float16 and bfloat16, whose intermediate
//! results are rounded too where PyTorch keeps them in the narrow type.

use super::Generator;
use super::normal::next_normal;
use std::f64::consts::PI;

/// A narrow float type: how many bits its fraction has, and how an f32 is rounded to it.
#[derive(Clone, Copy)]
pub struct Narrow {
    digits: u32,
    round: fn(f32) -> f32,
}

impl Narrow {
    /// float16, given its rounding (to the nearest, ties to even).
    pub fn float16(round: fn(f32) -> f32) -> Narrow {
        Narrow { digits: 11, round }
    }

    /// bfloat16, given its rounding (to the nearest, ties to even).
    pub fn bfloat16(round: fn(f32) -> f32) -> Narrow {
        Narrow { digits: 8, round }
    }

    /// Uniform in [0, 1) with as many bits as the type has: one 32-bit draw.
    fn unit(self, generator: &mut Generator) -> f32 {
        let bits = generator.random() & ((1 << self.digits) - 1);
        bits as f32 / (1u32 << self.digits) as f32
    }

    /// Fills `out` with numbers in [from, to): `torch.rand` and `Tensor.uniform_`.
    pub fn uniform(self, generator: &mut Generator, out: &mut [f32], from: f64, to: f64) {
        let (from, to) = ((self.round)(from as f32), (self.round)(to as f32));
        let width = (self.round)(to - from);
        for x in out {
            *x = (self.round)(self.unit(generator).mul_add(width, from));
        }
    }

    /// Fills `out` with normals: `torch.randn` and `Tensor.normal_` on a contiguous tensor, in
    /// blocks of 16 as the wider types.
    pub fn normal(self, generator: &mut Generator, out: &mut [f32], mean: f64, std: f64) {
        let n = out.len();
        if n < 16 {
            return self.normal_each(generator, out, mean, std);
        }
        for x in out.iter_mut() {
            *x = self.unit(generator);
        }
        let (mean, std) = ((self.round)(mean as f32), (self.round)(std as f32));
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

    /// Fills `out` one by one, as [`normal_each`](super::normal_each).
    pub fn normal_each(self, generator: &mut Generator, out: &mut [f32], mean: f64, std: f64) {
        for x in out {
            *x = (self.round)(next_normal(generator, mean, std) as f32);
        }
    }

    fn box_muller(self, block: &mut [f32; 16], mean: f32, std: f32) {
        let round = self.round;
        let (first, second) = block.split_at_mut(8);
        for (a, b) in first.iter_mut().zip(second) {
            // Every step is rounded, the functions' results and the products too.
            let log = round(round(1.0 - *a).ln());
            let radius = round(round(-2.0 * log).sqrt());
            let theta = round((2.0 * PI * f64::from(*b)) as f32);
            let scaled = |wave: f32| round(round(round(radius * round(wave)) * std) + mean);
            (*a, *b) = (scaled(theta.cos()), scaled(theta.sin()));
        }
    }
}
