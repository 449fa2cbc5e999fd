//! Tensors out of nothing: zeros, ones, ranges, and copies in another dtype.

use smallvec::smallvec;

use crate::kernel::buffer_pool::{self, Element};
use crate::ops::backward;
use crate::ops::op::{BOTH, Call, FUNCTION, IN_PLACE, IN_PLACE_ONLY, METHOD, Op, TargetCheck, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, ShapeRule, creation, view};
use crate::tensor::explanation::{CastTo, ConstantKind, Explanation};
use crate::tensor::ops::{self, cast::to_dtype, mask::fits};
use crate::tensor::{Arg, Buffer, DType, Error, Lane, Result, Tensor, allow};

const SIZES: &[&str] = &[
    "sizes size, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False, \
     only pin_memory=False, format? memory_format=None, out? out=None, only names=None",
];
const LIKE: &[&str] = &[
    "Tensor input, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False, format? memory_format=None",
];

/// A fresh leaf, asking for gradients where the call says so.
fn leaf(tensor: Tensor, requires_grad: bool) -> Result<Value> {
    if requires_grad {
        tensor.set_requires_grad(true)?;
    }
    Ok(tensor.into())
}

fn constant(shape: Vec<usize>, dtype: DType, value: &Arg, requires_grad: bool) -> Result<Value> {
    let len = allow(&shape, dtype)?;
    if !fits(value, dtype) {
        ops::mask::checked_number(value, dtype)?;
    }
    let made = match value.number().map(f64::to_bits) {
        Some(0) => Tensor::zeros(shape, dtype)?,
        _ => Tensor::new(filled(dtype, len, value), shape, dtype),
    };
    leaf(made, requires_grad)
}

fn sized(c: &Call, value: &Arg) -> Result<Value> {
    constant(c.shape(0)?, c.opt_dtype(1).unwrap_or(c.default_dtype()), value, c.bool(4))
}

fn like(c: &Call, value: &Arg) -> Result<Value> {
    alike(c, c.opt_dtype(1), value, c.bool(4))
}

/// One value in the shape of the first argument, and in its order in memory.
fn alike(c: &Call, dtype: Option<DType>, value: &Arg, requires_grad: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let dtype = dtype.unwrap_or(x.dtype());
    let len = allow(x.shape(), dtype)?;
    if !fits(value, dtype) {
        ops::mask::checked_number(value, dtype)?;
    }
    let row_major = Tensor::new(filled(dtype, len, value), x.shape(), dtype);
    leaf(row_major.with_layout(x.layout().preserved()), requires_grad)
}

fn new_sized(c: &Call, value: &Arg) -> Result<Value> {
    constant(c.shape(1)?, c.opt_dtype(2).unwrap_or(c.tensor(0)?.dtype()), value, c.bool(4))
}

fn dtype_of_number(c: &Call, value: &Arg) -> DType {
    match value {
        Arg::Int(_) => DType::Int64,
        Arg::Bool(_) => DType::Bool,
        _ => c.default_dtype(),
    }
}

fn full(c: &Call) -> Result<Value> {
    let dtype = c.opt_dtype(2).unwrap_or_else(|| dtype_of_number(c, c.arg(1)));
    constant(c.shape(0)?, dtype, c.arg(1), c.bool(5))
}

fn full_like(c: &Call) -> Result<Value> {
    alike(c, c.opt_dtype(2), c.arg(1), c.bool(5))
}

fn new_full(c: &Call) -> Result<Value> {
    constant(c.shape(1)?, c.opt_dtype(3).unwrap_or(c.tensor(0)?.dtype()), c.arg(2), c.bool(5))
}

