//! Sizes that an argument decides, where a learner may get them wrong: `bytes(10**12)` raises MemoryError before anything is
//! allocated. [`memory`](super::memory) does the same for operators. What no check foresees ends the process: its memory
//! is limited by the system.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyList, PyTuple, PyTypeRef},
    function::FuncArgs,
    types::PyTypeFlags,
};

use super::guards::{KEPT, check_first, replace_slot};
use super::memory::{as_float, check};

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type Init = fn(PyObjectRef, FuncArgs, &VirtualMachine) -> PyResult<()>;

/// The originals of `bytes` and `tuple`, and of `bytearray` and `list`: the first takes a size, the second elements.
static NEW: [OnceLock<New>; 2] = [const { OnceLock::new() }; 2];
static INIT: [OnceLock<Init>; 2] = [const { OnceLock::new() }; 2];

/// Installs the checks on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    check_first(types.list_type, "extend", |args, vm| first_expected(args, 1, vm), vm);
    // What has no function for such a call of its own is made by `init`.
    types.list_type.slots.vectorcall.store(None);
    for (at, class) in [types.bytes_type, types.tuple_type].into_iter().enumerate() {
        replace_slot!(class.slots.new, NEW[at], [new::<0>, new::<1>][at]);
    }
    for (at, class) in [types.bytearray_type, types.list_type].into_iter().enumerate() {
        replace_slot!(class.slots.init, INIT[at], [init::<0>, init::<1>][at]);
    }
}

/// The builtin that returns `x` of `[*x]` and `f(*x)`, if memory has room for its elements.
pub(super) const CHECK_STARRED: &str = "__attn_starred__";

/// Adds the check of this interpreter's starred objects.
pub(super) fn install_function(vm: &VirtualMachine) -> PyResult<()> {
    let check = |mut iterable: PyObjectRef, vm: &VirtualMachine| -> PyResult {
        if iterable.class().slots.iter.load().is_some() {
            expected(&mut iterable, vm)?;
        }
        Ok(iterable)
    };
    vm.builtins.set_attr(CHECK_STARRED, vm.new_function(CHECK_STARRED, check), vm)
}

fn new<const TYPE: usize>(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let checked = if TYPE == 0 { zeros(&mut args, vm) } else { first_expected(&mut args, 0, vm) };
    checked?;
    NEW[TYPE].get().expect(KEPT)(class, args, vm)
}

fn init<const TYPE: usize>(object: PyObjectRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let checked = if TYPE == 0 { zeros(&mut args, vm) } else { first_expected(&mut args, 0, vm) };
    checked?;
    INIT[TYPE].get().expect(KEPT)(object, args, vm)
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

fn first_expected(args: &mut FuncArgs, at: usize, vm: &VirtualMachine) -> PyResult<()> {
    args.args.get_mut(at).map_or(Ok(()), |iterable| expected(iterable, vm))
}

/// `list(iterable)` and the like: where the object says that it is longer than any list, the interpreter takes nothing of
/// it. RustPython's pull request 6636 has no such check either.
pub(super) fn expected(iterable: &mut PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let class = iterable.class();
    let types = &vm.ctx.types;
    let written_in_python = class.slots.flags.has_feature(PyTypeFlags::HEAPTYPE);
    let is_known = [types.list_type, types.tuple_type, types.dict_type, types.str_type, types.generator_type];
    if is_known.iter().any(|known| class.is(*known))
        || iterable.downcastable::<PyList>()
        || iterable.downcastable::<PyTuple>()
    {
        return Ok(());
    }
    let asks = written_in_python && class.get_attr(vm.ctx.intern_str("__length_hint__")).is_some();
    if let Some(length) = vm.length_hint_opt(iterable.clone())?
        && let Err(error) = check(length as f64 * 8.0, vm)
    {
        // In CPython's order: what cannot be iterated over says so first.
        iterable.get_iter(vm)?;
        return Err(error);
    }
    if asks {
        // It is not asked a second time.
        let iterator = iterable.get_iter(vm)?;
        let elements = iterator.iter_without_hint(vm)?.collect::<PyResult<Vec<PyObjectRef>>>()?;
        *iterable = vm.ctx.new_list(elements).into();
    }
    Ok(())
}
