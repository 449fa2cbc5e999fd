//! Indexing and assignment: `x[1]`, `x[:, None]`, `x[..., 0]`, `x[mask]`, `x[[0, 2], 1:]`.
//! Ints, slices, `None` and `...` make views; lists and tensors copy.
//! Source: PyTorch's `python_variable_indexing` and NumPy's rules for advanced indexing.

use super::error::{Error, ErrorKind, Result, refuse_if};
use super::graph::Index;
use super::layout::{Layout, broadcast, iteration_order, ordered, row_major, unravel};
use super::ops;
use super::ops::combine::{ScatterMode, combine_at};
use super::{Buffer, DType, GradName, Tensor};
use crate::kernel::{elementwise, grid};
use crate::map_lane;

/// What `grad_fn` shows of an index that takes everything as it is.
const ALIAS: GradName = GradName::node("Alias");

/// The result of basic indexing: a view, and the dimensions of it that tensors index.
struct Basic {
    view: Tensor,
    gathers: Vec<(usize, Tensor)>,
    /// What `grad_fn` shows of the last step.
    last_step: GradName,
}

/// Start, length and step of a slice of a dimension of this size.
pub(crate) fn resolve_slice(
    size: usize,
    start: Option<i64>,
    stop: Option<i64>,
    step: Option<i64>,
) -> Result<(usize, usize, usize)> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(Error::value("slice step cannot be zero"));
    }
    if step < 0 {
        return Err(Error::value("step must be greater than zero"));
    }
    let size = size as i64;
    let clamp = |at: i64| {
        if at < 0 { (at + size).max(0) } else { at.min(size) }
    };
    let start = clamp(start.unwrap_or(0));
    let stop = clamp(stop.unwrap_or(size)).max(start);
    let len = (stop - start + step - 1) / step;
    Ok((start as usize, len as usize, step as usize))
}

/// The indices where a mask is true, one tensor for each of its dimensions, all in one storage.
pub(crate) fn nonzero(mask: &Tensor) -> Vec<Tensor> {
    let shape: &[usize] = if mask.ndim() == 0 { &[1] } else { mask.shape() };
    let hits: Vec<usize> =
        mask.to_bool_vec().into_iter().enumerate().filter(|hit| hit.1).map(|hit| hit.0).collect();
    let count = hits.len();
    let mut found = vec![0i64; count * shape.len()];
    for (row, &hit) in hits.iter().enumerate() {
        for (axis, at) in unravel(hit, shape).into_iter().enumerate() {
            found[axis * count + row] = at as i64;
        }
    }
    let all = Tensor::from_i64(found, [count * shape.len()]);
    (0..shape.len()).map(|axis| all.with_layout(all.layout().slice(0, axis * count, count, 1))).collect()
}

/// How many axes a part of an index is for.
pub(crate) fn axes_of(part: &Index) -> usize {
    match part {
        Index::Tensor(mask) if is_mask(mask) => mask.ndim(),
        Index::Int(_) | Index::Slice { .. } | Index::Tensor(_) => 1,
        Index::NewAxis | Index::Ellipsis | Index::Bool(_) => 0,
    }
}

fn basic(tensor: &Tensor, index: &[Index]) -> Result<Basic> {
    let consumed: usize = index.iter().map(axes_of).sum();
    if consumed > tensor.ndim() {
        return Err(too_many(tensor.ndim(), index));
    }
    let mut view = tensor.layout().clone();
    let mut slots: Vec<(usize, Tensor)> = Vec::new();
    let mut last_step = ALIAS;
    let mut axis = 0;
    for (place, part) in index.iter().enumerate() {
        let size = view.shape.get(axis).copied();
        match part {
            Index::Int(at) => {
                let size = size.ok_or_else(|| Error::dim_range(axis as i64, view.ndim()))? as i64;
                if *at < -size || *at >= size {
                    return Err(Error::index_range(ErrorKind::Index, *at, place, size as usize));
                }
                view.keep_index(axis, if *at < 0 { at + size } else { *at } as usize);
                last_step = GradName::node("Select");
            }
            Index::Slice { start, stop, step } => {
                let size = size.ok_or_else(|| Error::dim_range(axis as i64, view.ndim()))?;
                let (first, len, step) = resolve_slice(size, *start, *stop, *step)?;
                view.keep_slice(axis, first, len, step);
                // A slice of the whole dimension is ignored, unless it is the only index.
                let ignored = index.len() > 1 && *stop == Some(size as i64) && len == size && step == 1;
                if !ignored {
                    last_step = GradName::node("Slice");
                }
                axis += 1;
            }
            Index::NewAxis => {
                view = view.unsqueeze(axis);
                last_step = GradName::node("Unsqueeze");
                axis += 1;
            }
            Index::Ellipsis => axis += tensor.ndim() - consumed,
            Index::Bool(value) => {
                view = view.unsqueeze(axis);
                slots.push((axis, switch(*value)));
                axis += 1;
            }
            Index::Tensor(mask) if is_mask(mask) && mask.ndim() == 0 => {
                view = view.unsqueeze(axis);
                slots.push((axis, switch(mask.item()? != 0.0)));
                axis += 1;
            }
            // A mask of several dimensions counts as one index here, and the next index applies to the next dimension,
            // as in ATen, where masks become indices later.
            Index::Tensor(positions) => {
                slots.push((axis, positions.clone()));
                axis += 1;
            }
        }
    }
    Ok(Basic { gathers: expanded(&view, slots)?, view: tensor.with_layout(view), last_step })
}

