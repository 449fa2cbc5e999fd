//! Builtins of a notebook (`display`, `get_ipython`), and those that behave differently here: a cell has no keyboard.

use rustpython_vm::{AsObject, PyObject, PyResult, VirtualMachine, function::FuncArgs};

use crate::numpy;

/// The builtins, and the modules that have them. A module is imported when one is first called.
const BUILTINS: [(&str, &str); 10] = [
    ("display", "_notebook"),
    ("help", "_notebook"),
    ("input", "_notebook"),
    ("exit", "_notebook"),
    ("quit", "_notebook"),
    ("__attn_time__", "_notebook"),
    ("__attn_timeit__", "_notebook"),
    ("__attn_help__", "_notebook"),
    ("open", "io"),
    ("get_ipython", "IPython"),
];

pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    for (name, module) in BUILTINS {
        let function = move |args: FuncArgs, vm: &VirtualMachine| call(module, name, args, vm);
        vm.builtins.as_object().set_attr(name, vm.new_function(name, function), vm)?;
    }
    Ok(())
}

fn call(module: &'static str, name: &'static str, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    vm.import(module, 0)?.get_attr(name, vm)?.call(args, vm)
}

/// The text of `value` as Jupyter shows it.
pub(super) fn display_text(value: &PyObject, vm: &VirtualMachine) -> PyResult<String> {
    let types = &vm.ctx.types;
    let is_plain = [types.str_type, types.int_type, types.float_type, types.bool_type]
        .iter()
        .any(|plain| value.class().is(*plain));
    let text = match is_plain || numpy::tensor_value(value).is_some() {
        true => value.repr(vm)?,
        false => call("_pretty", "shown", vec![value.to_owned()].into(), vm)?.str(vm)?,
    };
    Ok(text.as_wtf8().to_string_lossy().into_owned())
}

/// Prints how long a cell with `%%time` took.
pub(super) fn print_wall_time(seconds: f64, vm: &VirtualMachine) -> PyResult {
    call("_notebook", "wall_time", vec![vm.ctx.new_float(seconds).into()].into(), vm)
}
