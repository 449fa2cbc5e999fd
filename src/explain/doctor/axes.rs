//! Which axis of an operand becomes which axis of the result, for products, views and element-wise operations.
//! Axes are counted from the end. The answer is none where the record does not tell.

use crate::tensor::descriptor::{OpFamily, ShapeRule};
use crate::tensor::explanation::{Explanation, Formula, Movement, Reducer};
use crate::tensor::{Arg, Index, Record, Tensor};

/// An axis counted from the end: 1 is the last.
pub(in crate::explain) type Axis = usize;

/// A product of two tensors, summed over one axis of each.
#[derive(Clone)]
pub(super) struct Product {
    pub(crate) left: Tensor,
    pub(crate) right: Tensor,
    /// The axis of each operand that is summed over.
    pub(crate) summed: (Axis, Axis),
    /// The axis that each operand keeps and the other does not have; none for a vector.
    pub(crate) free: (Option<Axis>, Option<Axis>),
    /// The axis of the result that is the left operand's free axis.
    pub(crate) left_in_result: Option<Axis>,
    /// The axis of the result that is the right operand's free axis.
    pub(crate) right_in_result: Option<Axis>,
}

impl Product {
    /// The product of queries and keys in fused attention: their last axes are summed over.
    pub(super) fn over_features(left: Tensor, right: Tensor) -> Product {
        let (left_in_result, right_in_result) = (Some(2), Some(1));
        Product { left, right, summed: (1, 1), free: (Some(2), Some(2)), left_in_result, right_in_result }
    }

    /// The product that a record is of, if it is a product of two tensors.
    pub(super) fn of(record: &Record) -> Option<Product> {
        let args = record.args();
        let (left, right, transposed) = match record.operation.shapes {
            ShapeRule::MatrixProduct(left, right) => (left, right, false),
            ShapeRule::LastAxes(left, right) => (left, right, true),
            _ if record.operation.explanation == Explanation::Einsum => return einsum(&args),
            _ => return None,
        };
        let (left, right) = (args.get(left)?.tensor()?.clone(), args.get(right)?.tensor()?.clone());
        let (a, b) = (left.ndim(), right.ndim());
        let summed = (1, if b == 1 || transposed { 1 } else { 2 });
        let free = ((a > 1).then_some(2), (b > 1).then_some(if transposed { 2 } else { 1 }));
        let left_in_result = free.0.map(|_| if b > 1 { 2 } else { 1 });
        let right_in_result = free.1.map(|_| 1);
        Some(Product { left, right, summed, free, left_in_result, right_in_result })
    }

    /// How many products are summed for each element.
    pub(super) fn width(&self) -> usize {
        size(&self.left, self.summed.0).unwrap_or(0)
    }
}

/// The size along an axis.
pub(super) fn size(tensor: &Tensor, axis: Axis) -> Option<usize> {
    let at = tensor.ndim().checked_sub(axis)?;
    tensor.shape().get(at).copied()
}

/// The axis that an argument `dim` names, of a tensor with so many; none if it names several.
pub(super) fn axis_of(dim: Option<&Arg>, ndim: usize) -> Option<Axis> {
    let dim = match dim? {
        Arg::Int(dim) => *dim,
        Arg::Ints(dims) if dims.len() == 1 => dims[0],
        _ => return None,
    };
    usize::try_from(if dim < 0 { -dim } else { ndim as i64 - dim }).ok()
}

/// The letters of both operands of an einsum and of its result.
pub(super) fn of_two(equation: &str) -> Option<[String; 3]> {
    let plain: String = equation.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (inputs, output) = plain.split_once("->")?;
    let (a, b) = inputs.split_once(',')?;
    Some([a, b, output].map(str::to_owned))
}

