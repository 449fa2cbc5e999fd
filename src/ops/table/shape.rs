//! Shapes: views, and copies where a view cannot be.

use crate::ops::backward;
use crate::ops::op::{BOTH, Call, METHOD, Op, RELAYOUT, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, OpNotation, ShapeRule, view};
use crate::tensor::explanation::Explanation;
use crate::tensor::layout::{infer_size, wrap_dim, wrap_dims};
use crate::tensor::{Error, ErrorFact, Layout, Result, Tensor, ops, refuse_if};

const DIMS: &[&str] = &["Tensor input, int dim0, int dim1"];
const AXES: &[&str] = &["Tensor input, int axis0, int axis1"];

pub(super) fn seen(x: &Tensor, layout: Layout) -> Result<Value> {
    Ok(x.with_layout(layout).into())
}

fn reversed(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dims: Vec<usize> = (0..x.ndim()).rev().collect();
    seen(x, x.layout().permute(&dims))
}

fn last_two(c: &Call) -> Result<Value> {
    let (x, name) = (c.tensor(0)?, c.op.name);
    if x.ndim() == 0 {
        return Ok(x.clone().into());
    }
    refuse_if!(
        x.ndim() < 2,
        "tensor.{name} is only supported on matrices or batches of matrices. Got {}-D tensor.",
        x.ndim()
    );
    seen(x, x.layout().transpose(x.ndim() - 2, x.ndim() - 1))
}

fn transpose(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let (a, b) = (wrap_dim(c.int(1)?, x.ndim())?, wrap_dim(c.int(2)?, x.ndim())?);
    seen(x, x.layout().transpose(a, b))
}

fn t(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    match x.ndim() {
        0 | 1 => seen(x, x.layout().clone()),
        2 => seen(x, x.layout().transpose(0, 1)),
        ndim => {
            Err(Error::runtime(format!("t() expects a tensor with <= 2 dimensions, but self is {ndim}D")))
        }
    }
}

fn permute(c: &Call) -> Result<Value> {
    let (x, dims) = (c.tensor(0)?, c.ints(1)?);
    refuse_if!(
        dims.len() != x.ndim(),
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired \
             ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
        x.ndim(),
        dims.len()
    );
    let axes: Vec<usize> = dims.iter().map(|&dim| wrap_dim(dim, x.ndim())).collect::<Result<_>>()?;
    if (0..axes.len()).any(|at| axes[..at].contains(&axes[at])) {
        return Err(Error::runtime("permute(): duplicate dims are not allowed."));
    }
    seen(x, x.layout().permute(&axes))
}

fn movedim(c: &Call) -> Result<Value> {
    let (x, source, target) = (c.tensor(0)?, c.ints(1)?, c.ints(2)?);
    refuse_if!(
        source.len() != target.len(),
        "movedim: Invalid source or destination dims: source ({source:?} dims) should contain the same number of \
             dims as destination ({target:?} dims)"
    );
    let wrapped = |dims: &[i64], what: &str| -> Result<Vec<usize>> {
        let axes: Vec<usize> = dims.iter().map(|&dim| wrap_dim(dim, x.ndim())).collect::<Result<_>>()?;
        match (0..axes.len()).any(|at| axes[..at].contains(&axes[at])) {
            true => Err(Error::runtime(format!("movedim: repeated dim in `{what}` ({dims:?})"))),
            false => Ok(axes),
        }
    };
    let (from, to) = (wrapped(&source, "source")?, wrapped(&target, "destination")?);
    if x.ndim() == 0 {
        c.set_grad_name(GradName::node("Alias"));
        return Ok(x.alias().into());
    }
    let mut rest = (0..x.ndim()).filter(|axis| !from.contains(axis));
    let order: Vec<usize> = (0..x.ndim())
        .map(|axis| match to.iter().position(|&target| target == axis) {
            Some(at) => from[at],
            None => rest.next().expect("as many places are left as dimensions"),
        })
        .collect();
    seen(x, x.layout().permute(&order))
}

