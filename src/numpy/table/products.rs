//! Products of vectors and matrices.

use rustpython_vm::PyResult;
use rustpython_vm::builtins::PyStr;

use crate::numpy::dtypes::promote;
use crate::numpy::routine::{Answer, BOTH, Call, FUNCTION, Others, Row, row};
use crate::numpy::text::tight;
use crate::tensor::{Arg, DType, Tensor, layout};
use crate::torch::items;

/// Two operands and the dtype of their product.
fn pair(c: &Call) -> PyResult<(Tensor, Tensor, DType)> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    let dtype = promote(a.dtype(), b.dtype());
    Ok((a, b, dtype))
}

/// A product that is computed in a dtype; of bools, whether any pair is true.
fn product(c: &Call, dtype: DType, of: impl FnOnce(DType) -> PyResult<Tensor>) -> PyResult<Answer> {
    let made = of(if dtype == DType::Bool { DType::Int64 } else { dtype })?;
    Ok(Answer::Result(c.cast(&made, dtype)?))
}

/// The product of matrices or vectors.
fn times(c: &Call, a: &Tensor, b: &Tensor, dtype: DType) -> PyResult<Answer> {
    product(c, dtype, |dtype| {
        c.op("matmul", vec![Arg::Tensor(c.cast(a, dtype)?), Arg::Tensor(c.cast(b, dtype)?)])
    })
}

/// The axis of the second operand that is summed over.
fn inner_axis(b: &Tensor) -> usize {
    b.ndim().saturating_sub(2)
}

fn matmul(c: &Call) -> PyResult<Answer> {
    let (a, b, dtype) = pair(c)?;
    if let Some(at) = [&a, &b].iter().position(|it| it.ndim() == 0) {
        return Err(c.value_error(format!(
            "matmul: Input operand {at} does not have enough dimensions (has 0, gufunc core with signature \
             (n?,k),(k,m?)->(n?,m?) requires 1)"
        )));
    }
    let (own, other) = (a.shape()[a.ndim() - 1], b.shape()[inner_axis(&b)]);
    if own != other {
        return Err(c.value_error(format!(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature \
             (n?,k),(k,m?)->(n?,m?) (size {other} is different from {own})"
        )));
    }
    let batch = |x: &Tensor| x.shape()[..x.ndim().saturating_sub(2)].to_vec();
    if layout::broadcast(&batch(&a), &batch(&b)).is_err() {
        let text = |x: &Tensor| {
            let sizes: String = batch(x).iter().map(|size| format!("{size},")).collect();
            format!("{}->({sizes}newaxis,newaxis)", tight(x.shape()))
        };
        return Err(c.value_error(format!(
            "operands could not be broadcast together with remapped shapes [original->remapped]: {} {} ",
            text(&a),
            text(&b)
        )));
    }
    times(c, &a, &b, dtype)
}

/// The sum of products over the last axis of the first operand and this axis of the second.
fn aligned(c: &Call, axis: fn(&Tensor) -> usize) -> PyResult<Answer> {
    let (a, b, dtype) = pair(c)?;
    if a.ndim() == 0 || b.ndim() == 0 {
        return Ok(Answer::Result(c.elementwise("multiply", &[c.operand(0)?, c.operand(1)?])?));
    }
    let (last, axis) = (a.ndim() - 1, axis(&b));
    let (own, other) = (a.shape()[last], b.shape()[axis]);
    if own != other {
        return Err(c.value_error(format!(
            "shapes {} and {} not aligned: {own} (dim {last}) != {other} (dim {axis})",
            tight(a.shape()),
            tight(b.shape()),
        )));
    }
    if b.ndim() <= 2 && axis == inner_axis(&b) {
        return times(c, &a, &b, dtype);
    }
    product(c, dtype, |dtype| {
        let [a, b] = [c.cast(&a, dtype)?, c.cast(&b, dtype)?].map(Arg::Tensor);
        c.op("tensordot", vec![a, b, Arg::Ints(vec![last as i64]), Arg::Ints(vec![axis as i64])])
    })
}

