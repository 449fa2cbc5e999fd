//! Pointwise operations.

use super::elementary::roots;
use super::refused;
use crate::kernel::Real;
use crate::kernel::division::{floor_divide_i64, remainder_float, remainder_i64};
use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, METHOD, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{CostRule, GradName, OpNotation, Sign, pointwise};
use crate::tensor::explanation::Formula::*;
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::pointwise::{self, BinaryOp, binary, same_unary};
use crate::tensor::{Arg, DType, Error, Result, Tensor, refuse_if};

/// Two operands, one of which may be a number.
const PAIR: &[&str] = &["Operand input, Operand other"];
const TENSORS: &[&str] = &["Tensor input, Tensor other"];

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
        let of_dtype = to_dtype(&pointwise::operand(arg, common)?, common);
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
            pair(c, &TRUNC_DIV)
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
    // A number in the dtype of the result: 256 is 0 in uint8.
    let zero = pointwise::operand(c.arg(1), whole)?.to_f64_vec().contains(&0.0);
    if !whole.is_float() && zero { Err(Error::runtime("ZeroDivisionError")) } else { Ok(()) }
}

fn floor_divide(c: &Call) -> Result<Value> {
    refused::bool_pair("div_floor_cpu", c)?;
    zero_divisor(c)?;
    pair(c, &FLOOR_DIV)
}

fn remainder(c: &Call) -> Result<Value> {
    refused::bool_pair("remainder_cpu", c)?;
    zero_divisor(c)?;
    match (c.arg(0).tensor(), c.arg(1).tensor()) {
        (Some(_), Some(_)) => c.set_grad_name(GradName::Node("Remainder", 1)),
        (None, _) => c.set_grad_name(GradName::NotImplemented),
        _ => {}
    }
    pair(c, &REMAINDER)
}

fn pair(c: &Call, op: &BinaryOp) -> Result<Value> {
    Ok(binary(op, c.arg(0), c.arg(1), c.default_dtype())?.into())
}

fn logical(c: &Call, f: fn(bool, bool) -> bool) -> Result<Value> {
    Ok(pointwise::logical(c.tensor(0)?, c.tensor(1)?, f)?.into())
}

/// In floats and in whole numbers.
const fn numbers(
    name: &'static str,
    f32: fn(f32, f32) -> f32,
    f64: fn(f64, f64) -> f64,
    i64: fn(i64, i64) -> i64,
) -> BinaryOp {
    BinaryOp { name, f32, f64, i64: Some(i64), bool: None }
}

/// In floats only.
const fn floats(name: &'static str, f32: fn(f32, f32) -> f32, f64: fn(f64, f64) -> f64) -> BinaryOp {
    BinaryOp { name, f32, f64, i64: None, bool: None }
}

macro_rules! logaddexp {
    ($float:ty) => {
        |a: $float, b: $float| match a == b && a.is_infinite() {
            true => a,
            false => a.max(b) + (-(a - b).abs()).exp().ln_1p(),
        }
    };
}

static FLOOR_DIV: BinaryOp =
    numbers("floor_divide", |a, b| (a / b).floor(), |a, b| (a / b).floor(), floor_divide_i64);
static TRUNC_DIV: BinaryOp =
    numbers("div", |a, b| (a / b).trunc(), |a, b| (a / b).trunc(), i64::wrapping_div);