fn view_(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if let Some(dtype) = c.opt_dtype(1) {
        if dtype == x.dtype() {
            return Ok(x.alias().into());
        }
        return Err(Error::not_implemented(format!(
            "torch.Tensor.view(torch.{}) is not part of attn (did you mean to({0})?)",
            dtype.name()
        )));
    }
    let shape = infer_size(&c.ints(1)?, x.numel())?;
    seen(x, x.layout().view_or_error(&shape)?)
}

/// Reshapes, and sets what `grad_fn` shows.
fn reshaped(c: &Call, x: &Tensor, shape: &[usize]) -> Value {
    c.set_grad_name(match x.layout().view(shape) {
        Some(_) if x.is_contiguous() => GradName::node("View"),
        Some(_) => GradName::node("ReshapeAlias"),
        None => GradName::node("UnsafeView"),
    });
    ops::reshape(x, shape).into()
}

fn reshape(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let shape = infer_size(&c.ints(1)?, x.numel())?;
    Ok(reshaped(c, x, &shape))
}

fn as_other(c: &Call) -> Result<Vec<usize>> {
    let sizes: Vec<i64> = c.tensor(1)?.shape().iter().map(|&size| size as i64).collect();
    infer_size(&sizes, c.tensor(0)?.numel())
}

fn flatten(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let (start, end) = (wrap_dim(c.int(1)?, x.ndim())?, wrap_dim(c.int(2)?, x.ndim())?);
    refuse_if!(start > end, "flatten() has invalid args: start_dim cannot come after end_dim");
    if x.ndim() == 0 {
        return Ok(reshaped(c, x, &[1]));
    }
    if start == end {
        return Ok(x.clone().into());
    }
    let shape = x.shape();
    let merged = shape[start..=end].iter().product();
    Ok(reshaped(c, x, &[&shape[..start], &[merged], &shape[end + 1..]].concat()))
}

fn unflatten(c: &Call) -> Result<Value> {
    let (x, sizes) = (c.tensor(0)?, c.ints(2)?);
    refuse_if!(sizes.is_empty(), "unflatten: sizes must be non-empty");
    if x.ndim() == 0 {
        wrap_dim(c.int(1)?, 0)?;
        return Err(Error::index("Dimension specified as 0 but tensor has no dimensions"));
    }
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let size = x.shape()[axis];
    let inner = infer_size(&sizes, size).map_err(|error| {
        if error.fact == Some(ErrorFact::ElementCount) {
            return Error::runtime(format!(
                "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {axis} ({size}) in the input \
                 tensor"
            ));
        }
        Error::runtime(format!("unflatten got an unexpected error:\n{}", error.message))
    })?;
    let shape = x.shape();
    let wanted = [&shape[..axis], &inner, &shape[axis + 1..]].concat();
    seen(x, x.layout().view_or_error(&wanted)?)
}

fn squeeze(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dims = match c.form {
        0 => (0..x.ndim()).collect(),
        1 => {
            c.set_grad_name(GradName::Node("Squeeze", 1));
            vec![wrap_dim(c.int(1)?, x.ndim())?]
        }
        _ => {
            c.set_grad_name(GradName::Node("Squeeze", 2));
            wrap_dims(&c.ints(1)?, x.ndim())?
        }
    };
    let mut layout = x.layout().clone();
    for axis in (0..x.ndim()).rev().filter(|&axis| dims.contains(&axis) && x.shape()[axis] == 1) {
        layout = layout.squeeze(axis);
    }
    seen(x, layout)
}

fn unsqueeze(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = wrap_dim(c.int(1)?, x.ndim() + 1)?;
    seen(x, x.layout().unsqueeze(axis))
}

/// The same elements in another shape.
const fn reshaping(name: &'static str) -> Descriptor {
    view(name).explained(Explanation::Copy).shapes(ShapeRule::Reshaped).grad("View")
}

/// An attribute: a matrix, or each of a batch, transposed.
const fn transposed(name: &'static str) -> Op {
    let descriptor = view(name).shapes(ShapeRule::Transposed).notation(OpNotation::Attribute);
    op(descriptor.grad("Transpose"), 0, last_two)
        .doc("The last two dimensions exchanged. View.")
        .rule(backward::views::last_two)
}

