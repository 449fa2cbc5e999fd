//! Several tensors as one, and one tensor in another order or several times over. Copies.

use crate::ops::op::{BOTH, Call, FUNCTION, METHOD, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, ShapeRule, view};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::layout::{wrap_dim, wrap_dims};
use crate::tensor::ops::{self, join, shape};
use crate::tensor::{Arg, DType, Error, ErrorFact, Layout, Result, Tensor, allow};

const JOIN: &[&str] = &["Tensors tensors, int dim=0, *, out? out=None"];
const LIST: &[&str] = &["Tensors tensors, *, out? out=None"];

/// Each tensor with at least `ndim` dimensions: as `atleast_1d`, `_2d`, `_3d`.
fn raised(tensors: &[Tensor], ndim: usize, name: &str) -> Result<Vec<Tensor>> {
    if tensors.is_empty() {
        return Err(Error::runtime(format!("{name} expects a non-empty TensorList")));
    }
    let one = |tensor: &Tensor| {
        let mut layout = tensor.layout().clone();
        while layout.ndim() < ndim.min(2) {
            layout = layout.unsqueeze(0);
        }
        if layout.ndim() < ndim {
            layout = layout.unsqueeze(2);
        }
        tensor.with_layout(layout)
    };
    Ok(tensors.iter().map(one).collect())
}

fn hstack(c: &Call) -> Result<Value> {
    let tensors = raised(c.tensors(0), 1, "hstack")?;
    let dim = i64::from(tensors[0].ndim() > 1);
    Ok(join::cat(&tensors, dim, c.default_dtype())?.into())
}

fn meshgrid(c: &Call) -> Result<Value> {
    let tensors = c.tensors(0);
    let Some(first) = tensors.first() else {
        return Err(Error::runtime("meshgrid expects a non-empty TensorList"));
    };
    if tensors.iter().any(|tensor| tensor.ndim() > 1) {
        return Err(Error::runtime("torch.meshgrid: Expected 0D or 1D tensor in the tensor list"));
    }
    if tensors.iter().any(|tensor| tensor.dtype() != first.dtype()) {
        return Err(Error::runtime("meshgrid expects all tensors to have the same dtype")
            .about(ErrorFact::DifferentDtypes));
    }
    let swapped = match c.opt_str(1) {
        None | Some("ij") => false,
        Some("xy") => tensors.len() > 1,
        Some(other) => {
            return Err(Error::runtime(format!(
                "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {other}"
            )));
        }
    };
    let mut sizes: Vec<usize> = tensors.iter().map(Tensor::numel).collect();
    if swapped {
        sizes.swap(0, 1);
    }
    let grid = |(at, tensor): (usize, &Tensor)| {
        let axis = if swapped && at < 2 { 1 - at } else { at };
        let mut own = vec![1; sizes.len()];
        own[axis] = tensor.numel();
        let line = tensor.layout().view(&own).expect("a vector is a line of the grid");
        tensor.with_layout(line.broadcast_to(&sizes))
    };
    let grids: Vec<Tensor> = tensors.iter().enumerate().map(grid).collect();
    Ok(Value::Tensors(grids))
}

fn repeat_interleave(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if c.form == 2 {
        c.no_gradient();
        let counts = counts_of(x)?;
        check_total(&counts, c.opt_int(1))?;
        allow(&[counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count))], DType::Int64)?;
        let places = counts.iter().enumerate().flat_map(|(at, &count)| std::iter::repeat_n(at as i64, count));
        let places: Vec<i64> = places.collect();
        let count = places.len();
        return Ok(ops::cast::to_dtype(&Tensor::from_i64(places, [count]), x.dtype()).into());
    }
    let (flat, dim) = match c.opt_int(2) {
        Some(dim) => {
            let axis = if x.ndim() == 0 { 0 } else { wrap_dim(dim, x.ndim())? };
            match (x.ndim(), c.arg(1)) {
                (0, Arg::Tensor(_)) => {
                    return Err(Error::index(format!(
                        "Dimension specified as {dim} but tensor has no dimensions"
                    )));
                }
                (0, _) => return Err(Error::dim_range(1, 0)),
                _ => (x.clone(), axis),
            }
        }
        None => (ops::reshape(x, &[x.numel()]), 0),
    };
    let size = flat.shape()[dim];
    let counts = match c.arg(1) {
        Arg::Tensor(repeats) => {
            c.set_grad_name(GradName::node("IndexSelect"));
            if repeats.ndim() > 1 {
                return Err(Error::runtime("repeats must be 0-dim or 1-dim tensor"));
            }
            if repeats.numel() != 1 && repeats.numel() != size {
                return Err(Error::runtime(format!(
                    "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({dim}) \
                     = {size}",
                    repeats.numel()
                )));
            }
            let counts = counts_of(repeats)?;
            if repeats.numel() == 1 { vec![counts[0]; size] } else { counts }
        }
        _ => {
            let times = c.int(1)?;
            if times < 0 {
                return Err(Error::runtime("Repeats must be non-negative"));
            }
            vec![times as usize; size]
        }
    };
    check_total(&counts, c.opt_int(3))?;
    Ok(shape::repeat_interleave(&flat, &counts, dim)?.into())
}

/// Errors: the size that the caller expects is another.
fn check_total(counts: &[usize], expected: Option<i64>) -> Result<()> {
    let total = counts.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
    match expected {
        Some(expected) if usize::try_from(expected) != Ok(total) => Err(Error::runtime(format!(
            "repeat_interleave: the repeats sum to {total}, but output_size is {expected}"
        ))),
        _ => Ok(()),
    }
}