fn outer(c: &Call) -> PyResult<Answer> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    let (a, b) = (c.reshaped(&a, &[a.numel(), 1])?, c.reshaped(&b, &[1, b.numel()])?);
    Ok(Answer::Array(c.ufunc("multiply", &[&a, &b])?))
}

/// The sizes of the letters of one operand. Errors: too many or too few letters.
fn sized(c: &Call, part: &str, number: usize, x: &Tensor) -> PyResult<Vec<(char, usize)>> {
    let (first, last) = part.split_once("...").unwrap_or((part, ""));
    let count = first.chars().count() + last.chars().count();
    if count > x.ndim() {
        return Err(c.value_error(format!(
            "einstein sum subscripts string contains too many subscripts for operand {number}"
        )));
    }
    if count < x.ndim() && !part.contains("...") {
        return Err(c.value_error(
            "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to \
             broadcast the extra dimensions.",
        ));
    }
    let front = first.chars().zip(x.shape().iter().copied());
    let back = last.chars().rev().zip(x.shape().iter().rev().copied());
    Ok(front.chain(back).collect())
}

fn einsum(c: &Call) -> PyResult<Answer> {
    let objects = items(&c.object(1)).unwrap_or_default();
    let first = c.object(0);
    let Some(text) = first.downcast_ref::<PyStr>() else {
        return Err(c.vm.new_not_implemented_error(
            "einsum() of lists of axes is not part of attn's numpy: it takes letters",
        ));
    };
    let text = text.to_string_lossy().replace(' ', "");
    let arrays = objects.iter().map(|it| c.array(it)).collect::<PyResult<Vec<_>>>()?;
    let common = arrays.iter().map(Tensor::dtype).reduce(promote).unwrap_or(DType::Float64);
    let dtype = c.dtype(3)?.unwrap_or(common);
    let (inputs, result) =
        text.split_once("->").map_or((text.as_str(), None), |(inputs, result)| (inputs, Some(result)));
    let parts: Vec<&str> = inputs.split(',').collect();
    if parts.len() != arrays.len() {
        let which = if parts.len() < arrays.len() { "fewer" } else { "more" };
        return Err(c.value_error(format!(
            "{which} operands provided to einstein sum function than specified in the subscripts string"
        )));
    }
    let mut sizes: Vec<(char, usize)> = Vec::new();
    for (number, (part, x)) in parts.iter().zip(&arrays).enumerate() {
        for (letter, size) in sized(c, part, number, x)? {
            match sizes.iter_mut().find(|it| it.0 == letter) {
                None => sizes.push((letter, size)),
                Some(known) if known.1 == 1 => known.1 = size,
                Some(known) if size != 1 && size != known.1 => {
                    let shapes: String =
                        arrays.iter().map(|it| format!("{0}->{0} ", tight(it.shape()))).collect();
                    return Err(c.value_error(format!(
                        "operands could not be broadcast together with remapped shapes [original->remapped]: {shapes}"
                    )));
                }
                Some(_) => {}
            }
        }
    }
    for letter in result.unwrap_or("").chars().filter(|&letter| letter != '.') {
        if !sizes.iter().any(|it| it.0 == letter) {
            return Err(c.value_error(format!(
                "einstein sum subscripts string included output subscript '{letter}' which never appeared in an input"
            )));
        }
    }
    product(c, dtype, |dtype| {
        let arrays = arrays.iter().map(|it| c.cast(it, dtype)).collect::<PyResult<_>>()?;
        c.op("einsum", vec![Arg::Str(text.as_str().into()), Arg::Tensors(arrays)])
    })
}

pub(super) static ROWS: [Row; 5] = [
    row("matmul", FUNCTION, "x1, x2, out=None", matmul).others(Others::ConvertBack),
    row("dot", BOTH, "a, b, out=None", |c| aligned(c, inner_axis)),
    row("inner", FUNCTION, "a, b", |c| aligned(c, |b| b.ndim() - 1)),
    row("outer", FUNCTION, "a, b, out=None", outer),
    row("einsum", FUNCTION, "subscripts, *operands, out=None, dtype=None, optimize=False", einsum),
];
