//! The last finder on `sys.meta_path`, asked when no other one knows a module. What it answers is in `py/_later.py`.

use rustpython_vm::builtins::{PyList, PyStrRef};
use rustpython_vm::function::{FuncArgs, IntoPyNativeFn};
use rustpython_vm::{PyResult, VirtualMachine};

/// Puts the finder behind all others. Its table is read when it is first asked.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let find = |name: PyStrRef, _rest: FuncArgs, vm: &VirtualMachine| -> PyResult {
        vm.import("_later", 0)?.get_attr("find_spec", vm)?.call((name,), vm)
    };
    add_finder(find, vm)
}

/// Puts a finder with this `find_spec` behind those on `sys.meta_path`.
pub(super) fn add_finder<Kind>(find: impl IntoPyNativeFn<Kind>, vm: &VirtualMachine) -> PyResult<()> {
    let names = vm.ctx.new_dict();
    names.set_item("find_spec", vm.new_function("find_spec", find).into(), vm)?;
    let finder = vm.new_module("finder", names, None);
    let finders = vm.sys_module.get_attr("meta_path", vm)?;
    if let Some(finders) = finders.downcast_ref::<PyList>() {
        finders.borrow_vec_mut().push(finder.into());
    }
    Ok(())
}
