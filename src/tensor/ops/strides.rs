//! In which order of memory a result lies: as its operands do.
//! Source: PyTorch's `TensorIterator` and `infer_dense_strides`.

use crate::tensor::layout::{iteration_order, ordered};
use crate::tensor::{Buffer, Layout, Storage, Tensor};

/// A layout without gaps for `shape`, dimensions in the order the operands have them; the first operand that tells two
/// dimensions apart decides.
fn inferred(shape: &[usize], operands: &[&Layout]) -> Layout {
    let spread: Vec<Layout> = operands.iter().map(|layout| layout.broadcast_to(shape)).collect();
    let strides: Vec<&[usize]> = spread.iter().map(|layout| &layout.strides[..]).collect();
    ordered(shape, &iteration_order(shape, &strides))
}

/// A row-major result of a pointwise operation, moved to the order of memory its operands call for.
pub fn placed(result: Tensor, operands: &[&Tensor]) -> Tensor {
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
    if layout.strides == result.strides() {
        return result;
    }
    let target = Tensor::from_parts(
        Storage::new(Buffer::zeros(result.dtype(), result.numel())),
        layout,
        result.dtype(),
    );
    super::write(&target, &result).expect("the shapes are equal");
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shape: &[usize], strides: &[usize]) -> Layout {
        Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: 3 }
    }

    #[test]
    fn a_fresh_tensor_keeps_the_order_of_dimensions_and_loses_the_gaps() {
        assert_eq!(layout(&[2, 3], &[1, 2]).preserved().strides, [1, 2]);
        assert_eq!(layout(&[2, 3], &[12, 2]).preserved().strides, [3, 1]);
        assert_eq!(layout(&[3, 2, 4], &[0, 4, 1]).preserved().strides, [8, 4, 1]);
        assert_eq!(layout(&[2, 7, 1], &[7, 1, 2]).preserved().strides, [7, 1, 2]);
    }

    #[test]
    fn the_first_operand_that_tells_dimensions_apart_decides() {
        let (turned, straight, row) =
            (layout(&[2, 3], &[1, 2]), layout(&[2, 3], &[3, 1]), layout(&[3], &[1]));
        assert_eq!(inferred(&[2, 3], &[&turned, &straight]).strides, [1, 2]);
        assert_eq!(inferred(&[2, 3], &[&row, &turned]).strides, [1, 2]);
    }
}
