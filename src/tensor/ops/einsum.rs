//! `torch.einsum`: products and sums written with subscripts.
//! Two operands at a time are permuted to (batch, own, summed) dimensions and multiplied as batches of matrices.
//! Source: PyTorch's reduction of einsum to `bmm`, which contracts from left to right.

use smallvec::smallvec;

use super::reduce::{self, ReductionAxes};
use super::{linear, pointwise, reshape};
use crate::tensor::{Arg, DType, Error, ErrorFact, GradName, Layout, Result, Tensor};

/// The label of `...` in a term, and of the first of its dimensions; the others follow.
pub(crate) const ELLIPSIS: usize = 52;

/// The label of a subscript: capitals first, in the order of sorting.
fn number(subscript: u8) -> Option<usize> {
    match subscript {
        b'A'..=b'Z' => Some((subscript - b'A') as usize),
        b'a'..=b'z' => Some((subscript - b'a') as usize + 26),
        _ => None,
    }
}

/// The subscript of a label below [`ELLIPSIS`].
pub(crate) fn letter(label: usize) -> char {
    char::from(if label < 26 { b'A' + label as u8 } else { b'a' + (label - 26) as u8 })
}

fn error(text: impl std::fmt::Display) -> Error {
    Error::runtime(format!("einsum(): {text}"))
}

/// The labels of a term, which begins at byte `start` of the equation: of an operand, by its number, or of the output.
fn labels(term: &str, start: usize, operand: Option<usize>) -> Result<Vec<usize>> {
    let mut labels = Vec::new();
    let mut rest = term;
    while let Some(&subscript) = rest.as_bytes().first() {
        if subscript == b'.' && labels.contains(&ELLIPSIS) {
            return Err(error(match operand {
                Some(at) => format!("found '.' for operand {at} for which an ellipsis was already found"),
                None => "found '.' for output but an ellipsis (...) was already found".to_owned(),
            }));
        }
        if let Some(after) = rest.strip_prefix("...") {
            labels.push(ELLIPSIS);
            rest = after;
            continue;
        }
        match (subscript, number(subscript)) {
            (b' ', _) => {}
            (_, Some(label)) => labels.push(label),
            (b'.', _) => {
                return Err(error(match operand {
                    Some(at) => format!("found '.' for operand {at} that is not part of any ellipsis"),
                    None => "found '.' for output that is not part of any ellipsis (...)".to_owned(),
                }));
            }
            _ => {
                let at = start + term.len() - rest.len();
                return Err(error(format!(
                    "invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
                )));
            }
        }
        rest = &rest[1..];
    }
    Ok(labels)
}

/// The labels of each operand's dimensions and of the result's, for operands with so many dimensions. Those of an ellipsis
/// have labels of their own, from [`ELLIPSIS`] on. Errors: as `torch.einsum`.
pub(crate) fn spelled(
    equation: &str,
    operands: impl IntoIterator<Item = usize>,
) -> Result<(Vec<Vec<usize>>, Vec<usize>)> {
    let operands: Vec<usize> = operands.into_iter().collect();
    let (left, right) =
        equation.split_once("->").map_or((equation, None), |(left, right)| (left, Some(right)));
    let (mut inputs, mut start) = (Vec::new(), 0);
    for term in left.split(',') {
        if inputs.len() == operands.len().max(1) {
            return Err(error("fewer operands were provided than specified in the equation"));
        }
        inputs.push(labels(term, start, Some(inputs.len()))?);
        start += term.len() + 1;
    }
    if inputs.len() < operands.len() {
        return Err(error("more operands were provided than specified in the equation"));
    }
    let output = right.map(|right| labels(right, left.len() + 2, None)).transpose()?;
    for (at, &label) in output.iter().flatten().enumerate().filter(|(_, label)| **label != ELLIPSIS) {
        let what = if output.iter().flatten().take(at).any(|&other| other == label) {
            "appears more than once in the output"
        } else if !inputs.iter().any(|input| input.contains(&label)) {
            "does not appear in the equation for any input operand"
        } else {
            continue;
        };
        return Err(error(format!("output subscript {} {what}", letter(label))));
    }
    let (mut under, mut has_ellipsis) = (0, false);
    for (at, (labels, &ndim)) in inputs.iter().zip(&operands).enumerate() {
        let named = labels.iter().filter(|&&label| label != ELLIPSIS).count();
        let words = format!("the number of subscripts in the equation ({named})");
        if named == labels.len() && named != ndim {
            let text = format!(
                "{words} does not match the number of dimensions ({ndim}) for operand {at} and no ellipsis was given"
            );
            return Err(error(text).about(ErrorFact::LetterCount));
        }
        if named > ndim {
            let text = format!("{words} is more than the number of dimensions ({ndim}) for operand {at}");
            return Err(error(text).about(ErrorFact::LetterCount));
        }
        under = under.max(ndim - named);
        has_ellipsis |= named < labels.len();
    }
    let output = output.unwrap_or_else(|| {
        let uses = |label: usize| inputs.iter().flatten().filter(|&&other| other == label).count();
        let dots = has_ellipsis.then_some(ELLIPSIS);
        dots.into_iter().chain((0..ELLIPSIS).filter(|&label| uses(label) == 1)).collect()
    });
    let spell = |labels: Vec<usize>, under_own: usize| -> Vec<usize> {
        let each = |label| match label {
            ELLIPSIS => ELLIPSIS + under - under_own..ELLIPSIS + under,
            label => label..label + 1,
        };
        labels.into_iter().flat_map(each).collect()
    };
    let inputs = inputs.into_iter().zip(operands).map(|(labels, ndim)| {
        let own = (ndim + 1).saturating_sub(labels.len());
        spell(labels, own)
    });
    Ok((inputs.collect(), spell(output, under)))
}

