//! Elementary functions of each element of a slice.
//! Source: the functions of `torch` with the same names. PyTorch's x86 build computes some of them with Intel's vector
//! library and some with SLEEF. Of the first, e^x is computed here with tables, ln, sin and cos with polynomials that give
//! the library's bits, square roots from its first estimate, and the others in double precision, rounded once; the second
//! with SLEEF's published polynomials.
//!
//! The functions state the share of single-precision results equal to PyTorch 2.6 bit for bit.

mod activation;
mod double;
mod erf;
mod exponential;
mod functions;
mod lane;
mod logarithm;
mod root;
mod tables;
mod trigonometric;

pub(crate) use activation::softplus;
pub use activation::{gelu, gelu_tanh, sigmoid, silu};
pub use double::{exp_double, log_double, tanh_double};
pub use exponential::exp2_down;
pub use functions::Functions;
pub(crate) use lane::formulas;
pub use lane::{Formula, Formulas, Lane};
pub use root::library_roots;
pub use trigonometric::{cos, sin};

/// Functions of slices in single precision, each from that of one number, compiled for the processor's vectors. The function is
/// marked `#[inline(always)]`.
macro_rules! of_floats {
    ($($(#[$meta:meta])* $vis:vis $name:ident: |$x:ident| $value:expr;)*) => {$(
        $(#[$meta])*
        $vis fn $name(x: &[f32], out: &mut [f32]) {
            struct Work<'a>(&'a [f32], &'a mut [f32]);
            impl $crate::kernel::simd::SimdWork for Work<'_> {
                const WIDEST: usize = 64;
                type Output = ();
                #[inline(always)]
                fn run(self) {
                    for (&$x, out) in self.0.iter().zip(self.1) {
                        *out = $value;
                    }
                }
            }
            $crate::kernel::simd::run_widest(Work(x, out));
        }
    )*};
}
use of_floats;

of_floats! {
    /// ln x of each element, as `torch.log`. Equal bits: 99.999%.
    pub log: |x| logarithm::log_in_steps(x);
    /// The hyperbolic tangent of each element, from double precision. Equal bits: 99.93%.
    pub tanh: |x| double::tanh(f64::from(x).clamp(-16.0, 16.0)) as f32;
    /// The error function of each element. Equal bits: 98.6%.
    pub erf: |x| erf::erf(f64::from(x)) as f32;
}

formulas! {
    /// e^x of each element. Equal bits: 99.0%.
    exp, 1: |x| x.exp();
}
