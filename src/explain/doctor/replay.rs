//! Computes recorded tensors again from changed ones: what would the scores be if all tokens were equal?
//! Only operations of the table run, in a state of their own; nothing of the session is read or written.

use std::collections::HashMap;
use std::rc::Rc;

use super::flow::origin;
use crate::ops::repeated;
use crate::tensor::explanation::Explanation;
use crate::tensor::ops::copy;
use crate::tensor::{Arg, Record, Tensor, index};

/// The most operations between a result and what was changed.
const DEEPEST: usize = 200;
/// The most operations that one replay runs.
const MOST_OPERATIONS: usize = 400;
/// The largest tensor that is computed again.
const LARGEST: usize = 1 << 18;

/// A replay: some tensors have other values, and what was computed from them is computed again.
#[derive(Default)]
pub(super) struct Replay {
    /// The new tensor for each old one, by its number; the same one where nothing changed.
    known: HashMap<usize, Tensor>,
    /// The old tensors, so that their numbers stay theirs.
    old: Vec<Tensor>,
    /// The operations that first made tensors which were written into, and whether the last write is repeated, by their numbers.
    made: HashMap<usize, (Rc<Record>, bool)>,
    examined: usize,
}

impl Replay {
    /// Gives a tensor other values.
    pub(super) fn given(mut self, old: &Tensor, new: Tensor) -> Replay {
        self.known.insert(old.id(), new);
        self.old.push(old.clone());
        self
    }

    /// Takes tensors that were written into as these operations first made them, and repeats the last write where that is said.
    pub(super) fn made_by(mut self, first: &[(bool, Tensor, Rc<Record>)]) -> Replay {
        self.made
            .extend(first.iter().map(|(is_read, tensor, record)| (tensor.id(), (record.clone(), *is_read))));
        self
    }

    /// A tensor as it would be; the tensor itself if it does not depend on what was changed. Nothing if an operation on
    /// the way cannot be repeated.
    pub(super) fn of(&mut self, tensor: &Tensor) -> Option<Tensor> {
        self.at_depth(tensor, 0)
    }

    fn at_depth(&mut self, tensor: &Tensor, depth: usize) -> Option<Tensor> {
        if let Some(known) = self.known.get(&tensor.id()) {
            return Some(known.clone());
        }
        self.examined += 1;
        if depth > DEEPEST || self.examined > MOST_OPERATIONS || tensor.numel() > LARGEST {
            return None;
        }
        let (made, is_read) = match self.made.get(&tensor.id()).cloned() {
            Some((record, is_read)) => (Some(record), is_read),
            None => (origin(tensor), false),
        };
        let mut new = self.made_anew(tensor, made, None, depth)?;
        if is_read {
            // Until then operations read what was there before.
            self.known.insert(tensor.id(), new.clone());
            let before = Some(new).filter(|it| !it.is(tensor));
            new = self.made_anew(tensor, origin(tensor), before, depth)?;
        }
        self.known.insert(tensor.id(), new.clone());
        self.old.push(tensor.clone());
        Some(new)
    }

    /// The result of an operation; the tensor itself if it does not depend on what was changed. What an operation writes into was
    /// `before`, if that is given.
    fn made_anew(
        &mut self,
        tensor: &Tensor,
        by: Option<Rc<Record>>,
        before: Option<Tensor>,
        depth: usize,
    ) -> Option<Tensor> {
        let results = match by {
            Some(record) if record.operation.explanation == Explanation::Assignment => {
                return self.assigned(tensor, &record, depth);
            }
            Some(record) => self.results(&record, before, depth)?,
            None => None,
        };
        results.map_or(Some(tensor.clone()), |it| it.get(tensor.output_index()).cloned())
    }

    /// A new tensor into which something was written once, such as zeros that take the tokens before.
    fn assigned(&mut self, tensor: &Tensor, record: &Record, depth: usize) -> Option<Tensor> {
        let args = record.args();
        // Numbers, and what is forgotten, do not depend on what was changed.
        let (Some(Arg::Tensor(value)), Some(Arg::Index(places))) = (args.get(1), args.get(2)) else {
            return Some(tensor.clone());
        };
        // A part of it, such as the filled part of a cache, may have other places.
        let is_new = tensor.storage().version() == 1
            && tensor.is_contiguous()
            && tensor.numel() == tensor.storage().read().len()
            && tensor
                .storage()
                .made()
                .is_some_and(|it| matches!(it.record.operation.explanation, Explanation::Constant(_)));
        if !is_new {
            return None;
        }
        let new = self.at_depth(value, depth + 1)?;
        if new.is(value) {
            return Some(tensor.clone());
        }
        let written = copy(tensor);
        index::put(&written, places, &new, false).ok()?;
        Some(written)
    }

    /// The results of an operation; none if they do not depend on what was changed.
    #[allow(clippy::option_option)]
    fn results(
        &mut self,
        record: &Record,
        before: Option<Tensor>,
        depth: usize,
    ) -> Option<Option<Vec<Tensor>>> {
        let mut is_changed = before.is_some();
        let mut again = |tensor: &Tensor| {
            let new = self.at_depth(tensor, depth + 1)?;
            is_changed |= !new.is(tensor);
            Some(new)
        };
        let mut args: Vec<Arg> = before.into_iter().map(Arg::Tensor).collect();
        for arg in record.args().into_iter().skip(args.len()) {
            args.push(match arg {
                Arg::Tensor(tensor) => Arg::Tensor(again(&tensor)?),
                Arg::Tensors(tensors) => Arg::Tensors(tensors.iter().map(&mut again).collect::<Option<_>>()?),
                other => other,
            });
        }
        if !is_changed {
            return Some(None);
        }
        if record.drawn.is_some() {
            // Dropout is skipped, as in evaluation mode.
            return Some(args.first().and_then(Arg::tensor).map(|input| vec![input.clone()]));
        }
        let results: Vec<Tensor> = repeated(record, args)?.tensors().into_iter().cloned().collect();
        Some(Some(results))
    }
}

/// A tensor in which all tokens of all samples are one of them: each row along the last axis is the first that is not 0, as
/// padding is.
pub(super) fn with_equal_tokens(tensor: &Tensor) -> Option<Tensor> {
    let width = *tensor.shape().last()?;
    if tensor.ndim() < 2 || tensor.numel() == 0 || tensor.numel() > LARGEST || !tensor.dtype().is_float() {
        return None;
    }
    let values = tensor.to_f64_vec();
    let first = values.chunks(width).position(|row| row.iter().any(|it| *it != 0.0))? * width;
    let equal: Vec<usize> = (0..values.len()).map(|at| first + at % width).collect();
    Some(Tensor::new(tensor.to_buffer().pick(&equal), tensor.shape(), tensor.dtype()))
}
