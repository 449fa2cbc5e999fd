//! `torch.linalg`: determinants, inverses, systems, factors, sizes; distances and cross products.

use super::reduce::norm_of;
use crate::in_floats;
use crate::kernel::Real;
use crate::kernel::linalg::{self, Matrix};
use crate::ops::autocast;
use crate::ops::op::{BOTH, Call, LINALG, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{CostRule, OpFamily, reduction, whole};
use crate::tensor::explanation::Reducer;
use crate::tensor::layout::broadcast;
use crate::tensor::ops::float::Float;
use crate::tensor::ops::reduce::ReductionAxes;
use crate::tensor::{Error, Result, Tensor, refuse_if};

const MATRIX: &[&str] = &["Tensor A, *, out? out=None"];
const INPUT: &[&str] = &["Tensor input, *, out? out=None"];

/// Errors: not a matrix or a batch of them.
pub(super) fn has_matrices(name: &str, x: &Tensor) -> Result<(usize, usize)> {
    match x.shape() {
        [.., rows, columns] => Ok((*rows, *columns)),
        _ => Err(Error::runtime(format!("{name}: The input tensor A must have at least 2 dimensions."))),
    }
}

/// Errors: integers or bools, and half precision, which LAPACK does not have.
fn of_floats(name: &str, x: &Tensor) -> Result<()> {
    let dtype = x.dtype().cpp_name();
    refuse_if!(
        !x.dtype().is_float(),
        "{name}: Expected a floating point or complex tensor as input. Got {dtype}"
    );
    refuse_if!(x.dtype().is_half(), "{name}: Low precision dtypes not supported. Got {dtype}");
    Ok(())
}

/// Errors: not a square matrix or a batch of them, or not of floats.
fn square(name: &str, x: &Tensor) -> Result<usize> {
    let (rows, columns) = has_matrices(name, x)?;
    refuse_if!(
        rows != columns,
        "{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
    );
    of_floats(name, x)?;
    Ok(rows)
}

/// Every matrix of a stack.
pub(super) fn pages<T: Float>(x: &Tensor) -> Vec<Matrix<T>> {
    let ndim = x.ndim();
    let (rows, columns) = (x.shape()[ndim - 2], x.shape()[ndim - 1]);
    let data = T::of(x);
    let page = |data: &[T]| Matrix::from_shape_vec((rows, columns), data.to_vec());
    let count: usize = lead(x).iter().product();
    let size = rows * columns;
    (0..count).map(|at| page(&data[at * size..(at + 1) * size]).expect("a page has its elements")).collect()
}

/// A stack of matrices of this size as LAPACK leaves it: columns lie straight in memory.
pub(super) fn columns_first<T: Float>(
    lead: &[usize],
    (rows, columns): (usize, usize),
    pages: &[Matrix<T>],
    dtype: crate::tensor::DType,
) -> Tensor {
    let data = pages.iter().flat_map(|page| page.t().into_iter().copied()).collect();
    let turned = T::tensor(data, [lead, &[columns, rows]].concat(), dtype);
    turned.with_layout(turned.layout().transpose(lead.len(), lead.len() + 1))
}

pub(super) fn lead(x: &Tensor) -> &[usize] {
    &x.shape()[..x.ndim() - 2]
}

fn det(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    square("linalg.det", x)?;
    Ok(in_floats!(x.dtype(), T => {
        let out = pages::<T>(x).into_iter().map(|page| linalg::factor(page).determinant()).collect();
        T::tensor(out, lead(x), x.dtype())
    })
    .into())
}

fn slogdet(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    square("linalg.slogdet", x)?;
    let (sign, log) = in_floats!(x.dtype(), T => {
        let (signs, logs) = pages::<T>(x).into_iter().map(|page| linalg::factor(page).sign_and_log()).unzip();
        (T::tensor(signs, lead(x), x.dtype()), T::tensor(logs, lead(x), x.dtype()))
    });
    Ok(Value::Named(c.op.name, vec![("sign", sign), ("logabsdet", log)]))
}

fn inv(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let n = square("linalg.inv", x)?;
    in_floats!(x.dtype(), T => {
        let mut out = Vec::new();
        for (at, page) in pages::<T>(x).into_iter().enumerate() {
            let factors = linalg::factor(page);
            if let Some(pivot) = factors.singular {
                let batch = if x.ndim() > 2 { format!("(Batch element {at}): ") } else { String::new() };
                return Err(Error::runtime(format!(
                    "linalg.inv: {batch}The diagonal element {} is zero, the inversion could not be completed because the \
                     input matrix is singular.",
                    pivot + 1
                )));
            }
            out.push(factors.solve(&linalg::identity(n)));
        }
        Ok(columns_first(lead(x), (n, n), &out, x.dtype()).into())
    })
}

fn solve(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    let n = square("linalg.solve", a)?;
    refuse_if!(
        a.dtype() != b.dtype(),
        "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
        a.dtype().cpp_name(),
        b.dtype().cpp_name()
    );
    let vector = b.ndim() == 1 || (b.ndim() + 1 == a.ndim() && b.shape() == &a.shape()[..a.ndim() - 1]);
    let wide = if vector { b.with_layout(b.layout().unsqueeze(b.ndim())) } else { b.clone() };
    let (rows, columns) = has_matrices("linalg.solve", &wide)?;
    refuse_if!(
        rows != n,
        "linalg.solve: Incompatible shapes of A and B for the equation AX = B ({n}x{n} and {rows}x{columns})"
    );
    let shared = broadcast(lead(a), lead(&wide))?;
    let spread = |x: &Tensor| {
        let shape = [&shared[..], &x.shape()[x.ndim() - 2..]].concat();
        x.with_layout(x.layout().broadcast_to(&shape))
    };
    let (matrices, sides) = (spread(a), spread(&wide));
    let out = in_floats!(a.dtype(), T => {
        let mut out = Vec::new();
        for (a, b) in pages::<T>(&matrices).into_iter().zip(pages::<T>(&sides)) {
            let factors = linalg::factor(a);
            if factors.singular.is_some() {
                return Err(Error::runtime("torch.linalg.solve: The solver failed because the input matrix is singular."));
            }
            out.push(factors.solve(&b));
        }
        columns_first(&shared, (n, columns), &out, a.dtype())
    });
    Ok(if vector { out.with_layout(out.layout().squeeze(out.ndim() - 1)) } else { out }.into())
}

fn qr(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let (rows, columns) = has_matrices("linalg.qr", x)?;
    of_floats("linalg.qr", x)?;
    let width = rows.min(columns);
    let (q, r) = in_floats!(x.dtype(), T => {
        let (q, r): (Vec<_>, Vec<_>) = pages::<T>(x).iter().map(|page| linalg::qr(page, width)).unzip();
        let matrices = |size, pages| columns_first(lead(x), size, pages, x.dtype());
        (matrices((rows, width), &q), matrices((width, columns), &r))
    });
    Ok(Value::Named("linalg_qr", vec![("Q", q), ("R", r)]))
}

fn linalg_svd(c: &Call) -> Result<Value> {
    let (u, s, vh) = decomposed(c.tensor(0)?, c.bool(1), true)?;
    Ok(Value::Named("linalg_svd", vec![("U", u), ("S", s), ("Vh", vh)]))
}

/// The singular value decomposition of each matrix: U, S and the transposed V; with `full`, U and V are square.
/// Errors: numbers that are not finite, where vectors are asked for.
fn decomposed(x: &Tensor, full: bool, with_vectors: bool) -> Result<(Tensor, Tensor, Tensor)> {
    let (rows, columns) = has_matrices("linalg.svd", x)?;
    of_floats("linalg.svd", x)?;
    let k = rows.min(columns);
    let (tall, wide) = if full { (rows, columns) } else { (k, k) };
    Ok(in_floats!(x.dtype(), T => {
        let (mut u, mut s, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for page in pages::<T>(x) {
            let (left, sizes, right) = linalg::svd(&page);
            refuse_if!(
                with_vectors && sizes.first().is_some_and(|size| Real::is_nan(*size)),
                "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values."
            );
            u.push(if tall > k { linalg::completed(&left, tall) } else { left });
            s.extend(sizes);
            v.push(if wide > k { linalg::completed(&right.reversed_axes(), wide).reversed_axes() } else { right });
        }
        let shape = [lead(x), &[k]].concat();
        let matrices = |size, pages| columns_first(lead(x), size, pages, x.dtype());
        (matrices((rows, tall), &u), T::tensor(s, shape, x.dtype()), matrices((wide, columns), &v))
    }))
}

fn vector_norm(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let over = ReductionAxes::new(x, &c.opt_ints(2).unwrap_or_default(), c.bool(3))?;
    Ok(norm_of(x, &over, c.opt_float(1).unwrap_or(2.0))?.into())
}

rows![
    op(whole("det", OpFamily::LinearAlgebra).grad("LinalgDet"), BOTH, det)
        .forms(INPUT)
        .doc("The determinant. (.., n, n) -> (..)")
        .saving_result(),
    op(whole("inverse", OpFamily::LinearAlgebra).grad("LinalgInvEx"), BOTH, inv)
        .forms(INPUT)
        .doc("The inverse matrix. (.., n, n)")
        .autocast(autocast::float32)
        .saving_result(),
    op(whole("linalg_det", OpFamily::LinearAlgebra).grad("LinalgDet"), LINALG, det)
        .forms(MATRIX)
        .doc("The determinant. (.., n, n) -> (..)")
        .saving_result(),
    op(whole("linalg_slogdet", OpFamily::LinearAlgebra).grad("LinalgSlogdet"), LINALG, slogdet)
        .forms(MATRIX)
        .doc("The determinant's sign and the logarithm of its size."),
    op(whole("linalg_inv", OpFamily::LinearAlgebra).grad("LinalgInvEx"), LINALG, inv)
        .forms(MATRIX)
        .doc("The inverse matrix. (.., n, n)")
        .autocast(autocast::float32)
        .saving_result(),
    op(whole("linalg_solve", OpFamily::LinearAlgebra).grad("LinalgSolveEx"), LINALG, solve)
        .forms(&["Tensor A, Tensor B, *, only left=True, out? out=None"])
        .doc("x with A x = B.")
        .autocast(autocast::float32)
        .saving_result(),
    op(whole("linalg_qr", OpFamily::LinearAlgebra).grad("LinalgQr"), LINALG, qr)
        .forms(&["Tensor A, only mode='reduced', *, out? out=None"])
        .doc("Orthonormal columns times an upper triangle.")
        .autocast(autocast::float32),
    op(whole("linalg_svd", OpFamily::LinearAlgebra).grad("LinalgSvd"), LINALG, linalg_svd)
        .forms(&["Tensor A, bool full_matrices=True, *, only driver=None, out? out=None"])
        .doc("Singular values and vectors.")
        .autocast(autocast::float32),
    op(whole("linalg_svdvals", OpFamily::LinearAlgebra).grad("LinalgSvd"), LINALG, |c| Ok(decomposed(
        c.tensor(0)?,
        false,
        false
    )?
    .1
    .into()))
    .forms(&["Tensor A, *, only driver=None, out? out=None"])
    .doc("Singular values, largest first.")
    .autocast(autocast::float32),
    op(
        reduction("linalg_vector_norm", Reducer::Norm).cost(CostRule::Spread).grad("LinalgVectorNorm"),
        LINALG,
        vector_norm
    )
    .forms(&["Tensor x, Number ord=2, ints? dim=None, bool keepdim=False, *, only dtype=None, \
             out? out=None"])
    .doc("The p-norm over dims.")
    .saving_result(),
];
