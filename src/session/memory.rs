//! The memory limit of a session: an object that is too large raises MemoryError before it is allocated, and a
//! watching thread stops a cell that grows step by step.
//!
//! The checks wrap the interpreter's own `*`, `**`, `<<` and `repr`. Iterators that may be endless check for
//! signals, so that `list(iter(int, 1))` can be stopped.

use std::{
    cell::Cell,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread::Thread,
    time::Duration,
};

use malachite_bigint::{BigInt, Sign};
use rustpython_vm::{
    AsObject, Py, PyObject, PyRef, PyResult, VirtualMachine,
    builtins::{PyBaseExceptionRef, PyByteArray, PyBytes, PyInt, PyList, PyStr, PyTuple, PyType},
    function::FuncArgs,
    protocol::{PyIterReturn, PySequence},
};

use super::guards::check_first;
use super::interrupt::{Interrupter, StopReason};
use super::iterators::tick;
use super::machine::{FALLBACK, resident};
use crate::kernel::stop;
use crate::tensor::size_in_words;

thread_local! {
    /// The limit in bytes. It is a thread-local because the checks are plain functions without state.
    static LIMIT: Cell<usize> = const { Cell::new(FALLBACK) };
}

/// Sets the limit for this thread's session and installs the checks.
pub(super) fn install(limit: usize, vm: &VirtualMachine) {
    LIMIT.with(|cell| cell.set(limit));
    crate::tensor::set_memory_limit(limit as u64);
    let types = &vm.ctx.types;
    for (class, originals) in [
        (types.list_type, &LIST),
        (types.tuple_type, &TUPLE),
        (types.str_type, &STR),
        (types.bytes_type, &BYTES),
        (types.bytearray_type, &BYTEARRAY),
    ] {
        let slots = &class.slots.as_sequence;
        if let Some(repeat) = slots.repeat.load() {
            originals.repeat.get_or_init(|| repeat);
            slots.repeat.store(Some(repeat_within_limit));
        }
        for name in ["__mul__", "__rmul__", "__imul__"] {
            if class.get_direct_attr(vm.ctx.intern_str(name)).is_some() {
                check_first(class, name, check_repetition, vm);
            }
        }
        if let Some(repeat) = slots.inplace_repeat.load() {
            originals.inplace.get_or_init(|| repeat);
            slots.inplace_repeat.store(Some(inplace_repeat_within_limit));
        }
    }
    for class in [types.int_type, types.bool_type] {
        let numbers = &class.slots.as_number;
        POWER.get_or_init(|| numbers.power.load().expect("int has **"));
        numbers.power.store(Some(power_within_limit));
        SHIFT.get_or_init(|| numbers.lshift.load().expect("int has <<"));
        numbers.lshift.store(Some(shift_within_limit));
        MULTIPLY.get_or_init(|| numbers.multiply.load().expect("int has *"));
        numbers.multiply.store(Some(multiply_within_limit));
        numbers.right_multiply.store(Some(multiply_within_limit));
    }
    // As attributes, the operators have the original functions of the slots.
    let binary = |check: Check| {
        move |args: &mut FuncArgs, vm: &VirtualMachine| match &args.args[..] {
            [a, b, ..] => check(a, b, vm),
            _ => Ok(()),
        }
    };
    for (name, check) in
        [("__pow__", check_power as Check), ("__lshift__", check_shift), ("__mul__", check_product)]
    {
        check_first(types.int_type, name, binary(check), vm);
    }
    check_first(types.int_type, "__rpow__", binary(|a, b, vm| check_power(b, a, vm)), vm);
    check_first(types.int_type, "__rlshift__", binary(|a, b, vm| check_shift(b, a, vm)), vm);
    REPR.get_or_init(|| types.int_type.slots.repr.load().expect("int has a repr"));
    types.int_type.slots.repr.store(Some(repr_within_limit));
    types.int_type.slots.str.store(Some(repr_within_limit));
    for (class, original, next) in [
        (types.range_iterator_type, &RANGE, next_of_range as Next),
        (types.long_range_iterator_type, &LONG_RANGE, next_of_long_range),
        (types.callable_iterator, &CALLABLE, next_of_callable),
    ] {
        original.get_or_init(|| class.slots.iternext.load().expect("an iterator has a next"));
        class.slots.iternext.store(Some(next));
    }
}

fn too_large(bytes: f64, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let limit = LIMIT.with(Cell::get) as f64;
    vm.new_memory_error(format!(
        "this would take {}, and a cell may take {} here",
        size_in_words(bytes),
        size_in_words(limit)
    ))
}

pub(super) fn check(bytes: f64, vm: &VirtualMachine) -> PyResult<()> {
    match bytes > LIMIT.with(Cell::get) as f64 {
        true => Err(too_large(bytes, vm)),
        false => Ok(()),
    }
}

