//! An element of a tensor at one moment: its value then, and the operation that made it.

use std::rc::Rc;

use super::rounds::Rounds;
use crate::tensor::layout::unravel;
use crate::tensor::{Arg, Layout, Record, Tensor};

/// An element of a tensor at one version of its storage.
#[derive(Clone)]
pub(crate) struct StorageElement {
    pub(crate) tensor: Tensor,
    /// Its place in the storage.
    pub(crate) at: usize,
    /// The version of the storage.
    pub(crate) time: u64,
    /// The round of a loop that it is of.
    pub(crate) rounds: Rounds,
}

pub(crate) enum ElementCause {
    /// A result of an operation.
    MadeBy(MadeBy),
    /// No recorded operation.
    Unknown,
    /// An in-place write whose record was dropped.
    Forgotten,
}

/// The operation that made an element, and which element of its result it is.
pub(crate) struct MadeBy {
    pub(crate) record: Rc<Record>,
    pub(crate) output: usize,
    /// The element's index in that result.
    pub(crate) index: Vec<usize>,
    /// For an in-place write, its target before the write.
    pub(crate) before: Option<PastOperand>,
    /// The round of a loop in which it ran.
    pub(crate) rounds: Rounds,
}

/// A tensor as it was when an operation ran.
#[derive(Clone)]
pub(crate) struct PastOperand {
    pub(crate) tensor: Tensor,
    /// The version of its storage at that moment.
    pub(crate) time: u64,
    /// The round of a loop that it is of.
    pub(crate) rounds: Rounds,
    /// Which argument of the operation it was, and which tensor of that argument if it is a list.
    pub(crate) place: (usize, usize),
}

/// The place in the storage of the element at this index.
pub(crate) fn position(layout: &Layout, index: &[usize]) -> usize {
    layout.offset + index.iter().zip(&layout.strides).map(|(at, stride)| at * stride).sum::<usize>()
}

impl StorageElement {
    pub(crate) fn now(tensor: &Tensor, index: &[usize]) -> StorageElement {
        let time = tensor.storage().version();
        StorageElement {
            tensor: tensor.clone(),
            at: position(tensor.layout(), index),
            time,
            rounds: Rounds::default(),
        }
    }

    /// Its value; `None` if it was overwritten and not kept.
    pub(crate) fn value(&self) -> Option<f64> {
        self.tensor.storage().float_at(self.at, self.time)
    }

    pub(crate) fn cause(&self) -> ElementCause {
        let storage = self.tensor.storage();
        if let Some(write) = storage.last_write(self.at, self.time) {
            let (time, layout) = (write.version - 1, write.target().clone());
            let Some(index) = layout.index_of(self.at) else { return ElementCause::Unknown };
            let rounds = self.rounds.clone();
            let before = write.in_place.then(|| PastOperand {
                tensor: self.tensor.with_layout(layout),
                time,
                rounds: rounds.clone(),
                place: (0, 0),
            });
            return ElementCause::MadeBy(MadeBy { record: write.record, output: 0, index, before, rounds });
        }
        if storage.forgot_before(self.time) {
            return ElementCause::Forgotten;
        }
        let made = storage.made();
        let placed = made.and_then(|made| made.layout().index_of(self.at).map(|index| (made, index)));
        match placed {
            Some((made, index)) => {
                let rounds = self.rounds.clone();
                let (record, output) = (made.record, made.output);
                ElementCause::MadeBy(MadeBy { record, output, index, before: None, rounds })
            }
            None => ElementCause::Unknown,
        }
    }
}

impl MadeBy {
    /// The tensor in this place of the arguments.
    pub(crate) fn operand(&self, place: usize) -> Option<PastOperand> {
        let is_listed = matches!(self.record.args().get(place), Some(Arg::Tensors(_)));
        self.operands(place).into_iter().next().filter(|_| !is_listed)
    }

    /// Whether all its operands are known as they were when it ran.
    pub(crate) fn is_kept(&self) -> bool {
        let places = self.record.args().len();
        (0..places).all(|place| self.operands(place).iter().all(PastOperand::is_kept))
    }

