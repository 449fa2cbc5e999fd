//! Elementary functions of one number, in single and double precision.

use super::{erf_tanh, exponential, logarithm};

/// The elementary functions of a number type.
pub trait Functions: Sized {
    /// e^x with an error below one unit in the last place, as in the vector code of softmax.
    fn exp_vector(self) -> Self;
    /// e^x with an error of at most 20 units in the last place in single precision, as in fused attention.
    fn exp_fast(self) -> Self;
    /// ln x with an error below one unit in the last place, as in the vector code of log-softmax.
    fn log_vector(self) -> Self;
    /// e^x, correctly rounded in single precision.
    fn exp(self) -> Self;
    /// 2^x, correctly rounded in single precision.
    fn exp2(self) -> Self;
    /// e^x - 1, correctly rounded in single precision.
    fn expm1(self) -> Self;
    /// ln x, correctly rounded in single precision.
    fn log(self) -> Self;
    /// ln (1 + x), correctly rounded in single precision.
    fn log1p(self) -> Self;
    /// log2 x, correctly rounded in single precision.
    fn log2(self) -> Self;
    /// log10 x, correctly rounded in single precision.
    fn log10(self) -> Self;
    /// The sine, correctly rounded in single precision.
    fn sin(self) -> Self;
    /// The cosine, correctly rounded in single precision.
    fn cos(self) -> Self;
    /// The tangent, correctly rounded in single precision.
    fn tan(self) -> Self;
    /// The hyperbolic tangent, correctly rounded in single precision.
    fn tanh(self) -> Self;
    /// The error function, correctly rounded in single precision.
    fn erf(self) -> Self;
    /// 1 - erf x, correctly rounded in single precision.
    fn erfc(self) -> Self;
}

macro_rules! through_f64 {
    ($($name:ident => $f:expr),* $(,)?) => {$(
        #[inline(always)]
        fn $name(self) -> f32 {
            let f: fn(f64) -> f64 = $f;
            f(f64::from(self)) as f32
        }
    )*};
}

macro_rules! of_f64 {
    ($($name:ident => $f:expr),* $(,)?) => {$(
        #[inline(always)]
        fn $name(self) -> f64 {
            let f: fn(f64) -> f64 = $f;
            f(self)
        }
    )*};
}

impl Functions for f32 {
    #[inline(always)]
    fn exp_vector(self) -> f32 {
        exponential::exp_f32(self)
    }
    #[inline(always)]
    fn exp_fast(self) -> f32 {
        exponential::exp_fast_f32(self)
    }
    #[inline(always)]
    fn log_vector(self) -> f32 {
        logarithm::log_f32(self)
    }
    #[inline(always)]
    fn exp(self) -> f32 {
        exponential::exp_narrow(f64::from(self)) as f32
    }
    #[inline(always)]
    fn log(self) -> f32 {
        logarithm::log_f64(f64::from(self)) as f32
    }
    through_f64! {
        exp2 => f64::exp2, expm1 => f64::exp_m1, log1p => f64::ln_1p, log2 => f64::log2, log10 => f64::log10,
        sin => f64::sin, cos => f64::cos, tan => f64::tan, erfc => libm::erfc,
    }
    #[inline(always)]
    fn tanh(self) -> f32 {
        erf_tanh::tanh(f64::from(self)) as f32
    }
    #[inline(always)]
    fn erf(self) -> f32 {
        erf_tanh::erf(f64::from(self)) as f32
    }
}

impl Functions for f64 {
    #[inline(always)]
    fn exp_vector(self) -> f64 {
        exponential::exp_f64(self)
    }
    #[inline(always)]
    fn exp_fast(self) -> f64 {
        exponential::exp_f64(self)
    }
    #[inline(always)]
    fn log_vector(self) -> f64 {
        logarithm::log_f64(self)
    }
    of_f64! {
        exp => f64::exp, log => f64::ln,
        exp2 => f64::exp2, expm1 => f64::exp_m1, log1p => f64::ln_1p, log2 => f64::log2, log10 => f64::log10,
        sin => f64::sin, cos => f64::cos, tan => f64::tan, tanh => f64::tanh, erf => libm::erf, erfc => libm::erfc,
    }
}
