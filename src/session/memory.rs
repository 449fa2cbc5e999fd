//! A limit on memory: objects that could not be allocated raise MemoryError before they are tried,
//! and a watching thread stops a cell that has grown too large bit by bit.
//! Puts checks before the interpreter's own `*`, `**` and `<<`, and a look at the
//! signals into iterators that may be endless, so that `list(count())` can be stopped too.

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
    builtins::{PyBaseExceptionRef, PyInt, PyStr, PyType},
    protocol::{PyIterReturn, PySequence},
};

use super::interrupt::{Interrupter, Stop};

/// Memory that a session may take where the machine does not say how much it has.
const FALLBACK: usize = 2 << 30;

/// Half of the machine's memory.
pub fn default_limit() -> usize {
    let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.split_whitespace().next()?.parse::<usize>().ok()
    });
    total.map_or(FALLBACK, |kilobytes| kilobytes / 2 * 1024)
}

thread_local! {
    /// Bytes that one object may take. The checks are plain functions and have nowhere else to look.
    static LIMIT: Cell<usize> = const { Cell::new(FALLBACK) };
}

/// Sets the limit for this thread's session and puts the checks in place.
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
        if let Some(repeat) = slots.inplace_repeat.load() {
            originals.inplace.get_or_init(|| repeat);
            slots.inplace_repeat.store(Some(inplace_repeat_within_limit));
        }
    }
    let numbers = &types.int_type.slots.as_number;
    if let Some(power) = numbers.power.load() {
        POWER.get_or_init(|| power);
        numbers.power.store(Some(power_within_limit));
    }
    if let Some(shift) = numbers.lshift.load() {
        SHIFT.get_or_init(|| shift);
        numbers.lshift.store(Some(shift_within_limit));
    }
    if let Some(repr) = types.int_type.slots.repr.load() {
        REPR.get_or_init(|| repr);
        types.int_type.slots.repr.store(Some(repr_within_limit));
        types.int_type.slots.str.store(Some(repr_within_limit));
    }
    for (class, original, next) in [
        (types.range_iterator_type, &RANGE, next_of_range as Next),
        (types.long_range_iterator_type, &LONG_RANGE, next_of_long_range),
        (types.callable_iterator, &CALLABLE, next_of_callable),
    ] {
        if let Some(own) = class.slots.iternext.load() {
            original.get_or_init(|| own);
            class.slots.iternext.store(Some(next));
        }
    }
}

fn too_large(bytes: f64, vm: &VirtualMachine) -> PyBaseExceptionRef {
    let limit = LIMIT.with(Cell::get) as f64;
    let gigabytes = |bytes: f64| format!("{:.1} GB", bytes / 1e9);
    vm.new_memory_error(format!(
        "this would take {}, and a cell may take {} here",
        gigabytes(bytes),
        gigabytes(limit)
    ))
}

fn check(bytes: f64, vm: &VirtualMachine) -> PyResult<()> {
    match bytes > LIMIT.with(Cell::get) as f64 {
        true => Err(too_large(bytes, vm)),
        false => Ok(()),
    }
}

type Repeat = fn(PySequence<'_>, isize, &VirtualMachine) -> PyResult;

/// The interpreter's own functions behind the checks; the same on every thread.
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

/// Whose functions an object has, and the bytes that one of its elements takes.
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
    found.map_or((&LIST, 8.0), |(_, originals, bytes)| (originals, bytes))
}

