//! Sums, means, extremes and truths over dimensions.

use super::{ALL, BOTH, Op, op};
use crate::kernel::reduce as kernel;
use crate::ops::call::{Call, Value};
use crate::tensor::descriptor::{CostRule, Descriptor, GradName, OpFamily};
use crate::tensor::explanation::{
    DistanceKind, Explanation, ExtremeResult, Extremum, OrderKind, Reducer, RunningKind,
};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::reduce::{self, End, Floats, Over};
use crate::tensor::{DType, Error, Result, Tensor, ops};

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
const EXTREME: &[&str] =
    &["Tensor input", "Tensor input, Tensor other", "Tensor input, int dim, bool keepdim=False"];
const PLACE: &[&str] = &["Tensor input, int? dim=None, bool keepdim=False"];
const AMAX: &[&str] = &["Tensor input, ints dim=(), bool keepdim=False"];
const RUN: &[&str] = &["Tensor input, int dim, *, dtype? dtype=None"];
const TRUTH: &[&str] = &["Tensor input", "Tensor input, ints? dim, bool keepdim=False"];

fn over(c: &Call) -> Result<Over> {
    let dims = if c.form == 0 { Vec::new() } else { c.opt_ints(1).unwrap_or_default() };
    Over::new(c.tensor(0)?, &dims, c.form != 0 && c.bool(2))
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
        )));
    }
    Ok(reduce::floats(&to_dtype(x, dtype), &over, &Floats { f32: kernel::mean, f64: kernel::mean }).into())
}

fn prod(c: &Call) -> Result<Value> {
    overload_by_form(c, "Prod");
    Ok(reduce::prod(c.tensor(0)?, &over(c)?, dtype(c)).into())
}

/// The dims, correction and keepdim of `var` and `std` in their forms.
fn spread(c: &Call) -> Result<(Tensor, Over, f64)> {
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
    Ok((x.clone(), Over::new(x, &dims.unwrap_or_default(), keepdim)?, correction))
}

fn var_of(x: &Tensor, over: &Over, correction: f64) -> Tensor {
    reduce::floats_with(x, over, |v, a| kernel::var(v, a, correction), |v, a| kernel::var(v, a, correction))
}

fn std_of(x: &Tensor, over: &Over, correction: f64) -> Tensor {
    reduce::floats_with(x, over, |v, a| kernel::std(v, a, correction), |v, a| kernel::std(v, a, correction))
}

fn with_mean(c: &Call, spread_of: fn(&Tensor, &Over, f64) -> Tensor) -> Result<Value> {
    let (x, over, correction) = spread(c)?;
    let mean = reduce::floats(&x, &over, &Floats { f32: kernel::mean, f64: kernel::mean });
    Ok(Value::Tensors(vec![spread_of(&x, &over, correction), mean]))
}

fn extreme(c: &Call, end: End) -> Result<Value> {
    let x = c.tensor(0)?;
    let name = c.op.name;
    match c.form {
        0 => {
            c.set_grad_name(if end == End::Max {
                GradName::Node("Max", 1)
            } else {
                GradName::Node("Min", 1)
            });
            let over = Over::new(x, &[], false)?;
            Ok(reduce::extreme(x, &over, end).ok_or_else(|| reduce::needs_elements(name, x, &over))?.into())
        }
        2 => {
            let axis = c.int(1)?;
            let over = Over::new(x, &[axis], c.bool(2))?;
            if x.ndim() == 0 {
                let zero = Tensor::from_i64(vec![0], []);
                return Ok(Value::Named(name, vec![("values", ops::copy(x)), ("indices", zero)]));
            }
            let found = reduce::extreme_along(x, &over, end);
            let (values, indices) = found.ok_or_else(|| reduce::needs_elements(name, x, &over))?;
            Ok(Value::Named(name, vec![("values", values), ("indices", indices)]))
        }
        _ => {
            let pairs = super::row(if end == End::Max { "maximum" } else { "minimum" });
            c.set_grad_name(pairs.gradient.expect("both have a gradient"));
            (pairs.run)(c)
        }
    }
}

