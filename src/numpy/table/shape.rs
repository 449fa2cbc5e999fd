//! Shapes: views of other shapes, joining and splitting, diagonals and triangles.

use rustpython_vm::{AsObject, PyResult};

use smallvec::smallvec;

use crate::numpy::complex;
use crate::numpy::context::array_of;
use crate::numpy::dtypes::{self, promote};
use crate::numpy::elementwise::stretched;
use crate::numpy::routine::{Answer, BOTH, Call, FUNCTION, METHOD, Others, Row, row};
use crate::numpy::text::tight;
use crate::tensor::{Arg, DType, Layout, Tensor};
use crate::torch::items;

fn reversed(c: &Call, x: &Tensor) -> PyResult<Tensor> {
    c.permuted(x, &(0..x.ndim()).rev().collect::<Vec<_>>())
}

/// In a new shape, of which one size may be unknown. Errors: another number of elements.
fn reshape(c: &Call, sizes: &[i64]) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    if sizes.iter().filter(|&&size| size < 0).count() > 1 {
        return Err(c.value_error("can only specify one unknown dimension"));
    }
    let count = x.numel();
    let known = sizes.iter().map(|&size| size.max(-1)).collect();
    let made = c.op("reshape", vec![Arg::Tensor(x), Arg::Ints(known)]).map_err(|error| {
        if !error.fast_isinstance(c.vm.ctx.exceptions.runtime_error) {
            return error;
        }
        let name = |&size: &i64| if size < 0 { "newaxis".to_owned() } else { size.to_string() };
        let names = sizes.iter().map(name).collect::<Vec<_>>().join(",");
        let end = if sizes.len() == 1 { "," } else { "" };
        c.value_error(format!("cannot reshape array of size {count} into shape ({names}{end})"))
    });
    Ok(Answer::Array(made?))
}

/// Whole numbers one after the other, or one sequence of them.
fn spread(c: &Call, at: usize) -> PyResult<Vec<i64>> {
    let given = c.object(at);
    match items(&given).unwrap_or_default().as_slice() {
        [one] => c.ints(one),
        all => all.iter().map(|item| c.whole(item)).collect(),
    }
}

fn flatten(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let flat = c.flat(&x)?;
    let is_view = flat.storage().same(x.storage());
    Ok(Answer::Array(if is_view { c.op("clone", vec![Arg::Tensor(flat)])? } else { flat }))
}

fn transpose(c: &Call, axes: Vec<i64>) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    if axes.is_empty() {
        return Ok(Answer::Array(reversed(c, &x)?));
    }
    if axes.len() != x.ndim() {
        return Err(c.value_error("axes don't match array"));
    }
    let mut order: Vec<usize> = Vec::new();
    for axis in axes {
        let axis = c.axis(axis, x.ndim())?;
        if order.contains(&axis) {
            return Err(c.value_error("repeated axis in transpose"));
        }
        order.push(axis);
    }
    Ok(Answer::Array(c.permuted(&x, &order)?))
}

fn transpose_method(c: &Call) -> PyResult<Answer> {
    let given = c.object(1);
    match items(&given).unwrap_or_default().as_slice() {
        [one] if c.vm.is_none(one) => transpose(c, Vec::new()),
        _ => transpose(c, spread(c, 1)?),
    }
}

fn swapaxes(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let [a, b] = [c.axis(c.int(1, 0)?, x.ndim())?, c.axis(c.int(2, 0)?, x.ndim())?];
    Ok(Answer::Array(c.op("transpose", vec![Arg::Tensor(x), Arg::Int(a as i64), Arg::Int(b as i64)])?))
}

fn squeeze(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let axes: Vec<usize> = match c.given(1) {
        Some(_) => c.axes(1, x.ndim())?,
        None => (0..x.ndim()).filter(|&axis| x.shape()[axis] == 1).collect(),
    };
    if axes.iter().any(|&axis| x.shape()[axis] != 1) {
        return Err(c.value_error("cannot select an axis to squeeze out which has size not equal to one"));
    }
    if axes.is_empty() {
        return Ok(match array_of(&c.object(0)) {
            Some(_) => Answer::Object(c.object(0)),
            None => Answer::Array(x),
        });
    }
    let dims = axes.into_iter().map(|axis| axis as i64).collect();
    Ok(Answer::Array(c.numpy.call_form("squeeze", 2, vec![Arg::Tensor(x), Arg::Ints(dims)], c.vm)?))
}

fn expand_dims(c: &Call) -> PyResult<Answer> {
    let mut x = c.tensor(0)?;
    let count = items(&c.object(1)).map_or(1, |items| items.len());
    let mut axes = c.axes(1, x.ndim() + count)?;
    axes.sort_unstable();
    for axis in axes {
        x = c.op("unsqueeze", vec![Arg::Tensor(x), Arg::Int(axis as i64)])?;
    }
    Ok(Answer::Array(x))
}

