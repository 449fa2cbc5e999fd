//! Operations on tensors, without history. They choose layouts and dtypes; the kernel computes the numbers.

pub(crate) mod along;
pub(crate) mod cast;
pub(crate) mod combine;
pub mod draw;
pub(crate) mod einsum;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod join;
pub mod linear;
pub(crate) mod loss;
pub(crate) mod mask;
pub(crate) mod optimize;
pub(crate) mod pad;
pub(crate) mod pointwise;
pub(crate) mod reduce;
pub(crate) mod shape;
pub(crate) mod sorting;
pub mod strides;

use super::{Buffer, DType, Layout, Result, Tensor};
use crate::kernel::elementwise::scatter_strided;
use crate::zip_lanes;

/// Writes `source` into `target`, converted to its dtype and broadcast to its shape. In place.
/// Errors: shapes that do not go together. As `Tensor.copy_`.
pub(crate) fn write(target: &Tensor, source: &Tensor) -> Result<()> {
    let layout = target.layout();
    let spread = match source.shape() == target.shape() {
        true => source.clone(),
        false => expanded(source, &target.shape().iter().map(|&size| size as i64).collect::<Vec<_>>())?,
    };
    let values = cast::to_dtype(&spread, target.dtype()).to_buffer();
    let (shape, strides, offset) = (&layout.shape, &layout.strides, layout.offset);
    zip_lanes!(&mut *target.storage().write(), &values, data, values => {
        scatter_strided(data, shape, strides, offset, values);
    });
    Ok(())
}

/// Replaces the elements of `target` by the elements of `source` without copying, and returns the old ones. Returns `source` if
/// that is impossible: one of the two is a part of its storage, or `source` has other references.
pub(crate) fn exchange(target: &Tensor, source: Tensor) -> std::result::Result<Buffer, Tensor> {
    let whole = |tensor: &Tensor| {
        let layout = tensor.layout();
        layout.offset == 0 && layout.is_contiguous() && layout.numel() == tensor.storage().read().len()
    };
    if target.dtype() == source.dtype() && target.shape() == source.shape() && whole(target) && whole(&source)
    {
        return source.into_buffer().map(|buffer| target.storage().exchange(buffer));
    }
    Err(source)
}

/// The name of a tensor of this dtype in errors of `expand`.
pub(crate) fn kind(dtype: DType) -> String {
    match dtype {
        DType::Bool => "CPUBoolType".to_owned(),
        DType::BFloat16 => "CPUBFloat16Type".to_owned(),
        other => format!("torch.{}Tensor", other.cpp_name()),
    }
}

/// Repeated without copying to `sizes`. View. Errors: as `Tensor.expand`.
pub(crate) fn expanded(tensor: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    Ok(tensor.with_layout(tensor.layout().expand(sizes, &kind(tensor.dtype()))?))
}

/// The same values row-major in a new storage. Copies. As `clone`.
pub(crate) fn copy(tensor: &Tensor) -> Tensor {
    Tensor::new(tensor.to_buffer(), tensor.shape(), tensor.dtype())
}

/// The tensor itself if it is contiguous, otherwise a contiguous copy. As `contiguous`.
pub(crate) fn contiguous(tensor: &Tensor) -> Tensor {
    if tensor.is_contiguous() { tensor.clone() } else { copy(tensor) }
}

/// The same elements in another shape: a view if possible, otherwise a copy. As `reshape`.
pub(crate) fn reshape(tensor: &Tensor, shape: &[usize]) -> Tensor {
    match tensor.layout().view(shape) {
        Some(layout) => tensor.with_layout(layout),
        None => copy(tensor).with_layout(Layout::contiguous(shape)),
    }
}

/// The dtype of a float-only operation: integers become the default dtype.
pub(crate) fn float_dtype(dtype: DType, default: DType) -> DType {
    if dtype.is_float() { dtype } else { default }
}
