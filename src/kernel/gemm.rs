//! Matrix products over strided views, as `torch.mm` and `torch.bmm`.
//!
//! Threads: a batch is divided into matrices and blocks of their rows, and one large product into blocks of its longer
//! side; one thread computes each block. The threads of `matrixmultiply` are not used: another setting controls them
//! (`MATMUL_NUM_THREADS`). Each element has the same chain of sums in every block, so the number of threads changes no bit.

use ndarray::{ArrayView1, ArrayView2, ArrayView3, ArrayViewMut2, ArrayViewMut3, Axis, s};

use super::offset::{MatrixView, MatrixViewMut, WithOffset};
use super::small::{self, BlasLayout, ProductTarget};
use super::tiles::Start;
use super::{Real, packed, shared_operand, stop, threads, unpacked};

/// Multiplications below which a product stays on the caller's thread.
const PARALLEL: usize = 1 << 21;
/// Least rows of a matrix of a batch that one thread takes at a time, so that packing the other operand pays.
const BLOCK: usize = 256;
/// Rows and columns from which a product is computed by the blocked kernel.
const ROWS: usize = 4;
const COLUMNS: usize = 12;
/// Multiplications below which one product of a batch adds its terms in order, as in PyTorch.
pub(crate) const TINY: usize = 400;

/// The matrix product: (m, k) @ (k, n) into `out` (m, n), any strides, without copies.
/// Panics if the shapes disagree: callers check them and raise PyTorch's error.
///
/// Fewer than 4 rows or fewer than 12 columns: as in `small.rs`. Otherwise each element is a chain of fused
/// multiply-adds, in single precision in blocks of at most 192 terms.
///
/// Share of elements equal to PyTorch 2.6 bit for bit (MKL, AMD EPYC, one thread; thousands of random shapes up to
/// 1,000 terms; contiguous, transposed, sliced): single precision all; double precision all up to 256 terms. With several
/// threads PyTorch may leave a thread fewer than four rows: those rows then differ there. MKL has other orders on other
/// processors: on an Intel Xeon with AVX-512 the last bit of some element differs, from PyTorch's on AMD and from ours, in
/// 275 of 504 small products (1 to 17 rows, 1 to 13 columns, 1 to 33 terms).
pub fn matmul<'a, T: Real>(
    a: impl Into<MatrixView<'a, T>>,
    b: impl Into<MatrixView<'a, T>>,
    out: impl Into<MatrixViewMut<'a, T>>,
) {
    product(a.into(), b.into(), ProductTarget::Replace, true, out.into());
}

/// `out += a @ b`: `torch.addmm` and linear layers, which put the bias in `out` first.
pub fn addmm<'a, T: Real>(
    a: impl Into<MatrixView<'a, T>>,
    b: impl Into<MatrixView<'a, T>>,
    out: impl Into<MatrixViewMut<'a, T>>,
) {
    product(a.into(), b.into(), ProductTarget::Add, true, out.into());
}

/// `out = bias + a @ b`, one bias for each column: a linear layer. As [`addmm`] after the bias was copied to each row.
pub(crate) fn linear<'a, T: Real>(
    a: impl Into<MatrixView<'a, T>>,
    b: impl Into<MatrixView<'a, T>>,
    bias: ArrayView1<T>,
    mut out: ArrayViewMut2<T>,
) {
    let (a, b) = (a.into(), b.into());
    let (m, n) = out.dim();
    assert!(bias.len() == n, "a bias for each column");
    if m < ROWS || n < COLUMNS || T::EDGES {
        out.outer_iter_mut().for_each(|mut row| row.assign(&bias));
        return addmm(a, b, out);
    }
    shared(a.view, b.view, Start::Row(bias), out);
}

