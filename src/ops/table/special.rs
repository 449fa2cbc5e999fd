//! Pointwise operations that lessons seldom ask for, and the rules of promotion as functions.

use crate::kernel::math;
use crate::ops::in_place::allow_part_of_leaf;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, IN_PLACE_ONLY, METHOD, Op, TargetCheck, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily, ShapeRule, creation, pointwise, reduction, view};
use crate::tensor::explanation::{ConstantKind, Explanation, Formula, Reducer, RunningKind};
use crate::tensor::ops::pointwise::{self, BinaryOp, binary, float_unary, same_unary};
use crate::tensor::ops::{self, cast::to_dtype};
use crate::tensor::{Arg, Buffer, DType, Error, Result, Tensor};

const PAIR: &[&str] = &["Operand input, Operand other"];
const TENSORS: &[&str] = &["Tensor input, Tensor other"];
const ONE: &[&str] = &["Tensor input"];

/// A pointwise operation in floats only.
const fn in_floats(name: &'static str, f32: fn(f32, f32) -> f32, f64: fn(f64, f64) -> f64) -> BinaryOp {
    BinaryOp { name, f32, f64, i64: None, bool: None }
}

/// The same with one formula for both float types.
macro_rules! same_in_floats {
    ($name:literal, $formula:expr) => {
        in_floats($name, $formula, $formula)
    };
}

static HYPOT: BinaryOp = in_floats("hypot", f32::hypot, f64::hypot);
static COPYSIGN: BinaryOp = in_floats("copysign", f32::copysign, f64::copysign);
static LOGADDEXP: BinaryOp = same_in_floats!("logaddexp", |a, b| {
    if a == b && a.is_infinite() { a } else { a.max(b) + (-(a - b).abs()).exp().ln_1p() }
});

fn pair(c: &Call, op: &BinaryOp) -> Result<Value> {
    Ok(binary(op, c.arg(0), c.arg(1), c.default_dtype())?.into())
}

fn floats(c: &Call, f32: fn(&[f32], &mut [f32]), f64: fn(&[f64], &mut [f64])) -> Result<Value> {
    Ok(float_unary(c.tensor(0)?, c.default_dtype(), f32, f64).into())
}

/// A function of one double as a loop over slices of either width.
macro_rules! each {
    ($f:expr) => {
        |c: &Call| {
            let f: fn(f64) -> f64 = $f;
            let _ = f;
            floats(
                c,
                |x, out| {
                    let f: fn(f64) -> f64 = $f;
                    out.iter_mut().zip(x).for_each(|(out, &x)| *out = f(f64::from(x)) as f32);
                },
                |x, out| {
                    let f: fn(f64) -> f64 = $f;
                    out.iter_mut().zip(x).for_each(|(out, &x)| *out = f(x));
                },
            )
        }
    };
}

fn nan_to_num(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let largest = match x.dtype() {
        DType::Float64 => f64::MAX,
        DType::Float16 => 65504.0,
        DType::BFloat16 => f64::from(f32::from_bits(0x7f7f_0000)),
        _ => f64::from(f32::MAX),
    };
    let (nan, up, down) = (
        c.opt_float(1).unwrap_or(0.0),
        c.opt_float(2).unwrap_or(largest),
        c.opt_float(3).unwrap_or(-largest),
    );
    let replace = |v: f64| match v {
        v if v.is_nan() => nan,
        v if v == f64::INFINITY => up,
        v if v == f64::NEG_INFINITY => down,
        v => v,
    };
    let buffer = match x.to_buffer() {
        Buffer::F32(data) => Buffer::F32(data.into_iter().map(|v| replace(f64::from(v)) as f32).collect()),
        Buffer::F64(data) => Buffer::F64(data.into_iter().map(replace).collect()),
        other => other,
    };
    Ok(Tensor::new(buffer, x.shape(), x.dtype()).into())
}