/// Why the original of a wrapped slot is always there.
const INSTALLED: &str = "install() keeps the original before it wraps the slot";

type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;

/// The interpreter's own functions that the checks call; the same on every thread.
struct Originals {
    repeat: OnceLock<Repeat>,
    inplace: OnceLock<Repeat>,
}

impl Originals {
    const fn new() -> Originals {
        Originals { repeat: OnceLock::new(), inplace: OnceLock::new() }
    }
}

static LIST: Originals = Originals::new();
static TUPLE: Originals = Originals::new();
static STR: Originals = Originals::new();
static BYTES: Originals = Originals::new();
static BYTEARRAY: Originals = Originals::new();

/// The original functions of an object's type, and the bytes that one element takes.
fn originals(object: &PyObject, vm: &VirtualMachine) -> (&'static Originals, f64) {
    let types = &vm.ctx.types;
    let table: [(&Py<PyType>, &'static Originals, f64); 5] = [
        (types.list_type, &LIST, 8.0),
        (types.tuple_type, &TUPLE, 8.0),
        (types.str_type, &STR, 1.0),
        (types.bytes_type, &BYTES, 1.0),
        (types.bytearray_type, &BYTEARRAY, 1.0),
    ];
    let found = table.into_iter().find(|(class, ..)| object.fast_isinstance(class));
    let (_, originals, bytes) = found.expect("install() replaces the slots of these types only");
    (originals, bytes)
}

/// The elements of a built-in sequence, and the bytes of a text, as they are in memory: a subclass may say otherwise.
fn length(object: &PyObject) -> f64 {
    let elements = if let Some(text) = object.downcast_ref::<PyStr>() {
        text.as_wtf8().len()
    } else if let Some(list) = object.downcast_ref::<PyList>() {
        list.borrow_vec().len()
    } else if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        tuple.as_slice().len()
    } else if let Some(bytes) = object.downcast_ref::<PyBytes>() {
        bytes.as_bytes().len()
    } else {
        object.downcast_ref::<PyByteArray>().map_or(0, |bytes| bytes.borrow_buf().len())
    };
    elements as f64
}

fn repeated(sequence: PySequence<'_>, times: isize, inplace: bool, vm: &VirtualMachine) -> PyResult {
    let (originals, bytes) = originals(sequence.obj, vm);
    check(length(sequence.obj) * times as f64 * bytes, vm)?;
    let original = if inplace { originals.inplace.get() } else { originals.repeat.get() };
    original.expect(INSTALLED)(sequence, times, vm)
}

/// `[0].__mul__(10**12)`: as an attribute, the operator has the original function.
fn check_repetition(args: &mut FuncArgs, vm: &VirtualMachine) -> PyResult<()> {
    let [sequence, times, ..] = &args.args[..] else { return Ok(()) };
    let times = times.downcast_ref::<PyInt>().map_or(0.0, |times| as_float(times.as_bigint()));
    match length(sequence) {
        0.0 => Ok(()),
        length => check(length * times.max(0.0) * originals(sequence, vm).1, vm),
    }
}

fn repeat_within_limit(sequence: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    repeated(sequence, times, false, vm)
}

fn inplace_repeat_within_limit(sequence: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    repeated(sequence, times, true, vm)
}

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;

static POWER: OnceLock<Ternary> = OnceLock::new();
static SHIFT: OnceLock<Binary> = OnceLock::new();
static MULTIPLY: OnceLock<Binary> = OnceLock::new();

/// The size of the largest integer that is computed: a larger one takes long, even where memory suffices.
const MAX_BITS: f64 = 2e7;
/// The digits of the largest integer that is converted to text, as in Python.
const MAX_DIGITS: f64 = 4300.0;

pub(super) fn as_float(value: &BigInt) -> f64 {
    match i64::try_from(value) {
        Ok(small) => small as f64,
        Err(_) if value.sign() == Sign::Minus => f64::NEG_INFINITY,
        Err(_) => f64::INFINITY,
    }
}

fn integers<'a>(a: &'a PyObject, b: &'a PyObject) -> Option<(&'a BigInt, &'a BigInt)> {
    Some((a.downcast_ref::<PyInt>()?.as_bigint(), b.downcast_ref::<PyInt>()?.as_bigint()))
}

fn power_within_limit(a: &PyObject, b: &PyObject, modulus: &PyObject, vm: &VirtualMachine) -> PyResult {
    if vm.is_none(modulus) {
        check_power(a, b, vm)?;
    }
    POWER.get().expect(INSTALLED)(a, b, modulus, vm)
}

fn shift_within_limit(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    check_shift(a, b, vm)?;
    SHIFT.get().expect(INSTALLED)(a, b, vm)
}

