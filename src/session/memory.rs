//! The memory limit of a session: an object that is too large raises MemoryError before it is allocated, and a
//! watching thread stops a cell that grows step by step.
//!
//! The checks wrap the interpreter's own `*`, `**`, `<<` and `repr`.

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
    protocol::PySequence,
};

use super::guards::{KEPT, replace_slot};
use super::interrupt::{Interrupter, StopReason};
use super::machine::{FALLBACK, resident};
use crate::tensor::size_in_words;

thread_local! {
    /// The limit in bytes. It is a thread-local because the checks are plain functions without state.
    static LIMIT: Cell<usize> = const { Cell::new(FALLBACK) };
}

/// Sets the limit for this thread's session and installs the checks.
pub(super) fn install(limit: usize, vm: &VirtualMachine) {
    LIMIT.with(|cell| cell.set(limit));
    crate::tensor::set_memory_limit(limit as u64);
    for (class, own) in sequences(vm).into_iter().zip(&REPEAT) {
        let slots = &class.slots.as_sequence;
        let repeat = slots.repeat.load().expect("a sequence can be repeated");
        own.get_or_init(|| (repeat, slots.inplace_repeat.load().unwrap_or(repeat)));
        slots.repeat.store(Some(repeated::<false>));
        if slots.inplace_repeat.load().is_some() {
            slots.inplace_repeat.store(Some(repeated::<true>));
        }
    }
    let types = &vm.ctx.types;
    for class in [types.int_type, types.bool_type] {
        let numbers = &class.slots.as_number;
        replace_slot!(numbers.power, POWER, power_within_limit);
        replace_slot!(numbers.lshift, SHIFT, shift_within_limit);
    }
    replace_slot!(types.int_type.slots.repr, REPR, repr_within_limit);
    types.int_type.slots.str.store(Some(repr_within_limit));
}

pub(super) fn check(bytes: f64, vm: &VirtualMachine) -> PyResult<()> {
    let limit = LIMIT.with(Cell::get) as f64;
    match bytes > limit {
        true => Err(vm.new_memory_error(format!(
            "this would take {}, and a cell may take {} here",
            size_in_words(bytes),
            size_in_words(limit)
        ))),
        false => Ok(()),
    }
}

type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;

/// The types that can be repeated. The elements of the first two take 8 bytes, those of the others 1.
fn sequences(vm: &VirtualMachine) -> [&'static Py<PyType>; 5] {
    let types = &vm.ctx.types;
    [types.list_type, types.tuple_type, types.str_type, types.bytes_type, types.bytearray_type]
}

/// The interpreter's own functions for them, the second for `x *= n`.
static REPEAT: [OnceLock<(Repeat, Repeat)>; 5] = [const { OnceLock::new() }; 5];

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

fn repeated<const INPLACE: bool>(sequence: PySequence<'_>, times: isize, vm: &VirtualMachine) -> PyResult {
    let kind = sequences(vm).iter().position(|class| sequence.obj.fast_isinstance(class));
    let kind = kind.expect("install() replaces the slots of these types only");
    check(length(sequence.obj) * times as f64 * if kind < 2 { 8.0 } else { 1.0 }, vm)?;
    let (repeat, inplace_repeat) = REPEAT[kind].get().expect(KEPT);
    (if INPLACE { inplace_repeat } else { repeat })(sequence, times, vm)
}

type Binary = fn(&PyObject, &PyObject, &VirtualMachine) -> PyResult;
type Ternary = fn(&PyObject, &PyObject, &PyObject, &VirtualMachine) -> PyResult;

static POWER: OnceLock<Ternary> = OnceLock::new();
static SHIFT: OnceLock<Binary> = OnceLock::new();

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

/// `a ** b` and `pow(a, b)`.
fn power_within_limit(a: &PyObject, b: &PyObject, modulus: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let Some((base, exponent)) = integers(a, b).filter(|_| vm.is_none(modulus)) {
        let bits = base.bits() as f64 * as_float(exponent);
        if base.bits() > 1 && bits > MAX_BITS {
            return Err(too_many_digits(bits, vm));
        }
    }
    POWER.get().expect(KEPT)(a, b, modulus, vm)
}

fn shift_within_limit(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    match integers(a, b) {
        Some((value, by)) if value.bits() > 0 && as_float(by) > MAX_BITS => {
            Err(too_many_digits(as_float(by), vm))
        }
        _ => SHIFT.get().expect(KEPT)(a, b, vm),
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
    if let Some(integer) = value.downcast_ref::<PyInt>()
        && (integer.as_bigint().bits() as f64 - 1.0) * std::f64::consts::LOG10_2 > MAX_DIGITS
    {
        return Err(vm.new_value_error(format!(
            "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion; \
             use sys.set_int_max_str_digits() to increase the limit"
        )));
    }
    REPR.get().expect(KEPT)(value, vm)
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
