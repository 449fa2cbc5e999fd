//! Numbers in, numbers out, on slices and ndarray views. No tensor, no Python, no text.

pub mod attention;
mod blocked;
pub mod buffer_pool;
pub mod dot;
pub mod elementwise;
mod few_columns;
pub mod gemm;
pub mod grid;
pub mod index;
pub mod linalg;
pub mod loss;
pub mod math;
pub mod naive;
pub mod norm;
pub mod offset;
pub mod peak;
pub mod random;
pub mod rank;
pub mod real;
pub mod reduce;
pub mod selection;
mod simd;
mod small;
pub mod softmax;
pub mod threads;

pub use real::Real;
