//! Axes counted from the end, through the operations that carry a tensor on: products, views, element-wise work.
//! Reads records; says nothing where it cannot tell.

use crate::tensor::{Arg, Record, Tensor};

/// An axis counted from the end: 1 is the last.
pub(super) type Axis = usize;

/// A product of two tensors, summed over one axis of each.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// The operands in order.
    pub left: Tensor,
    pub right: Tensor,
    /// The axis of each that is summed over.
    pub summed: (Axis, Axis),
    /// The axis of each that is kept and the other lacks; none for a vector.
    pub free: (Option<Axis>, Option<Axis>),
    /// Where in the result the left operand's kept axis stands.
    pub left_in_result: Option<Axis>,
}

impl Product {
    /// The product that a record is, if it is one of two tensors.
    pub(super) fn of(record: &Record) -> Option<Product> {
        let args = record.args();
        let pair =
            |a: usize, b: usize| Some((args.get(a)?.tensor()?.clone(), args.get(b)?.tensor()?.clone()));
        let (left, right) = match record.op {
            "matmul" | "mm" | "bmm" | "mv" | "dot" | "linear" | "inner" => pair(0, 1)?,
            "baddbmm" | "addmm" => pair(1, 2)?,
            "einsum" => return einsum(&args),
            _ => return None,
        };
        let (a, b) = (left.ndim(), right.ndim());
        let turned = matches!(record.op, "linear" | "inner");
        let summed = (1, if b == 1 || turned { 1 } else { 2 });
        let free = ((a > 1).then_some(2), (b > 1).then_some(if turned { 2 } else { 1 }));
        let left_in_result = free.0.map(|_| if b > 1 { 2 } else { 1 });
        Some(Product { left, right, summed, free, left_in_result })
    }

    /// How many products each sum has: the width of what was multiplied.
    pub(super) fn width(&self) -> usize {
        size(&self.left, self.summed.0).unwrap_or(0)
    }
}

/// The size along an axis.
pub(super) fn size(tensor: &Tensor, axis: Axis) -> Option<usize> {
    let at = tensor.ndim().checked_sub(axis)?;
    tensor.shape().get(at).copied()
}

/// A product written as subscripts, of two operands, with one letter summed.
fn einsum(args: &[Arg]) -> Option<Product> {
    let (Some(Arg::Str(equation)), Some(Arg::Tensors(operands))) = (args.first(), args.get(1)) else {
        return None;
    };
    let [left, right] = operands.as_slice() else { return None };
    let plain: String = equation.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (inputs, output) = plain.split_once("->")?;
    let (a, b) = inputs.split_once(',')?;
    // Dimensions that dots stand for lie in front: counted from the end, letters after them keep their places.
    let after_dots = |text: &str| text.rsplit("...").next().unwrap_or(text).to_owned();
    let (a, b, output) = (after_dots(a), after_dots(b), after_dots(output));
    let axis = |text: &str, letter: char| text.chars().rev().position(|it| it == letter).map(|at| at + 1);
    let summed: Vec<char> = a.chars().filter(|&it| b.contains(it) && !output.contains(it)).collect();
    let [letter] = summed.as_slice() else { return None };
    let only = |one: &str, other: &str| {
        let mut free = one.chars().filter(|&it| !other.contains(it) && output.contains(it));
        free.next().filter(|_| free.next().is_none())
    };
    let (row, column) = (only(&a, &b), only(&b, &a));
    Some(Product {
        left: left.clone(),
        right: right.clone(),
        summed: (axis(&a, *letter)?, axis(&b, *letter)?),
        free: (row.and_then(|it| axis(&a, it)), column.and_then(|it| axis(&b, it))),
        left_in_result: row.and_then(|it| axis(&output, it)),
    })
}

