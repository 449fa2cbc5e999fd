//! Numeric algorithms. They know numbers only: no tensor, no Python, no text.
//!
//! Operands with strides of their own (products, attention, softmax, reductions) are ndarray views. Three kinds of
//! functions take slices instead. Element-wise loops and index picking (`elementwise`, `grid`) merge dimensions
//! of several operands, for which ndarray has no iterator that the compiler vectorises. Functions of contiguous rows
//! (`math`, `norm`, `loss`, `selection`, `rank`) have no strides. Random streams (`random`) fill memory in order.

pub mod attention;
pub mod backward;
mod blocked;
pub mod buffer_pool;
pub(crate) mod complex;
pub(crate) mod division;
pub(crate) mod eigen;
pub mod elementwise;
mod few_rows;
pub mod gemm;
pub mod grid;
pub mod index;
pub mod linalg;
pub mod loss;
pub mod math;
pub mod norm;
pub(crate) mod optimizer;
pub mod random;
pub mod rank;
pub(crate) mod real;
pub mod reduce;
pub mod selection;
pub mod simd;
pub(crate) mod small;
pub mod softmax;
pub(crate) mod stop;
pub mod threads;

pub use real::Real;
