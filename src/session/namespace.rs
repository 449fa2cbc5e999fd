//! The variables of the session, and which tensors a cell bound or changed in place.
//! Reads names and storage versions; runs no Python code.

use std::collections::HashMap;

use rustpython_vm::{
    AsObject, Py, PyObjectRef, VirtualMachine,
    builtins::{PyDict, PyStr},
};

use crate::{numpy, tensor::Tensor};

/// A tensor with the name or the path that leads to it.
#[derive(Clone)]
pub struct Variable {
    /// The name it is bound to, or its path: `sa_v2.W_key.weight`.
    pub name: String,
    pub value: Tensor,
}

/// The entries of a dict whose keys are strings.
pub(super) fn string_entries(dict: &PyDict) -> Vec<(String, PyObjectRef)> {
    let entry = |(key, value): (PyObjectRef, PyObjectRef)| {
        let key = key.downcast_ref::<PyStr>()?.as_wtf8().to_string_lossy().into_owned();
        Some((key, value))
    };
    dict.into_iter().filter_map(entry).collect()
}

/// The names that do not begin with an underscore, in the order in which they were bound, with their values.
pub(super) fn entries(globals: &PyDict) -> Vec<(String, PyObjectRef)> {
    string_entries(globals).into_iter().filter(|(name, _)| !name.starts_with('_')).collect()
}

/// All names of a namespace at one moment, and what they were bound to.
pub(super) struct Bindings(Vec<(PyObjectRef, PyObjectRef)>);

impl Bindings {
    pub(super) fn of(globals: &PyDict) -> Bindings {
        Bindings(globals.into_iter().collect())
    }

    /// Binds the same names to the same objects again, and no others.
    pub(super) fn restore(self, globals: &Py<PyDict>, vm: &VirtualMachine) {
        globals.clear();
        for (name, value) in self.0 {
            globals.set_item(&*name, value, vm).expect("a key that was in a dict can be put there again");
        }
    }
}

/// The variables that are tensors.
pub(super) fn tensors(globals: &PyDict) -> Vec<Variable> {
    let tensor = |(name, value): (String, PyObjectRef)| {
        numpy::tensor_value(&value).map(|value| Variable { name, value })
    };
    entries(globals).into_iter().filter_map(tensor).collect()
}

/// The path of a module's member: `model.weight`, and `layers[0]` for a numbered one.
pub(super) fn member_path(module: &str, member: &str) -> String {
    match member.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("{module}[{member}]"),
        false => format!("{module}.{member}"),
    }
}

/// The tensors of the namespace at one moment, with the versions of their storages.
///
/// It keeps the objects alive, so that no new object can get the id of an old one.
pub(super) struct NamespaceSnapshot(Vec<(String, PyObjectRef, u64)>);

impl NamespaceSnapshot {
    pub(super) fn of(globals: &PyDict) -> NamespaceSnapshot {
        let entry = |(name, value): (String, PyObjectRef)| {
            let version = numpy::tensor_value(&value)?.storage().version();
            Some((name, value, version))
        };
        NamespaceSnapshot(entries(globals).into_iter().filter_map(entry).collect())
    }

    /// The tensors that were bound or written to since, in the order of `bound`, the names that the cell binds.
    pub(super) fn changes(&self, globals: &PyDict, bound: &[String]) -> Vec<Variable> {
        let before: HashMap<&str, (&PyObjectRef, u64)> =
            self.0.iter().map(|(name, object, version)| (name.as_str(), (object, *version))).collect();
        let now = entries(globals).into_iter().filter_map(|(name, object)| {
            let value = numpy::tensor_value(&object)?;
            let same = before
                .get(name.as_str())
                .is_some_and(|(before, version)| before.is(&object) && *version == value.storage().version());
            (!same).then_some(Variable { name, value })
        });
        let mut changed: Vec<Variable> = now.collect();
        // Of a name that is bound twice, the later place counts.
        let places: HashMap<&str, usize> =
            bound.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        changed.sort_by_key(|variable| places.get(variable.name.as_str()).copied().unwrap_or(usize::MAX));
        changed
    }
}
