//! A view laid out so that each result has its operands in one row.
//! Room: kernel. Sees ndarray views; no Tensor, no text.

use std::borrow::Cow;

use ndarray::{ArrayViewD, IxDyn};

/// The operands of a reduction, one row of `length` numbers for each result.
pub(super) struct Rows<'a, T: Clone> {
    data: Cow<'a, [T]>,
    length: usize,
    count: usize,
}

impl<'a, T: Copy> Rows<'a, T> {
    /// Rows over `axes` of `x`, results in row-major order of the axes kept. Copies unless `x` already lies so.
    pub fn new(x: &'a ArrayViewD<'a, T>, axes: &[usize]) -> Self {
        let mut inner = axes.to_vec();
        inner.sort_unstable();
        Rows::ordered(x, &inner)
    }

    /// As [`Rows::new`], with the operands of each result in the order of `axes`, the last one fastest.
    pub fn ordered(x: &'a ArrayViewD<'a, T>, axes: &[usize]) -> Self {
        let shape = x.shape();
        let kept = (0..shape.len()).filter(|axis| !axes.contains(axis));
        let count = kept.clone().map(|axis| shape[axis]).product();
        let length = axes.iter().map(|&axis| shape[axis]).product();
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let straight = order.iter().enumerate().all(|(i, &axis)| i == axis);
        let data = match x.as_slice().filter(|_| straight) {
            Some(data) => Cow::Borrowed(data),
            None => Cow::Owned(x.view().permuted_axes(IxDyn(&order)).iter().copied().collect()),
        };
        Rows { data, length, count }
    }

    /// One result from each row.
    pub fn map<R>(&self, each: impl FnMut(&[T]) -> R) -> Vec<R> {
        if self.length == 0 {
            std::iter::repeat_n(&[][..], self.count).map(each).collect()
        } else {
            self.data.chunks_exact(self.length).map(each).collect()
        }
    }
}
