//! The tensors that functions gave a name to, call by call.

use std::collections::HashSet;
use std::rc::Rc;

use super::names::{TensorNames, is_step};
use crate::tensor::{Arg, Record, Tensor};

/// A tensor to which a function gave a name.
#[derive(Clone)]
pub(crate) struct LocalTensor {
    /// The function: `CausalAttention.forward`.
    pub(crate) function: String,
    /// Which of the function's calls it was, from 1 on.
    pub(crate) call: usize,
    /// The name in it: `attn_scores`.
    pub(crate) name: String,
    pub(crate) tensor: Tensor,
}

impl TensorNames {
    /// The tensors that functions gave a name to, as far as the tensors of the session were computed from them, in the
    /// order in which they got it.
    pub(crate) fn locals(&self) -> Vec<LocalTensor> {
        let mut found: Vec<(u64, LocalTensor)> = Vec::new();
        let mut add = |record: &Record, name: String, tensor: &Tensor| {
            let Some(site) = &record.site else { return };
            let Some(function) = self.code.function(site) else { return };
            let local = LocalTensor { function, call: site.call, name, tensor: tensor.clone() };
            found.push((record.number, local));
        };
        let mut tensors: Vec<Tensor> = Vec::new();
        let (mut seen, mut ran): (HashSet<usize>, HashSet<u64>) = (HashSet::new(), HashSet::new());
        // What the same expression computed with is not what its statement names, nor are the old values of what an
        // in-place operation wrote to.
        let mut steps: HashSet<usize> = HashSet::new();
        let mut open: Vec<Tensor> = self.bound.iter().map(|(_, tensor)| tensor.clone()).collect();
        while let Some(tensor) = open.pop() {
            if !seen.insert(tensor.id()) {
                continue;
            }
            let (origin, storage) = (tensor.origin(), tensor.storage());
            let filled = storage.made().map(|made| made.record);
            for record in origin.clone().into_iter().chain(filled).chain(storage.written_by()) {
                if !ran.insert(record.number) {
                    continue;
                }
                let args = record.args();
                for (place, arg) in args.iter().enumerate() {
                    for (item, operand) in arg.tensors().iter().enumerate() {
                        // An element of a list is no variable.
                        let name = self.code.variable(&record, place, item);
                        let Some(name) = name.filter(|name| !name.contains('[')) else { continue };
                        // What an in-place operation writes to is the same tensor after it.
                        if !record.in_place || place > 0 {
                            add(&record, name, operand);
                        } else if origin.as_ref().is_some_and(|origin| Rc::ptr_eq(origin, &record)) {
                            add(&record, name, &tensor);
                        }
                    }
                }
                let old = args.first().and_then(Arg::tensor).filter(|_| record.in_place);
                steps.extend(old.filter(|old| !old.storage().same(storage)).map(Tensor::id));
                let operands = args.iter().flat_map(Arg::tensors);
                steps.extend(operands.clone().filter(|it| is_step(it, Some(&record))).map(Tensor::id));
                open.extend(operands.cloned());
            }
            tensors.push(tensor);
        }
        for tensor in tensors.iter().filter(|tensor| !steps.contains(&tensor.id())) {
            if let Some((maker, name)) = self.maker(tensor) {
                add(&maker, name, tensor);
            }
        }
        found.sort_by_key(|(number, _)| *number);
        let mut known: HashSet<(usize, String, usize, String)> = HashSet::new();
        let mut is_new =
            |it: &LocalTensor| known.insert((it.tensor.id(), it.function.clone(), it.call, it.name.clone()));
        found.into_iter().map(|(_, local)| local).filter(|it| is_new(it)).collect()
    }
}