fn too_many(ndim: usize, index: &[Index]) -> Error {
    match index {
        [Index::Int(0)] if ndim == 0 => Error::index(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a \
             0-dim tensor to a number",
        ),
        [Index::Int(at)] if ndim == 0 => Error::index_range(ErrorKind::Index, *at, 0, 0),
        [Index::Slice { .. }] if ndim == 0 => Error::index("slice() cannot be applied to a 0-dim tensor."),
        _ => Error::index(format!("too many indices for tensor of dimension {ndim}")),
    }
}

/// Replaces masks by the indices where they are true, one for each of their dimensions.
fn expanded(view: &Layout, slots: Vec<(usize, Tensor)>) -> Result<Vec<(usize, Tensor)>> {
    let mut gathers = Vec::new();
    let mut more = 0;
    for (axis, index) in slots {
        let axis = axis + more;
        if !is_mask(&index) {
            gathers.push((axis, index));
            continue;
        }
        for (offset, &size) in index.shape().iter().enumerate() {
            let have = view.shape.get(axis + offset).copied();
            if have.ok_or_else(|| Error::dim_range((axis + offset) as i64, view.ndim()))? != size {
                return Err(Error::index(format!(
                    "The shape of the mask {:?} at index {offset} does not match the shape of the indexed tensor {:?} \
                     at index {}",
                    index.shape(),
                    view.shape,
                    axis + offset
                )));
            }
        }
        more += index.ndim().saturating_sub(1);
        gathers.extend((axis..).zip(nonzero(&index)));
    }
    match gathers.last() {
        Some((axis, _)) if *axis >= view.ndim() => Err(Error::index(format!(
            "too many indices for tensor of dimension {} (got {})",
            view.ndim(),
            axis + 1
        ))),
        _ => Ok(gathers),
    }
}

/// The index of a bool along its dimension of size 1.
fn switch(on: bool) -> Tensor {
    let positions = vec![0; usize::from(on)];
    let count = positions.len();
    Tensor::from_i64(positions, [count])
}

fn is_mask(tensor: &Tensor) -> bool {
    matches!(tensor.dtype(), DType::Bool | DType::UInt8)
}

/// The dimensions of a gather in the order of the result, and the storage offset of each element of the broadcast index.
struct Gather {
    /// Dimensions before the indexed ones, in the result.
    lead: usize,
    /// The view without the indexed dimensions: those before, then those after.
    rest: Layout,
    /// Storage offset of each index.
    offsets: Vec<usize>,
}

/// The shape that the index tensors broadcast to. Errors: they do not, or their dtype is not one of an index.
fn index_shape(basic: &Basic) -> Result<Vec<usize>> {
    let mut shape: Vec<usize> = Vec::new();
    for (_, positions) in &basic.gathers {
        if positions.dtype().is_float() || matches!(positions.dtype(), DType::Int16 | DType::Int8) {
            return Err(Error::index("tensors used as indices must be long, int, byte or bool tensors"));
        }
        shape = broadcast(&shape, positions.shape()).map_err(|_| {
            let shapes: Vec<String> = basic.gathers.iter().map(|(_, p)| format!("{:?}", p.shape())).collect();
            Error::index(format!(
                "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
                shapes.join(", ")
            ))
        })?;
    }
    let empty = basic.gathers.iter().any(|(axis, _)| basic.view.shape()[*axis] == 0);
    if empty && !shape.contains(&0) {
        return Err(Error::index("index is out of bounds for dimension with size 0"));
    }
    Ok(shape)
}

