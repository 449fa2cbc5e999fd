//! Arrays from nothing and from data.

use rustpython_vm::PyObjectRef;
use rustpython_vm::PyResult;
use rustpython_vm::VirtualMachine;

use std::rc::Rc;

use crate::kernel::buffer_pool;
use crate::numpy::context::{Numpy, array_of};
use crate::numpy::dtypes::{Operand, result_type};
use crate::numpy::routine::{Answer, Call, FUNCTION, METHOD, Row, row};
use crate::numpy::{convert, scalar};
use crate::tensor::{Arg, Buffer, Category, DType, Lane, Tensor, allow};
use crate::torch::OrRaise;

/// `numpy.array(object, dtype)`: the object itself, if it is an array of this dtype and no copy is wanted.
fn array_of_data(
    numpy: &Rc<Numpy>,
    object: &PyObjectRef,
    dtype: Option<DType>,
    copy: bool,
    vm: &VirtualMachine,
) -> PyResult {
    let known = array_of(object);
    if !copy && known.as_ref().is_some_and(|it| dtype.is_none_or(|dtype| dtype == it.dtype())) {
        return Ok(object.clone());
    }
    let is_array = known.is_some();
    let shared = known.or_else(|| crate::torch::tensor_of(object));
    let tensor = convert::tensor(numpy, object, dtype, vm)?;
    let is_shared = shared.is_some_and(|it| it.storage().same(tensor.storage()));
    Ok(match (copy, is_shared) {
        (true, true) => numpy.array(numpy.call("clone", vec![Arg::Tensor(tensor)], vm)?, vm),
        (false, true) if !is_array => numpy.viewed(tensor, Some(object.clone()), vm),
        _ => numpy.array(tensor, vm),
    })
}

fn array(c: &Call) -> PyResult<Answer> {
    let copy = c.given(2).map_or(Ok(true), |it| it.clone().try_to_bool(c.vm))?;
    let mut made = array_of_data(c.numpy, &c.object(0), c.dtype(1)?, copy, c.vm)?;
    let least = c.int(3, 0)? as usize;
    if let Some(tensor) = array_of(&made).filter(|tensor| tensor.ndim() < least) {
        let mut shape = vec![1; least - tensor.ndim()];
        shape.extend_from_slice(tensor.shape());
        made = c.numpy.array(c.reshaped(&tensor, &shape)?, c.vm);
    }
    Ok(Answer::Object(made))
}

fn asarray(c: &Call) -> PyResult<Answer> {
    Ok(Answer::Object(array_of_data(c.numpy, &c.object(0), c.dtype(1)?, false, c.vm)?))
}

fn copy(c: &Call) -> PyResult<Answer> {
    let made = c.op("clone", vec![Arg::Tensor(c.tensor(0)?)])?;
    // The method returns rows one after the other, the function keeps the order in memory.
    Ok(Answer::Array(match c.row.places == METHOD {
        true => c.op("contiguous", vec![Arg::Tensor(made)])?,
        false => made,
    }))
}

/// The shape that an object means. Errors: a negative size.
fn shape(c: &Call, object: &PyObjectRef) -> PyResult<Vec<i64>> {
    if scalar::number(object, c.vm).is_some_and(|it| it.0.is_float()) {
        let text = object.repr(c.vm)?;
        return Err(c
            .vm
            .new_type_error(format!("expected a sequence of integers or a single integer, got '{text}'")));
    }
    let sizes = c.ints(object)?;
    match sizes.iter().any(|&size| size < 0) {
        true => Err(c.value_error("negative dimensions are not allowed")),
        false => Ok(sizes),
    }
}

/// One number everywhere.
fn full_of(c: &Call, sizes: Vec<i64>, number: &Arg, dtype: DType) -> PyResult<Answer> {
    let args = vec![
        Arg::Ints(sizes),
        scalar::converted(number, dtype),
        Arg::DType(dtype),
        Arg::None,
        Arg::None,
        Arg::Bool(false),
    ];
    Ok(Answer::Array(c.op("full", args)?))
}

fn filled(c: &Call, number: i64) -> PyResult<Answer> {
    let dtype = c.dtype(1)?.unwrap_or(DType::Float64);
    full_of(c, shape(c, &c.object(0))?, &Arg::Int(number), dtype)
}

fn filled_like(c: &Call, number: i64) -> PyResult<Answer> {
    let like = c.tensor(0)?;
    let sizes = match c.given(2) {
        Some(object) => shape(c, object)?,
        None => like.shape().iter().map(|&size| size as i64).collect(),
    };
    full_of(c, sizes, &Arg::Int(number), c.dtype(1)?.unwrap_or(like.dtype()))
}

