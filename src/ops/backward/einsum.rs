//! The rule of `einsum`: the gradient of an operand is an `einsum` of the result's gradient and the other operands.

use super::compute;
use super::step::{BackwardStep, Gradients};
use crate::tensor::ops::einsum::{ELLIPSIS, letter, of_labels, spelled};
use crate::tensor::{Arg, Error, Layout, Result, Tensor};

pub(crate) fn rule(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (Arg::Str(equation), Some(name)) = (step.argument(0), step.list()) else {
        return Err(Error::type_error("einsum(): an equation and operands are needed"));
    };
    let operands = step.arg(name).tensors();
    let (inputs, result) = spelled(equation, operands.iter().map(Tensor::ndim))?;
    let wanted = step.wanted_of(name);
    // An operand is read for the gradients of the others.
    for at in 0..operands.len() {
        if (0..operands.len()).any(|other| other != at && wanted[other]) {
            step.check_item(name, at)?;
        }
    }
    let one = |at: usize| match wanted.get(at) {
        Some(true) => of_operand(step, at, &grad, &result, &inputs, operands).map(Some),
        _ => Ok(None),
    };
    Ok(Gradients::list(name, (0..operands.len()).map(one).collect::<Result<_>>()?))
}

/// The gradient of operand `at`.
fn of_operand(
    step: &BackwardStep,
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
    let mut part = match step.caller {
        None => of_labels(&terms, &order, &tensors)?.0,
        Some(caller) => {
            let args = vec![Arg::Str(equation(&terms, &order).into()), Arg::Tensors(tensors)];
            compute::recorded(caller, "einsum", 0, args)?
        }
    };
    for _ in &lone {
        part = step.unsqueezed(&part, part.ndim())?;
    }
    order.extend(lone);
    let place = |of: &[usize], label: &usize| of.iter().position(|other| other == label).unwrap_or(0);
    let axes: Vec<usize> = once.iter().map(|label| place(&order, label)).collect();
    let sizes: Vec<usize> = once.iter().map(|label| operands[at].shape()[place(own, label)]).collect();
    let part = step.expanded(&step.permuted(&part, &axes)?, &sizes)?;
    if once.len() == own.len() {
        return Ok(part);
    }
    // A gradient of a diagonal is put on the diagonal of zeros.
    step.put_back(&part, operands[at].shape(), operands[at].dtype(), |whole| {
        let step = |label: &usize| {
            own.iter()
                .zip(whole.strides())
                .filter(|(other, _)| *other == label)
                .map(|(_, &stride)| stride)
                .sum()
        };
        let strides = once.iter().map(step).collect();
        Ok(whole.with_layout(Layout { shape: part.shape().into(), strides, offset: 0 }))
    })
}

/// The equation of these labels in letters, which have the order of the labels: those of an ellipsis come first.
fn equation(terms: &[Vec<usize>], result: &[usize]) -> String {
    let mut labels: Vec<usize> = terms.iter().flatten().copied().collect();
    labels.sort_unstable_by_key(|&label| (label < ELLIPSIS, label));
    labels.dedup();
    let place = |label: &usize| labels.iter().position(|other| other == label).unwrap_or(0);
    let text = |term: &[usize]| term.iter().map(|label| letter(place(label))).collect::<String>();
    let terms: Vec<String> = terms.iter().map(|term| text(term)).collect();
    format!("{}->{}", terms.join(","), text(result))
}
