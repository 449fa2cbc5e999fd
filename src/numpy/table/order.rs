//! Sorting, choosing, rounding and limits.

use std::rc::Rc;

use rustpython_vm::PyResult;
use smallvec::smallvec;

use crate::numpy::dtypes::{Operand, result_type};
use crate::numpy::elementwise::{argument, broadcast, copy_into};
use crate::numpy::routine::{Answer, BOTH, Call, FUNCTION, METHOD, Others, Row, row};
use crate::tensor::{Arg, Category, DType, Index, Indices, Tensor};

/// Errors: a kind of sorting that NumPy does not have.
fn check_kind(c: &Call) -> PyResult<()> {
    let Some(kind) = c.given(2) else { return Ok(()) };
    let kind = kind.str(c.vm)?.to_string();
    if ["quicksort", "mergesort", "heapsort", "stable"].contains(&kind.as_str()) {
        return Ok(());
    }
    Err(c.value_error(format!("sort kind must be one of 'quick', 'heap', or 'stable' (got '{kind}')")))
}

/// The array and the axis to sort along: the last one if none was given, all elements in one row for `None`.
fn along(c: &Call, axis: usize) -> PyResult<(Tensor, usize)> {
    let x = c.tensor(0)?;
    match c.has(axis) {
        true => c.along(x, axis),
        false => {
            let last = c.axis(-1, x.ndim())?;
            Ok((x, last))
        }
    }
}

fn sorted(c: &Call, axis: usize) -> PyResult<Tensor> {
    let (x, axis) = along(c, axis)?;
    let args = vec![Arg::Tensor(x), Arg::Int(axis as i64), Arg::Bool(false)];
    c.op("sort", args)
}

fn sort(c: &Call) -> PyResult<Answer> {
    check_kind(c)?;
    Ok(Answer::Array(sorted(c, 1)?))
}

fn sort_in_place(c: &Call) -> PyResult<Answer> {
    check_kind(c)?;
    copy_into(c.numpy, &c.tensor(0)?, &sorted(c, 1)?, c.vm)?;
    Ok(Answer::Object(c.vm.ctx.none()))
}

fn places(c: &Call, axis: usize) -> PyResult<Answer> {
    let (x, axis) = along(c, axis)?;
    let args = vec![Arg::Tensor(x), Arg::Int(axis as i64), Arg::Bool(false), Arg::Bool(true)];
    Ok(Answer::Array(c.numpy.call_form("argsort", 1, args, c.vm)?))
}

fn argsort(c: &Call) -> PyResult<Answer> {
    check_kind(c)?;
    places(c, 1)
}

/// The places of the elements that are not zero, axis by axis.
fn nonzero(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    if x.ndim() == 0 {
        let text =
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.";
        return Err(c.value_error(text));
    }
    let dims = x.ndim() as i64;
    let found = c.op("nonzero", vec![Arg::Tensor(x)])?;
    let column = |axis: i64| {
        let one = c.op("select", vec![Arg::Tensor(found.clone()), Arg::Int(1), Arg::Int(axis)])?;
        c.op("clone", vec![Arg::Tensor(one)])
    };
    let columns = (0..dims).map(|axis| Ok(c.wrap(column(axis)?))).collect::<PyResult<_>>()?;
    Ok(Answer::Object(c.vm.ctx.new_tuple(columns).into()))
}

fn choose(c: &Call) -> PyResult<Answer> {
    if !c.has(1) && !c.has(2) {
        return nonzero(c);
    }
    if !c.has(1) || !c.has(2) {
        return Err(c.value_error("either both or neither of x and y should be given"));
    }
    let (condition, pair) = (c.tensor(0)?, [c.operand(1)?, c.operand(2)?]);
    let [x, y] = [&pair[0].tensor, &pair[1].tensor];
    broadcast([condition.shape(), x.shape(), y.shape()].into_iter(), c.vm)?;
    let dtype = result_type(&pair);
    // A number stays one beside an array, so that it can be explained.
    let part = |at: usize| argument(c.numpy, &pair[at], dtype, pair[1 - at].number.is_none(), c.vm);
    let args = vec![Arg::Tensor(c.cast(&condition, DType::Bool)?), part(0)?, part(1)?];
    Ok(Answer::Array(c.op("where", args)?))
}

