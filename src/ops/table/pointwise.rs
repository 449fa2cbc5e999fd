//! Pointwise operations.

use super::refused;
use crate::kernel::Real;
use crate::kernel::division::{floor_divide_i64, remainder_f32, remainder_f64, remainder_i64};
use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, IN_PLACE, METHOD, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{CostRule, GradName, OpNotation, Sign, pointwise};
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::pointwise::{self, BinaryOp, binary, same_unary};
use crate::tensor::{Arg, DType, Error, Result, Tensor};

/// Two operands, one of which may be a number.
const PAIR: &[&str] = &["Operand input, Operand other"];
const TENSORS: &[&str] = &["Tensor input, Tensor other"];
const ONE: &[&str] = &["Tensor input"];

/// The operands of a sum. In half precision a number is rounded, and the rest is computed in float32.
fn terms(c: &Call, a: usize, b: usize) -> Result<(Arg, Arg, Option<DType>)> {
    let common = pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    if !common.is_half()
        || c.arg(a).tensor().is_some()
            && c.arg(b).tensor().is_some()
            && matches!(c.arg(2), Arg::Int(1) | Arg::None)
    {
        return Ok((c.arg(a).clone(), scaled(c, b)?, None));
    }
    let wide = |arg: &Arg| -> Result<Arg> {
        let of_dtype = match arg {
            Arg::Tensor(x) => to_dtype(x, common),
            number => pointwise::operand(number, common)?,
        };
        Ok(Arg::Tensor(to_dtype(&of_dtype, DType::Float32)))
    };
    let scaled = match c.arg(2) {
        Arg::Int(1) | Arg::None => wide(c.arg(b))?,
        alpha => Arg::Tensor(pointwise::mul(&wide(c.arg(b))?, &wide(alpha)?, DType::Float32)?),
    };
    Ok((wide(c.arg(a))?, scaled, Some(common)))
}

/// A sum or a difference of [`terms`].
fn of_terms(c: &Call, op: fn(&Arg, &Arg, DType) -> Result<Tensor>, a: usize, b: usize) -> Result<Value> {
    let (left, right, half) = terms(c, a, b)?;
    let result = op(&left, &right, c.default_dtype())?;
    Ok(match half {
        Some(dtype) => to_dtype(&result, dtype).into(),
        None => result.into(),
    })
}

/// `other * alpha`, where alpha is not 1.
fn scaled(c: &Call, other: usize) -> Result<Arg> {
    let (x, alpha) = (c.arg(other), c.arg(2));
    let common = pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    refused::factor(alpha, common)?;
    match alpha {
        Arg::Int(1) | Arg::None | Arg::Bool(true) => Ok(x.clone()),
        alpha if common == DType::Bool && alpha.number() != Some(0.0) => Ok(x.clone()),
        Arg::Int(0) | Arg::Bool(false) if common == DType::Bool => Ok(Arg::Bool(false)),
        alpha => Ok(Arg::Tensor(pointwise::mul(x, alpha, c.default_dtype())?)),
    }
}

fn add(c: &Call) -> Result<Value> {
    of_terms(c, pointwise::add, 0, 1)
}

fn sub(c: &Call) -> Result<Value> {
    refused::bools_subtracted(c.arg(0), c.arg(1))?;
    if c.arg(0).tensor().is_none() {
        c.set_grad_name(GradName::Node("Rsub", 1));
    }
    of_terms(c, pointwise::sub, 0, 1)
}

fn mul(c: &Call) -> Result<Value> {
    Ok(pointwise::mul(c.arg(0), c.arg(1), c.default_dtype())?.into())
}