fn eye(c: &Call) -> Result<Value> {
    let rows = c.int(0)?;
    let columns = c.opt_int(1).unwrap_or(rows);
    if rows < 0 || columns < 0 {
        let (name, size) = if rows < 0 { ("n", rows) } else { ("m", columns) };
        return Err(Error::runtime(format!("{name} must be greater or equal to 0, got {size}")));
    }
    let (rows, columns) = (rows as usize, columns as usize);
    let dtype = c.opt_dtype(2).unwrap_or(c.default_dtype());
    let tensor = Tensor::zeros([rows, columns], dtype)?;
    let diagonal = crate::tensor::Layout {
        shape: smallvec![rows.min(columns)],
        strides: smallvec![columns + 1],
        offset: 0,
    };
    ops::fill(&tensor.with_layout(diagonal), 1.0, Some(1));
    leaf(tensor, c.bool(5))
}

/// start, end and step of `arange` in its three forms.
fn arange(c: &Call) -> Result<Value> {
    let (start, end, step, rest) = match c.form {
        0 => (Arg::Int(0), c.arg(0).clone(), Arg::Int(1), 1),
        _ => (c.arg(0).clone(), c.arg(1).clone(), c.arg(2).clone(), 3),
    };
    let whole = [&start, &end, &step].iter().all(|arg| matches!(arg, Arg::Int(_) | Arg::Bool(_)));
    let dtype = c.opt_dtype(rest).unwrap_or(if whole { DType::Int64 } else { c.default_dtype() });
    let number = |arg: &Arg| arg.number().unwrap_or(0.0);
    let (first, last, by) = (number(&start), number(&end), number(&step));
    if by == 0.0 {
        return Err(Error::runtime("step must be nonzero"));
    }
    if !first.is_finite() || !last.is_finite() {
        return Err(Error::runtime(format!("unsupported range: {first} -> {last}")));
    }
    if (by > 0.0 && last < first) || (by < 0.0 && last > first) {
        return Err(Error::runtime("upper bound and larger bound inconsistent with step sign"));
    }
    // Whole numbers are counted exactly: floats have no 2**63 - 1.
    let exact = match (&start, &end, &step) {
        (&Arg::Int(first), &Arg::Int(last), &Arg::Int(by)) if dtype == DType::Int64 => {
            Some((first, last, by))
        }
        _ => None,
    };
    let count = match exact {
        Some((first, last, by)) => {
            let (span, by) =
                ((i128::from(last) - i128::from(first)).unsigned_abs(), i128::from(by).unsigned_abs());
            usize::try_from(span.div_ceil(by)).unwrap_or(usize::MAX)
        }
        None => ((last - first) / by).ceil().max(0.0) as usize,
    };
    allow(&[count], dtype)?;
    super::refused::bools("arange_cpu", dtype)?;
    let all_fit = || [&start, &end, &step].iter().all(|bound| fits(bound, DType::Int64));
    super::refused::overflow(!dtype.is_float() && !all_fit())?;
    fn each<T: Element>(count: usize, element: impl Fn(usize) -> T) -> Vec<T> {
        let mut all = buffer_pool::take(count);
        all.iter_mut().enumerate().for_each(|(at, out)| *out = element(at));
        all
    }
    let buffer = match dtype.lane() {
        Lane::I64 => match exact {
            Some((first, _, by)) => Buffer::I64(each(count, |i| first + i as i64 * by)),
            None => Buffer::I64(each(count, |i| first as i64 + i as i64 * by as i64)),
        },
        // PyTorch steps in double precision and rounds each element.
        Lane::F32 => Buffer::F32(each(count, |i| (first + i as f64 * by) as f32)),
        Lane::F64 => Buffer::F64(each(count, |i| first + i as f64 * by)),
        Lane::Bool => Buffer::Bool(each(count, |i| first + i as f64 * by != 0.0)),
    };
    leaf(Tensor::new(buffer, [count], dtype), c.bool(rest + 3))
}

