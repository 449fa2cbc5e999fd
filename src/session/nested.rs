//! Tensors that variables contain: parameters and buffers of modules, attributes, items of lists and dicts.
//! The search reads the objects' dictionaries and runs no Python code.

use rustpython_vm::{
    AsObject, PyObjectRef,
    builtins::{PyDict, PyModule, PyType},
};

use super::namespace::{self, Variable, string_entries};
use crate::{numpy, torch};

/// The longest path that is followed.
const MAX_DEPTH: usize = 8;
/// The most tensors that are returned.
const MAX_TENSORS: usize = 4096;
/// The most items of one list that are searched.
const MAX_ITEMS: usize = 256;

/// The attributes in which `nn.Module` stores what it owns. They are not part of a path.
const MODULE_DICTS: [&str; 3] = ["_parameters", "_buffers", "_modules"];

struct NestedSearch {
    visited: Vec<usize>,
    found: Vec<Variable>,
}

/// The tensors inside these variables. Each is named by its path: `sa_v2.W_key.weight`, `qs[0]`. A tensor of a module is named
/// by the module only: an optimizer has the parameters too.
pub(super) fn tensors(entries: &[(String, PyObjectRef)]) -> Vec<Variable> {
    let mut search = NestedSearch { visited: Vec::new(), found: Vec::new() };
    search.all(entries, true);
    let in_modules = search.found.len();
    search.all(entries, false);
    let mut found = search.found;
    let mut others = found.split_off(in_modules);
    others.retain(|it| !found.iter().any(|other| other.value.is(&it.value)));
    found.extend(others);
    found
}

/// Those inside modules alone.
pub(super) fn in_modules(entries: &[(String, PyObjectRef)]) -> Vec<Variable> {
    let mut search = NestedSearch { visited: Vec::new(), found: Vec::new() };
    search.all(entries, true);
    search.found
}

/// Whether an object is an `nn.Module`, by what it owns.
fn is_module(object: &PyObjectRef) -> bool {
    let owns = |dict: &PyDict| string_entries(dict).iter().any(|(key, _)| key == MODULE_DICTS[0]);
    object.dict().is_some_and(|dict| owns(&dict))
}

impl NestedSearch {
    /// Searches the variables that are modules, or the others but for tensors.
    fn all(&mut self, entries: &[(String, PyObjectRef)], modules: bool) {
        for (name, object) in entries {
            if numpy::tensor_value(object).is_none() && is_module(object) == modules {
                self.contents(name, object, 0);
            }
        }
    }

    fn visit(&mut self, path: String, object: &PyObjectRef, depth: usize) {
        if self.found.len() >= MAX_TENSORS {
            return;
        }
        match numpy::tensor_value(object) {
            Some(value) => self.found.push(Variable { name: path, value }),
            None => self.contents(&path, object, depth),
        }
    }

    fn contents(&mut self, path: &str, object: &PyObjectRef, depth: usize) {
        let is_code =
            object.downcast_ref::<PyModule>().is_some() || object.downcast_ref::<PyType>().is_some();
        if depth == MAX_DEPTH || is_code || self.visited.contains(&object.get_id()) {
            return;
        }
        if let Some(items) = torch::items(object) {
            self.visited.push(object.get_id());
            for (index, item) in items.iter().take(MAX_ITEMS).enumerate() {
                self.visit(format!("{path}[{index}]"), item, depth + 1);
            }
        } else if let Some(dict) = object.downcast_ref::<PyDict>() {
            self.visited.push(object.get_id());
            for (key, value) in string_entries(dict) {
                self.visit(format!("{path}['{key}']"), &value, depth + 1);
            }
        } else if let Some(dict) = object.dict() {
            self.visited.push(object.get_id());
            for (key, value) in string_entries(&dict) {
                match value.downcast_ref::<PyDict>().filter(|_| MODULE_DICTS.contains(&key.as_str())) {
                    Some(owned) => {
                        for (name, value) in string_entries(owned) {
                            self.visit(namespace::member_path(path, &name), &value, depth + 1);
                        }
                    }
                    None if key.starts_with('_') => {}
                    None => self.visit(format!("{path}.{key}"), &value, depth + 1),
                }
            }
        }
    }
}
