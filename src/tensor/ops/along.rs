//! Reading and writing along one dimension by index tensors: gather, scatter, index_add, take.
//! The positions in the storage are computed first, then read or written in one loop.
//! Source: ATen's `TensorAdvancedIndexing`, its checks and texts.

use super::cast::to_dtype;
pub(crate) use super::combine::ScatterMode;
use super::combine::combine_at;
use smallvec::smallvec;

use crate::kernel::elementwise::places;
use crate::tensor::{DType, Error, ErrorKind, Layout, Result, Tensor, refuse_if};

/// A layout with at least one dimension.
fn dimensioned(layout: &Layout) -> Layout {
    if layout.ndim() == 0 { layout.unsqueeze(0) } else { layout.clone() }
}

/// For each element of `index`, the position in the storage of the element of `layout` with that index along `dim`.
fn positions(layout: &Layout, dim: usize, index: &Tensor) -> Result<Vec<usize>> {
    let (layout, shape) = (dimensioned(layout), dimensioned(index.layout()).shape);
    let mut strides = layout.strides.clone();
    let (stride, size) = (std::mem::take(&mut strides[dim]), layout.shape[dim] as i64);
    let mut found = places(&shape, &strides, layout.offset);
    for (place, at) in found.iter_mut().zip(index.to_i64_vec()) {
        if at < 0 || at >= size {
            return Err(Error::index_range(ErrorKind::Runtime, at, dim, size as usize));
        }
        *place += at as usize * stride;
    }
    Ok(found)
}

fn is_long(index: &Tensor, op: &str) -> Result<()> {
    match index.dtype() {
        DType::Int64 => Ok(()),
        _ if index.numel() == 0 => Ok(()),
        _ => Err(Error::runtime(format!("{op}(): Expected dtype int64 for index"))),
    }
}

/// The first dimension other than `dim` in which an index is larger than a tensor.
fn larger_dim(index: &Tensor, other: &Tensor, dim: Option<usize>) -> Option<usize> {
    let (index, other) = (dimensioned(index.layout()).shape, dimensioned(other.layout()).shape);
    (0..index.len()).find(|&axis| Some(axis) != dim && index[axis] > other[axis])
}

/// `out[i][j] = x[index[i][j]][j]` for dim 0. The shape of `index`. Copies. As `torch.gather`.
pub(crate) fn gather(x: &Tensor, dim: usize, index: &Tensor) -> Result<Tensor> {
    is_long(index, "gather")?;
    if index.numel() > 0 {
        refuse_if!(
            dimensioned(index.layout()).ndim() != dimensioned(x.layout()).ndim(),
            "Index tensor must have the same number of dimensions as input tensor"
        );
        if let Some(axis) = larger_dim(index, x, Some(dim)) {
            return Err(Error::runtime(format!(
                "Size does not match at dimension {axis} expected index {:?} to be no larger than self {:?} apart from \
                 dimension {dim}",
                index.shape(),
                x.shape()
            )));
        }
    }
    if index.numel() == 0 {
        return Tensor::zeros(index.shape(), x.dtype());
    }
    let found = positions(x.layout(), dim, index)?;
    Ok(Tensor::new(x.storage().read().pick(&found), index.shape(), x.dtype()))
}

