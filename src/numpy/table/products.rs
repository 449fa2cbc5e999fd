//! Products of vectors and matrices.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObjectRef, PyResult};

use crate::numpy::dtypes::promote;
use crate::numpy::foreign;
use crate::numpy::routine::{Answer, BOTH, Call, FUNCTION, Others, Row, row};
use crate::numpy::text::tight;
use crate::tensor::{Arg, DType, Tensor};
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

/// What torch refuses is refused in the words of a function of `numpy._exceptions`, which is given the operands.
fn refused(c: &Call, made: PyResult<Answer>, name: &str, operands: Vec<PyObjectRef>) -> PyResult<Answer> {
    if let Err(error) = &made
        && error.fast_isinstance(c.vm.ctx.exceptions.runtime_error)
    {
        foreign::call("numpy._exceptions", name, operands, c.vm)?;
    }
    made
}

fn matmul(c: &Call) -> PyResult<Answer> {
    let (a, b, dtype) = pair(c)?;
    refused(c, times(c, &a, &b, dtype), "matmul", vec![c.object(0), c.object(1)])
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
    let made = product(c, dtype, |dtype| {
        let arrays = arrays.iter().map(|it| c.cast(it, dtype)).collect::<PyResult<_>>()?;
        c.op("einsum", vec![Arg::Str(text.as_str().into()), Arg::Tensors(arrays)])
    });
    let text = c.vm.ctx.new_str(text).into();
    refused(c, made, "einsum", std::iter::once(text).chain(objects).collect())
}

pub(super) static ROWS: [Row; 5] = [
    row("matmul", FUNCTION, "x1, x2, out=None", matmul).others(Others::ConvertBack),
    row("dot", BOTH, "a, b, out=None", |c| aligned(c, inner_axis)),
    row("inner", FUNCTION, "a, b", |c| aligned(c, |b| b.ndim() - 1)),
    row("outer", FUNCTION, "a, b, out=None", outer),
    row("einsum", FUNCTION, "subscripts, *operands, out=None, dtype=None, optimize=False", einsum),
];
