//! A view rearranged so that the operands of each result are one contiguous row.

use std::borrow::Cow;

use ndarray::{ArrayViewD, IxDyn};

use super::super::threads;

/// Numbers below which all rows stay on the caller's thread, and numbers that a thread takes at a time.
const PARALLEL: usize = 1 << 15;
const PIECE: usize = 1 << 13;

/// The operands of a reduction, one row of `length` numbers for each result.
pub(super) struct Rows<'a, T: Clone> {
    data: Cow<'a, [T]>,
    length: usize,
    count: usize,
}

impl<'a, T: Copy> Rows<'a, T> {
    /// Rows over `axes` of `x`, results in row-major order of the axes kept. Copies unless `x` has this order in memory.
    pub(crate) fn new(x: &'a ArrayViewD<'a, T>, axes: &[usize]) -> Self {
        let mut inner = axes.to_vec();
        inner.sort_unstable();
        Rows::ordered(x, &inner)
    }

    /// As [`Rows::new`], with the operands of each result in the order of `axes`, the last one fastest.
    pub(crate) fn ordered(x: &'a ArrayViewD<'a, T>, axes: &[usize]) -> Self {
        let shape = x.shape();
        let kept = (0..shape.len()).filter(|axis| !axes.contains(axis));
        let count = kept.clone().map(|axis| shape[axis]).product();
        let length = axes.iter().map(|&axis| shape[axis]).product();
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let in_order = order.iter().enumerate().all(|(i, &axis)| i == axis);
        let data = match x.as_slice().filter(|_| in_order) {
            Some(data) => Cow::Borrowed(data),
            None => Cow::Owned(x.view().permuted_axes(IxDyn(&order)).iter().copied().collect()),
        };
        Rows { data, length, count }
    }

    /// One result for each row; the rows of large views are shared among threads.
    pub(crate) fn map<R: Send>(&self, each: impl Fn(&[T]) -> R + Sync) -> Vec<R>
    where
        T: Sync,
    {
        if self.length == 0 {
            return std::iter::repeat_n(&[][..], self.count).map(each).collect();
        }
        if self.data.len() < PARALLEL || self.count < 2 {
            return self.data.chunks_exact(self.length).map(each).collect();
        }
        let rows = (PIECE / self.length).max(1);
        let mut out: Vec<Option<R>> = Vec::new();
        out.resize_with(self.count, || None);
        threads::share_brief(
            self.data.chunks(rows * self.length).zip(out.chunks_mut(rows)),
            |(data, out)| {
                for (row, out) in data.chunks_exact(self.length).zip(out) {
                    *out = Some(each(row));
                }
            },
        );
        out.into_iter().map(|result| result.expect("every row has a result")).collect()
    }
}