/// The product of an einsum of two operands with one summed letter.
fn einsum(args: &[Arg]) -> Option<Product> {
    let (Some(Arg::Str(equation)), Some(Arg::Tensors(operands))) = (args.first(), args.get(1)) else {
        return None;
    };
    let [left, right] = operands.as_slice() else { return None };
    // The dimensions of `...` come first, so letters after the dots keep their positions counted from the end.
    let after_dots = |text: String| text.rsplit("...").next().unwrap_or_default().to_owned();
    let [a, b, output] = of_two(equation)?.map(after_dots);
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
        right_in_result: column.and_then(|it| axis(&output, it)),
    })
}

/// The operands of which the result is a scaled, masked or rearranged copy, or a part.
pub(super) fn carried_operands(record: &Record) -> Vec<Tensor> {
    let args = record.args();
    let operands = |count: usize| args.iter().take(count).filter_map(Arg::tensor).cloned().collect();
    match (record.operation.family, record.operation.explanation) {
        (
            _,
            Explanation::Pointwise(
                Formula::Add | Formula::Sub | Formula::Mul | Formula::Div | Formula::Larger,
            )
            | Explanation::Moved(Movement::Chosen),
        ) => operands(args.len()),
        (OpFamily::View | OpFamily::Copy | OpFamily::Cast, _)
        | (
            OpFamily::Index,
            Explanation::Moved(Movement::LookedUp | Movement::Filled | Movement::Rearranged),
        )
        | (
            _,
            Explanation::MaskedFill
            | Explanation::Triangle { .. }
            | Explanation::Assignment
            | Explanation::Dropout
            | Explanation::Pointwise(Formula::Neg | Formula::Clamp | Formula::NanToNum),
        ) => operands(1),
        (
            OpFamily::Join | OpFamily::Index,
            Explanation::Moved(Movement::Joined | Movement::Stacked | Movement::Part | Movement::Rearranged),
        ) => args.iter().take(1).flat_map(Arg::tensors).cloned().collect(),
        // Scores that are capped: cap * tanh(scores / cap).
        (_, Explanation::Pointwise(Formula::Tanh)) => operands(1),
        // The mean of weights over heads is weights.
        (_, Explanation::Reduction(_)) if is_mean_of_matrices(record) => operands(1),
        // Weights that are mixed over the heads are weights.
        _ => mixed_heads(record).into_iter().collect(),
    }
}

/// Whether a record is a mean over an axis before the last two, as over the heads of weights.
pub(super) fn is_mean_of_matrices(record: &Record) -> bool {
    if record.operation.explanation != Explanation::Reduction(Reducer::Mean) {
        return false;
    }
    let args = record.args();
    let (Some(Arg::Tensor(operand)), Some(dims)) = (args.first(), args.get(1)) else { return false };
    let dims = match dims {
        Arg::Int(dim) => vec![*dim],
        Arg::Ints(dims) => dims.clone(),
        _ => return false,
    };
    let ndim = operand.ndim() as i64;
    let is_before = |dim: &i64| if *dim < 0 { *dim < -2 } else { *dim < ndim - 2 };
    !dims.is_empty() && dims.iter().all(is_before)
}

/// What a product with a learned matrix mixes over the heads ("talking heads"), if it is one.
pub(super) fn mixed_heads(record: &Record) -> Option<Tensor> {
    let Product { left, right, .. } = Product::of(record)?;
    let is_mixing = |weights: &Tensor, other: &Tensor| {
        let heads = size(weights, 3);
        (other.is_leaf() && other.requires_grad())
            && weights.ndim() == 4
            && other.ndim() == 2
            && size(other, 1) == heads
            && size(other, 2) == heads
    };
    if is_mixing(&left, &right) {
        return Some(left);
    }
    is_mixing(&right, &left).then_some(right)
}

/// Whether a record is a product of queries and keys, or of weights and values: no mixing of heads.
pub(super) fn is_product(record: &Record) -> bool {
    Product::of(record).is_some() && mixed_heads(record).is_none()
}

