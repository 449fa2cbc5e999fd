//! Shape, strides and offset: they map the index of an element to its position in the storage. Views change only these.
//! Source: the rules of ATen's `TensorUtils`.

use smallvec::{SmallVec, smallvec};

use super::error::{Error, ErrorFact, Result, refuse_if};
use crate::kernel::elementwise::Strided;
pub(crate) use crate::kernel::index::{ravel, unravel};
use crate::kernel::index::{sort_dimensions, strided_position};

/// A shape or strides. Those of up to four dimensions need no memory of their own.
pub type Sizes = SmallVec<[usize; 4]>;

/// Shape, strides (in elements) and offset of a view on a storage.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Elements along each dimension.
    pub shape: Sizes,
    /// Distance of neighbours along each dimension in storage elements; 0 where expanded.
    pub strides: Sizes,
    /// Position in the storage of index (0, 0, ...).
    pub offset: usize,
}

/// Strides of a row-major tensor of this shape.
pub(crate) fn row_major(shape: &[usize]) -> Sizes {
    let mut strides = smallvec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}

/// `dim` of an `ndim`-dimensional tensor as an index from the front; 0-d counts as one dimension.
pub(crate) fn wrap_dim(dim: i64, ndim: usize) -> Result<usize> {
    let ends = ndim.max(1) as i64;
    if dim < -ends || dim >= ends {
        return Err(Error::dim_range(dim, ndim));
    }
    Ok(if dim < 0 { dim + ends } else { dim } as usize)
}

/// The dim that softmax takes if none is given: the first one of vectors and batches of matrices, else the second.
pub(crate) fn implicit_dim(ndim: usize) -> i64 {
    i64::from(!matches!(ndim, 0 | 1 | 3))
}

/// Dims as indices from the front, each at most once. As PyTorch's `dim_list_to_bitset`.
pub(crate) fn wrap_dims(dims: &[i64], ndim: usize) -> Result<Vec<usize>> {
    let mut wrapped = Vec::with_capacity(dims.len());
    for &dim in dims {
        let axis = wrap_dim(dim, ndim)?;
        refuse_if!(wrapped.contains(&axis), "dim {axis} appears multiple times in the list of dims");
        wrapped.push(axis);
    }
    Ok(wrapped)
}

/// Returns the shape two operands broadcast to. Errors: they do not.
pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>> {
    if a == b {
        return Ok(a.to_vec());
    }
    let ndim = a.len().max(b.len());
    let mut shape = vec![1; ndim];
    for axis in (0..ndim).rev() {
        let at = |s: &[usize]| (axis + s.len()).checked_sub(ndim).map_or(1, |i| s[i]);
        shape[axis] = match (at(a), at(b)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => return Err(Error::broadcast(a, b, axis)),
        };
    }
    Ok(shape)
}

/// The sizes of `view`/`reshape` with -1 inferred. As PyTorch's `infer_size`.
pub(crate) fn infer_size(wanted: &[i64], elements: usize) -> Result<Vec<usize>> {
    let invalid = || {
        Error::runtime(format!("shape '{wanted:?}' is invalid for input of size {elements}"))
            .about(ErrorFact::ElementCount)
    };
    let mut known: usize = 1;
    let mut free = None;
    for (axis, &size) in wanted.iter().enumerate() {
        match size {
            -1 if free.is_some() => {
                return Err(Error::runtime("only one dimension can be inferred"));
            }
            -1 => free = Some(axis),
            size if size < 0 => {
                return Err(Error::runtime(format!("invalid shape dimension {size}")));
            }
            size => known = known.checked_mul(size as usize).ok_or_else(invalid)?,
        }
    }
    let mut shape: Vec<usize> = wanted.iter().map(|&size| size.max(0) as usize).collect();
    match free {
        Some(_) if known == 0 && elements == 0 => {
            return Err(Error::runtime(format!(
                "cannot reshape tensor of 0 elements into shape {wanted:?} because the unspecified dimension size -1 \
                 can be any value and is ambiguous"
            )));
        }
        Some(axis) if known > 0 && elements.is_multiple_of(known) => shape[axis] = elements / known,
        None if known == elements => {}
        _ => return Err(invalid()),
    }
    Ok(shape)
}

