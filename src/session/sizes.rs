//! Sizes that an argument decides: a result that would take more than the memory limit raises MemoryError before
//! anything is allocated. (An allocation that fails ends the program.)
//!
//! [`memory`](super::memory) does the same for operators.

use std::{
    cell::{Cell, RefCell},
    sync::OnceLock,
};

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{
        PyDict, PyFloat, PyInt, PyList, PyModule, PyRange, PySlice, PyStr, PyTuple, PyType, PyTypeRef,
    },
    function::FuncArgs,
    protocol::{PyMapping, PySequence},
};

use super::{
    guards::{check_and, check_first},
    memory::{as_float, check, check_power, check_shift, length, too_large},
    text_methods,
};

/// Installs the checks on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) -> PyResult<()> {
    let types = &vm.ctx.types;
    for class in [types.str_type, types.bytes_type, types.bytearray_type] {
        for name in ["center", "ljust", "rjust"] {
            check_first(class, name, padded_length, vm);
        }
        check_and(class, "zfill", padded_length, text_methods::zfill, vm);
        check_first(class, "expandtabs", tabs, vm);
        check_and(class, "replace", replacement, text_methods::replace, vm);
        check_first(class, "join", joined, vm);
    }
    check_first(types.str_type, "translate", translated, vm);
    for class in [types.str_type, types.bytes_type, types.bytearray_type, types.list_type, types.tuple_type] {
        for name in ["__mul__", "__rmul__"] {
            check_first(class, name, repeated, vm);
        }
    }
    for class in [types.list_type, types.bytearray_type] {
        check_first(class, "__imul__", repeated, vm);
    }
    check_and(types.str_type, "__format__", width, text_methods::format, vm);
    for class in [types.int_type, types.bool_type, types.float_type, types.complex_type] {
        check_first(class, "__format__", width, vm);
    }
    let list = types.list_type;
    let slots = (&list.slots.as_sequence.inplace_concat, &list.slots.as_mapping.ass_subscript);
    EXTEND_LIST.get_or_init(|| slots.0.load().expect("a list is extended"));
    slots.0.store(Some(extend_list));
    ASSIGN_LIST.get_or_init(|| slots.1.load().expect("a list is written"));
    slots.1.store(Some(assign_list));
    let counted_second = |args: &mut FuncArgs, vm: &VirtualMachine| {
        args.args.get_mut(1).map_or(Ok(()), |added| counted(added, vm))
    };
    check_first(list, "__iadd__", counted_second, vm);
    check_first(list, "__setitem__", assigned, vm);
    let int = types.int_type;
    check_first(int, "to_bytes", |args, vm| check(number(args, 1, "length", vm), vm), vm);
    check_first(int, "__lshift__", |args, vm| shift(args, 0, 1, vm), vm);
    check_first(int, "__rlshift__", |args, vm| shift(args, 1, 0, vm), vm);
    check_first(int, "__pow__", |args, vm| power(args, 0, 1, vm), vm);
    check_first(int, "__rpow__", |args, vm| power(args, 1, 0, vm), vm);
    check_first(int, "__round__", rounded, vm);
    NEW_BYTES.get_or_init(|| types.bytes_type.slots.new.load().expect("bytes can be made"));
    types.bytes_type.slots.new.store(Some(new_bytes));
    INIT_BYTEARRAY.get_or_init(|| types.bytearray_type.slots.init.load().expect("a bytearray is filled"));
    types.bytearray_type.slots.init.store(Some(init_bytearray));
    check_first(types.bytearray_type, "__init__", |args, vm| zeros(args, 1, vm), vm);
    // The interpreter's start imports this one.
    match vm.import("_io", 0)?.downcast_ref::<PyModule>() {
        Some(io) => install_in(io, "_io", vm),
        None => Ok(()),
    }
}