/// Indices along an axis that has `size` elements.
fn indices(c: &Call, indices: &Tensor, axis: usize, size: usize) -> PyResult<Tensor> {
    if indices.dtype().category() == Category::Float && indices.numel() > 0 {
        return Err(c.vm.new_index_error("arrays used as indices must be of integer (or boolean) type"));
    }
    if size == 0 && indices.numel() > 0 {
        return Err(c.vm.new_index_error("cannot do a non-empty take from an empty axes."));
    }
    let places = c.cast(indices, DType::Int64)?;
    let ends = size as i64;
    match places.to_i64_vec().into_iter().find(|at| !(-ends..ends).contains(at)) {
        Some(at) => {
            let text = format!("index {at} is out of bounds for axis {axis} with size {size}");
            Err(c.vm.new_index_error(text))
        }
        None => Ok(places),
    }
}

fn take(c: &Call) -> PyResult<Answer> {
    let (x, axis) = c.along(c.tensor(0)?, 2)?;
    let at = indices(c, &c.tensor(1)?, axis, x.shape()[axis])?;
    let mut parts: Indices = smallvec![Index::Slice { start: None, stop: None, step: None }; axis];
    parts.push(Index::Tensor(at));
    let made = c.op("getitem", vec![Arg::Tensor(x), Arg::Index(Rc::new(parts))])?;
    Ok(Answer::Result(made))
}

/// Between a lower and an upper limit, of which one may be missing.
fn clip(c: &Call) -> PyResult<Answer> {
    let limit = |at: usize| c.given(at).map(|_| c.operand(at)).transpose();
    let (mut x, low, high) = (c.operand(0)?, limit(1)?, limit(2)?);
    let operands: Vec<Operand> = [Some(x.clone()), low.clone(), high.clone()].into_iter().flatten().collect();
    if operands.len() == 1 {
        return Err(c.value_error("One of max or min must be given"));
    }
    let is_float = x.tensor.dtype().category() == Category::Float && x.number.is_none();
    let are_numbers = operands[1..].iter().all(|it| it.number.is_some());
    if is_float && are_numbers && result_type(&operands) == x.tensor.dtype() {
        let number = |limit: Option<Operand>| limit.and_then(|it| it.number).unwrap_or(Arg::None);
        let args = vec![Arg::Tensor(x.tensor), number(low), number(high)];
        return Ok(Answer::Result(c.op("clamp", args)?));
    }
    for (limit, function) in [(low, "maximum"), (high, "minimum")] {
        if let Some(limit) = limit {
            x = Operand::new(c.elementwise(function, &[x, limit])?);
        }
    }
    Ok(Answer::Result(x.tensor))
}

fn round(c: &Call) -> PyResult<Answer> {
    let (x, decimals) = (c.tensor(0)?, c.int(1, 0)?);
    let scale = 10f64.powi(decimals.unsigned_abs() as i32);
    let op = |name: &'static str, x: Tensor| c.op(name, vec![Arg::Tensor(x), Arg::Float(scale)]);
    let nearest = |x: Tensor| c.op("round", vec![Arg::Tensor(x)]);
    let dtype = x.dtype();
    Ok(Answer::Result(match dtype.category() {
        Category::Bool => c.cast(&x, DType::Float16)?,
        Category::Integer if decimals >= 0 => c.op("clone", vec![Arg::Tensor(x)])?,
        Category::Integer => c.cast(&op("mul", nearest(op("div", c.cast(&x, DType::Float64)?)?)?)?, dtype)?,
        Category::Float if decimals == 0 => nearest(x)?,
        Category::Float if decimals > 0 => op("div", nearest(op("mul", x)?)?)?,
        Category::Float => op("mul", nearest(op("div", x)?)?)?,
    }))
}

const SORT: &str = "a, axis=-1, kind=None";

pub(super) static ROWS: [Row; 11] = [
    row("sort", FUNCTION, SORT, sort),
    row("sort", METHOD, SORT, sort_in_place),
    row("argsort", BOTH, SORT, argsort).others(Others::ConvertBack),
    row("argpartition", BOTH, "a, kth, axis=-1", |c| places(c, 2)),
    row("nonzero", BOTH, "a", nonzero),
    row("argwhere", FUNCTION, "a", |c| Ok(Answer::Array(c.op("nonzero", vec![Arg::Tensor(c.tensor(0)?)])?))),
    row("where", FUNCTION, "condition, x=None, y=None", choose),
    row("take", BOTH, "a, indices, axis=None, out=None", take).others(Others::ConvertBack),
    row("clip", FUNCTION, "a, a_min, a_max, out=None", clip).others(Others::ConvertBack),
    row("clip", METHOD, "self, min=None, max=None, out=None", clip),
    row("round", BOTH, "a, decimals=0, out=None", round).others(Others::ConvertBack),
];
