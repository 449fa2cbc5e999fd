//! Elementary functions of one number, in single and double precision.

use super::super::simd;
use super::{exponential, logarithm};

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
    /// ln x, correctly rounded in single precision.
    fn log(self) -> Self;
    /// ln (1 + x), correctly rounded in single precision.
    fn log1p(self) -> Self;
    /// Estimates of 1 / sqrt(x) from which Intel's library goes on, if it does for this type on this processor.
    fn root_estimates(_x: &[Self], _out: &mut [Self]) -> bool {
        false
    }
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
        f64::from(self).exp() as f32
    }
    #[inline(always)]
    fn log(self) -> f32 {
        f64::from(self).ln() as f32
    }
    #[inline(always)]
    fn log1p(self) -> f32 {
        f64::from(self).ln_1p() as f32
    }
    fn root_estimates(x: &[f32], out: &mut [f32]) -> bool {
        simd::root_estimates(x, out)
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
    #[inline(always)]
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    #[inline(always)]
    fn log(self) -> f64 {
        f64::ln(self)
    }
    #[inline(always)]
    fn log1p(self) -> f64 {
        f64::ln_1p(self)
    }
}
