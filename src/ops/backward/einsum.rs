//! The rule of `einsum`: the gradient of an operand is an `einsum` of the result's gradient and the other operands.

use super::step::{BackwardStep, Gradients};
use crate::tensor::ops::einsum::{of_labels, spelled};
use crate::tensor::{Arg, Error, Layout, Result, Tensor, ops};

pub(crate) fn rule(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (Arg::Str(equation), Some(name)) = (step.argument(0), step.list()) else {
        return Err(Error::type_error("einsum(): an equation and operands are needed"));
    };
    let operands = step.arg(name).tensors();
    let (inputs, result) = spelled(equation, operands)?;
    let wanted = step.wanted_of(name);
    // An operand is read for the gradients of the others.
    for at in 0..operands.len() {
        if (0..operands.len()).any(|other| other != at && wanted[other]) {
            step.check_item(name, at)?;
        }
    }
    let one = |at: usize| match wanted.get(at) {
        Some(true) => of_operand(at, &grad, &result, &inputs, operands).map(Some),
        _ => Ok(None),
    };
    Ok(Gradients::list(name, (0..operands.len()).map(one).collect::<Result<_>>()?))
}

/// The gradient of operand `at`.
fn of_operand(
    at: usize,
    grad: &Tensor,
    result: &[usize],
    inputs: &[Vec<usize>],
    operands: &[Tensor],
) -> Result<Tensor> {
    let own = &inputs[at];
    let mut once: Vec<usize> = Vec::new();
    once.extend(own.iter().enumerate().filter(|(at, label)| !own[..*at].contains(label)).map(|it| it.1));
    let (mut terms, mut tensors) = (vec![result.to_vec()], vec![grad.clone()]);
    for other in (0..inputs.len()).filter(|&other| other != at) {
        terms.push(inputs[other].clone());
        tensors.push(operands[other].clone());
    }
    // A label that only this operand has was summed over: every element gets the same gradient.
    let is_known = |label: &usize| terms.iter().any(|term| term.contains(label));
    let (mut order, lone): (Vec<usize>, Vec<usize>) = once.iter().partition(|label| is_known(label));
    let part = of_labels(&terms, &order, &tensors)?.0;
    let mut layout = part.layout().clone();
    for _ in &lone {
        layout = layout.unsqueeze(layout.ndim());
    }
    order.extend(lone);
    let place = |of: &[usize], label: &usize| of.iter().position(|other| other == label).unwrap_or(0);
    let axes: Vec<usize> = once.iter().map(|label| place(&order, label)).collect();
    let sizes: Vec<i64> = once.iter().map(|label| operands[at].shape()[place(own, label)] as i64).collect();
    let part = ops::expanded(&part.with_layout(layout.permute(&axes)), &sizes)?;
    if once.len() == own.len() { Ok(part) } else { on_diagonal(&part, &once, own, &operands[at]) }
}

/// A gradient of a diagonal, put on the diagonal of zeros.
fn on_diagonal(part: &Tensor, once: &[usize], own: &[usize], operand: &Tensor) -> Result<Tensor> {
    let whole = Tensor::zeros(operand.shape(), operand.dtype())?;
    let step = |label: &usize| {
        own.iter().zip(whole.strides()).filter(|(other, _)| *other == label).map(|(_, &stride)| stride).sum()
    };
    let strides = once.iter().map(step).collect();
    let view = Layout { shape: part.shape().into(), strides, offset: 0 };
    ops::write(&whole.with_layout(view), part)?;
    Ok(whole)
}
