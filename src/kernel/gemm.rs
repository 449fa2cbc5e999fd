//! Matrix products over strided views, as `torch.mm` and `torch.bmm`.
//!
//! Threads: a batch is divided into matrices and blocks of their rows, and one large product into blocks of its longer
//! side; one thread computes each block. The threads of `matrixmultiply` are not used: another setting controls them
//! (`MATMUL_NUM_THREADS`). Each element has the same chain of sums in every block, so the number of threads changes no bit.

use ndarray::{ArrayView2, ArrayView3, ArrayViewMut2, ArrayViewMut3, Axis, s};

use super::small::{self, Layout, Onto};
use super::simd::vector_bytes;
use super::{Real, few_columns, threads};

/// Multiplications below which a product stays on the caller's thread.
const PARALLEL: usize = 1 << 21;
/// Rows of a batch's matrix that one thread takes at a time, at least: what it packs serves them all.
const BLOCK: usize = 256;
/// Rows and columns from which a product is computed by blocks.
const ROWS: usize = 4;
const COLUMNS: usize = 12;
/// Multiplications below which one product of a batch is computed the plainest way.
const TINY: usize = 400;

/// The matrix product: (m, k) @ (k, n) into `out` (m, n), any strides, nothing copied.
/// Panics if the shapes disagree: callers check them first and say so in their own words.
///
/// Fewer than 4 rows or fewer than 12 columns: as `small.rs` says. Otherwise each element is a chain of fused
/// multiply-adds, in single precision in blocks of at most 192 terms.
///
/// Share of elements that equal PyTorch 2.6's bit for bit (MKL, x86, one thread; thousands of random shapes up to
/// 1,000 terms; plain, transposed, sliced): single precision all; double precision all up to 256 terms. With several
/// threads PyTorch may split rows so that a thread is left with fewer than four: those rows then differ there.
pub fn matmul<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, out: ArrayViewMut2<T>) {
    product(a, b, Onto::Nothing, true, out);
}

/// `out += a @ b`: what `torch.addmm` and a linear layer do, with the bias in `out` beforehand.
pub fn addmm<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, out: ArrayViewMut2<T>) {
    product(a, b, Onto::Out, true, out);
}

fn product<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, onto: Onto, vector: bool, mut out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    let k = a.ncols();
    assert!(a.nrows() == m && b.dim() == (k, n), "a product's shapes agree");
    if k == 1 && m > 1 && n > 1 && onto == Onto::Nothing {
        // One term each: nothing is added to it, so that -0 stays -0.
        for (mut row, &a) in out.outer_iter_mut().zip(a.column(0)) {
            row.zip_mut_with(&b.row(0), |out, &b| *out = a * b);
        }
        return;
    }
    if m < ROWS || n < COLUMNS {
        return small::product(a, b, onto, vector, out);
    }
    let (rows, columns) = if T::EDGES { (m / ROWS * ROWS, n / COLUMNS * COLUMNS) } else { (m, n) };
    let (mut upper, lower) = out.view_mut().split_at(Axis(0), rows);
    if rows < m {
        small::lower_edge(a.slice(s![rows.., ..]), b, onto, lower);
    }
    if columns < n {
        let right = upper.slice_mut(s![.., columns..]);
        small::product(a.slice(s![..rows, ..]), b.slice(s![.., columns..]), onto, false, right);
    }
    let (a, b) = (a.slice(s![..rows, ..]), b.slice(s![.., ..columns]));
    let mut out = upper.slice_mut(s![.., ..columns]);
    if k == 0 && onto == Onto::Nothing {
        out.fill(T::ZERO);
    }
    if m * n * k < PARALLEL || !threads::shares() {
        return in_terms(a, b, onto, out);
    }
    // Each thread packs what lies across from its block, so that the longer side is cut, and into few blocks.
    let axis = Axis(usize::from(columns > rows));
    let size = out.len_of(axis).div_ceil(threads::count()).next_multiple_of(16);
    let blocks = out.axis_chunks_iter_mut(axis, size);
    if axis == Axis(0) {
        threads::share(blocks.zip(a.axis_chunks_iter(axis, size)), |(out, a)| in_terms(a, b, onto, out));
    } else {
        threads::share(blocks.zip(b.axis_chunks_iter(axis, size)), |(out, b)| in_terms(a, b, onto, out));
    }
}

