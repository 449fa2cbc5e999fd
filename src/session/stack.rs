//! Native functions that call themselves, through objects within objects, are stopped before the native stack overflows,
//! which would end the program: RecursionError, as for Python functions.
//!
//! The interpreter counts calls of Python functions, `repr` and comparisons. It counts neither an instance whose
//! `__call__` or `__get__` is an instance again, nor methods, partial functions and static methods within each other.

use std::{cell::Cell, hint::black_box, sync::OnceLock};

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine,
    builtins::{PyModule, PyStr, PyType, PyTypeRef},
    function::{FuncArgs, PySetterValue},
};

use super::guards::{Own, around};

/// The most native calls within each other.
const MOST: usize = 10_000;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The address below which no guarded call begins; 0 on a thread whose stack is unknown.
    static LOWEST: Cell<usize> = const { Cell::new(0) };
}

/// An address on the stack.
fn here() -> usize {
    let local = 0_u8;
    black_box(&raw const local) as usize
}

/// Says that the stack of this thread has about `size` bytes below the caller. An eighth is left to what is not guarded.
pub(super) fn begins_here(size: usize) {
    LOWEST.set(here().saturating_sub(size - size / 8));
}

/// A native call that may contain others of its kind.
pub(super) struct Nested(usize);

impl Nested {
    /// Begins the call. Errors: RecursionError, if there are too many within each other.
    pub(super) fn enter(vm: &VirtualMachine) -> PyResult<Nested> {
        Nested::enter_for(1, vm)
    }

    /// As [`Nested::enter`], for a call that contains this many.
    pub(super) fn enter_for(calls: usize, vm: &VirtualMachine) -> PyResult<Nested> {
        let depth = DEPTH.get();
        if depth + calls > MOST || here() < LOWEST.get() {
            return Err(vm.new_recursion_error("maximum recursion depth exceeded in native code".to_owned()));
        }
        DEPTH.set(depth + calls);
        Ok(Nested(calls))
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - self.0);
    }
}

/// Why the original of a replaced slot is always there.
const KEPT: &str = "the original is kept before the slot is replaced";

