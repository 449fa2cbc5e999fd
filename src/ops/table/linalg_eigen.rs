//! `torch.linalg`: eigenvalues of symmetric matrices, and least squares.

use super::linalg::{columns_first, has_matrices, lead, pages};
use crate::in_floats;
use crate::kernel::Real;
use crate::kernel::eigen::{Rotation, symmetric};
use crate::kernel::least_squares::least_squares;
use crate::ops::autocast;
use crate::ops::op::{Call, LINALG, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily};
use crate::tensor::explanation::Explanation;
use crate::tensor::layout::broadcast;
use crate::tensor::ops::float::Float;
use crate::tensor::{DType, Error, Result, Tensor};

/// Ascending eigenvalues (.., n), and vectors as columns (.., n, n).
fn eigen(c: &Call) -> Result<(Tensor, Tensor)> {
    let (x, half) = (c.tensor(0)?, c.opt_str(1).unwrap_or("L"));
    let (rows, columns) = has_matrices("linalg.eigh", x)?;
    if rows != columns {
        return Err(Error::runtime(format!(
            "linalg.eigh: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )));
    }
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
            let (value, vector) = symmetric(&if upper { page.transposed() } else { page }, rotation)?;
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

const DRIVERS: [&str; 4] = ["gels", "gelsy", "gelsd", "gelss"];

fn lstsq(c: &Call) -> Result<Value> {
    let (a, b, driver) = (c.tensor(0)?, c.tensor(1)?, c.opt_str(3).unwrap_or("gelsy"));
    if a.ndim() < 2 {
        return Err(Error::runtime("torch.linalg.lstsq: input must have at least 2 dimensions."));
    }
    if b.ndim() < 1 {
        return Err(Error::runtime("torch.linalg.lstsq: other must have at least 1 dimension."));
    }
    if a.ndim() < b.ndim() || a.ndim() > b.ndim() + 1 {
        return Err(Error::runtime(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1",
        ));
    }
    if a.dtype() != b.dtype() {
        return Err(Error::runtime(format!(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {} and other's \
             dtype {}",
            a.dtype().cpp_name(),
            b.dtype().cpp_name()
        )));
    }
    let (m, n) = has_matrices("torch.linalg.lstsq", a)?;
    let vector = b.ndim() == 1 || &a.shape()[..a.ndim() - 1] == b.shape();
    let wide = if vector { b.with_layout(b.layout().unsqueeze(b.ndim())) } else { b.clone() };
    if wide.ndim() < 2 || wide.shape()[wide.ndim() - 2] != m {
        let side = if vector { -1 } else { -2 };
        return Err(Error::runtime(format!(
            "torch.linalg.lstsq: input.size(-2) should match other.size({side})"
        )));
    }
    if !DRIVERS.contains(&driver) {
        return Err(Error::runtime(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)",
        ));
    }
    if !matches!(a.dtype(), DType::Float32 | DType::Float64) {
        return Err(Error::runtime("This function doesn't handle types other than float and double"));
    }
    if a.ndim() > wide.ndim() {
        broadcast(lead(a), &b.shape()[..b.ndim() - 1])?;
    }
    let epsilon = if a.dtype() == DType::Float64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let rcond = c.opt_float(2).unwrap_or(epsilon * m.max(n) as f64);
    let shared = broadcast(lead(a), lead(&wide))?;
    let spread = |x: &Tensor| {
        let shape = [&shared[..], &x.shape()[x.ndim() - 2..]].concat();
        x.with_layout(x.layout().broadcast_to(&shape))
    };
    let (left, right) = (spread(a), spread(&wide));
    let (gels, k) = (driver == "gels", wide.shape()[wide.ndim() - 1]);
    in_floats!(a.dtype(), T => {
        let (mut solutions, mut residuals, mut ranks, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (a, b) in pages::<T>(&left).iter().zip(pages::<T>(&right)) {
            let found = least_squares(a, &b, T::from_f64(rcond));
            if gels && found.rank < m.min(n) {
                return Err(Error::runtime(format!(
                    "torch.linalg.lstsq: The least squares solution could not be computed because the input matrix does \
                     not have full rank (error code: {}).",
                    found.rank + 1
                )));
            }
            solutions.push(found.solution);
            residuals.extend(found.residuals);
            ranks.push(found.rank);
            sizes.extend(found.sizes);
        }
        let full = ranks.iter().all(|&rank| rank == n);
        let residuals = if m > n && full && driver != "gelsy" {
            T::tensor(residuals, [&shared[..], &[k]].concat(), a.dtype())
        } else {
            Tensor::zeros([0], a.dtype())?
        };
        let rank = if gels {
            Tensor::zeros([0], DType::Int64)?
        } else {
            Tensor::from_i64(ranks.into_iter().map(|rank| rank as i64).collect(), shared.clone())
        };
        let sizes = if matches!(driver, "gelsd" | "gelss") {
            T::tensor(sizes, [&shared[..], &[m.min(n)]].concat(), a.dtype())
        } else {
            Tensor::zeros([0], a.dtype())?
        };
        let solution = columns_first(&shared, (n, k), &solutions, a.dtype());
        let solution = if vector { solution.with_layout(solution.layout().squeeze(solution.ndim() - 1)) } else { solution };
        Ok(Value::Named("linalg_lstsq", vec![
            ("solution", solution),
            ("residuals", residuals),
            ("rank", rank),
            ("singular_values", sizes),
        ]))
    })
}

pub(super) static OPS: [Op; 3] = [
    op(
        Descriptor::new("linalg_eigh", OpFamily::LinearAlgebra, Explanation::Whole).grad("LinalgEigh"),
        LINALG,
        &["Tensor A, str UPLO='L', *, out? out=None"],
        "Eigenvalues of a symmetric matrix, smallest first, and eigenvectors.",
        eigh,
    )
    .autocast(autocast::float32),
    op(
        Descriptor::new("linalg_eigvalsh", OpFamily::LinearAlgebra, Explanation::Whole).grad("LinalgEigh"),
        LINALG,
        &["Tensor A, str UPLO='L', *, out? out=None"],
        "Eigenvalues of a symmetric matrix, smallest first.",
        |c| Ok(eigen(c)?.0.into()),
    )
    .autocast(autocast::float32),
    op(
        Descriptor::new("linalg_lstsq", OpFamily::LinearAlgebra, Explanation::Whole).grad("LinalgLstsq"),
        LINALG,
        &["Tensor input, Tensor b, float? rcond=None, *, str? driver=None"],
        "x for which A x is nearest to B.",
        lstsq,
    )
    .autocast(autocast::float32),
];
