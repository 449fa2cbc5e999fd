//! Sums, means, extremes and truths over dimensions.

use crate::kernel::reduce as kernel;
use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{CostRule, Descriptor, GradName, OpFamily, reduction};
use crate::tensor::explanation::{Explanation, Reducer, RunningKind};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::half;
use crate::tensor::ops::reduce::{self, ReductionAxes};
use crate::tensor::{DType, Error, ErrorFact, Result, Tensor, ops, refuse_if};

/// Over everything, or over the dimensions named.
pub(super) const DIMS: &[&str] = &[
    "Tensor input, *, dtype? dtype=None",
    "Tensor input, ints? dim, bool keepdim=False, *, dtype? dtype=None",
];
/// One dimension or all.
const DIM: &[&str] = &[
    "Tensor input, *, dtype? dtype=None",
    "Tensor input, int dim, bool keepdim=False, *, dtype? dtype=None",
];
pub(super) const VAR: &[&str] = &[
    "Tensor input, ints? dim, bool unbiased, bool keepdim=False",
    "Tensor input, bool unbiased",
    "Tensor input, ints? dim=None, *, Number? correction=1, bool keepdim=False",
    "Tensor input, ints? dim, bool keepdim, *, Number? correction=1",
];
const RUN: &[&str] = &["Tensor input, int dim, *, dtype? dtype=None"];
const TRUTH: &[&str] = &["Tensor input", "Tensor input, ints? dim, bool keepdim=False"];

fn over(c: &Call) -> Result<ReductionAxes> {
    let dims = if c.form == 0 { Vec::new() } else { c.opt_ints(1).unwrap_or_default() };
    ReductionAxes::new(c.tensor(0)?, &dims, c.form != 0 && c.bool(2))
}

fn dtype(c: &Call) -> Option<DType> {
    c.opt_dtype(if c.form == 0 { 1 } else { 3 })
}

/// The first overload reduces everything, the second the dimensions named.
fn overload_by_form(c: &Call, stem: &'static str) {
    c.set_grad_name(GradName::Node(stem, u8::from(c.form != 0)));
}

fn sum(c: &Call) -> Result<Value> {
    overload_by_form(c, "Sum");
    Ok(reduce::sum(c.tensor(0)?, &over(c)?, dtype(c)).into())
}

fn mean(c: &Call) -> Result<Value> {
    overload_by_form(c, "Mean");
    let (x, over) = (c.tensor(0)?, over(c)?);
    let dtype = dtype(c).unwrap_or(x.dtype());
    if !dtype.is_float() {
        return Err(Error::runtime(format!(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
            dtype.cpp_name()
        )).about(ErrorFact::UnsupportedDtype));
    }
    Ok(reduce::floats(&to_dtype(x, dtype), &over, kernel::mean, kernel::mean).into())
}

fn prod(c: &Call) -> Result<Value> {
    overload_by_form(c, "Prod");
    let (x, over, dtype) = (c.tensor(0)?, over(c)?, dtype(c));
    let wanted = dtype.unwrap_or(x.dtype());
    if wanted.is_half() {
        return Ok(half::prod(&to_dtype(x, wanted), &over).into());
    }
    Ok(reduce::prod(x, &over, dtype).into())
}

/// A variance or a standard deviation.
fn spread(c: &Call, root: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let flag = |on: bool| if on { 1.0 } else { 0.0 };
    let (dims, correction, keepdim) = match c.form {
        0 => (c.opt_ints(1), flag(c.bool(2)), c.bool(3)),
        1 => (None, flag(c.bool(1)), false),
        2 => (c.opt_ints(1), c.opt_float(2).unwrap_or(1.0), c.bool(3)),
        _ => (c.opt_ints(1), c.opt_float(3).unwrap_or(1.0), c.bool(2)),
    };
    refuse_if!(!x.dtype().is_float(), "std and var only support floating point and complex dtypes");
    let over = ReductionAxes::new(x, &dims.unwrap_or_default(), keepdim)?;
    Ok(reduce::floats(
        x,
        &over,
        |x, axes| kernel::var(x, axes, correction, root),
        |x, axes| kernel::var(x, axes, correction, root),
    )
    .into())
}

fn truth(c: &Call, all: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let answer = match c.form == 1 && c.opt_ints(1).is_some_and(|dims| dims.is_empty()) {
        // Over no dimensions each element is judged alone.
        true => to_dtype(x, DType::Bool),
        false => reduce::truth(x, &over(c)?, all),
    };
    // uint8 keeps its dtype, as PyTorch has it.
    Ok(if x.dtype() == DType::UInt8 { to_dtype(&answer, DType::UInt8) } else { answer }.into())
}

