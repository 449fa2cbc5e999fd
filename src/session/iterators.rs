//! Iterators of native code that may be endless: each step looks whether the cell is to stop, so that `sum(count())`
//! can be stopped.

use std::sync::OnceLock;

use rustpython_vm::{
    Py, PyObject, PyResult, VirtualMachine,
    builtins::{PyModule, PyType},
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