rows![
    op(view("T").shapes(ShapeRule::Reversed).notation(OpNotation::Attribute).grad("Permute"), 0, reversed)
        .doc("All dimensions reversed. View.")
        .rule(backward::views::reversed),
    transposed("mT"),
    transposed("mH"),
    op(view("transpose").shapes(ShapeRule::Swapped).grad("Transpose"), BOTH | RELAYOUT, transpose)
        .forms(DIMS)
        .doc("Two dimensions exchanged. View.")
        .rule(backward::views::transpose),
    op(view("swapaxes").shapes(ShapeRule::Swapped).grad("Transpose"), BOTH | RELAYOUT, transpose)
        .forms(AXES)
        .doc("Two dimensions exchanged, as transpose. View.")
        .rule(backward::views::transpose),
    op(view("t").shapes(ShapeRule::Reversed).grad("T"), BOTH | RELAYOUT, t)
        .doc("A matrix transposed. View.")
        .rule(backward::views::last_two),
    op(view("permute").shapes(ShapeRule::Permuted).grad("Permute"), BOTH, permute)
        .forms(&["Tensor input, sizes dims"])
        .doc("The dimensions in another order. View.")
        .rule(backward::views::permute),
    op(view("movedim").grad("Permute"), BOTH, movedim)
        .forms(&["Tensor input, ints source, ints destination"])
        .doc("Some dimensions moved, the others in their order. View."),
    op(reshaping("view"), METHOD, view_)
        .forms(&["Tensor input, sizes size", "Tensor input, dtype dtype"])
        .doc("The same elements in another shape. View, or an error.")
        .rule(backward::views::reshaped),
    op(reshaping("view_as"), METHOD, |c| {
        let x = c.tensor(0)?;
        seen(x, x.layout().view_or_error(&as_other(c)?)?)
    })
    .forms(&["Tensor input, Tensor other"])
    .doc("The same elements in other's shape. View, or an error.")
    .rule(backward::views::reshaped),
    op(reshaping("reshape"), BOTH, reshape)
        .forms(&["Tensor input, sizes shape"])
        .doc("Another shape: a view where that can be, else a copy.")
        .rule(backward::views::reshaped),
    op(reshaping("reshape_as"), METHOD, |c| Ok(reshaped(c, c.tensor(0)?, &as_other(c)?)))
        .forms(&["Tensor input, Tensor other"])
        .doc("Other's shape: a view where that can be, else a copy.")
        .rule(backward::views::reshaped),
    op(view("flatten").explained(Explanation::Copy).grad("View"), BOTH, flatten)
        .forms(&["Tensor input, int start_dim=0, int end_dim=-1"])
        .doc("Several dimensions as one: a view where that can be.")
        .rule(backward::views::reshaped),
    op(reshaping("unflatten"), BOTH, unflatten)
        .forms(&["Tensor input, int dim, ints sizes"])
        .doc("One dimension as several. View.")
        .rule(backward::views::reshaped),
    op(view("ravel").explained(Explanation::Copy).grad("View"), BOTH, |c| {
        let x = ops::contiguous(c.tensor(0)?);
        Ok(x.flat().into())
    })
    .doc("All elements as a vector: a view where that can be.")
    .rule(backward::views::reshaped),
    op(view("squeeze").grad("Squeeze").in_place_overload(3), BOTH | RELAYOUT, squeeze)
        .forms(&["Tensor input", "Tensor input, int dim", "Tensor input, ints dim"])
        .doc("Without dimensions of size 1. View.")
        .rule(backward::views::reshaped),
    op(view("unsqueeze").grad("Unsqueeze"), BOTH | RELAYOUT, unsqueeze)
        .forms(&["Tensor input, int dim"])
        .doc("A dimension of size 1 more. View.")
        .rule(backward::views::reshaped),
    op(Descriptor::new("contiguous", OpFamily::Copy, Explanation::Copy).grad("Clone"), METHOD, |c| {
        Ok(ops::contiguous(c.tensor(0)?).into())
    })
    .forms(&["Tensor input, *, format? memory_format=None"])
    .doc("The tensor itself if row-major, else a copy that is.")
    .rule(backward::views::same),
];
