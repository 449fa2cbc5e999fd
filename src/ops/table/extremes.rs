//! The largest, the smallest, the middle element; quantiles.

use super::pointwise;
use crate::kernel::stop;
use crate::ops::op::{BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, extreme_of};
use crate::tensor::explanation::{Explanation, ExtremeResult, Extremum};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::reduce::{self, End, ReductionAxes};
use crate::tensor::ops::sorting;
use crate::tensor::{Arg, DType, Error, Result, Tensor, ops};

const EXTREME: &[&str] =
    &["Tensor input", "Tensor input, Tensor other", "Tensor input, int dim, bool keepdim=False"];
const PLACE: &[&str] = &["Tensor input, int? dim=None, bool keepdim=False"];
const AMAX: &[&str] = &["Tensor input, ints dim=(), bool keepdim=False"];

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
            let over = ReductionAxes::new(x, &[], false)?;
            Ok(reduce::extreme(x, &over, end).ok_or_else(|| reduce::needs_elements(name, x, &over))?.into())
        }
        2 => {
            let axis = c.int(1)?;
            let over = ReductionAxes::new(x, &[axis], c.bool(2))?;
            if x.ndim() == 0 {
                let zero = Tensor::from_i64(vec![0], []);
                return Ok(Value::Named(name, vec![("values", ops::copy(x)), ("indices", zero)]));
            }
            let found = reduce::extreme_along(x, &over, end);
            let (values, indices) = found.ok_or_else(|| reduce::needs_elements(name, x, &over))?;
            Ok(Value::Named(name, vec![("values", values), ("indices", indices)]))
        }
        _ => {
            c.set_grad_name(GradName::node(if end == End::Max { "Maximum" } else { "Minimum" }));
            if end == End::Max { pointwise::maximum(c) } else { pointwise::minimum(c) }
        }
    }
}

fn amax(c: &Call, end: End) -> Result<Value> {
    let x = c.tensor(0)?;
    let over = ReductionAxes::new(x, &c.ints(1)?, c.bool(2))?;
    Ok(reduce::extreme(x, &over, end).ok_or_else(|| reduce::needs_elements(c.op.name, x, &over))?.into())
}

