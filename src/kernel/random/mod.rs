//! PyTorch's random streams on the CPU, draw for draw.
//! Source: PyTorch 2.6 on CPU. The caller checks the arguments (a probability is in [0, 1], a range is not empty) and
//! raises PyTorch's errors.
//!
//! After every function the generator has the same state as PyTorch's, so the next draw agrees too. Elements are drawn
//! in the order of the slice. For a tensor that is not contiguous, PyTorch draws in the order of its memory and
//! uses scalar normals ([`normal_each`]).

mod continuous;
mod discrete;
mod generator;
mod half;
mod mcg31;
mod normal;
mod pcg64;
mod special;
mod uniform;
pub(crate) mod ziggurat;

use super::Real;

pub use continuous::exponential;
pub use discrete::{bernoulli, bernoulli_each, multinomial};
pub use generator::Generator;
pub(crate) use generator::{DEFAULT_SEED, Mt19937};
pub use half::HalfKind;
pub use normal::{normal, normal_each};
pub(crate) use pcg64::Pcg64;
pub use special::erfinv;
pub use uniform::{randperm, raw_integers, uniform};

/// The builds of PyTorch that a mask or a sample follows. They differ in dropout, `bernoulli` with one probability,
/// `exponential_` and what uses it (`multinomial` without replacement).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Builds without Intel's library (ARM, macOS), like the book's: one 64-bit draw for each element.
    #[default]
    Book,
    /// x86 builds with Intel MKL: one 32-bit draw seeds a second generator for the whole call.
    Mkl,
}

/// The float types in which PyTorch computes random numbers.
pub trait RandomFloat: Real {
    /// One uniform number in [0, 1): 24 bits of one draw for f32, 53 bits of two for f64.
    fn unit(generator: &mut Generator) -> Self;
    /// Fills `out` with the numbers of repeated [`RandomFloat::unit`].
    fn units(generator: &mut Generator, out: &mut [Self]);
    /// Transforms 16 uniforms to 8 + 8 normals (Box-Muller) with PyTorch's arithmetic for this type.
    fn box_muller(block: &mut [Self; 16], mean: f64, std: f64);
    /// The draw that seeds MKL's generator for exponentials of this type.
    fn mkl_seed(generator: &mut Generator) -> u32;
    /// One exponential number of rate `lambda` from MKL's draw `x` in 1..2^31 - 1.
    fn mkl_exponential(x: u32, lambda: f64) -> Self;
}
