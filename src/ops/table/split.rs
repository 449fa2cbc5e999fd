//! One tensor as several: split, chunk, unbind, and the single slices select and narrow. Views.

use crate::ops::backward;
use crate::ops::op::{BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, view};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, DType, Error, Result, Tensor, allow, refuse_if};

fn slice(x: &Tensor, axis: usize, start: usize, len: usize) -> Tensor {
    x.with_layout(x.layout().slice(axis, start, len, 1))
}

fn unbind(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    if x.ndim() == 0 {
        return Err(Error::index("Dimension specified as 0 but tensor has no dimensions"));
    }
    allow_parts(x.shape()[axis])?;
    let rows = (0..x.shape()[axis]).map(|at| x.with_layout(x.layout().select(axis, at)));
    Ok(Value::Tensors(rows.collect()))
}

/// Slices of these lengths, one after the other.
fn parts(x: &Tensor, axis: usize, sizes: impl IntoIterator<Item = usize>) -> Value {
    let mut start = 0;
    let one = |size: usize| {
        let part = slice(x, axis, start, size);
        start += size;
        part
    };
    Value::Tensors(sizes.into_iter().map(one).collect())
}

fn even_parts(x: &Tensor, axis: usize, size: usize) -> Result<Value> {
    let total = x.shape()[axis];
    if size == 0 {
        return Ok(parts(x, axis, [0]));
    }
    let count = total.div_ceil(size).max(1);
    allow_parts(count)?;
    Ok(parts(x, axis, (0..count).map(|at| size.min(total - (at * size).min(total)))))
}

/// Bytes of a tensor without its elements, as a part and as Python's object.
const PART: usize = 512;

/// Checks the memory of so many views before they are made. Each takes memory, though it has no elements of its own.
fn allow_parts(count: usize) -> Result<()> {
    allow(&[count, PART], DType::Bool).map(drop)
}

fn split(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    refuse_if!(x.ndim() == 0, "split expects at least a 1-dimensional tensor");
    match c.arg(1) {
        Arg::Ints(sizes) => {
            let axis = wrap_dim(c.int(2)?, x.ndim())?;
            split_sizes(c, x, axis, sizes)
        }
        _ => {
            let size = c.int(1)?;
            refuse_if!(size < 0, "split expects split_size be non-negative, but got split_size={size}");
            let axis = wrap_dim(c.int(2)?, x.ndim())?;
            refuse_if!(
                size == 0 && x.shape()[axis] != 0,
                "split_size can only be 0 if dimension size is 0, but got dimension size of {}",
                x.shape()[axis]
            );
            even_parts(x, axis, size as usize)
        }
    }
}

fn split_sizes(c: &Call, x: &Tensor, axis: usize, sizes: &[i64]) -> Result<Value> {
    c.set_grad_name(GradName::node("SplitWithSizes"));
    let dim = c.int(2)?;
    refuse_if!(
        sizes.iter().any(|&size| size < 0),
        "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes:?}"
    );
    refuse_if!(
        sizes.iter().sum::<i64>() != x.shape()[axis] as i64,
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {dim}), but got \
             split_sizes={sizes:?}",
        x.shape()[axis]
    );
    Ok(parts(x, axis, sizes.iter().map(|&size| size as usize)))
}

fn chunk(c: &Call) -> Result<Value> {
    let (x, chunks) = (c.tensor(0)?, c.int(1)?);
    refuse_if!(x.ndim() == 0, "chunk expects at least a 1-dimensional tensor");
    refuse_if!(chunks <= 0, "chunk expects `chunks` to be greater than 0, got: {chunks}");
    let axis = wrap_dim(c.int(2)?, x.ndim())?;
    let size = x.shape()[axis].div_ceil(chunks as usize);
    if size == 0 {
        c.set_grad_name(GradName::node("SplitWithSizes"));
        allow_parts(chunks as usize)?;
        return Ok(parts(x, axis, vec![0; chunks as usize]));
    }
    even_parts(x, axis, size)
}

fn select(c: &Call) -> Result<Value> {
    let (x, at) = (c.tensor(0)?, c.int(2)?);
    if x.ndim() == 0 {
        return Err(Error::index("select() cannot be applied to a 0-dim tensor."));
    }
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let size = x.shape()[axis] as i64;
    if at < -size || at >= size {
        return Err(Error::index(format!(
            "select(): index {at} out of range for tensor of size {:?} at dimension {axis}",
            x.shape()
        )));
    }
    Ok(x.with_layout(x.layout().select(axis, if at < 0 { at + size } else { at } as usize)).into())
}

fn narrow(c: &Call) -> Result<Value> {
    let (x, start, len) = (c.tensor(0)?, c.int(2)?, c.int(3)?);
    refuse_if!(x.ndim() == 0, "narrow() cannot be applied to a 0-dim tensor.");
    refuse_if!(len < 0, "narrow(): length must be non-negative.");
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let size = x.shape()[axis] as i64;
    if start < -size || start > size {
        return Err(Error::index(format!(
            "start out of range (expected to be in range of [{}, {size}], but got {start})",
            -size
        )));
    }
    let from = if start < 0 { start + size } else { start };
    refuse_if!(from > size - len, "start ({from}) + length ({len}) exceeds dimension size ({size}).");
    Ok(slice(x, axis, from as usize, len as usize).into())
}

/// Views of parts along a dimension.
const fn parts_of(name: &'static str) -> Descriptor {
    view(name).explained(Explanation::Moved(Movement::Part))
}

rows![
    op(parts_of("unbind").grad("Unbind"), BOTH, unbind)
        .forms(&["Tensor input, int dim=0"])
        .doc("The slices along a dimension, one by one. Views.")
        .rule_of_several(backward::joins::unbind),
    op(parts_of("split").grad("Split"), BOTH, split)
        .forms(&[
            "Tensor input, ints split_size, int dim=0",
            "Tensor tensor, ints split_size_or_sections, int dim=0"
        ])
        .doc("Parts of one size, or of the sizes given. Views.")
        .rule_of_several(backward::joins::split),
    op(parts_of("split_with_sizes").grad("SplitWithSizes"), BOTH, split)
        .forms(&["Tensor input, ints split_sizes, int dim=0"])
        .doc("Parts of the sizes given. Views.")
        .rule_of_several(backward::joins::split),
    op(parts_of("chunk").grad("Split"), BOTH, chunk)
        .forms(&["Tensor input, int chunks, int dim=0"])
        .doc("At most so many parts of one size, the last one smaller. Views.")
        .rule_of_several(backward::joins::split),
    op(view("select").grad("Select"), BOTH, select)
        .forms(&["Tensor input, int dim, int index"])
        .doc("One index of a dimension, which goes. View.")
        .rule(backward::indexing::select),
    op(view("narrow").grad("Slice"), BOTH, narrow)
        .forms(&["Tensor input, int dim, int start, int length"])
        .doc("Some neighbours along a dimension. View.")
        .rule(backward::indexing::narrow),
];
