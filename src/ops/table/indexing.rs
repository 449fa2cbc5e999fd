//! Indexing, gathering and scattering.

use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{GradName, OpNotation, ShapeRule, indexed, indexed_sum};
use crate::tensor::explanation::Movement;
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode};
use crate::tensor::ops::mask;
use crate::tensor::{Arg, Error, Result, index};

fn getitem(c: &Call) -> Result<Value> {
    let Arg::Index(parts) = c.arg(1) else { return Err(Error::type_error("an index expression is needed")) };
    let (tensor, grad_name) = index::get(c.tensor(0)?, parts)?;
    c.set_grad_name(grad_name);
    Ok(tensor.into())
}

fn gather(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::gather(x, dim, c.tensor(2)?)?.into())
}

/// Values written along a dimension: a tensor's elements, or a number everywhere.
fn scattered(c: &Call, mode: ScatterMode) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let (source, is_number) = match c.arg(3) {
        Arg::Tensor(source) => (source.clone(), false),
        number => (mask::checked_number(number, x.dtype())?, true),
    };
    Ok(along::scatter(x, dim, c.tensor(2)?, &source, is_number, mode)?.into())
}

fn scatter(c: &Call) -> Result<Value> {
    if c.arg(3).tensor().is_none() {
        c.set_grad_name(GradName::Node("Scatter", 1));
    }
    scattered(c, ScatterMode::Replace)
}

const SCATTER: &[&str] = &[
    "Tensor input, int dim, Tensor index, Tensor src, *, only reduce=None",
    "Tensor input, int dim, Tensor index, Number value, *, only reduce=None",
];

rows![
    op(
        indexed("getitem", Movement::LookedUp)
            .notation(OpNotation::Subscript)
            .shapes(ShapeRule::Rearranged)
            .grad("Index"),
        0,
        getitem
    )
    .forms(&["Tensor input, index index"])
    .doc("input[index]: a view, or a copy where tensors index.")
    .rule(backward::indexing::getitem),
    op(indexed("gather", Movement::LookedUp).grad("Gather"), BOTH, gather)
        .forms(&["Tensor input, int dim, Tensor index, *, only sparse_grad=False"])
        .doc("Elements along a dimension by index.")
        .rule(backward::indexing::gather),
    op(indexed("scatter", Movement::Rearranged).grad("Scatter"), ALL, scatter)
        .forms(SCATTER)
        .doc("Values written along a dimension by index."),
    op(indexed_sum("scatter_add", true).grad("ScatterAdd"), ALL, |c| scattered(c, ScatterMode::Sum))
        .forms(&["Tensor input, int dim, Tensor index, Tensor src"])
        .doc("Values added along a dimension by index."),
];
