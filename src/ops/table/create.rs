//! Tensors out of nothing: zeros, ones, ranges, and copies in another dtype.

use smallvec::smallvec;

use crate::kernel::buffer_pool;
use crate::ops::backward;
use crate::ops::op::{BOTH, Call, FUNCTION, IN_PLACE, IN_PLACE_ONLY, METHOD, Op, TargetCheck, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, ShapeRule, creation, view};
use crate::tensor::explanation::ConstantKind::{Empty, Everywhere, Fill, Identity, Range, Spaced};
use crate::tensor::explanation::{CastTo, Explanation};
use crate::tensor::layout::broadcast;
use crate::tensor::ops::{self, cast::to_dtype, mask::fits};
use crate::tensor::{Arg, Buffer, DType, Error, Lane, Result, Tensor, allow, refuse_if};

const SIZES: &[&str] = &[concat!(
    "sizes size, *, ",
    made!(),
    ", only pin_memory=False, format? memory_format=None, out? out=None, only names=None"
)];
const LIKE: &[&str] = &[concat!("Tensor input, *, ", made!(), ", format? memory_format=None")];

/// A fresh leaf, asking for gradients where the call says so.
pub(super) fn leaf(tensor: Tensor, requires_grad: bool) -> Result<Value> {
    if requires_grad {
        tensor.require_grad()?;
    }
    Ok(tensor.into())
}

/// One value everywhere.
fn constant(shape: &[usize], dtype: DType, value: &Arg) -> Result<Tensor> {
    if value.number().map(f64::to_bits) == Some(0) {
        return Tensor::zeros(shape, dtype);
    }
    allow(shape, dtype)?;
    let number = ops::mask::checked_number(value, dtype)?;
    Ok(ops::copy(&number.with_layout(number.layout().broadcast_to(shape))))
}

fn sized(c: &Call, value: &Arg) -> Result<Value> {
    leaf(constant(&c.shape(0)?, c.opt_dtype(1).unwrap_or(c.default_dtype()), value)?, c.bool(4))
}

/// One value in the shape of the first argument, and in its order in memory.
fn like(c: &Call, dtype: Option<DType>, value: &Arg, requires_grad: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let row_major = constant(x.shape(), dtype.unwrap_or(x.dtype()), value)?;
    leaf(row_major.with_layout(x.layout().preserved()), requires_grad)
}

fn new_sized(c: &Call, value: &Arg) -> Result<Value> {
    leaf(constant(&c.shape(1)?, c.opt_dtype(2).unwrap_or(c.tensor(0)?.dtype()), value)?, c.bool(4))
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
    leaf(constant(&c.shape(0)?, dtype, c.arg(1))?, c.bool(5))
}

fn new_full(c: &Call) -> Result<Value> {
    leaf(constant(&c.shape(1)?, c.opt_dtype(3).unwrap_or(c.tensor(0)?.dtype()), c.arg(2))?, c.bool(5))
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
    ops::write(&tensor.with_layout(diagonal), &Tensor::scalar(1.0, dtype))?;
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
    refuse_if!(by == 0.0, "step must be nonzero");
    refuse_if!(!first.is_finite() || !last.is_finite(), "unsupported range: {first} -> {last}");
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
    let buffer = match dtype.lane() {
        Lane::I64 => match exact {
            Some((first, _, by)) => Buffer::I64(buffer_pool::made(count, |i| first + i as i64 * by)),
            None => Buffer::I64(buffer_pool::made(count, |i| first as i64 + i as i64 * by as i64)),
        },
        // PyTorch steps in double precision and rounds each element.
        Lane::F32 => Buffer::F32(buffer_pool::made(count, |i| (first + i as f64 * by) as f32)),
        Lane::F64 => Buffer::F64(buffer_pool::made(count, |i| first + i as f64 * by)),
        Lane::Bool => Buffer::Bool(buffer_pool::made(count, |i| first + i as f64 * by != 0.0)),
    };
    leaf(Tensor::new(buffer, [count], dtype), c.bool(rest + 3))
}

