//! Gradients in the shape and dtype of their operand, and sums of gradients.

use super::compute;
use super::step::BackwardStep;
use crate::kernel::elementwise::in_pieces;
use crate::tensor::{Arg, Buffer, DType, Error, Layout, Result, Tensor, ops};

impl BackwardStep<'_> {
    /// The gradients of the tensors among the arguments in order, in their shapes and dtypes.
    /// Errors: the operand cannot be broadcast to the shape of its gradient.
    pub(crate) fn as_operands(&self, mut grads: Vec<Option<Tensor>>) -> Result<Vec<Option<Tensor>>> {
        for (at, (grad, operand)) in grads.iter_mut().zip(self.args.iter().flat_map(Arg::tensors)).enumerate()
        {
            let Some(found) = grad.take() else { continue };
            let (got, shape) = (found.shape(), operand.shape());
            let mut sizes = shape.iter().rev().zip(got.iter().rev());
            if got.len() < shape.len() || sizes.any(|(&own, &size)| own != size && own != 1) {
                let name = self.record.grad_name.get().map_or_else(String::new, |name| name.to_string());
                return Err(Error::runtime(format!(
                    "Function {name} returned an invalid gradient at index {at} - got {got:?} but expected shape \
                     compatible with {shape:?}"
                )));
            }
            *grad = Some(self.as_operand(found, operand)?);
        }
        Ok(grads)
    }

    /// A gradient in the shape and dtype of its operand. The gradient itself if it has them.
    fn as_operand(&self, grad: Tensor, operand: &Tensor) -> Result<Tensor> {
        let grad = self.sum_to(grad, operand.shape())?;
        if grad.dtype() == operand.dtype() { Ok(grad) } else { self.converted(&grad, operand.dtype()) }
    }

    /// The gradient of a broadcast result summed to an operand's shape. The gradient itself if it has that shape.
    pub(super) fn sum_to(&self, grad: Tensor, shape: &[usize]) -> Result<Tensor> {
        if grad.shape() == shape {
            return Ok(grad);
        }
        let lead = grad.ndim() - shape.len();
        let spread = |&axis: &usize| axis < lead || (shape[axis - lead] == 1 && grad.shape()[axis] != 1);
        let dims: Vec<usize> = (0..grad.ndim()).filter(spread).collect();
        let grad = if dims.is_empty() { grad } else { self.sum(&grad, &dims)? };
        if grad.shape() == shape { Ok(grad) } else { self.reshaped(&grad, shape) }
    }
}

/// The sum of two gradients of one tensor. Written over one of them if nothing else refers to it; the bits are the same.
pub(crate) fn added(old: Tensor, new: Tensor) -> Result<Tensor> {
    if old.dtype() != new.dtype() || old.shape() != new.shape() || old.strides() != new.strides() {
        return compute::add(&old, &new);
    }
    let old = match into_elements(old) {
        Ok((buffer, layout)) => return Ok(sum_into(buffer, layout, &new)),
        Err(old) => old,
    };
    match into_elements(new) {
        Ok((buffer, layout)) => Ok(sum_into(buffer, layout, &old)),
        Err(new) => compute::add(&old, &new),
    }
}

/// Whether a tensor of floats is the whole of its storage, without gaps.
fn is_whole(tensor: &Tensor) -> bool {
    matches!(tensor.dtype(), DType::Float32 | DType::Float64)
        && tensor.layout().offset == 0
        && tensor.layout().is_dense()
        && tensor.numel() == tensor.storage().read().len()
}

/// The elements of a dense tensor that nothing else refers to, with their layout; otherwise the tensor.
fn into_elements(tensor: Tensor) -> Result<(Buffer, Layout), Tensor> {
    if tensor.has_origin() || !is_whole(&tensor) {
        return Err(tensor);
    }
    let layout = tensor.layout().clone();
    Ok((tensor.into_buffer()?, layout))
}

/// The sum of the elements of `buffer`, which have this layout, and of `other`, which has its strides.
fn sum_into(mut buffer: Buffer, layout: Layout, other: &Tensor) -> Tensor {
    add_dense(&mut buffer, other);
    Tensor::new(buffer, [layout.numel()], other.dtype()).with_layout(layout)
}

/// Adds a dense tensor to elements in the same order in memory.
fn add_dense(elements: &mut Buffer, other: &Tensor) {
    let place = other.layout().run();
    match (elements, &*other.storage().read()) {
        (Buffer::F32(sum), Buffer::F32(data)) => in_pieces(&data[place], sum, |x, sum| {
            sum.iter_mut().zip(x).for_each(|(sum, &x)| *sum += x);
        }),
        (Buffer::F64(sum), Buffer::F64(data)) => in_pieces(&data[place], sum, |x, sum| {
            sum.iter_mut().zip(x).for_each(|(sum, &x)| *sum += x);
        }),
        _ => unreachable!("callers check the dtype"),
    }
}

/// Adds to the gradient that a tensor has already. In place, as PyTorch does.
pub(crate) fn add_in_place(grad: &Tensor, new: &Tensor) -> Result<()> {
    let alike = grad.dtype() == new.dtype() && grad.shape() == new.shape() && grad.strides() == new.strides();
    if alike && is_whole(grad) && !grad.storage().same(new.storage()) {
        add_dense(&mut grad.storage().write(), new);
    } else {
        ops::write(grad, &compute::add(grad, new)?)?;
    }
    grad.storage().forget_writes();
    Ok(())
}

/// A gradient as a tensor keeps it: a copy that shares no memory, or the gradient itself if nothing else refers to it.
pub(crate) fn settled(grad: Tensor) -> Tensor {
    let dtype = grad.dtype();
    match into_elements(grad) {
        Ok((buffer, layout)) => Tensor::new(buffer, [layout.numel()], dtype).with_layout(layout),
        Err(grad) => ops::shape::preserved(&grad),
    }
}