fn multiply_within_limit(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    check_product(a, b, vm)?;
    MULTIPLY.get().expect(INSTALLED)(a, b, vm)
}

type Check = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult<()>;

/// Raises MemoryError if `a * b` is too large to be computed.
fn check_product(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match integers(a, b).map(|(x, y)| (x.bits() + y.bits()) as f64) {
        Some(bits) if bits > MAX_BITS => Err(too_many_digits(bits, vm)),
        _ => Ok(()),
    }
}

/// Raises MemoryError if `base ** exponent` is too large to be computed.
fn check_power(base: &PyObject, exponent: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match integers(base, exponent) {
        Some((base, exponent)) if base.bits() > 1 => {
            let bits = base.bits() as f64 * as_float(exponent);
            if bits > MAX_BITS { Err(too_many_digits(bits, vm)) } else { Ok(()) }
        }
        _ => Ok(()),
    }
}

/// Raises MemoryError if `value << by` is too large to be computed.
fn check_shift(value: &PyObject, by: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    match integers(value, by) {
        Some((value, by)) if value.bits() > 0 && as_float(by) > MAX_BITS => {
            Err(too_many_digits(as_float(by), vm))
        }
        _ => Ok(()),
    }
}

fn too_many_digits(bits: f64, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_memory_error(format!(
        "this integer would have {:.0e} digits, more than attn works out",
        bits * std::f64::consts::LOG10_2
    ))
}

type Repr = fn(&PyObject, &VirtualMachine) -> PyResult<PyRef<PyStr>>;

static REPR: OnceLock<Repr> = OnceLock::new();

fn repr_within_limit(value: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    tick(vm)?;
    if let Some(integer) = value.downcast_ref::<PyInt>()
        && (integer.as_bigint().bits() as f64 - 1.0) * std::f64::consts::LOG10_2 > MAX_DIGITS
    {
        return Err(vm.new_value_error(format!(
            "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion; \
             use sys.set_int_max_str_digits() to increase the limit"
        )));
    }
    REPR.get().expect(INSTALLED)(value, vm)
}

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;

static RANGE: OnceLock<Next> = OnceLock::new();
static LONG_RANGE: OnceLock<Next> = OnceLock::new();
static CALLABLE: OnceLock<Next> = OnceLock::new();

fn next_of(original: &OnceLock<Next>, iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    stop::from_native(|| vm.check_signals())?;
    original.get().expect(INSTALLED)(iterator, vm)
}

fn next_of_range(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    next_of(&RANGE, iterator, vm)
}

fn next_of_long_range(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    next_of(&LONG_RANGE, iterator, vm)
}

fn next_of_callable(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    next_of(&CALLABLE, iterator, vm)
}

/// A thread that checks the memory of the process while a cell runs, and sleeps otherwise.
pub(super) struct MemoryWatch {
    alive: Arc<AtomicBool>,
    thread: Option<Thread>,
}

impl MemoryWatch {
    /// The time between two checks.
    const INTERVAL: Duration = Duration::from_millis(10);
    /// The time between two signals to a cell that was asked to stop and still runs.
    const RESEND_INTERVAL: Duration = Duration::from_millis(1);

    /// Starts the thread. A cell raises `MemoryError` when the process uses more than `limit` bytes.
    pub(super) fn start(limit: usize, interrupter: Interrupter) -> MemoryWatch {
        let alive = Arc::new(AtomicBool::new(true));
        let session_alive = alive.clone();
        let watching = move || {
            // The run that was stopped and the memory then. What it frees is not always given back to the system, so
            // the same run is stopped again where it takes an eighth more. If it handles each exception and keeps what
            // it has, it meets the limit of the process.
            let (mut stopped, mut at_stop) = (0, 0);
            while session_alive.load(Ordering::Acquire) {
                match interrupter.running() {
                    0 => std::thread::park(),
                    run => {
                        let waits = interrupter.resend();
                        let interval = match waits {
                            true => MemoryWatch::RESEND_INTERVAL,
                            false => MemoryWatch::INTERVAL,
                        };
                        std::thread::park_timeout(interval);
                        let taken = resident().unwrap_or_default();
                        if taken <= limit {
                            stopped = 0;
                        } else if run != stopped || taken > at_stop + limit / 8 {
                            (stopped, at_stop) = (run, taken);
                            interrupter.stop(StopReason::Memory(limit));
                        }
                    }
                }
            }
        };
        let builder = std::thread::Builder::new().name("attn memory".into()).stack_size(64 << 10);
        // Without this thread a cell can still be interrupted, and single large objects are still refused.
        let thread = builder.spawn(watching).ok().map(|handle| handle.thread().clone());
        MemoryWatch { alive, thread }
    }

    /// Wakes the thread: a cell runs, or the session ends.
    pub(super) fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::Release);
        self.wake();
    }
}
