//! Rules of matrix products. For C = A B the gradient of A is G Bᵀ, that of B is Aᵀ G. Transposed operands are strides.

use super::step::{BackwardStep, Gradients};
use crate::tensor::{Layout, Result, Tensor};

pub(crate) fn product(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (first, second) = (step.name(0), step.name(1));
    let is_by_columns = |name| step.layout(name).is_some_and(by_columns);
    Gradients::none()
        .if_wanted(step, first, || {
            of_first(step, &grad, step.tensor(second)?, step.shape(first), is_by_columns(first))
        })?
        .if_wanted(step, second, || {
            of_second(step, &grad, step.tensor(first)?, step.shape(second), is_by_columns(second))
        })
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
        // A vector is a matrix of one column.
        let column = of_second(step, &step.unsqueezed(grad, grad.ndim())?, a, &[shape[0], 1], false)?;
        return step.squeezed(&column, 1);
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
    let of_input = || step.matmul(&grad, step.tensor("weight")?);
    let grads = Gradients::none().if_wanted(step, "input", of_input)?;
    let flat = if grad.ndim() > 1 { tall(step, &grad)? } else { step.unsqueezed(&grad, 0)? };
    grads
        .if_wanted(step, "weight", || {
            let weight = step.matmul(&step.transposed(&flat)?, &tall(step, step.tensor("input")?)?)?;
            step.reshaped(&weight, step.shape("weight"))
        })?
        .if_wanted(step, "bias", || step.reshaped(&step.sum(&flat, &[0])?, step.shape("bias")))
}

pub(crate) fn add_product(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (base, first, second) = (step.name(0), step.name(1), step.name(2));
    let mut grads = Gradients::none();
    if step.wants(first) || step.wants(second) {
        let grad = scaled(step, "alpha", &grad)?;
        grads = grads
            .if_wanted(step, first, || of_first(step, &grad, step.tensor(second)?, step.shape(first), false))?
            .if_wanted(step, second, || {
                of_second(step, &grad, step.tensor(first)?, step.shape(second), false)
            })?;
    }
    grads.if_wanted(step, base, || scaled(step, "beta", &grad))
}

fn scaled(step: &BackwardStep, factor: &str, grad: &Tensor) -> Result<Tensor> {
    match step.number(factor) {
        None | Some(1.0) => Ok(grad.clone()),
        Some(_) => step.mul(grad, step.arg(factor)),
    }
}
