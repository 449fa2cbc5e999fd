//! `torch.linalg`: the sizes of vectors and matrices.

use ndarray::{ArrayViewD, IxDyn};

use super::linalg::{LowPrecision, lead, of_floats, pages};
use crate::in_floats;
use crate::kernel::linalg::{self, Matrix};
use crate::kernel::{Real, reduce};
use crate::ops::op::{Call, LINALG, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, reduction};
use crate::tensor::explanation::{Explanation, Reducer};
use crate::tensor::layout::wrap_dims;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::{Arg, Error, Result, Tensor};

/// The tensor in the dtype of a call. Errors: those of PyTorch, where it would lose what the numbers are.
fn in_dtype_of(c: &Call, name: &str, x: &Tensor) -> Result<Tensor> {
    let Some(dtype) = c.opt_dtype(4) else { return Ok(x.clone()) };
    let (own, wanted) = (x.dtype().cpp_name(), dtype.cpp_name());
    if !dtype.is_float() {
        let text = format!("{name}: dtype should be floating point or complex, but got {wanted}");
        return Err(Error::runtime(text));
    }
    if x.dtype().promote(dtype) != dtype {
        return Err(Error::runtime(format!(
            "{name}: the dtype of the input ({own}) should be convertible without narrowing to the specified dtype ({wanted})"
        )));
    }
    Ok(to_dtype(x, dtype))
}

/// Σ |x|^p over dims, to the power 1/p.
fn vector_norm_of(x: &Tensor, p: f64, axes: &[usize], keepdim: bool) -> Result<Tensor> {
    let empty = axes.iter().any(|&axis| x.shape().get(axis) == Some(&0));
    if empty && (p < 0.0 || p.is_infinite()) {
        return Err(Error::runtime(format!(
            "linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have an \
             identity"
        )));
    }
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

/// The size of a matrix: by name, or the number of a norm.
fn matrix_norm_of(c: &Call, x: &Tensor, name: &str, dims: &[i64], keepdim: bool) -> Result<Value> {
    if x.ndim() < 2 {
        return Err(Error::runtime(
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.",
        ));
    }
    let axes = wrap_dims(dims, x.ndim())?;
    let [row, column] = axes[..] else {
        return Err(Error::runtime(format!("linalg.matrix_norm: dim must be a 2-tuple. Got {dims:?}")));
    };
    if name == "fro" {
        c.set_grad_name(GradName::node("LinalgVectorNorm"));
        return Ok(vector_norm_of(x, 2.0, &axes, keepdim)?.into());
    }
    let mut order: Vec<usize> = (0..x.ndim()).filter(|axis| !axes.contains(axis)).collect();
    order.extend([row, column]);
    let turned = x.with_layout(x.layout().permute(&order));
    let batch = lead(&turned).to_vec();
    let (rows, columns) = (x.shape()[row], x.shape()[column]);
    let compared = match name {
        "2" | "-2" => rows.min(columns),
        "1" | "-1" => columns,
        "inf" | "-inf" => rows,
        _ => 1,
    };
    if compared == 0 {
        let extreme = if name.starts_with('-') { "amin" } else { "amax" };
        return Err(Error::index(format!("{extreme}(): Expected reduction dim -1 to have non-zero size.")));
    }
    let out = in_floats!(x.dtype(), T => {
        let mut out = Vec::new();
        for page in pages::<T>(&turned) {
            let of = |page: &Matrix<T>| -> Vec<T> {
                let row = |at: usize| page.data[at * page.columns..(at + 1) * page.columns].iter();
                (0..page.rows).map(|at| row(at).fold(T::ZERO, |sum, &x| sum + Real::abs(x))).collect()
            };
            let top = |values: &[T]| values.iter().fold(T::NEG_INFINITY, |a, &b| Real::maximum(a, b));
            let low = |values: &[T]| values.iter().fold(T::INFINITY, |a, &b| Real::minimum(a, b));
            out.push(match name {
                "nuc" => linalg::svd(&page).1.iter().fold(T::ZERO, |sum, &x| sum + x),
                "2" => top(&linalg::svd(&page).1),
                "-2" => low(&linalg::svd(&page).1),
                "1" => top(&of(&page.transposed())),
                "-1" => low(&of(&page.transposed())),
                "inf" => top(&of(&page)),
                "-inf" => low(&of(&page)),
                other => return Err(Error::runtime(format!("linalg.matrix_norm: Order {other} not supported."))),
            });
        }
        T::tensor(out, batch, x.dtype())
    });
    c.set_grad_name(match name {
        "nuc" => GradName::Node("Sum", 1),
        name if name.starts_with('-') => GradName::node("Amin"),
        _ => GradName::node("Amax"),
    });
    let mut layout = out.layout().clone();
    if keepdim {
        for axis in [row.min(column), row.max(column)] {
            layout = layout.unsqueeze(axis);
        }
    }
    Ok(out.with_layout(layout).into())
}

/// A norm's number as its name.
fn named(ord: &Arg) -> String {
    match ord {
        Arg::Str(name) => name.to_string(),
        other => other.number().map_or_else(|| "fro".to_owned(), |number| number.to_string()),
    }
}

fn matrix_norm(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.ndim() >= 2 {
        of_floats("linalg.matrix_norm", x, LowPrecision::Taken)?;
    }
    let x = &in_dtype_of(c, "linalg.matrix_norm", x)?;
    let dims = c.opt_ints(2).unwrap_or_else(|| vec![-2, -1]);
    matrix_norm_of(c, x, &named(c.arg(1)), &dims, c.bool(3))
}

fn norm(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    of_floats("linalg.vector_norm", x, LowPrecision::Taken)?;
    let (ord, dims, keepdim) = (c.arg(1), c.opt_ints(2), c.bool(3));
    let matrix = match (&dims, ord) {
        (_, Arg::None) => false,
        (Some(dims), _) => dims.len() == 2,
        (None, _) if x.ndim() == 2 => true,
        (None, Arg::Str(_)) => {
            return Err(Error::runtime(format!(
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.",
                x.ndim()
            )));
        }
        _ => false,
    };
    if matrix {
        let x = &in_dtype_of(c, "linalg.matrix_norm", x)?;
        return matrix_norm_of(c, x, &named(ord), &dims.unwrap_or_else(|| vec![-2, -1]), keepdim);
    }
    let x = &in_dtype_of(c, "linalg.vector_norm", x)?;
    let axes = match dims {
        Some(dims) if !dims.is_empty() => wrap_dims(&dims, x.ndim())?,
        _ => (0..x.ndim()).collect(),
    };
    Ok(vector_norm_of(x, ord.number().unwrap_or(2.0), &axes, keepdim)?.into())
}

rows![
    op(
        Descriptor::new("linalg_norm", OpFamily::LinearAlgebra, Explanation::Whole).grad("LinalgVectorNorm"),
        LINALG,
        &[
            "Tensor A, Number? ord=None, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
            "Tensor A, str ord, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
        ],
        "The size of vectors or matrices.",
        norm,
    ).saving_result(),
    op(
        reduction("linalg_vector_norm", Reducer::Norm).grad("LinalgVectorNorm"),
        LINALG,
        &["Tensor x, Number ord=2, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None"],
        "The p-norm over dims.",
        vector_norm,
    ).saving_result(),
    op(
        Descriptor::new("linalg_matrix_norm", OpFamily::LinearAlgebra, Explanation::Whole)
            .grad("LinalgVectorNorm"),
        LINALG,
        &[
            "Tensor A, str ord='fro', ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
            "Tensor A, Number ord, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, out? out=None",
        ],
        "The size of matrices.",
        matrix_norm,
    ),
];