fn result_type(c: &Call) -> Result<Value> {
    Ok(Value::DType(pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype())))
}

fn two_dtypes(c: &Call) -> Result<(DType, DType)> {
    match (c.opt_dtype(0), c.opt_dtype(1)) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(Error::type_error(format!("{}() takes two dtypes", c.op.name))),
    }
}

/// The differences of neighbours along a dimension, `n` times over.
fn diff(c: &Call) -> Result<Value> {
    let (mut x, times) = (c.tensor(0)?.clone(), c.int(1)?);
    let axis = crate::tensor::layout::wrap_dim(c.int(2)?, x.ndim())?;
    if x.ndim() == 0 {
        return Err(Error::runtime("diff expects input to be at least one-dimensional"));
    }
    if times < 0 {
        return Err(Error::runtime(format!("order must be non-negative but got {times}")));
    }
    // Once more than there are elements, nothing is left.
    for _ in 0..times.min(x.shape()[axis] as i64) {
        let len = x.shape()[axis].saturating_sub(1);
        let upper = x.with_layout(x.layout().slice(axis, x.shape()[axis] - len, len, 1));
        let lower = x.with_layout(x.layout().slice(axis, 0, len, 1));
        x = pointwise::sub(&Arg::Tensor(upper), &Arg::Tensor(lower), c.default_dtype())?;
    }
    Ok(x.into())
}

fn nanmean(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dims = c.opt_ints(1).unwrap_or_default();
    let wanted = c.opt_dtype(3).unwrap_or(x.dtype());
    if !wanted.is_float() {
        return Err(Error::runtime(format!(
            "nanmean(): could not infer output dtype. Output dtype must be either a floating point or complex dtype. Got: {}",
            wanted.cpp_name()
        )));
    }
    let x = &to_dtype(x, wanted);
    let over = ops::reduce::ReductionAxes::new(x, &dims, c.bool(2))?;
    let clean = |v: f64| if v.is_nan() { 0.0 } else { v };
    let values = same_unary(x, |v| if v.is_nan() { 0.0 } else { v }, clean, |v| v);
    let there = pointwise::test(x, |v| !v.is_nan());
    let sum = ops::reduce::sum(&values, &over, None);
    let count = ops::reduce::sum(&there, &over, None);
    Ok(pointwise::div(&Arg::Tensor(sum), &Arg::Tensor(count), c.default_dtype())?.into())
}

fn fill_diagonal(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.ndim() < 2 {
        return Err(Error::runtime("dimensions must larger than 1"));
    }
    if x.ndim() > 2 && x.shape().iter().any(|&size| size != x.shape()[0]) {
        return Err(Error::runtime("all dimensions of input must be of equal length"));
    }
    allow_part_of_leaf(c.state, x, true)?;
    ops::mask::checked_number(c.arg(1), x.dtype())?;
    let size = x.shape().iter().copied().min().unwrap_or(0);
    let step: usize = x.strides().iter().sum();
    let diagonal = |from: usize, size: usize| {
        let offset = x.layout().offset + from * x.strides()[0];
        x.with_layout(crate::tensor::Layout { shape: vec![size], strides: vec![step], offset })
    };
    ops::fill(&diagonal(0, size), c.float(1)?, c.opt_int(1));
    // A tall matrix has further diagonals below the first, each after a row that is left out.
    if c.bool(2) && x.ndim() == 2 {
        let (rows, columns) = (x.shape()[0], x.shape()[1]);
        for from in (columns + 1..rows).step_by(columns + 1) {
            ops::fill(&diagonal(from, columns.min(rows - from)), c.float(1)?, c.opt_int(1));
        }
    }
    Ok(Value::None)
}

