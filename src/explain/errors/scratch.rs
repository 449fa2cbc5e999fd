//! Small tensors of zeros in place of operands, to try a fix on.

use std::collections::BTreeMap;

use crate::explain::doctor::axis_in_operand;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::{Arg, Tensor};

/// Sizes up to this are kept.
const SMALL: usize = 8;

/// How many views are followed back to where an axis comes from.
const VIEWS: usize = 16;

/// An axis by its size, and by its place if it counts the matrices of a batch.
type AxisKey = (usize, Option<usize>);

/// Which small size replaces which size. It is the same for all operands, so that equal sizes stay equal; but an axis
/// of the batch that is as long as another axis of the same tensor gets a size of its own.
pub(super) struct ScratchShapes {
    small: BTreeMap<AxisKey, usize>,
    /// The axes of operands with a batch.
    batches: Vec<Vec<AxisKey>>,
}

impl ScratchShapes {
    /// For operands of these shapes.
    pub(super) fn new<'t>(tensors: impl IntoIterator<Item = &'t Tensor>) -> ScratchShapes {
        ScratchShapes::of(tensors.into_iter().map(axis_keys).collect())
    }

    /// For operands whose shapes fit already: the size of an axis decides alone.
    pub(super) fn by_size<'t>(tensors: impl IntoIterator<Item = &'t Tensor>) -> ScratchShapes {
        let keys = |tensor: &Tensor| tensor.shape().iter().map(|size| (*size, None)).collect();
        ScratchShapes::of(tensors.into_iter().map(keys).collect())
    }

    fn of(keys: Vec<Vec<AxisKey>>) -> ScratchShapes {
        let is_ambiguous = |(size, place): AxisKey| {
            let other = |key: &AxisKey| key.0 == size && key.1 != place;
            keys.iter().any(|keys| keys.contains(&(size, place)) && keys.iter().any(other))
        };
        let apart =
            |(size, place): AxisKey| (size, place.filter(|_| size > 1 && is_ambiguous((size, place))));
        let mut small: BTreeMap<AxisKey, usize> =
            keys.iter().flatten().map(|key| (apart(*key), key.0)).collect();
        let mut next = SMALL;
        for ((size, place), stands) in &mut small {
            if *size > SMALL || place.is_some() {
                next += 1;
                *stands = next;
            }
        }
        let has_batch = |keys: &Vec<AxisKey>| keys.iter().any(|(_, place)| place.is_some());
        ScratchShapes { small, batches: keys.into_iter().filter(has_batch).collect() }
    }

    /// Zeros in a small copy of this tensor's shape, of its dtype.
    pub(super) fn zeros(&self, tensor: &Tensor) -> Option<Tensor> {
        let small = |key: AxisKey| self.small.get(&key).or_else(|| self.small.get(&(key.0, None))).copied();
        // A value for each token of each text has the first axes of an operand with a batch.
        let sizes = |keys: &[AxisKey]| keys.iter().map(|key| key.0).collect::<Vec<_>>();
        let is_leading = |keys: &&[AxisKey]| sizes(keys) == tensor.shape();
        let mut leading = self.batches.iter().filter(|_| tensor.ndim() == 2).filter_map(|keys| keys.get(..2));
        let keys = leading.find(is_leading).map_or_else(|| axis_keys(tensor), <[AxisKey]>::to_vec);
        let shape: Option<Vec<usize>> = keys.into_iter().map(small).collect();
        Tensor::zeros(shape?, tensor.dtype()).ok()
    }

    /// A call's arguments with zeros in place of its tensors.
    pub(super) fn args(&self, args: &[Arg]) -> Option<Vec<Arg>> {
        let one = |arg: &Arg| {
            Some(match arg {
                Arg::Tensor(tensor) => Arg::Tensor(self.zeros(tensor)?),
                Arg::Tensors(tensors) => {
                    Arg::Tensors(tensors.iter().map(|tensor| self.zeros(tensor)).collect::<Option<_>>()?)
                }
                other => other.clone(),
            })
        };
        args.iter().map(one).collect()
    }

    /// The size that a small one replaces.
    fn whole(&self, small: usize) -> Option<usize> {
        if small <= 1 {
            return Some(small);
        }
        self.small.iter().find(|(_, stands)| **stands == small).map(|((size, _), _)| *size)
    }

    /// A shape with the operands' own sizes; `None` if one of its sizes is none of theirs.
    pub(super) fn shape(&self, tensor: &Tensor) -> Option<Vec<usize>> {
        tensor.shape().iter().map(|&size| self.whole(size)).collect()
    }
}

/// The axes of a tensor. All but the last two of a tensor that was not made by moving axes count matrices; views and copies
/// are followed back to it.
fn axis_keys(tensor: &Tensor) -> Vec<AxisKey> {
    let ndim = tensor.ndim();
    tensor.shape().iter().enumerate().map(|(at, size)| (*size, place_in_batch(tensor, ndim - at))).collect()
}

/// The place of an axis, counted from the end, among the axes that count matrices.
fn place_in_batch(tensor: &Tensor, mut axis: usize) -> Option<usize> {
    let mut tensor = tensor.clone();
    for _ in 0..VIEWS {
        let Some(record) = tensor.origin() else { break };
        let is_moved = matches!(record.operation.family, OpFamily::View | OpFamily::Copy | OpFamily::Cast);
        let args = record.args();
        let Some(base) = args.first().and_then(Arg::tensor).filter(|_| is_moved) else { break };
        axis = axis_in_operand(&record, base, tensor.shape(), axis)?;
        tensor = base.clone();
    }
    (axis > 2).then(|| tensor.ndim() - axis)
}

/// `(6,2)`; `(6,)` of one dimension, as Python writes it.
pub(super) fn tuple(shape: &[usize]) -> String {
    crate::tensor::show::tuple_repr(shape).replace(", ", ",")
}