/// Installs the checks on the types of a native module that was just made.
pub(super) fn install_in(module: &Py<PyModule>, name: &str, vm: &VirtualMachine) -> PyResult<()> {
    thread_local! {
        /// The modules whose types have their checks: a module may be made again, its types are the same.
        static DONE: RefCell<Vec<String>> = RefCell::default();
    }
    if DONE.with_borrow(|done| done.iter().any(|known| known == name)) {
        return Ok(());
    }
    DONE.with_borrow_mut(|done| done.push(name.to_owned()));
    let class = |name: &'static str| -> PyResult<Option<&'static Py<PyType>>> {
        let found = module.get_attr(name, vm)?;
        // Types of native modules live as long as the thread.
        Ok(found.downcast::<PyType>().ok().map(|class| &**Box::leak(Box::new(class))))
    };
    match name {
        "_collections" => {
            if let Some(deque) = class("deque")? {
                for name in ["__mul__", "__rmul__", "__imul__"] {
                    check_first(deque, name, elements, vm);
                }
                let slots = &deque.slots.as_sequence;
                REPEAT_DEQUE.get_or_init(|| slots.repeat.load().expect("a deque can be repeated"));
                slots.repeat.store(Some(repeat_deque));
                IREPEAT_DEQUE.get_or_init(|| slots.inplace_repeat.load().expect("a deque can be repeated"));
                slots.inplace_repeat.store(Some(inplace_repeat_deque));
                DEQUE.set(Some(deque));
            }
        }
        "itertools" => {
            for (number, (name, ..)) in COUNTED.iter().enumerate() {
                let slot = class(name)?.map(|class| &class.slots.new);
                if let Some((slot, own)) = slot.and_then(|slot| Some((slot, slot.load()?))) {
                    NEW_COUNTED[number].get_or_init(|| own);
                    slot.store(Some(CHECKED_COUNTED[number]));
                }
            }
        }
        "_io" => {
            for name in ["BytesIO", "StringIO"] {
                if let Some(class) = class(name)? {
                    check_first(class, "seek", |args, vm| check(number(args, 1, "offset", vm), vm), vm);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

thread_local! {
    /// The type `deque`, once its module was imported.
    static DEQUE: Cell<Option<&'static Py<PyType>>> = const { Cell::new(None) };
}

type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;

static REPEAT_DEQUE: OnceLock<Repeat> = OnceLock::new();
static IREPEAT_DEQUE: OnceLock<Repeat> = OnceLock::new();

fn repeat_deque(deque: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    check_deque(deque.obj, times as f64, vm)?;
    REPEAT_DEQUE.get().expect(KEPT)(deque, times, vm)
}

fn inplace_repeat_deque(deque: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    check_deque(deque.obj, times as f64, vm)?;
    IREPEAT_DEQUE.get().expect(KEPT)(deque, times, vm)
}

fn elements(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let times = number(args, 1, "", vm);
    args.args.first().map_or(Ok(()), |deque| check_deque(deque, times, vm))
}

/// Whether a deque may be repeated so often. One with a `maxlen` never gets longer.
fn check_deque(deque: &PyObject, times: f64, vm: &VirtualMachine) -> PyResult<()> {
    let Some(class) = DEQUE.get().filter(|class| deque.fast_isinstance(class)) else {
        return Ok(());
    };
    let longest = deque.get_attr("maxlen", vm)?;
    if !vm.is_none(&longest) {
        return Ok(());
    }
    let length = class.slots.as_sequence.length.load().expect("a deque has a length");
    check(length(deque.sequence_unchecked(), vm)? as f64 * times * 8.0, vm)
}

type Concat = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult;
type Assign = fn(PyMapping<'_>, &PyObject, Option<PyObjectRef>, &VirtualMachine) -> PyResult<()>;

static EXTEND_LIST: OnceLock<Concat> = OnceLock::new();
static ASSIGN_LIST: OnceLock<Assign> = OnceLock::new();

fn extend_list(list: PySequence<'_>, added: &PyObject, vm: &VirtualMachine) -> PyResult {
    let mut added = added.to_owned();
    counted(&mut added, vm)?;
    EXTEND_LIST.get().expect(KEPT)(list, &added, vm)
}

fn assign_list(
    list: PyMapping<'_>,
    at: &PyObject,
    mut value: Option<PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if let Some(value) = &mut value
        && at.downcast_ref::<PySlice>().is_some()
    {
        counted(value, vm)?;
    }
    ASSIGN_LIST.get().expect(KEPT)(list, at, value, vm)
}

fn assigned(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    match &mut args.args[..] {
        [_, at, value] if at.downcast_ref::<PySlice>().is_some() => counted(value, vm),
        _ => Ok(()),
    }
}

/// Replaces values of unknown number by a list of them: the interpreter would allocate what their `__len__` returns.
fn counted(values: &mut PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    if values.downcast_ref::<PyList>().is_some() || values.downcast_ref::<PyTuple>().is_some() {
        return Ok(());
    }
    if values.downcast_ref::<PyRange>().is_some()
        && let Some(length) = values.length_opt(vm)
    {
        check(length? as f64 * 8.0, vm)?;
    }
    *values = vm.ctx.new_list(values.try_to_value::<Vec<PyObjectRef>>(vm)?).into();
    Ok(())
}

/// The types of `itertools` that make so many objects at once: the position of the number and its name.
const COUNTED: [(&str, usize, &str); 5] = [
    ("tee", 1, "n"),
    ("product", usize::MAX, "repeat"),
    ("combinations", 1, "r"),
    ("combinations_with_replacement", 1, "r"),
    ("permutations", 1, "r"),
];

static NEW_COUNTED: [OnceLock<New>; COUNTED.len()] = [const { OnceLock::new() }; COUNTED.len()];
static CHECKED_COUNTED: [New; COUNTED.len()] =
    [new_counted::<0>, new_counted::<1>, new_counted::<2>, new_counted::<3>, new_counted::<4>];

fn new_counted<const TYPE: usize>(class: PyTypeRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let (_, at, name) = COUNTED[TYPE];
    count(&mut args, at, name, vm)?;
    NEW_COUNTED[TYPE].get().expect(KEPT)(class, args, vm)
}

fn count(args: &mut FuncArgs, at: usize, name: &str, vm: &VirtualMachine) -> PyResult<()> {
    check(64.0 * number(args, at, name, vm), vm)
}

/// The most digits after the point: more take seconds, which nothing stops.
const MOST_DECIMALS: usize = 100_000_000;

/// `value.__format__(spec)`: the interpreter pads to a width of 31 bits.
fn width(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let Some(spec) = args.args.get(1).and_then(|spec| spec.downcast_ref::<PyStr>()) else {
        return Ok(());
    };
    let spec = spec.as_wtf8().to_string_lossy();
    let digits = |part: &str| {
        let numbers = part.split(|letter: char| !letter.is_ascii_digit());
        numbers.filter_map(|digits| digits.parse::<usize>().ok()).max()
    };
    let (padded, precision) = spec.split_once('.').unwrap_or((&spec, ""));
    // The precision of a text only shortens it. The interpreter leaves out digits after the 65,535th, but for floats.
    if let Some(value) = args.args.first().filter(|value| value.downcast_ref::<PyStr>().is_none())
        && let Some(precision) = digits(precision)
    {
        let is_float = value.downcast_ref::<PyFloat>().is_some() && !spec.contains(['#', 'z', 'n']);
        let most = if is_float { MOST_DECIMALS } else { usize::from(u16::MAX) };
        if precision > most {
            return Err(vm.new_value_error("precision too big"));
        }
        check(precision as f64, vm)?;
    }
    // More digits are an error of the interpreter's own.
    let Some(width) = digits(padded) else {
        return Ok(());
    };
    let bytes = width as f64 * if spec.is_ascii() { 1.0 } else { 4.0 };
    check(bytes, vm)?;
    match i32::try_from(width) {
        Ok(_) => Ok(()),
        Err(_) => Err(too_large(bytes, vm)),
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

fn padded_length(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let fill = args.args.get(2).map_or(1.0, |fill| length(fill).max(1.0));
    check(number(args, 1, "width", vm) * fill, vm)
}

fn tabs(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let size = number(args, 1, "tabsize", vm);
    check(args.args.first().map_or(0.0, |text| length(text)) * size, vm)
}

fn repeated(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let times = number(args, 1, "", vm);
    let Some(sequence) = args.args.first() else {
        return Ok(());
    };
    let is_list = sequence.downcast_ref::<PyList>().is_some() || sequence.downcast_ref::<PyTuple>().is_some();
    check(length(sequence) * times * if is_list { 8.0 } else { 1.0 }, vm)
}

/// `text.replace(old, new, count)`. Occurrences are counted only if there may be too many of them.
fn replacement(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let most = match args.args.len() > 3 || args.kwargs.contains_key("count") {
        true => number(args, 3, "count", vm),
        false => -1.0,
    };
    let most = if most < 0.0 { f64::INFINITY } else { most };
    let [text, old, new, ..] = &args.args[..] else {
        return Ok(());
    };
    let (size, each) = (length(text), length(new));
    let times = (size / length(old).max(1.0) + 1.0).min(most);
    if check(size + times * each, vm).is_ok() {
        return Ok(());
    }
    let types = &vm.ctx.types;
    let class = [types.str_type, types.bytes_type, types.bytearray_type]
        .into_iter()
        .find(|class| text.fast_isinstance(class));
    // A subclass may count otherwise.
    let Some(count) = class.and_then(|class| class.get_direct_attr(vm.ctx.intern_str("count"))) else {
        return Ok(());
    };
    let found = count.call((text.clone(), old.clone()), vm)?;
    let found = found.downcast_ref::<PyInt>().map_or(0.0, |found| as_float(found.as_bigint()));
    check(size + found.min(most) * each, vm)
}

/// `separator.join(parts)`. Parts that come one by one are gathered first, as the interpreter does.
fn joined(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [separator, parts] = &mut args.args[..] else {
        return Ok(());
    };
    let is_text = separator.downcastable::<PyStr>();
    let all_texts = |parts: &[PyObjectRef]| match parts
        .iter()
        .enumerate()
        .find(|(_, part)| is_text && !part.downcastable::<PyStr>())
    {
        Some((index, part)) => Err(vm.new_type_error(format!(
            "sequence item {index}: expected str instance, {} found",
            part.class().name()
        ))),
        None => Ok(()),
    };
    let sum = |parts: &[PyObjectRef]| parts.iter().map(|part| length(part)).sum::<f64>();
    let (count, sum) = if let Some(parts) = parts.downcast_ref::<PyStr>() {
        (parts.as_wtf8().len(), parts.as_wtf8().len() as f64)
    } else if let Some(parts) = parts.downcast_ref::<PyTuple>() {
        all_texts(parts.as_slice())?;
        (parts.as_slice().len(), sum(parts.as_slice()))
    } else {
        if parts.downcast_ref::<PyList>().is_none() {
            *parts = vm.ctx.new_list(parts.try_to_value::<Vec<PyObjectRef>>(vm)?).into();
        }
        let Some(parts) = parts.downcast_ref::<PyList>() else {
            return Ok(());
        };
        let parts = parts.borrow_vec();
        all_texts(&parts)?;
        (parts.len(), sum(&parts))
    };
    check(length(separator) * count.saturating_sub(1) as f64 + sum, vm)
}

fn translated(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [text, table] = &args.args[..] else {
        return Ok(());
    };
    let longest = table.downcast_ref::<PyDict>().map_or(1.0, |table| {
        let lengths = table.into_iter().map(|(_, new)| match new.downcast_ref::<PyStr>() {
            Some(new) => new.as_wtf8().len() as f64,
            None => 4.0,
        });
        lengths.fold(1.0, f64::max)
    });
    check(length(text) * longest, vm)
}

fn integers(args: &FuncArgs, a: usize, b: usize) -> Option<(&PyObject, &PyObject)> {
    Some((args.args.get(a)?.as_object(), args.args.get(b)?.as_object()))
}

fn shift(args: &FuncArgs, value: usize, by: usize, vm: &VirtualMachine) -> PyResult<()> {
    integers(args, value, by).map_or(Ok(()), |(value, by)| check_shift(value, by, vm))
}

fn power(args: &FuncArgs, base: usize, exponent: usize, vm: &VirtualMachine) -> PyResult<()> {
    let has_modulus = args.args.get(2).is_some_and(|modulus| !vm.is_none(modulus));
    match integers(args, base, exponent) {
        Some((base, exponent)) if !has_modulus => check_power(base, exponent, vm),
        _ => Ok(()),
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