/// `steps` numbers from start to end, both ends exact: the second half is counted from the end.
fn linspace(c: &Call) -> Result<Value> {
    let (start, end, steps) = (c.float(0)?, c.float(1)?, c.int(2)?);
    refuse_if!(steps < 0, "number of steps must be non-negative");
    let steps = steps as usize;
    let dtype = c.opt_dtype(3).unwrap_or(c.default_dtype());
    allow(&[steps], dtype)?;
    let last = steps.saturating_sub(1).max(1);
    if dtype.lane() == Lane::F32 {
        let (start, end) = (start as f32, end as f32);
        let step = (end - start) / last as f32;
        let at = |i: usize| match i < steps / 2 {
            true => step.mul_add(i as f32, start),
            false => (-step).mul_add((steps - i - 1) as f32, end),
        };
        let values = (0..steps).map(|i| if steps == 1 { start } else { at(i) }).collect();
        return leaf(Tensor::new(Buffer::F32(values), [steps], dtype), c.bool(6));
    }
    let step = (end - start) / last as f64;
    let at = |i: usize| match i < steps / 2 {
        true => start + step * i as f64,
        false => end - step * (steps - i - 1) as f64,
    };
    let values = (0..steps).map(|i| if steps == 1 { start } else { at(i) }).collect();
    let wide = Tensor::new(Buffer::F64(values), [steps], DType::Float64);
    leaf(to_dtype(&wide, dtype), c.bool(6))
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

const fn cast_to(name: &'static str, to: CastTo) -> Descriptor {
    Descriptor::new(name, OpFamily::Cast, Explanation::Cast(to))
}

/// The tensor itself.
fn same(c: &Call) -> Result<Value> {
    Ok(c.tensor(0)?.clone().into())
}

macro_rules! cast_op {
    ($name:literal, $dtype:ident) => {
        op(cast_to($name, CastTo::Named).grad("ToCopy"), METHOD, |c| cast(c, DType::$dtype))
            .forms(&["Tensor input, format? memory_format=None"])
            .doc("The same values in this dtype.")
    };
}

fn fill(c: &Call) -> Result<Value> {
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
            value.first()
        }
        number => number.clone(),
    };
    Ok(constant(x.shape(), x.dtype(), &value)?.into())
}

fn copy_from(c: &Call) -> Result<Value> {
    let (x, src) = (c.tensor(0)?, c.tensor(1)?);
    let shape = broadcast(x.shape(), src.shape())?;
    if shape != x.shape() {
        return Err(Error::output_shape(x.shape(), &shape));
    }
    let out = Tensor::zeros(x.shape(), x.dtype())?;
    ops::write(&out, src)?;
    Ok(out.into())
}

