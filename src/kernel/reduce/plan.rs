//! The order in which a reduction reads its operand.
//! Source: PyTorch's TensorIterator: reduced axes are innermost, then axes by stride, and contiguous neighbours are
//! merged. The innermost axis decides the order of summation, and so the last bit.

use std::borrow::Cow;

use ndarray::{ArrayViewD, Axis, IxDyn};

use super::super::index::{sort_dimensions, unravel_reversed};
use super::super::stop;

/// One axis of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dim {
    /// Number of steps.
    pub(crate) size: usize,
    /// The stride in the operand: decides the order of summation.
    pub(crate) step: usize,
    /// The stride in the data that is read.
    pub(crate) stride: usize,
    /// The stride in the result, 0 for a reduced axis.
    pub(crate) out: usize,
}

/// The operand of a reduction and the axes of the loop, innermost first.
pub(super) struct ReductionPlan<'a, T: Copy> {
    /// The numbers, addressed by `Dim::stride`.
    pub(crate) data: Cow<'a, [T]>,
    /// The axes, innermost first; never fewer than two.
    pub(crate) dims: Vec<Dim>,
}

/// The number of results of a reduction of `shape` over `axes`.
pub(super) fn results(shape: &[usize], axes: &[usize]) -> usize {
    shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, &size)| size).product()
}

impl<'a, T: Copy> ReductionPlan<'a, T> {
    /// The loop over `x` that reduces `axes`; results row-major over the axes kept.
    pub(crate) fn new(x: &'a ArrayViewD<'a, T>, axes: &[usize]) -> Self {
        let dims = walk(x, axes);
        let non_negative = x.strides().iter().all(|&s| s >= 0);
        let (data, mut dims): (Cow<[T]>, Vec<Dim>) = match x.as_slice_memory_order().filter(|_| non_negative)
        {
            Some(data) => (Cow::Borrowed(data), dims.into_iter().map(|(dim, _)| dim).collect()),
            None => {
                // The copy is in the order of the loop. An operand that is contiguous along the second axis stays so,
                // because whole vectors are read there.
                let mut dims = dims;
                if dims.len() > 1 && dims[1].0.step == 1 {
                    dims.swap(0, 1);
                }
                let order: Vec<usize> =
                    dims.iter().rev().flat_map(|(_, axes)| axes.iter().rev().copied()).collect();
                let data = copied(x.view().permuted_axes(IxDyn(&order)));
                let mut stride = 1;
                let mut dims: Vec<Dim> = dims.into_iter().map(|(dim, _)| dim).collect();
                for dim in &mut dims {
                    dim.stride = stride;
                    stride *= dim.size;
                }
                if dims.len() > 1 && dims[0].step == 1 && dims[0].out != 0 {
                    dims.swap(0, 1);
                }
                (Cow::Owned(data), dims)
            }
        };
        while dims.len() < 2 {
            dims.push(Dim { size: 1, step: 0, stride: 0, out: 0 });
        }
        ReductionPlan { data, dims }
    }

    /// Calls `block` for every innermost pair of axes with its start in the data and in the result.
    pub(crate) fn blocks(&self, mut block: impl FnMut(&[T], usize, Dim, Dim, usize)) {
        let outer = &self.dims[2..];
        let count: usize = outer.iter().map(|d| d.size).product();
        for index in 0..count {
            stop::check();
            let (mut at, mut out) = (0, 0);
            for (i, dim) in unravel_reversed(index, outer.iter().map(|dim| dim.size)).zip(outer) {
                at += i * dim.stride;
                out += i * dim.out;
            }
            block(&self.data, at, self.dims[0], self.dims[1], out);
        }
    }
}

/// The numbers in row-major order.
fn copied<T: Copy>(x: ArrayViewD<T>) -> Vec<T> {
    let mut data = Vec::with_capacity(x.len());
    let Some(last) = x.ndim().checked_sub(1) else {
        data.extend(x.iter().copied());
        return data;
    };
    for lane in x.lanes(Axis(last)) {
        match lane.to_slice() {
            Some(row) => data.extend_from_slice(row),
            None if lane.strides() == [0] => data.extend(std::iter::repeat_n(lane[0], lane.len())),
            None => data.extend(lane),
        }
    }
    data
}

/// The axes of the loop over `x`, innermost first, each with the axes of `x` that are merged into it.
fn walk<T>(x: &ArrayViewD<T>, axes: &[usize]) -> Vec<(Dim, Vec<usize>)> {
    let shape = x.shape();
    let mut out_stride = 1;
    let mut dims: Vec<(Dim, Vec<usize>)> = Vec::with_capacity(shape.len());
    for axis in (0..shape.len()).rev() {
        let step = x.strides()[axis].unsigned_abs();
        let out = if axes.contains(&axis) { 0 } else { out_stride };
        if out != 0 {
            out_stride *= shape[axis];
        }
        dims.push((Dim { size: shape[axis], step, stride: step, out }, vec![axis]));
    }
    sort_dimensions(&mut dims, |a, b| order(a.0, b.0));
    merge(dims)
}

/// The order of the reduced axes of `x` in the loop, outermost first, and whether the operands of a result are
/// contiguous.
pub(super) fn order_of_reduced<T>(x: &ArrayViewD<T>, axes: &[usize]) -> (Vec<usize>, bool) {
    let dims = walk(x, axes);
    let contiguous = dims.first().is_some_and(|(dim, _)| dim.out == 0 && dim.step == 1)
        && dims.iter().skip(1).all(|(dim, _)| dim.out != 0);
    let met = dims.iter().rev().flat_map(|(_, members)| members.iter().rev().copied());
    (met.filter(|axis| axes.contains(axis)).collect(), contiguous)
}

/// Reduced axes come first, then axes by stride.
fn order(a: Dim, b: Dim) -> i32 {
    if (a.out == 0) != (b.out == 0) {
        return if b.out == 0 { 1 } else { -1 };
    }
    for (x, y) in [(a.out, b.out), (a.step, b.step)] {
        if x == 0 || y == 0 {
            continue;
        }
        if x != y {
            return if x < y { -1 } else { 1 };
        }
        if a.size > b.size {
            return 1;
        }
    }
    0
}

fn merge(dims: Vec<(Dim, Vec<usize>)>) -> Vec<(Dim, Vec<usize>)> {
    let mut merged: Vec<(Dim, Vec<usize>)> = Vec::with_capacity(dims.len());
    for (dim, axes) in dims {
        if let Some((last, members)) = merged.last_mut() {
            let follows = last.size * last.step == dim.step && last.size * last.out == dim.out;
            if last.size == 1 || dim.size == 1 || follows {
                if last.size == 1 {
                    (last.step, last.stride, last.out) = (dim.step, dim.stride, dim.out);
                }
                last.size *= dim.size;
                members.extend(axes);
                continue;
            }
        }
        merged.push((dim, axes));
    }
    merged
}

/// log2 rounded up, as PyTorch does to size its cascades.
pub(crate) fn ceil_log2(n: usize) -> usize {
    if n <= 2 { 1 } else { (usize::BITS - (n - 1).leading_zeros()) as usize }
}
