//! Operations on lists and tuples so long that each takes seconds: they work in parts, and look between two whether the
//! cell is to stop. (`long.rs` has those that compare elements and those that repeat them.)

use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine,
    builtins::{PyList, PyTuple},
    function::FuncArgs,
};

use super::contents::ELEMENTS;
use super::guards::{Own, around};
use super::long::{check, no_room, positions};

/// Installs the methods on the lists of this thread. `sizes.rs` installs `+=`, `cpython.rs` `+`.
pub(super) fn install(vm: &VirtualMachine) {
    let list = vm.ctx.types.list_type;
    around(list, "extend", extend, vm);
    around(list, "remove", remove, vm);
}

/// Collects values. Errors: MemoryError, and those of a value.
pub(super) fn collected<T>(
    values: impl ExactSizeIterator<Item = PyResult<T>>,
    vm: &VirtualMachine,
) -> PyResult<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(values.len()).map_err(|_| no_room(vm))?;
    for (number, value) in values.enumerate() {
        if number % ELEMENTS == ELEMENTS - 1 {
            check(vm)?;
        }
        all.push(value?);
    }
    Ok(all)
}

/// What is done with the elements of a list or a tuple, if it is one.
fn with_elements<T>(sequence: &PyObject, done: impl FnOnce(&[PyObjectRef]) -> T) -> Option<T> {
    match sequence.downcast_ref::<PyList>() {
        Some(list) => Some(done(&list.borrow_vec())),
        None => sequence.downcast_ref::<PyTuple>().map(|tuple| done(tuple.as_slice())),
    }
}

/// The elements of anything that can be iterated over.
pub(super) fn elements(iterable: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    match long_elements(iterable, vm)? {
        Some(elements) => Ok(elements),
        None => iterable.try_to_value(vm),
    }
}

/// The elements of a long list or tuple.
fn long_elements(sequence: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<PyObjectRef>>> {
    let copied = with_elements(sequence, |elements| match elements.len() > ELEMENTS {
        true => copied(elements, &[], vm).map(Some),
        false => Ok(None),
    });
    Ok(copied.transpose()?.flatten())
}

/// `first + second` of two lists or two tuples, if they are long. `None`: the interpreter does it.
pub(super) fn added(
    first: &PyObject,
    second: &PyObject,
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let both = with_elements(first, |first| {
        with_elements(second, |second| match first.len() + second.len() > ELEMENTS {
            true => copied(first, second, vm).map(Some),
            false => Ok(None),
        })
    });
    let Some(whole) = both.flatten().transpose()?.flatten() else { return Ok(None) };
    Ok(Some(match first.downcast_ref::<PyList>() {
        Some(_) => vm.ctx.new_list(whole).into(),
        None => vm.ctx.new_tuple(whole).into(),
    }))
}

fn copied(first: &[PyObjectRef], second: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Vec<PyObjectRef>> {
    let mut whole = Vec::new();
    whole.try_reserve_exact(first.len() + second.len()).map_err(|_| no_room(vm))?;
    for part in first.chunks(ELEMENTS).chain(second.chunks(ELEMENTS)) {
        check(vm)?;
        whole.extend_from_slice(part);
    }
    Ok(whole)
}

/// Adds the elements of a long list or tuple to a list; false if the interpreter does it. A list that is stopped has the
/// elements that it had before.
pub(super) fn extended(list: &PyObject, more: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    let Some(list) = list.downcast_ref::<PyList>() else { return Ok(false) };
    // The list itself may be what is added.
    let Some(mut more) = long_elements(more, vm)? else { return Ok(false) };
    let mut elements = list.borrow_vec_mut();
    elements.try_reserve(more.len()).map_err(|_| no_room(vm))?;
    elements.append(&mut more);
    Ok(true)
}

fn extend(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    match &args.args[..] {
        [list, more] if args.kwargs.is_empty() && extended(list, more, vm)? => Ok(vm.ctx.none()),
        _ => own.call(args, vm),
    }
}

/// `list.__iadd__(more)`.
pub(super) fn add_in_place(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    match &args.args[..] {
        [list, more] if extended(list, more, vm)? => Ok(list.clone()),
        _ => own.call(args, vm),
    }
}

fn remove(own: &Own, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let [list, wanted] = &args.args[..] else { return own.call(args, vm) };
    let Some(list) = list.downcast_ref::<PyList>().filter(|list| list.borrow_vec().len() > ELEMENTS) else {
        return own.call(args, vm);
    };
    let Some(at) = positions(list.as_object(), wanted, vm).next().transpose()? else {
        return Err(vm.new_value_error("list.remove(x): x not in list"));
    };
    let removed = {
        let mut elements = list.borrow_vec_mut();
        // Comparing may have made the list shorter.
        (at < elements.len()).then(|| elements.remove(at))
    };
    // Code of an element that runs when it is dropped finds the list as it is now.
    drop(removed);
    Ok(vm.ctx.none())
}