rows![
    op(pointwise("erf").grad("Erf"), ALL, ONE, "The error function.", |c| floats(c, math::erf, math::erf)),
    op(pointwise("erfc").grad("Erfc"), ALL, ONE, "1 - erf(x).", |c| floats(c, math::erfc, math::erfc)),
    op(pointwise("asinh").grad("Asinh"), ALL, ONE, "Inverse hyperbolic sine.", each!(f64::asinh)),
    op(pointwise("acosh").grad("Acosh"), ALL, ONE, "Inverse hyperbolic cosine.", each!(f64::acosh)),
    op(pointwise("atanh").grad("Atanh"), ALL, ONE, "Inverse hyperbolic tangent.", each!(f64::atanh)),
    op(pointwise("deg2rad").grad("Deg2Rad"), ALL, ONE, "Degrees to radians.", each!(f64::to_radians)),
    op(pointwise("rad2deg").grad("Rad2Deg"), ALL, ONE, "Radians to degrees.", each!(f64::to_degrees)),
    op(pointwise("hypot").grad("Hypot"), ALL, TENSORS, "The root of the sum of both squares.", |c| {
        pair(c, &HYPOT)
    })
    .saving_result(),
    op(pointwise("copysign").grad("Copysign"), ALL, PAIR, "input with the sign of other.", |c| {
        pair(c, &COPYSIGN)
    })
    .saving_result(),
    op(
        pointwise("logaddexp").grad("Logaddexp"),
        BOTH,
        TENSORS,
        "log(exp(input) + exp(other)), without overflow.",
        |c| pair(c, &LOGADDEXP),
    )
    .refusing(super::refused::is_whole, "\"logaddexp_cpu\" not implemented for '{}'"),
    op(
        pointwise("nan_to_num").formula(Formula::NanToNum).grad("NanToNum"),
        ALL,
        &["Tensor input, float? nan=None, float? posinf=None, float? neginf=None"],
        "Finite numbers in place of nan and the infinities.",
        nan_to_num,
    ),
    op(pointwise("sgn").grad("Sgn"), ALL, ONE, "-1, 0 or 1.", super::elementary::sign),
    op(
        view("real").explained(Explanation::Copy),
        FUNCTION,
        ONE,
        "The tensor itself: its numbers are real.",
        |c| Ok(c.tensor(0)?.clone().into()),
    ),
    op(view("conj"), BOTH, ONE, "The tensor itself: its numbers are real.", |c| {
        Ok(c.tensor(0)?.clone().into())
    }),
    op(
        Descriptor::new("result_type", OpFamily::Query, Explanation::Constant(ConstantKind::Everywhere)),
        FUNCTION,
        &["Operand tensor1, Operand tensor2"],
        "The dtype both are computed in.",
        result_type,
    ),
    op(
        Descriptor::new("promote_types", OpFamily::Query, Explanation::Constant(ConstantKind::Everywhere)),
        FUNCTION,
        &["dtype type1, dtype type2"],
        "The dtype to which both are promoted.",
        |c| {
            let (a, b) = two_dtypes(c)?;
            Ok(Value::DType(a.promote(b)))
        },
    ),
    op(
        Descriptor::new("diff", OpFamily::Scan, Explanation::Running(RunningKind::Difference))
            .shapes(ShapeRule::Own)
            .grad("Sub"),
        BOTH,
        &["Tensor input, int n=1, int dim=-1"],
        "The differences of neighbours.",
        diff,
    ),
    op(
        reduction("nanmean", Reducer::NanMean).grad("Div"),
        BOTH,
        &["Tensor input, ints? dim=None, bool keepdim=False, *, dtype? dtype=None"],
        "The mean of the elements that are not nan.",
        nanmean,
    )
    .refusing(
        super::refused::is_whole,
        "nanmean(): expected input to have floating point or complex dtype but got {}",
    ),
    op(
        creation("fill_diagonal_", ConstantKind::FillDiagonal).grad("FillDiagonal"),
        METHOD | IN_PLACE_ONLY,
        &["Tensor input, Number fill_value, bool wrap=False"],
        "The main diagonal set to a value.",
        fill_diagonal,
    )
    .checking(TargetCheck::Overlap),
];