/// `steps` numbers from start to end, both ends exact: the second half is counted from the end.
fn linspace(c: &Call) -> Result<Value> {
    let (start, end, steps) = (c.float(0)?, c.float(1)?, c.int(2)?);
    if steps < 0 {
        return Err(Error::runtime("number of steps must be non-negative"));
    }
    let steps = steps as usize;
    let dtype = c.opt_dtype(3).unwrap_or(c.default_dtype());
    allow(&[steps], dtype)?;
    let buffer = match Buffer::zeros(dtype, 0) {
        Buffer::F64(_) => {
            let step = (end - start) / steps.saturating_sub(1).max(1) as f64;
            let at = |i: usize| {
                if i < steps / 2 { start + step * i as f64 } else { end - step * (steps - i - 1) as f64 }
            };
            Buffer::F64((0..steps).map(|i| if steps == 1 { start } else { at(i) }).collect())
        }
        Buffer::F32(_) => {
            let (start, end) = (start as f32, end as f32);
            let step = (end - start) / steps.saturating_sub(1).max(1) as f32;
            let at = |i: usize| {
                if i < steps / 2 {
                    step.mul_add(i as f32, start)
                } else {
                    (-step).mul_add((steps - i - 1) as f32, end)
                }
            };
            Buffer::F32((0..steps).map(|i| if steps == 1 { start } else { at(i) }).collect())
        }
        _ => {
            let step = (end - start) / steps.saturating_sub(1).max(1) as f64;
            let at = |i: usize| {
                if i < steps / 2 { start + step * i as f64 } else { end - step * (steps - i - 1) as f64 }
            };
            let wide = Tensor::new(
                Buffer::F64((0..steps).map(|i| if steps == 1 { start } else { at(i) }).collect()),
                [steps],
                DType::Float64,
            );
            return leaf(to_dtype(&wide, dtype), c.bool(6));
        }
    };
    leaf(Tensor::new(buffer, [steps], dtype), c.bool(6))
}

/// `to(dtype)`, `to(device)`, `to(other)` and their mixes.
fn to(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dtype = match c.form {
        0 => c.opt_dtype(1),
        1 => c.opt_tensor(1).map(Tensor::dtype),
        _ => c.opt_dtype(2),
    };
    let copy = c.bool(if c.form == 2 { 4 } else { 3 });
    let dtype = dtype.unwrap_or(x.dtype());
    Ok(if copy && dtype == x.dtype() { ops::copy(x) } else { to_dtype(x, dtype) }.into())
}

fn cast(c: &Call, dtype: DType) -> Result<Value> {
    Ok(to_dtype(c.tensor(0)?, dtype).into())
}

macro_rules! cast_op {
    ($name:literal, $dtype:ident) => {
        op(
            Descriptor::new($name, OpFamily::Cast, Explanation::Cast(CastTo::Named)).grad("ToCopy"),
            METHOD,
            &["Tensor input, format? memory_format=None"],
            "The same values in this dtype.",
            |c| cast(c, DType::$dtype),
        )
    };
}

/// A buffer of `len` elements of a dtype all equal to a Python number.
fn filled(dtype: DType, len: usize, value: &Arg) -> Buffer {
    let float = value.number().unwrap_or(0.0);
    match Buffer::zeros(dtype, 0) {
        Buffer::F32(_) => Buffer::F32(buffer_pool::filled(len, float as f32)),
        Buffer::F64(_) => Buffer::F64(buffer_pool::filled(len, float)),
        Buffer::I64(_) => {
            let int = match *value {
                Arg::Int(int) => int,
                _ => float as i64,
            };
            Buffer::I64(buffer_pool::filled(len, int))
        }
        Buffer::Bool(_) => Buffer::Bool(buffer_pool::filled(len, float != 0.0)),
    }
}