/// The dimensions from the slowest to the fastest in a loop over these operands in memory order; ties stay row-major.
/// Source: ATen's `TensorIterator::reorder_dimensions`.
pub(crate) fn iteration_order(shape: &[usize], operands: &[&[usize]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    // The faster one comes first.
    sort_dimensions(&mut order, |&a, &b| {
        for strides in operands {
            match (strides[a], strides[b]) {
                (0, _) | (_, 0) => {}
                (x, y) if x < y => return -1,
                (x, y) if x > y => return 1,
                _ if shape[a] > shape[b] => return 1,
                _ => {}
            }
        }
        0
    });
    order.reverse();
    order
}

/// A gapless layout with the dimensions in this order in memory, the slowest first.
pub(crate) fn ordered(shape: &[usize], order: &[usize]) -> Layout {
    let sizes: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
    let mut strides = smallvec![0; shape.len()];
    for (&axis, stride) in order.iter().zip(row_major(&sizes)) {
        strides[axis] = stride;
    }
    Layout { shape: shape.into(), strides, offset: 0 }
}

impl Clone for Layout {
    // A SmallVec clones its elements one by one.
    fn clone(&self) -> Self {
        let [shape, strides] = [&self.shape, &self.strides].map(|sizes| Sizes::from_slice(sizes));
        Layout { shape, strides, offset: self.offset }
    }
}

/// What two views of one storage have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    /// No element, or too hard to say.
    Nothing,
    /// All elements, each at the same index.
    Everything,
    /// Some elements, or all in another order.
    Some,
}

impl Layout {
    /// A row-major layout from storage element 0 on.
    pub(crate) fn contiguous(shape: impl AsRef<[usize]>) -> Self {
        let shape = Sizes::from_slice(shape.as_ref());
        Layout { strides: row_major(&shape), shape, offset: 0 }
    }

    /// The elements of a storage through this layout, for the kernel.
    pub(crate) fn strided<'a, T>(&'a self, data: &'a [T]) -> Strided<'a, T> {
        Strided { data, strides: &self.strides, offset: self.offset }
    }

    /// Number of dimensions.
    pub(crate) fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    pub(crate) fn numel(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the elements are row-major without gaps. As `Tensor.is_contiguous`.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        if self.numel() == 0 {
            return true;
        }
        for (&size, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if size != 1 {
                if stride != expected {
                    return false;
                }
                expected *= size;
            }
        }
        true
    }

    /// Whether several indices have the same element (an expanded view).
    pub(crate) fn overlaps(&self) -> bool {
        self.shape.iter().zip(&self.strides).any(|(&size, &stride)| size > 1 && stride == 0)
    }

    /// What the elements of two layouts of one storage have in common. Layouts with gaps are taken to share nothing, as
    /// PyTorch takes them. Source: ATen's `get_overlap_status`.
    pub(crate) fn shares(&self, other: &Layout) -> Shared {
        if self.numel() == 0 || other.numel() == 0 || !self.is_dense() || !other.is_dense() {
            return Shared::Nothing;
        }
        let (start, end) = (self.offset, self.offset + self.numel());
        let (from, to) = (other.offset, other.offset + other.numel());
        if end <= from || to <= start {
            Shared::Nothing
        } else if (start, end) == (from, to) && self.steps().eq(other.steps()) {
            Shared::Everything
        } else {
            Shared::Some
        }
    }