static REMAINDER: BinaryOp = numbers("remainder", remainder_float, remainder_float, remainder_i64);
static ATAN2: BinaryOp = floats("atan2", f32::atan2, f64::atan2);
static HYPOT: BinaryOp = floats("hypot", f32::hypot, f64::hypot);
static LOGADDEXP: BinaryOp = floats("logaddexp", logaddexp!(f32), logaddexp!(f64));
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
    pair(c, op)
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
    match (c.arg(0).tensor(), c.arg(1).number()) {
        (Some(base), Some(0.5)) => Ok(roots(c, &to_dtype(base, dtype)).into()),
        _ => Ok(pointwise::pow(c.arg(0), c.arg(1), c.default_dtype())?.into()),
    }
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
    refuse_if!(c.is_none(1) && c.is_none(2), "torch.clamp: At least one of 'min' or 'max' must not be None");
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
    op(pointwise("add").formula(Add).infix(Sign::Add).grad("Add"), ALL, add)
        .forms(&["Operand input, Operand other, *, Number alpha=1"])
        .doc("input + alpha * other, broadcast.")
        .rule(backward::pointwise::add),
    op(pointwise("sub").formula(Sub).infix(Sign::Sub).grad("Sub"), ALL, sub)
        .forms(&["Operand input, Operand other, *, Number alpha=1"])
        .doc("input - alpha * other, broadcast.")
        .rule(backward::pointwise::sub),
    op(pointwise("rsub").formula(ReverseSub).grad("Rsub"), BOTH, |c| {
        refused::bools_subtracted(c.arg(1), c.arg(0))?;
        of_terms(c, pointwise::sub, 1, 0)
    })
    .forms(&["Operand input, Operand other, *, Number alpha=1"])
    .doc("other - alpha * input."),
    op(pointwise("mul").formula(Mul).infix(Sign::Mul).costs(1).grad("Mul"), ALL, mul)
        .forms(PAIR)
        .doc("input * other, element by element, broadcast.")
        .rule(backward::pointwise::mul),
    op(pointwise("div").formula(Div).infix(Sign::Div).costs(1).grad("Div"), ALL, div)
        .forms(&["Operand input, Operand other, *, str? rounding_mode=None"])
        .doc("input / other, in floats.")
        .rule(backward::pointwise::div),
    op(
        pointwise("floor_divide")
            .costs(1)
            .formula(Pair)
            .infix(Sign::FloorDiv)
            .costs(1)
            .grad_name(GradName::NotImplemented),
        ALL,
        floor_divide
    )
    .forms(PAIR)
    .doc("input / other, rounded down."),
    op(
        pointwise("remainder").formula(Pair).infix(Sign::Remainder).costs(1).grad("Remainder"),
        ALL,
        remainder
    )
    .forms(PAIR)
    .doc("What floor division leaves; the divisor's sign."),
    op(pointwise("pow").formula(Pow).infix(Sign::Pow).cost(CostRule::Power).grad("Pow"), ALL, pow)
        .forms(&["Operand input, Operand exponent"])
        .doc("input to the power of exponent.")
        .saving_result_if(|args| args[1].tensor().is_some())
        .rule(backward::pointwise::pow),
    op(pointwise("maximum").formula(Larger).grad("Maximum"), BOTH, maximum)
        .forms(TENSORS)
        .doc("The larger of each pair; nan where either is nan."),
    op(pointwise("minimum").formula(Smaller).grad("Minimum"), BOTH, minimum)
        .forms(TENSORS)
        .doc("The smaller of each pair; nan where either is nan."),
    op(pointwise("atan2").costs(1).grad("Atan2"), ALL, |c| pair(c, &ATAN2))
        .forms(TENSORS)
        .doc("The angle of the point (other, input)."),
    op(pointwise("hypot").costs(1).grad("Hypot"), ALL, |c| pair(c, &HYPOT))
        .forms(TENSORS)
        .doc("The root of the sum of both squares.")
        .saving_result(),
    op(pointwise("logaddexp").costs(1).grad("Logaddexp"), BOTH, |c| pair(c, &LOGADDEXP))
        .forms(TENSORS)
        .doc("log(exp(input) + exp(other)), without overflow.")
        .refusing(refused::is_whole, "\"logaddexp_cpu\" not implemented for '{}'"),
    op(pointwise("bitwise_and").formula(And).infix(Sign::And), ALL, |c| bitwise(c, &AND))
        .forms(PAIR)
        .doc("Bits set in both; `&`."),
    op(pointwise("bitwise_or").formula(Or).infix(Sign::Or), ALL, |c| bitwise(c, &OR))
        .forms(PAIR)
        .doc("Bits set in either; `|`."),
    op(pointwise("bitwise_xor").infix(Sign::Xor), ALL, |c| bitwise(c, &XOR))
        .forms(PAIR)
        .doc("Bits set in one of them; `^`."),
    op(pointwise("bitwise_left_shift").infix(Sign::LeftShift), ALL, |c| bitwise(c, &SHL))
        .forms(PAIR)
        .doc("Bits moved up; `<<`."),
    op(pointwise("bitwise_right_shift").infix(Sign::RightShift), ALL, |c| bitwise(c, &SHR))
        .forms(PAIR)
        .doc("Bits moved down; `>>`."),
    op(pointwise("bitwise_not").formula(Not).notation(OpNotation::Prefix(Sign::Invert)), ALL, bitwise_not)
        .doc("Every bit inverted; `~`, which inverts a mask."),
    op(pointwise("clamp").formula(Clamp).grad("Clamp"), ALL, clamp)
        .forms(&["Tensor input, Operand? min=None, Operand? max=None"])
        .doc("Held between min and max.")
        .rule(backward::pointwise::clamp),
    op(pointwise("clamp_min").formula(Clamp).grad("ClampMin"), ALL, maximum)
        .forms(&["Tensor input, Operand min"])
        .doc("Not below min.")
        .rule(backward::pointwise::clamp),
    op(pointwise("clamp_max").formula(Clamp).grad("ClampMax"), ALL, minimum)
        .forms(&["Tensor input, Operand max"])
        .doc("Not above max.")
        .rule(backward::pointwise::clamp),
    op(pointwise("where").explained(Explanation::Moved(Movement::Chosen)).grad("Where"), FUNCTION, where_)
        .forms(&["Tensor condition, Operand input, Operand other", "Tensor condition"])
        .doc("input where the condition is true, other elsewhere.")
        .rule(backward::pointwise::choice),
    op(pointwise("where").explained(Explanation::Moved(Movement::Chosen)).grad("Where"), METHOD, |c| {
        Ok(pointwise::select(c.tensor(1)?, c.arg(0), c.arg(2), c.default_dtype())?.into())
    })
    .forms(&["Operand input, Tensor condition, Operand other"])
    .doc("self where the condition is true, other elsewhere.")
    .rule(backward::pointwise::choice),
    op(pointwise("logical_not").formula(Not), ALL, |c| {
        Ok(pointwise::test(c.tensor(0)?, |v| v == 0.0).into())
    })
    .doc("Whether an element is zero."),
    op(pointwise("logical_and").formula(And), ALL, |c| logical(c, |a, b| a & b))
        .forms(TENSORS)
        .doc("Whether both are not zero."),
    op(pointwise("logical_or").formula(Or), ALL, |c| logical(c, |a, b| a | b))
        .forms(TENSORS)
        .doc("Whether either is not zero."),
    op(pointwise("logical_xor"), ALL, |c| logical(c, |a, b| a ^ b))
        .forms(TENSORS)
        .doc("Whether just one is not zero."),
];