fn running(c: &Call, product: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    if c.in_place || c.opt_dtype(2) == Some(DType::Bool) {
        super::refused::bools(
            if product { "cumprod_out_cpu" } else { "cumsum_out_cpu" },
            c.opt_dtype(2).unwrap_or(x.dtype()),
        )?;
    }
    Ok(reduce::running(x, axis, c.opt_dtype(2), product).into())
}

fn logsumexp(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let x = to_dtype(x, ops::float_dtype(x.dtype(), c.default_dtype()));
    let over = ReductionAxes::new(&x, &c.ints(1)?, c.bool(2))?;
    if x.dtype().is_half() && x.numel() > 0 {
        return Ok(half::logsumexp(&x, &over)?.into());
    }
    Ok(reduce::floats(&x, &over, kernel::logsumexp, kernel::logsumexp).into())
}

/// Σ |x|^p over axes, to the power 1/p.
pub(super) fn norm_of(x: &Tensor, over: &ReductionAxes, p: f64) -> Result<Tensor> {
    refuse_if!(
        over.axes.iter().any(|&axis| x.shape()[axis] == 0)
            && (p.is_infinite() || p < 0.0)
            && x.dtype().is_float(),
        "linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have an \
             identity"
    );
    refuse_if!(
        !x.dtype().is_float(),
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
        x.dtype().cpp_name()
    );
    Ok(reduce::floats(x, over, |v, a| kernel::norm(v, a, p), |v, a| kernel::norm(v, a, p)))
}

fn norm(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let p = match c.opt_str(1) {
        Some("fro") => 2.0,
        Some(other) => {
            return Err(Error::runtime(format!(
                "norm of kind '{other}' is not part of attn (p may be a number or 'fro')"
            )));
        }
        None => c.opt_float(1).unwrap_or(2.0),
    };
    let over = ReductionAxes::new(x, &c.opt_ints(2).unwrap_or_default(), c.bool(3))?;
    let x = c.opt_dtype(4).map_or_else(|| x.clone(), |dtype| to_dtype(x, dtype));
    Ok(norm_of(&x, &over, p)?.into())
}

/// A variance or a standard deviation.
const fn spread_of(name: &'static str, root: bool) -> Descriptor {
    Descriptor::new(name, OpFamily::Reduction, Explanation::Spread { root })
}

const fn scan(name: &'static str, kind: RunningKind) -> Descriptor {
    Descriptor::new(name, OpFamily::Scan, Explanation::Running(kind))
}

rows![
    op(reduction("sum", Reducer::Sum).grad("Sum"), BOTH, sum)
        .forms(DIMS)
        .doc("The sum over all elements, or over the dimensions named.")
        .rule(backward::reductions::sum),
    op(reduction("mean", Reducer::Mean).costs(1).grad("Mean"), BOTH, mean)
        .forms(DIMS)
        .doc("The mean over all elements, or over the dimensions named.")
        .rule(backward::reductions::mean),
    op(reduction("prod", Reducer::Product).grad("Prod"), BOTH, prod)
        .forms(DIM)
        .doc("The product over all elements, or over one dimension.")
        .autocast(autocast::float32)
        .saving_result(),
    op(spread_of("var", false).cost(CostRule::Spread).grad("Var"), BOTH, |c| spread(c, false))
        .forms(VAR)
        .doc("The variance; divided by n - correction.")
        .rule(backward::reductions::var),
    op(spread_of("std", true).cost(CostRule::Spread).grad("Std"), BOTH, |c| spread(c, true))
        .forms(VAR)
        .doc("The standard deviation; the root of the variance.")
        .saving_result(),
    op(reduction("any", Reducer::Any), BOTH, |c| truth(c, false))
        .forms(TRUTH)
        .doc("Whether any element is not zero."),
    op(reduction("all", Reducer::All), BOTH, |c| truth(c, true))
        .forms(TRUTH)
        .doc("Whether every element is not zero."),
    op(scan("cumsum", RunningKind::Sum).grad("Cumsum"), ALL, |c| running(c, false))
        .forms(RUN)
        .doc("Running sums along a dimension."),
    op(scan("cumprod", RunningKind::Product).grad("Cumprod"), ALL, |c| running(c, true))
        .forms(RUN)
        .doc("Running products along a dimension.")
        .saving_result(),
    op(reduction("logsumexp", Reducer::LogSumExp).grad("Logsumexp"), BOTH, logsumexp)
        .forms(&["Tensor input, ints dim, bool keepdim=False"])
        .doc("log of the sum of exp, without overflow.")
        .saving_result(),
    op(reduction("norm", Reducer::Norm).cost(CostRule::Spread).grad("LinalgVectorNorm"), BOTH, norm)
        .forms(&[
            "Tensor input, Number? p=2, ints? dim=None, bool keepdim=False, dtype? dtype=None",
            "Tensor input, str? p='fro', ints? dim=None, bool keepdim=False, dtype? dtype=None"
        ])
        .doc("The p-norm: the root of the sum of squares for p = 2.")
        .saving_result(),
];
