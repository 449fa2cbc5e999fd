//! Sizes that an argument decides, where a learner may get them wrong: `bytes(10**12)` raises MemoryError before anything is
//! allocated. [`memory`](super::memory) does the same for operators. What no check foresees ends the process: its memory
//! is limited by the system.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyFloat, PyInt, PyList, PyStr, PyTuple, PyTypeRef},
    function::FuncArgs,
};

use super::{
    guards::{Own, around, check_first},
    memory::{as_float, check},
    text_methods,
};

/// Installs the checks on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        around(class, "zfill", text_methods::zfill, vm);
        around(class, "replace", text_methods::replace, vm);
    }
    around(types.str_type, "expandtabs", expand_tabs, vm);
    check_first(types.str_type, "join", joined, vm);
    around(types.str_type, "__format__", text_methods::format, vm);
    for class in [types.int_type, types.bool_type, types.float_type, types.complex_type] {
        check_first(class, "__format__", precision, vm);
    }
    check_first(types.int_type, "__round__", rounded, vm);
    NEW_BYTES.get_or_init(|| types.bytes_type.slots.new.load().expect("bytes can be made"));
    types.bytes_type.slots.new.store(Some(new_bytes));
    INIT_BYTEARRAY.get_or_init(|| types.bytearray_type.slots.init.load().expect("a bytearray is filled"));
    types.bytearray_type.slots.init.store(Some(init_bytearray));
}

/// The most digits after the point: more take seconds, which nothing stops.
const MOST_DECIMALS: usize = 100_000_000;

/// `value.__format__(spec)`: of a number the interpreter leaves out digits after the 65,535th, but for floats. The precision
/// of a text only shortens it.
fn precision(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [value, spec, ..] = &args.args[..] else { return Ok(()) };
    let Some(spec) = spec.downcast_ref::<PyStr>().map(|spec| spec.as_wtf8().to_string_lossy()) else {
        return Ok(());
    };
    let Some((_, precision)) = spec.split_once('.') else {
        return Ok(());
    };
    let is_float = value.downcast_ref::<PyFloat>().is_some() && !spec.contains(['#', 'z', 'n']);
    let most = if is_float { MOST_DECIMALS } else { usize::from(u16::MAX) };
    let mut numbers = precision.split(|letter: char| !letter.is_ascii_digit());
    match numbers.any(|digits| digits.parse::<usize>().is_ok_and(|number| number > most)) {
        true => Err(vm.new_value_error("precision too big")),
        false => Ok(()),
    }
}

/// `text.expandtabs(0)` removes tabs; the interpreter counts below 0.
fn expand_tabs(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let size = args.args.get(1).or_else(|| args.kwargs.get("tabsize"));
    let is_none = size.is_some_and(|size| {
        size.downcast_ref::<PyInt>().is_some_and(|size| as_float(size.as_bigint()) <= 0.0)
    });
    match args.args.first().and_then(|text| text.downcast_ref::<PyStr>()?.to_str()) {
        Some(text) if is_none && args.args.len() + args.kwargs.len() == 2 => {
            Ok(vm.ctx.new_str(text.replace('\t', "")).into())
        }
        _ => own.call(args, vm),
    }
}

/// `text.join(parts)`: the message about what is no text names its position. Parts that come one by one are gathered first,
/// as CPython does.
fn joined(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [_, parts] = &mut args.args[..] else { return Ok(()) };
    if parts.downcast_ref::<PyStr>().is_some() {
        return Ok(());
    }
    if parts.downcast_ref::<PyTuple>().is_none() && parts.downcast_ref::<PyList>().is_none() {
        *parts = vm.ctx.new_list(parts.try_to_value::<Vec<PyObjectRef>>(vm)?).into();
    }
    let all_texts = |parts: &[PyObjectRef]| match parts.iter().position(|part| !part.downcastable::<PyStr>())
    {
        Some(index) => Err(vm.new_type_error(format!(
            "sequence item {index}: expected str instance, {} found",
            parts[index].class().name()
        ))),
        None => Ok(()),
    };
    if let Some(parts) = parts.downcast_ref::<PyTuple>() {
        all_texts(parts.as_slice())
    } else if let Some(parts) = parts.downcast_ref::<PyList>() {
        all_texts(&parts.borrow_vec())
    } else {
        Ok(())
    }
}

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;
type Init = fn(PyObjectRef, FuncArgs, &VirtualMachine) -> PyResult<()>;

static NEW_BYTES: OnceLock<New> = OnceLock::new();
static INIT_BYTEARRAY: OnceLock<Init> = OnceLock::new();

/// Why the original of a replaced slot is always there.
const KEPT: &str = "install() keeps the original before it replaces the slot";

fn new_bytes(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    zeros(&mut args, 0, vm)?;
    NEW_BYTES.get().expect(KEPT)(class, args, vm)
}

fn init_bytearray(bytes: PyObjectRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    zeros(&mut args, 0, vm)?;
    INIT_BYTEARRAY.get().expect(KEPT)(bytes, args, vm)
}

/// The integer at this position or of this name, 0 if there is none. It replaces an object that has one to give, so that
/// the size that is checked is the size that is allocated.
fn number(args: &mut FuncArgs, at: usize, name: &str, vm: &VirtualMachine) -> f64 {
    let given = match args.args.get_mut(at) {
        Some(given) => Some(given),
        None => args.kwargs.get_mut(name),
    };
    let Some(given) = given else {
        return 0.0;
    };
    match given.try_index(vm) {
        Ok(integer) => {
            let size = as_float(integer.as_bigint());
            *given = integer.into();
            size
        }
        Err(_) => 0.0,
    }
}

fn zeros(args: &mut FuncArgs, at: usize, vm: &VirtualMachine) -> PyResult<()> {
    let has_bytes = |given: &PyObjectRef| {
        given.downcast_ref::<PyInt>().is_none()
            && given.class().get_attr(vm.ctx.intern_str("__bytes__")).is_some()
    };
    match args.args.get(at).is_some_and(has_bytes) {
        true => Ok(()),
        false => check(number(args, at, "source", vm), vm),
    }
}

/// `int.__round__(ndigits)`: no more places are rounded away than there are.
fn rounded(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let digits = number(args, 1, "ndigits", vm);
    let bits = args
        .args
        .first()
        .and_then(|value| value.downcast_ref::<PyInt>())
        .map(|value| value.as_bigint().bits());
    if let (Some(bits), Some(given)) = (bits, args.args.get_mut(1))
        && digits < -(bits as f64)
        && !vm.is_none(given)
    {
        *given = vm.ctx.new_int(-(bits as i64) - 1).into();
    }
    Ok(())
}