rows![
    op(creation("zeros", Everywhere), FUNCTION, |c| sized(c, &Arg::Int(0)))
        .forms(SIZES)
        .doc("A tensor of zeros."),
    op(creation("ones", Everywhere), FUNCTION, |c| sized(c, &Arg::Int(1)))
        .forms(SIZES)
        .doc("A tensor of ones."),
    op(creation("empty", Empty), FUNCTION, |c| sized(c, &Arg::Int(0)))
        .forms(SIZES)
        .doc("A tensor whose elements are not set; here they are zeros, so that runs repeat."),
    op(creation("full", Everywhere), FUNCTION, full)
        .forms(&[concat!("sizes size, Number fill_value, *, ", made!(), ", out? out=None")])
        .doc("A tensor of one value."),
    op(creation("zeros_like", Everywhere), FUNCTION, |c| like(c, c.opt_dtype(1), &Arg::Int(0), c.bool(4)))
        .forms(LIKE)
        .doc("Zeros in the shape and dtype of input."),
    op(creation("ones_like", Everywhere), FUNCTION, |c| like(c, c.opt_dtype(1), &Arg::Int(1), c.bool(4)))
        .forms(LIKE)
        .doc("Ones in the shape and dtype of input."),
    op(creation("empty_like", Empty), FUNCTION, |c| like(c, c.opt_dtype(1), &Arg::Int(0), c.bool(4)))
        .forms(LIKE)
        .doc("As input, elements not set; here zeros."),
    op(creation("full_like", Everywhere), FUNCTION, |c| like(c, c.opt_dtype(2), c.arg(1), c.bool(5)))
        .forms(&[concat!("Tensor input, Number fill_value, *, ", made!(), ", format? memory_format=None")])
        .doc("One value in the shape and dtype of input."),
    op(creation("new_zeros", Everywhere), METHOD, |c| new_sized(c, &Arg::Int(0)))
        .forms(&[concat!("Tensor input, sizes size, *, ", made_as!())])
        .doc("Zeros of another shape, same dtype."),
    op(creation("new_ones", Everywhere), METHOD, |c| new_sized(c, &Arg::Int(1)))
        .forms(&[concat!("Tensor input, sizes size, *, ", made_as!())])
        .doc("Ones of another shape, same dtype."),
    op(creation("new_empty", Empty), METHOD, |c| new_sized(c, &Arg::Int(0)))
        .forms(&[concat!("Tensor input, sizes size, *, ", made_as!())])
        .doc("Another shape, same dtype; here zeros."),
    op(creation("new_full", Everywhere), METHOD, new_full)
        .forms(&[concat!("Tensor input, sizes size, Number fill_value, *, ", made_as!())])
        .doc("One value in another shape, same dtype."),
    op(creation("eye", Identity), FUNCTION, eye)
        .forms(&[concat!("int n, int? m=None, *, ", made!())])
        .doc("Ones on the diagonal, zeros elsewhere."),
    op(creation("arange", Range), FUNCTION, arange)
        .forms(&[
            concat!("Number end, *, ", made!(), ", out? out=None"),
            concat!("Number start, Number end, Number step=1, *, ", made!(), ", out? out=None")
        ])
        .doc("start, start + step, ... below end."),
    op(creation("linspace", Spaced), FUNCTION, linspace)
        .forms(&[concat!("Number start, Number end, int steps, *, ", made!())])
        .doc("Evenly spaced numbers, both ends included.")
        .refusing(super::refused::is_bool, "\"linspace_cpu\" not implemented for '{}'"),
    op(Descriptor::new("clone", OpFamily::Copy, Explanation::Copy).grad("Clone"), BOTH, |c| {
        Ok(ops::shape::preserved(c.tensor(0)?).into())
    })
    .forms(&["Tensor input, *, format? memory_format=None"])
    .doc("A copy with a storage of its own.")
    .rule(backward::views::same),
    op(view("detach").explained(Explanation::Copy).cutting_history(), BOTH, |c| Ok(c
        .tensor(0)?
        .alias()
        .into()))
    .doc("The same elements without history. View."),
    op(view("real").explained(Explanation::Copy), FUNCTION, same)
        .doc("The tensor itself: its numbers are real."),
    op(view("conj"), BOTH, same).doc("The tensor itself: its numbers are real."),
    op(cast_to("to", CastTo::Asked).grad("ToCopy"), METHOD, to)
        .forms(&[
            "Tensor input, dtype dtype, hint non_blocking=False, bool copy=False, *, \
             format? memory_format=None",
            "Tensor input, Tensor other, hint non_blocking=False, bool copy=False, *, \
             format? memory_format=None",
            "Tensor input, device? device=None, dtype? dtype=None, hint non_blocking=False, \
             bool copy=False, *, format? memory_format=None"
        ])
        .doc("The values in another dtype; itself where nothing changes.")
        .rule(backward::views::same),
    op(cast_to("cpu", CastTo::Own), METHOD, same)
        .forms(&["Tensor input, format? memory_format=None"])
        .doc("The tensor itself: it is on the CPU."),
    op(cast_to("type_as", CastTo::Asked).grad("ToCopy"), METHOD, |c| cast(c, c.tensor(1)?.dtype()))
        .forms(&["Tensor input, Tensor other"])
        .doc("The values in other's dtype.")
        .rule(backward::views::same),
    cast_op!("float", Float32).rule(backward::views::same),
    cast_op!("double", Float64).rule(backward::views::same),
    cast_op!("half", Float16).rule(backward::views::same),
    cast_op!("bfloat16", BFloat16).rule(backward::views::same),
    cast_op!("long", Int64),
    cast_op!("int", Int32),
    cast_op!("short", Int16),
    cast_op!("char", Int8),
    cast_op!("byte", UInt8),
    cast_op!("bool", Bool),
    op(creation("fill", Fill).overwriting().grad("Fill"), METHOD | IN_PLACE, fill)
        .forms(&["Tensor input, Tensor value", "Tensor input, Number value"])
        .doc("Every element set to value.")
        .rule(backward::pointwise::fill)
        .checking(TargetCheck::Leaf),
    op(creation("zero_", Everywhere).overwriting().grad("Zero"), IN_PLACE_ONLY, |c| {
        let x = c.tensor(0)?;
        ops::write(x, &Tensor::scalar(0.0, x.dtype()))?;
        Ok(x.clone().into())
    })
    .doc("Every element set to 0.")
    .rule(backward::pointwise::fill)
    .checking(TargetCheck::Leaf),
    op(
        Descriptor::new("copy", OpFamily::Copy, Explanation::CopyFrom)
            .shapes(ShapeRule::Broadcast(0, 1))
            .overwriting()
            .grad_name(GradName::CopyBackwards),
        METHOD | IN_PLACE,
        copy_from
    )
    .forms(&["Tensor input, Tensor src, hint non_blocking=False"])
    .doc("src's values, converted and broadcast.")
    .rule(backward::pointwise::overwrite),
];
