//! Numbers in, numbers out, on slices and ndarray views. No tensor, no Python, no text.

pub mod attention;
pub mod dot;
pub mod elementwise;
pub mod gemm;
pub mod grid;
pub mod loss;
pub mod math;
pub mod naive;
pub mod norm;
pub mod peak;
pub mod random;
pub mod rank;
pub mod real;
pub mod reduce;
pub mod selection;
mod small;
pub mod softmax;
pub mod spare;
mod thin;
pub mod threads;
mod wide;

pub use real::Real;
