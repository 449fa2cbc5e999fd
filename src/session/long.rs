//! Operations on lists, integers and what is repeated, so long that each takes seconds: they look whether the cell is to stop.

use std::sync::OnceLock;

use malachite_bigint::{BigInt, Sign};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyBytes, PyInt, PyList, PyStr, PyTuple, PyType},
    function::FuncArgs,
    protocol::PySequence,
};

use super::guards::{Own, around};
use crate::kernel::stop;

/// The bytes of a part, and of what is not long.
pub(super) const STEP: usize = 1 << 22;
/// Elements that are compared before native code looks whether the cell is to stop.
const COMPARED: usize = 1 << 16;

pub(super) fn check(vm: &VirtualMachine) -> PyResult<()> {
    stop::from_native(|| vm.check_signals())
}

/// The exception of an allocation that failed.
pub(super) fn no_room(vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_memory_error("the system has no room for this".to_owned())
}

/// Installs the operations on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for (class, own, replacement) in [
        (types.list_type, &LIST_CONTAINS, contains_element as Contains),
        (types.tuple_type, &TUPLE_CONTAINS, contains_element),
    ] {
        let slot = &class.slots.as_sequence.contains;
        own.get_or_init(|| slot.load().expect("a sequence can be searched"));
        slot.store(Some(replacement));
    }
    for class in [types.list_type, types.tuple_type] {
        around(class, "index", index, vm);
        around(class, "count", count, vm);
    }
}

/// Why the original of a replaced slot is always there.
const KEPT: &str = "install() keeps the original before it replaces the slot";

type Contains = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult<bool>;

static LIST_CONTAINS: OnceLock<Contains> = OnceLock::new();
static TUPLE_CONTAINS: OnceLock<Contains> = OnceLock::new();

fn length(sequence: &PyObject) -> usize {
    match sequence.downcast_ref::<PyList>() {
        Some(list) => list.borrow_vec().len(),
        None => sequence.downcast_ref::<PyTuple>().map_or(0, |tuple| tuple.as_slice().len()),
    }
}

/// The positions of the elements of a list or tuple that are equal to `wanted`. Comparing may change the list.
pub(super) fn positions<'a>(
    sequence: &'a PyObject,
    wanted: &'a PyObject,
    vm: &'a VirtualMachine,
) -> impl Iterator<Item = PyResult<usize>> + 'a {
    let element = |at: usize| match sequence.downcast_ref::<PyList>() {
        Some(list) => list.borrow_vec().get(at).cloned(),
        None => sequence.downcast_ref::<PyTuple>()?.as_slice().get(at).cloned(),
    };
    let elements = (0..).map_while(move |at| Some((at, element(at)?)));
    elements.filter_map(move |(at, element)| {
        if at.is_multiple_of(COMPARED)
            && let Err(stopped) = check(vm)
        {
            return Some(Err(stopped));
        }
        let equal = if element.is(wanted) { Ok(true) } else { vm.bool_eq(&element, wanted) };
        equal.map(|equal| equal.then_some(at)).transpose()
    })
}

/// `element in sequence`.
fn contains_element(sequence: PySequence<'_>, wanted: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    if length(sequence.obj) > COMPARED {
        return positions(sequence.obj, wanted, vm).next().transpose().map(|found| found.is_some());
    }
    let is_list = sequence.obj.fast_isinstance(vm.ctx.types.list_type);
    let own = if is_list { &LIST_CONTAINS } else { &TUPLE_CONTAINS };
    own.get().expect(KEPT)(sequence, wanted, vm)
}

/// The sequence and the element of a call that names nothing else, if the sequence is long.
fn long_call(args: &FuncArgs) -> Option<(PyObjectRef, PyObjectRef)> {
    match &args.args[..] {
        [sequence, wanted] if args.kwargs.is_empty() && length(sequence) > COMPARED => {
            Some((sequence.clone(), wanted.clone()))
        }
        _ => None,
    }
}

/// `sequence.index(element)`.
fn index(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some((sequence, wanted)) = long_call(&args) else {
        return own.call(args, vm);
    };
    if let Some(at) = positions(&sequence, &wanted, vm).next().transpose()? {
        return Ok(vm.ctx.new_int(at).into());
    }
    let text = match sequence.downcast_ref::<PyList>() {
        Some(_) => format!("{} is not in list", wanted.repr(vm)?.as_wtf8().to_string_lossy()),
        None => "tuple.index(x): x not in tuple".to_owned(),
    };
    Err(vm.new_value_error(text))
}