/// A function for a slot that counts the native calls within each other, and the place of the original.
macro_rules! counted {
    ($($name:ident, $own:ident: ($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        static $own: OnceLock<fn($($type),*, &VirtualMachine) -> $result> = OnceLock::new();

        fn $name($($arg: $type),*, vm: &VirtualMachine) -> $result {
            let _nested = Nested::enter(vm)?;
            $own.get().expect(KEPT)($($arg),*, vm)
        }
    )*};
}

counted! {
    call_instance, CALL_INSTANCE: (object: &PyObject, args: FuncArgs) -> PyResult;
    call_partial, CALL_PARTIAL: (object: &PyObject, args: FuncArgs) -> PyResult;
    call_static, CALL_STATIC: (object: &PyObject, args: FuncArgs) -> PyResult;
    call_method, CALL_METHOD: (object: &PyObject, args: FuncArgs) -> PyResult;
    vectorcall_method, VECTORCALL_METHOD:
        (object: &PyObject, args: Vec<PyObjectRef>, count: usize, names: Option<&[PyObjectRef]>) -> PyResult;
    call_type, CALL_TYPE: (object: &PyObject, args: FuncArgs) -> PyResult;
    vectorcall_type, VECTORCALL_TYPE:
        (object: &PyObject, args: Vec<PyObjectRef>, count: usize, names: Option<&[PyObjectRef]>) -> PyResult;
    call_wrapper, CALL_WRAPPER: (object: &PyObject, args: FuncArgs) -> PyResult;
    call_alias, CALL_ALIAS: (object: &PyObject, args: FuncArgs) -> PyResult;
    get_instance, GET_INSTANCE:
        (object: PyObjectRef, owner: Option<PyObjectRef>, class: Option<PyObjectRef>) -> PyResult;
    get_class_method, GET_CLASS_METHOD:
        (object: PyObjectRef, owner: Option<PyObjectRef>, class: Option<PyObjectRef>) -> PyResult;
    alias_attribute, ALIAS_ATTRIBUTE: (object: &PyObject, name: &Py<PyStr>) -> PyResult;
    static_attribute, STATIC_ATTRIBUTE: (object: &PyObject, name: &Py<PyStr>) -> PyResult;
    class_method_attribute, CLASS_METHOD_ATTRIBUTE: (object: &PyObject, name: &Py<PyStr>) -> PyResult;
    method_attribute, METHOD_ATTRIBUTE: (object: &PyObject, name: &Py<PyStr>) -> PyResult;
    property_attribute, PROPERTY_ATTRIBUTE: (object: &PyObject, name: &Py<PyStr>) -> PyResult;
}

/// Replaces the functions of the types of this thread.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    macro_rules! replace {
        ($class:expr, $slot:ident, $own:ident, $counted:ident) => {
            if let Some(own) = $class.slots.$slot.load() {
                $own.get_or_init(|| own);
                $class.slots.$slot.store(Some($counted));
            }
        };
    }
    replace!(types.staticmethod_type, call, CALL_STATIC, call_static);
    replace!(types.bound_method_type, call, CALL_METHOD, call_method);
    replace!(types.bound_method_type, vectorcall, VECTORCALL_METHOD, vectorcall_method);
    replace!(types.type_type, call, CALL_TYPE, call_type);
    replace!(types.type_type, vectorcall, VECTORCALL_TYPE, vectorcall_type);
    replace!(types.method_wrapper_type, call, CALL_WRAPPER, call_wrapper);
    replace!(types.generic_alias_type, call, CALL_ALIAS, call_alias);
    replace!(types.generic_alias_type, getattro, ALIAS_ATTRIBUTE, alias_attribute);
    replace!(types.classmethod_type, descr_get, GET_CLASS_METHOD, get_class_method);
    replace!(types.staticmethod_type, getattro, STATIC_ATTRIBUTE, static_attribute);
    replace!(types.classmethod_type, getattro, CLASS_METHOD_ATTRIBUTE, class_method_attribute);
    replace!(types.bound_method_type, getattro, METHOD_ATTRIBUTE, method_attribute);
    replace!(types.property_type, getattro, PROPERTY_ATTRIBUTE, property_attribute);
    for class in [types.staticmethod_type, types.classmethod_type] {
        class.slots.repr.store(Some(repr_wrapping_method));
    }
    for name in MAPPING {
        around(types.mappingproxy_type, name, counted_method, vm);
    }
    // These call the interpreter's function for the method, and not what replaced it.
    for class in [types.method_wrapper_type, types.wrapper_descriptor_type] {
        around(class, "__call__", counted_method, vm);
    }
    instances(vm)
}

fn counted_method(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let _nested = Nested::enter(vm)?;
    own.call(args, vm)
}

/// The methods of a mapping proxy, which may be one of another.
const MAPPING: [&str; 6] = ["get", "items", "keys", "values", "copy", "__reversed__"];

/// Replaces the functions of the types of a native module that was just made.
pub(super) fn install_in(module: &Py<PyModule>, name: &str, vm: &VirtualMachine) -> PyResult<()> {
    if name == "_functools" {
        let partial = module.get_attr("partial", vm)?;
        if let Some(partial) = partial.downcast_ref::<PyType>()
            && let Some(own) = partial.slots.call.load()
            && !std::ptr::fn_addr_eq(own, call_partial as Call)
        {
            CALL_PARTIAL.get_or_init(|| own);
            partial.slots.call.store(Some(call_partial));
        }
    }
    Ok(())
}

/// `repr(staticmethod(f))`: the interpreter's own panics if `repr(f)` raises.
fn repr_wrapping_method(method: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    let is_static = method.fast_isinstance(vm.ctx.types.staticmethod_type);
    let name = if is_static { "staticmethod" } else { "classmethod" };
    let function = method.get_attr("__func__", vm)?.repr(vm)?;
    Ok(vm.ctx.new_str(format!("<{name}({})>", function.as_wtf8().to_string_lossy())))
}

