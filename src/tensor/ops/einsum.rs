//! `torch.einsum`: products and sums written with subscripts.
//! Two operands at a time are permuted to (batch, own, summed) dimensions and multiplied as batches of matrices.
//! Source: PyTorch's reduction of einsum to `bmm`, which contracts from left to right.

use ndarray::{ArrayViewD, IxDyn};

use super::float::Float;
use super::{linear, pointwise, reshape};
use smallvec::smallvec;

use crate::in_floats;
use crate::kernel::reduce;
use crate::tensor::{Arg, DType, Error, ErrorFact, GradName, Lane, Layout, Result, Tensor};

/// The label of the dimensions of `...`.
const ELLIPSIS: usize = 52;

/// The label of a subscript: capitals first, in the order of sorting.
fn number(subscript: u8) -> Option<usize> {
    match subscript {
        b'A'..=b'Z' => Some((subscript - b'A') as usize),
        b'a'..=b'z' => Some((subscript - b'a') as usize + 26),
        _ => None,
    }
}

fn letter(label: usize) -> char {
    char::from(if label < 26 { b'A' + label as u8 } else { b'a' + (label - 26) as u8 })
}

fn error(text: String) -> Error {
    Error::runtime(format!("einsum(): {text}"))
}

/// The labels of every operand, and of the output if it is written.
struct Equation {
    operands: Vec<Vec<usize>>,
    output: Option<Vec<usize>>,
}

fn parse(equation: &str, count: usize) -> Result<Equation> {
    let text = equation.as_bytes();
    let (left, right) = match equation.find("->") {
        Some(at) => (&text[..at], Some((at + 2, &text[at + 2..]))),
        None => (text, None),
    };
    let mut operands = vec![Vec::new()];
    let mut at = 0;
    while at < left.len() {
        let current = operands.len() - 1;
        match left[at] {
            b' ' => {}
            b'.' => {
                if operands[current].contains(&ELLIPSIS) {
                    return Err(error(format!(
                        "found '.' for operand {current} for which an ellipsis was already found"
                    )));
                }
                if left.get(at..at + 3) != Some(b"...") {
                    return Err(error(format!(
                        "found '.' for operand {current} that is not part of any ellipsis"
                    )));
                }
                operands[current].push(ELLIPSIS);
                at += 2;
            }
            b',' => {
                operands.push(Vec::new());
                if operands.len() > count {
                    return Err(error(
                        "fewer operands were provided than specified in the equation".to_owned(),
                    ));
                }
            }
            subscript => match number(subscript) {
                Some(label) => operands[current].push(label),
                None => return Err(invalid(at)),
            },
        }
        at += 1;
    }
    if operands.len() < count {
        return Err(error("more operands were provided than specified in the equation".to_owned()));
    }
    let output = right.map(|(start, text)| output(text, start, &operands)).transpose()?;
    Ok(Equation { operands, output })
}

fn invalid(at: usize) -> Error {
    error(format!(
        "invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
    ))
}

/// The labels of the output; `start` is their position in the equation.
fn output(text: &[u8], start: usize, operands: &[Vec<usize>]) -> Result<Vec<usize>> {
    let mut labels: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b' ' => {}
            b'.' => {
                if labels.contains(&ELLIPSIS) {
                    return Err(error(
                        "found '.' for output but an ellipsis (...) was already found".to_owned(),
                    ));
                }
                if text.get(at..at + 3) != Some(b"...") {
                    return Err(error(
                        "found '.' for output that is not part of any ellipsis (...)".to_owned(),
                    ));
                }
                labels.push(ELLIPSIS);
                at += 2;
            }
            subscript => {
                let label = number(subscript).ok_or_else(|| invalid(start + at))?;
                if labels.contains(&label) {
                    return Err(error(format!(
                        "output subscript {} appears more than once in the output",
                        letter(label)
                    )));
                }
                if !operands.iter().any(|operand| operand.contains(&label)) {
                    return Err(error(format!(
                        "output subscript {} does not appear in the equation for any input operand",
                        letter(label)
                    )));
                }
                labels.push(label);
            }
        }
        at += 1;
    }
    Ok(labels)
}