/// The result of `equation`, and what its `grad_fn` shows. A single operand that is only permuted is a view.
/// Errors: as `torch.einsum`.
pub(crate) fn einsum(equation: &str, operands: &[Tensor]) -> Result<(Tensor, GradName)> {
    let (inputs, output) = spelled(equation, operands.iter().map(Tensor::ndim))?;
    of_labels(&inputs, &output, operands)
}

/// [`einsum`] of the labels of each operand's dimensions and of the result's.
pub(crate) fn of_labels(
    inputs: &[Vec<usize>],
    output: &[usize],
    operands: &[Tensor],
) -> Result<(Tensor, GradName)> {
    // The dimensions of the output, then those summed over.
    let mut order = output.to_vec();
    let mut summed: Vec<usize> =
        inputs.iter().flatten().copied().filter(|label| !output.contains(label)).collect();
    summed.sort_unstable_by_key(|&label| (label < ELLIPSIS, label));
    summed.dedup();
    order.extend(summed);
    let mut sizes = vec![1; order.len()];
    let mut aligned: Vec<Tensor> = Vec::with_capacity(operands.len());
    for (at, (labels, operand)) in inputs.iter().zip(operands).enumerate() {
        let layout = align(labels, operand.layout(), &order, at)?;
        for (axis, &size) in layout.shape.iter().enumerate().filter(|(_, size)| **size != 1) {
            if sizes[axis] != 1 && sizes[axis] != size {
                let is_letter = order[axis] < ELLIPSIS;
                let what = match is_letter {
                    true => format!("subscript {}", letter(order[axis])),
                    false => "dimension under ellipsis".to_owned(),
                };
                let clash = error(format!(
                    "{what} has size {size} for operand {at} which does not broadcast with previously seen size {}",
                    sizes[axis]
                ));
                return Err(if is_letter { clash.about(ErrorFact::LetterSizes) } else { clash });
            }
            sizes[axis] = size;
        }
        aligned.push(operand.with_layout(layout));
    }
    contract(aligned, output.len(), order.len())
}

/// The layout of an operand with its dimensions in the order of all labels, and size 1 for labels it does not have.
/// A label that occurs twice means the diagonal. View.
fn align(labels: &[usize], layout: &Layout, order: &[usize], at: usize) -> Result<Layout> {
    // Missing dimensions are inserted last, with stride 1.
    let ndim = order.len();
    let mut out = Layout { shape: smallvec![1; ndim], strides: smallvec![1; ndim], offset: layout.offset };
    for (axis, label) in labels.iter().enumerate() {
        let to = order.iter().position(|other| other == label).expect("each label has its place");
        if !labels[..axis].contains(label) {
            (out.shape[to], out.strides[to]) = (layout.shape[axis], layout.strides[axis]);
        } else if out.shape[to] == layout.shape[axis] {
            out.strides[to] += layout.strides[axis];
        } else {
            return Err(error(format!(
                "subscript {} is repeated for operand {at} but the sizes don't match, {} != {}",
                letter(*label),
                layout.shape[axis],
                out.shape[to]
            ))
            .about(ErrorFact::LetterSizes));
        }
    }
    Ok(out)
}