/// The operand that an operation carries on: what comes out is the same thing, scaled, masked, moved or in part.
pub(super) fn carried(record: &Record) -> Vec<Tensor> {
    let args = record.args();
    let first = |count: usize| args.iter().take(count).filter_map(Arg::tensor).cloned().collect();
    match record.op.trim_end_matches('_') {
        "mul" | "div" | "add" | "sub" | "maximum" | "where" => {
            let all: Vec<Tensor> = args.iter().filter_map(Arg::tensor).cloned().collect();
            all
        }
        "dropout" | "masked_fill" | "clone" | "contiguous" | "to" | "float" | "double" | "half"
        | "detach" | "view" | "reshape" | "unsqueeze" | "squeeze" | "expand" | "transpose" | "swapaxes"
        | "swapdims" | "permute" | "T" | "t" | "mT" | "getitem" | "select" | "narrow" | "flatten"
        | "unflatten" | "tril" | "triu" | "clamp" | "nan_to_num" | "setitem" | "unbind" | "view_as"
        | "reshape_as" | "movedim" | "neg" | "copy" | "type" | "masked_scatter" | "softcap"
        | "index_fill" | "fill_diagonal" | "split" | "chunk" => first(1),
        _ => Vec::new(),
    }
}

/// Where an axis of a result lies in the operand it came from; none where that cannot be told.
pub(super) fn before(record: &Record, operand: &Tensor, result: &[usize], axis: Axis) -> Option<Axis> {
    let args = record.args();
    let dim = |at: usize| match args.get(at)? {
        Arg::Int(dim) => {
            let ndim = operand.ndim() as i64;
            let from_front = if *dim < 0 { dim + ndim } else { *dim };
            usize::try_from(ndim - from_front).ok()
        }
        _ => None,
    };
    let swapped = |a: Axis, b: Axis| {
        if axis == a {
            b
        } else if axis == b {
            a
        } else {
            axis
        }
    };
    let found = match record.op.trim_end_matches('_') {
        "T" | "t" if operand.ndim() == 2 => swapped(1, 2),
        "mT" => swapped(1, 2),
        "transpose" | "swapaxes" | "swapdims" => swapped(dim(1)?, dim(2)?),
        "permute" => {
            let Arg::Ints(dims) = args.get(1)? else { return None };
            let at = dims.len().checked_sub(axis)?;
            let ndim = operand.ndim() as i64;
            let from = *dims.get(at)?;
            usize::try_from(ndim - if from < 0 { from + ndim } else { from }).ok()?
        }
        "view" | "reshape" | "getitem" | "select" | "unsqueeze" | "squeeze" | "flatten" | "unflatten"
        | "expand" | "unbind" | "narrow" | "movedim" | "view_as" | "reshape_as" | "split" | "chunk" => {
            // Told only where the last two axes stay what they are.
            let tail = |shape: &[usize]| shape.iter().rev().take(2).copied().collect::<Vec<_>>();
            let same = tail(operand.shape()) == tail(result) && result.len() >= 2;
            let one = result.len() == 1 && operand.shape().last() == result.last() && axis == 1;
            (same && axis <= 2 || one).then_some(axis)?
        }
        _ => axis,
    };
    (found <= operand.ndim()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn subscripts_say_which_axes_meet() {
        let tensor = |shape: &[usize]| Tensor::from_f32(vec![0.0; shape.iter().product()], shape.to_vec());
        let product = |equation: &str, a: &[usize], b: &[usize]| {
            einsum(&[Arg::Str(Rc::from(equation)), Arg::Tensors(vec![tensor(a), tensor(b)])])
        };
        let scores =
            product("b q h d, b k h d -> b h q k", &[2, 6, 2, 4], &[2, 6, 2, 4]).expect("two operands");
        assert_eq!(
            (scores.summed, scores.free, scores.left_in_result),
            ((1, 1), (Some(3), Some(3)), Some(2))
        );
        assert_eq!(scores.width(), 4);
        let context = product("...qk,...kd->...qd", &[6, 6], &[6, 2]).expect("two operands");
        assert_eq!((context.summed, context.left_in_result), ((1, 2), Some(2)));
        assert!(product("ij,kl->ijkl", &[2, 2], &[2, 2]).is_none(), "nothing is summed");
    }
}
