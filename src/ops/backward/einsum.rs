//! The rule of `einsum`: the gradient of an operand is an `einsum` of the result's gradient and the other operands.

use super::step::{BackwardStep, Gradients};
use crate::tensor::ops::einsum::einsum;
use crate::tensor::{Arg, Error, Layout, Result, Tensor, ops};

pub(crate) fn rule(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (Arg::Str(equation), Some(name)) = (step.argument(0), step.list()) else {
        return Err(Error::type_error("einsum(): an equation and operands are needed"));
    };
    let operands = step.arg(name).tensors();
    let (inputs, result) = spelled(&equation.replace(' ', ""), operands);
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
    result: &str,
    inputs: &[String],
    operands: &[Tensor],
) -> Result<Tensor> {
    let own = &inputs[at];
    let others = || inputs.iter().enumerate().filter(move |(other, _)| *other != at);
    let once: Vec<char> = unique(own);
    let is_known =
        |letter: &char| result.contains(*letter) || others().any(|(_, text)| text.contains(*letter));
    // A letter that only this operand has was summed over: every element gets the same gradient.
    let (known, lone): (Vec<char>, Vec<char>) = once.iter().partition(|letter| is_known(letter));
    let mut left = vec![result.to_owned()];
    left.extend(others().map(|(_, text)| text.clone()));
    let equation = format!("{}->{}", left.join(","), known.iter().collect::<String>());
    let mut tensors = vec![grad.clone()];
    tensors.extend(others().map(|(other, _)| operands[other].clone()));
    let part = einsum(&equation, &tensors)?.0;
    let mut layout = part.layout().clone();
    for _ in &lone {
        layout = layout.unsqueeze(layout.ndim());
    }
    let order: Vec<char> = known.into_iter().chain(lone).collect();
    let place = |letter: &char| order.iter().position(|other| other == letter).unwrap_or(0);
    let axes: Vec<usize> = once.iter().map(place).collect();
    let size = |letter: &char| {
        own.chars().zip(operands[at].shape()).find(|(other, _)| other == letter).map_or(1, |(_, &size)| size)
    };
    let sizes: Vec<i64> = once.iter().map(|letter| size(letter) as i64).collect();
    let part = ops::expanded(&part.with_layout(layout.permute(&axes)), &sizes)?;
    if once.len() == own.chars().count() { Ok(part) } else { on_diagonal(&part, &once, own, &operands[at]) }
}

/// The letters of a text, each once, in order.
fn unique(text: &str) -> Vec<char> {
    let mut letters = Vec::new();
    for letter in text.chars() {
        if !letters.contains(&letter) {
            letters.push(letter);
        }
    }
    letters
}

/// The letters of each operand and of the result; an ellipsis is spelled out in letters of its own.
fn spelled(equation: &str, operands: &[Tensor]) -> (Vec<String>, String) {
    let (left, written) = match equation.split_once("->") {
        Some((left, result)) => (left, Some(result)),
        None => (equation, None),
    };
    let inputs: Vec<&str> = left.split(',').collect();
    let named = |text: &str| text.replace("...", "").chars().count();
    let spare: Vec<char> =
        ('A'..='Z').chain('a'..='z').filter(|letter| !equation.contains(*letter)).collect();
    let width = |(own, operand): (&&str, &Tensor)| operand.ndim().saturating_sub(named(own));
    let widths = inputs.iter().zip(operands).filter(|(own, _)| own.contains("...")).map(width);
    let dots: String = spare.iter().take(widths.max().unwrap_or(0)).collect();
    let spell = |pair: (&&str, &Tensor)| {
        let width = width(pair);
        pair.0.replace("...", &dots[dots.len() - width.min(dots.len())..])
    };
    let all: Vec<String> = inputs.iter().zip(operands).map(spell).collect();
    let result = match written {
        Some(result) => result.replace("...", &dots),
        None => {
            let text: String = inputs.concat().replace('.', "");
            let mut letters = unique(&text);
            letters.sort_unstable();
            letters.retain(|letter| text.matches(*letter).count() == 1);
            dots.clone() + &letters.into_iter().collect::<String>()
        }
    };
    (all, result)
}

/// A gradient of a diagonal, put on the diagonal of zeros.
fn on_diagonal(part: &Tensor, once: &[char], own: &str, operand: &Tensor) -> Result<Tensor> {
    let whole = Tensor::zeros(operand.shape(), operand.dtype())?;
    let step = |letter: &char| {
        own.chars().zip(whole.strides()).filter(|(other, _)| other == letter).map(|(_, &stride)| stride).sum()
    };
    let strides = once.iter().map(step).collect();
    let view = Layout { shape: part.shape().into(), strides, offset: 0 };
    ops::write(&whole.with_layout(view), part)?;
    Ok(whole)
}
