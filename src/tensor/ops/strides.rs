//! The order of a result in memory, which follows its operands.
//! Source: PyTorch's `TensorIterator` and `infer_dense_strides`.

use ndarray::{ArrayView4, ArrayViewMut4, Ix4, ShapeBuilder, StrideShape};

use crate::tensor::layout::{iteration_order, ordered};
use crate::tensor::{Layout, Tensor};

/// A gapless layout of `shape` with its dimensions in the order that the operands have in memory. The first operand whose
/// strides of two dimensions differ decides about these.
pub fn inferred(shape: &[usize], operands: &[&Layout]) -> Layout {
    let spread: Vec<Layout> = operands.iter().map(|layout| layout.broadcast_to(shape)).collect();
    let strides: Vec<&[usize]> = spread.iter().map(|layout| &layout.strides[..]).collect();
    ordered(shape, &iteration_order(shape, &strides))
}

/// A row-major result of a pointwise operation, moved to the order of its operands in memory.
pub(crate) fn placed(result: Tensor, operands: &[&Tensor]) -> Tensor {
    if operands.iter().all(|operand| operand.is_contiguous()) {
        return result;
    }
    let shape = result.shape();
    let same =
        operands.iter().all(|operand| operand.shape() == shape && operand.strides() == operands[0].strides());
    let layout = if same {
        operands[0].layout().preserved()
    } else if operands.iter().any(|operand| {
        crate::tensor::layout::broadcast(shape, operand.shape()).is_ok_and(|wide| wide != shape)
            || operand.ndim() > shape.len()
    }) {
        return result;
    } else {
        let layouts: Vec<&Layout> = operands.iter().map(|operand| operand.layout()).collect();
        inferred(shape, &layouts)
    };
    result.laid_out(layout)
}

fn four_strides(layout: &Layout) -> StrideShape<Ix4> {
    let four = |sizes: &[usize]| Ix4(sizes[0], sizes[1], sizes[2], sizes[3]);
    four(&layout.shape).strides(four(&layout.strides))
}

/// The elements of a storage through a layout with four dimensions.
pub(crate) fn four<'a, T>(data: &'a [T], layout: &Layout) -> ArrayView4<'a, T> {
    ArrayView4::from_shape(four_strides(layout), &data[layout.offset.min(data.len())..])
        .expect("a layout lies within its storage")
}

/// As [`four`], to be written to.
pub(crate) fn four_mut<'a, T>(data: &'a mut [T], layout: &Layout) -> ArrayViewMut4<'a, T> {
    // An empty tensor may begin after the end.
    let start = layout.offset.min(data.len());
    ArrayViewMut4::from_shape(four_strides(layout), &mut data[start..])
        .expect("a layout lies within its storage")
}