/// A copy of `x` with values written at the positions of `index` along `dim`: one element for each of the index, or a single
/// number for all. As `torch.scatter` and `scatter_add`.
pub(crate) fn scatter(
    x: &Tensor,
    dim: usize,
    index: &Tensor,
    src: &Tensor,
    single: bool,
    combine: ScatterMode,
) -> Result<Tensor> {
    is_long(index, "scatter")?;
    refuse_if!(src.dtype() != x.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
    let out = super::copy(x);
    if index.numel() == 0 {
        return Ok(out);
    }
    if dimensioned(index.layout()).ndim() != dimensioned(x.layout()).ndim() {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as self tensor"));
    }
    let too_large = larger_dim(index, x, Some(dim)).is_some();
    let (ours, theirs) = (dimensioned(index.layout()), dimensioned(src.layout()));
    let shared = ours.ndim().min(theirs.ndim());
    let too_small =
        !single && ours.shape[..shared].iter().zip(&theirs.shape).any(|(ours, theirs)| ours > theirs);
    if !single && !too_small && !too_large && src.ndim() > 0 && ours.ndim() > theirs.ndim() {
        return Err(Error::dim_range(theirs.ndim() as i64, theirs.ndim()));
    }
    if !single && ours.ndim() != theirs.ndim() {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as src tensor"));
    }
    if too_small || too_large {
        let source = if single {
            String::new()
        } else {
            format!(" and to be no larger size than src {:?}", src.shape())
        };
        return Err(Error::runtime(format!(
            "Expected index {:?} to be no larger than self {:?} apart from dimension {dim}{source}",
            index.shape(),
            x.shape()
        )));
    }
    let found = positions(out.layout(), dim, index)?;
    let shape = dimensioned(index.layout()).shape;
    let seen = if single {
        src.layout().broadcast_to(&shape)
    } else {
        Layout { strides: theirs.strides[..shape.len()].into(), shape, offset: theirs.offset }
    };
    combine_at(&out, &found, &src.with_layout(seen).to_buffer(), combine);
    Ok(out)
}

/// An index along `dim`, a vector or a number, repeated over all other dimensions of `shape`.
fn spread(index: &Tensor, dim: usize, shape: &[usize]) -> Tensor {
    let mut layout =
        Layout { shape: shape.into(), strides: smallvec![0; shape.len()], offset: index.layout().offset };
    layout.strides[dim] = index.strides().first().copied().unwrap_or(1);
    index.with_layout(layout)
}

/// A copy of `x` with the slices of `index` combined with the slices of `source`. As `index_add` and
/// `index_copy`; the caller checks the dtypes.
pub(crate) fn index_combine(
    x: &Tensor,
    dim: usize,
    index: &Tensor,
    source: &Tensor,
    combine: ScatterMode,
) -> Result<Tensor> {
    let out = super::copy(x);
    let seen = source.with_layout(dimensioned(source.layout()));
    let index = spread(index, dim, seen.shape());
    let found = positions(out.layout(), dim, &index)?;
    combine_at(&out, &found, &seen.to_buffer(), combine);
    Ok(out)
}

/// A copy of `x` with the slices of `index` filled with one value. As `index_fill`.
pub(crate) fn index_fill(x: &Tensor, dim: usize, index: &Tensor, value: &Tensor) -> Result<Tensor> {
    refuse_if!(index.ndim() > 1, "Index has to be a vector/scalar");
    let out = super::shape::preserved(x);
    let target = out.with_layout(dimensioned(out.layout()));
    let size = target.shape()[dim] as i64;
    for at in index.to_i64_vec() {
        if at < -size || at >= size {
            return Err(Error::index_range(ErrorKind::Index, at, dim, size as usize));
        }
        let slice = target.layout().select(dim, if at < 0 { at + size } else { at } as usize);
        super::write(&target.with_layout(slice), value)?;
    }
    Ok(out)
}

/// The elements where the mask is true, as a vector. Copies. As `masked_select`.
pub(crate) fn masked_select(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    let shape = crate::tensor::layout::broadcast(mask.shape(), x.shape())?;
    let row = |x: &Tensor| super::contiguous(&x.with_layout(x.layout().broadcast_to(&shape))).flat();
    Ok(crate::tensor::index::masked(&row(x), &row(mask)).expect("both are rows of one length"))
}

/// A copy of `x` with the elements of `source`, in order, where the mask is true. As `masked_scatter`.
pub(crate) fn masked_scatter(x: &Tensor, mask: &Tensor, source: &Tensor) -> Result<Tensor> {
    let shape = crate::tensor::layout::broadcast(mask.shape(), x.shape())?;
    let out = super::copy(&x.with_layout(x.layout().broadcast_to(&shape)));
    let mask = mask.with_layout(mask.layout().broadcast_to(&shape)).to_bool_vec();
    let found: Vec<usize> = (0..mask.len()).filter(|&at| mask[at]).collect();
    refuse_if!(found.len() > source.numel(), "Number of elements of source < number of ones in mask");
    combine_at(&out, &found, &to_dtype(source, x.dtype()).to_buffer(), ScatterMode::Replace);
    Ok(out)
}