    /// Size and stride of each dimension with more than one element.
    fn steps(&self) -> impl Iterator<Item = (usize, usize)> {
        self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|&(size, _)| size > 1)
    }

    /// The storage element of element `flat` in row-major order.
    pub fn position(&self, flat: usize) -> usize {
        strided_position(flat, &self.shape, &self.strides, self.offset)
    }

    /// Dimensions `a` and `b` exchanged. View.
    pub(crate) fn transpose(&self, a: usize, b: usize) -> Layout {
        let mut out = self.clone();
        if !out.shape.is_empty() {
            out.shape.swap(a, b);
            out.strides.swap(a, b);
        }
        out
    }

    /// Dimensions in this order. View.
    pub(crate) fn permute(&self, dims: &[usize]) -> Layout {
        Layout {
            shape: dims.iter().map(|&dim| self.shape[dim]).collect(),
            strides: dims.iter().map(|&dim| self.strides[dim]).collect(),
            offset: self.offset,
        }
    }

    /// One index of a dimension, without the dimension. View.
    pub(crate) fn select(&self, axis: usize, index: usize) -> Layout {
        let mut out = self.clone();
        out.keep_index(axis, index);
        out
    }

    /// [`Layout::select`] in place.
    pub(super) fn keep_index(&mut self, axis: usize, index: usize) {
        self.offset += index * self.strides[axis];
        self.shape.remove(axis);
        self.strides.remove(axis);
    }

    /// `len` elements of a dimension from `start` on, `step` apart. View.
    pub(crate) fn slice(&self, axis: usize, start: usize, len: usize, step: usize) -> Layout {
        let mut out = self.clone();
        out.keep_slice(axis, start, len, step);
        out
    }

    /// [`Layout::slice`] in place.
    pub(super) fn keep_slice(&mut self, axis: usize, start: usize, len: usize, step: usize) {
        self.offset += start * self.strides[axis];
        self.shape[axis] = len;
        self.strides[axis] *= step;
    }

    /// With a dimension of size 1 before `axis`, whose stride is PyTorch's. View.
    pub(crate) fn unsqueeze(&self, axis: usize) -> Layout {
        let mut out = self.clone();
        let stride = if axis < self.ndim() { self.shape[axis] * self.strides[axis] } else { 1 };
        out.shape.insert(axis, 1);
        out.strides.insert(axis, stride);
        out
    }

    /// Without the dimension `axis`, which has size 1. View.
    pub(crate) fn squeeze(&self, axis: usize) -> Layout {
        let mut out = self.clone();
        out.shape.remove(axis);
        out.strides.remove(axis);
        out
    }

    /// Repeated without copying (stride 0) to `shape`, which it must broadcast to. View.
    pub(crate) fn broadcast_to(&self, shape: &[usize]) -> Layout {
        let lead = shape.len() - self.ndim();
        let mut strides = smallvec![0; shape.len()];
        for axis in 0..self.ndim() {
            if self.shape[axis] == shape[lead + axis] {
                strides[lead + axis] = self.strides[axis];
            }
        }
        Layout { shape: shape.into(), strides, offset: self.offset }
    }

    /// `sizes` as `Tensor.expand` takes them: -1 keeps a size, new dimensions come in front.
    /// `kind` names the tensor in errors.
    pub(crate) fn expand(&self, sizes: &[i64], kind: &str) -> Result<Layout> {
        let own = &self.shape;
        if sizes.len() < self.ndim() {
            return Err(Error::runtime(format!(
                "expand({kind}{{{own:?}}}, size={sizes:?}): the number of sizes provided ({}) must be greater or \
                 equal to the number of dimensions in the tensor ({})",
                sizes.len(),
                self.ndim()
            )).about(ErrorFact::TooManyDims));
        }
        let lead = sizes.len() - self.ndim();
        let mut shape: Sizes = smallvec![0; sizes.len()];
        let mut strides: Sizes = smallvec![0; sizes.len()];
        for (axis, &size) in sizes.iter().enumerate().rev() {
            let (have, stride) = match axis.checked_sub(lead) {
                Some(axis) => (self.shape[axis], self.strides[axis]),
                // A new dimension has the stride that it would have in a contiguous tensor.
                None if self.ndim() == 0 => (1, 0),
                None if axis + 1 < sizes.len() => (1, strides[axis + 1].saturating_mul(shape[axis + 1])),
                None => (1, 1),
            };
            let wanted = match size {
                -1 if axis < lead => {
                    return Err(Error::runtime(format!(
                        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {axis}"
                    )));
                }
                -1 => have,
                size => size as usize,
            };
            refuse_if!(
                have != wanted && (have != 1 || size < 0),
                "The expanded size of the tensor ({size}) must match the existing size ({have}) at non-singleton \
                     dimension {axis}.  Target sizes: {sizes:?}.  Tensor sizes: {own:?}"
            );
            shape[axis] = wanted;
            strides[axis] = if have == wanted { stride } else { 0 };
        }
        let elements =
            shape.iter().try_fold(1_i64, |product, &size| product.checked_mul(i64::try_from(size).ok()?));
        refuse_if!(elements.is_none() && !shape.contains(&0), "numel: integer multiplication overflow");
        Ok(Layout { shape, strides, offset: self.offset })
    }

    /// The diagonal of dimensions `a` and `b` as a new last dimension; `offset` counts above the
    /// main one. View.
    pub(crate) fn diagonal(&self, offset: i64, a: usize, b: usize) -> Layout {
        let (rows, columns) = (self.shape[a] as i64, self.shape[b] as i64);
        let len = if offset >= 0 { rows.min(columns - offset) } else { (rows + offset).min(columns) }.max(0);
        let mut out = self.clone();
        if len > 0 {
            out.offset += offset.unsigned_abs() as usize * self.strides[if offset >= 0 { b } else { a }];
        }
        for axis in [a.max(b), a.min(b)] {
            out.shape.remove(axis);
            out.strides.remove(axis);
        }
        out.shape.push(len as usize);
        out.strides.push(self.strides[a] + self.strides[b]);
        out
    }

    /// Windows of `size` elements along a dimension, `step` apart, as a new last dimension. View.
    pub(crate) fn unfold(&self, axis: usize, size: usize, step: usize) -> Layout {
        let mut out = self.clone();
        out.shape.push(size);
        out.strides.push(self.strides[axis]);
        out.shape[axis] = (self.shape[axis] - size) / step + 1;
        out.strides[axis] *= step;
        out
    }

    /// Whether the elements fill a range of the storage without gaps or overlaps. Dimensions of fewer than two elements
    /// do not matter. Source: ATen's `is_non_overlapping_and_dense`.
    pub(crate) fn is_dense(&self) -> bool {
        let mut order: Vec<usize> = (0..self.ndim()).filter(|&axis| self.shape[axis] > 1).collect();
        order.sort_by_key(|&axis| self.strides[axis]);
        let mut expected = 1;
        order.into_iter().all(|axis| {
            let fits = self.strides[axis] == expected;
            expected *= self.shape[axis];
            fits
        })
    }

    /// The layout of a copy that preserves the order in memory. As `clone`.
    pub fn preserved(&self) -> Layout {
        match self.is_dense() {
            true => Layout { shape: self.shape.clone(), strides: self.strides.clone(), offset: 0 },
            false => ordered(&self.shape, &iteration_order(&self.shape, &[&self.strides])),
        }
    }

    /// The elements of a row-major tensor in its storage. An empty one may begin after the end of it.
    pub(crate) fn run(&self) -> std::ops::Range<usize> {
        match self.numel() {
            0 => 0..0,
            count => self.offset..self.offset + count,
        }
    }

    /// The same elements in another shape, if that is possible without copying. View.
    /// Source: ATen's `computeStride`.
    pub(crate) fn view(&self, shape: &[usize]) -> Option<Layout> {
        if self.numel() == 0 {
            let strides = if *self.shape == *shape { self.strides.clone() } else { row_major(shape) };
            return Some(Layout { shape: shape.into(), strides, offset: self.offset });
        }
        let mut strides: Sizes = smallvec![0; shape.len()];
        let mut view_axis = shape.len();
        // From the last dimension on, over chunks of dimensions without gaps.
        let mut chunk_stride = self.strides.last().copied().unwrap_or(1);
        let (mut chunk, mut viewed) = (1, 1);
        for axis in (0..self.ndim()).rev() {
            chunk *= self.shape[axis];
            let ends =
                axis == 0 || (self.shape[axis - 1] != 1 && self.strides[axis - 1] != chunk * chunk_stride);
            if ends {
                while view_axis > 0 && (viewed < chunk || shape[view_axis - 1] == 1) {
                    view_axis -= 1;
                    strides[view_axis] = viewed * chunk_stride;
                    viewed *= shape[view_axis];
                }
                if viewed != chunk {
                    return None;
                }
                if axis > 0 {
                    chunk_stride = self.strides[axis - 1];
                    (chunk, viewed) = (1, 1);
                }
            }
        }
        if self.ndim() == 0 {
            strides.fill(1);
            view_axis = 0;
        }
        (view_axis == 0).then(|| Layout { shape: shape.into(), strides, offset: self.offset })
    }

    /// [`Layout::view`], or the error PyTorch's `view` raises.
    pub(crate) fn view_or_error(&self, shape: &[usize]) -> Result<Layout> {
        self.view(shape).ok_or_else(|| {
            Error::runtime(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans \
                 across two contiguous subspaces). Use .reshape(...) instead.",
            )
        })
    }

    /// One past the last storage element, or the offset if there are no elements.
    pub(crate) fn end(&self) -> usize {
        if self.numel() == 0 {
            return self.offset;
        }
        let last: usize =
            self.shape.iter().zip(&self.strides).map(|(&size, &stride)| (size - 1) * stride).sum();
        self.offset + last + 1
    }

    /// Whether some index has storage element `at`.
    pub fn contains(&self, at: usize) -> bool {
        self.index_of(at).is_some()
    }

    /// The first index of storage element `at`, if there is one.
    pub(crate) fn index_of(&self, at: usize) -> Option<Vec<usize>> {
        if self.numel() == 0 {
            return None;
        }
        let mut rest = at.checked_sub(self.offset)?;
        // The largest stride first; the smaller ones make up the remainder.
        let mut order: Vec<usize> = (0..self.ndim()).collect();
        order.sort_by_key(|&axis| std::cmp::Reverse(self.strides[axis]));
        let mut index = vec![0; self.ndim()];
        for axis in order {
            if let Some(most) = rest.checked_div(self.strides[axis]) {
                index[axis] = most.min(self.shape[axis] - 1);
                rest -= index[axis] * self.strides[axis];
            }
        }
        (rest == 0).then_some(index)
    }
}
