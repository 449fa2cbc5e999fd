//! Formulas of functions that are computed on vectors in single precision and one by one in double precision.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use std::marker::PhantomData;

use super::super::simd::{MOST_LANES, TableVector, Vector, VectorWork, run_on_vectors};
use super::tables;

/// The functions that formulas have, of vectors in single precision and of a number in double precision.
pub trait Lane: Vector {
    /// The same number in every lane.
    fn constant(x: f64) -> Self;
    /// e^x.
    fn exp(self) -> Self;
    /// tanh x.
    fn tanh(self) -> Self;
    /// erf (x / √2).
    fn erf_by_root_two(self) -> Self;
    /// The slope of gelu.
    fn gelu_slope(self) -> Self;
}

impl<V: TableVector> Lane for V {
    #[inline(always)]
    fn constant(x: f64) -> V {
        V::all(x as f32)
    }
    #[inline(always)]
    fn exp(self) -> V {
        tables::exp(self)
    }
    #[inline(always)]
    fn tanh(self) -> V {
        tables::tanh(self)
    }
    #[inline(always)]
    fn erf_by_root_two(self) -> V {
        tables::erf_by_root_two(self)
    }
    #[inline(always)]
    fn gelu_slope(self) -> V {
        tables::gelu_slope(self)
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    #[inline(always)]
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
    #[inline(always)]
    fn erf_by_root_two(self) -> f64 {
        libm::erf(self * FRAC_1_SQRT_2)
    }
    #[inline(always)]
    fn gelu_slope(self) -> f64 {
        let density = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * 0.5 * (self * self * -0.5).exp();
        self.fma(density, 0.5 * (1.0 + self.erf_by_root_two()))
    }
}

/// A function of the numbers at one place of `N` operands. `of` is marked `#[inline(always)]`.
pub trait Formula<const N: usize> {
    /// The result.
    fn of<L: Lane>(x: [L; N]) -> L;
}

/// A number type whose slices formulas are computed on.
pub trait Formulas: Sized {
    /// Writes the formula of all numbers of `N` slices, each as long as `out`.
    fn write<const N: usize, F: Formula<N>>(x: [&[Self]; N], out: &mut [Self]);
}

/// A formula and its operands in single precision.
struct OnVectors<'a, const N: usize, F> {
    x: [&'a [f32]; N],
    out: &'a mut [f32],
    formula: PhantomData<F>,
}

impl<const N: usize, F: Formula<N>> VectorWork for OnVectors<'_, N, F> {
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "closures would not be compiled for the processor's vectors"
    )]
    fn run<V: TableVector>(self) {
        let (out, length) = (self.out, self.x[0].len());
        let whole = length / V::LANES * V::LANES;
        for first in (0..whole).step_by(V::LANES) {
            let mut lanes = [V::all(0.0); N];
            for n in 0..N {
                lanes[n] = V::load(&self.x[n][first..first + V::LANES]);
            }
            F::of(lanes).store(&mut out[first..first + V::LANES]);
        }
        if whole < length {
            let mut rest = [0.0; MOST_LANES];
            let mut lanes = [V::all(0.0); N];
            for n in 0..N {
                rest[..length - whole].copy_from_slice(&self.x[n][whole..]);
                lanes[n] = V::load(&rest);
            }
            F::of(lanes).store(&mut rest);
            out[whole..].copy_from_slice(&rest[..length - whole]);
        }
    }
}

impl Formulas for f32 {
    fn write<const N: usize, F: Formula<N>>(x: [&[f32]; N], out: &mut [f32]) {
        run_on_vectors(OnVectors { x: x.map(|x| &x[..out.len()]), out, formula: PhantomData::<F> });
    }
}

impl Formulas for f64 {
    fn write<const N: usize, F: Formula<N>>(x: [&[f64]; N], out: &mut [f64]) {
        for (at, out) in out.iter_mut().enumerate() {
            *out = F::of(x.map(|x| x[at]));
        }
    }
}

/// Functions of slices, each from the formula of `$count` lanes.
macro_rules! formulas {
    ($($(#[$meta:meta])* $name:ident, $count:literal: |$($x:ident),+| $value:expr;)*) => {$(
        $(#[$meta])*
        pub fn $name<T: $crate::kernel::math::Formulas>($($x: &[T],)+ out: &mut [T]) {
            struct OfLanes;
            impl $crate::kernel::math::Formula<$count> for OfLanes {
                #[inline(always)]
                fn of<L: $crate::kernel::math::Lane>([$($x),+]: [L; $count]) -> L {
                    $value
                }
            }
            T::write::<$count, OfLanes>([$($x),+], out);
        }
    )*};
}
pub(crate) use formulas;
