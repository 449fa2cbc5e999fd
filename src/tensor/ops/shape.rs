//! Copies in another shape or order: flip, roll, repeat, tril and related functions.
//! They compute which element comes from where; the kernel copies them.

use crate::kernel::grid;
use crate::tensor::{DType, Error, Result, Tensor, allow, refuse_if};
use crate::{each_lane, map_lane};

/// The tensor made of the elements at the sums of one storage offset of each axis.
pub(crate) fn picked(x: &Tensor, axes: &[Vec<usize>]) -> Result<Tensor> {
    let shape: Vec<usize> = axes.iter().map(Vec::len).collect();
    allow(&shape, x.dtype())?;
    let buffer = map_lane!(&*x.storage().read(), data => grid::pick(data, x.layout().offset, axes));
    Ok(Tensor::new(buffer, shape, x.dtype()))
}

/// The storage offsets of every axis of a tensor. Errors: they take more memory than there may be.
pub(crate) fn axes(x: &Tensor) -> Result<Vec<Vec<usize>>> {
    allow(&[x.shape().iter().sum()], DType::Int64)?;
    Ok(x.shape().iter().zip(x.strides()).map(|(&size, &stride)| grid::whole(size, stride)).collect())
}

/// A copy that keeps the order in memory. As `clone`.
pub(crate) fn preserved(x: &Tensor) -> Tensor {
    super::copy(x).laid_out(x.layout().preserved())
}

/// Reverses dimensions. Copies.
pub(crate) fn flip(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let mut axes = axes(x)?;
    for &dim in dims.iter().filter(|&&dim| dim < x.ndim()) {
        axes[dim].reverse();
    }
    Ok(picked(x, &axes)?.laid_out(x.layout().preserved()))
}

/// Repeats the tensor `times` times along every dimension; new dimensions come first. Copies.
pub(crate) fn repeat(x: &Tensor, times: &[i64]) -> Result<Tensor> {
    refuse_if!(
        times.len() < x.ndim(),
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
    );
    let lead = times.len() - x.ndim();
    let size = |axis: usize| axis.checked_sub(lead).map_or(1, |own| x.shape()[own]) as i64;
    let sizes: Vec<i64> =
        times.iter().enumerate().map(|(axis, &times)| times.saturating_mul(size(axis))).collect();
    if let Some(negative) = sizes.iter().find(|&&size| size < 0) {
        return Err(Error::runtime(format!(
            "Trying to create tensor with negative dimension {negative}: {sizes:?}"
        )));
    }
    let shape: Vec<usize> = sizes.iter().map(|&size| size as usize).collect();
    if allow(&shape, x.dtype())? == 0 {
        return Tensor::zeros(shape, x.dtype());
    }
    // Each dimension has one of stride 0 before it.
    let (mut layout, mut wide) = (x.layout().clone(), shape[..lead].to_vec());
    for (own, &times) in times[lead..].iter().enumerate() {
        layout = layout.unsqueeze(2 * own);
        wide.extend([times as usize, x.shape()[own]]);
    }
    Ok(Tensor::new(x.with_layout(layout.broadcast_to(&wide)).to_buffer(), shape, x.dtype()))
}

/// Slices of a dimension by their indices. Copies.
pub(crate) fn index_select(x: &Tensor, dim: usize, index: &[i64]) -> Result<Tensor> {
    let size = x.shape().get(dim).copied().unwrap_or(1);
    if index.iter().any(|&at| at < 0 || at as usize >= size) {
        return Err(Error::index("index out of range in self"));
    }
    if x.ndim() == 0 {
        return Ok(super::copy(x));
    }
    let mut axes = axes(x)?;
    axes[dim] = index.iter().map(|&at| at as usize * x.strides()[dim]).collect();
    picked(x, &axes)
}

/// Zero above (`lower`) or below the `diagonal`-th diagonal of each matrix. Copies.
pub(crate) fn triangle(x: &Tensor, diagonal: i64, lower: bool) -> Tensor {
    let mut buffer = x.to_buffer();
    let (rows, columns) = (x.shape()[x.ndim() - 2], x.shape()[x.ndim() - 1]);
    // The end (lower) or start of the kept columns of a row.
    let cut = |row: usize| {
        let edge = (row as i64).saturating_add(diagonal).saturating_add(i64::from(lower));
        edge.clamp(0, columns as i64) as usize
    };
    each_lane!(&mut buffer, data => for (at, row) in data.chunks_exact_mut(columns.max(1)).enumerate() {
        let cut = cut(at % rows);
        let cleared = if lower { &mut row[cut..] } else { &mut row[..cut] };
        cleared.fill(Default::default());
    });
    Tensor::new(buffer, x.shape(), x.dtype())
}

/// The last dimension as the `offset`-th diagonal of new dimensions `a` and `b`, with zeros elsewhere. Copies.
pub(crate) fn diag_embed(x: &Tensor, offset: i64, a: usize, b: usize) -> Result<Tensor> {
    let len = x.shape()[x.ndim() - 1] + offset.unsigned_abs() as usize;
    let mut shape = x.shape()[..x.ndim() - 1].to_vec();
    shape.insert(a.min(b), len);
    shape.insert(a.max(b), len);
    let out = Tensor::zeros(shape, x.dtype())?;
    super::write(&out.with_layout(out.layout().diagonal(offset, a, b)), x)?;
    Ok(out)
}