/// The axis of the operand that became an axis of the result; none where the record does not tell.
pub(in crate::explain) fn axis_in_operand(
    record: &Record,
    operand: &Tensor,
    result: &[usize],
    axis: Axis,
) -> Option<Axis> {
    let args = record.args();
    let dim = |at: usize| axis_of(args.get(at), operand.ndim());
    let swapped = |a: Axis, b: Axis| match axis {
        _ if axis == a => b,
        _ if axis == b => a,
        _ => axis,
    };
    let rule = match record.operation.explanation {
        Explanation::Moved(Movement::LookedUp) => ShapeRule::Rearranged,
        _ => record.operation.shapes,
    };
    // A slice keeps the axes where it drops none.
    let is_slice = || match args.get(1) {
        Some(Arg::Index(parts)) => parts.iter().all(|it| matches!(it, Index::Slice { .. } | Index::Ellipsis)),
        _ => false,
    };
    let is_part = match record.operation.explanation {
        Explanation::Moved(Movement::Part) => true,
        Explanation::Moved(Movement::LookedUp) => is_slice(),
        _ => false,
    };
    if is_part && operand.ndim() == result.len() {
        return (axis <= operand.ndim()).then_some(axis);
    }
    // A mean over heads leaves the last two axes in their places.
    if is_mean_of_matrices(record) {
        return (axis <= 2).then_some(axis);
    }
    let found = match rule {
        ShapeRule::Reversed => (operand.ndim() + 1).checked_sub(axis)?,
        ShapeRule::Transposed => swapped(1, 2),
        ShapeRule::Swapped => swapped(dim(1)?, dim(2)?),
        ShapeRule::Permuted => {
            let Arg::Ints(dims) = args.get(1)? else { return None };
            axis_of(Some(&Arg::Int(*dims.get(dims.len().checked_sub(axis)?)?)), operand.ndim())?
        }
        ShapeRule::Stack => {
            let at = dim(1).map(|dim| if is_negative(&args, 1) { dim } else { dim + 1 })?;
            if axis == at {
                return None;
            }
            if axis > at { axis - 1 } else { axis }
        }
        ShapeRule::Reshaped | ShapeRule::Rearranged if operand.shape() != result => {
            // Otherwise known only where the last two axes are unchanged.
            let tail = |shape: &[usize]| shape.iter().rev().take(2).copied().collect::<Vec<_>>();
            let same = tail(operand.shape()) == tail(result) && result.len() >= 2;
            let one = result.len() == 1 && operand.shape().last() == result.last() && axis == 1;
            let unchanged = (same && axis <= 2 || one).then_some(axis);
            same_place(operand.shape(), result, axis).or(unchanged)?
        }
        _ => axis,
    };
    let is_unclear = record.operation.family == OpFamily::Join && operand.ndim() != result.len();
    (found <= operand.ndim() && (!is_unclear || rule == ShapeRule::Stack)).then_some(found)
}

fn is_negative(args: &[Arg], at: usize) -> bool {
    matches!(args.get(at), Some(Arg::Int(dim)) if *dim < 0)
}

/// The axis of a reshaped operand that an axis of the result is: as many elements before it, and as long.
fn same_place(operand: &[usize], result: &[usize], axis: Axis) -> Option<Axis> {
    if operand.iter().product::<usize>() != result.iter().product::<usize>() {
        return None;
    }
    let at = result.len().checked_sub(axis)?;
    let before: usize = result[..at].iter().product();
    let size = *result.get(at)?;
    let found = (0..operand.len()).find(|from| {
        operand[..*from].iter().product::<usize>() == before && operand[*from] == size && size > 1
    })?;
    Some(operand.len() - found)
}

/// Sums along an axis, of values in row-major order in a tensor's shape.
pub(super) fn sums(values: &[f64], tensor: &Tensor, axis: Axis) -> Vec<f64> {
    let shape = tensor.shape();
    let Some(at) = shape.len().checked_sub(axis) else { return Vec::new() };
    let (size, inner) = (shape[at], shape[at + 1..].iter().product::<usize>());
    if size == 0 || inner == 0 {
        return Vec::new();
    }
    let outer = values.len() / (size * inner);
    let sum = |o: usize, i: usize| (0..size).map(|s| values[(o * size + s) * inner + i]).sum();
    (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| sum(o, i)).collect()
}