/// The dimensions that no tensor indexes, and how many of them come before the indexed ones in the result.
fn kept(basic: &Basic) -> (Vec<usize>, usize) {
    let axes: Vec<usize> = basic.gathers.iter().map(|gather| gather.0).collect();
    let together = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let kept: Vec<usize> = (0..basic.view.ndim()).filter(|axis| !axes.contains(axis)).collect();
    let lead = if together { kept.iter().filter(|&&axis| axis < axes[0]).count() } else { 0 };
    (kept, lead)
}

fn result_shape(basic: &Basic, indices: &[usize]) -> Vec<usize> {
    let (kept, lead) = kept(basic);
    let sizes: Vec<usize> = kept.iter().map(|&axis| basic.view.shape()[axis]).collect();
    [&sizes[..lead], indices, &sizes[lead..]].concat()
}

fn gather(basic: &Basic, shape: &[usize]) -> Result<Gather> {
    let layout = basic.view.layout();
    let (kept, lead) = kept(basic);
    let rest = layout.permute(&kept);
    let mut offsets = vec![0; shape.iter().product()];
    let nothing = rest.shape.contains(&0);
    // Errors count the index tensors, not the dimensions, as in ATen, which moves them to the front.
    for (ordinal, (axis, positions)) in basic.gathers.iter().enumerate() {
        let size = layout.shape[*axis] as i64;
        let values = positions.with_layout(positions.layout().broadcast_to(shape)).to_i64_vec();
        for (offset, at) in offsets.iter_mut().zip(values) {
            if nothing {
                break;
            }
            if at < -size || at >= size {
                return Err(Error::index_range(ErrorKind::Index, at, ordinal, size as usize));
            }
            *offset += (if at < 0 { at + size } else { at }) as usize * layout.strides[*axis];
        }
    }
    Ok(Gather { lead, rest, offsets })
}

impl Gather {
    /// The storage offsets along each axis of the result, the indexed ones as one axis.
    fn axes(&self) -> Vec<Vec<usize>> {
        let whole = |axis: usize| grid::whole(self.rest.shape[axis], self.rest.strides[axis]);
        let mut axes: Vec<Vec<usize>> = (0..self.lead).map(whole).collect();
        axes.push(self.offsets.clone());
        axes.extend((self.lead..self.rest.ndim()).map(whole));
        axes
    }

    /// The layout of a result of this shape: the order of ATen's loop over view and indices.
    fn order(&self, shape: &[usize], indices: &[usize]) -> Layout {
        let (before, after) = self.rest.strides.split_at(self.lead);
        let source = [before, &vec![0; indices.len()], after].concat();
        let indices = [vec![0; before.len()], row_major(indices).to_vec(), vec![0; after.len()]].concat();
        ordered(shape, &iteration_order(shape, &[&source, &indices]))
    }
}

/// `tensor[index]`, and what its `grad_fn` shows. View, or a copy if tensors index.
pub(crate) fn get(tensor: &Tensor, index: &[Index]) -> Result<(Tensor, GradName)> {
    if let [Index::Tensor(mask)] = index
        && let Some(kept) = masked(tensor, mask)
    {
        return Ok((kept, GradName::node("Index")));
    }
    let basic = basic(tensor, index)?;
    if basic.gathers.is_empty() {
        let view = if basic.last_step == ALIAS { tensor.alias() } else { basic.view };
        return Ok((view, basic.last_step));
    }
    let indices = index_shape(&basic)?;
    let shape = result_shape(&basic, &indices);
    let gather = gather(&basic, &indices)?;
    super::allow(&shape, tensor.dtype())?;
    let (axes, offset) = (gather.axes(), gather.rest.offset);
    let buffer = map_lane!(&*basic.view.storage().read(), data => grid::pick(data, offset, &axes));
    let order = gather.order(&shape, &indices);
    Ok((Tensor::new(buffer, shape, tensor.dtype()).laid_out(order), GradName::node("Index")))
}

/// The elements where a mask of the whole tensor is true; `None` for other masks and for tensors that are not
/// row-major.
pub(crate) fn masked(tensor: &Tensor, mask: &Tensor) -> Option<Tensor> {
    let fits = mask.dtype() == DType::Bool && mask.shape() == tensor.shape() && mask.ndim() > 0;
    if !fits || !tensor.is_contiguous() || !mask.is_contiguous() {
        return None;
    }
    let range = |x: &Tensor| x.layout().run();
    let masks = mask.storage().read();
    let Buffer::Bool(masks) = &*masks else { return None };
    let masks = &masks[range(mask)];
    let buffer =
        map_lane!(&*tensor.storage().read(), data => elementwise::compress(&data[range(tensor)], masks));
    let count = buffer.len();
    Some(Tensor::new(buffer, [count], tensor.dtype()))
}