fn place(c: &Call, end: End) -> Result<Value> {
    let x = c.tensor(0)?;
    let dims: Vec<i64> = c.opt_int(1).into_iter().collect();
    let over = ReductionAxes::new(x, &dims, c.bool(2))?;
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
        run.sort_by(|a, b| {
            stop::check();
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
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

/// Errors: no elements along the axis.
fn has_elements_along(name: &str, x: &Tensor, axis: usize) -> Result<()> {
    match x.shape().get(axis) {
        Some(0) => {
            Err(Error::index(format!("{name}(): Expected reduction dim {axis} to have non-zero size.")))
        }
        _ => Ok(()),
    }
}

/// The middle element of each run, the lower one of two. As `torch.median`.
fn median(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = if c.form == 0 { None } else { Some(wrap_dim(c.int(1)?, x.ndim())?) };
    super::refused::bools("median_cpu", x.dtype())?;
    match axis {
        Some(axis) => has_elements_along("median", x, axis)?,
        // PyTorch's middle of nothing: nan, or the smallest of the integers.
        None if x.numel() == 0 => {
            let nothing = if x.dtype().is_float() { Arg::Float(f64::NAN) } else { Arg::Int(i64::MIN) };
            return Ok(to_dtype(&ops::pointwise::operand(&nothing, wide_of(x.dtype()))?, x.dtype()).into());
        }
        None => {}
    }
    let Some(axis) = axis else {
        let flat = Tensor::new(x.to_buffer(), [x.numel()], x.dtype());
        return Ok(sorting::median(&flat, 0, false).0.into());
    };
    let (values, indices) = sorting::median(x, axis, c.bool(2));
    Ok(Value::Named("median", vec![("values", values), ("indices", indices)]))
}

/// The dtype of the same category in which every number of a dtype is exact.
fn wide_of(dtype: DType) -> DType {
    if dtype.is_float() { DType::Float64 } else { DType::Int64 }
}

/// Which value stands for a rank between two of the sorted elements.
fn between(interpolation: &str, low: f64, high: f64, rank: f32) -> Option<f64> {
    let part = f64::from(rank.fract());
    Some(match interpolation {
        "linear" => low + (high - low) * part,
        "lower" => low,
        "higher" => high,
        "midpoint" if part > 0.0 => low + (high - low) * 0.5,
        "midpoint" => low,
        // Halves go to the even rank.
        "nearest" => {
            let nearest = rank.round_ties_even();
            if nearest > rank.floor() { high } else { low }
        }
        _ => return None,
    })
}

/// The value below which a share of the sorted elements lies, between the two nearest. As `torch.quantile`.
fn quantile(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let refused = |text: &str| Err(Error::runtime(format!("quantile() {text}")));
    let interpolation = c.opt_str(4).unwrap_or("linear");
    if x.numel() == 0 {
        return refused("input tensor must be non-empty");
    }
    if !matches!(x.dtype(), DType::Float32 | DType::Float64) {
        return refused("input tensor must be either float or double dtype");
    }
    let shares = match c.arg(1) {
        Arg::Tensor(q) if q.ndim() > 1 => return refused("q must be a scalar or 1D tensor"),
        Arg::Tensor(q) if q.dtype() != x.dtype() => {
            return refused("q tensor must be same dtype as the input tensor");
        }
        Arg::Tensor(q) => {
            let shares = q.to_f64_vec();
            if !shares.iter().all(|share| (0.0..=1.0).contains(share)) {
                return refused("q values must be in the range [0, 1]");
            }
            shares
        }
        number => {
            let share = number.number().unwrap_or(0.5);
            if !(0.0..=1.0).contains(&share) {
                return refused(&format!("q must be in the range [0, 1] but got {share}"));
            }
            vec![share]
        }
    };
    if between(interpolation, 0.0, 0.0, 0.0).is_none() {
        return refused(&format!(
            "interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        ));
    }
    let axis = c.opt_int(2).map(|dim| wrap_dim(dim, x.ndim())).transpose()?;
    let (runs, kept) = sorted_runs(x, axis);
    let mut values = Vec::with_capacity(shares.len() * runs.len());
    for share in &shares {
        for run in &runs {
            let rank = (share * (run.len() - 1) as f64) as f32;
            let (low, high) = (run[rank.floor() as usize].0, run[rank.ceil() as usize].0);
            let value = between(interpolation, low, high, rank).unwrap_or(f64::NAN);
            // A nan anywhere is the answer.
            values.push(if run.iter().any(|it| it.0.is_nan()) { f64::NAN } else { value });
        }
    }
    let mut shape = keep(kept, axis, c.bool(3));
    if axis.is_none() && c.bool(3) {
        shape = vec![1; x.ndim()];
    }
    if c.arg(1).tensor().is_some_and(|q| q.ndim() > 0) {
        shape.insert(0, shares.len());
    }
    Ok(to_dtype(&Tensor::new(crate::tensor::Buffer::F64(values), shape, DType::Float64), x.dtype()).into())
}

rows![
    op(
        extreme_of("max", Extremum::Largest, ExtremeResult::ValueAndPlace).grad("Max"),
        BOTH,
        EXTREME,
        "The largest; along a dimension with its place; or the larger of each pair.",
        |c| extreme(c, End::Max),
    )
    .saving_result_if(|args| args.get(1).is_none_or(|other| other.tensor().is_none()))
    .rule_of_several(backward::reductions::max),
    op(
        extreme_of("min", Extremum::Smallest, ExtremeResult::ValueAndPlace).grad("Min"),
        BOTH,
        EXTREME,
        "The smallest; along a dimension with its place; or the smaller of each pair.",
        |c| extreme(c, End::Min),
    )
    .saving_result_if(|args| args.get(1).is_none_or(|other| other.tensor().is_none()))
    .rule_of_several(backward::reductions::min),
    op(
        extreme_of("amax", Extremum::Largest, ExtremeResult::Value).grad("Amax"),
        BOTH,
        AMAX,
        "The largest over the dimensions named.",
        |c| amax(c, End::Max),
    )
    .saving_result()
    .rule(backward::reductions::amax),
    op(
        extreme_of("amin", Extremum::Smallest, ExtremeResult::Value).grad("Amin"),
        BOTH,
        AMAX,
        "The smallest over the dimensions named.",
        |c| amax(c, End::Min),
    )
    .saving_result()
    .rule(backward::reductions::amin),
    op(
        extreme_of("argmax", Extremum::Largest, ExtremeResult::Place),
        BOTH,
        PLACE,
        "The index of the largest element.",
        |c| place(c, End::Max),
    ),
    op(
        extreme_of("argmin", Extremum::Smallest, ExtremeResult::Place),
        BOTH,
        PLACE,
        "The index of the smallest element.",
        |c| place(c, End::Min),
    ),
    op(
        extreme_of("median", Extremum::Middle, ExtremeResult::ValueAndPlace).grad("Median"),
        BOTH,
        &["Tensor input", "Tensor input, int dim, bool keepdim=False"],
        "The middle of the sorted elements, the lower of two.",
        median,
    )
    .saving_result(),
    op(
        Descriptor::new("quantile", OpFamily::Reduction, Explanation::Whole).grad("Quantile"),
        BOTH,
        &["Tensor input, Operand q, int? dim=None, bool keepdim=False, *, str interpolation='linear'"],
        "The value below which a share q of the elements lies.",
        quantile,
    )
    .autocast(autocast::float32),
];