rows![
    op(creation("zeros", ConstantKind::Everywhere), FUNCTION, SIZES, "A tensor of zeros.", |c| {
        sized(c, &Arg::Int(0))
    }),
    op(creation("ones", ConstantKind::Everywhere), FUNCTION, SIZES, "A tensor of ones.", |c| {
        sized(c, &Arg::Int(1))
    }),
    op(
        creation("empty", ConstantKind::Empty),
        FUNCTION,
        SIZES,
        "A tensor whose elements are not set; here they are zeros, so that runs repeat.",
        |c| sized(c, &Arg::Int(0)),
    ),
    op(
        creation("full", ConstantKind::Everywhere),
        FUNCTION,
        &[
            "sizes size, Number fill_value, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False, out? out=None",
        ],
        "A tensor of one value.",
        full,
    ),
    op(
        creation("zeros_like", ConstantKind::Everywhere),
        FUNCTION,
        LIKE,
        "Zeros in the shape and dtype of input.",
        |c| like(c, &Arg::Int(0)),
    ),
    op(
        creation("ones_like", ConstantKind::Everywhere),
        FUNCTION,
        LIKE,
        "Ones in the shape and dtype of input.",
        |c| like(c, &Arg::Int(1)),
    ),
    op(
        creation("empty_like", ConstantKind::Empty),
        FUNCTION,
        LIKE,
        "As input, elements not set; here zeros.",
        |c| like(c, &Arg::Int(0)),
    ),
    op(
        creation("full_like", ConstantKind::Everywhere),
        FUNCTION,
        &[
            "Tensor input, Number fill_value, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False, format? memory_format=None",
        ],
        "One value in the shape and dtype of input.",
        full_like,
    ),
    op(
        creation("new_zeros", ConstantKind::Everywhere),
        METHOD,
        &[
            "Tensor input, sizes size, *, dtype? dtype=None, device? device=None, bool requires_grad=False, layout? layout=None",
        ],
        "Zeros of another shape, same dtype.",
        |c| new_sized(c, &Arg::Int(0)),
    ),
    op(
        creation("new_ones", ConstantKind::Everywhere),
        METHOD,
        &[
            "Tensor input, sizes size, *, dtype? dtype=None, device? device=None, bool requires_grad=False, layout? layout=None",
        ],
        "Ones of another shape, same dtype.",
        |c| new_sized(c, &Arg::Int(1)),
    ),
    op(
        creation("new_empty", ConstantKind::Empty),
        METHOD,
        &[
            "Tensor input, sizes size, *, dtype? dtype=None, device? device=None, bool requires_grad=False, layout? layout=None",
        ],
        "Another shape, same dtype; here zeros.",
        |c| new_sized(c, &Arg::Int(0)),
    ),
    op(
        creation("new_full", ConstantKind::Everywhere),
        METHOD,
        &[
            "Tensor input, sizes size, Number fill_value, *, dtype? dtype=None, device? device=None, bool requires_grad=False, layout? layout=None",
        ],
        "One value in another shape, same dtype.",
        new_full,
    ),
    op(
        creation("eye", ConstantKind::Identity),
        FUNCTION,
        &[
            "int n, int? m=None, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False",
        ],
        "Ones on the diagonal, zeros elsewhere.",
        eye,
    ),
    op(
        creation("arange", ConstantKind::Range),
        FUNCTION,
        &[
            "Number end, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False, out? out=None",
            "Number start, Number end, Number step=1, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False, out? out=None",
        ],
        "start, start + step, ... below end.",
        arange,
    ),
    op(
        creation("linspace", ConstantKind::Spaced),
        FUNCTION,
        &[
            "Number start, Number end, int steps, *, dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False",
        ],
        "Evenly spaced numbers, both ends included.",
        linspace,
    ).refusing(super::refused::is_bool, "\"linspace_cpu\" not implemented for '{}'"),
    op(
        Descriptor::new("clone", OpFamily::Copy, Explanation::Copy).grad("Clone"),
        BOTH,
        &["Tensor input, *, format? memory_format=None"],
        "A copy with a storage of its own.",
        |c| Ok(ops::shape::preserved(c.tensor(0)?).into()),
    ).rule(backward::views::same),
    op(
        view("detach").explained(Explanation::Copy).cutting_history(),
        BOTH,
        &["Tensor input"],
        "The same elements without history. View.",
        |c| Ok(c.tensor(0)?.alias().into()),
    ),
    op(
        Descriptor::new("to", OpFamily::Cast, Explanation::Cast(CastTo::Asked)).grad("ToCopy"),
        METHOD,
        &[
            "Tensor input, dtype dtype, hint non_blocking=False, bool copy=False, *, format? memory_format=None",
            "Tensor input, Tensor other, hint non_blocking=False, bool copy=False, *, format? memory_format=None",
            "Tensor input, device? device=None, dtype? dtype=None, hint non_blocking=False, bool copy=False, *, format? memory_format=None",
        ],
        "The values in another dtype; itself where nothing changes.",
        to,
    ).rule(backward::views::same),
    op(
        Descriptor::new("cpu", OpFamily::Cast, Explanation::Cast(CastTo::Own)),
        METHOD,
        &["Tensor input, format? memory_format=None"],
        "The tensor itself: it is on the CPU.",
        |c| Ok(c.tensor(0)?.clone().into()),
    ),
    op(
        Descriptor::new("type_as", OpFamily::Cast, Explanation::Cast(CastTo::Asked)).grad("ToCopy"),
        METHOD,
        &["Tensor input, Tensor other"],
        "The values in other's dtype.",
        |c| cast(c, c.tensor(1)?.dtype()),
    ).rule(backward::views::same),
    cast_op!("float", Float32),
    cast_op!("double", Float64),
    cast_op!("half", Float16),
    cast_op!("bfloat16", BFloat16),
    cast_op!("long", Int64),
    cast_op!("int", Int32),
    cast_op!("short", Int16),
    cast_op!("char", Int8),
    cast_op!("byte", UInt8),
    cast_op!("bool", Bool),
    op(
        creation("fill", ConstantKind::Fill).overwriting().grad("Fill"),
        METHOD | IN_PLACE,
        &["Tensor input, Tensor value", "Tensor input, Number value"],
        "Every element set to value.",
        |c| {
            let x = c.tensor(0)?;
            let value = match c.arg(1) {
                Arg::Tensor(value) if value.ndim() > 0 => {
                    return Err(Error::runtime(format!(
                        "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
                        value.ndim()
                    )));
                }
                Arg::Tensor(value) => {
                    c.set_grad_name(GradName::Node("Fill", 3));
                    if value.dtype().is_float() { Arg::Float(value.item()?) } else { Arg::Int(value.item_int()?) }
                }
                number => number.clone(),
            };
            constant(x.shape().to_vec(), x.dtype(), &value, false)
        },
    ).rule(backward::pointwise::fill)
    .checking(TargetCheck::Leaf),
    op(
        creation("zero_", ConstantKind::Everywhere).overwriting().grad("Zero"),
        IN_PLACE_ONLY,
        &["Tensor input"],
        "Every element set to 0.",
        |c| {
            let x = c.tensor(0)?;
            ops::fill(x, 0.0, Some(0));
            Ok(x.clone().into())
        },
    ).rule(backward::pointwise::fill)
    .checking(TargetCheck::Leaf),
    op(
        Descriptor::new("copy", OpFamily::Copy, Explanation::CopyFrom)
            .shapes(ShapeRule::Broadcast(0, 1))
            .overwriting()
            .grad_name(GradName::CopyBackwards),
        METHOD | IN_PLACE,
        &["Tensor input, Tensor src, hint non_blocking=False"],
        "src's values, converted and broadcast.",
        |c| {
            let (x, src) = (c.tensor(0)?, c.tensor(1)?);
            let shape = crate::tensor::layout::broadcast(x.shape(), src.shape())?;
            if shape != x.shape() {
                return Err(crate::tensor::Error::runtime(format!(
                    "output with shape {:?} doesn't match the broadcast shape {shape:?}",
                    x.shape()
                )));
            }
            let out = Tensor::zeros(x.shape(), x.dtype())?;
            ops::write(&out, src)?;
            Ok(out.into())
        },
    ).rule(backward::pointwise::overwrite),
];