fn amax(c: &Call, end: End) -> Result<Value> {
    let x = c.tensor(0)?;
    let over = Over::new(x, &c.ints(1)?, c.bool(2))?;
    Ok(reduce::extreme(x, &over, end).ok_or_else(|| reduce::needs_elements(c.op.name, x, &over))?.into())
}

fn place(c: &Call, end: End) -> Result<Value> {
    let x = c.tensor(0)?;
    let dims: Vec<i64> = c.opt_int(1).into_iter().collect();
    let over = Over::new(x, &dims, c.bool(2))?;
    if dims.is_empty() && x.numel() == 0 {
        return Err(Error::index(format!(
            "{}(): Expected reduction dim to be specified for input.numel() == 0.",
            c.op.name
        )));
    }
    // Along a dimension of one element there is nothing to compare.
    let single = !dims.is_empty() && over.axes.iter().all(|&axis| x.shape()[axis] <= 1) && x.ndim() > 0;
    if !single && x.numel() > 0 {
        super::refused::bools(&format!("{}_cpu", c.op.name), x.dtype())?;
    }
    if x.ndim() == 0 {
        return Ok(Tensor::from_i64(vec![0], []).into());
    }
    Ok(reduce::place_of_extreme(x, &over, end)
        .ok_or_else(|| {
            let axis = over.axes.first().copied().unwrap_or(0);
            Error::index(format!("{}(): Expected reduction dim {axis} to have non-zero size.", c.op.name))
        })?
        .into())
}

fn truth(c: &Call, all: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let answer = reduce::truth(x, &over(c)?, all);
    // uint8 keeps its dtype, as PyTorch has it.
    Ok(if x.dtype() == DType::UInt8 { to_dtype(&answer, DType::UInt8) } else { answer }.into())
}

fn running(c: &Call, product: bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    if c.in_place {
        super::refused::bools(if product { "cumprod_out_cpu" } else { "cumsum_out_cpu" }, x.dtype())?;
    }
    Ok(reduce::running(x, axis, c.opt_dtype(2), product).into())
}

fn logsumexp(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let x = to_dtype(x, ops::float_dtype(x.dtype(), c.default_dtype()));
    let over = Over::new(&x, &c.ints(1)?, c.bool(2))?;
    Ok(reduce::floats(&x, &over, &Floats { f32: kernel::logsumexp, f64: kernel::logsumexp }).into())
}

fn norm_of(x: &Tensor, over: &Over, p: f64) -> Result<Value> {
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
    let over = Over::new(x, &c.opt_ints(2).unwrap_or_default(), c.bool(3))?;
    let x = c.opt_dtype(4).map_or_else(|| x.clone(), |dtype| to_dtype(x, dtype));
    norm_of(&x, &over, p)
}

fn count_nonzero(c: &Call) -> Result<Value> {
    let x = to_dtype(&to_dtype(c.tensor(0)?, DType::Bool), DType::Int64);
    let over = Over::new(&x, &c.opt_ints(1).unwrap_or_default(), false)?;
    Ok(reduce::sum(&x, &over, None).into())
}

/// Sorted copies of the runs along one axis (or of everything), with the places they came from.
fn sorted_runs(x: &Tensor, axis: Option<usize>) -> (Vec<Vec<(f64, i64)>>, Vec<usize>) {
    let (flat, run) = match axis {
        Some(axis) if x.ndim() > 0 => {
            let mut order: Vec<usize> = (0..x.ndim()).filter(|&other| other != axis).collect();
            order.push(axis);
            (x.with_layout(x.layout().permute(&order)).to_f64_vec(), x.shape()[axis])
        }
        _ => (x.to_f64_vec(), x.numel()),
    };
    let mut kept = x.shape().to_vec();
    match axis {
        Some(axis) if x.ndim() > 0 => {
            kept.remove(axis);
        }
        _ => kept.clear(),
    }
    let runs = flat.chunks(run.max(1)).map(|run| {
        let mut run: Vec<(f64, i64)> = run.iter().copied().zip(0..).collect();
        run.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        run
    });
    (runs.collect(), kept)
}

fn keep(shape: Vec<usize>, axis: Option<usize>, keepdim: bool) -> Vec<usize> {
    match axis {
        Some(axis) if keepdim => {
            let mut shape = shape;
            shape.insert(axis.min(shape.len()), 1);
            shape
        }
        _ => shape,
    }
}