    /// The tensors of the list in this place of the arguments.
    pub(crate) fn operands(&self, place: usize) -> Vec<PastOperand> {
        if let (0, Some(before)) = (place, &self.before) {
            return vec![before.clone()];
        }
        let args = self.record.args();
        let ahead: usize = args.iter().take(place).map(|arg| arg.tensors().len()).sum();
        let tensors = args.get(place).map(Arg::tensors).unwrap_or_default();
        tensors
            .iter()
            .enumerate()
            .map(|(at, tensor)| self.seen(tensor.clone(), ahead + at, (place, at)))
            .collect()
    }

    fn seen(&self, tensor: Tensor, ordinal: usize, place: (usize, usize)) -> PastOperand {
        let aliased = self.before.as_ref().filter(|before| before.tensor.storage().same(tensor.storage()));
        let recorded = || self.record.versions.get(ordinal).copied().unwrap_or(u64::MAX);
        let time = aliased.map_or_else(recorded, |before| before.time);
        PastOperand { time, tensor, rounds: self.rounds.clone(), place }
    }
}

impl PastOperand {
    /// A tensor at this version of its storage.
    pub(crate) fn of_version(tensor: Tensor, time: u64) -> PastOperand {
        PastOperand { tensor, time, rounds: Rounds::default(), place: (0, 0) }
    }

    pub(crate) fn at(&self, index: &[usize]) -> StorageElement {
        StorageElement {
            tensor: self.tensor.clone(),
            at: position(self.tensor.layout(), index),
            time: self.time,
            rounds: self.rounds.clone(),
        }
    }

    /// The value at this index then; its present value if the earlier one was not kept.
    pub(crate) fn value(&self, index: &[usize]) -> f64 {
        let element = self.at(index);
        element.value().unwrap_or_else(|| self.tensor.storage().read().float(element.at))
    }

    /// Whether its elements are known as they were then. A write changes all of a parameter, so the first one tells.
    pub(crate) fn is_kept(&self) -> bool {
        self.tensor.numel() == 0 || self.at(&vec![0; self.tensor.ndim()]).value().is_some()
    }

    /// The index of its element at `index` of a result that it was broadcast to.
    pub(crate) fn broadcast(&self, index: &[usize]) -> Vec<usize> {
        let shape = self.tensor.shape();
        let lead = index.len().saturating_sub(shape.len());
        shape.iter().zip(&index[lead..]).map(|(&size, &at)| if size == 1 { 0 } else { at }).collect()
    }

    /// The indices along an axis, the others fixed by `lead`.
    pub(crate) fn line(&self, lead: &[usize], axis: usize) -> Vec<Vec<usize>> {
        let size = self.tensor.shape().get(axis).copied().unwrap_or(1);
        let along = |at| {
            let mut index = lead.to_vec();
            if self.tensor.ndim() > 0 {
                index.insert(axis, at);
            }
            index
        };
        (0..size).map(along).collect()
    }

    /// The values along an axis, the other indices fixed.
    pub(crate) fn row(&self, lead: &[usize], axis: usize) -> Vec<f64> {
        self.line(lead, axis).iter().map(|index| self.value(index)).collect()
    }

    /// All values at that time, row-major.
    pub(crate) fn values(&self) -> Vec<f64> {
        if self.time >= self.tensor.storage().version() {
            return self.tensor.to_f64_vec();
        }
        indices(self.tensor.shape()).iter().map(|index| self.value(index)).collect()
    }

    /// A copy of its values at that time, with no history.
    pub(crate) fn snapshot(&self) -> Tensor {
        if self.time >= self.tensor.storage().version() {
            return self.tensor.alias();
        }
        let wide = Tensor::new(
            crate::tensor::Buffer::F64(self.values()),
            self.tensor.shape(),
            crate::tensor::DType::Float64,
        );
        crate::tensor::ops::cast::to_dtype(&wide, self.tensor.dtype())
    }
}

/// All indices of a shape, row-major.
pub(crate) fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let count: usize = shape.iter().product();
    (0..count).map(|flat| unravel(flat, shape)).collect()
}