fn div(c: &Call) -> Result<Value> {
    if c.opt_str(2).is_some() {
        c.set_grad_name(GradName::Node("Div", 2));
    }
    match c.opt_str(2) {
        None => {
            // PyTorch computes number / tensor as reciprocal times number.
            if c.arg(0).tensor().is_none() {
                c.set_grad_name(GradName::node("Mul"));
                if c.tensor(1)?.dtype().is_half() {
                    let reciprocal = Arg::Tensor(pointwise::div(&Arg::Int(1), c.arg(1), c.default_dtype())?);
                    return Ok(pointwise::mul(&reciprocal, c.arg(0), c.default_dtype())?.into());
                }
            }
            Ok(pointwise::div(c.arg(0), c.arg(1), c.default_dtype())?.into())
        }
        Some("floor") => floor_divide(c),
        Some("trunc") => {
            refused::bool_pair("div_trunc_cpu", c)?;
            zero_divisor(c)?;
            Ok(binary(&TRUNC_DIV, c.arg(0), c.arg(1), c.default_dtype())?.into())
        }
        Some(other) => Err(Error::runtime(format!(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'"
        ))),
    }
}

fn zero_divisor(c: &Call) -> Result<()> {
    if let (Some(a), Some(b)) = (c.arg(0).tensor(), c.arg(1).tensor()) {
        crate::tensor::layout::broadcast(a.shape(), b.shape())?;
    }
    let whole = pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    let zero = match c.arg(1) {
        Arg::Tensor(tensor) => tensor.to_f64_vec().contains(&0.0),
        // In the dtype of the result: 256 is 0 in uint8.
        number => pointwise::operand(number, whole)?.to_f64_vec().contains(&0.0),
    };
    if !whole.is_float() && zero { Err(Error::runtime("ZeroDivisionError")) } else { Ok(()) }
}

fn floor_divide(c: &Call) -> Result<Value> {
    refused::bool_pair("div_floor_cpu", c)?;
    zero_divisor(c)?;
    Ok(binary(&FLOOR_DIV, c.arg(0), c.arg(1), c.default_dtype())?.into())
}

static FLOOR_DIV: BinaryOp = BinaryOp {
    name: "floor_divide",
    f32: |a, b| (a / b).floor(),
    f64: |a, b| (a / b).floor(),
    i64: Some(floor_divide_i64),
    bool: None,
};
static TRUNC_DIV: BinaryOp = BinaryOp {
    name: "div",
    f32: |a, b| (a / b).trunc(),
    f64: |a, b| (a / b).trunc(),
    i64: Some(i64::wrapping_div),
    bool: None,
};
static REMAINDER: BinaryOp = BinaryOp {
    name: "remainder",
    f32: remainder_f32,
    f64: remainder_f64,
    i64: Some(remainder_i64),
    bool: None,
};
static ATAN2: BinaryOp = BinaryOp { name: "atan2", f32: f32::atan2, f64: f64::atan2, i64: None, bool: None };
static AND: BinaryOp = bits("bitwise_and", |a, b| a & b, |a, b| a & b);
static OR: BinaryOp = bits("bitwise_or", |a, b| a | b, |a, b| a | b);
static XOR: BinaryOp = bits("bitwise_xor", |a, b| a ^ b, |a, b| a ^ b);
/// Bits moved up; all of them are lost where the shift is negative or larger than a number.
fn shifted_left(a: i64, by: i64) -> i64 {
    if (0..64).contains(&by) { a << by } else { 0 }
}

/// Bits moved down; only the sign is left where the shift is negative or larger than a number.
fn shifted_right(a: i64, by: i64) -> i64 {
    a >> if (0..64).contains(&by) { by } else { 63 }
}

static SHL: BinaryOp = bits("bitwise_left_shift", shifted_left, |a, _| a);
static SHR: BinaryOp = bits("bitwise_right_shift", shifted_right, |a, _| a);

const fn bits(name: &'static str, i64: fn(i64, i64) -> i64, bool: fn(bool, bool) -> bool) -> BinaryOp {
    BinaryOp { name, f32: |a, _| a, f64: |a, _| a, i64: Some(i64), bool: Some(bool) }
}

