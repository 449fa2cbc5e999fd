//! `torch.linalg`: eigenvalues of symmetric matrices, and least squares.

use super::linalg::{columns_first, has_matrices, lead, pages};
use crate::in_floats;
use crate::kernel::eigen::{Rotation, symmetric};
use crate::ops::autocast;
use crate::ops::op::{Call, LINALG, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{OpFamily, whole};
use crate::tensor::ops::float::Float;
use crate::tensor::{Error, Result, Tensor, refuse_if};

/// Ascending eigenvalues (.., n), and vectors as columns (.., n, n).
fn eigen(c: &Call) -> Result<(Tensor, Tensor)> {
    let (x, half) = (c.tensor(0)?, c.opt_str(1).unwrap_or("L"));
    let (rows, columns) = has_matrices("linalg.eigh", x)?;
    refuse_if!(
        rows != columns,
        "linalg.eigh: A must be batches of square matrices, but they are {rows} by {columns} matrices"
    );
    let upper = match half {
        "L" | "l" => false,
        "U" | "u" => true,
        other => {
            return Err(Error::runtime(format!("Expected UPLO argument to be 'L' or 'U', but got {other}")));
        }
    };
    if !x.dtype().is_float() || x.dtype().size() < 4 {
        let dtype = x.dtype().cpp_name();
        return Err(Error::runtime(format!("\"linalg_eigh_cpu\" not implemented for '{dtype}'")));
    }
    decomposed(x, upper, Rotation::Larger).ok_or_else(|| {
        Error::runtime(
            "linalg.eigh: The algorithm failed to converge because the input matrix is ill-conditioned or has too many \
             repeated eigenvalues.",
        )
    })
}

/// Eigenvalues and vectors of each symmetric matrix, by its lower or upper half. `None` if the steps do not converge.
pub(crate) fn decomposed(x: &Tensor, upper: bool, rotation: Rotation) -> Option<(Tensor, Tensor)> {
    let n = x.shape()[x.ndim() - 1];
    in_floats!(x.dtype(), T => {
        let (mut values, mut vectors) = (Vec::new(), Vec::new());
        for page in pages::<T>(x) {
            let (value, vector) = symmetric(&if upper { page.reversed_axes() } else { page }, rotation)?;
            values.extend(value);
            vectors.push(vector);
        }
        let shape = [lead(x), &[n]].concat();
        Some((T::tensor(values, shape, x.dtype()), columns_first(lead(x), (n, n), &vectors, x.dtype())))
    })
}

fn eigh(c: &Call) -> Result<Value> {
    let (values, vectors) = eigen(c)?;
    Ok(Value::Named("linalg_eigh", vec![("eigenvalues", values), ("eigenvectors", vectors)]))
}

rows![
    op(whole("linalg_eigh", OpFamily::LinearAlgebra).grad("LinalgEigh"), LINALG, eigh)
        .forms(&["Tensor A, str UPLO='L', *, out? out=None"])
        .doc("Eigenvalues of a symmetric matrix, smallest first, and eigenvectors.")
        .autocast(autocast::float32),
    op(whole("linalg_eigvalsh", OpFamily::LinearAlgebra).grad("LinalgEigh"), LINALG, |c| Ok(eigen(c)?
        .0
        .into()))
    .forms(&["Tensor A, str UPLO='L', *, out? out=None"])
    .doc("Eigenvalues of a symmetric matrix, smallest first.")
    .autocast(autocast::float32),
];