/// The product on one thread: each element a chain of multiply-adds, in blocks of as many terms as the type says.
fn in_terms<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, onto: Onto, mut out: ArrayViewMut2<T>) {
    let few_columns = T::FEW_COLUMNS && vector_bytes() == 64 && few_columns::fits(&a, &b, &out);
    let (k, mut start) = (a.ncols(), 0);
    while start < k {
        let end = start + depth(k, start, T::DEPTH);
        let (a, b) = (a.slice(s![.., start..end]), b.slice(s![start..end, ..]));
        let onto = if start == 0 { onto } else { Onto::Out };
        if few_columns {
            T::few_columns(a, b, onto == Onto::Out, out.view_mut());
        } else {
            let beta = if onto == Onto::Nothing { T::ZERO } else { T::ONE };
            T::blocked(T::ONE, a, b, beta, out.view_mut());
        }
        start = end;
    }
}

/// How many terms the block that begins at `start` takes, of `k`.
fn depth(k: usize, start: usize, deepest: usize) -> usize {
    let most = if k > deepest && k / 2 < deepest { k / 2 } else { deepest };
    most.min(k - start)
}

/// `out = alpha * a @ b + beta * out`; with `beta` 0 what `out` held does not matter, not even NaN.
pub fn gemm<T: Real>(alpha: T, a: ArrayView2<T>, b: ArrayView2<T>, beta: T, out: ArrayViewMut2<T>) {
    if alpha == T::ONE && beta == T::ZERO {
        matmul(a, b, out);
    } else if alpha == T::ONE && beta == T::ONE {
        addmm(a, b, out);
    } else {
        T::blocked(alpha, a, b, beta, out);
    }
}

/// One product for each batch: (batch, m, k) @ (batch, k, n) into (batch, m, n); an expanded operand (stride 0) is read in place.
/// Batches run side by side when there is enough to do; each is computed alone, so threads change no bit.
/// Products of fewer than 400 multiplications add their terms one after another, as `torch.bmm` does.
pub fn batched<T: Real>(a: ArrayView3<T>, b: ArrayView3<T>, mut out: ArrayViewMut3<T>) {
    let (count, m, n) = out.dim();
    let work = count * m * n * a.len_of(Axis(2));
    let products = out.outer_iter_mut().zip(a.outer_iter()).zip(b.outer_iter());
    if count < 2 || work < PARALLEL || !threads::shares() {
        return products.for_each(|((out, a), b)| of_batch(count, a, b, out));
    }
    // Few matrices are cut, so that no thread waits long for the last.
    let parts = (4 * threads::count()).div_ceil(count).min(m / BLOCK).max(1);
    let size = m.div_ceil(parts).next_multiple_of(16);
    let mut blocks = Vec::with_capacity(count * parts);
    for ((out, a), b) in products {
        let (mut start, mut rest) = (0, out);
        while start < m {
            let end = (start + size).min(m);
            let (block, after) = rest.split_at(Axis(0), end - start);
            blocks.push((block, a.slice_move(s![start..end, ..]), b));
            (start, rest) = (end, after);
        }
    }
    threads::share(blocks.into_iter(), |(out, a, b)| of_batch(count, a, b, out));
}

/// One product of a batch of `count`.
pub(super) fn of_batch<T: Real>(count: usize, a: ArrayView2<T>, b: ArrayView2<T>, out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    if m * n * a.ncols() < TINY {
        small::product_in_turn(a, b, out);
    } else {
        // Of vectors, a batch of several knows only a row times a transposed matrix as such.
        let row = m == 1 && small::layout(&a) == Layout::Plain && small::layout(&b) == Layout::Transposed;
        product(a, b, Onto::Nothing, count == 1 || row, out);
    }
}

/// The product of integer matrices, wrapping as PyTorch's `int64` does.
pub fn matmul_i64(a: ArrayView2<i64>, b: ArrayView2<i64>, mut out: ArrayViewMut2<i64>) {
    for (mut row, a) in out.outer_iter_mut().zip(a.outer_iter()) {
        row.fill(0);
        for (&a, b) in a.iter().zip(b.outer_iter()) {
            row.zip_mut_with(&b, |out, &b| *out = out.wrapping_add(a.wrapping_mul(b)));
        }
    }
}