/// Elements of `value`, broadcast to a shape.
fn spread(c: &Call, sizes: Vec<i64>, value: usize, dtype: Option<DType>) -> PyResult<Answer> {
    let object = c.object(value);
    if let Some((own, number)) = scalar::number(&object, c.vm) {
        return full_of(c, sizes, &number, dtype.unwrap_or(own));
    }
    let values = c.array(&object)?;
    let shape: Vec<usize> = sizes.iter().map(|&size| size as usize).collect();
    crate::numpy::elementwise::stretched(&values, &shape, c.vm)?;
    let values = c.cast(&values, dtype.unwrap_or(values.dtype()))?;
    let values = c.op("broadcast_to", vec![Arg::Tensor(values), Arg::Ints(sizes)])?;
    let copied = c.op("clone", vec![Arg::Tensor(values)])?;
    Ok(Answer::Array(c.op("contiguous", vec![Arg::Tensor(copied)])?))
}

fn full(c: &Call) -> PyResult<Answer> {
    spread(c, shape(c, &c.object(0))?, 1, c.dtype(2)?)
}

fn full_like(c: &Call) -> PyResult<Answer> {
    let like = c.tensor(0)?;
    let sizes = like.shape().iter().map(|&size| size as i64).collect();
    spread(c, sizes, 1, Some(c.dtype(2)?.unwrap_or(like.dtype())))
}

fn arange(c: &Call) -> PyResult<Answer> {
    let number = |at: usize, default: i64| match c.given(at) {
        None => Ok(Operand {
            tensor: scalar::tensor(DType::Int64, &Arg::Int(default)),
            number: Some(Arg::Int(default)),
        }),
        Some(object) => crate::numpy::elementwise::operand(c.numpy, object, c.vm),
    };
    let (first, stop) = match (c.given(0), c.given(1)) {
        (None, None) => return Err(c.vm.new_type_error("arange() requires stop to be specified.")),
        (_, None) => (number(usize::MAX, 0)?, number(0, 0)?),
        _ => (number(0, 0)?, number(1, 0)?),
    };
    let operands = [first, stop, number(2, 1)?];
    let asked = c.dtype(3)?;
    let dtype = asked.unwrap_or_else(|| result_type(&operands));
    let [start, stop, step] = operands.map(|it| it.number);
    let (Some(start), Some(stop), Some(step)) = (start, stop, step) else {
        return Err(c.vm.new_type_error("only length-1 arrays can be converted to Python scalars"));
    };
    let [x, end, by] = [&start, &stop, &step].map(|it| it.number().unwrap_or(f64::NAN));
    if by == 0.0 {
        return Err(c.vm.new_zero_division_error("division by zero"));
    }
    let exact = |number: &Arg| match *number {
        Arg::Int(value) => Some(i128::from(value)),
        Arg::Bool(value) => Some(i128::from(value)),
        _ => None,
    };
    if let (Some(first), Some(end), Some(step), Category::Integer) =
        (exact(&start), exact(&stop), exact(&step), dtype.category())
    {
        // The end is the first number that is left out, so far as an int64 has it.
        let count = ((end - first + step - step.signum()) / step).max(0);
        let end = (first + count * step).clamp(i64::MIN.into(), i64::MAX.into());
        let args = [first, end, step].map(|number| Arg::Int(number as i64));
        let args = args.into_iter().chain([Arg::DType(dtype)]).collect();
        return Ok(Answer::Array(c.numpy.call_form("arange", 1, args, c.vm)?));
    }
    let count = ((end - x) / by).ceil();
    if count.is_nan() {
        return Err(c.value_error("arange: cannot compute length"));
    }
    let count = count.max(0.0) as usize;
    allow(&[count], dtype).or_raise(c.vm)?;
    // The first two numbers are converted to the dtype, and their difference is the step.
    let first = scalar::converted(&start, dtype).number().unwrap_or(0.0);
    let second = scalar::converted(&Arg::Float(x + by), dtype).number().unwrap_or(0.0);
    let difference = scalar::converted(&Arg::Float(second - first), dtype).number().unwrap_or(0.0);
    let made = of_numbers(|at| first + at as f64 * difference, [count], dtype);
    let args = vec![Arg::Float(first), stop, Arg::Float(difference), Arg::DType(dtype)];
    c.numpy.made(&made, "arange", 1, args, c.vm);
    Ok(Answer::Array(made))
}

/// An array of numbers that are computed in double precision from their places.
fn of_numbers(number: impl Fn(usize) -> f64, shape: impl AsRef<[usize]>, dtype: DType) -> Tensor {
    let count = shape.as_ref().iter().product();
    let buffer = match dtype.lane() {
        Lane::F64 => Buffer::F64(buffer_pool::made(count, number)),
        Lane::F32 => Buffer::F32(buffer_pool::made(count, |at| dtype.round_f32(number(at) as f32))),
        Lane::I64 => Buffer::I64(buffer_pool::made(count, |at| dtype.wrap_i64(number(at) as i64))),
        Lane::Bool => Buffer::Bool(buffer_pool::made(count, |at| number(at) != 0.0)),
    };
    Tensor::new(buffer, shape, dtype)
}