fn product<T: Real>(
    a: MatrixView<T>,
    b: MatrixView<T>,
    target: ProductTarget,
    vector: bool,
    mut out: MatrixViewMut<T>,
) {
    let (m, n) = out.view.dim();
    let k = a.view.ncols();
    assert!(a.view.nrows() == m && b.view.dim() == (k, n), "the shapes of a product agree");
    if k == 1 && m > 1 && n > 1 && target == ProductTarget::Replace {
        // A single term is not added to 0, so that -0 stays -0.
        for (mut row, &a) in out.view.outer_iter_mut().zip(a.view.column(0)) {
            row.zip_mut_with(&b.view.row(0), |out, &b| *out = a * b);
        }
        return;
    }
    if m < ROWS || n < COLUMNS {
        return small::product(a, b, target, vector, out);
    }
    let (rows, columns) = if T::EDGES { (m / ROWS * ROWS, n / COLUMNS * COLUMNS) } else { (m, n) };
    if rows < m {
        let offset = out.offset + rows as isize * out.view.strides()[0];
        let lower = WithOffset { view: out.view.slice_mut(s![rows.., ..]), offset };
        small::lower_edge(a.rows(rows..m), b, target, lower);
    }
    if columns < n {
        let offset = out.offset + columns as isize * out.view.strides()[1];
        let right = WithOffset { view: out.view.slice_mut(s![..rows, columns..]), offset };
        small::product(a.rows(0..rows), b.columns(columns..n), target, false, right);
    }
    // Nothing below depends on offsets.
    let (a, b) = (a.view.slice_move(s![..rows, ..]), b.view.slice_move(s![.., ..columns]));
    let mut out = out.view.slice_move(s![..rows, ..columns]);
    if k == 0 && target == ProductTarget::Replace {
        out.fill(T::ZERO);
    }
    shared(a, b, if target == ProductTarget::Add { Start::Out } else { Start::Nothing }, out);
}

/// The product of at least four rows and twelve columns, on several threads if it is large.
fn shared<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, start: Start<T>, mut out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    if m * n * a.ncols() < PARALLEL || !threads::shares() {
        return in_chains(a, b, start, out);
    }
    // Each thread packs the whole other operand, so the longer side is divided, and into few blocks.
    let axis = Axis(usize::from(n > m));
    let size = out.len_of(axis).div_ceil(threads::count()).next_multiple_of(16);
    let blocks = out.axis_chunks_iter_mut(axis, size);
    if axis == Axis(0) {
        threads::share(blocks.zip(a.axis_chunks_iter(axis, size)), |(out, a)| in_chains(a, b, start, out));
    } else {
        let blocks = blocks.zip(b.axis_chunks_iter(axis, size)).enumerate();
        threads::share(blocks, |(number, (out, b))| {
            in_chains(a, b, start.columns(number * size, b.ncols()), out);
        });
    }
}

/// The product on one thread: each element in chains of at most [`DEPTH`](super::blocked::Multiply::DEPTH)
/// multiply-adds.
fn in_chains<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, mut start: Start<T>, mut out: ArrayViewMut2<T>) {
    let k = a.ncols();
    if T::TILES && k > 0 && packed::fits(&out) {
        return T::packed(a, b, start, out);
    }
    let unpacked = T::TILES && unpacked::fits(&a, &b, &out);
    if let Start::Row(row) = start
        && (k == 0 || !unpacked)
    {
        out.outer_iter_mut().for_each(|mut out| out.assign(&row));
        start = Start::Out;
    }
    for chain in packed::chains(k, T::DEPTH) {
        stop::check();
        let (a, b) = (a.slice(s![.., chain.clone()]), b.slice(s![chain, ..]));
        if unpacked {
            T::unpacked(a, b, start, out.view_mut());
        } else {
            let beta = if matches!(start, Start::Nothing) { T::ZERO } else { T::ONE };
            in_squares(a, b, beta, out.view_mut());
        }
        start = Start::Out;
    }
}

/// Multiplications after which a product checks for interrupts.
const UNSTOPPED: usize = 1 << 32;

/// `out = a @ b + beta * out`. A large product is divided into squares of the result, each large enough that packing its
/// operands takes no time to speak of.
fn in_squares<T: Real>(a: ArrayView2<T>, b: ArrayView2<T>, beta: T, mut out: ArrayViewMut2<T>) {
    let (m, n) = out.dim();
    let k = a.ncols();
    if m.saturating_mul(n).saturating_mul(k) <= UNSTOPPED {
        return T::blocked(T::ONE, a, b, beta, out);
    }
    let side = (UNSTOPPED / k).isqrt().next_multiple_of(48);
    for (mut rows, a) in out.axis_chunks_iter_mut(Axis(0), side).zip(a.axis_chunks_iter(Axis(0), side)) {
        for (out, b) in rows.axis_chunks_iter_mut(Axis(1), side).zip(b.axis_chunks_iter(Axis(1), side)) {
            stop::check();
            T::blocked(T::ONE, a, b, beta, out);
        }
    }
}

