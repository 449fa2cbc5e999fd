//! Views by strides: expanded, diagonal and windowed.

use smallvec::smallvec;

use super::shape::seen;
use crate::ops::backward;
use crate::ops::op::{BOTH, Call, FUNCTION, METHOD, Op, RELAYOUT, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::view;
use crate::tensor::layout::{broadcast, wrap_dim};
use crate::tensor::{Layout, Result, Tensor, ops, refuse_if};

fn as_strided(c: &Call) -> Result<Value> {
    let (x, sizes, strides) = (c.tensor(0)?, c.ints(1)?, c.ints(2)?);
    refuse_if!(sizes.len() != strides.len(), "mismatch in length of strides and shape");
    let offset = c.opt_int(3).unwrap_or(x.layout().offset as i64);
    refuse_if!(
        sizes.iter().chain(&strides).chain([&offset]).any(|&number| number < 0),
        "as_strided: negative numbers are not supported, got sizes {sizes:?}, strides {strides:?}, offset {offset}"
    );
    let layout = Layout {
        shape: sizes.iter().map(|&size| size as usize).collect(),
        strides: strides.iter().map(|&stride| stride as usize).collect(),
        offset: offset as usize,
    };
    let have = x.storage().read().len();
    refuse_if!(
        layout.numel() > 0 && layout.end() > have,
        "setStorage: sizes {sizes:?}, strides {strides:?}, storage offset {offset} are out of bounds for storage of \
             {have} elements"
    );
    seen(x, layout)
}

fn diagonal(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let (a, b) = (wrap_dim(c.int(2)?, x.ndim())?, wrap_dim(c.int(3)?, x.ndim())?);
    refuse_if!(a == b, "diagonal dimensions cannot be identical {}, {}", c.int(2)?, c.int(3)?);
    seen(x, x.layout().diagonal(c.int(1)?, a, b))
}

fn unfold(c: &Call) -> Result<Value> {
    let (x, size, step) = (c.tensor(0)?, c.int(2)?, c.int(3)?);
    let axis = wrap_dim(c.int(1)?, x.ndim())?;
    let layout = if x.ndim() == 0 { x.layout().unsqueeze(0) } else { x.layout().clone() };
    let most = layout.shape[axis];
    refuse_if!(size < 0, "size is {size} but must be >= 0");
    refuse_if!(
        size as usize > most,
        "maximum size for tensor at dimension {axis} is {most} but size is {size}"
    );
    refuse_if!(step <= 0, "step is {step} but must be > 0");
    let mut windows = layout.unfold(axis, size as usize, step as usize);
    if x.ndim() == 0 {
        windows =
            Layout { shape: smallvec![size as usize], strides: smallvec![1], offset: x.layout().offset };
    }
    seen(x, windows)
}

fn broadcast_tensors(c: &Call) -> Result<Value> {
    let tensors = c.tensors(0);
    let shape = tensors.iter().try_fold(Vec::new(), |shape, tensor| broadcast(&shape, tensor.shape()))?;
    let sizes: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    let spread = |tensor: &Tensor| match tensor.shape() == shape {
        true => Ok(tensor.clone()),
        false => ops::expanded(tensor, &sizes),
    };
    Ok(Value::Tensors(tensors.iter().map(spread).collect::<Result<_>>()?))
}

fn expand(c: &Call) -> Result<Value> {
    Ok(ops::expanded(c.tensor(0)?, &c.ints(1)?)?.into())
}

fn expand_as(c: &Call) -> Result<Value> {
    let sizes: Vec<i64> = c.tensor(1)?.shape().iter().map(|&size| size as i64).collect();
    Ok(ops::expanded(c.tensor(0)?, &sizes)?.into())
}

rows![
    op(view("expand").grad("Expand"), METHOD, expand)
        .forms(&["Tensor input, sizes size, *, hint implicit=False"])
        .doc("Repeated without copying. View.")
        .rule(backward::views::same),
    op(view("expand_as").grad("Expand"), METHOD, expand_as)
        .forms(&["Tensor input, Tensor other"])
        .doc("Repeated to other's shape without copying. View.")
        .rule(backward::views::same),
    op(view("broadcast_to").grad("Expand"), BOTH, expand)
        .forms(&["Tensor input, sizes size"])
        .doc("Repeated to a shape without copying. View.")
        .rule(backward::views::same),
    op(view("broadcast_tensors").grad("Expand"), FUNCTION, broadcast_tensors)
        .forms(&["Several tensors"])
        .doc("All tensors expanded to the shape they share. Views."),
    op(view("as_strided").grad("AsStrided"), BOTH | RELAYOUT, as_strided)
        .forms(&["Tensor input, ints size, ints stride, int? storage_offset=None"])
        .doc("Any sizes and strides on the same storage. View."),
    op(view("diagonal").grad("Diagonal"), BOTH, diagonal)
        .forms(&["Tensor input, int offset=0, int dim1=0, int dim2=1"])
        .doc("The diagonal of two dimensions, as the last one. View."),
    op(view("unfold").grad("Unfold"), METHOD, unfold)
        .forms(&["Tensor input, int dimension, int size, int step"])
        .doc("Windows along a dimension, as a last one. View."),
];
