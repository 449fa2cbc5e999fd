//! Views that know where in their storage they begin.
//!
//! PyTorch aligns storages to 64 bytes, and BLAS adds the elements before a 16-byte boundary on their own. Here the
//! boundaries follow from offsets within storages and never from addresses, so the same product of the same values has
//! the same bits whatever address the allocator returns.

use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2, ArrayView3, ArrayView4, ArrayViewMut1, ArrayViewMut2, Axis, s};

/// A view and the offset of its first element within its storage, in elements.
/// A view on its own is taken to begin its storage (offset 0).
#[derive(Clone, Copy, Debug)]
pub struct WithOffset<V> {
    /// The view.
    pub view: V,
    /// Elements of the storage before the view's first one.
    pub(crate) offset: isize,
}

impl<V> From<V> for WithOffset<V> {
    fn from(view: V) -> Self {
        WithOffset { view, offset: 0 }
    }
}

/// A vector and its offset.
pub(crate) type VectorView<'a, T> = WithOffset<ArrayView1<'a, T>>;
/// A matrix and its offset.
pub(crate) type MatrixView<'a, T> = WithOffset<ArrayView2<'a, T>>;
/// A matrix to write to and its offset.
pub(crate) type MatrixViewMut<'a, T> = WithOffset<ArrayViewMut2<'a, T>>;

impl<V> WithOffset<V> {
    /// A view whose first element is element `offset` of its storage.
    pub fn new(view: V, offset: usize) -> Self {
        WithOffset { view, offset: offset as isize }
    }

    /// Elements of type `T` before the first 16-byte boundary of the view's memory.
    pub(super) fn before_boundary<T>(&self) -> usize {
        before_boundary::<T>(self.offset)
    }
}

/// Elements of type `T` between element `offset` of a storage and the next 16-byte boundary.
pub(super) fn before_boundary<T>(offset: isize) -> usize {
    (-offset).rem_euclid(16 / size_of::<T>() as isize) as usize
}

impl<'a, T> MatrixView<'a, T> {
    pub(super) fn t(self) -> Self {
        WithOffset { view: self.view.reversed_axes(), offset: self.offset }
    }

    pub(super) fn row(&self, i: usize) -> VectorView<'a, T> {
        let offset = self.offset + i as isize * self.view.strides()[0];
        WithOffset { view: self.view.index_axis_move(Axis(0), i), offset }
    }

    pub(super) fn column(&self, j: usize) -> VectorView<'a, T> {
        self.t().row(j)
    }

    pub(super) fn rows(&self, range: Range<usize>) -> Self {
        let offset = self.offset + range.start as isize * self.view.strides()[0];
        WithOffset { view: self.view.slice_move(s![range, ..]), offset }
    }

    pub(super) fn columns(&self, range: Range<usize>) -> Self {
        self.t().rows(range).t()
    }
}

impl<T> MatrixViewMut<'_, T> {
    pub(super) fn row_mut(&mut self, i: usize) -> WithOffset<ArrayViewMut1<'_, T>> {
        let offset = self.offset + i as isize * self.view.strides()[0];
        WithOffset { view: self.view.row_mut(i), offset }
    }
}

impl<'a, T> WithOffset<ArrayView3<'a, T>> {
    /// MatrixView `i` of a batch.
    pub(super) fn matrix(&self, i: usize) -> MatrixView<'a, T> {
        let offset = self.offset + i as isize * self.view.strides()[0];
        WithOffset { view: self.view.index_axis_move(Axis(0), i), offset }
    }
}

impl<'a, T> WithOffset<ArrayView4<'a, T>> {
    /// The matrix of one head of one batch element.
    pub(super) fn head(&self, batch: usize, head: usize) -> MatrixView<'a, T> {
        let strides = self.view.strides();
        let offset = self.offset + batch as isize * strides[0] + head as isize * strides[1];
        let view = self.view.index_axis_move(Axis(0), batch).index_axis_move(Axis(0), head);
        WithOffset { view, offset }
    }
}
