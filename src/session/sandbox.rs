//! What code in a cell cannot do: make bytecode that no compiler made, stop a generator that runs, change a frame that
//! runs, set the machine's clock, or take the terminal. The interpreter trusts its bytecode and its frames: a forged one
//! reads and writes memory that is not its own.
//!
//! Names are removed from native modules each time that the interpreter makes such a module, and methods of built-in
//! types are replaced by ones that check first. `tests/library/sandbox.py` walks over all that a cell can reach.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::OnceLock,
};

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyAsyncGen, PyBaseExceptionRef, PyCoroutine, PyGenerator, PyModule, PyType},
    frame::Frame,
    function::{FuncArgs, PyMethodDef, PyMethodFlags},
    protocol::PyIterReturn,
};

use super::{
    arguments,
    guards::{KEPT, Own, around, check_first, replace_slot},
    iterators, sizes, sorting, source, text_methods, wording,
};

/// What native modules lose: what sets the machine's clock, sleeps without being stoppable, takes the terminal, runs code
/// between the instructions of a frame, or turns bytes into code.
const REMOVED: &[(&str, &[&str])] = &[
    ("_clock", &["clock_settime", "clock_settime_ns", "sleep"]),
    (
        "sys",
        &[
            "_baserepl",
            "_setprofileallthreads",
            "_settraceallthreads",
            "call_tracing",
            "monitoring",
            "set_asyncgen_hooks",
            "setprofile",
            "settrace",
        ],
    ),
    ("_imp", &["_fix_co_filename", "_override_frozen_modules_for_tests"]),
    ("atexit", &["_run_exitfuncs"]),
];

/// Installs the guards. Each thread has its own types, so this happens once for each thread.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    remove(&vm.sys_module, "sys", vm)?;
    let imp = vm.import("_imp", 0)?;
    if let Some(imp) = imp.downcast_ref::<PyModule>() {
        remove(imp, "_imp", vm)?;
        native_modules(imp, vm)?;
    }
    source::install(vm)?;
    sorting::install_function(vm)?;
    sizes::install_function(vm)?;
    thread_local! {
        static INSTALLED: Cell<bool> = const { Cell::new(false) };
    }
    if !INSTALLED.replace(true) {
        code_comes_from_source(vm);
        frames_are_read_only(vm);
        running_generators_stay(vm);
        sizes::install(vm);
        sorting::install_method(vm);
        arguments::install(vm);
        wording::install(vm);
        iterators::install(vm);
        text_methods::install(vm);
    }
    Ok(())
}

fn remove(module: &Py<PyModule>, name: &str, vm: &VirtualMachine) -> PyResult<()> {
    let names = REMOVED.iter().filter(|(module, _)| *module == name).flat_map(|(_, names)| *names);
    for name in names {
        let dict = module.dict();
        if dict.contains_key(*name, vm) {
            dict.del_item(*name, vm)?;
        }
    }
    Ok(())
}

/// Wraps the functions of `_imp` that make modules and code.
fn native_modules(imp: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    let create = imp.get_attr("create_builtin", vm)?;
    let creates = move |spec: PyObjectRef, vm: &VirtualMachine| -> PyResult {
        let module = create.call((spec.clone(),), vm)?;
        if let Some(created) = module.downcast_ref::<PyModule>() {
            let name = spec.get_attr("name", vm)?.str(vm)?;
            let name = name.as_wtf8().to_string_lossy();
            remove(created, &name, vm)?;
            if name == "itertools" {
                iterators::install_in(created, vm)?;
            }
        }
        Ok(module)
    };
    imp.set_attr("create_builtin", vm.new_function("create_builtin", creates), vm)?;
    let frozen = imp.get_attr("get_frozen_object", vm)?;
    // The original takes bytes as a second argument and decodes them.
    let by_name = move |name: PyObjectRef, vm: &VirtualMachine| frozen.call((name,), vm);
    imp.set_attr("get_frozen_object", vm.new_function("get_frozen_object", by_name), vm)
}

thread_local! {
    /// The interpreter's own attributes behind those that can only be read, by name. They live as long as the types.
    static OWN: RefCell<HashMap<&'static str, &'static PyObjectRef>> = RefCell::default();
}

/// Makes an attribute of a built-in type one that can only be read.
fn read_only(class: &'static Py<PyType>, name: &'static str, vm: &VirtualMachine) {
    let key = vm.ctx.intern_str(name);
    let own = class.get_direct_attr(key).expect("the type has this attribute");
    OWN.with_borrow_mut(|kept| kept.insert(name, Box::leak(Box::new(own))));
    let getter = move |object: PyObjectRef, vm: &VirtualMachine| -> PyResult {
        let own = OWN.with_borrow(|kept| kept[name]);
        vm.call_get_descriptor(own, object).unwrap_or_else(|| Ok(own.clone()))
    };
    class.set_attr(key, vm.ctx.new_readonly_getset(name, class, getter).into());
}

fn code_comes_from_source(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    types.code_type.slots.new.store(Some(|_, _, vm| Err(forged(vm))));
    const NEW: &PyMethodDef = &PyMethodDef::new_raw_const(
        "__new__",
        |vm: &VirtualMachine, _args: FuncArgs| -> PyResult { Err(forged(vm)) },
        PyMethodFlags::STATIC,
        None,
    );
    let new = NEW.build_staticmethod(&vm.ctx, types.code_type);
    types.code_type.set_attr(vm.ctx.intern_str("__new__"), new.into());
    for name in ["replace", "__replace__"] {
        check_first(types.code_type, name, |_, vm| Err(forged(vm)), vm);
    }
    read_only(types.function_type, "__code__", vm);
}