/// The middle element of each run, the lower one of two. As `torch.median`.
fn median(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = if c.form == 0 { None } else { Some(wrap_dim(c.int(1)?, x.ndim())?) };
    let (runs, kept) = sorted_runs(x, axis);
    let middles: Vec<(f64, i64)> = runs
        .iter()
        .map(|run| run.iter().find(|it| it.0.is_nan()).copied().unwrap_or_else(|| run[(run.len() - 1) / 2]))
        .collect();
    let shape = keep(kept, axis, c.form != 0 && c.bool(2));
    let values = Tensor::new(
        crate::tensor::Buffer::F64(middles.iter().map(|it| it.0).collect()),
        shape.clone(),
        DType::Float64,
    );
    let values = to_dtype(&values, x.dtype());
    if axis.is_none() {
        return Ok(values.into());
    }
    let indices = Tensor::from_i64(middles.iter().map(|it| it.1).collect(), shape);
    Ok(Value::Named("median", vec![("values", values), ("indices", indices)]))
}

/// The value that occurs most in each run, the smallest of several. As `torch.mode`.
fn mode(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let (runs, kept) = sorted_runs(x, Some(axis));
    let most = |run: &Vec<(f64, i64)>| {
        let mut best = (0, 0.0, 0);
        for group in run.chunk_by(|a, b| a.0 == b.0) {
            if group.len() > best.0 {
                best = (group.len(), group[0].0, group[group.len() - 1].1);
            }
        }
        (best.1, best.2)
    };
    let found: Vec<(f64, i64)> = runs.iter().map(most).collect();
    let shape = keep(kept, Some(axis), c.bool(2));
    let values = Tensor::new(
        crate::tensor::Buffer::F64(found.iter().map(|it| it.0).collect()),
        shape.clone(),
        DType::Float64,
    );
    let indices = Tensor::from_i64(found.iter().map(|it| it.1).collect(), shape);
    Ok(Value::Named("mode", vec![("values", to_dtype(&values, x.dtype())), ("indices", indices)]))
}