type Call = fn(&PyObject, FuncArgs, &VirtualMachine) -> PyResult;
type Get = fn(PyObjectRef, Option<PyObjectRef>, Option<PyObjectRef>, &VirtualMachine) -> PyResult;
type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type SetAttribute = fn(&PyObject, &Py<PyStr>, PySetterValue, &VirtualMachine) -> PyResult<()>;

static NEW_TYPE: OnceLock<New> = OnceLock::new();
static SET_TYPE_ATTRIBUTE: OnceLock<SetAttribute> = OnceLock::new();

/// Counts the calls of instances whose class defines `__call__` or `__get__` in Python. The interpreter gives each such
/// class the same function, when the class is made and when its attribute is set.
fn instances(vm: &VirtualMachine) -> PyResult<()> {
    let type_type = vm.ctx.types.type_type;
    let attributes = vm.ctx.new_dict();
    for name in ["__call__", "__get__"] {
        let nothing = vm.new_function(name, |_args: FuncArgs, vm: &VirtualMachine| vm.ctx.none());
        attributes.set_item(name, nothing.into(), vm)?;
    }
    let bases = vm.ctx.new_tuple(Vec::new());
    let example = type_type.as_object().call((vm.ctx.new_str("Example"), bases, attributes), vm)?;
    if let Some(example) = example.downcast_ref::<PyType>() {
        if let Some(call) = example.slots.call.load() {
            CALL_INSTANCE.get_or_init(|| call);
        }
        if let Some(get) = example.slots.descr_get.load() {
            GET_INSTANCE.get_or_init(|| get);
        }
    }
    NEW_TYPE.get_or_init(|| type_type.slots.new.load().expect("types can be made"));
    type_type.slots.new.store(Some(new_type));
    SET_TYPE_ATTRIBUTE.get_or_init(|| type_type.slots.setattro.load().expect("types have attributes"));
    type_type.slots.setattro.store(Some(set_type_attribute));
    for name in ["__setattr__", "__delattr__"] {
        let set = move |own: &Own, args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            let class = args.args.first().cloned();
            let done = own.call(args, vm)?;
            if let Some(class) = class.as_ref().and_then(|class| class.downcast_ref::<PyType>()) {
                count_with_subclasses(class);
            }
            Ok(done)
        };
        around(type_type, name, set, vm);
    }
    Ok(())
}

fn new_type(metaclass: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let made = NEW_TYPE.get().expect(KEPT)(metaclass, args, vm)?;
    if let Some(class) = made.downcast_ref::<PyType>() {
        count(class);
    }
    Ok(made)
}

fn set_type_attribute(
    class: &PyObject,
    name: &Py<PyStr>,
    value: PySetterValue,
    vm: &VirtualMachine,
) -> PyResult<()> {
    SET_TYPE_ATTRIBUTE.get().expect(KEPT)(class, name, value, vm)?;
    if matches!(name.as_wtf8().as_str(), Ok("__call__" | "__get__" | "__bases__"))
        && let Some(class) = class.downcast_ref::<PyType>()
    {
        count_with_subclasses(class);
    }
    Ok(())
}

/// Replaces the interpreter's function for what is written in Python.
fn count(class: &Py<PyType>) {
    let slots = &class.slots;
    if let (Some(own), Some(call)) = (CALL_INSTANCE.get(), slots.call.load())
        && std::ptr::fn_addr_eq(call, *own)
    {
        slots.call.store(Some(call_instance));
    }
    if let (Some(own), Some(get)) = (GET_INSTANCE.get(), slots.descr_get.load())
        && std::ptr::fn_addr_eq(get, *own)
    {
        slots.descr_get.store(Some(get_instance as Get));
    }
}

fn count_with_subclasses(class: &Py<PyType>) {
    let mut open = vec![class.to_owned()];
    while let Some(class) = open.pop() {
        count(&class);
        let subclasses = class.subclasses.read();
        open.extend(subclasses.iter().filter_map(|weak| weak.upgrade()?.downcast::<PyType>().ok()));
    }
}
