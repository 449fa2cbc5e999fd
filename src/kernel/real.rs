//! The number types of the kernel, f32 and f64, as one trait.
//! Source: PyTorch's AVX2 build has these lane counts; the reductions follow its order of summation.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::buffer_pool::Element;
use super::math::{Formulas, Functions};
use super::simd::Vector;

/// A floating point type that the kernel computes with: `f32` or `f64`.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Functions
    + Formulas
    + Element
{
    /// Numbers of this type in a 32-byte vector: sums are split into as many lanes.
    const LANES: usize;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;
    /// A quiet NaN.
    const NAN: Self;

    /// The nearest number of this type.
    fn from_f64(x: f64) -> Self;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// `self * a + b`, rounded once.
    fn fma(self, a: Self, b: Self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Whether this is NaN.
    fn is_nan(self) -> bool;

    /// The larger of two; NaN if either is NaN, as `torch.maximum`.
    #[inline(always)]
    fn maximum(self, other: Self) -> Self {
        if self.is_nan() || self > other { self } else { other }
    }

    /// The smaller of two; NaN if either is NaN, as `torch.minimum`.
    #[inline(always)]
    fn minimum(self, other: Self) -> Self {
        if self.is_nan() || self < other { self } else { other }
    }
}

macro_rules! real {
    ($t:ty, $lanes:expr) => {
        impl Real for $t {
            const LANES: usize = $lanes;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = <$t>::INFINITY;
            const NEG_INFINITY: Self = <$t>::NEG_INFINITY;
            const NAN: Self = <$t>::NAN;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn fma(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }
        }
    };
}

real!(f32, 8);
real!(f64, 4);

/// One number as a vector.
impl<T: Real> Vector for T {
    type Number = T;
    const LANES: usize = 1;

    #[inline(always)]
    fn load(x: &[T]) -> T {
        x[0]
    }
    #[inline(always)]
    fn store(self, out: &mut [T]) {
        out[0] = self;
    }
    #[inline(always)]
    fn all(x: T) -> T {
        x
    }
    #[inline(always)]
    fn add(self, b: T) -> T {
        self + b
    }
    #[inline(always)]
    fn sub(self, b: T) -> T {
        self - b
    }
    #[inline(always)]
    fn mul(self, b: T) -> T {
        self * b
    }
    #[inline(always)]
    fn div(self, b: T) -> T {
        self / b
    }
    #[inline(always)]
    fn fma(self, a: T, b: T) -> T {
        Real::fma(self, a, b)
    }
    #[inline(always)]
    fn less(self, a: T, b: T) -> T {
        Real::fma(-self, a, b)
    }
    #[inline(always)]
    fn at_least(self, least: T) -> T {
        if self < least { least } else { self }
    }
    #[inline(always)]
    fn at_most(self, most: T) -> T {
        if self > most { most } else { self }
    }
}

/// Defines a function generic over [`Real`] whose body runs on the widest vectors of the processor.
/// Lifetimes of references are written out: `simd!(pub fn f<'a, T>(x: &'a [T]) -> T { ... });`
/// `simd!(wide: pub fn ...)` is compiled for vectors of 64 bytes too.
macro_rules! simd {
    (wide: $($function:tt)*) => { $crate::kernel::real::simd! { @ 64, $($function)* } };
    (@ $widest:literal, $(#[$meta:meta])* $vis:vis fn $name:ident<$($life:lifetime,)* $T:ident>($($arg:ident : $ty:ty),* $(,)?) -> $out:ty $body:block) => {
        $(#[$meta])*
        $vis fn $name<$($life,)* $T: $crate::kernel::real::Real>($($arg: $ty),*) -> $out {
            struct Args<$($life,)* $T: $crate::kernel::real::Real>($($ty),*);
            impl<$($life,)* $T: $crate::kernel::real::Real> $crate::kernel::simd::SimdWork for Args<$($life,)* $T> {
                const WIDEST: usize = $widest;
                type Output = $out;
                #[inline(always)]
                fn run(self) -> $out {
                    let Args($($arg),*) = self;
                    $body
                }
            }
            $crate::kernel::simd::run_widest(Args::<$($life,)* $T>($($arg),*))
        }
    };
    ($($function:tt)*) => { $crate::kernel::real::simd! { @ 32, $($function)* } };
}
pub(crate) use simd;
