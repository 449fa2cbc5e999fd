//! Indexing, gathering and scattering.

use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{GradName, OpFamily, OpNotation, ShapeRule, indexed, indexed_sum, whole};
use crate::tensor::explanation::Movement;
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode, ScatterSource};
use crate::tensor::ops::{mask, shape};
use crate::tensor::{Arg, Error, Index, Result, Tensor, index, refuse_if};

fn getitem(c: &Call) -> Result<Value> {
    let Arg::Index(parts) = c.arg(1) else {
        return Err(Error::type_error("an index expression is needed"));
    };
    let (tensor, grad_name) = index::get(c.tensor(0)?, parts)?;
    c.set_grad_name(grad_name);
    Ok(tensor.into())
}

fn gather(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::gather(x, dim, c.tensor(2)?)?.into())
}

/// What `scatter` writes: a tensor's elements, or a number everywhere.
fn source(c: &Call, x: &Tensor) -> Result<ScatterSource> {
    match c.arg(3) {
        Arg::Tensor(source) => Ok(ScatterSource::Tensor(source.clone())),
        number => Ok(ScatterSource::Number(mask::checked_number(number, x.dtype())?)),
    }
}

fn scatter(c: &Call) -> Result<Value> {
    let (x, index) = (c.tensor(0)?, c.tensor(2)?);
    let is_number = c.arg(3).tensor().is_none();
    let meet = match (c.form, c.op.params()[c.form].len()) {
        (_, 4) => {
            c.set_grad_name(if is_number { GradName::Node("Scatter", 1) } else { GradName::node("Scatter") });
            ScatterMode::Replace
        }
        _ => match c.opt_str(4) {
            Some("add") => ScatterMode::Sum,
            Some("multiply") => ScatterMode::Product,
            _ => {
                return Err(Error::runtime("reduce argument must be either add or multiply."));
            }
        },
    };
    if meet != ScatterMode::Replace {
        c.set_grad_name(GradName::NotImplemented);
    }
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let source = source(c, x)?;
    Ok(along::scatter(x, dim, index, &source, meet, true)?.into())
}

fn scatter_add(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::scatter(x, dim, c.tensor(2)?, &source(c, x)?, ScatterMode::Sum, true)?.into())
}

/// The reductions of `scatter_reduce` and `index_reduce`.
pub(super) fn meeting(word: &str) -> Option<ScatterMode> {
    Some(match word {
        "sum" => ScatterMode::Sum,
        "prod" => ScatterMode::Product,
        "mean" => ScatterMode::Mean,
        "amax" => ScatterMode::Largest,
        "amin" => ScatterMode::Smallest,
        _ => return None,
    })
}

fn scatter_reduce(c: &Call) -> Result<Value> {
    let (x, word) = (c.tensor(0)?, c.opt_str(4).unwrap_or(""));
    let Some(meet) = meeting(word) else {
        return Err(Error::runtime(format!(
            "reduce argument must be either sum, prod, mean, amax or amin, got {word}"
        )));
    };
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::scatter(x, dim, c.tensor(2)?, &source(c, x)?, meet, c.bool(5))?.into())
}

fn index_put(c: &Call) -> Result<Value> {
    let (x, source) = (c.tensor(0)?, c.tensor(2)?);
    refuse_if!(
        x.dtype() != source.dtype(),
        "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
        x.dtype().cpp_name(),
        source.dtype().cpp_name()
    );
    let parts: Vec<Index> = c.tensors(1).iter().cloned().map(Index::Tensor).collect();
    let out = shape::preserved(x);
    index::put(&out, &parts, source, c.bool(3))?;
    Ok(out.into())
}

const SCATTER: &[&str] = &[
    "Tensor input, int dim, Tensor index, Tensor src",
    "Tensor input, int dim, Tensor index, Number value",
    "Tensor input, int dim, Tensor index, Tensor src, *, str reduce",
    "Tensor input, int dim, Tensor index, Number value, *, str reduce",
];
const REDUCED: &[&str] =
    &["Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True"];

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
    op(indexed_sum("scatter_add", true).grad("ScatterAdd"), ALL, scatter_add)
        .forms(&["Tensor input, int dim, Tensor index, Tensor src"])
        .doc("Values added along a dimension by index."),
    op(whole("scatter_reduce", OpFamily::Index).grad("ScatterReduce"), ALL, scatter_reduce)
        .forms(REDUCED)
        .doc("Values met along a dimension by index: sum, prod, mean, amax, amin."),
    op(indexed("index_put", Movement::Rearranged).grad("IndexPut"), ALL, index_put)
        .forms(&["Tensor input, Tensors indices, Tensor values, bool accumulate=False"])
        .doc("values where the index tensors say."),
];