/// `sequence.count(element)`.
fn count(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let Some((sequence, wanted)) = long_call(&args) else {
        return own.call(args, vm);
    };
    let found = positions(&sequence, &wanted, vm).try_fold(0_usize, |count, at| at.map(|_| count + 1))?;
    Ok(vm.ctx.new_int(found).into())
}

/// `sequence * times`, if the result is long. Errors: MemoryError, if there is no room for it.
pub(super) fn repeated(
    sequence: &PyObject,
    times: isize,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let times = usize::try_from(times).unwrap_or(0);
    let is_long = |length: usize| length > 0 && length.saturating_mul(times) > STEP;
    let types = &vm.ctx.types;
    let exact = |class: &Py<PyType>| sequence.class().is(class);
    if exact(types.str_type)
        && let Some(text) = sequence.downcast_ref::<PyStr>().and_then(|text| text.to_str())
        && is_long(text.len())
    {
        let bytes = repeated_elements(text.as_bytes(), times, vm)?;
        let text = String::from_utf8(bytes).expect("whole texts follow each other");
        return Ok(Some(vm.ctx.new_str(text).into()));
    }
    if exact(types.bytes_type)
        && let Some(bytes) = sequence.downcast_ref::<PyBytes>()
        && is_long(bytes.as_bytes().len())
    {
        return Ok(Some(vm.ctx.new_bytes(repeated_elements(bytes.as_bytes(), times, vm)?).into()));
    }
    if exact(types.list_type)
        && let Some(list) = sequence.downcast_ref::<PyList>()
        && is_long(list.borrow_vec().len())
    {
        return Ok(Some(vm.ctx.new_list(repeated_elements(&list.borrow_vec(), times, vm)?).into()));
    }
    if exact(types.tuple_type)
        && let Some(tuple) = sequence.downcast_ref::<PyTuple>()
        && is_long(tuple.as_slice().len())
    {
        return Ok(Some(vm.ctx.new_tuple(repeated_elements(tuple.as_slice(), times, vm)?).into()));
    }
    Ok(None)
}

fn repeated_elements<T: Clone>(elements: &[T], times: usize, vm: &VirtualMachine) -> PyResult<Vec<T>> {
    let size = elements.len() * times;
    let mut all: Vec<T> = Vec::new();
    if all.try_reserve_exact(size).is_err() {
        return Err(no_room(vm));
    }
    // A part of a few megabytes is copied faster than single elements.
    while all.len() < size.min(STEP) {
        all.extend_from_slice(&elements[..elements.len().min(size - all.len())]);
    }
    let part = all.len();
    while all.len() < size {
        check(vm)?;
        let end = part.min(size - all.len());
        all.extend_from_within(..end);
    }
    Ok(all)
}

/// The products of bits for which a power of remainders is computed step by step.
const LONG_POWER: f64 = 1e8;

/// `pow(base, exponent, modulus)` of large integers. `None`: the interpreter computes it.
pub(super) fn power(
    base: &PyObject,
    exponent: &PyObject,
    modulus: &PyObject,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let integer = |object: &PyObject| object.downcast_ref::<PyInt>().map(|it| it.as_bigint().clone());
    let (Some(base), Some(exponent), Some(modulus)) = (integer(base), integer(exponent), integer(modulus))
    else {
        return Ok(None);
    };
    let is_long = exponent.bits() as f64 * modulus.bits() as f64 > LONG_POWER;
    if !is_long || exponent.sign() == Sign::Minus || modulus.sign() == Sign::NoSign {
        return Ok(None);
    }
    let size = if modulus.sign() == Sign::Minus { -&modulus } else { modulus.clone() };
    let zero = BigInt::from(0);
    let base = ((base % &size) + &size) % &size;
    let mut result = BigInt::from(1) % &size;
    for bit in (0..exponent.bits()).rev() {
        check(vm)?;
        result = &result * &result % &size;
        if exponent.bit(bit) {
            result = result * &base % &size;
        }
    }
    // The result has the sign of the modulus.
    if modulus.sign() == Sign::Minus && result != zero {
        result += modulus;
    }
    Ok(Some(vm.ctx.new_bigint(&result).into()))
}
