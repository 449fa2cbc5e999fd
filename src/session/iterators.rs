//! Iterators of native code that may be endless: each step checks for interrupts, so that `sum(count())`
//! can be stopped.

use std::sync::OnceLock;

use rustpython_vm::{
    Py, PyObject, PyResult, VirtualMachine,
    builtins::{PyModule, PyType},
    protocol::PyIterReturn,
};

use crate::kernel::stop;

type Next = fn(&PyObject, &VirtualMachine) -> PyResult<PyIterReturn>;

/// The types of `itertools` that give more elements than they were given, each with its number. The others go through
/// these, or end.
const ITERTOOLS: [&str; 7] =
    ["combinations", "combinations_with_replacement", "permutations", "product", "count", "cycle", "repeat"];

/// The interpreter's own functions, and those that replace them, by the number of the type; after those of `itertools`
/// the ones that any cell has.
static OWN: [OnceLock<Next>; 10] = [const { OnceLock::new() }; 10];
static STOPPABLE: [Next; 10] = [
    next::<0>, next::<1>, next::<2>, next::<3>, next::<4>, next::<5>, next::<6>, next::<7>, next::<8>,
    next::<9>,
];

fn next<const TYPE: usize>(iterator: &PyObject, vm: &VirtualMachine) -> PyResult<PyIterReturn> {
    stop::from_native(|| vm.check_signals())?;
    OWN[TYPE].get().expect("replace() keeps the original")(iterator, vm)
}

fn replace(number: usize, class: &Py<PyType>) {
    if let Some(own) = class.slots.iternext.load() {
        OWN[number].get_or_init(|| own);
        class.slots.iternext.store(Some(STOPPABLE[number]));
    }
}

/// Replaces the steps of the iterators of this thread's builtins.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let classes = [types.range_iterator_type, types.long_range_iterator_type, types.callable_iterator];
    for (class, number) in classes.into_iter().zip(ITERTOOLS.len()..) {
        replace(number, class);
    }
}

/// Replaces the steps of the iterators of the module `itertools`.
pub(super) fn install_in(itertools: &Py<PyModule>, vm: &VirtualMachine) -> PyResult<()> {
    for (number, name) in ITERTOOLS.iter().enumerate() {
        if let Some(class) = itertools.get_attr(*name, vm)?.downcast_ref::<PyType>() {
            replace(number, class);
        }
    }
    Ok(())
}
