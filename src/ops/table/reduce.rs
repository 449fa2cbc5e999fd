//! Sums, means, extremes and truths over dimensions.

use crate::kernel::reduce as kernel;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{CostRule, Descriptor, GradName, OpFamily, reduction};
use crate::tensor::explanation::{Explanation, Reducer, RunningKind};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::half;
use crate::tensor::ops::reduce::{self, Floats, ReductionAxes};
use crate::tensor::{DType, Error, ErrorFact, Result, Tensor, ops};

/// Over everything, or over the dimensions named.
const DIMS: &[&str] = &[
    "Tensor input, *, dtype? dtype=None",
    "Tensor input, ints? dim, bool keepdim=False, *, dtype? dtype=None",
];
/// One dimension or all.
const DIM: &[&str] = &[
    "Tensor input, *, dtype? dtype=None",
    "Tensor input, int dim, bool keepdim=False, *, dtype? dtype=None",
];
const VAR: &[&str] = &[
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

fn nansum(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let clean = ops::pointwise::same_unary(
        x,
        |v| if v.is_nan() { 0.0 } else { v },
        |v| if v.is_nan() { 0.0 } else { v },
        |v| v,
    );
    Ok(reduce::sum(&clean, &over(c)?, dtype(c)).into())
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
    Ok(reduce::floats(&to_dtype(x, dtype), &over, &Floats { f32: kernel::mean, f64: kernel::mean }).into())
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

/// The dims, correction and keepdim of `var` and `std` in their forms.
fn spread(c: &Call) -> Result<(Tensor, ReductionAxes, f64)> {
    let x = c.tensor(0)?;
    let flag = |on: bool| if on { 1.0 } else { 0.0 };
    let (dims, correction, keepdim) = match c.form {
        0 => (c.opt_ints(1), flag(c.bool(2)), c.bool(3)),
        1 => (None, flag(c.bool(1)), false),
        2 => (c.opt_ints(1), c.opt_float(2).unwrap_or(1.0), c.bool(3)),
        _ => (c.opt_ints(1), c.opt_float(3).unwrap_or(1.0), c.bool(2)),
    };
    if !x.dtype().is_float() {
        return Err(Error::runtime("std and var only support floating point and complex dtypes"));
    }
    Ok((x.clone(), ReductionAxes::new(x, &dims.unwrap_or_default(), keepdim)?, correction))
}

fn var_of(x: &Tensor, over: &ReductionAxes, correction: f64) -> Tensor {
    reduce::floats_with(x, over, |v, a| kernel::var(v, a, correction), |v, a| kernel::var(v, a, correction))
}

fn std_of(x: &Tensor, over: &ReductionAxes, correction: f64) -> Tensor {
    reduce::floats_with(x, over, |v, a| kernel::std(v, a, correction), |v, a| kernel::std(v, a, correction))
}

fn with_mean(c: &Call, spread_of: fn(&Tensor, &ReductionAxes, f64) -> Tensor) -> Result<Value> {
    let (x, over, correction) = spread(c)?;
    let mean = reduce::floats(&x, &over, &Floats { f32: kernel::mean, f64: kernel::mean });
    Ok(Value::Tensors(vec![spread_of(&x, &over, correction), mean]))
}

fn truth(c: &Call, all: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    // Over no dimensions each element is judged alone.
    if c.form == 1 && c.opt_ints(1).is_some_and(|dims| dims.is_empty()) {
        let answer = to_dtype(x, DType::Bool);
        return Ok(if x.dtype() == DType::UInt8 { to_dtype(&answer, DType::UInt8) } else { answer }.into());
    }
    let answer = reduce::truth(x, &over(c)?, all);
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
    Ok(reduce::floats(&x, &over, &Floats { f32: kernel::logsumexp, f64: kernel::logsumexp }).into())
}

fn norm_of(x: &Tensor, over: &ReductionAxes, p: f64) -> Result<Value> {
    if x.numel() == 0 && over.axes.len() == x.ndim() && (p.is_infinite() || p < 0.0) && x.dtype().is_float() {
        return Err(Error::runtime(format!(
            "linalg.vector_norm cannot compute the {p} norm on an empty tensor because the operation does not have an \
             identity"
        )));
    }
    if !x.dtype().is_float() {
        return Err(Error::runtime(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
            x.dtype().cpp_name()
        )));
    }
    Ok(reduce::floats_with(x, over, |v, a| kernel::norm(v, a, p), |v, a| kernel::norm(v, a, p)).into())
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
    norm_of(&x, &over, p)
}

fn count_nonzero(c: &Call) -> Result<Value> {
    let x = to_dtype(&to_dtype(c.tensor(0)?, DType::Bool), DType::Int64);
    let over = ReductionAxes::new(&x, &c.opt_ints(1).unwrap_or_default(), false)?;
    Ok(reduce::sum(&x, &over, None).into())
}

rows![
    op(
        reduction("sum", Reducer::Sum).grad("Sum"),
        BOTH,
        DIMS,
        "The sum over all elements, or over the dimensions named.",
        sum,
    )
    .rule(backward::reductions::sum),
    op(
        reduction("nansum", Reducer::NanSum).grad("Nansum"),
        BOTH,
        DIMS,
        "The sum of the elements that are not nan.",
        nansum,
    ),
    op(
        reduction("mean", Reducer::Mean).cost(CostRule::PerResult(1)).grad("Mean"),
        BOTH,
        DIMS,
        "The mean over all elements, or over the dimensions named.",
        mean,
    )
    .rule(backward::reductions::mean),
    op(
        reduction("prod", Reducer::Product).grad("Prod"),
        BOTH,
        DIM,
        "The product over all elements, or over one dimension.",
        prod,
    )
    .autocast(autocast::float32)
    .saving_result(),
    op(
        Descriptor::new("var", OpFamily::Reduction, Explanation::Spread { root: false, with_mean: false })
            .cost(CostRule::Spread)
            .grad("Var"),
        BOTH,
        VAR,
        "The variance; divided by n - correction.",
        |c| {
            let (x, over, correction) = spread(c)?;
            Ok(var_of(&x, &over, correction).into())
        },
    )
    .rule(backward::reductions::var),
    op(
        Descriptor::new("std", OpFamily::Reduction, Explanation::Spread { root: true, with_mean: false })
            .cost(CostRule::Spread)
            .grad("Std"),
        BOTH,
        VAR,
        "The standard deviation; the root of the variance.",
        |c| {
            let (x, over, correction) = spread(c)?;
            Ok(std_of(&x, &over, correction).into())
        },
    )
    .saving_result(),
    op(
        Descriptor::new(
            "var_mean",
            OpFamily::Reduction,
            Explanation::Spread { root: false, with_mean: true },
        )
        .grad("VarMean"),
        FUNCTION,
        VAR,
        "The variance and the mean.",
        |c| with_mean(c, var_of),
    ),
    op(reduction("any", Reducer::Any), BOTH, TRUTH, "Whether any element is not zero.", |c| truth(c, false)),
    op(reduction("all", Reducer::All), BOTH, TRUTH, "Whether every element is not zero.", |c| truth(c, true)),
    op(
        Descriptor::new("cumsum", OpFamily::Scan, Explanation::Running(RunningKind::Sum)).grad("Cumsum"),
        ALL,
        RUN,
        "Running sums along a dimension.",
        |c| running(c, false),
    ),
    op(
        Descriptor::new("cumprod", OpFamily::Scan, Explanation::Running(RunningKind::Product))
            .grad("Cumprod"),
        ALL,
        RUN,
        "Running products along a dimension.",
        |c| running(c, true),
    )
    .saving_result(),
    op(
        reduction("logsumexp", Reducer::LogSumExp).grad("Logsumexp"),
        BOTH,
        &["Tensor input, ints dim, bool keepdim=False"],
        "log of the sum of exp, without overflow.",
        logsumexp,
    )
    .saving_result(),
    op(
        reduction("norm", Reducer::Norm).grad("LinalgVectorNorm"),
        BOTH,
        &[
            "Tensor input, Number? p=2, ints? dim=None, bool keepdim=False, dtype? dtype=None",
            "Tensor input, str? p='fro', ints? dim=None, bool keepdim=False, dtype? dtype=None",
        ],
        "The p-norm: the root of the sum of squares for p = 2.",
        norm,
    )
    .saving_result(),
    op(
        reduction("count_nonzero", Reducer::CountNonzero),
        BOTH,
        &["Tensor input, ints? dim=None"],
        "How many elements are not zero.",
        count_nonzero,
    ),
];
