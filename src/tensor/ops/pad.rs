//! Padding, and rows by number: gathers whose index follows from the shape.
//! Source: `torch.nn.functional.pad`, `embedding`.

use crate::kernel::buffer_pool::{self, Element};
use crate::map_lane;
use crate::tensor::{Arg, Buffer, Error, GradName, Result, Tensor, allow, refuse_if};

/// The rows `at` of a contiguous table with `width` columns, one after another. Copies.
pub(crate) fn rows(table: &Tensor, at: &[i64], width: usize) -> Buffer {
    fn taken<T: Element>(data: &[T], at: &[i64], width: usize) -> Vec<T> {
        let mut out = buffer_pool::take(at.len() * width);
        for (out, &row) in out.chunks_exact_mut(width.max(1)).zip(at) {
            out.copy_from_slice(&data[row as usize * width..(row as usize + 1) * width]);
        }
        out
    }
    let offset = table.layout().offset;
    map_lane!(&*table.storage().read(), data => taken(&data[offset.min(data.len())..], at, width))
}

/// The index in the input of an element of a dimension that is padded with elements of the input.
fn source(mode: &str, at: i64, size: i64) -> i64 {
    match mode {
        _ if (0..size).contains(&at) => at,
        "reflect" if at < 0 => -at,
        "reflect" => 2 * (size - 1) - at,
        "replicate" => at.clamp(0, size - 1),
        _ => at.rem_euclid(size),
    }
}

/// The input with `sides` more elements (before and after, last dimension first; less where negative), and what its
/// `grad_fn` shows. Copies. Errors: as `F.pad`.
pub(crate) fn pad(x: &Tensor, sides: &[i64], mode: &str, value: &Arg) -> Result<(Tensor, GradName)> {
    refuse_if!(!sides.len().is_multiple_of(2), "Padding length must be divisible by 2");
    let dims = sides.len() / 2;
    refuse_if!(
        dims > x.ndim(),
        "Padding length should be less than or equal to two times the input dimension but got padding length {} and \
             input of dimension {}",
        sides.len(),
        x.ndim()
    );
    let name = match mode {
        "constant" => GradName::node("ConstantPadNd"),
        "reflect" | "replicate" | "circular" => {
            let fits = (dims == 1 && matches!(x.ndim(), 2 | 3))
                || (dims == 2 && matches!(x.ndim(), 3 | 4))
                || (dims == 3 && matches!(x.ndim(), 4 | 5));
            if !fits {
                return Err(Error::not_implemented(
                    "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now",
                ));
            }
            match (mode, dims) {
                ("reflect", 1) => GradName::node("ReflectionPad1D"),
                ("reflect", 2) => GradName::node("ReflectionPad2D"),
                ("reflect", _) => GradName::node("ReflectionPad3D"),
                ("replicate", 1) => GradName::node("ReplicationPad1D"),
                ("replicate", 2) => GradName::node("ReplicationPad2D"),
                ("replicate", _) => GradName::node("ReplicationPad3D"),
                _ => GradName::CopySlices,
            }
        }
        other => {
            return Err(Error::not_implemented(format!("Unrecognised padding mode {other}")));
        }
    };
    let ndim = x.ndim();
    let side = |axis: usize| match (ndim - 1 - axis) * 2 {
        at if at < sides.len() => (sides[at], sides[at + 1]),
        _ => (0, 0),
    };
    let mut shape = Vec::with_capacity(ndim);
    for axis in 0..ndim {
        let (before, after) = side(axis);
        let size = x.shape()[axis] as i64;
        refuse_if!(
            mode == "reflect" && (before >= size || after >= size),
            "Argument #{}: Padding size should be less than the corresponding input dimension, but got: padding \
                 ({before}, {after}) at dimension {axis} of input {:?}",
            4 + 2 * (ndim - 1 - axis),
            x.shape()
        );
        if mode == "circular" && (before > size || after > size) {
            return Err(Error::runtime("Padding value causes wrapping around more than once."));
        }
        let padded = size.saturating_add(before).saturating_add(after);
        if before.min(0).saturating_add(after.min(0)).saturating_add(size) < 0 {
            return Err(Error::runtime("narrow(): length must be non-negative."));
        }
        refuse_if!(
            padded < 0 || (padded == 0 && mode == "constant" && ndim - axis <= dims),
            "The input size {size}, plus negative padding {before} and {after} resulted in a negative output size, \
                 which is invalid. Check dimension {axis} of your input."
        );
        shape.push(padded as usize);
    }
    if allow(&shape, x.dtype())? == 0 {
        return Ok((Tensor::zeros(shape, x.dtype())?, name));
    }
    if mode != "constant" {
        let offsets = |axis: usize| {
            let (before, size) = (side(axis).0, x.shape()[axis] as i64);
            let from = |at: usize| source(mode, at as i64 - before, size) as usize * x.strides()[axis];
            (0..shape[axis]).map(from).collect()
        };
        return Ok((super::shape::picked(x, &(0..ndim).map(offsets).collect::<Vec<_>>())?, name));
    }
    let out = Tensor::zeros(&shape, x.dtype())?;
    super::write(&out, &super::pointwise::operand(value, x.dtype())?)?;
    // What is left of the input, and where it lies in the result.
    let (mut from, mut to) = (x.layout().clone(), out.layout().clone());
    for axis in 0..ndim {
        let (before, after) = side(axis);
        let kept = (x.shape()[axis] as i64 + before.min(0) + after.min(0)) as usize;
        from = from.slice(axis, before.min(0).unsigned_abs() as usize, kept, 1);
        to = to.slice(axis, before.max(0) as usize, kept, 1);
    }
    super::write(&out.with_layout(to), &x.with_layout(from))?;
    Ok((out, name))
}
