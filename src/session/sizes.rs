//! Sizes that an argument decides, where a learner may get them wrong: `bytes(10**12)` raises MemoryError before anything is
//! allocated. [`memory`](super::memory) does the same for operators. What no check foresees ends the process: its memory
//! is limited by the system.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyList, PyTuple, PyTypeRef},
    function::FuncArgs,
};

use super::guards::check_first;
use super::memory::{as_float, check};

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type Init = fn(PyObjectRef, FuncArgs, &VirtualMachine) -> PyResult<()>;

static NEW_BYTES: OnceLock<New> = OnceLock::new();
static INIT_BYTEARRAY: OnceLock<Init> = OnceLock::new();
static INIT_LIST: OnceLock<Init> = OnceLock::new();
static NEW_TUPLE: OnceLock<New> = OnceLock::new();

/// Why the original of a replaced slot is always there.
const KEPT: &str = "install() keeps the original before it replaces the slot";

/// Installs the checks on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    check_first(types.list_type, "extend", |args, vm| first_expected(args, 1, vm), vm);
    // What has no function for such a call of its own is made by `init`.
    types.list_type.slots.vectorcall.store(None);
    for (class, own, init) in [
        (types.list_type, &INIT_LIST, init_list as Init),
        (types.bytearray_type, &INIT_BYTEARRAY, init_bytearray),
    ] {
        own.get_or_init(|| class.slots.init.load().expect("it is filled after it is made"));
        class.slots.init.store(Some(init));
    }
    for (class, own, new) in
        [(types.tuple_type, &NEW_TUPLE, new_tuple as New), (types.bytes_type, &NEW_BYTES, new_bytes)]
    {
        own.get_or_init(|| class.slots.new.load().expect("it can be made"));
        class.slots.new.store(Some(new));
    }
}

fn new_bytes(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    zeros(&mut args, vm)?;
    NEW_BYTES.get().expect(KEPT)(class, args, vm)
}

fn init_bytearray(bytes: PyObjectRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    zeros(&mut args, vm)?;
    INIT_BYTEARRAY.get().expect(KEPT)(bytes, args, vm)
}

fn init_list(list: PyObjectRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    first_expected(&args, 0, vm)?;
    INIT_LIST.get().expect(KEPT)(list, args, vm)
}

fn new_tuple(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    first_expected(&args, 0, vm)?;
    NEW_TUPLE.get().expect(KEPT)(class, args, vm)
}

/// `bytes(10**12)`. An object that gives an integer gives it once.
fn zeros(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    if let Some(given) = args.args.first_mut()
        && given.class().get_attr(vm.ctx.intern_str("__bytes__")).is_none()
        && let Some(Ok(size)) = given.try_index_opt(vm)
    {
        check(as_float(size.as_bigint()), vm)?;
        *given = size.into();
    }
    Ok(())
}

fn first_expected(args: &FuncArgs, at: usize, vm: &VirtualMachine) -> PyResult<()> {
    args.args.get(at).map_or(Ok(()), |iterable| expected(iterable, vm))
}

/// `list(iterable)` and the like: where the object says that it is longer than any list, the interpreter takes nothing of
/// it. RustPython's pull request 6636 has no such check either.
pub(super) fn expected(iterable: &PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let class = iterable.class();
    let types = &vm.ctx.types;
    let is_known = [types.list_type, types.tuple_type, types.dict_type, types.str_type, types.generator_type];
    if is_known.iter().any(|known| class.is(*known))
        || iterable.downcastable::<PyList>()
        || iterable.downcastable::<PyTuple>()
    {
        return Ok(());
    }
    if let Some(length) = vm.length_hint_opt(iterable.clone())?
        && let Err(error) = check(length as f64 * 8.0, vm)
    {
        // In CPython's order: what cannot be iterated over says so first.
        iterable.get_iter(vm)?;
        return Err(error);
    }
    Ok(())
}
