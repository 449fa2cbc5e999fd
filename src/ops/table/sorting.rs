//! Order and counting: sort, topk, unique, searchsorted, bincount, histc, isin.

use crate::ops::op::{BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, whole};
use crate::tensor::explanation::{Explanation, OrderKind};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::sorting;
use crate::tensor::ops::{cast::to_dtype, pointwise};
use crate::tensor::{Arg, Category, DType, Error, Result, Tensor, refuse_if};

fn sorted(c: &Call, dim: i64, descending: bool, stable: bool) -> Result<(Tensor, Tensor)> {
    let x = c.tensor(0)?;
    Ok(sorting::sort(x, wrap_dim(dim, x.ndim())?, descending, stable))
}

pub(super) fn pair(name: &'static str, (values, indices): (Tensor, Tensor)) -> Value {
    Value::Named(name, vec![("values", values), ("indices", indices)])
}

fn sort(c: &Call) -> Result<Value> {
    if c.form == 1 {
        c.set_grad_name(GradName::Node("Sort", 1));
        return Ok(pair("sort", sorted(c, c.int(2)?, c.bool(3), c.bool(1))?));
    }
    Ok(pair("sort", sorted(c, c.int(1)?, c.bool(2), false)?))
}

fn argsort(c: &Call) -> Result<Value> {
    Ok(sorted(c, c.int(1)?, c.bool(2), c.form == 1 && c.bool(3))?.1.into())
}

fn topk(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(2)?, x.ndim())?;
    Ok(pair("topk", sorting::topk(x, c.int(1)?, dim, c.bool(3), c.bool(4))?))
}

/// One tensor, or a tuple with the inverse and the counts, if requested.
fn unique(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let [values, inverse, counts] = match c.opt_int(4) {
        Some(dim) => sorting::unique_slices(x, wrap_dim(dim, x.ndim())?)?,
        None => sorting::unique(x),
    };
    let more: Vec<Tensor> =
        [(c.bool(2), inverse), (c.bool(3), counts)].into_iter().filter(|it| it.0).map(|it| it.1).collect();
    Ok(if more.is_empty() { values.into() } else { Value::Tensors([vec![values], more].concat()) })
}

/// A tensor, or a number as a 0-d tensor of the dtype it has by itself.
fn operand(c: &Call, at: usize) -> Result<Tensor> {
    let dtype = match c.arg(at) {
        Arg::Float(_) => c.default_dtype(),
        Arg::Bool(_) => DType::Bool,
        _ => DType::Int64,
    };
    pointwise::operand(c.arg(at), dtype)
}

fn indices(places: Tensor, small: bool) -> Value {
    if small { to_dtype(&places, DType::Int32).into() } else { places.into() }
}

fn searchsorted(c: &Call) -> Result<Value> {
    let (sorted, values) = (c.tensor(0)?, operand(c, 1)?);
    let right = match c.opt_str(4) {
        None => c.bool(3),
        Some(side @ ("left" | "right")) if side == "right" || !c.bool(3) => side == "right",
        Some(side) => {
            return Err(Error::runtime(format!(
                "torch.searchsorted(): side can only be 'left' or 'right', and as right= says, but got {side}"
            )));
        }
    };
    let (a, b) = (sorted.shape(), values.shape());
    let rows_agree = match (a, b) {
        ([_], _) => true,
        ([lead @ .., _], [others @ .., _]) => lead == others,
        _ => false,
    };
    refuse_if!(
        !rows_agree,
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor \
             and input value tensor must match, but we got boundaries tensor {a:?} and input value tensor {b:?}"
    );
    Ok(indices(sorting::searchsorted(sorted, &values, right), c.bool(2)))
}

fn bucketize(c: &Call) -> Result<Value> {
    let (values, bounds) = (operand(c, 0)?, c.tensor(1)?);
    refuse_if!(bounds.ndim() != 1, "boundaries tensor must be 1 dimension, but got dim({})", bounds.ndim());
    Ok(indices(sorting::searchsorted(bounds, &values, c.bool(3)), c.bool(2)))
}

fn bincount(c: &Call) -> Result<Value> {
    let (x, weights, least) = (c.tensor(0)?, c.opt_tensor(1), c.int(2)?);
    if x.dtype().category() != Category::Integer {
        return Err(Error::unsupported_dtype("bincount_cpu", x.dtype()));
    }
    refuse_if!(least < 0, "minlength should be >= 0");
    if x.ndim() != 1 || x.to_i64_vec().iter().any(|&value| value < 0) {
        return Err(Error::runtime("bincount only supports 1-d non-negative integral inputs."));
    }
    if weights.is_some_and(|weights| weights.shape() != x.shape()) {
        return Err(Error::runtime("weights should be 1-d and have the same length as input"));
    }
    Ok(sorting::bincount(x, weights, least as usize)?.into())
}

fn isin(c: &Call) -> Result<Value> {
    let (elements, among) = (operand(c, 0)?, operand(c, 1)?);
    if [&elements, &among].iter().any(|tensor| tensor.dtype() == DType::Bool) {
        return Err(Error::runtime("Unsupported input type encountered for isin(): Bool"));
    }
    Ok(sorting::isin(&elements, &among, c.bool(3)).into())
}

/// Elements in order.
const fn ordered(name: &'static str, kind: OrderKind) -> Descriptor {
    Descriptor::new(name, OpFamily::Sort, Explanation::Ordered(kind))
}

rows![
    op(ordered("sort", OrderKind::Sort).grad("Sort"), BOTH, sort)
        .forms(&[
            "Tensor input, int dim=-1, bool descending=False",
            "Tensor input, *, bool? stable, int dim=-1, bool descending=False"
        ])
        .doc("The elements in order along a dimension, and their indices in the input.")
        .saving_result(),
    op(ordered("argsort", OrderKind::ArgSort), BOTH, argsort)
        .forms(&[
            "Tensor input, int dim=-1, bool descending=False",
            "Tensor input, int dim=-1, bool descending=False, bool stable=False"
        ])
        .doc("The indices that sort a tensor along a dimension."),
    op(ordered("topk", OrderKind::TopK).grad("Topk"), BOTH, topk)
        .forms(&["Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True"])
        .doc("The k largest (or smallest) elements along a dimension, and their indices.")
        .saving_result(),
    op(whole("unique", OpFamily::Sort).grad("Unique2"), BOTH, unique)
        .forms(&["Tensor input, hint sorted=True, bool return_inverse=False, bool return_counts=False, \
             int? dim=None"])
        .doc("The different elements, or slices along a dimension, in order."),
    op(whole("searchsorted", OpFamily::Sort), FUNCTION, searchsorted)
        .forms(&[
            "Tensor sorted_sequence, Operand input, *, bool out_int32=False, bool right=False, \
             str? side=None, only sorter=None",
            "Tensor sorted_sequence, Operand self, *, bool out_int32=False, bool right=False, \
             str? side=None, only sorter=None"
        ])
        .doc("Where elements would be put in to keep the order."),
    op(whole("bucketize", OpFamily::Sort), FUNCTION, bucketize)
        .forms(&["Operand input, Tensor boundaries, *, bool out_int32=False, bool right=False"])
        .doc("The number of the bucket each element falls into."),
    op(whole("bincount", OpFamily::Sort), BOTH, bincount)
        .forms(&["Tensor input, Tensor? weights=None, int minlength=0"])
        .doc("How often each whole number occurs."),
    op(whole("isin", OpFamily::Sort), FUNCTION, isin)
        .forms(&["Operand elements, Operand test_elements, *, hint assume_unique=False, bool invert=False"])
        .doc("Whether each element is among the others."),
];
