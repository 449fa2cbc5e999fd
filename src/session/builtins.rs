//! Builtins of a notebook (`display`, `get_ipython`), and those that behave differently here: a cell has no
//! keyboard.

use std::{cell::RefCell, rc::Rc};

use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyStr, PyType},
    function::{FuncArgs, OptionalArg, PosArgs},
};

use super::{
    display,
    output::{Channel, OutputBuffer},
};

/// Adds the builtins to `vm`. They write to `buffer`.
pub(super) fn install(buffer: &Rc<RefCell<OutputBuffer>>, vm: &VirtualMachine) -> PyResult<()> {
    let stdin_error = vm.ctx.new_exception_type(
        "IPython.core.error",
        "StdinNotImplementedError",
        Some(vec![vm.ctx.exceptions.not_implemented_error.to_owned()]),
    );
    let no_input = move |_prompt: OptionalArg, vm: &VirtualMachine| -> PyResult<PyObjectRef> {
        Err(vm.new_exception_msg(
            stdin_error.clone(),
            "input() was called, but a cell has nobody to ask: write the value in the cell".into(),
        ))
    };
    let displayed = buffer.clone();
    let display = move |values: PosArgs, vm: &VirtualMachine| -> PyResult<()> {
        for value in values {
            let text = display::display_text(&value, vm)?;
            displayed.borrow_mut().write(Channel::Stdout, &format!("{text}\n"));
        }
        Ok(())
    };
    let printed = buffer.clone();
    let help = move |about: OptionalArg, vm: &VirtualMachine| -> PyResult<()> {
        let text = match about {
            OptionalArg::Present(about) => documentation(&about, vm)?,
            OptionalArg::Missing => "help(x) says what x is: help(torch.softmax)\n".to_owned(),
        };
        printed.borrow_mut().write(Channel::Stdout, &text);
        Ok(())
    };
    let functions: [(&'static str, PyObjectRef); 7] = [
        ("display", vm.new_function("display", display).into()),
        ("help", vm.new_function("help", help).into()),
        ("input", vm.new_function("input", no_input).into()),
        ("open", vm.new_function("open", open).into()),
        ("exit", vm.new_function("exit", exit).into()),
        ("quit", vm.new_function("quit", exit).into()),
        ("get_ipython", vm.new_function("get_ipython", get_ipython).into()),
    ];
    for (name, function) in functions {
        vm.builtins.as_object().set_attr(name, function, vm)?;
    }
    Ok(())
}

/// `open`, which is `io.open`: the module is imported when it is first needed.
fn open(args: FuncArgs, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    vm.import("io", 0)?.get_attr("open", vm)?.call(args, vm)
}

fn exit(code: OptionalArg, vm: &VirtualMachine) -> PyResult<()> {
    let code = code.unwrap_or_else(|| vm.ctx.none());
    Err(vm.new_exception(vm.ctx.exceptions.system_exit.to_owned(), vec![code]))
}

fn get_ipython(vm: &VirtualMachine) -> PyResult {
    vm.import("IPython", 0)?.get_attr("get_ipython", vm)?.call((), vm)
}

/// The text of `help(x)` and `x?`: the value as Jupyter shows it, then its docstring.
pub(super) fn documentation(about: &PyObjectRef, vm: &VirtualMachine) -> PyResult<String> {
    let mut text = display::display_text(about, vm)?;
    text.push('\n');
    if about.downcast_ref::<PyType>().is_some() {
        // What a class is called with.
        let inspect = vm.import("inspect", 0);
        let signature =
            inspect.and_then(|inspect| inspect.get_attr("signature", vm)?.call((about.clone(),), vm));
        if let Ok(signature) = signature.and_then(|signature| signature.str(vm)) {
            let name = about.get_attr("__name__", vm)?.str(vm)?;
            text.push_str(&format!(
                "{}{}\n",
                name.as_wtf8().to_string_lossy(),
                signature.as_wtf8().to_string_lossy()
            ));
        }
    }
    let docstring = about.get_attr("__doc__", vm).ok();
    if let Some(docstring) = docstring.as_deref().and_then(|docstring| docstring.downcast_ref::<PyStr>()) {
        text.push('\n');
        for line in docstring.as_wtf8().to_string_lossy().lines() {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}
