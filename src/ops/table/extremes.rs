//! The largest, the smallest, the middle element; quantiles.

use super::pointwise;
use super::sorting::pair;
use crate::ops::op::{BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{GradName, extreme_of};
use crate::tensor::explanation::ExtremeResult::{self, ValueAndPlace};
use crate::tensor::explanation::Extremum::{Largest, Middle, Smallest};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::reduce::{self, End, ReductionAxes, no_elements_along};
use crate::tensor::ops::sorting;
use crate::tensor::{Arg, Error, Result, Tensor, ops};

const EXTREME: &[&str] =
    &["Tensor input", "Tensor input, Tensor other", "Tensor input, int dim, bool keepdim=False"];
const PLACE: &[&str] = &["Tensor input, int? dim=None, bool keepdim=False"];
const AMAX: &[&str] = &["Tensor input, ints dim=(), bool keepdim=False"];

fn extreme(c: &Call, end: End) -> Result<Value> {
    let x = c.tensor(0)?;
    let name = c.op.name;
    match c.form {
        0 => {
            c.set_grad_name(GradName::Node(if end == End::Max { "Max" } else { "Min" }, 1));
            let over = ReductionAxes::new(x, &[], false)?;
            Ok(reduce::extreme(x, &over, end).ok_or_else(|| reduce::needs_elements(name, x, &over))?.into())
        }
        2 => {
            let axis = c.int(1)?;
            let over = ReductionAxes::new(x, &[axis], c.bool(2))?;
            if x.ndim() == 0 {
                return Ok(pair(name, (ops::copy(x), Tensor::from_i64(vec![0], []))));
            }
            let found = reduce::extreme_and_place(x, &over, end);
            Ok(pair(name, found.ok_or_else(|| reduce::needs_elements(name, x, &over))?))
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
    let found = reduce::extreme_and_place(x, &over, end);
    Ok(found.ok_or_else(|| no_elements_along(c.op.name, over.axes.first().copied().unwrap_or(0)))?.1.into())
}

/// The middle element of each run, the lower one of two. As `torch.median`.
fn median(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = if c.form == 0 { None } else { Some(wrap_dim(c.int(1)?, x.ndim())?) };
    super::refused::bools("median_cpu", x.dtype())?;
    match axis {
        Some(axis) if x.shape().get(axis) == Some(&0) => return Err(no_elements_along("median", axis)),
        // PyTorch's middle of nothing: nan, or the smallest of the integers.
        None if x.numel() == 0 => {
            let nothing = if x.dtype().is_float() { f64::NAN } else { i64::MIN as f64 };
            return Ok(Tensor::scalar(nothing, x.dtype()).into());
        }
        _ => {}
    }
    let Some(axis) = axis else {
        let flat = Tensor::new(x.to_buffer(), [x.numel()], x.dtype());
        return Ok(sorting::median(&flat, 0, false).0.into());
    };
    Ok(pair("median", sorting::median(x, axis, c.bool(2))))
}

/// Whether one tensor is asked for its extreme, and not two for the extreme of each pair.
fn is_of_one(args: &[Arg]) -> bool {
    args.get(1).is_none_or(|other| other.tensor().is_none())
}

rows![
    op(extreme_of("max", Largest, ValueAndPlace).grad("Max"), BOTH, |c| extreme(c, End::Max))
        .forms(EXTREME)
        .doc("The largest; along a dimension with its place; or the larger of each pair.")
        .saving_result_if(is_of_one),
    op(extreme_of("min", Smallest, ValueAndPlace).grad("Min"), BOTH, |c| extreme(c, End::Min))
        .forms(EXTREME)
        .doc("The smallest; along a dimension with its place; or the smaller of each pair.")
        .saving_result_if(is_of_one),
    op(extreme_of("amax", Largest, ExtremeResult::Value).grad("Amax"), BOTH, |c| amax(c, End::Max))
        .forms(AMAX)
        .doc("The largest over the dimensions named.")
        .saving_result(),
    op(extreme_of("amin", Smallest, ExtremeResult::Value).grad("Amin"), BOTH, |c| amax(c, End::Min))
        .forms(AMAX)
        .doc("The smallest over the dimensions named.")
        .saving_result(),
    op(extreme_of("argmax", Largest, ExtremeResult::Place), BOTH, |c| place(c, End::Max))
        .forms(PLACE)
        .doc("The index of the largest element."),
    op(extreme_of("argmin", Smallest, ExtremeResult::Place), BOTH, |c| place(c, End::Min))
        .forms(PLACE)
        .doc("The index of the smallest element."),
    op(extreme_of("median", Middle, ValueAndPlace).grad("Median"), BOTH, median)
        .forms(&["Tensor input", "Tensor input, int dim, bool keepdim=False"])
        .doc("The middle of the sorted elements, the lower of two.")
        .saving_result(),
];
