//! Small tensors of zeros in place of operands, to try a fix on.

use std::collections::BTreeMap;

use crate::tensor::{Arg, Tensor};

/// Sizes up to this are kept.
const SMALL: usize = 8;

/// Which small size replaces which size. It is the same for all operands, so that equal sizes stay equal.
pub(super) struct ScratchShapes {
    small: BTreeMap<usize, usize>,
}

impl ScratchShapes {
    /// For operands of these shapes.
    pub(super) fn new<'t>(tensors: impl IntoIterator<Item = &'t Tensor>) -> ScratchShapes {
        let mut small: BTreeMap<usize, usize> =
            tensors.into_iter().flat_map(|tensor| tensor.shape().to_vec()).map(|size| (size, size)).collect();
        let mut next = SMALL;
        for (size, stands) in &mut small {
            if *size > SMALL {
                next += 1;
                *stands = next;
            }
        }
        ScratchShapes { small }
    }

    /// Zeros in a small copy of this tensor's shape, of its dtype.
    pub(super) fn zeros(&self, tensor: &Tensor) -> Option<Tensor> {
        let shape: Vec<usize> = tensor.shape().iter().map(|size| self.small[size]).collect();
        Tensor::zeros(shape, tensor.dtype()).ok()
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
        self.small.iter().find(|(_, stands)| **stands == small).map(|(size, _)| *size)
    }

    /// A shape with the operands' own sizes; `None` if one of its sizes is none of theirs.
    pub(super) fn shape(&self, tensor: &Tensor) -> Option<Vec<usize>> {
        tensor.shape().iter().map(|&size| self.whole(size)).collect()
    }
}

/// `(6,2)`; `(6,)` of one dimension, as Python writes it.
pub(super) fn tuple(shape: &[usize]) -> String {
    crate::tensor::show::tuple_repr(shape).replace(", ", ",")
}