fn bitwise(c: &Call, op: &BinaryOp) -> Result<Value> {
    let dtype = pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    if dtype.is_float() {
        if let (Some(a), Some(b)) = (c.arg(0).tensor(), c.arg(1).tensor()) {
            crate::tensor::layout::broadcast(a.shape(), b.shape())?;
        }
        return Err(Error::unsupported_dtype(&format!("{}_cpu", op.name), dtype));
    }
    Ok(binary(op, c.arg(0), c.arg(1), c.default_dtype())?.into())
}

fn bitwise_not(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    match x.dtype() {
        DType::Bool => {
            Ok(Tensor::from_bool(x.to_bool_vec().into_iter().map(|value| !value).collect(), x.shape()).into())
        }
        dtype if dtype.is_float() => Err(Error::unsupported_dtype("bitwise_not_cpu", dtype)),
        _ => Ok(same_unary(x, |v| v, |v| v, |v| !v).into()),
    }
}

fn pow(c: &Call) -> Result<Value> {
    if c.arg(0).tensor().is_none() {
        c.set_grad_name(GradName::Node("Pow", 2));
    } else if c.arg(1).tensor().is_some() {
        c.set_grad_name(GradName::Node("Pow", 1));
    }
    let dtype = pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    match c.arg(1).number() {
        Some(exponent) if dtype == DType::Bool && c.arg(0).tensor().is_some() => {
            // A truth value to the power of one: itself, or true.
            let x = c.tensor(0)?.to_bool_vec().into_iter().map(|value| value | (exponent == 0.0));
            return Ok(Tensor::from_bool(x.collect(), c.tensor(0)?.shape()).into());
        }
        _ => refused::bools("pow", dtype)?,
    }
    if !dtype.is_float() && c.arg(1).number().is_some_and(|exponent| exponent < 0.0) {
        return Err(Error::runtime("Integers to negative integer powers are not allowed."));
    }
    Ok(pointwise::pow(c.arg(0), c.arg(1), c.default_dtype())?.into())
}

/// A bound of `clamp` that is a number or left out; none for a tensor.
fn bound(c: &Call, at: usize, none: f64) -> Option<f64> {
    match c.arg(at) {
        _ if c.is_none(at) => Some(none),
        Arg::Float(bound) => Some(*bound),
        // Larger integers are not rounded twice.
        Arg::Int(bound) if bound.unsigned_abs() <= 1 << 53 => Some(*bound as f64),
        _ => None,
    }
}

fn clamp(c: &Call) -> Result<Value> {
    if c.arg(1).tensor().is_none() && c.arg(2).tensor().is_none() {
        c.set_grad_name(GradName::Node("Clamp", 1));
    }
    if c.is_none(1) && c.is_none(2) {
        return Err(Error::runtime("torch.clamp: At least one of 'min' or 'max' must not be None"));
    }
    refused::bools_clamped(c)?;
    let x = c.tensor(0)?;
    if matches!(x.dtype(), DType::Float32 | DType::Float64)
        && let (Some(low), Some(high)) = (bound(c, 1, f64::NEG_INFINITY), bound(c, 2, f64::INFINITY))
    {
        #[inline(always)]
        fn of<T: Real>(x: T, low: T, high: T) -> T {
            let x = if x.is_nan() | (x > low) { x } else { low };
            if x.is_nan() | (x < high) { x } else { high }
        }
        let (low32, high32) = (low as f32, high as f32);
        return Ok(same_unary(x, |x| of(x, low32, high32), |x| of(x, low, high), |x| x).into());
    }
    let mut out = Arg::Tensor(x.clone());
    if !c.is_none(1) {
        out = Arg::Tensor(pointwise::maximum(&out, c.arg(1), c.default_dtype())?);
    }
    if !c.is_none(2) {
        out = Arg::Tensor(pointwise::minimum(&out, c.arg(2), c.default_dtype())?);
    }
    let Arg::Tensor(tensor) = out else { unreachable!("clamp starts from a tensor") };
    Ok(tensor.into())
}

pub(super) fn maximum(c: &Call) -> Result<Value> {
    Ok(pointwise::maximum(c.arg(0), c.arg(1), c.default_dtype())?.into())
}