fn contract(mut operands: Vec<Tensor>, kept: usize, ndim: usize) -> Result<(Tensor, GradName)> {
    let count = operands.len();
    // The number of operands in which each summed dimension is not just inserted.
    let mut uses: Vec<usize> =
        (0..ndim).map(|axis| operands.iter().filter(|operand| operand.shape()[axis] != 1).count()).collect();
    let mut name = GradName::node("Permute");
    let mut rest = operands.drain(..);
    let Some(mut result) = rest.next() else {
        return Err(Error::value("einsum(): must specify the equation string and at least one operand"));
    };
    for mut other in rest {
        let (mut from_left, mut from_right, mut shared) = (Vec::new(), Vec::new(), Vec::new());
        for (axis, uses) in uses.iter_mut().enumerate().skip(kept) {
            let (left, right) = (result.shape()[axis] != 1, other.shape()[axis] != 1);
            if left && right {
                *uses -= 1;
                if *uses == 1 {
                    shared.push(axis);
                    *uses = 0;
                }
            } else if *uses == 1 && (left || right) {
                (if left { &mut from_left } else { &mut from_right }).push(axis);
                *uses = 0;
            }
        }
        if !from_left.is_empty() {
            result = sum(&result, &from_left, true)?;
        }
        if !from_right.is_empty() {
            other = sum(&other, &from_right, true)?;
        }
        name = if shared.is_empty() { GradName::node("Mul") } else { GradName::node("Permute") };
        result = product(result, other, &shared)?;
    }
    if kept == ndim {
        return Ok((result, name));
    }
    if count == 1 {
        let axes: Vec<usize> = (kept..ndim).collect();
        return Ok((sum(&result, &axes, false)?, GradName::Node("Sum", 1)));
    }
    let layout = result.layout();
    let layout = Layout {
        shape: layout.shape[..kept].into(),
        strides: layout.strides[..kept].into(),
        offset: layout.offset,
    };
    Ok((result.with_layout(layout), GradName::node("View")))
}

/// Σ over `axes`, which stay with size 1 if `keep`.
fn sum(x: &Tensor, axes: &[usize], keep: bool) -> Result<Tensor> {
    let dims: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
    Ok(reduce::sum(x, &ReductionAxes::new(x, &dims, keep)?, None))
}

/// Two aligned operands multiplied and summed over `summed`, whose dimensions stay with size 1.
fn product(left: Tensor, right: Tensor, summed: &[usize]) -> Result<Tensor> {
    if summed.is_empty() {
        let out = pointwise::mul(&Arg::Tensor(left.clone()), &Arg::Tensor(right.clone()), DType::Float32)?;
        return Ok(super::strides::placed(out, &[&left, &right]));
    }
    let (mut left, mut right) = (left, right);
    let ndim = left.ndim();
    let (mut both, mut own_left, mut own_right) = (Vec::new(), Vec::new(), Vec::new());
    for axis in (0..ndim).filter(|axis| !summed.contains(axis)) {
        match (left.shape()[axis] != 1, right.shape()[axis] != 1) {
            (true, true) => both.push(axis),
            (true, false) => own_left.push(axis),
            _ => own_right.push(axis),
        }
    }
    // If all own dimensions of the right come before the dimensions of the left, the operands are exchanged.
    if let (Some(last), Some(first)) = (own_right.last(), own_left.first())
        && last < first
    {
        std::mem::swap(&mut left, &mut right);
        std::mem::swap(&mut own_left, &mut own_right);
    }
    let size =
        |tensor: &Tensor, axes: &[usize]| axes.iter().map(|&axis| tensor.shape()[axis]).product::<usize>();
    let [shared, rows, inner, columns] =
        [size(&left, &both), size(&left, &own_left), size(&left, summed), size(&right, &own_right)];
    let permuted =
        |tensor: &Tensor, order: [&[usize]; 4]| tensor.with_layout(tensor.layout().permute(&order.concat()));
    let a = reshape(&permuted(&left, [&both, &own_left, summed, &own_right]), &[shared, rows, inner]);
    let b = reshape(&permuted(&right, [&both, summed, &own_right, &own_left]), &[shared, inner, columns]);
    let out = linear::bmm(&a, &b)?;
    let order = [&both[..], &own_left, summed, &own_right].concat();
    let shape: Vec<usize> = order
        .iter()
        .map(|&axis| match (summed.contains(&axis), own_right.contains(&axis)) {
            (true, _) => 1,
            (_, true) => right.shape()[axis],
            _ => left.shape()[axis],
        })
        .collect();
    let mut back = vec![0; ndim];
    for (at, &axis) in order.iter().enumerate() {
        back[axis] = at;
    }
    Ok(out.with_layout(Layout::contiguous(shape).permute(&back)))
}