fn repeated(sequence: PySequence<'_>, times: isize, inplace: bool, vm: &VirtualMachine) -> PyResult {
    let (originals, bytes) = originals(sequence.obj, vm);
    check(sequence.obj.length(vm)? as f64 * times as f64 * bytes, vm)?;
    let original = if inplace { originals.inplace.get() } else { originals.repeat.get() };
    match original {
        Some(original) => original(sequence, times, vm),
        None => Ok(vm.ctx.not_implemented()),
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

/// Integers beyond this many bits take long to work out, even where memory suffices.
const MOST_BITS: f64 = 2e7;
/// Digits of the largest integer that is written out: Python's own limit.
const MOST_DIGITS: f64 = 4300.0;

fn size_of(value: &BigInt) -> f64 {
    let magnitude = value.bits() as f64;
    if value.sign() == Sign::Minus { -magnitude } else { magnitude }
}

fn as_float(value: &BigInt) -> f64 {
    match i64::try_from(value) {
        Ok(small) => small as f64,
        Err(_) => f64::INFINITY.copysign(size_of(value)),
    }
}

fn integers<'a>(a: &'a PyObject, b: &'a PyObject) -> Option<(&'a BigInt, &'a BigInt)> {
    Some((a.downcast_ref::<PyInt>()?.as_bigint(), b.downcast_ref::<PyInt>()?.as_bigint()))
}

fn power_within_limit(a: &PyObject, b: &PyObject, modulus: &PyObject, vm: &VirtualMachine) -> PyResult {
    if vm.is_none(modulus)
        && let Some((base, exponent)) = integers(a, b)
        && base.bits() > 1
    {
        let bits = base.bits() as f64 * as_float(exponent);
        if bits > MOST_BITS {
            return Err(too_long(bits, vm));
        }
    }
    match POWER.get() {
        Some(power) => power(a, b, modulus, vm),
        None => Ok(vm.ctx.not_implemented()),
    }
}

fn shift_within_limit(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let Some((value, by)) = integers(a, b)
        && value.bits() > 0
        && as_float(by) > MOST_BITS
    {
        return Err(too_long(as_float(by), vm));
    }
    match SHIFT.get() {
        Some(shift) => shift(a, b, vm),
        None => Ok(vm.ctx.not_implemented()),
    }
}

fn too_long(bits: f64, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_memory_error(format!(
        "this integer would have {:.0e} digits, more than attn works out",
        bits * std::f64::consts::LOG10_2
    ))
}

type Written = fn(&PyObject, &VirtualMachine) -> PyResult<PyRef<PyStr>>;

static REPR: OnceLock<Written> = OnceLock::new();

fn repr_within_limit(value: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    if let Some(integer) = value.downcast_ref::<PyInt>()
        && (integer.as_bigint().bits() as f64 - 1.0) * std::f64::consts::LOG10_2 > MOST_DIGITS
    {
        return Err(vm.new_value_error(format!(
            "Exceeds the limit ({MOST_DIGITS} digits) for integer string conversion; \
             use sys.set_int_max_str_digits() to increase the limit"
        )));
    }
    match REPR.get() {
        Some(repr) => repr(value, vm),
        None => Ok(vm.ctx.new_str("")),
    }
}

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;

static RANGE: OnceLock<Next> = OnceLock::new();
static LONG_RANGE: OnceLock<Next> = OnceLock::new();
static CALLABLE: OnceLock<Next> = OnceLock::new();

fn next_of(original: &OnceLock<Next>, iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    vm.check_signals()?;
    match original.get() {
        Some(next) => next(iterator, vm),
        None => Ok(PyIterReturn::StopIteration(None)),
    }
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

/// A thread that looks at the process's memory while a cell runs, and sleeps otherwise.
pub(super) struct Watch {
    alive: Arc<AtomicBool>,
    thread: Option<Thread>,
}

impl Watch {
    /// How often it looks.
    const PAUSE: Duration = Duration::from_millis(10);
    /// How often it reminds a cell that did not hear that it is to stop.
    const SHORT: Duration = Duration::from_millis(1);

    /// Starts it; a cell that takes more than `limit` bytes sees a `MemoryError`.
    pub(super) fn start(limit: usize, interrupter: Interrupter) -> Watch {
        let alive = Arc::new(AtomicBool::new(true));
        let session = alive.clone();
        let watching = move || {
            let mut told = 0;
            while session.load(Ordering::Acquire) {
                match interrupter.running() {
                    0 => std::thread::park(),
                    run => {
                        let pause = if interrupter.remind() { Watch::SHORT } else { Watch::PAUSE };
                        std::thread::park_timeout(pause);
                        if run != told && resident().is_some_and(|bytes| bytes > limit) {
                            interrupter.stop(Stop::Memory(limit));
                            told = run;
                        }
                    }
                }
            }
        };
        let builder = std::thread::Builder::new().name("attn memory".into()).stack_size(64 << 10);
        // Without this thread a cell can still be stopped by hand.
        let thread = builder.spawn(watching).ok().map(|handle| handle.thread().clone());
        Watch { alive, thread }
    }

    /// Tells the thread that a cell runs.
    pub(super) fn look(&self) {
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::Release);
        self.look();
    }
}

/// The bytes of memory that this process holds, where the system tells.
fn resident() -> Option<usize> {
    const PAGE: usize = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split_whitespace().nth(1)?.parse::<usize>().ok().map(|pages| pages * PAGE)
}