/// `out = alpha * a @ b + beta * out`. With `beta` 0 the old values of `out` do not matter, not even NaN.
pub fn gemm<'a, T: Real>(
    alpha: T,
    a: impl Into<MatrixView<'a, T>>,
    b: impl Into<MatrixView<'a, T>>,
    beta: T,
    out: impl Into<MatrixViewMut<'a, T>>,
) {
    if alpha == T::ONE && beta == T::ZERO {
        matmul(a, b, out);
    } else if alpha == T::ONE && beta == T::ONE {
        addmm(a, b, out);
    } else {
        T::blocked(alpha, a.into().view, b.into().view, beta, out.into().view);
    }
}

/// One product for each batch element: (batch, m, k) @ (batch, k, n) into (batch, m, n), which starts its storage.
/// An expanded operand (stride 0) is read in place.
/// Large batches are divided among threads; each product is computed on its own, so the number of threads changes no bit.
/// Products of fewer than [`TINY`] multiplications add their terms in order, as `torch.bmm` does.
pub fn batched<'a, T: Real>(
    a: impl Into<WithOffset<ArrayView3<'a, T>>>,
    b: impl Into<WithOffset<ArrayView3<'a, T>>>,
    mut out: ArrayViewMut3<T>,
) {
    let (a, b) = (a.into(), b.into());
    let (count, m, n) = out.dim();
    let k = a.view.len_of(Axis(2));
    let work = count * m * n * k;
    let is_shared = count > 1 && b.view.strides()[0] == 0;
    if is_shared && m < ROWS && m * n * k >= TINY && shared_operand::product(&a, &b.matrix(0), &mut out) {
        return;
    }
    let step = out.strides()[0];
    let products = out.outer_iter_mut().enumerate().map(|(at, view)| {
        let out = WithOffset { view, offset: at as isize * step };
        (a.matrix(at), b.matrix(at), out)
    });
    if count < 2 || work < PARALLEL || !threads::shares() {
        return products.for_each(|(a, b, out)| in_batch(count, a, b, out));
    }
    // A few matrices are divided into blocks of rows, so that no thread waits long for the last one.
    let parts = (4 * threads::count()).div_ceil(count).min(m / BLOCK).max(1);
    let size = m.div_ceil(parts).next_multiple_of(16);
    let mut blocks = Vec::with_capacity(count * parts);
    for (a, b, out) in products {
        let (mut start, mut rest) = (0, out);
        while start < m {
            let end = (start + size).min(m);
            let next = rest.offset + (end - start) as isize * rest.view.strides()[0];
            let (block, after) = rest.view.split_at(Axis(0), end - start);
            blocks.push((a.rows(start..end), b, WithOffset { view: block, offset: rest.offset }));
            (start, rest) = (end, WithOffset { view: after, offset: next });
        }
    }
    threads::share(blocks.into_iter(), |(a, b, out)| in_batch(count, a, b, out));
}

/// One product of a batch of `count`.
fn in_batch<T: Real>(count: usize, a: MatrixView<T>, b: MatrixView<T>, out: MatrixViewMut<T>) {
    let (m, n) = out.view.dim();
    if m * n * a.view.ncols() < TINY {
        small::product_in_turn(a.view, b.view, out);
    } else {
        // In a batch of several, the only vector is a row times a transposed matrix.
        let row = m == 1
            && small::layout(&a.view) == BlasLayout::RowMajor
            && small::layout(&b.view) == BlasLayout::ColumnMajor;
        product(a, b, ProductTarget::Replace, count == 1 || row, out);
    }
}

/// The product of integer matrices; it wraps around as in PyTorch.
pub fn matmul_i64(a: ArrayView2<i64>, b: ArrayView2<i64>, mut out: ArrayViewMut2<i64>) {
    for (mut row, a) in out.outer_iter_mut().zip(a.outer_iter()) {
        stop::check();
        row.fill(0);
        for (&a, b) in a.iter().zip(b.outer_iter()) {
            row.zip_mut_with(&b, |out, &b| *out = out.wrapping_add(a.wrapping_mul(b)));
        }
    }
}