/// The view of an index without tensors; `None` for other indices.
pub(crate) fn view(tensor: &Tensor, index: &[Index]) -> Option<Tensor> {
    let basic = basic(tensor, index).ok()?;
    basic.gathers.is_empty().then_some(basic.view)
}

/// Writes one value where a mask of the first dimensions is true, without computing indices. In place.
fn fill_where(tensor: &Tensor, mask: &Tensor, source: &Tensor) -> Result<()> {
    let value = ops::cast::to_dtype(&ops::reshape(source, &[]), tensor.dtype());
    let mut over_all = mask.layout().clone();
    while over_all.ndim() < tensor.ndim() {
        over_all = over_all.unsqueeze(over_all.ndim());
    }
    let filled = ops::mask::masked_fill(tensor, &mask.with_layout(over_all), &value)?;
    ops::write(tensor, &filled)
}

/// Whether the only tensor of the index is a mask and the value is one element, which is then converted as in
/// `masked_fill`.
fn fills(index: &[Index], source: &Tensor) -> bool {
    let mut tensors = index.iter().filter_map(|part| match part {
        Index::Tensor(tensor) => Some(tensor),
        _ => None,
    });
    let one_mask = tensors.next().is_some_and(is_mask) && tensors.next().is_none();
    source.numel() == 1 && one_mask && !index.iter().any(|part| matches!(part, Index::Bool(_)))
}

/// What `grad_fn` shows after `tensor[index] = source`.
pub(crate) fn set_grad_name(tensor: &Tensor, index: &[Index], number: bool) -> GradName {
    match basic(tensor, index).ok().filter(|basic| basic.last_step == ALIAS) {
        Some(basic) if basic.gathers.is_empty() && number => GradName::Node("Fill", 3),
        Some(basic) if basic.gathers.is_empty() => GradName::CopyBackwards,
        Some(_) if !index.iter().any(|part| matches!(part, Index::Bool(_))) => GradName::node("IndexPut"),
        _ => GradName::CopySlices,
    }
}

/// `tensor[index] = source`, broadcast. Without index tensors the source may have any dtype, with them that of the
/// tensor. With `accumulate`, values of repeated indices are added, as `index_put_` does. In place.
pub(crate) fn put(tensor: &Tensor, index: &[Index], source: &Tensor, accumulate: bool) -> Result<()> {
    let spread = without_leading_ones(source, 0);
    if let [Index::Bool(true)] = index {
        return ops::write(&tensor.with_layout(tensor.layout().unsqueeze(0)), &spread);
    }
    if let ([Index::Tensor(mask)], false, 1) = (index, accumulate, source.numel())
        && mask.dtype() == DType::Bool
        && mask.ndim() > 0
        && tensor.shape().starts_with(mask.shape())
    {
        return fill_where(tensor, mask, source);
    }
    let basic = basic(tensor, index)?;
    if basic.gathers.is_empty() {
        return ops::write(&basic.view, &spread);
    }
    let indices = index_shape(&basic)?;
    let shape = result_shape(&basic, &indices);
    let source = spread;
    refuse_if!(
        !broadcast(&shape, source.shape()).is_ok_and(|all| all == shape),
        "shape mismatch: value tensor of shape {:?} cannot be broadcast to indexing result of shape {shape:?}",
        source.shape()
    );
    refuse_if!(
        source.dtype() != tensor.dtype() && !fills(index, &source),
        "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
        tensor.dtype().cpp_name(),
        source.dtype().cpp_name()
    );
    let gather = gather(&basic, &indices)?;
    let source = source.with_layout(source.layout().broadcast_to(&shape));
    let values = ops::cast::to_dtype(&source, tensor.dtype()).to_buffer();
    let positions = grid::places(gather.rest.offset, &gather.axes());
    let mode = if accumulate { ScatterMode::Sum } else { ScatterMode::Replace };
    combine_at(tensor, &positions, &values, mode);
    Ok(())
}

/// A source without leading dimensions of size 1, of which so many are kept at least.
pub(crate) fn without_leading_ones(source: &Tensor, ndim: usize) -> Tensor {
    let mut layout = source.layout().clone();
    while layout.ndim() > ndim && layout.shape.first() == Some(&1) {
        layout = layout.squeeze(0);
    }
    source.with_layout(layout)
}