pub(super) static OPS: [Op; 29] = [
    op(
        Descriptor::reduction("sum", Reducer::Sum).grad("Sum"),
        BOTH,
        DIMS,
        "The sum over all elements, or over the dimensions named.",
        sum,
    ),
    op(
        Descriptor::reduction("nansum", Reducer::NanSum).grad("Nansum"),
        BOTH,
        DIMS,
        "The sum without what is no number.",
        nansum,
    ),
    op(
        Descriptor::reduction("mean", Reducer::Mean).cost(CostRule::PerResult(1)).grad("Mean"),
        BOTH,
        DIMS,
        "The mean over all elements, or over the dimensions named.",
        mean,
    ),
    op(
        Descriptor::reduction("prod", Reducer::Product).grad("Prod"),
        BOTH,
        DIM,
        "The product over all elements, or over one dimension.",
        prod,
    ),
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
    ),
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
    ),
    op(
        Descriptor::new(
            "var_mean",
            OpFamily::Reduction,
            Explanation::Spread { root: false, with_mean: true },
        )
        .grad("VarMean"),
        super::FUNCTION,
        VAR,
        "The variance and the mean.",
        |c| with_mean(c, var_of),
    ),
    op(
        Descriptor::new("std_mean", OpFamily::Reduction, Explanation::Spread { root: true, with_mean: true })
            .grad("StdMean"),
        super::FUNCTION,
        VAR,
        "The standard deviation and the mean.",
        |c| with_mean(c, std_of),
    ),
    op(
        Descriptor::extreme("max", Extremum::Largest, ExtremeResult::ValueAndPlace).grad("Max"),
        BOTH,
        EXTREME,
        "The largest; along a dimension with its place; or the larger of each pair.",
        |c| extreme(c, End::Max),
    ),
    op(
        Descriptor::extreme("min", Extremum::Smallest, ExtremeResult::ValueAndPlace).grad("Min"),
        BOTH,
        EXTREME,
        "The smallest; along a dimension with its place; or the smaller of each pair.",
        |c| extreme(c, End::Min),
    ),
    op(
        Descriptor::extreme("amax", Extremum::Largest, ExtremeResult::Value).grad("Amax"),
        BOTH,
        AMAX,
        "The largest over the dimensions named.",
        |c| amax(c, End::Max),
    ),
    op(
        Descriptor::extreme("amin", Extremum::Smallest, ExtremeResult::Value).grad("Amin"),
        BOTH,
        AMAX,
        "The smallest over the dimensions named.",
        |c| amax(c, End::Min),
    ),
    op(
        Descriptor::extreme("aminmax", Extremum::Both, ExtremeResult::Value).grad("Aminmax"),
        BOTH,
        &["Tensor input, *, int? dim=None, bool keepdim=False"],
        "The smallest and the largest.",
        |c| {
            let x = c.tensor(0)?;
            let dims: Vec<i64> = c.opt_int(1).into_iter().collect();
            if dims.is_empty() {
                c.set_grad_name(GradName::NotImplemented);
            }
            let over = Over::new(x, &dims, c.bool(2))?;
            let of = |end| {
                reduce::extreme(x, &over, end).ok_or_else(|| reduce::needs_elements("aminmax", x, &over))
            };
            Ok(Value::Named("aminmax", vec![("min", of(End::Min)?), ("max", of(End::Max)?)]))
        },
    ),
    op(
        Descriptor::extreme("argmax", Extremum::Largest, ExtremeResult::Place),
        BOTH,
        PLACE,
        "Where the largest stands.",
        |c| place(c, End::Max),
    ),
    op(
        Descriptor::extreme("argmin", Extremum::Smallest, ExtremeResult::Place),
        BOTH,
        PLACE,
        "Where the smallest stands.",
        |c| place(c, End::Min),
    ),
    op(Descriptor::reduction("any", Reducer::Any), BOTH, TRUTH, "Whether any element is not zero.", |c| {
        truth(c, false)
    }),
    op(Descriptor::reduction("all", Reducer::All), BOTH, TRUTH, "Whether every element is not zero.", |c| {
        truth(c, true)
    }),
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
    ),
    op(
        Descriptor::reduction("logsumexp", Reducer::LogSumExp).grad("Logsumexp"),
        BOTH,
        &["Tensor input, ints dim, bool keepdim=False"],
        "log of the sum of exp, without overflow.",
        logsumexp,
    ),
    op(
        Descriptor::reduction("norm", Reducer::Norm).grad("LinalgVectorNorm"),
        BOTH,
        &[
            "Tensor input, Number? p=2, ints? dim=None, bool keepdim=False, dtype? dtype=None",
            "Tensor input, str? p='fro', ints? dim=None, bool keepdim=False, dtype? dtype=None",
        ],
        "The p-norm: the root of the sum of squares for p = 2.",
        norm,
    ),
    op(
        Descriptor::new("dist", OpFamily::Distance, Explanation::Distance(DistanceKind::Whole)).grad("Dist"),
        BOTH,
        &["Tensor input, Tensor other, Number p=2"],
        "The p-norm of the difference.",
        |c| {
            let difference = ops::pointwise::sub(c.arg(0), c.arg(1), c.default_dtype())?;
            norm_of(&difference, &Over::new(&difference, &[], false)?, c.float(2)?)
        },
    ),
    op(
        Descriptor::reduction("count_nonzero", Reducer::CountNonzero),
        BOTH,
        &["Tensor input, ints? dim=None"],
        "How many elements are not zero.",
        count_nonzero,
    ),
    op(
        Descriptor::extreme("median", Extremum::Middle, ExtremeResult::ValueAndPlace).grad("Median"),
        BOTH,
        &["Tensor input", "Tensor input, int dim, bool keepdim=False"],
        "The middle of the sorted elements, the lower of two.",
        median,
    ),
    op(
        Descriptor::new("mode", OpFamily::Sort, Explanation::Ordered(OrderKind::Mode)).grad("Mode"),
        BOTH,
        &["Tensor input, int dim=-1, bool keepdim=False"],
        "The value that occurs most.",
        mode,
    ),
    op(
        Descriptor::running_extreme("cummax", Extremum::Largest).grad("Cummax"),
        BOTH,
        &["Tensor input, int dim"],
        "The largest so far along a dimension.",
        |c| so_far(c, |new, best| new >= best),
    ),
    op(
        Descriptor::running_extreme("cummin", Extremum::Smallest).grad("Cummin"),
        BOTH,
        &["Tensor input, int dim"],
        "The smallest so far along a dimension.",
        |c| so_far(c, |new, best| new <= best),
    ),
    op(
        Descriptor::new("quantile", OpFamily::Reduction, Explanation::Whole).grad("Quantile"),
        BOTH,
        &["Tensor input, Operand q, int? dim=None, bool keepdim=False, *, str interpolation='linear'"],
        "The value below which a share q of the elements lies.",
        quantile,
    ),
    op(
        Descriptor::new("logcumsumexp", OpFamily::Scan, Explanation::Running(RunningKind::LogSumExp))
            .grad("Logcumsumexp"),
        BOTH,
        &["Tensor input, int dim"],
        "Running log of the sum of exp.",
        |c| {
            let x = c.tensor(0)?;
            let axis = wrap_dim(c.int(1)?, x.ndim())?;
            let wide = to_dtype(x, DType::Float64);
            let most = reduce::extreme(&wide, &Over::new(&wide, &[], false)?, End::Max)
                .map_or(0.0, |it| it.item().unwrap_or(0.0));
            let powers = Tensor::new(
                crate::tensor::Buffer::F64(wide.to_f64_vec().into_iter().map(|v| (v - most).exp()).collect()),
                x.shape(),
                DType::Float64,
            );
            let sums = reduce::running(&powers, axis, None, false);
            let logs = sums.to_f64_vec().into_iter().map(|v| v.ln() + most).collect();
            Ok(to_dtype(&Tensor::new(crate::tensor::Buffer::F64(logs), x.shape(), DType::Float64), x.dtype())
                .into())
        },
    ),
];