/// Arrays in one dtype: the one asked for, or the one that all can be cast to.
fn in_one_dtype(c: &Call, arrays: Vec<Tensor>) -> PyResult<Vec<Tensor>> {
    let common = arrays.iter().map(Tensor::dtype).reduce(promote);
    let Some(dtype) = c.dtype(3)?.or(common) else {
        return Err(c.value_error("need at least one array to concatenate"));
    };
    arrays
        .iter()
        .map(|tensor| match dtypes::can_cast(tensor.dtype(), dtype) {
            true => c.cast(tensor, dtype),
            false => Err(c.vm.new_type_error(format!(
                "Cannot cast array data from {} to {} according to the rule 'same_kind'",
                dtypes::shown(tensor.dtype()),
                dtypes::shown(dtype)
            ))),
        })
        .collect()
}

/// One after the other along an axis. Errors: other numbers of dimensions, other sizes.
fn joined(c: &Call, arrays: Vec<Tensor>, axis: i64) -> PyResult<Tensor> {
    let first = &arrays[0];
    if first.ndim() == 0 {
        return Err(c.value_error("zero-dimensional arrays cannot be concatenated"));
    }
    if let Some((at, other)) = arrays.iter().enumerate().find(|(_, it)| it.ndim() != first.ndim()) {
        return Err(c.value_error(format!(
            "all the input arrays must have same number of dimensions, but the array at index 0 has {} dimension(s) and \
             the array at index {at} has {} dimension(s)",
            first.ndim(),
            other.ndim()
        )));
    }
    let axis = c.axis(axis, first.ndim())?;
    for (at, other) in arrays.iter().enumerate() {
        let sizes = || first.shape().iter().zip(other.shape()).enumerate();
        if let Some((dim, (one, two))) = sizes().find(|(dim, (one, two))| *dim != axis && one != two) {
            return Err(c.value_error(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along dimension \
                 {dim}, the array at index 0 has size {one} and the array at index {at} has size {two}"
            )));
        }
    }
    c.op("cat", vec![Arg::Tensors(arrays), Arg::Int(axis as i64)])
}

fn concatenate(c: &Call) -> PyResult<Answer> {
    let is_flat = c.has(1) && c.given(1).is_none();
    let items = c.items(&c.object(0))?;
    let pairs: Option<Vec<Tensor>> = items.iter().map(|it| Some(complex::pairs_of(it)?.tensor())).collect();
    if let Some(pairs) = pairs.filter(|it| !is_flat && !it.is_empty()) {
        // Pairs are in the last dimension.
        let axis = c.axis(c.int(1, 0)?, pairs[0].ndim() - 1)? as i64;
        let made = joined(c, in_one_dtype(c, pairs)?, axis)?;
        return complex::made(c.numpy, c.numpy.array(made, c.vm), c.vm).map(Answer::Object);
    }
    let mut arrays = in_one_dtype(c, items.iter().map(|it| c.array(it)).collect::<PyResult<_>>()?)?;
    // `None`, and not the default, is all elements in one row.
    if is_flat {
        arrays = arrays.iter().map(|it| c.flat(it)).collect::<PyResult<_>>()?;
    }
    Ok(Answer::Array(joined(c, arrays, c.int(1, 0)?)?))
}

fn stack(c: &Call) -> PyResult<Answer> {
    let arrays: Vec<_> = c.items(&c.object(0))?.iter().map(|it| c.array(it)).collect::<PyResult<_>>()?;
    if arrays.is_empty() {
        return Err(c.value_error("need at least one array to stack"));
    }
    let arrays = in_one_dtype(c, arrays)?;
    if arrays.iter().any(|it| it.shape() != arrays[0].shape()) {
        return Err(c.value_error("all input arrays must have the same shape"));
    }
    let axis = c.axis(c.int(1, 0)?, arrays[0].ndim() + 1)?;
    Ok(Answer::Array(c.op("stack", vec![Arg::Tensors(arrays), Arg::Int(axis as i64)])?))
}

fn repeat(c: &Call) -> PyResult<Answer> {
    let (x, axis) = c.along(c.tensor(0)?, 2)?;
    let counts = c.tensor(1)?;
    let (form, count) = match counts.numel() {
        1 => (1, Arg::Int(counts.to_i64_vec()[0])),
        each if each == x.shape()[axis] => (0, Arg::Tensor(c.flat(&c.cast(&counts, DType::Int64)?)?)),
        other => {
            let size = x.shape()[axis];
            let text = format!("operands could not be broadcast together with shape ({size},) ({other},)");
            return Err(c.value_error(text));
        }
    };
    let args = vec![Arg::Tensor(x), count, Arg::Int(axis as i64)];
    Ok(Answer::Array(c.numpy.call_form("repeat_interleave", form, args, c.vm)?))
}

