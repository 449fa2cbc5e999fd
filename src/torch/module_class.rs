//! The two methods of `nn.Module` that each layer goes through, in their usual case: a call without hooks, and a parameter,
//! buffer or module that is read as an attribute. Everything else is Python's, in `py/torch/nn/modules/module.py`.

use rustpython_vm::builtins::{PyDict, PyStrInterned, PyTypeRef};
use rustpython_vm::function::{FuncArgs, PyMethodFlags};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};

/// A dictionary of a module, if it is one.
fn held(
    own: &Py<PyDict>,
    name: &'static PyStrInterned,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    Ok(own.get_item_opt(name, vm)?.filter(|held| held.downcast_ref_if_exact::<PyDict>(vm).is_some()))
}

/// Whether a module has no hooks.
fn is_plain(module: &PyObject, hooks: &[&'static PyStrInterned], vm: &VirtualMachine) -> PyResult<bool> {
    let Some(own) = module.dict() else { return Ok(false) };
    for &name in hooks {
        let held = held(&own, name, vm)?;
        if !held.is_some_and(|held| held.downcast_ref::<PyDict>().is_some_and(|held| held.is_empty())) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a module has registered under a name.
fn registered(
    module: &PyObject,
    name: &PyObject,
    places: &[&'static PyStrInterned],
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let Some(own) = module.dict() else { return Ok(None) };
    for &place in places {
        let held = held(&own, place, vm)?;
        if let Some(held) = held.as_ref().and_then(|held| held.downcast_ref::<PyDict>())
            && let Some(found) = held.get_item_opt(name, vm)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// `_quick_module(Module)`: puts both methods before those that the class has.
pub(super) fn quick_module(class: PyTypeRef, vm: &VirtualMachine) -> PyResult<()> {
    let [hooks, places] = [
        ["_backward_hooks", "_forward_hooks", "_forward_pre_hooks"].as_slice(),
        ["_parameters", "_modules", "_buffers"].as_slice(),
    ]
    .map(|names| names.iter().map(|name| vm.ctx.intern_str(*name)).collect::<Vec<_>>());
    let forward = vm.ctx.intern_str("forward");
    let class: &'static PyTypeRef = Box::leak(Box::new(class)); // One for each interpreter.
    let own = |name: &'static str| class.as_object().get_attr(name, vm);
    let (call, getattr) = (own("__call__")?, own("__getattr__")?);
    let quick_call = move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        match args.args.first() {
            Some(module) if is_plain(module, &hooks, vm)? => {
                let forward = module.get_attr(forward, vm)?;
                args.args.remove(0);
                forward.call(args, vm)
            }
            _ => call.call(args, vm),
        }
    };
    let quick_getattr = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        if let [module, name] = args.args.as_slice()
            && let Some(found) = registered(module, name, &places, vm)?
        {
            return Ok(found);
        }
        getattr.call(args, vm)
    };
    let call = vm.ctx.new_method_def("__call__", quick_call, PyMethodFlags::METHOD, None);
    class.as_object().set_attr("__call__", call.build_method(class, vm), vm)?;
    let getattr = vm.ctx.new_method_def("__getattr__", quick_getattr, PyMethodFlags::METHOD, None);
    class.as_object().set_attr("__getattr__", getattr.build_method(class, vm), vm)
}
