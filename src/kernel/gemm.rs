//! Matrix products over strided views, as `torch.mm` and `torch.bmm`.
//!
//! # Which loop runs
//!
//! | product | loop |
//! |---|---|
//! | integers | [`batched_i64`]: plain loops, which wrap around |
//! | fewer than 400 multiplications, in a batch or in double precision | [`in_order`]: a plain loop |
//! | few rows or columns and at most 131,072 multiplications in single precision | `small.rs`: terms in PyTorch's order |
//! | at most 64 rows, or columns, in single precision | `few_rows.rs`: the other operand in place, by dot products, rows as lanes, or row by row |
//! | every other product | `matrixmultiply`, one call for a block of the result (`blocked.rs`) |
//!
//! [`batched`] divides a batch into its matrices. Attention that keeps no scores has tiles of its own for large problems
//! (`attention/tiles.rs`), because its products use the same data one after the other; its other form comes here.
//!
//! Threads: a batch is divided into matrices and blocks of their rows, and one large product into blocks of its longer
//! side; one thread computes each block. The threads of `matrixmultiply` are not used: another setting controls them
//! (`MATMUL_NUM_THREADS`). An element is the same chains of sums in every block, whatever the strides and addresses of the
//! operands, so the number of threads changes no bit.

use ndarray::{ArrayView2, ArrayView3, ArrayViewMut2, ArrayViewMut3, Axis, s};

pub use super::blocked::Multiply;
use super::{stop, threads};

/// Multiplications below which the terms of an element are added in order, as in PyTorch's own loop for `torch.bmm`.
const TINY: usize = 400;
/// Multiplications below which a product stays on the caller's thread.
const PARALLEL: usize = 1 << 21;
/// Least rows of a matrix of a batch that one thread takes at a time, so that packing the other operand pays.
const BLOCK: usize = 256;
/// Multiplications after which a product checks for interrupts.
const UNSTOPPED: usize = 1 << 32;

/// The matrix product: (m, k) @ (k, n) into `out` (m, n), any strides, without copies.
/// Panics if the shapes disagree: callers check them and raise PyTorch's error.
pub fn matmul<T: Multiply>(a: ArrayView2<T>, b: ArrayView2<T>, out: ArrayViewMut2<T>) {
    gemm(T::ONE, a, b, T::ZERO, out);
}

/// `out += a @ b`: `torch.addmm` and linear layers, which put the bias in `out` first.
pub fn addmm<T: Multiply>(a: ArrayView2<T>, b: ArrayView2<T>, out: ArrayViewMut2<T>) {
    gemm(T::ONE, a, b, T::ONE, out);
}

/// `out = alpha * a @ b + beta * out`. With `beta` 0 the old values of `out` do not matter, not even NaN.
pub fn gemm<T: Multiply>(alpha: T, a: ArrayView2<T>, b: ArrayView2<T>, beta: T, mut out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    let k = a.ncols();
    assert!(a.nrows() == m && b.dim() == (k, n), "the shapes of a product agree");
    let work = m.saturating_mul(n).saturating_mul(k);
    if T::SMALL.is_some_and(|small| small(alpha, a, b, beta, out.view_mut())) {
        return;
    }
    if alpha != T::ONE && T::SMALL.is_some() && k > 1 {
        // MKL scales the right operand.
        return gemm(T::ONE, a, b.mapv(|x| alpha * x).view(), beta, out);
    }
    if work < TINY && (k < 2 || T::SMALL.is_none()) {
        return in_order(alpha, a, b, beta, out);
    }
    if T::FEW_ROWS(alpha, a, b, beta, out.view_mut())
        || T::FEW_ROWS(alpha, b.t(), a.t(), beta, out.view_mut().reversed_axes())
    {
        return;
    }
    let is_large = work >= PARALLEL && threads::shares();
    // Each thread packs the whole other operand, so the longer side is divided, and into few blocks.
    let axis = Axis(usize::from(n > m));
    let parts = if is_large { threads::count() } else { 1 };
    let size = out.len_of(axis).div_ceil(parts).next_multiple_of(16).max(1);
    let blocks = out.axis_chunks_iter_mut(axis, size);
    if axis == Axis(0) {
        let blocks = blocks.zip(a.axis_chunks_iter(axis, size));
        threads::share_if(is_large, blocks, |(out, a)| in_squares(alpha, a, b, beta, out));
    } else {
        let blocks = blocks.zip(b.axis_chunks_iter(axis, size));
        threads::share_if(is_large, blocks, |(out, b)| in_squares(alpha, a, b, beta, out));
    }
}