fn forged(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_type_error("attn makes code from source only: compile(source, name, 'exec')")
}

fn frames_are_read_only(vm: &VirtualMachine) {
    let frame = vm.ctx.types.frame_type;
    for name in ["f_lineno", "f_trace", "f_trace_lines", "f_trace_opcodes"] {
        read_only(frame, name, vm);
    }
    check_first(frame, "clear", is_not_executing, vm);
}

fn is_not_executing(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let Some(frame) = args.args.first().and_then(|frame| frame.downcast_ref::<Frame>()) else {
        return Ok(());
    };
    let mut executing = vm.current_frame();
    while let Some(other) = executing {
        if other.is(frame) {
            return Err(vm.new_runtime_error("cannot clear an executing frame"));
        }
        executing = other.f_back(vm);
    }
    Ok(())
}

/// Runs an expression on what generators and coroutines have in common, whose type has no public name, and on their kind.
macro_rules! of_coroutine {
    ($object:expr, |$coroutine:ident, $kind:ident| $body:expr) => {{
        if let Some(it) = $object.downcast_ref::<PyGenerator>() {
            let ($coroutine, $kind) = (it.as_coro(), "generator");
            $body
        } else if let Some(it) = $object.downcast_ref::<PyCoroutine>() {
            let ($coroutine, $kind) = (it.as_coro(), "coroutine");
            $body
        } else if let Some(it) = $object.downcast_ref::<PyAsyncGen>() {
            let ($coroutine, $kind) = (it.as_coro(), "async generator");
            $body
        } else {
            None
        }
    }};
}

/// The kind of a generator or coroutine that runs.
fn running(object: &PyObject) -> Option<&'static str> {
    of_coroutine!(object, |coroutine, kind| coroutine.running().then_some(kind))
}

fn executing(kind: &str, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_value_error(format!("{kind} already executing"))
}

/// Raises ValueError if a generator runs, or waits for one that does.
///
/// Closing a generator closes what it waits for, and clears the frame of each.
fn idle(generator: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let mut waits = Some(generator.to_owned());
    while let Some(object) = waits {
        if let Some(kind) = running(&object) {
            return Err(executing(kind, vm));
        }
        waits = of_coroutine!(object, |coroutine, _kind| coroutine.frame().yield_from_target());
    }
    Ok(())
}

fn running_generators_stay(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for (at, class) in [types.generator_type, types.coroutine_type].into_iter().enumerate() {
        for name in ["send", "throw", "close"] {
            check_first(class, name, one_exception_of_a_waiting_generator, vm);
        }
        replace_slot!(class.slots.iternext, NEXT[at], [next::<0>, next::<1>][at]);
        replace_slot!(class.slots.del, DELETE[at], [delete::<0>, delete::<1>][at]);
        // As attributes, `__next__` and `__del__` have the original functions of the slots.
        let has = |name: &'static str| class.get_direct_attr(vm.ctx.intern_str(name)).is_some();
        if has("__next__") {
            check_first(class, "__next__", one_exception_of_a_waiting_generator, vm);
        }
        if has("__del__") {
            let delete = |own: &Own, args: FuncArgs, vm: &VirtualMachine| match args.args.first() {
                Some(generator) if idle(generator, vm).is_err() => Ok(vm.ctx.none()),
                _ => own.call(args, vm),
            };
            around(class, "__del__", delete, vm);
        }
    }
    // An asynchronous generator needs an event loop, which attn does not have. Its parts would stop a coroutine that
    // runs, through objects that do not say which.
    for (class, names) in [
        (types.async_generator, &["__anext__", "asend", "athrow", "aclose"][..]),
        (types.coroutine_wrapper_type, &["send", "throw", "close"]),
    ] {
        for name in names {
            check_first(class, name, |_, vm| Err(no_event_loop(vm)), vm);
        }
    }
    types.coroutine_wrapper_type.slots.iternext.store(Some(|_, vm| Err(no_event_loop(vm))));
}

fn no_event_loop(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_not_implemented_error("attn runs cells on one thread, without an event loop")
}

fn one_exception_of_a_waiting_generator(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    if let Some(generator) = args.args.first() {
        idle(generator, vm)?;
    }
    // `throw(type, value, traceback)` warns first, and a warning runs code of the cell.
    match args.args.len() {
        0..=2 => Ok(()),
        _ => Err(vm.new_type_error("throw() takes the exception only: throw(value)")),
    }
}

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;
type Delete = fn(&PyObject, &VirtualMachine) -> PyResult<()>;

/// The originals, of generators and of coroutines.
static NEXT: [OnceLock<Next>; 2] = [const { OnceLock::new() }; 2];
static DELETE: [OnceLock<Delete>; 2] = [const { OnceLock::new() }; 2];

fn next<const TYPE: usize>(generator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    match running(generator) {
        Some(kind) => Err(executing(kind, vm)),
        None => NEXT[TYPE].get().expect(KEPT)(generator, vm),
    }
}

/// A generator that waits for a running one is dropped as it is: its `finally` blocks do not run.
fn delete<const TYPE: usize>(generator: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match idle(generator, vm) {
        Ok(()) => DELETE[TYPE].get().expect(KEPT)(generator, vm),
        Err(_) => Ok(()),
    }
}