fn broadcast_to(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let sizes = c.ints(&c.object(1))?;
    let shape: Vec<usize> = sizes.iter().map(|&size| size.max(0) as usize).collect();
    if stretched(&x, &shape, c.vm).is_err() {
        return Err(c.value_error(match shape.len() < x.ndim() {
            true => "input operand has more dimensions than allowed by the axis remapping".to_owned(),
            false => format!(
                "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and requested \
                 shape {}",
                tight(x.shape()),
                tight(&shape)
            ),
        }));
    }
    Ok(Answer::Array(c.op("broadcast_to", vec![Arg::Tensor(x), Arg::Ints(sizes)])?))
}

fn item(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let count = x.numel();
    let at = match c.given(1) {
        Some(at) => c.whole(at)?,
        None if count == 1 => 0,
        None => return Err(c.value_error("can only convert an array of size 1 to a Python scalar")),
    };
    if at < -(count as i64) || at >= count as i64 {
        return Err(c.vm.new_index_error(format!("index {at} is out of bounds for size {count}")));
    }
    let offset = x.layout().position(if at < 0 { at + count as i64 } else { at } as usize);
    let one = x.with_layout(Layout { shape: smallvec![], strides: smallvec![], offset });
    Ok(Answer::Object(crate::numpy::scalar::python(&one.first(), c.vm)))
}

/// a, offset, axis1, axis2
fn diagonal(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    if x.ndim() < 2 {
        return Err(c.value_error("diag requires an array of at least two dimensions"));
    }
    let [a, b] = [c.axis(c.int(2, 0)?, x.ndim())?, c.axis(c.int(3, 1)?, x.ndim())?];
    let args = [c.int(1, 0)?, a as i64, b as i64].map(Arg::Int);
    Ok(Answer::Array(c.op("diagonal", std::iter::once(Arg::Tensor(x)).chain(args).collect())?))
}

fn diag(c: &Call) -> PyResult<Answer> {
    let (x, k) = (c.tensor(0)?, Arg::Int(c.int(1, 0)?));
    match x.ndim() {
        1 => Ok(Answer::Array(c.op("diag", vec![Arg::Tensor(x), k])?)),
        2 => Ok(Answer::Array(c.op("diagonal", vec![Arg::Tensor(x), k, Arg::Int(0), Arg::Int(1)])?)),
        _ => Err(c.value_error("Input must be 1- or 2-d.")),
    }
}

/// `tril` and `triu`: a row is repeated to a square.
fn triangle(c: &Call, name: &'static str) -> PyResult<Answer> {
    let mut x = c.tensor(0)?;
    if let &[n] = x.shape() {
        x = c.op("broadcast_to", vec![Arg::Tensor(x), Arg::Ints(vec![n as i64; 2])])?;
    }
    Ok(Answer::Array(c.op(name, vec![Arg::Tensor(x), Arg::Int(c.int(1, 0)?)])?))
}

pub(super) static ROWS: [Row; 19] = [
    row("reshape", FUNCTION, "a, newshape", |c| reshape(c, &c.ints(&c.object(1))?))
        .others(Others::ConvertBack),
    row("reshape", METHOD, "self, *shape", |c| reshape(c, &spread(c, 1)?)),
    row("ravel", BOTH, "a", |c| Ok(Answer::Array(c.flat(&c.tensor(0)?)?))),
    row("flatten", METHOD, "self", flatten),
    row("transpose", FUNCTION, "a, axes=None", |c| {
        transpose(c, c.given(1).map_or(Ok(Vec::new()), |axes| c.ints(axes))?)
    })
    .others(Others::ConvertBack),
    row("transpose", METHOD, "self, *axes", transpose_method),
    row("swapaxes", BOTH, "a, axis1, axis2", swapaxes).others(Others::ConvertBack),
    row("squeeze", BOTH, "a, axis=None", squeeze).others(Others::ConvertBack),
    row("expand_dims", FUNCTION, "a, axis", expand_dims),
    row("concatenate", FUNCTION, "arrays, axis=0, out=None, *, dtype=None", concatenate),
    row("stack", FUNCTION, "arrays, axis=0, out=None, *, dtype=None", stack),
    row("tile", FUNCTION, "A, reps", |c| {
        let times = c.ints(&c.object(1))?;
        Ok(Answer::Array(c.op("tile", vec![Arg::Tensor(c.tensor(0)?), Arg::Ints(times)])?))
    }),
    row("repeat", BOTH, "a, repeats, axis=None", repeat).others(Others::ConvertBack),
    row("broadcast_to", FUNCTION, "array, shape", broadcast_to),
    row("item", METHOD, "self, at=None", item),
    row("diagonal", BOTH, "a, offset=0, axis1=0, axis2=1", diagonal),
    row("diag", FUNCTION, "v, k=0", diag),
    row("tril", FUNCTION, "m, k=0", |c| triangle(c, "tril")),
    row("triu", FUNCTION, "m, k=0", |c| triangle(c, "triu")),
];
