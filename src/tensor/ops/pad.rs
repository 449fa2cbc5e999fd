//! Padding, and rows by number: gathers whose index follows from the shape.
//! Source: `torch.nn.functional.pad`, `embedding`.

use crate::kernel::buffer_pool::{self, Element};
use crate::map_lane;
use crate::tensor::{Arg, Buffer, Error, Result, Tensor, allow, refuse_if};

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

/// The input with `sides` more elements (before and after, last dimension first; less where negative). Copies.
/// Errors: as `F.pad`.
pub(crate) fn pad(x: &Tensor, sides: &[i64], value: &Arg) -> Result<Tensor> {
    refuse_if!(!sides.len().is_multiple_of(2), "Padding length must be divisible by 2");
    let dims = sides.len() / 2;
    refuse_if!(
        dims > x.ndim(),
        "Padding length should be less than or equal to two times the input dimension but got padding length {} and \
             input of dimension {}",
        sides.len(),
        x.ndim()
    );
    let ndim = x.ndim();
    let side = |axis: usize| match (ndim - 1 - axis) * 2 {
        at if at < sides.len() => (sides[at], sides[at + 1]),
        _ => (0, 0),
    };
    let mut shape = Vec::with_capacity(ndim);
    for axis in 0..ndim {
        let (before, after) = side(axis);
        let size = x.shape()[axis] as i64;
        let padded = size.saturating_add(before).saturating_add(after);
        if before.min(0).saturating_add(after.min(0)).saturating_add(size) < 0 {
            return Err(Error::runtime("narrow(): length must be non-negative."));
        }
        refuse_if!(
            padded < 0 || (padded == 0 && ndim - axis <= dims),
            "The input size {size}, plus negative padding {before} and {after} resulted in a negative output size, \
                 which is invalid. Check dimension {axis} of your input."
        );
        shape.push(padded as usize);
    }
    if allow(&shape, x.dtype())? == 0 {
        return Tensor::zeros(shape, x.dtype());
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
    Ok(out)
}
