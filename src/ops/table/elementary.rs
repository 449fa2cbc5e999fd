//! Functions of one operand, element by element.

use super::refused;
use crate::kernel::{math, random::erfinv};
use crate::ops::backward;
use crate::ops::op::{ALL, Call, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{CostRule, GradName, OpNotation, Sign, pointwise};
use crate::tensor::explanation::Formula;
use crate::tensor::ops::float::only_floats;
use crate::tensor::ops::pointwise::{float_unary, same_unary};
use crate::tensor::{DType, Error, Result, Tensor, ops};

const ONE: &[&str] = &["Tensor input"];

fn floats(c: &Call, f32: fn(&[f32], &mut [f32]), f64: fn(&[f64], &mut [f64])) -> Result<Value> {
    Ok(float_unary(c.tensor(0)?, c.default_dtype(), f32, f64).into())
}

/// A function of one float as a loop over slices.
macro_rules! each {
    ($f:expr, $g:expr) => {
        |c: &Call| {
            floats(
                c,
                |x, out| out.iter_mut().zip(x).for_each(|(out, &x)| *out = $f(x)),
                |x, out| out.iter_mut().zip(x).for_each(|(out, &x)| *out = $g(x)),
            )
        }
    };
}

fn neg(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.dtype() == DType::Bool {
        return Err(Error::runtime(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use \
             the `~` or `logical_not()` operator instead.",
        ));
    }
    Ok(same_unary(x, |v| -v, |v| -v, i64::wrapping_neg).into())
}

fn round(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    match c.opt_int(1).unwrap_or(0) {
        0 => refused::bools("round_vml_cpu", x.dtype())?,
        _ => {
            only_floats("round_cpu", x.dtype())?;
            c.set_grad_name(GradName::Node("Round", 1));
        }
    }
    match c.opt_int(1).unwrap_or(0) {
        0 => Ok(same_unary(x, f32::round_ties_even, f64::round_ties_even, |v| v).into()),
        decimals => {
            let scale = 10f64.powi(decimals.unsigned_abs() as i32);
            let down = decimals > 0;
            let values = x.to_f64_vec().into_iter().map(|v| {
                if x.dtype() == DType::Float64 {
                    return if down {
                        (v * scale).round_ties_even() / scale
                    } else {
                        (v / scale).round_ties_even() * scale
                    };
                }
                let (v, scale) = (v as f32, scale as f32);
                f64::from(if down {
                    (v * scale).round_ties_even() / scale
                } else {
                    (v / scale).round_ties_even() * scale
                })
            });
            let wide = Tensor::new(crate::tensor::Buffer::F64(values.collect()), x.shape(), DType::Float64);
            Ok(ops::cast::to_dtype(&wide, x.dtype()).into())
        }
    }
}

fn sign(c: &Call) -> Result<Value> {
    let f = |v: f32| {
        if v > 0.0 {
            1.0
        } else if v < 0.0 {
            -1.0
        } else {
            0.0
        }
    };
    let g = |v: f64| {
        if v > 0.0 {
            1.0
        } else if v < 0.0 {
            -1.0
        } else {
            0.0
        }
    };
    Ok(same_unary(c.tensor(0)?, f, g, i64::signum).into())
}

fn relu(c: &Call) -> Result<Value> {
    if c.tensor(0)?.dtype() == DType::Bool {
        return Err(Error::runtime("Boolean inputs not supported for relu"));
    }
    Ok(same_unary(
        c.tensor(0)?,
        |v| if v.is_nan() || v > 0.0 { v } else { 0.0 },
        |v| if v.is_nan() || v > 0.0 { v } else { 0.0 },
        |v| v.max(0),
    )
    .into())
}

rows![
    op(
        pointwise("neg").formula(Formula::Neg).notation(OpNotation::Prefix(Sign::Neg)).grad("Neg"),
        ALL,
        ONE,
        "-input.",
        neg,
    )
    .rule(backward::pointwise::neg),
    op(pointwise("abs").grad("Abs"), ALL, ONE, "The magnitude of each element.", |c| {
        refused::bools("abs_cpu", c.tensor(0)?.dtype())?;
        Ok(same_unary(c.tensor(0)?, f32::abs, f64::abs, i64::wrapping_abs).into())
    }),
    op(pointwise("sign").grad("Sign"), ALL, ONE, "-1, 0 or 1.", sign),
    op(
        pointwise("exp").formula(Formula::Exp).cost(CostRule::PerResult(1)).grad("Exp"),
        ALL,
        ONE,
        "e to the power of each element.",
        |c| floats(c, math::exp, math::exp_double),
    )
    .saving_result()
    .rule(backward::pointwise::exp),
    op(pointwise("exp2").grad("Exp2"), ALL, ONE, "2 to the power of each element.", |c| {
        floats(c, math::exp2, math::exp2)
    })
    .saving_result(),
    op(pointwise("expm1").grad("Expm1"), ALL, ONE, "exp(x) - 1, exact near 0.", |c| {
        floats(c, math::expm1, math::expm1)
    })
    .saving_result(),
    op(
        pointwise("erfinv").grad("Erfinv"),
        ALL,
        ONE,
        "The number whose erf is x; infinite at 1 and -1.",
        each!(|x: f32| erfinv(f64::from(x)) as f32, erfinv),
    ),
    op(
        pointwise("log").formula(Formula::Log).cost(CostRule::PerResult(1)).grad("Log"),
        ALL,
        ONE,
        "Natural logarithm.",
        |c| floats(c, math::log, math::log_double),
    )
    .rule(backward::pointwise::log),
    op(pointwise("log2").formula(Formula::Log).grad("Log2"), ALL, ONE, "Logarithm to base 2.", |c| {
        floats(c, math::log2, math::log2)
    }),
    op(pointwise("log10").formula(Formula::Log).grad("Log10"), ALL, ONE, "Logarithm to base 10.", |c| {
        floats(c, math::log10, math::log10)
    }),
    op(pointwise("log1p").grad("Log1P"), ALL, ONE, "log(1 + x), exact near 0.", |c| {
        floats(c, math::log1p, math::log1p)
    }),
    op(
        pointwise("sqrt").formula(Formula::Sqrt).cost(CostRule::PerResult(1)).grad("Sqrt"),
        ALL,
        ONE,
        "Square root.",
        each!(f32::sqrt, f64::sqrt),
    )
    .saving_result()
    .rule(backward::pointwise::sqrt),
    op(
        pointwise("rsqrt").formula(Formula::Rsqrt).cost(CostRule::PerResult(1)).grad("Rsqrt"),
        ALL,
        ONE,
        "1 / square root.",
        each!(|x: f32| 1.0 / x.sqrt(), |x: f64| 1.0 / x.sqrt()),
    )
    .saving_result()
    .rule(backward::pointwise::rsqrt),
    op(
        pointwise("reciprocal").formula(Formula::Reciprocal).cost(CostRule::PerResult(1)).grad("Reciprocal"),
        ALL,
        ONE,
        "1 / x.",
        each!(|x: f32| 1.0 / x, |x: f64| 1.0 / x),
    )
    .saving_result(),
    op(
        pointwise("square").formula(Formula::Square).cost(CostRule::PerResult(1)).grad("Pow"),
        ALL,
        ONE,
        "x * x.",
        |c| {
            let x = c.tensor(0)?;
            let x = if x.dtype() == DType::Bool { &ops::cast::to_dtype(x, DType::Int64) } else { x };
            Ok(same_unary(x, |x| x * x, |x| x * x, |x| x.wrapping_mul(x)).into())
        },
    )
    .rule(backward::pointwise::square),
    op(
        pointwise("sin").formula(Formula::Trigonometric).grad("Sin"),
        ALL,
        ONE,
        "Sine of an angle in radians.",
        |c| floats(c, math::sin, math::sin),
    ),
    op(
        pointwise("cos").formula(Formula::Trigonometric).grad("Cos"),
        ALL,
        ONE,
        "Cosine of an angle in radians.",
        |c| floats(c, math::cos, math::cos),
    ),
    op(pointwise("tan").grad("Tan"), ALL, ONE, "Tangent of an angle in radians.", |c| {
        floats(c, math::tan, math::tan)
    })
    .saving_result(),
    op(
        pointwise("asin").formula(Formula::InverseTrigonometric).grad("Asin"),
        ALL,
        ONE,
        "The angle with this sine.",
        each!(f32::asin, f64::asin),
    ),
    op(
        pointwise("acos").formula(Formula::InverseTrigonometric).grad("Acos"),
        ALL,
        ONE,
        "The angle with this cosine.",
        each!(f32::acos, f64::acos),
    ),
    op(pointwise("atan").grad("Atan"), ALL, ONE, "The angle with this tangent.", each!(f32::atan, f64::atan)),
    op(pointwise("sinh").grad("Sinh"), ALL, ONE, "Hyperbolic sine.", each!(f32::sinh, f64::sinh)),
    op(pointwise("cosh").grad("Cosh"), ALL, ONE, "Hyperbolic cosine.", each!(f32::cosh, f64::cosh)),
    op(
        pointwise("tanh").formula(Formula::Tanh).cost(CostRule::PerResult(1)).grad("Tanh"),
        ALL | FUNCTIONAL,
        ONE,
        "Hyperbolic tangent, between -1 and 1.",
        |c| floats(c, math::tanh, math::tanh_double),
    )
    .saving_result()
    .rule(backward::activations::tanh),
    op(
        pointwise("sigmoid").formula(Formula::Sigmoid).cost(CostRule::PerResult(1)).grad("Sigmoid"),
        ALL | FUNCTIONAL,
        ONE,
        "1 / (1 + exp(-x)), between 0 and 1.",
        |c| floats(c, math::sigmoid, math::sigmoid),
    )
    .saving_result()
    .rule(backward::activations::sigmoid),
    op(pointwise("floor").grad("Floor"), ALL, ONE, "The next whole number below.", |c| {
        refused::bools("floor_vml_cpu", c.tensor(0)?.dtype())?;
        Ok(same_unary(c.tensor(0)?, f32::floor, f64::floor, |v| v).into())
    }),
    op(pointwise("ceil").grad("Ceil"), ALL, ONE, "The next whole number above.", |c| {
        refused::bools("ceil_vml_cpu", c.tensor(0)?.dtype())?;
        Ok(same_unary(c.tensor(0)?, f32::ceil, f64::ceil, |v| v).into())
    }),
    op(pointwise("trunc").grad("Trunc"), ALL, ONE, "Without what stands behind the point.", |c| {
        refused::bools("trunc_vml_cpu", c.tensor(0)?.dtype())?;
        Ok(same_unary(c.tensor(0)?, f32::trunc, f64::trunc, |v| v).into())
    }),
    op(
        pointwise("round").grad("Round"),
        ALL,
        &["Tensor input, *, int decimals=0"],
        "The nearest whole number; halves to even.",
        round,
    ),
    op(pointwise("relu").formula(Formula::Relu).grad("Relu"), ALL, &["Tensor input"], "max(x, 0).", relu)
        .saving_result()
        .rule(backward::activations::relu),
];
