//! Sizes that an argument decides, where a learner may get them wrong: `bytes(10**12)` raises MemoryError before anything is
//! allocated. [`memory`](super::memory) does the same for operators. What no check foresees ends the process: its memory
//! is limited by the system.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyDict, PyFloat, PyInt, PyList, PyModule, PyStr, PyTuple, PyType, PyTypeRef},
    function::FuncArgs,
    types::PyTypeFlags,
};

use super::{
    guards::{Own, around, check_first},
    memory::{as_float, check},
    text_methods,
};

/// Installs the checks on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    around(types.str_type, "replace", text_methods::replace, vm);
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        for name in ["center", "ljust", "rjust"] {
            check_first(class, name, width, vm);
        }
        let zfill = |own: &Own, mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
            width(&mut args, vm)?;
            text_methods::zfill(own, args, vm)
        };
        around(class, "zfill", zfill, vm);
        around(class, "expandtabs", expand_tabs, vm);
    }
    check_first(types.str_type, "join", joined, vm);
    around(types.str_type, "__format__", text_methods::format, vm);
    for class in [types.int_type, types.bool_type, types.float_type, types.complex_type] {
        check_first(class, "__format__", precision, vm);
    }
    check_first(types.int_type, "__round__", rounded, vm);
    check_first(types.int_type, "to_bytes", |args, vm| check(number(args, 1, "length", vm), vm), vm);
    check_first(types.list_type, "extend", |args, vm| first_expected(args, 1, vm), vm);
    INIT_LIST.get_or_init(|| types.list_type.slots.init.load().expect("a list is filled"));
    types.list_type.slots.init.store(Some(init_list));
    CALL_LIST.get_or_init(|| types.list_type.slots.vectorcall.load().expect("a list can be made"));
    types.list_type.slots.vectorcall.store(Some(call_list));
    NEW_TUPLE.get_or_init(|| types.tuple_type.slots.new.load().expect("a tuple can be made"));
    types.tuple_type.slots.new.store(Some(new_tuple));
    NEW_BYTES.get_or_init(|| types.bytes_type.slots.new.load().expect("bytes can be made"));
    types.bytes_type.slots.new.store(Some(new_bytes));
    INIT_BYTEARRAY.get_or_init(|| types.bytearray_type.slots.init.load().expect("a bytearray is filled"));
    types.bytearray_type.slots.init.store(Some(init_bytearray));
    for name in ["BaseExceptionGroup", "ExceptionGroup"] {
        let class = vm.builtins.get_attr(name, vm)?;
        if let Some(class) = class.downcast_ref::<PyType>() {
            NEW_GROUP.get_or_init(|| class.slots.new.load().expect("a group can be made"));
            class.slots.new.store(Some(new_group));
        }
    }
    Ok(())
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

/// `text.center(width)` and the like.
fn width(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    check(number(args, 1, "width", vm), vm)
}

/// `text.expandtabs(0)` removes tabs; the interpreter counts below 0, and of no text at all it divides by 0.
fn expand_tabs(own: &Own, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let is_given = args.args.len() + args.kwargs.len() == 2;
    let size = number(&mut args, 1, "tabsize", vm);
    check(size, vm)?;
    match args.args.first() {
        Some(text) if is_given && size <= 0.0 => {
            let (tab, nothing): (PyObjectRef, PyObjectRef) = match text.downcast_ref::<PyStr>() {
                Some(_) => (vm.ctx.new_str("\t").into(), vm.ctx.empty_str.to_owned().into()),
                None => (vm.ctx.new_bytes(b"\t".to_vec()).into(), vm.ctx.new_bytes(Vec::new()).into()),
            };
            vm.call_method(text, "replace", (tab, nothing))
        }
        _ => own.call(args, vm),
    }
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

fn first_expected(args: &mut FuncArgs, at: usize, vm: &VirtualMachine) -> PyResult<()> {
    args.args.get_mut(at).map_or(Ok(()), |iterable| expected(iterable, vm))
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
type Vectorcall = fn(&PyObject, Vec<PyObjectRef>, usize, Option<&[PyObjectRef]>, &VirtualMachine) -> PyResult;
type Init = fn(PyObjectRef, FuncArgs, &VirtualMachine) -> PyResult<()>;

static NEW_BYTES: OnceLock<New> = OnceLock::new();
static INIT_BYTEARRAY: OnceLock<Init> = OnceLock::new();
static INIT_LIST: OnceLock<Init> = OnceLock::new();
static CALL_LIST: OnceLock<Vectorcall> = OnceLock::new();
static NEW_TUPLE: OnceLock<New> = OnceLock::new();
static NEW_GROUP: OnceLock<New> = OnceLock::new();

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

fn init_list(list: PyObjectRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    first_expected(&mut args, 0, vm)?;
    INIT_LIST.get().expect(KEPT)(list, args, vm)
}

fn call_list(
    class: &PyObject,
    mut args: Vec<PyObjectRef>,
    count: usize,
    names: Option<&[PyObjectRef]>,
    vm: &VirtualMachine,
) -> PyResult {
    args.first_mut().map_or(Ok(()), |iterable| expected(iterable, vm))?;
    CALL_LIST.get().expect(KEPT)(class, args, count, names, vm)
}

fn new_tuple(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    first_expected(&mut args, 0, vm)?;
    NEW_TUPLE.get().expect(KEPT)(class, args, vm)
}

/// `ExceptionGroup(message, exceptions)`: the interpreter gathers all of an iterator first, which may have no end.
fn new_group(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let no_sequence = |given: &PyObjectRef| {
        given.class().get_attr(vm.ctx.intern_str("__getitem__")).is_none() || given.downcastable::<PyDict>()
    };
    match args.args.get(1).is_some_and(no_sequence) {
        true => Err(vm.new_type_error("second argument (exceptions) must be a sequence")),
        false => NEW_GROUP.get().expect(KEPT)(class, args, vm),
    }
}

/// Installs the checks on the types of `itertools`, which was just made.
pub(super) fn install_in(itertools: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    for (number, name) in COMBINING.into_iter().enumerate() {
        if let Some(class) = itertools.get_attr(name, vm)?.downcast_ref::<PyType>() {
            NEW_COMBINING[number].get_or_init(|| class.slots.new.load().expect("combinations can be made"));
            class.slots.new.store(Some(CHECKED[number]));
        }
    }
    Ok(())
}

/// The iterators that hold as many places as an argument says.
const COMBINING: [&str; 4] = ["combinations", "combinations_with_replacement", "permutations", "product"];
const PRODUCT: usize = 3;

static NEW_COMBINING: [OnceLock<New>; 4] = [const { OnceLock::new() }; 4];
static CHECKED: [New; 4] =
    [new_combining::<0>, new_combining::<1>, new_combining::<2>, new_combining::<PRODUCT>];

fn new_combining<const KIND: usize>(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let places = match KIND {
        PRODUCT => number(&mut args, usize::MAX, "repeat", vm) * args.args.len() as f64,
        _ => number(&mut args, 1, "r", vm),
    };
    if places.is_infinite() {
        return Err(vm.new_overflow_error("Python int too large to convert to C ssize_t"));
    }
    check(places * 64.0, vm)?;
    NEW_COMBINING[KIND].get().expect("install() keeps it")(class, args, vm)
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
    if args.args.get(at).is_some_and(has_bytes) {
        return Ok(());
    }
    check(number(args, at, "source", vm), vm)?;
    first_expected(args, at, vm)
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
