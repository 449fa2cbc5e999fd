//! Triangles and diagonals of matrices.

use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, ShapeRule, creation};
use crate::tensor::explanation::{ConstantKind, Explanation, Movement};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::{self, shape};
use crate::tensor::{DType, Error, Result};

const TRIANGLE: &[&str] = &["Tensor input, int diagonal=0, *, out? out=None"];
const INDICES: &[&str] = &[
    "int row, int col, int offset=0, *, dtype? dtype=None, device? device=None, layout? layout=None, only pin_memory=False",
];

fn triangle(c: &Call, lower: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.ndim() < 2 {
        return Err(Error::runtime(format!("{}: input tensor must have at least 2 dimensions", c.op.name)));
    }
    Ok(shape::triangle(x, c.int(1)?, lower).into())
}

fn triangle_indices(c: &Call, lower: bool) -> Result<Value> {
    let (rows, columns, offset) = (c.int(0)?, c.int(1)?, c.int(2)?);
    if rows < 0 {
        return Err(Error::runtime(format!("row must be non-negative, got{rows}")));
    }
    if columns < 0 {
        return Err(Error::runtime(format!("col must be non-negative, got{columns}")));
    }
    let dtype = c.opt_dtype(3).unwrap_or(DType::Int64);
    if !matches!(dtype, DType::Int32 | DType::Int64) {
        let name = if lower { "tril_indices" } else { "triu_indices" };
        return Err(Error::runtime(format!("\"{name}\" not implemented for '{}'", dtype.cpp_name())));
    }
    // Rows that have nothing in the triangle cost time too.
    crate::tensor::allow(
        &[2, shape::triangle_count(rows as usize, columns as usize, offset, lower)],
        DType::Int64,
    )?;
    crate::tensor::allow(&[rows as usize], DType::Int64)?;
    Ok(shape::triangle_indices(rows as usize, columns as usize, offset, lower, dtype).into())
}

fn diag(c: &Call) -> Result<Value> {
    let (x, offset) = (c.tensor(0)?, c.int(1)?);
    match x.ndim() {
        1 => {
            c.set_grad_name(GradName::node("DiagEmbed"));
            Ok(shape::diag_embed(x, offset, 0, 1)?.into())
        }
        2 => {
            c.set_grad_name(GradName::ViewCopy("Diagonal"));
            Ok(ops::copy(&x.with_layout(x.layout().diagonal(offset, 0, 1))).into())
        }
        ndim => Err(Error::runtime(format!("diag(): Supports 1D or 2D tensors. Got {ndim}D"))),
    }
}

fn diag_embed(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let (a, b) = (c.int(2)?, c.int(3)?);
    let (first, second) = (wrap_dim(a, x.ndim() + 1)?, wrap_dim(b, x.ndim() + 1)?);
    if first == second {
        return Err(Error::runtime(format!("diagonal dimensions cannot be identical {a}, {b}")));
    }
    Ok(shape::diag_embed(x, c.int(1)?, first, second)?.into())
}

rows![
    op(
        Descriptor::new("tril", OpFamily::Index, Explanation::Triangle { lower: true })
            .shapes(ShapeRule::Same)
            .grad("Tril"),
        ALL,
        TRIANGLE,
        "The lower triangle of each matrix, zeros above.",
        |c| triangle(c, true),
    )
    .rule(backward::pointwise::tril),
    op(
        Descriptor::new("triu", OpFamily::Index, Explanation::Triangle { lower: false })
            .shapes(ShapeRule::Same)
            .grad("Triu"),
        ALL,
        TRIANGLE,
        "The upper triangle of each matrix, zeros below.",
        |c| triangle(c, false),
    )
    .rule(backward::pointwise::triu),
    op(
        creation("tril_indices", ConstantKind::Places),
        FUNCTION,
        INDICES,
        "Where the lower triangle is: rows, then columns.",
        |c| triangle_indices(c, true),
    ),
    op(
        creation("triu_indices", ConstantKind::Places),
        FUNCTION,
        INDICES,
        "Where the upper triangle is: rows, then columns.",
        |c| triangle_indices(c, false),
    ),
    op(
        Descriptor::new("diag", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Diagonal"),
        BOTH,
        &["Tensor input, int diagonal=0, *, out? out=None"],
        "A vector as a diagonal matrix, or a matrix's diagonal.",
        diag,
    ),
    op(
        Descriptor::new("diag_embed", OpFamily::Join, Explanation::Moved(Movement::Rearranged))
            .grad("DiagEmbed"),
        BOTH,
        &["Tensor input, int offset=0, int dim1=-2, int dim2=-1"],
        "The last dimension as a diagonal of two.",
        diag_embed,
    ),
];
