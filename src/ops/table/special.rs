//! Pointwise operations that lessons seldom ask for, and the rules of promotion as functions.

use crate::kernel::math;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily, pointwise, view};
use crate::tensor::explanation::{ConstantKind, Explanation, Formula};
use crate::tensor::ops::pointwise::{self, BinaryOp, binary, float_unary};
use crate::tensor::{Buffer, DType, Error, Result, Tensor};

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

fn result_type(c: &Call) -> Result<Value> {
    Ok(Value::DType(pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype())))
}

fn two_dtypes(c: &Call) -> Result<(DType, DType)> {
    match (c.opt_dtype(0), c.opt_dtype(1)) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(Error::type_error(format!("{}() takes two dtypes", c.op.name))),
    }
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

rows![
    op(pointwise("erf").grad("Erf"), ALL, ONE, "The error function.", |c| floats(c, math::erf, math::erf)),
    op(pointwise("erfc").grad("Erfc"), ALL, ONE, "1 - erf(x).", |c| floats(c, math::erfc, math::erfc)),
    op(pointwise("deg2rad").grad("Deg2Rad"), ALL, ONE, "Degrees to radians.", each!(f64::to_radians)),
    op(pointwise("rad2deg").grad("Rad2Deg"), ALL, ONE, "Radians to degrees.", each!(f64::to_degrees)),
    op(pointwise("hypot").grad("Hypot"), ALL, TENSORS, "The root of the sum of both squares.", |c| {
        pair(c, &HYPOT)
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
        pointwise("nan_to_num").formula(Formula::NanToNum).grad("NanToNum"),
        ALL,
        &["Tensor input, float? nan=None, float? posinf=None, float? neginf=None"],
        "Finite numbers in place of nan and the infinities.",
        nan_to_num,
    ),
];
