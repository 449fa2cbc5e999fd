//! Normal numbers by Box-Muller: blocks of 16, or one by one with the second of a pair cached.
//! Source: `torch.randn`, `Tensor.normal_`; the f32 block follows PyTorch's AVX2 kernel, whose
//! log, sin and cos are the Cephes polynomials (Moshier 1992) with fused multiply-adds.

use super::{Generator, RandomFloat};
use crate::kernel::simd::SimdWork;
use crate::kernel::simd::run_widest;
use crate::kernel::threads;
use std::f64::consts::PI;

/// Elements from which several threads transform the blocks; the numbers stay the same.
const PARALLEL: usize = 1 << 16;

/// Fills `out` with normals of this mean and standard deviation: `Tensor.normal_` on a contiguous tensor. 16 and more
/// elements are computed in blocks, fewer as [`normal_each`].
pub fn normal<T: RandomFloat>(generator: &mut Generator, out: &mut [T], mean: f64, std: f64) {
    let n = out.len();
    if n < 16 {
        return normal_each(generator, out, mean, std);
    }
    T::units(generator, out);
    let (blocks, rest) = out.as_chunks_mut::<16>();
    if n < PARALLEL {
        run_widest(Blocks { blocks, mean, std });
    } else {
        // The draws are done; each block is transformed on its own.
        threads::share(blocks.chunks_mut(512), |blocks| run_widest(Blocks { blocks, mean, std }));
    }
    if !rest.is_empty() {
        // The last 16 are drawn again, including those that were finished.
        let mut block = [T::default(); 16];
        for x in &mut block {
            *x = T::unit(generator);
        }
        T::box_muller(&mut block, mean, std);
        out[n - 16..].copy_from_slice(&block);
    }
}

/// Transforms blocks of 16 uniform numbers to normal ones.
struct Blocks<'a, T> {
    blocks: &'a mut [[T; 16]],
    mean: f64,
    std: f64,
}

impl<T: RandomFloat> SimdWork for Blocks<'_, T> {
    const WIDEST: usize = 64;
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for block in self.blocks {
            T::box_muller(block, self.mean, self.std);
        }
    }
}

/// Fills `out` one by one in double precision: `Tensor.normal_` with fewer than 16 elements, or on a tensor that is not
/// contiguous. The generator caches the second normal of a pair for the next call.
pub fn normal_each<T: RandomFloat>(generator: &mut Generator, out: &mut [T], mean: f64, std: f64) {
    for x in out {
        *x = T::from_f64(next_normal(generator, mean, std));
    }
}

/// The next normal of the scalar path.
pub(super) fn next_normal(generator: &mut Generator, mean: f64, std: f64) -> f64 {
    let standard = match generator.cached_double.take() {
        Some(cached) => cached,
        None => {
            let (u1, u2) = (generator.unit(), generator.unit());
            let radius = (-2.0 * (-u2).ln_1p()).sqrt();
            let theta = 2.0 * PI * u1;
            generator.cached_double = Some(radius * theta.sin());
            radius * theta.cos()
        }
    };
    standard.mul_add(std, mean)
}

/// Natural logarithm of a normal, positive `x`.
#[inline(always)]
pub(super) fn log(x: f32) -> f32 {
    #[rustfmt::skip]
    const P: [f32; 9] = [
        7.037_683_6e-2, -1.151_461e-1, 1.167_699_84e-1, -1.242_014_1e-1, 1.424_932_3e-1,
        -1.666_805_8e-1, 2.000_071_4e-1, -2.499_999_4e-1, 3.333_333e-1,
    ];
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const LN2_HIGH: f32 = 0.693_359_4;
    // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); the polynomial is in m - 1.
    let bits = x.to_bits();
    let mut e = ((bits >> 23) as i32 - 126) as f32;
    let mut m = f32::from_bits((bits & 0x007f_ffff) | 0.5f32.to_bits());
    if m < std::f32::consts::FRAC_1_SQRT_2 {
        e -= 1.0;
        m = (m - 1.0) + m;
    } else {
        m -= 1.0;
    }
    let z = m * m;
    let mut y = P[0];
    for p in &P[1..] {
        y = y.mul_add(m, *p);
    }
    y = (m * y).mul_add(z, e * LN2_LOW);
    y = (-0.5f32).mul_add(z, y);
    e.mul_add(LN2_HIGH, m + y)
}

/// Sine and cosine of `x >= 0`.
#[inline(always)]
pub(super) fn sin_cos(x: f32) -> (f32, f32) {
    // Pi/4 in three parts, negative.
    const PARTS: [f32; 3] = [-0.785_156_25, -2.418_756_5e-4, -3.774_895e-8];
    // The octant, rounded up to an even one: j * pi/4 is the nearest multiple of pi/2.
    let j = ((x * std::f32::consts::FRAC_2_PI * 2.0) as i32 + 1) & !1;
    let y = j as f32;
    let x = PARTS.iter().fold(x, |x, part| y.mul_add(*part, x));
    let z = x * x;
    let cos = 2.443_315_7e-5f32.mul_add(z, -1.388_731_6e-3).mul_add(z, 4.166_664_6e-2);
    let cos = (cos * z).mul_add(z, -0.5 * z) + 1.0;
    let sin = (-1.951_529_6e-4f32).mul_add(z, 8.332_161e-3).mul_add(z, -1.666_665_5e-1);
    let sin = x.mul_add(z * sin, x);
    let (s, c) = if j & 2 == 0 { (sin, cos) } else { (cos, sin) };
    (if j & 4 == 0 { s } else { -s }, if (j - 2) & 4 == 0 { -c } else { c })
}