/// A tiny product. Each term is rounded before it is added: what cancels on paper often cancels here too.
fn in_order<T: Multiply>(alpha: T, a: ArrayView2<T>, b: ArrayView2<T>, beta: T, mut out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    // As in BLAS, a single term is not added to 0: -0 stays -0, which is what sums start from then.
    let start = if a.ncols() == 1 && m > 1 && n > 1 { -T::ZERO } else { T::ZERO };
    for (a, mut out) in a.outer_iter().zip(out.outer_iter_mut()) {
        for (b, out) in b.axis_iter(Axis(1)).zip(&mut out) {
            let sum = alpha * a.iter().zip(b).fold(start, |sum, (&a, &b)| sum + a * b);
            *out = if beta == T::ZERO { sum } else { beta * *out + sum };
        }
    }
}

/// The product on one thread. A large one is divided into squares of the result, each large enough that packing its
/// operands takes no time to speak of.
fn in_squares<T: Multiply>(alpha: T, a: ArrayView2<T>, b: ArrayView2<T>, beta: T, mut out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    let k = a.ncols();
    if m.saturating_mul(n).saturating_mul(k) <= UNSTOPPED {
        return T::in_parts(alpha, a, b, beta, out);
    }
    let side = (UNSTOPPED / k).isqrt().next_multiple_of(48);
    for (mut rows, a) in out.axis_chunks_iter_mut(Axis(0), side).zip(a.axis_chunks_iter(Axis(0), side)) {
        for (out, b) in rows.axis_chunks_iter_mut(Axis(1), side).zip(b.axis_chunks_iter(Axis(1), side)) {
            stop::check();
            T::in_parts(alpha, a, b, beta, out);
        }
    }
}

/// [`gemm`] of the one matrix of each operand.
pub(crate) fn alone<T: Multiply>(
    alpha: T,
    a: ArrayView3<T>,
    b: ArrayView3<T>,
    beta: T,
    out: ArrayViewMut3<T>,
) {
    let [a, b] = [a, b].map(|it| it.index_axis_move(Axis(0), 0));
    gemm(alpha, a, b, beta, out.index_axis_move(Axis(0), 0));
}

/// [`gemm`] for each batch element: (batch, m, k) @ (batch, k, n) into (batch, m, n).
/// An expanded operand (stride 0) is read in place.
/// Large batches are divided among threads; each product is computed on its own, so the number of threads changes no bit.
pub fn batched<T: Multiply>(
    alpha: T,
    a: ArrayView3<T>,
    b: ArrayView3<T>,
    beta: T,
    mut out: ArrayViewMut3<T>,
) {
    let (count, m, n) = out.dim();
    if count > 1 && m == 1 && b.strides()[0] == 0 {
        // Rows that share a matrix are one product.
        let (a, out) = (a.index_axis_move(Axis(1), 0), out.index_axis_move(Axis(1), 0));
        return gemm(alpha, a, b.index_axis_move(Axis(0), 0), beta, out);
    }
    let products = out.outer_iter_mut().zip(a.outer_iter()).zip(b.outer_iter());
    if m * n * a.len_of(Axis(2)) < TINY {
        return products.for_each(|((out, a), b)| in_order(alpha, a, b, beta, out));
    }
    // Few rows take the time of reading the other operand.
    if count < 2 || count * m.max(16) * n * a.len_of(Axis(2)) < PARALLEL {
        return products.for_each(|((out, a), b)| gemm(alpha, a, b, beta, out));
    }
    // A few matrices are divided into blocks of rows, so that no thread waits long for the last one.
    let parts = (4 * threads::count()).div_ceil(count).min(m / BLOCK).max(1);
    let size = m.div_ceil(parts).next_multiple_of(16);
    let mut blocks = Vec::with_capacity(count * parts);
    for ((mut rest, a), b) in products {
        let mut first = 0;
        while first < m {
            let rows = first..m.min(first + size);
            let (block, below) = rest.split_at(Axis(0), rows.len());
            blocks.push((a.slice_move(s![rows.clone(), ..]), b, block));
            (first, rest) = (rows.end, below);
        }
    }
    threads::share(blocks.into_iter(), |(a, b, out)| gemm(alpha, a, b, beta, out));
}

/// [`batched`] for integers; it wraps around as in PyTorch.
pub fn batched_i64(
    alpha: i64,
    a: ArrayView3<i64>,
    b: ArrayView3<i64>,
    beta: i64,
    mut out: ArrayViewMut3<i64>,
) {
    for ((mut out, a), b) in out.outer_iter_mut().zip(a.outer_iter()).zip(b.outer_iter()) {
        for (mut row, a) in out.outer_iter_mut().zip(a.outer_iter()) {
            stop::check();
            row.map_inplace(|x| *x = x.wrapping_mul(beta));
            for (&a, b) in a.iter().zip(b.outer_iter()) {
                let a = a.wrapping_mul(alpha);
                row.zip_mut_with(&b, |out, &b| *out = out.wrapping_add(a.wrapping_mul(b)));
            }
        }
    }
}
