//! Comparisons: tensors of truth values, and single answers.

use std::cmp::Ordering;

use crate::ops::op::{ALL, BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily, ShapeRule, Sign, pointwise, whole};
use crate::tensor::explanation::{ConstantKind, Explanation, Formula};
use crate::tensor::ops::pointwise;
use crate::tensor::{Error, Result, Tensor, refuse_if};

const CLOSE: &[&str] =
    &["Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False"];

/// A comparison with a sign of Python's.
const fn comparison(name: &'static str, sign: Sign, run: fn(&Call) -> Result<Value>) -> Op {
    op(pointwise(name).formula(Formula::Compare).infix(sign), ALL, run)
        .forms(&["Tensor input, Operand other"])
}

/// A fact about tensors that no element decides.
const fn fact(name: &'static str) -> Descriptor {
    Descriptor::new(name, OpFamily::Query, Explanation::Constant(ConstantKind::Everywhere))
}

fn test(c: &Call, accept: fn(Ordering) -> bool) -> Result<Value> {
    Ok(pointwise::compare(c.arg(0), c.arg(1), c.default_dtype(), accept)?.into())
}

/// |input - other| <= atol + rtol * |other|. Source: `torch.isclose`.
fn isclose(c: &Call) -> Result<Tensor> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    refuse_if!(a.dtype() != b.dtype(), "{} did not match {}", a.dtype().cpp_name(), b.dtype().cpp_name());
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
    comparison("eq", Sign::Eq, |c| test(c, Ordering::is_eq)).doc("Where both are equal."),
    comparison("ne", Sign::Ne, |c| test(c, Ordering::is_ne)).doc("Where both differ."),
    comparison("lt", Sign::Lt, |c| test(c, Ordering::is_lt)).doc("Where input is less."),
    comparison("le", Sign::Le, |c| test(c, Ordering::is_le)).doc("Where input is not greater."),
    comparison("gt", Sign::Gt, |c| test(c, Ordering::is_gt)).doc("Where input is greater."),
    comparison("ge", Sign::Ge, |c| test(c, Ordering::is_ge)).doc("Where input is not less."),
    op(pointwise("isclose").formula(Formula::Pair), BOTH, |c| Ok(isclose(c)?.into()))
        .forms(CLOSE)
        .doc("Where both agree within a tolerance."),
    op(whole("allclose", OpFamily::Query).shapes(ShapeRule::Broadcast(0, 1)), BOTH, |c| {
        Ok(Value::Bool(isclose(c)?.to_bool_vec().into_iter().all(|near| near)))
    })
    .forms(CLOSE)
    .doc("Whether all elements agree within a tolerance."),
    op(whole("equal", OpFamily::Query), BOTH, equal)
        .forms(&["Tensor input, Tensor other"])
        .doc("Whether shape and all elements are the same."),
    op(pointwise("isnan"), BOTH, |c| Ok(pointwise::test(c.tensor(0)?, f64::is_nan).into()))
        .doc("Where an element is no number."),
    op(pointwise("isinf"), BOTH, |c| Ok(pointwise::test(c.tensor(0)?, f64::is_infinite).into()))
        .doc("Where an element is infinite."),
    op(pointwise("isfinite"), BOTH, |c| Ok(pointwise::test(c.tensor(0)?, f64::is_finite).into()))
        .doc("Where an element is neither infinite nor nan."),
    op(fact("numel"), FUNCTION, |c| Ok(Value::Int(c.tensor(0)?.numel() as i64)))
        .doc("The number of elements."),
    op(fact("result_type"), FUNCTION, |c| {
        Ok(Value::DType(pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype())))
    })
    .forms(&["Operand tensor1, Operand tensor2"])
    .doc("The dtype both are computed in."),
    op(fact("promote_types"), FUNCTION, |c| match (c.opt_dtype(0), c.opt_dtype(1)) {
        (Some(a), Some(b)) => Ok(Value::DType(a.promote(b))),
        _ => Err(Error::type_error("promote_types() takes two dtypes")),
    })
    .forms(&["dtype type1, dtype type2"])
    .doc("The dtype to which both are promoted."),
];
