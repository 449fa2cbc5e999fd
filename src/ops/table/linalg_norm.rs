//! `torch.linalg`: the sizes of vectors and matrices.

use ndarray::{ArrayViewD, IxDyn};

use super::linalg::{LowPrecision, of_floats};
use crate::in_floats;
use crate::kernel::reduce;
use crate::ops::op::{Call, LINALG, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::reduction;
use crate::tensor::explanation::Reducer;
use crate::tensor::layout::wrap_dims;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::{Error, Result, Tensor, refuse_if};

/// The tensor in the dtype of a call. Errors: those of PyTorch, where it would lose what the numbers are.
fn in_dtype_of(c: &Call, name: &str, x: &Tensor) -> Result<Tensor> {
    let Some(dtype) = c.opt_dtype(4) else { return Ok(x.clone()) };
    let (own, wanted) = (x.dtype().cpp_name(), dtype.cpp_name());
    if !dtype.is_float() {
        let text = format!("{name}: dtype should be floating point or complex, but got {wanted}");
        return Err(Error::runtime(text));
    }
    refuse_if!(
        x.dtype().promote(dtype) != dtype,
        "{name}: the dtype of the input ({own}) should be convertible without narrowing to the specified dtype ({wanted})"
    );
    Ok(to_dtype(x, dtype))
}

/// Σ |x|^p over dims, to the power 1/p.
fn vector_norm_of(x: &Tensor, p: f64, axes: &[usize], keepdim: bool) -> Result<Tensor> {
    let empty = axes.iter().any(|&axis| x.shape().get(axis) == Some(&0));
    refuse_if!(
        empty && (p < 0.0 || p.is_infinite()),
        "linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have an \
             identity"
    );
    let shape: Vec<usize> = (0..x.ndim())
        .filter(|axis| keepdim || !axes.contains(axis))
        .map(|axis| if axes.contains(&axis) { 1 } else { x.shape()[axis] })
        .collect();
    Ok(in_floats!(x.dtype(), T => {
        let data = T::of(x);
        let full: Vec<usize> = if x.ndim() == 0 { vec![1] } else { x.shape().to_vec() };
        let view = ArrayViewD::from_shape(IxDyn(&full), &data).expect("as many elements as the shape has");
        let axes = if x.ndim() == 0 { &[0][..] } else { axes };
        T::tensor(reduce::norm(view, axes, p), shape, x.dtype())
    }))
}

fn vector_norm(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    of_floats("linalg.vector_norm", x, LowPrecision::Taken)?;
    let x = &in_dtype_of(c, "linalg.vector_norm", x)?;
    let axes = match c.opt_ints(2) {
        Some(dims) if !dims.is_empty() => wrap_dims(&dims, x.ndim())?,
        _ => (0..x.ndim()).collect(),
    };
    Ok(vector_norm_of(x, c.opt_float(1).unwrap_or(2.0), &axes, c.bool(3))?.into())
}

rows![
    op(reduction("linalg_vector_norm", Reducer::Norm).grad("LinalgVectorNorm"), LINALG, vector_norm)
        .forms(&["Tensor x, Number ord=2, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, \
             out? out=None"])
        .doc("The p-norm over dims.")
        .saving_result(),
];