/// The best so far along a dimension, and where it stood. As `torch.cummax`.
fn so_far(c: &Call, better: fn(f64, f64) -> bool) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let run = x.shape().get(axis).copied().unwrap_or(1);
    let inner: usize = x.shape().iter().skip(axis + 1).product();
    let mut values = x.to_f64_vec();
    let mut places = vec![0i64; values.len()];
    for at in 0..values.len() {
        let place = at / inner.max(1) % run.max(1);
        if place > 0 {
            let before = at - inner;
            let holds =
                values[at].is_nan() || (!values[before].is_nan() && better(values[at], values[before]));
            places[at] = if holds { place as i64 } else { places[before] };
            if !holds {
                values[at] = values[before];
            }
        }
    }
    let values = Tensor::new(crate::tensor::Buffer::F64(values), x.shape(), DType::Float64);
    let indices = Tensor::from_i64(places, x.shape());
    Ok(Value::Named(c.op.name, vec![("values", to_dtype(&values, x.dtype())), ("indices", indices)]))
}

/// Linear interpolation between the two nearest of the sorted elements. As `torch.quantile`.
fn quantile(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = c.opt_int(2).map(|dim| wrap_dim(dim, x.ndim())).transpose()?;
    let (runs, kept) = sorted_runs(x, axis);
    let shares = match c.arg(1) {
        crate::tensor::Arg::Tensor(q) => q.to_f64_vec(),
        number => vec![number.number().unwrap_or(0.5)],
    };
    if shares.iter().any(|share| !(0.0..=1.0).contains(share)) {
        return Err(Error::runtime("quantile() q must be in the range [0, 1]"));
    }
    let mut values = Vec::with_capacity(shares.len() * runs.len());
    for share in &shares {
        for run in &runs {
            let rank = (share * (run.len() - 1) as f64) as f32;
            let (low, high) = (run[rank.floor() as usize].0, run[rank.ceil() as usize].0);
            values.push(low + (high - low) * f64::from(rank.fract()));
        }
    }
    let mut shape = keep(kept, axis, c.bool(3));
    if c.arg(1).tensor().is_some_and(|q| q.ndim() > 0) {
        shape.insert(0, shares.len());
    }
    Ok(to_dtype(&Tensor::new(crate::tensor::Buffer::F64(values), shape, DType::Float64), x.dtype()).into())
}
