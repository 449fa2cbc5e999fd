//! Sums, means, extremes, truths and places, over all elements or along axes.

use rustpython_vm::PyResult;

use crate::kernel::stop;
use crate::numpy::reduce::{Fold, over};
use crate::numpy::routine::{Answer, BOTH, Call, Others, Row, row};
use crate::tensor::{Arg, Category, DType, Tensor};
use crate::torch::OrRaise;

/// The sum or the product along axes, in the dtype of the array and in NumPy's order.
fn folded(c: &Call, x: &Tensor, axes: &[usize], keepdims: bool, what: Fold) -> PyResult<Tensor> {
    let made = stop::leavable(|| over(x, axes, what)).or_raise(c.vm)?;
    let mut layout = made.layout().clone();
    if keepdims {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().for_each(|axis| layout = layout.unsqueeze(axis));
    }
    let made = made.with_layout(layout);
    let dims: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
    let input = Arg::Tensor(x.clone());
    let (name, form, args) = match what {
        Fold::Sum => ("sum", 1, vec![input, Arg::Ints(dims), Arg::Bool(keepdims), Arg::None]),
        Fold::Product if axes.len() == 1 => {
            ("prod", 1, vec![input, Arg::Int(dims[0]), Arg::Bool(keepdims), Arg::None])
        }
        Fold::Product => ("prod", 0, vec![input, Arg::None]),
    };
    let is_operation = match what {
        Fold::Sum => !axes.is_empty(),
        Fold::Product => axes.len() == 1 || axes.len() == x.ndim() && !keepdims,
    };
    match is_operation {
        true => c.numpy.made(&made, name, form, args, c.vm),
        false => c.numpy.given(&made, c.vm),
    }
    Ok(made)
}

/// In the dtype asked for; otherwise whole numbers and bools as int64.
fn summed(c: &Call, x: &Tensor, dtype: Option<DType>) -> PyResult<Tensor> {
    c.cast(x, dtype.unwrap_or(if x.dtype().is_float() { x.dtype() } else { DType::Int64 }))
}

/// `sum` and `prod`: a, axis, dtype, out, keepdims.
fn total(c: &Call, what: Fold) -> PyResult<Answer> {
    let x = summed(c, &c.tensor(0)?, c.dtype(2)?)?;
    Ok(Answer::Result(folded(c, &x, &c.axes(1, x.ndim())?, c.flag(4)?, what)?))
}

/// How many elements the axes have together.
fn count(x: &Tensor, axes: &[usize]) -> usize {
    axes.iter().map(|&axis| x.shape()[axis]).product()
}

/// The dtype in which means are computed.
fn wide(x: &Tensor, asked: Option<DType>) -> DType {
    asked.unwrap_or(match x.dtype() {
        DType::Float16 => DType::Float32,
        dtype if dtype.category() == Category::Float => dtype,
        _ => DType::Float64,
    })
}

fn divided(c: &Call, x: Tensor, divisor: f64) -> PyResult<Tensor> {
    c.op("div", vec![Arg::Tensor(x), Arg::Float(divisor)])
}

/// In float16 where the array has that and no other dtype was asked for.
fn narrow(c: &Call, x: &Tensor, asked: Option<DType>, made: Tensor) -> PyResult<Tensor> {
    match (asked, x.dtype()) {
        (None, DType::Float16) => c.cast(&made, DType::Float16),
        _ => Ok(made),
    }
}

fn mean(c: &Call) -> PyResult<Answer> {
    let (x, asked) = (c.tensor(0)?, c.dtype(2)?);
    let axes = c.axes(1, x.ndim())?;
    let count = count(&x, &axes);
    if count == 0 {
        c.warn("Mean of empty slice.")?;
    }
    let total = folded(c, &c.cast(&x, wide(&x, asked))?, &axes, c.flag(4)?, Fold::Sum)?;
    let made = divided(c, total, count as f64)?;
    Ok(Answer::Result(narrow(c, &x, asked, made)?))
}

/// a, axis, dtype, out, ddof, keepdims
fn variance(c: &Call) -> PyResult<Tensor> {
    let (x, asked) = (c.tensor(0)?, c.dtype(2)?);
    let axes = c.axes(1, x.ndim())?;
    let count = count(&x, &axes) as f64;
    let ddof = c.given(4).map_or(Ok(0.0), |it| it.try_float(c.vm).map(|it| it.to_f64()))?;
    if count - ddof <= 0.0 {
        c.warn("Degrees of freedom <= 0 for slice")?;
    }
    let values = c.cast(&x, wide(&x, asked))?;
    let centre = divided(c, folded(c, &values, &axes, true, Fold::Sum)?, count)?;
    let apart = c.op("sub", vec![Arg::Tensor(values), Arg::Tensor(centre), Arg::Int(1)])?;
    let squares = c.op("mul", vec![Arg::Tensor(apart.clone()), Arg::Tensor(apart)])?;
    let total = folded(c, &squares, &axes, c.flag(5)?, Fold::Sum)?;
    let made = divided(c, total, (count - ddof).max(0.0))?;
    narrow(c, &x, asked, made)
}

