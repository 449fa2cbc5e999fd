//! Rules of matrix products. For C = A B the gradient of A is G Bᵀ, that of B is Aᵀ G. Transposed operands are strides.

use super::step::{BackwardStep, Gradients};
use crate::tensor::{Layout, Result, Tensor};

pub(crate) fn product(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (first, second) = (step.name(0), step.name(1));
    let mut grads = Gradients::none();
    if step.wants(first) {
        let by_columns = step.layout(first).is_some_and(by_columns);
        grads = grads.and(first, of_first(step, &grad, step.tensor(second)?, step.shape(first), by_columns)?);
    }
    if step.wants(second) {
        let by_columns = step.layout(second).is_some_and(by_columns);
        grads =
            grads.and(second, of_second(step, &grad, step.tensor(first)?, step.shape(second), by_columns)?);
    }
    Ok(grads)
}

/// Whether a matrix lies in memory column by column: its gradient is then computed so.
fn by_columns(matrix: &Layout) -> bool {
    matrix.ndim() == 2 && *matrix.strides == [1, matrix.shape[0]] && matrix.shape[1] > 1
}

/// The rows of a batch as rows of one tall matrix.
fn tall(step: &BackwardStep, tensor: &Tensor) -> Result<Tensor> {
    let last = tensor.shape().last().copied().unwrap_or(1);
    let rows = tensor.shape()[..tensor.ndim() - 1].iter().product();
    step.reshaped(tensor, &[rows, last])
}

fn of_first(
    step: &BackwardStep,
    grad: &Tensor,
    b: &Tensor,
    shape: &[usize],
    by_columns: bool,
) -> Result<Tensor> {
    if b.ndim() == 1 {
        return step.sum_to(step.mul(&step.unsqueezed(grad, grad.ndim())?, b)?, shape);
    }
    if shape.len() == 1 {
        let row = step.unsqueezed(grad, grad.ndim() - 1)?;
        let product = step.matmul(&row, &step.transposed(b)?)?;
        return step.sum_to(step.squeezed(&product, product.ndim() - 2)?, shape);
    }
    if by_columns {
        return step.transposed(&step.matmul(b, &step.transposed(grad)?)?);
    }
    step.sum_to(step.matmul(grad, &step.transposed(b)?)?, shape)
}

fn of_second(
    step: &BackwardStep,
    grad: &Tensor,
    a: &Tensor,
    shape: &[usize],
    by_columns: bool,
) -> Result<Tensor> {
    if a.ndim() == 1 && shape.len() == 1 {
        return step.mul(grad, a);
    }
    if a.ndim() == 1 {
        return step
            .sum_to(step.mul(&step.unsqueezed(a, 1)?, &step.unsqueezed(grad, grad.ndim() - 1)?)?, shape);
    }
    if shape.len() == 1 {
        let product = step.matmul(&step.transposed(a)?, &step.unsqueezed(grad, grad.ndim())?)?;
        return step.sum_to(step.squeezed(&product, product.ndim() - 1)?, shape);
    }
    let (a, grad) = match shape.len() == 2 && a.ndim() > 2 {
        true => (&tall(step, a)?, &tall(step, grad)?),
        false => (a, grad),
    };
    if by_columns {
        return step.transposed(&step.matmul(&step.transposed(grad)?, a)?);
    }
    step.sum_to(step.matmul(&step.transposed(a)?, grad)?, shape)
}

pub(crate) fn linear(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", step.matmul(&grad, step.tensor("weight")?)?);
    }
    let flat = if grad.ndim() > 1 { tall(step, &grad)? } else { step.unsqueezed(&grad, 0)? };
    if step.wants("weight") {
        let weight = step.matmul(&step.transposed(&flat)?, &tall(step, step.tensor("input")?)?)?;
        grads = grads.and("weight", step.reshaped(&weight, step.shape("weight"))?);
    }
    if step.wants("bias") {
        grads = grads.and("bias", step.reshaped(&step.sum(&flat, &[0])?, step.shape("bias"))?);
    }
    Ok(grads)
}

pub(crate) fn add_product(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (base, first, second) = (step.name(0), step.name(1), step.name(2));
    let mut grads = Gradients::none();
    if step.wants(first) || step.wants(second) {
        let scaled = scaled(step, "alpha", &grad)?;
        if step.wants(first) {
            grads =
                grads.and(first, of_first(step, &scaled, step.tensor(second)?, step.shape(first), false)?);
        }
        if step.wants(second) {
            grads =
                grads.and(second, of_second(step, &scaled, step.tensor(first)?, step.shape(second), false)?);
        }
    }
    if step.wants(base) {
        grads = grads.and(base, scaled(step, "beta", &grad)?);
    }
    Ok(grads)
}

fn scaled(step: &BackwardStep, factor: &str, grad: &Tensor) -> Result<Tensor> {
    match step.number(factor) {
        None | Some(1.0) => Ok(grad.clone()),
        Some(_) => step.mul(grad, step.arg(factor)),
    }
}
