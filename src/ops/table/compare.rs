//! Comparisons: tensors of truth values, and single answers.

use std::cmp::Ordering;

use crate::ops::op::{ALL, BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily, ShapeRule, Sign, pointwise};
use crate::tensor::explanation::{ConstantKind, Explanation, Formula};
use crate::tensor::ops::pointwise;
use crate::tensor::{Error, Result, Tensor};

const PAIR: &[&str] = &["Tensor input, Operand other"];
const ONE: &[&str] = &["Tensor input"];
const CLOSE: &[&str] =
    &["Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False"];

fn test(c: &Call, accept: fn(Ordering) -> bool) -> Result<Value> {
    Ok(pointwise::compare(c.arg(0), c.arg(1), c.default_dtype(), accept)?.into())
}

/// |input - other| <= atol + rtol * |other|. Source: `torch.isclose`.
fn isclose(c: &Call) -> Result<Tensor> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    if a.dtype() != b.dtype() {
        return Err(Error::runtime(format!(
            "{} did not match {}",
            a.dtype().cpp_name(),
            b.dtype().cpp_name()
        )));
    }
    let shape = crate::tensor::layout::broadcast(a.shape(), b.shape())?;
    let (rtol, atol, equal_nan) = (c.float(2)?, c.float(3)?, c.bool(4));
    let wide = |tensor: &Tensor| tensor.with_layout(tensor.layout().broadcast_to(&shape)).to_f64_vec();
    let values = wide(a)
        .into_iter()
        .zip(wide(b))
        .map(|(x, y)| {
            let near = (x - y).abs().is_finite() && (x - y).abs() <= atol + (rtol * y).abs();
            x == y || near || (equal_nan && x.is_nan() && y.is_nan())
        })
        .collect();
    Ok(Tensor::from_bool(values, shape))
}

fn equal(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    let same = a.shape() == b.shape() && a.to_f64_vec() == b.to_f64_vec();
    Ok(Value::Bool(same))
}

rows![
    op(pointwise("eq").formula(Formula::Compare).infix(Sign::Eq), ALL, PAIR, "Where both are equal.", |c| {
        test(c, |o| o == Ordering::Equal)
    }),
    op(pointwise("ne").formula(Formula::Compare).infix(Sign::Ne), ALL, PAIR, "Where both differ.", |c| {
        test(c, |o| o != Ordering::Equal)
    }),
    op(pointwise("lt").formula(Formula::Compare).infix(Sign::Lt), ALL, PAIR, "Where input is less.", |c| {
        test(c, |o| o == Ordering::Less)
    }),
    op(
        pointwise("le").formula(Formula::Compare).infix(Sign::Le),
        ALL,
        PAIR,
        "Where input is not greater.",
        |c| test(c, |o| o != Ordering::Greater),
    ),
    op(
        pointwise("gt").formula(Formula::Compare).infix(Sign::Gt),
        ALL,
        PAIR,
        "Where input is greater.",
        |c| test(c, |o| o == Ordering::Greater),
    ),
    op(
        pointwise("ge").formula(Formula::Compare).infix(Sign::Ge),
        ALL,
        PAIR,
        "Where input is not less.",
        |c| test(c, |o| o != Ordering::Less),
    ),
    op(
        pointwise("isclose").formula(Formula::Pair),
        BOTH,
        CLOSE,
        "Where both agree within a tolerance.",
        |c| Ok(isclose(c)?.into()),
    ),
    op(
        Descriptor::new("allclose", OpFamily::Query, Explanation::Whole).shapes(ShapeRule::Broadcast(0, 1)),
        BOTH,
        CLOSE,
        "Whether all elements agree within a tolerance.",
        |c| Ok(Value::Bool(isclose(c)?.to_bool_vec().into_iter().all(|near| near))),
    ),
    op(
        Descriptor::new("equal", OpFamily::Query, Explanation::Whole),
        BOTH,
        &["Tensor input, Tensor other"],
        "Whether shape and all elements are the same.",
        equal,
    ),
    op(pointwise("isnan"), BOTH, ONE, "Where an element is no number.", |c| {
        Ok(pointwise::test(c.tensor(0)?, f64::is_nan).into())
    }),
    op(pointwise("isinf"), BOTH, ONE, "Where an element is infinite.", |c| {
        Ok(pointwise::test(c.tensor(0)?, f64::is_infinite).into())
    }),
    op(pointwise("isfinite"), BOTH, ONE, "Where an element is neither infinite nor nan.", |c| {
        Ok(pointwise::test(c.tensor(0)?, f64::is_finite).into())
    }),
    op(
        Descriptor::new("numel", OpFamily::Query, Explanation::Constant(ConstantKind::Everywhere)),
        FUNCTION,
        ONE,
        "The number of elements.",
        |c| Ok(Value::Int(c.tensor(0)?.numel() as i64)),
    ),
];