pub(super) fn minimum(c: &Call) -> Result<Value> {
    Ok(pointwise::minimum(c.arg(0), c.arg(1), c.default_dtype())?.into())
}

fn where_(c: &Call) -> Result<Value> {
    let condition = c.tensor(0)?;
    if c.form == 1 {
        return Ok(Value::Tensors(crate::tensor::index::nonzero(condition)));
    }
    Ok(pointwise::select(condition, c.arg(1), c.arg(2), c.default_dtype())?.into())
}

rows![
    op(
        pointwise("add").formula(Formula::Add).infix(Sign::Add).grad("Add"),
        ALL,
        &["Operand input, Operand other, *, Number alpha=1"],
        "input + alpha * other, broadcast.",
        add,
    )
    .rule(backward::pointwise::add),
    op(
        pointwise("sub").formula(Formula::Sub).infix(Sign::Sub).grad("Sub"),
        ALL,
        &["Operand input, Operand other, *, Number alpha=1"],
        "input - alpha * other, broadcast.",
        sub,
    )
    .rule(backward::pointwise::sub),
    op(
        pointwise("rsub").formula(Formula::ReverseSub).grad("Rsub"),
        BOTH,
        &["Operand input, Operand other, *, Number alpha=1"],
        "other - alpha * input.",
        |c| {
            refused::bools_subtracted(c.arg(1), c.arg(0))?;
            of_terms(c, pointwise::sub, 1, 0)
        },
    ),
    op(
        pointwise("mul").formula(Formula::Mul).infix(Sign::Mul).cost(CostRule::PerResult(1)).grad("Mul"),
        ALL,
        PAIR,
        "input * other, element by element, broadcast.",
        mul,
    )
    .rule(backward::pointwise::mul),
    op(
        pointwise("div").formula(Formula::Div).infix(Sign::Div).cost(CostRule::PerResult(1)).grad("Div"),
        ALL,
        &["Operand input, Operand other, *, str? rounding_mode=None"],
        "input / other, in floats.",
        div,
    )
    .rule(backward::pointwise::div),
    op(
        pointwise("floor_divide")
            .formula(Formula::Pair)
            .infix(Sign::FloorDiv)
            .cost(CostRule::PerResult(1))
            .grad_name(GradName::NotImplemented),
        ALL,
        PAIR,
        "input / other, rounded down.",
        floor_divide,
    ),
    op(
        pointwise("remainder")
            .formula(Formula::Pair)
            .infix(Sign::Remainder)
            .cost(CostRule::PerResult(1))
            .grad("Remainder"),
        ALL,
        PAIR,
        "What floor division leaves; the divisor's sign.",
        |c| {
            refused::bool_pair("remainder_cpu", c)?;
            zero_divisor(c)?;
            match (c.arg(0).tensor(), c.arg(1).tensor()) {
                (Some(_), Some(_)) => c.set_grad_name(GradName::Node("Remainder", 1)),
                (None, _) => c.set_grad_name(GradName::NotImplemented),
                _ => {}
            }
            Ok(binary(&REMAINDER, c.arg(0), c.arg(1), c.default_dtype())?.into())
        },
    ),
    op(
        pointwise("pow").formula(Formula::Pow).infix(Sign::Pow).cost(CostRule::Power).grad("Pow"),
        ALL,
        &["Operand input, Operand exponent"],
        "input to the power of exponent.",
        pow,
    )
    .saving_result_if(|args| args[1].tensor().is_some())
    .rule(backward::pointwise::pow),
    op(
        pointwise("maximum").formula(Formula::Larger).grad("Maximum"),
        BOTH,
        TENSORS,
        "The larger of each pair; nan where either is nan.",
        maximum,
    ),
    op(
        pointwise("minimum").formula(Formula::Smaller).grad("Minimum"),
        BOTH,
        TENSORS,
        "The smaller of each pair; nan where either is nan.",
        minimum,
    ),
    op(pointwise("atan2").grad("Atan2"), ALL, TENSORS, "The angle of the point (other, input).", |c| {
        Ok(binary(&ATAN2, c.arg(0), c.arg(1), c.default_dtype())?.into())
    }),
    op(
        pointwise("bitwise_and").formula(Formula::And).infix(Sign::And),
        ALL,
        PAIR,
        "Bits set in both; `&`.",
        |c| bitwise(c, &AND),
    ),
    op(
        pointwise("bitwise_or").formula(Formula::Or).infix(Sign::Or),
        ALL,
        PAIR,
        "Bits set in either; `|`.",
        |c| bitwise(c, &OR),
    ),
    op(pointwise("bitwise_xor").infix(Sign::Xor), ALL, PAIR, "Bits set in one of them; `^`.", |c| {
        bitwise(c, &XOR)
    }),
    op(pointwise("bitwise_left_shift").infix(Sign::LeftShift), ALL, PAIR, "Bits moved up; `<<`.", |c| {
        bitwise(c, &SHL)
    }),
    op(pointwise("bitwise_right_shift").infix(Sign::RightShift), ALL, PAIR, "Bits moved down; `>>`.", |c| {
        bitwise(c, &SHR)
    }),
    op(
        pointwise("bitwise_not").formula(Formula::Not).notation(OpNotation::Prefix(Sign::Invert)),
        ALL,
        ONE,
        "Every bit inverted; `~`, which inverts a mask.",
        bitwise_not,
    ),
    op(
        pointwise("clamp").formula(Formula::Clamp).grad("Clamp"),
        ALL,
        &["Tensor input, Operand? min=None, Operand? max=None"],
        "Held between min and max.",
        clamp,
    )
    .rule(backward::pointwise::clamp)
    .naming_scalar_types(),
    op(
        pointwise("clamp_min").formula(Formula::Clamp).grad("ClampMin"),
        ALL,
        &["Tensor input, Operand min"],
        "Not below min.",
        maximum,
    )
    .rule(backward::pointwise::clamp)
    .naming_scalar_types(),
    op(
        pointwise("clamp_max").formula(Formula::Clamp).grad("ClampMax"),
        ALL,
        &["Tensor input, Operand max"],
        "Not above max.",
        minimum,
    )
    .rule(backward::pointwise::clamp)
    .naming_scalar_types(),
    op(
        pointwise("where").explained(Explanation::Moved(Movement::Chosen)).grad("Where"),
        FUNCTION,
        &["Tensor condition, Operand input, Operand other", "Tensor condition"],
        "input where the condition is true, other elsewhere.",
        where_,
    )
    .rule(backward::pointwise::choice),
    op(
        pointwise("where").explained(Explanation::Moved(Movement::Chosen)).grad("Where"),
        METHOD,
        &["Operand input, Tensor condition, Operand other"],
        "self where the condition is true, other elsewhere.",
        |c| Ok(pointwise::select(c.tensor(1)?, c.arg(0), c.arg(2), c.default_dtype())?.into()),
    )
    .rule(backward::pointwise::choice),
    op(pointwise("logical_not").formula(Formula::Not), ALL, ONE, "Whether an element is zero.", |c| {
        Ok(pointwise::test(c.tensor(0)?, |v| v == 0.0).into())
    }),
    op(
        pointwise("logical_and").formula(Formula::And),
        METHOD | FUNCTION | IN_PLACE,
        &["Tensor input, Tensor other"],
        "Whether both are not zero.",
        |c| Ok(pointwise::logical(c.tensor(0)?, c.tensor(1)?, |a, b| a & b)?.into()),
    ),
    op(
        pointwise("logical_or").formula(Formula::Or),
        ALL,
        &["Tensor input, Tensor other"],
        "Whether either is not zero.",
        |c| Ok(pointwise::logical(c.tensor(0)?, c.tensor(1)?, |a, b| a | b)?.into()),
    ),
    op(
        pointwise("logical_xor"),
        ALL,
        &["Tensor input, Tensor other"],
        "Whether just one is not zero.",
        |c| Ok(pointwise::logical(c.tensor(0)?, c.tensor(1)?, |a, b| a ^ b)?.into()),
    ),
];