fn counts_of(repeats: &Tensor) -> Result<Vec<usize>> {
    if !matches!(repeats.dtype(), DType::Int64 | DType::Int32) {
        return Err(Error::unsupported_dtype("repeat_interleave_cpu", repeats.dtype()));
    }
    let counts = repeats.to_i64_vec();
    match counts.iter().any(|&count| count < 0) {
        true => Err(Error::runtime("repeats can not be negative")),
        false => Ok(counts.into_iter().map(|count| count as usize).collect()),
    }
}

fn tile(c: &Call) -> Result<Value> {
    let (x, mut times) = (c.tensor(0)?, c.ints(1)?);
    while times.len() < x.ndim() {
        times.insert(0, 1);
    }
    Ok(shape::repeat(x, &times)?.into())
}

fn flip(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    Ok(shape::flip(x, &wrap_dims(&c.ints(1)?, x.ndim())?)?.into())
}

fn roll(c: &Call) -> Result<Value> {
    let (x, shifts, dims) = (c.tensor(0)?, c.ints(1)?, c.ints(2)?);
    if shifts.is_empty() {
        return Err(Error::runtime("`shifts` required"));
    }
    if dims.is_empty() && shifts.len() == 1 {
        let flat = ops::reshape(x, &[x.numel()]);
        let rolled = shape::roll(&flat, &[(shifts[0], 0)])?;
        return Ok(rolled.with_layout(Layout::contiguous(x.shape())).into());
    }
    if shifts.len() != dims.len() {
        return Err(Error::runtime(format!(
            "shifts and dimensions must align. shifts: {}, dims:{}",
            shifts.len(),
            dims.len()
        )));
    }
    if x.ndim() == 0 {
        return Err(Error::index(format!("Dimension specified as {} but tensor has no dimensions", dims[0])));
    }
    if x.numel() == 0 && dims.len() == 1 {
        return Ok(shape::preserved(x).into());
    }
    let moves = shifts.iter().zip(&dims).map(|(&shift, &dim)| Ok((shift, wrap_dim(dim, x.ndim())?)));
    Ok(shape::roll(x, &moves.collect::<Result<Vec<_>>>()?)?.into())
}

rows![
    op(
        Descriptor::new("cat", OpFamily::Join, Explanation::Moved(Movement::Joined))
            .shapes(ShapeRule::Join)
            .grad("Cat"),
        FUNCTION,
        JOIN,
        "Tensors one after the other along a dimension.",
        |c| Ok(join::cat(c.tensors(0), c.int(1)?, c.default_dtype())?.into()),
    )
    .autocast(autocast::widest)
    .rule(backward::joins::cat),
    op(
        Descriptor::new("stack", OpFamily::Join, Explanation::Moved(Movement::Stacked))
            .shapes(ShapeRule::Stack)
            .grad("Stack"),
        FUNCTION,
        JOIN,
        "Tensors of one shape along a new dimension.",
        |c| Ok(join::stack(c.tensors(0), c.int(1)?, c.default_dtype())?.into()),
    )
    .autocast(autocast::widest)
    .rule(backward::joins::stack),
    op(
        Descriptor::new("hstack", OpFamily::Join, Explanation::Moved(Movement::Joined)).grad("Cat"),
        FUNCTION,
        LIST,
        "Tensors side by side: along the columns, vectors end to end.",
        hstack,
    )
    .rule(backward::joins::hstack),
    op(
        Descriptor::new("vstack", OpFamily::Join, Explanation::Moved(Movement::Joined)).grad("Cat"),
        FUNCTION,
        LIST,
        "Tensors one below the other; a vector is a row.",
        |c| Ok(join::cat(&raised(c.tensors(0), 2, "vstack")?, 0, c.default_dtype())?.into()),
    ),
    op(
        Descriptor::new("block_diag", OpFamily::Join, Explanation::Moved(Movement::Rearranged))
            .grad("BlockDiag"),
        FUNCTION,
        &["Several tensors"],
        "Matrices down the diagonal of a larger one.",
        |c| Ok(join::block_diag(c.tensors(0), c.default_dtype())?.into()),
    ),
    op(
        view("meshgrid").grad("Expand"),
        FUNCTION,
        &["Several tensors, *, str? indexing=None"],
        "The coordinates of a grid, one tensor for each axis. Views.",
        meshgrid,
    ),
    op(
        Descriptor::new("repeat", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Repeat"),
        METHOD,
        &["Tensor input, sizes repeats"],
        "The tensor so many times over along each dimension.",
        |c| Ok(shape::repeat(c.tensor(0)?, &c.ints(1)?)?.into()),
    ),
    op(
        Descriptor::new("tile", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Repeat"),
        BOTH,
        &["Tensor input, sizes dims"],
        "The tensor so many times over along the last dimensions.",
        tile,
    ),
    op(
        Descriptor::new("repeat_interleave", OpFamily::Join, Explanation::Moved(Movement::Rearranged))
            .grad("View"),
        BOTH,
        &[
            "Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None",
            "Tensor input, int repeats, int? dim=None, *, int? output_size=None",
            "Tensor repeats, *, int? output_size=None",
        ],
        "Each element, or slice along a dimension, so many times.",
        repeat_interleave,
    ),
    op(
        Descriptor::new("flip", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Flip"),
        BOTH,
        &["Tensor input, sizes dims"],
        "The dimensions in reverse order of elements.",
        flip,
    ),
    op(
        Descriptor::new("roll", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Roll"),
        BOTH,
        &["Tensor input, ints shifts, ints dims=()"],
        "Elements shifted along dimensions; those shifted beyond the last position return at the first.",
        roll,
    ),
];
