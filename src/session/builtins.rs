//! The builtins that a cell has beyond Python's own, and those that must not do what Python's do.
//! Output goes to the sink; nothing here reads keys or files.

use std::{cell::RefCell, rc::Rc};

use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::PyStr,
    function::{FuncArgs, OptionalArg, PosArgs},
};

use super::{
    display,
    output::{Channel, Sink},
};

/// Puts all of them into `vm`.
pub(super) fn install(sink: &Rc<RefCell<Sink>>, vm: &VirtualMachine) -> PyResult<()> {
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
    let shown = sink.clone();
    let display = move |values: PosArgs, vm: &VirtualMachine| -> PyResult<()> {
        for value in values {
            let text = display::shown(&value, vm)?;
            shown.borrow_mut().write(Channel::Stdout, &format!("{text}\n"));
        }
        Ok(())
    };
    let printed = sink.clone();
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
        ("open", vm.new_function("open", no_files).into()),
        ("exit", vm.new_function("exit", leave).into()),
        ("quit", vm.new_function("quit", leave).into()),
        ("get_ipython", vm.new_function("get_ipython", shell).into()),
    ];
    for (name, function) in functions {
        vm.builtins.as_object().set_attr(name, function, vm)?;
    }
    Ok(())
}

fn no_files(args: FuncArgs, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
    let name = match args.args.first() {
        Some(name) => name.repr(vm)?.as_wtf8().to_string_lossy().into_owned(),
        None => String::new(),
    };
    let text = vm.ctx.new_str(format!("open({name}): attn runs lessons without files"));
    Err(vm.invoke_exception(vm.ctx.exceptions.permission_error.to_owned(), vec![text.into()])?)
}

fn leave(code: OptionalArg, vm: &VirtualMachine) -> PyResult<()> {
    let code = code.unwrap_or_else(|| vm.ctx.none());
    Err(vm.new_exception(vm.ctx.exceptions.system_exit.to_owned(), vec![code]))
}

fn shell(vm: &VirtualMachine) -> PyResult {
    vm.import("IPython", 0)?.get_attr("get_ipython", vm)?.call((), vm)
}

/// What `help(x)` and `x?` say: the call, then the documentation.
pub(super) fn documentation(about: &PyObjectRef, vm: &VirtualMachine) -> PyResult<String> {
    let mut text = display::shown(about, vm)?;
    text.push('\n');
    let own = about.get_attr("__doc__", vm).ok();
    if let Some(own) = own.as_deref().and_then(|own| own.downcast_ref::<PyStr>()) {
        text.push('\n');
        for line in own.as_wtf8().to_string_lossy().lines() {
            text.push_str(line);
            text.push('\n');
        }
    }
    Ok(text)
}
