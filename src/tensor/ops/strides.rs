//! In which order of memory a result lies: as its operands do.
//! Room: tensor. Source: PyTorch's `TensorIterator` and `infer_dense_strides`.

use crate::tensor::{Buffer, Layout, Storage, Tensor};

/// Whether the elements fill their memory without gaps and without meeting twice, in whatever order.
pub fn is_dense(layout: &Layout) -> bool {
    let mut axes: Vec<usize> = (0..layout.ndim()).filter(|&axis| layout.shape[axis] != 1).collect();
    axes.sort_by_key(|&axis| layout.strides[axis]);
    let mut expected = 1;
    axes.into_iter().all(|axis| {
        let fits = layout.strides[axis] == expected;
        expected *= layout.shape[axis];
        fits
    })
}

/// Strides without gaps for `shape`, dimensions in the order the operands have them; the first operand that tells two
/// dimensions apart decides.
pub fn inferred(shape: &[usize], operands: &[&Layout]) -> Vec<usize> {
    let ndim = shape.len();
    let spread: Vec<Vec<usize>> = operands.iter().map(|layout| layout.broadcast_to(shape).strides).collect();
    // 1: `a` lies further out than `b`; -1: further in; 0: nobody tells.
    let compare = |a: usize, b: usize| {
        for strides in &spread {
            let (x, y) = (strides[a], strides[b]);
            if x == 0 || y == 0 {
                continue;
            }
            if x != y {
                return if x < y { -1 } else { 1 };
            }
            if shape[a] > shape[b] {
                return 1;
            }
        }
        0
    };
    let mut order: Vec<usize> = (0..ndim).rev().collect();
    // An insertion sort, because dimensions that nobody tells apart stay where they are.
    for i in 1..ndim {
        let mut moved = i;
        for before in (0..i).rev() {
            match compare(order[before], order[moved]) {
                1 => {
                    order.swap(before, moved);
                    moved = before;
                }
                -1 => break,
                _ => {}
            }
        }
    }
    let mut strides = vec![1; ndim];
    let mut next = 1;
    for axis in order {
        strides[axis] = next;
        next *= shape[axis].max(1);
    }
    strides
}

/// The layout PyTorch gives to a fresh tensor "like" this one: its own where that is dense, else the same order of
/// dimensions without gaps. As `torch.empty_like`.
pub fn like(layout: &Layout) -> Layout {
    let strides = match is_dense(layout) {
        true => layout.strides.clone(),
        false => inferred(&layout.shape, &[layout]),
    };
    Layout { shape: layout.shape.clone(), strides, offset: 0 }
}

/// A row-major result of a pointwise operation, moved to the order of memory its operands call for.
pub fn placed(result: Tensor, operands: &[&Tensor]) -> Tensor {
    if operands.iter().all(|operand| operand.is_contiguous()) {
        return result;
    }
    let shape = result.shape();
    let same =
        operands.iter().all(|operand| operand.shape() == shape && operand.strides() == operands[0].strides());
    let strides = if same && is_dense(operands[0].layout()) {
        operands[0].strides().to_vec()
    } else if operands.iter().any(|operand| {
        crate::tensor::layout::broadcast("", shape, operand.shape()).is_ok_and(|wide| wide != shape)
            || operand.ndim() > shape.len()
    }) {
        return result;
    } else {
        let layouts: Vec<&Layout> = operands.iter().map(|operand| operand.layout()).collect();
        inferred(shape, &layouts)
    };
    if strides == result.strides() {
        return result;
    }
    let layout = Layout { shape: shape.to_vec(), strides, offset: 0 };
    let target = Tensor::from_parts(
        Storage::new(Buffer::zeros(result.dtype(), result.numel())),
        layout,
        result.dtype(),
    );
    // The shapes are the same, and so nothing can fail to fit.
    match super::write(&target, &result) {
        Ok(()) => target,
        Err(_) => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shape: &[usize], strides: &[usize]) -> Layout {
        Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: 3 }
    }

    #[test]
    fn a_fresh_tensor_keeps_the_order_of_dimensions_and_loses_the_gaps() {
        assert_eq!(like(&layout(&[2, 3], &[1, 2])).strides, [1, 2]);
        assert_eq!(like(&layout(&[2, 3], &[12, 2])).strides, [3, 1]);
        assert_eq!(like(&layout(&[3, 2, 4], &[0, 4, 1])).strides, [8, 4, 1]);
        assert_eq!(like(&layout(&[2, 7, 1], &[7, 1, 2])).strides, [7, 1, 2]);
    }

    #[test]
    fn the_first_operand_that_tells_dimensions_apart_decides() {
        let (turned, straight, row) =
            (layout(&[2, 3], &[1, 2]), layout(&[2, 3], &[3, 1]), layout(&[3], &[1]));
        assert_eq!(inferred(&[2, 3], &[&turned, &straight]), [1, 2]);
        assert_eq!(inferred(&[2, 3], &[&row, &turned]), [1, 2]);
    }
}