/// a, axis, out, keepdims
fn extreme(c: &Call, name: &'static str) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let axes = c.axes(1, x.ndim())?;
    if count(&x, &axes) == 0 {
        let function = if name == "amax" { "maximum" } else { "minimum" };
        let text = format!("zero-size array to reduction operation {function} which has no identity");
        return Err(c.value_error(text));
    }
    if axes.is_empty() {
        return Ok(Answer::Result(x));
    }
    let dims = axes.iter().map(|&axis| axis as i64).collect();
    Ok(Answer::Result(c.op(name, vec![Arg::Tensor(x), Arg::Ints(dims), Arg::Bool(c.flag(3)?)])?))
}

/// a, axis, out, keepdims
fn truth(c: &Call, name: &'static str) -> PyResult<Answer> {
    let x = c.cast(&c.tensor(0)?, DType::Bool)?;
    let axes = c.axes(1, x.ndim())?;
    if axes.is_empty() {
        return Ok(Answer::Result(x));
    }
    let dims = axes.into_iter().map(|axis| axis as i64).collect();
    let args = vec![Arg::Tensor(x), Arg::Ints(dims), Arg::Bool(c.flag(3)?)];
    Ok(Answer::Result(c.numpy.call_form(name, 1, args, c.vm)?))
}

/// a, axis, out, keepdims
fn place(c: &Call, name: &'static str) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let (rows, axis) = c.along(x.clone(), 1)?;
    if rows.shape()[axis] == 0 {
        return Err(c.value_error(format!("attempt to get {name} of an empty sequence")));
    }
    let rows = if rows.dtype() == DType::Bool { c.cast(&rows, DType::Int64)? } else { rows };
    let keepdims = c.flag(3)?;
    let is_whole = c.given(1).is_none();
    let args = vec![Arg::Tensor(rows), Arg::Int(axis as i64), Arg::Bool(keepdims && !is_whole)];
    let made = c.op(name, args)?;
    Ok(Answer::Result(if keepdims && is_whole { c.reshaped(&made, &vec![1; x.ndim()])? } else { made }))
}

/// a, axis, dtype, out
fn running(c: &Call, name: &'static str) -> PyResult<Answer> {
    let x = summed(c, &c.tensor(0)?, c.dtype(2)?)?;
    let (x, axis) = c.along(x, 1)?;
    Ok(Answer::Array(c.op(name, vec![Arg::Tensor(x), Arg::Int(axis as i64)])?))
}

const TOTAL: &str = "a, axis=None, dtype=None, out=None, keepdims=False";
const TRUTH: &str = "a, axis=None, out=None, keepdims=False";
const PLACE: &str = "a, axis=None, out=None, *, keepdims=False";
const SPREAD: &str = "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False";
const RUNNING: &str = "a, axis=None, dtype=None, out=None";
/// The keywords that NumPy always passes to the methods of other classes.
const USUAL: Others = Others::Delegate(&["axis", "out"]);
const TYPED: Others = Others::Delegate(&["axis", "dtype", "out"]);

pub(super) static ROWS: [Row; 13] = [
    row("sum", BOTH, TOTAL, |c| total(c, Fold::Sum)).others(USUAL),
    row("prod", BOTH, TOTAL, |c| total(c, Fold::Product)).others(USUAL),
    row("mean", BOTH, TOTAL, mean).others(TYPED),
    row("var", BOTH, SPREAD, |c| Ok(Answer::Result(variance(c)?))).others(TYPED),
    row("std", BOTH, SPREAD, |c| Ok(Answer::Result(c.ufunc("sqrt", &[&variance(c)?])?))).others(TYPED),
    row("max", BOTH, TRUTH, |c| extreme(c, "amax")).others(USUAL),
    row("min", BOTH, TRUTH, |c| extreme(c, "amin")).others(USUAL),
    row("any", BOTH, TRUTH, |c| truth(c, "any")).others(USUAL),
    row("all", BOTH, TRUTH, |c| truth(c, "all")).others(USUAL),
    row("argmax", BOTH, PLACE, |c| place(c, "argmax")).others(Others::ConvertBack),
    row("argmin", BOTH, PLACE, |c| place(c, "argmin")).others(Others::ConvertBack),
    row("cumsum", BOTH, RUNNING, |c| running(c, "cumsum")).others(Others::ConvertBack),
    row("cumprod", BOTH, RUNNING, |c| running(c, "cumprod")).others(Others::ConvertBack),
];