/// The result of `equation`, and what its `grad_fn` shows. A single operand that is only permuted is a view.
/// Errors: as `torch.einsum`.
pub(crate) fn einsum(equation: &str, operands: &[Tensor]) -> Result<(Tensor, GradName)> {
    let Equation { operands: labels, output } = parse(equation, operands.len())?;
    let mut under = 0;
    for (at, (labels, operand)) in labels.iter().zip(operands).enumerate() {
        let named = labels.iter().filter(|&&label| label != ELLIPSIS).count();
        if labels.contains(&ELLIPSIS) {
            if named > operand.ndim() {
                return Err(error(format!(
                    "the number of subscripts in the equation ({named}) is more than the number of dimensions ({}) for \
                     operand {at}",
                    operand.ndim()
                ))
                .about(ErrorFact::LetterCount));
            }
            under = under.max(operand.ndim() - named);
        } else if named != operand.ndim() {
            return Err(error(format!(
                "the number of subscripts in the equation ({named}) does not match the number of dimensions ({}) for \
                 operand {at} and no ellipsis was given",
                operand.ndim()
            ))
            .about(ErrorFact::LetterCount));
        }
    }
    let uses = |label: usize| labels.iter().flatten().filter(|&&other| other == label).count();
    let output = output.unwrap_or_else(|| {
        let dots = (labels.iter().flatten().any(|&label| label == ELLIPSIS)).then_some(ELLIPSIS);
        dots.into_iter().chain((0..ELLIPSIS).filter(|&label| uses(label) == 1)).collect()
    });
    // The first dimension of each label: the output's, then those summed over.
    let mut place = [usize::MAX; ELLIPSIS + 1];
    let mut next = 0;
    for &label in &output {
        place[label] = next;
        next += if label == ELLIPSIS { under } else { 1 };
    }
    let kept = next;
    if place[ELLIPSIS] == usize::MAX {
        place[ELLIPSIS] = next;
        next += under;
    }
    for (label, place) in place.iter_mut().enumerate().take(ELLIPSIS) {
        if *place == usize::MAX && uses(label) > 0 {
            *place = next;
            next += 1;
        }
    }
    let mut sizes = vec![1; next];
    let mut aligned: Vec<Tensor> = Vec::with_capacity(operands.len());
    for (at, (labels, operand)) in labels.iter().zip(operands).enumerate() {
        let layout = align(labels, operand.layout(), &place, next, under, at)?;
        for (axis, &size) in layout.shape.iter().enumerate() {
            if size == 1 {
                continue;
            }
            if sizes[axis] != 1 && sizes[axis] != size {
                let label = (0..ELLIPSIS).find(|&label| place[label] == axis);
                let what = label.map_or("dimension under ellipsis".to_owned(), |label| {
                    format!("subscript {}", letter(label))
                });
                let clash = error(format!(
                    "{what} has size {size} for operand {at} which does not broadcast with previously seen size {}",
                    sizes[axis]
                ));
                return Err(if label.is_some() { clash.about(ErrorFact::LetterSizes) } else { clash });
            }
            sizes[axis] = size;
        }
        aligned.push(operand.with_layout(layout));
    }
    contract(aligned, kept, next)
}

/// The layout of an operand with its dimensions at the positions of their labels, and size 1 for labels it does not have.
/// A label that occurs twice means the diagonal. View.
fn align(
    labels: &[usize],
    layout: &Layout,
    place: &[usize],
    ndim: usize,
    under: usize,
    at: usize,
) -> Result<Layout> {
    let named = labels.iter().filter(|&&label| label != ELLIPSIS).count();
    let own = layout.ndim() - named.min(layout.ndim());
    let mut out = Layout { shape: smallvec![1; ndim], strides: smallvec![0; ndim], offset: layout.offset };
    let mut seen = vec![false; ndim];
    let mut axis = 0;
    for &label in labels {
        if label == ELLIPSIS {
            for i in 0..own {
                let to = place[ELLIPSIS] + under - own + i;
                (out.shape[to], out.strides[to], seen[to]) = (layout.shape[axis], layout.strides[axis], true);
                axis += 1;
            }
            continue;
        }
        let to = place[label];
        if seen[to] {
            if out.shape[to] != layout.shape[axis] {
                return Err(error(format!(
                    "subscript {} is repeated for operand {at} but the sizes don't match, {} != {}",
                    letter(label),
                    layout.shape[axis],
                    out.shape[to]
                ))
                .about(ErrorFact::LetterSizes));
            }
            out.strides[to] += layout.strides[axis];
        } else {
            (out.shape[to], out.strides[to], seen[to]) = (layout.shape[axis], layout.strides[axis], true);
        }
        axis += 1;
    }
    // Missing dimensions are inserted last, with stride 1.
    for axis in (0..ndim).filter(|&axis| !seen[axis]) {
        out.strides[axis] = 1;
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
            result = sum(&result, &from_left, true);
        }
        if !from_right.is_empty() {
            other = sum(&other, &from_right, true);
        }
        name = if shared.is_empty() { GradName::node("Mul") } else { GradName::node("Permute") };
        result = product(result, other, &shared)?;
    }
    if kept == ndim {
        return Ok((result, name));
    }
    if count == 1 {
        let axes: Vec<usize> = (kept..ndim).collect();
        return Ok((sum(&result, &axes, false), GradName::Node("Sum", 1)));
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
pub(crate) fn sum(x: &Tensor, axes: &[usize], keep: bool) -> Tensor {
    let shape: Vec<usize> = (0..x.ndim())
        .filter(|axis| keep || !axes.contains(axis))
        .map(|axis| if axes.contains(&axis) { 1 } else { x.shape()[axis] })
        .collect();
    if x.dtype().lane() == Lane::I64 || x.dtype() == DType::Bool {
        let data = x.to_i64_vec();
        let view =
            ArrayViewD::from_shape(IxDyn(x.shape()), &data).expect("as many elements as the shape has");
        return Tensor::new(crate::tensor::Buffer::I64(reduce::sum_i64(view, axes)), shape, DType::Int64);
    }
    in_floats!(x.dtype(), T => {
        let data = T::row_major(x);
        let view = ArrayViewD::from_shape(IxDyn(x.shape()), &data[..]).expect("as many elements as the shape has");
        T::tensor(reduce::sum(view, axes), shape, x.dtype())
    })
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
    let out = out.with_layout(Layout::contiguous(shape));
    Ok(out.with_layout(out.layout().permute(&back)))
}
