//! Joining tensors: cat, stack, block_diag.
//! Source: `torch.cat` and related functions, which skip 1-d tensors without elements.

use super::cast::to_dtype;
use crate::kernel::{buffer_pool, elementwise};
use crate::tensor::buffer::{Number, in_lane};
use crate::tensor::dtype::{Operand, result_type};
use crate::tensor::{DType, Error, ErrorFact, Result, Tensor, allow, refuse_if};

/// The dtype of the result of joining tensors.
pub(crate) fn joined_dtype(tensors: &[Tensor], default: DType) -> DType {
    let operand = |tensor: &Tensor| match tensor.ndim() {
        0 => Operand::ZeroDim(tensor.dtype()),
        _ => Operand::Dimensioned(tensor.dtype()),
    };
    result_type(tensors.iter().map(operand), default)
}

/// Concatenates tensors along a dimension. Copies.
/// Errors: nothing to join; sizes that differ elsewhere. As `torch.cat`.
pub(crate) fn cat(tensors: &[Tensor], dim: i64, default: DType) -> Result<Tensor> {
    let skipped = |tensor: &&Tensor| tensor.shape() == [0];
    if let Some(at) = tensors.iter().position(|tensor| tensor.ndim() == 0) {
        return Err(Error::runtime(format!(
            "zero-dimensional tensor (at position {at}) cannot be concatenated"
        )));
    }
    let Some(first) = tensors.first() else {
        return Err(Error::runtime("torch.cat(): expected a non-empty list of Tensors"));
    };
    let dtype = joined_dtype(tensors, default);
    let model = tensors.iter().find(|tensor| !skipped(tensor)).unwrap_or(first);
    let axis = crate::tensor::layout::wrap_dim(dim, model.ndim())?;
    let mut shape = model.shape().to_vec();
    shape[axis] = 0;
    let kept: Vec<(usize, &Tensor)> =
        tensors.iter().enumerate().filter(|(_, tensor)| !skipped(tensor)).collect();
    for &(at, tensor) in &kept {
        refuse_if!(
            tensor.ndim() != model.ndim(),
            "Tensors must have same number of dimensions: got {} and {}",
            model.ndim(),
            tensor.ndim()
        );
        let clash =
            (0..model.ndim()).find(|&other| other != axis && tensor.shape()[other] != model.shape()[other]);
        if let Some(other) = clash {
            return Err(Error::runtime(format!(
                "Sizes of tensors must match except in dimension {axis}. Expected size {} but got size {} for tensor \
                 number {at} in the list.",
                model.shape()[other],
                tensor.shape()[other]
            )));
        }
        shape[axis] += tensor.shape()[axis];
    }
    let len = allow(&shape, dtype)?;
    let same: Vec<Tensor> =
        kept.into_iter().map(|(_, tensor)| super::contiguous(&to_dtype(tensor, dtype))).collect();
    let rows: Vec<_> = same.iter().map(|tensor| (tensor.storage().read(), tensor.layout().offset)).collect();
    let before: usize = shape[..axis].iter().product();
    let runs: Vec<usize> = same.iter().map(|tensor| tensor.shape()[axis..].iter().product()).collect();
    let buffer = in_lane!(dtype.lane(), T => {
        let parts = rows.iter().zip(&runs).map(|((data, offset), &run)| {
            let data = T::elements(data);
            // The offset of a tensor without elements may be beyond the end of its storage.
            (&data[(*offset).min(data.len())..], run)
        });
        let mut out = buffer_pool::take(len);
        elementwise::interleave(&parts.collect::<Vec<_>>(), before, &mut out);
        T::buffer(out)
    });
    Ok(Tensor::new(buffer, shape, dtype))
}

/// Stacks tensors of one shape along a new dimension. Copies. As `torch.stack`.
pub(crate) fn stack(tensors: &[Tensor], dim: i64, default: DType) -> Result<Tensor> {
    let Some(first) = tensors.first() else {
        return Err(Error::runtime("stack expects a non-empty TensorList"));
    };
    let axis = crate::tensor::layout::wrap_dim(dim, first.ndim() + 1)?;
    if let Some((at, other)) = tensors.iter().enumerate().find(|(_, other)| other.shape() != first.shape()) {
        return Err(Error::runtime(format!(
            "stack expects each tensor to be equal size, but got {:?} at entry 0 and {:?} at entry {at}",
            first.shape(),
            other.shape()
        ))
        .about(ErrorFact::UnequalShapes));
    }
    let dtype = joined_dtype(tensors, default);
    let parts: Vec<Tensor> = tensors
        .iter()
        .map(|tensor| {
            let tensor = to_dtype(tensor, dtype);
            tensor.with_layout(tensor.layout().unsqueeze(axis))
        })
        .collect();
    cat(&parts, axis as i64, default)
}