fn linspace(c: &Call) -> PyResult<Answer> {
    let ends = [0, 1].map(|at| {
        scalar::number(&c.object(at), c.vm).and_then(|it| scalar::converted(&it.1, DType::Float64).number())
    });
    let [Some(start), Some(stop)] = ends else {
        return Err(c.vm.new_not_implemented_error(
            "linspace() of arrays is not part of attn's numpy: it takes two numbers",
        ));
    };
    let count = c.int(2, 50)?;
    if count < 0 {
        return Err(c.value_error(format!("Number of samples, {count}, must be non-negative.")));
    }
    let has_end = c.given(3).map_or(Ok(true), |it| it.clone().try_to_bool(c.vm))?;
    let dtype = c.dtype(4)?.unwrap_or(DType::Float64);
    let count = count as usize;
    allow(&[count], DType::Float64).or_raise(c.vm)?;
    let parts = if has_end { count as f64 - 1.0 } else { count as f64 };
    let (distance, step) = (stop - start, (stop - start) / parts);
    let along = |i: usize| match () {
        () if step != 0.0 && parts > 0.0 => i as f64 * step + start,
        () if parts > 0.0 => i as f64 / parts * distance + start,
        () => i as f64 * distance + start,
    };
    let at = |i: usize| if has_end && count > 1 && i == count - 1 { stop } else { along(i) };
    let made = match dtype.category() {
        Category::Integer => of_numbers(|i| at(i).floor(), [count], dtype),
        _ => of_numbers(at, [count], dtype),
    };
    let args = vec![Arg::Float(start), Arg::Float(stop), Arg::Int(count as i64), Arg::DType(dtype)];
    c.numpy.made(&made, "linspace", 0, args, c.vm);
    Ok(Answer::Array(made))
}

/// Ones on a diagonal.
fn eye(c: &Call, rows: i64, columns: i64, k: i64, dtype: Option<DType>) -> PyResult<Answer> {
    let (rows, columns, dtype) = (rows.max(0), columns.max(0), dtype.unwrap_or(DType::Float64));
    if k == 0 {
        return Ok(Answer::Array(c.op("eye", vec![Arg::Int(rows), Arg::Int(columns), Arg::DType(dtype)])?));
    }
    allow(&[rows as usize, columns as usize], dtype).or_raise(c.vm)?;
    let one = |at: usize| at as i64 % columns == (at as i64 / columns).wrapping_add(k);
    let made = of_numbers(|at| f64::from(u8::from(one(at))), [rows as usize, columns as usize], dtype);
    c.numpy.made(&made, "eye", 0, vec![Arg::Int(rows), Arg::Int(columns), Arg::DType(dtype)], c.vm);
    Ok(Answer::Array(made))
}

fn astype(c: &Call) -> PyResult<Answer> {
    let x = c.tensor(0)?;
    let dtype = c.dtype(1)?.unwrap_or(DType::Float64);
    let copy = c.given(2).map_or(Ok(true), |it| it.clone().try_to_bool(c.vm))?;
    match (x.dtype() == dtype, copy) {
        (true, true) => Ok(Answer::Array(c.op("clone", vec![Arg::Tensor(x)])?)),
        (true, false) => Ok(Answer::Object(c.object(0))),
        (false, _) => Ok(Answer::Array(c.cast(&x, dtype)?)),
    }
}

pub(super) static ROWS: [Row; 19] = [
    row("array", FUNCTION, "object, dtype=None, *, copy=True, ndmin=0", array),
    row("asarray", FUNCTION, "a, dtype=None", asarray),
    row("copy", FUNCTION, "a", copy),
    row("copy", METHOD, "self", copy),
    row("__copy__", METHOD, "self", copy),
    row("__deepcopy__", METHOD, "self, memo", copy),
    row("astype", METHOD, "self, dtype, *, copy=True", astype),
    row("zeros", FUNCTION, "shape, dtype=float", |c| filled(c, 0)),
    row("ones", FUNCTION, "shape, dtype=None", |c| filled(c, 1)),
    row("empty", FUNCTION, "shape, dtype=float", |c| filled(c, 0)),
    row("full", FUNCTION, "shape, fill_value, dtype=None", full),
    row("zeros_like", FUNCTION, "a, dtype=None, shape=None", |c| filled_like(c, 0)),
    row("ones_like", FUNCTION, "a, dtype=None, shape=None", |c| filled_like(c, 1)),
    row("empty_like", FUNCTION, "prototype, dtype=None, shape=None", |c| filled_like(c, 0)),
    row("full_like", FUNCTION, "a, fill_value, dtype=None", full_like),
    row("arange", FUNCTION, "start=None, stop=None, step=None, dtype=None", arange),
    row("linspace", FUNCTION, "start, stop, num=50, endpoint=True, dtype=None", linspace),
    row("eye", FUNCTION, "N, M=None, k=0, dtype=float", |c| {
        let rows = c.int(0, 0)?;
        eye(c, rows, c.int(1, rows)?, c.int(2, 0)?, c.dtype(3)?)
    }),
    row("identity", FUNCTION, "n, dtype=None", |c| eye(c, c.int(0, 0)?, c.int(0, 0)?, 0, c.dtype(1)?)),
];
