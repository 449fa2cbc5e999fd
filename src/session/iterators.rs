//! Iterators of native code that may be endless: each step checks for interrupts, so that `sum(count())`
//! can be stopped.

use std::{cell::Cell, sync::OnceLock};

use rustpython_vm::{
    Py, PyObject, PyRef, PyResult, VirtualMachine,
    builtins::{PyModule, PyStr, PyType},
    protocol::PyIterReturn,
};

use crate::kernel::stop;

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;

/// The types of `itertools`, each with its number.
const ITERTOOLS: [&str; 20] = [
    "accumulate",
    "batched",
    "chain",
    "combinations",
    "combinations_with_replacement",
    "compress",
    "count",
    "cycle",
    "dropwhile",
    "filterfalse",
    "groupby",
    "islice",
    "pairwise",
    "permutations",
    "product",
    "repeat",
    "starmap",
    "takewhile",
    "zip_longest",
    "_grouper",
];

/// The interpreter's own functions, and those that replace them, by the number of the type.
static OWN: [OnceLock<Next>; ITERTOOLS.len()] = [const { OnceLock::new() }; ITERTOOLS.len()];
static STOPPABLE: [Next; ITERTOOLS.len()] = [
    next::<0>, next::<1>, next::<2>, next::<3>, next::<4>, next::<5>, next::<6>, next::<7>, next::<8>,
    next::<9>, next::<10>, next::<11>, next::<12>, next::<13>, next::<14>, next::<15>, next::<16>,
    next::<17>, next::<18>, next::<19>,
];

fn next<const TYPE: usize>(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    stop::from_native(|| vm.check_signals())?;
    OWN[TYPE].get().expect("install() keeps the original before it replaces the slot")(iterator, vm)
}

/// Replaces the steps of the iterators of the module `itertools`.
pub(super) fn install(itertools: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    for (number, name) in ITERTOOLS.iter().enumerate() {
        let found = itertools.get_attr(*name, vm)?;
        if let Some(class) = found.downcast_ref::<PyType>()
            && let Some(own) = class.slots.iternext.load()
        {
            OWN[number].get_or_init(|| own);
            class.slots.iternext.store(Some(STOPPABLE[number]));
        }
    }
    Ok(())
}

/// The iterators over built-in containers: native code goes through them in `sum(x)`, `set(x)`, `dict(zip(x, y))`.
fn over_containers(vm: &VirtualMachine) -> [&'static Py<PyType>; CONTAINERS] {
    let types = &vm.ctx.types;
    [
        types.list_iterator_type,
        types.list_reverseiterator_type,
        types.tuple_iterator_type,
        types.str_iterator_type,
        types.bytes_iterator_type,
        types.bytearray_iterator_type,
        types.memoryviewiterator_type,
        types.set_iterator_type,
        types.dict_keyiterator_type,
        types.dict_valueiterator_type,
        types.dict_itemiterator_type,
        types.dict_reversekeyiterator_type,
        types.dict_reversevalueiterator_type,
        types.dict_reverseitemiterator_type,
    ]
}

const CONTAINERS: usize = 14;
/// The steps, of all such iterators together, between two checks for interrupts.
const STEPS: u32 = 1 << 14;

thread_local! {
    static STEP: Cell<u32> = const { Cell::new(0) };
}

static OWN_STEP: [OnceLock<Next>; CONTAINERS] = [const { OnceLock::new() }; CONTAINERS];
static STOPPABLE_STEP: [Next; CONTAINERS] = [
    step::<0>, step::<1>, step::<2>, step::<3>, step::<4>, step::<5>, step::<6>, step::<7>, step::<8>,
    step::<9>, step::<10>, step::<11>, step::<12>, step::<13>,
];

/// Checks for interrupts now and then: for what native code does for each element.
#[inline]
pub(super) fn tick(vm: &VirtualMachine) -> PyResult<()> {
    let steps = STEP.get().wrapping_add(1);
    STEP.set(steps);
    match steps.is_multiple_of(STEPS) {
        true => stop::from_native(|| vm.check_signals()),
        false => Ok(()),
    }
}

fn step<const TYPE: usize>(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    tick(vm)?;
    OWN_STEP[TYPE].get().expect("stay_stoppable() keeps the original before it replaces the slot")(
        iterator, vm,
    )
}

/// Replaces the steps of the iterators over built-in containers.
pub(super) fn stay_stoppable(vm: &VirtualMachine) {
    for (number, class) in over_containers(vm).into_iter().enumerate() {
        let slot = &class.slots.iternext;
        OWN_STEP[number].get_or_init(|| slot.load().expect("an iterator has a next"));
        slot.store(Some(STOPPABLE_STEP[number]));
    }
    let slot = &vm.ctx.types.float_type.slots.repr;
    FLOAT_REPR.get_or_init(|| slot.load().expect("every object has a repr"));
    slot.store(Some(repr_of_float));
}

type Repr = fn(&PyObject, &VirtualMachine) -> PyResult<PyRef<PyStr>>;

static FLOAT_REPR: OnceLock<Repr> = OnceLock::new();

/// The `repr` of an element, which the `repr` of a long list calls for each. Integers have theirs in `memory.rs`, texts
/// in `long_bytes.rs`.
fn repr_of_float(value: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    tick(vm)?;
    FLOAT_REPR.get().expect("stay_stoppable() keeps it")(value, vm)
}
