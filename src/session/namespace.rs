//! The namespace between cells: its tensors, and which of them a cell bound or changed in place.
//! Reads names and versions; never runs Python.

use rustpython_vm::{
    AsObject, PyObjectRef, VirtualMachine,
    builtins::{PyDict, PyStr},
};

use crate::{tensor::Tensor, torch};

/// A tensor of the namespace, by name.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name it is bound to.
    pub name: String,
    /// The tensor.
    pub value: Tensor,
}

/// The learner's own names, in the order in which they were bound, with what they are bound to.
pub(super) fn entries(globals: &PyDict) -> Vec<(String, PyObjectRef)> {
    let mut found = Vec::new();
    for (name, value) in globals {
        if let Some(name) = name.downcast_ref::<PyStr>() {
            let name = name.as_wtf8().to_string_lossy();
            if !name.starts_with('_') {
                found.push((name.into_owned(), value));
            }
        }
    }
    found
}

/// The tensors among them.
pub(super) fn tensors(globals: &PyDict, vm: &VirtualMachine) -> Vec<Variable> {
    let tensor = |(name, value): (String, PyObjectRef)| {
        torch::tensor_value(&value, vm).map(|value| Variable { name, value })
    };
    entries(globals).into_iter().filter_map(tensor).collect()
}

/// What every name was bound to at one moment, and how often its elements had been written to.
///
/// It holds the objects, so that none of their ids can come to mean another object meanwhile.
pub(super) struct Moment(Vec<(String, PyObjectRef, Option<u64>)>);

impl Moment {
    pub(super) fn of(globals: &PyDict, vm: &VirtualMachine) -> Moment {
        let version =
            |value: &PyObjectRef| torch::tensor_value(value, vm).map(|tensor| tensor.storage().version());
        let entry = |(name, value): (String, PyObjectRef)| {
            let written = version(&value);
            (name, value, written)
        };
        Moment(entries(globals).into_iter().map(entry).filter(|(.., written)| written.is_some()).collect())
    }

    /// The tensors that were bound or written to since; `order` names what the cell binds, as it stands there.
    pub(super) fn changes(&self, globals: &PyDict, order: &[String], vm: &VirtualMachine) -> Vec<Variable> {
        let now = entries(globals).into_iter().filter_map(|(name, object)| {
            let value = torch::tensor_value(&object, vm)?;
            let before = self.0.iter().find(|(other, ..)| *other == name);
            let same = before.is_some_and(|(_, before, written)| {
                before.is(&object) && *written == Some(value.storage().version())
            });
            (!same).then_some(Variable { name, value })
        });
        let mut changed: Vec<Variable> = now.collect();
        let place = |variable: &Variable| order.iter().rposition(|name| *name == variable.name);
        changed.sort_by_key(|variable| place(variable).unwrap_or(usize::MAX));
        changed
    }
}
