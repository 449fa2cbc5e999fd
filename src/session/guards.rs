//! Checks that run before the interpreter's own methods: on every route that a cell has to them, as an operator, as a
//! method, and as an attribute of the type.

use rustpython_vm::{
    Py, PyObjectRef, PyResult, VirtualMachine,
    builtins::PyType,
    function::{FuncArgs, PyMethodFlags, PyNativeFn},
};

/// Why the original of a replaced slot is always there.
pub(super) const KEPT: &str = "the original is kept before the slot is replaced";

/// Replaces a slot of a type, if it has one, and keeps the original: sessions of one thread have the same types, and a slot
/// that is replaced again must not call its replacement.
macro_rules! replace_slot {
    ($slot:expr, $kept:expr, $new:expr) => {
        if let Some(own) = $slot.load() {
            $kept.get_or_init(|| own);
            $slot.store(Some($new));
        }
    };
}
pub(super) use replace_slot;

/// A method of the interpreter's own that was replaced.
pub(super) struct Own {
    object: PyObjectRef,
    /// Its function, if it is a native one: it is called without a look at what kind of object the method is.
    native: Option<&'static dyn PyNativeFn>,
}

impl Own {
    /// Calls the method; the first argument is the object.
    #[inline]
    pub(super) fn call(&self, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        match self.native {
            Some(native) => native(vm, args),
            None => self.object.call(args, vm),
        }
    }
}

/// What runs instead of a method: it is given the original. It is boxed, so that [`replace`] is compiled once.
type Replacement = Box<dyn Fn(&Own, FuncArgs, &VirtualMachine) -> PyResult>;

/// Replaces a method of a built-in type by one that checks its arguments first; the first is the object.
pub(super) fn check_first(
    class: &'static Py<PyType>,
    name: &'static str,
    check: impl Fn(&mut FuncArgs, &VirtualMachine) -> PyResult<()> + 'static,
    vm: &VirtualMachine,
) {
    let checked = move |own: &Own, mut args, vm: &VirtualMachine| {
        check(&mut args, vm)?;
        own.call(args, vm)
    };
    around(class, name, checked, vm);
}

/// Replaces a method of a built-in type by one that is given the original.
pub(super) fn around(
    class: &'static Py<PyType>,
    name: &'static str,
    replacement: impl Fn(&Own, FuncArgs, &VirtualMachine) -> PyResult + 'static,
    vm: &VirtualMachine,
) {
    replace(class, name, Box::new(replacement), vm);
}

fn replace(class: &'static Py<PyType>, name: &'static str, replacement: Replacement, vm: &VirtualMachine) {
    let key = vm.ctx.intern_str(name);
    let Some(object) = class.get_direct_attr(key) else {
        debug_assert!(false, "{} has no {name}", class.name());
        return;
    };
    let definition = class.slots.methods.iter().find(|method| method.name == name);
    let own = Own { object, native: definition.map(|method| method.func) };
    let doc = definition.and_then(|method| method.doc);
    let method = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult { replacement(&own, args, vm) };
    let method = vm.ctx.new_method_def(name, method, PyMethodFlags::METHOD, doc);
    class.set_attr(key, method.build_method(class, vm).into());
}
