//! Rules of matrix products. For C = A B the gradient of A is G Bᵀ, that of B is Aᵀ G. Transposed operands are strides.

use super::compute::{self, matmul, mul, transposed};
use super::fit::sum_to;
use super::step::{BackwardStep, Gradients};
use crate::tensor::ops::reduce::{self, ReductionAxes};
use crate::tensor::{Layout, Result, Tensor, ops};

pub(crate) fn product(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (first, second) = (step.name(0), step.name(1));
    let mut grads = Gradients::none();
    if step.wants(first) {
        let by_columns = step.layout(first).is_some_and(by_columns);
        grads = grads.and(first, of_first(&grad, step.tensor(second)?, step.shape(first), by_columns)?);
    }
    if step.wants(second) {
        let by_columns = step.layout(second).is_some_and(by_columns);
        grads = grads.and(second, of_second(&grad, step.tensor(first)?, step.shape(second), by_columns)?);
    }
    Ok(grads)
}

/// Whether a matrix lies in memory column by column: its gradient is then computed so.
fn by_columns(matrix: &Layout) -> bool {
    matrix.ndim() == 2 && *matrix.strides == [1, matrix.shape[0]] && matrix.shape[1] > 1
}

fn unsqueezed(tensor: &Tensor, axis: usize) -> Tensor {
    tensor.with_layout(tensor.layout().unsqueeze(axis))
}

fn squeezed(tensor: &Tensor, axis: usize) -> Tensor {
    tensor.with_layout(tensor.layout().squeeze(axis))
}

/// The rows of a batch as rows of one tall matrix.
fn tall(tensor: &Tensor) -> Tensor {
    let last = tensor.shape().last().copied().unwrap_or(1);
    let rows = tensor.shape()[..tensor.ndim() - 1].iter().product();
    ops::reshape(tensor, &[rows, last])
}

fn of_first(grad: &Tensor, b: &Tensor, shape: &[usize], by_columns: bool) -> Result<Tensor> {
    if b.ndim() == 1 {
        return sum_to(mul(&unsqueezed(grad, grad.ndim()), b)?, shape);
    }
    if shape.len() == 1 {
        let row = unsqueezed(grad, grad.ndim() - 1);
        let product = matmul(&row, &transposed(b))?;
        return sum_to(squeezed(&product, product.ndim() - 2), shape);
    }
    if by_columns {
        return Ok(transposed(&matmul(b, &transposed(grad))?));
    }
    sum_to(matmul(grad, &transposed(b))?, shape)
}

fn of_second(grad: &Tensor, a: &Tensor, shape: &[usize], by_columns: bool) -> Result<Tensor> {
    if a.ndim() == 1 && shape.len() == 1 {
        return mul(grad, a);
    }
    if a.ndim() == 1 {
        return sum_to(mul(&unsqueezed(a, 1), &unsqueezed(grad, grad.ndim() - 1))?, shape);
    }
    if shape.len() == 1 {
        let product = matmul(&transposed(a), &unsqueezed(grad, grad.ndim()))?;
        return sum_to(squeezed(&product, product.ndim() - 1), shape);
    }
    let (a, grad) = match shape.len() == 2 && a.ndim() > 2 {
        true => (&tall(a), &tall(grad)),
        false => (a, grad),
    };
    if by_columns {
        return Ok(transposed(&matmul(&transposed(grad), a)?));
    }
    sum_to(matmul(&transposed(a), grad)?, shape)
}

pub(crate) fn linear(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let mut grads = Gradients::none();
    if step.wants("input") {
        grads = grads.and("input", matmul(&grad, step.tensor("weight")?)?);
    }
    let flat = if grad.ndim() > 1 { tall(&grad) } else { unsqueezed(&grad, 0) };
    if step.wants("weight") {
        let weight = matmul(&transposed(&flat), &tall(step.tensor("input")?))?;
        grads = grads.and("weight", ops::reshape(&weight, step.shape("weight")));
    }
    if step.wants("bias") {
        let sum = reduce::sum(&flat, &ReductionAxes::new(&flat, &[0], false)?, None);
        grads = grads.and("bias", ops::reshape(&sum, step.shape("bias")));
    }
    Ok(grads)
}

pub(crate) fn add_product(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (base, first, second) = (step.name(0), step.name(1), step.name(2));
    let mut grads = Gradients::none();
    if step.wants(first) || step.wants(second) {
        let scaled = scaled(step, "alpha", &grad)?;
        if step.wants(first) {
            grads = grads.and(first, of_first(&scaled, step.tensor(second)?, step.shape(first), false)?);
        }
        if step.wants(second) {
            grads = grads.and(second, of_second(&scaled, step.tensor(first)?, step.shape(second), false)?);
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
        Some(_) => compute::mul(grad, step.arg(factor)),
    }
}
