//! Iterators of native code that may be endless: each step checks for interrupts, so that `sum(count())`
//! can be stopped.

use std::sync::OnceLock;

use rustpython_vm::{
    Py, PyObject, PyResult, VirtualMachine,
    builtins::{PyInt, PyModule, PyType, PyTypeRef},
    function::FuncArgs,
    protocol::PyIterReturn,
};

use super::guards::{KEPT, replace_slot};
use super::memory::{as_float, check};
use crate::kernel::stop;

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;

/// The types of `itertools` that give more elements than they were given, each with its number. The others go through
/// these, or end. The first ones hold as many places as an argument says.
const ITERTOOLS: [&str; 7] =
    ["combinations", "combinations_with_replacement", "permutations", "product", "count", "cycle", "repeat"];
const WITH_PLACES: usize = 4;

/// The interpreter's own functions, and those that replace them, by the number of the type; after those of `itertools`
/// the ones that any cell has.
static OWN: [OnceLock<Next>; 10] = [const { OnceLock::new() }; 10];
static STOPPABLE: [Next; 10] = [
    next::<0>, next::<1>, next::<2>, next::<3>, next::<4>, next::<5>, next::<6>, next::<7>, next::<8>,
    next::<9>,
];

fn next<const TYPE: usize>(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    stop::from_native(|| vm.check_signals())?;
    OWN[TYPE].get().expect(KEPT)(iterator, vm)
}

/// Replaces the steps of the iterators of this thread's builtins.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let classes = [types.range_iterator_type, types.long_range_iterator_type, types.callable_iterator];
    for (class, number) in classes.into_iter().zip(ITERTOOLS.len()..) {
        replace_slot!(class.slots.iternext, OWN[number], STOPPABLE[number]);
    }
}

/// Replaces the steps of the iterators of the module `itertools`.
pub(super) fn install_in(itertools: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    for (number, name) in ITERTOOLS.iter().enumerate() {
        if let Some(class) = itertools.get_attr(*name, vm)?.downcast_ref::<PyType>() {
            replace_slot!(class.slots.iternext, OWN[number], STOPPABLE[number]);
            if number < WITH_PLACES {
                replace_slot!(class.slots.new, NEW[number], PLACED[number]);
            }
        }
    }
    Ok(())
}

type New = fn(PyTypeRef, FuncArgs, &VirtualMachine) -> PyResult;

static NEW: [OnceLock<New>; WITH_PLACES] = [const { OnceLock::new() }; WITH_PLACES];
static PLACED: [New; WITH_PLACES] = [placed::<0>, placed::<1>, placed::<2>, placed::<3>];

/// `combinations(x, 2**64)`.
fn placed<const TYPE: usize>(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let given = args.args.get(1).or_else(|| args.kwargs.values().next());
    if let Some(places) = given.and_then(|given| given.downcast_ref::<PyInt>()) {
        let places = as_float(places.as_bigint());
        if places.is_infinite() {
            return Err(vm.new_overflow_error("Python int too large to convert to C ssize_t"));
        }
        check(places * 64.0, vm)?;
    }
    NEW[TYPE].get().expect("install_in() keeps the original")(class, args, vm)
}
