//! Tensors that the namespace holds deeper down: parameters and buffers of modules, attributes, lists, dicts.
//! Reads objects' dictionaries; never runs Python.

use rustpython_vm::{
    AsObject, PyObjectRef, VirtualMachine,
    builtins::{PyDict, PyList, PyModule, PyStr, PyTuple, PyType},
};

use super::namespace::{self, Variable};
use crate::torch;

/// How many steps a path may have.
const DEPTH: usize = 8;
/// Most tensors that are looked for.
const MOST: usize = 4096;
/// Most items of one list that are looked at.
const ITEMS: usize = 256;

/// Where a module keeps what it owns; its name is no part of the path.
const OWNED: [&str; 3] = ["_parameters", "_buffers", "_modules"];

struct Walk<'a> {
    vm: &'a VirtualMachine,
    seen: Vec<usize>,
    found: Vec<Variable>,
}

/// The tensors below the learner's names, each by the path that leads to it.
pub(super) fn tensors(globals: &PyDict, vm: &VirtualMachine) -> Vec<Variable> {
    let mut walk = Walk { vm, seen: Vec::new(), found: Vec::new() };
    for (name, object) in namespace::entries(globals) {
        if torch::tensor_value(&object, vm).is_none() {
            walk.below(&name, &object, 0);
        }
    }
    walk.found
}

impl Walk<'_> {
    fn at(&mut self, path: String, object: &PyObjectRef, depth: usize) {
        if self.found.len() >= MOST {
            return;
        }
        match torch::tensor_value(object, self.vm) {
            Some(value) => self.found.push(Variable { name: path, value }),
            None => self.below(&path, object, depth),
        }
    }

    fn below(&mut self, path: &str, object: &PyObjectRef, depth: usize) {
        let is_code =
            object.downcast_ref::<PyModule>().is_some() || object.downcast_ref::<PyType>().is_some();
        if depth == DEPTH || is_code || self.seen.contains(&object.get_id()) {
            return;
        }
        if let Some(items) = items(object) {
            self.seen.push(object.get_id());
            for (at, item) in items.iter().take(ITEMS).enumerate() {
                self.at(format!("{path}[{at}]"), item, depth + 1);
            }
        } else if let Some(dict) = object.downcast_ref::<PyDict>() {
            self.seen.push(object.get_id());
            for (key, value) in texts(dict) {
                self.at(format!("{path}['{key}']"), &value, depth + 1);
            }
        } else if let Some(dict) = object.dict() {
            self.seen.push(object.get_id());
            for (key, value) in texts(&dict) {
                match value.downcast_ref::<PyDict>().filter(|_| OWNED.contains(&key.as_str())) {
                    Some(owned) => {
                        for (name, value) in texts(owned) {
                            let is_place = name.bytes().all(|byte| byte.is_ascii_digit());
                            let path =
                                if is_place { format!("{path}[{name}]") } else { format!("{path}.{name}") };
                            self.at(path, &value, depth + 1);
                        }
                    }
                    None if key.starts_with('_') => {}
                    None => self.at(format!("{path}.{key}"), &value, depth + 1),
                }
            }
        }
    }
}

/// The items of a list or a tuple.
fn items(object: &PyObjectRef) -> Option<Vec<PyObjectRef>> {
    let list = object.downcast_ref::<PyList>().map(|list| list.borrow_vec().to_vec());
    list.or_else(|| object.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice().to_vec()))
}

/// The entries of a dict whose keys are texts.
fn texts(dict: &PyDict) -> Vec<(String, PyObjectRef)> {
    let text = |(key, value): (PyObjectRef, PyObjectRef)| {
        let key = key.downcast_ref::<PyStr>()?.as_wtf8().to_string_lossy().into_owned();
        Some((key, value))
    };
    dict.into_iter().filter_map(text).collect()
}
