//! Where a cell raised: the call that failed, and what was in reach there, by the names the learner gives it.
//! Reads frames and objects; asks only `dir()` of the object whose attribute is missing.

use rustpython_vm::{
    AsObject, PyObjectRef, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyDict, PyDictRef, PyStr},
    frame::FrameRef,
};

use super::namespace::{self, Variable};
use crate::ops::Failed;
use crate::torch;

/// What was in reach where a cell raised.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The operation that raised, if it was one, on its operands.
    pub failed: Option<Failed>,
    /// Tensors by name: those of the function that raised first, `self.W_query` among them, then the cell's own.
    pub tensors: Vec<Variable>,
    /// All names that could have been meant, the nearest scope first.
    pub names: Vec<String>,
    /// Attributes of the object that lacks the one asked for.
    pub attributes: Vec<String>,
    /// Keys of dicts in reach, and dotted names of the parameters of modules in reach.
    pub keys: Vec<String>,
}

/// Most tensors that are listed, and how deep modules are looked into.
const MOST: usize = 400;
const DEPTH: usize = 4;

impl Scene {
    /// Looks around where `exception` was raised; `is_cell` tells cells' names from files'.
    pub(super) fn of(
        exception: &PyBaseExceptionRef,
        globals: &PyDict,
        is_cell: impl Fn(&str) -> bool,
        vm: &VirtualMachine,
    ) -> Scene {
        let frame = exception.__traceback__().and_then(|traceback| {
            let frames: Vec<FrameRef> = traceback.iter().map(|entry| entry.frame.clone()).collect();
            frames.into_iter().rev().find(|frame| is_cell(frame.code.source_path().as_str()))
        });
        let locals = frame.and_then(|frame| {
            let locals: PyObjectRef = frame.locals(vm).ok()?.into();
            locals.downcast::<PyDict>().ok()
        });
        let mut reach = locals.map(|locals| namespace::entries(&locals)).unwrap_or_default();
        for (name, value) in namespace::entries(globals) {
            if reach.iter().all(|(known, _)| *known != name) {
                reach.push((name, value));
            }
        }
        let mut scene = Scene::default();
        // A name of its own tells more than the attribute of some module.
        for (name, value) in &reach {
            if let Some(tensor) = torch::tensor_value(value, vm) {
                scene.tensors.push(Variable { name: name.clone(), value: tensor });
            }
        }
        for (name, value) in &reach {
            scene.look_into(name, value, DEPTH, vm);
        }
        scene.keys = keys(&reach);
        scene.attributes = attributes(exception, &reach, vm);
        scene.names = reach.into_iter().map(|(name, _)| name).collect();
        scene.names.extend(dir(vm.builtins.as_object().to_owned(), vm));
        scene
    }

    /// Adds the tensors that a module holds, and those of the modules in it.
    fn look_into(&mut self, name: &str, object: &PyObjectRef, depth: usize, vm: &VirtualMachine) {
        let Some(own) = object.dict().filter(|own| depth > 0 && held(own, "_parameters", vm).is_some())
        else {
            return;
        };
        let places = ["_parameters", "_buffers"].map(|place| held(&own, place, vm));
        let plain = namespace::entries(&own);
        let kept = places.into_iter().flatten().flat_map(|held| namespace::entries(&held));
        for (attribute, value) in kept.chain(plain) {
            if let Some(tensor) = torch::tensor_value(&value, vm)
                && self.tensors.len() < MOST
            {
                self.tensors.push(Variable { name: format!("{name}.{attribute}"), value: tensor });
            }
        }
        if let Some(modules) = held(&own, "_modules", vm) {
            for (attribute, module) in namespace::entries(&modules) {
                let path = match attribute.bytes().all(|byte| byte.is_ascii_digit()) {
                    true => format!("{name}[{attribute}]"),
                    false => format!("{name}.{attribute}"),
                };
                self.look_into(&path, &module, depth - 1, vm);
            }
        }
    }
}

/// The dict that a module keeps under this name.
fn held(own: &PyDictRef, place: &str, vm: &VirtualMachine) -> Option<PyDictRef> {
    own.get_item_opt(place, vm).ok().flatten()?.downcast::<PyDict>().ok()
}

fn keys(reach: &[(String, PyObjectRef)]) -> Vec<String> {
    let mut keys = Vec::new();
    for (_, value) in reach {
        if let Some(dict) = value.downcast_ref::<PyDict>() {
            let texts = dict.into_iter().filter_map(|(key, _)| {
                key.downcast_ref::<PyStr>().map(|key| key.as_wtf8().to_string_lossy().into_owned())
            });
            keys.extend(texts.take(MOST));
        }
    }
    keys
}

/// The attributes of the object that the exception is about: the one it names, else one in reach of that class.
fn attributes(
    exception: &PyBaseExceptionRef,
    reach: &[(String, PyObjectRef)],
    vm: &VirtualMachine,
) -> Vec<String> {
    if !exception.fast_isinstance(vm.ctx.exceptions.attribute_error) {
        return Vec::new();
    }
    let named = exception.as_object().get_attr("obj", vm).ok().filter(|object| !vm.is_none(object));
    let text = exception.as_object().str(vm).map(|text| text.as_wtf8().to_string_lossy().into_owned());
    let class = text.ok().and_then(|text| Some(text.strip_prefix('\'')?.split_once('\'')?.0.to_owned()));
    let of_class = || {
        let class = class?;
        reach.iter().find(|(_, value)| *value.class().name() == *class).map(|(_, value)| value.clone())
    };
    named.or_else(of_class).map(|object| dir(object, vm)).unwrap_or_default()
}

fn dir(object: PyObjectRef, vm: &VirtualMachine) -> Vec<String> {
    let Ok(listed) = vm.dir(Some(object)) else { return Vec::new() };
    let names = listed.borrow_vec();
    let text = |name: &PyObjectRef| {
        name.downcast_ref::<PyStr>().map(|name| name.as_wtf8().to_string_lossy().into_owned())
    };
    names.iter().filter_map(text).filter(|name| !name.starts_with('_')).collect()
}
