//! Triangles and diagonals of matrices.

use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, ShapeRule, joined};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::{self, shape};
use crate::tensor::{Error, Result, refuse_if};

const TRIANGLE: &[&str] = &["Tensor input, int diagonal=0, *, out? out=None"];

fn triangle(c: &Call, lower: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    refuse_if!(x.ndim() < 2, "{}: input tensor must have at least 2 dimensions", c.op.name);
    Ok(shape::triangle(x, c.int(1)?, lower).into())
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
    refuse_if!(first == second, "diagonal dimensions cannot be identical {a}, {b}");
    Ok(shape::diag_embed(x, c.int(1)?, first, second)?.into())
}

const fn triangle_of(name: &'static str, lower: bool) -> Descriptor {
    Descriptor::new(name, OpFamily::Index, Explanation::Triangle { lower }).shapes(ShapeRule::Same)
}

rows![
    op(triangle_of("tril", true).grad("Tril"), ALL, |c| triangle(c, true))
        .forms(TRIANGLE)
        .doc("The lower triangle of each matrix, zeros above.")
        .rule(backward::pointwise::tril),
    op(triangle_of("triu", false).grad("Triu"), ALL, |c| triangle(c, false))
        .forms(TRIANGLE)
        .doc("The upper triangle of each matrix, zeros below.")
        .rule(backward::pointwise::triu),
    op(joined("diag", Movement::Rearranged).grad("Diagonal"), BOTH, diag)
        .forms(&["Tensor input, int diagonal=0, *, out? out=None"])
        .doc("A vector as a diagonal matrix, or a matrix's diagonal."),
    op(joined("diag_embed", Movement::Rearranged).grad("DiagEmbed"), BOTH, diag_embed)
        .forms(&["Tensor input, int offset=0, int dim1=-2, int dim2=-1"])
        .doc("The last dimension as a diagonal of two."),
];
