//! Activation functions.
//! Source: `torch.sigmoid` and `torch.nn.functional`. PyTorch processes four 32-byte vectors at a time and uses the
//! functions of the C library for the remaining elements, which differ in the last bit. These functions do the same.

use super::super::Real;
use super::super::real::simd;
use super::formulas;

/// Elements of a slice that PyTorch processes as vectors.
#[inline(always)]
fn whole<T: Real>(n: usize) -> usize {
    n / (4 * T::LANES) * (4 * T::LANES)
}

/// `$e` is the exponential function: of vectors, or of the C library.
macro_rules! activation {
    ($(#[$meta:meta])* $name:ident, |$x:ident, $e:ident| $value:expr) => {
        simd! { wide:
            $(#[$meta])*
            pub fn $name<'a, T>(x: &'a [T], out: &'a mut [T]) -> () {
                let at = whole::<T>(x.len());
                let (vectors, rest) = x.split_at(at);
                for (&$x, out) in vectors.iter().zip(&mut *out) {
                    let $e = |x: T| x.exp_vector();
                    *out = $value;
                }
                for (&$x, out) in rest.iter().zip(&mut out[at..]) {
                    let $e = |x: T| x.exp();
                    *out = $value;
                }
            }
        }
    };
}

activation! {
    /// 1 / (1 + e^-x) of each element. Equal bits: all in whole vectors, all but a few in ten thousand in the rest.
    sigmoid, |x, e| T::ONE / (T::ONE + e(-x))
}
activation! {
    /// x / (1 + e^-x) of each element. Equal bits: as [`sigmoid`].
    silu, |x, e| x / (T::ONE + e(-x))
}
activation! {
    /// ln (1 + e^x) of each element; above 20, x itself. Equal bits: 99% in whole vectors, 93%
    /// in the rest.
    softplus, |x, e| if x > T::from_f64(20.0) { x } else { e(x).log1p() }
}
formulas! {
    /// x Φ(x) of each element, Φ the normal distribution, as x (1 + erf(x/√2)) / 2. Equal bits: all, of contiguous tensors.
    gelu, 1: |x| L::constant(0.5).mul(x).mul(L::constant(1.0).add(x.erf_by_root_two()));
    /// x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 of each element (Hendrycks & Gimpel 2016). Equal bits: 99.8% in
    /// whole vectors, 89% in the rest.
    gelu_tanh, 1: |x| {
        let beta = L::constant(std::f64::consts::SQRT_2 * std::f64::consts::FRAC_2_SQRT_PI * 0.5);
        let inner = beta.mul(L::constant(0.044_715).fma(x.mul(x).mul(x), x));
        L::constant(0.5).mul(x).mul(L::constant(1.0).add(inner.tanh()))
    };
}
