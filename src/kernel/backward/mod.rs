//! Gradients of the operations that models are made of: given the gradient of a result, the gradient of each operand.
//!
//! The sums are in the order of PyTorch's own kernels on one thread, and no number of threads changes a bit. Each file
//! states the share of results equal to PyTorch 2.6 bit for bit. Gradients of attention are in `attention::backward`.

pub mod activation;
pub mod embedding;
pub mod loss;
pub mod norm;
pub mod softmax;

/// Numbers below which rows stay on the caller's thread, and numbers that a thread takes at a time.
const PARALLEL: usize = 1 << 15;
const PIECE: usize = 1 << 14;
