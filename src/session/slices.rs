//! Slices of texts, bytes, lists and tuples. Long ones look whether the cell is to stop. A text that is not ASCII is sliced
//! here if there is a step: the interpreter states a wrong length for `text[::2]`.

use std::sync::OnceLock;

use rustpython_vm::{
    Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine,
    builtins::{PyByteArray, PyBytes, PyList, PySlice, PyStr, PyTuple, PyType},
    function::FuncArgs,
    protocol::PyMapping,
    sliceable::SaturatedSlice,
};

use super::contents::{Content, ELEMENTS, Steps};
use super::guards::{Own, around};
use super::long::{check, no_room};

type Subscript = fn(PyMapping<'_>, &PyObject, &VirtualMachine) -> PyResult;

static OWN: [OnceLock<Subscript>; 5] = [const { OnceLock::new() }; 5];
static SLICED: [Subscript; 5] =
    [subscript::<0>, subscript::<1>, subscript::<2>, subscript::<3>, subscript::<4>];

/// Installs the slices on the types of this thread.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let classes: [&'static Py<PyType>; 5] =
        [types.str_type, types.bytes_type, types.bytearray_type, types.list_type, types.tuple_type];
    for (number, class) in classes.into_iter().enumerate() {
        let slot = &class.slots.as_mapping.subscript;
        OWN[number].get_or_init(|| slot.load().expect("a sequence can be indexed"));
        slot.store(Some(SLICED[number]));
        let called = |own: &Own, args: FuncArgs, vm: &VirtualMachine| {
            if let ([sequence, at], true) = (&args.args[..], args.kwargs.is_empty())
                && let Some(part) = sliced(sequence, at, vm)?
            {
                return Ok(part);
            }
            own.call(args, vm)
        };
        around(class, "__getitem__", called, vm);
    }
}

fn subscript<const TYPE: usize>(sequence: PyMapping<'_>, at: &PyObject, vm: &VirtualMachine) -> PyResult {
    match sliced(sequence.obj, at, vm)? {
        Some(part) => Ok(part),
        None => OWN[TYPE].get().expect("install() keeps the original before it replaces the slot")(
            sequence, at, vm,
        ),
    }
}

/// `sequence[slice]`, if it is long. `None`: the interpreter does it.
fn sliced(sequence: &PyObject, at: &PyObject, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
    let Some(at) = at.downcast_ref::<PySlice>() else { return Ok(None) };
    if let Some(text) = sequence.downcast_ref::<PyStr>() {
        let has_step = at.step.as_ref().is_some_and(|step| !vm.is_none(step));
        let is_ascii = text.isascii();
        let is_taken = text.as_wtf8().len() > ELEMENTS || (has_step && !is_ascii);
        let Some(characters) = text.to_str().filter(|_| is_taken) else { return Ok(None) };
        let at = SaturatedSlice::with_slice(at, vm)?;
        let part = match is_ascii {
            true => String::from_utf8(picked(characters.as_bytes(), &at, vm)?).expect("ASCII is UTF-8"),
            false => picked_characters(characters, text.char_len(), &at, vm)?,
        };
        return Ok(Some(vm.ctx.new_str(part).into()));
    }
    if let Some(bytes) = sequence.downcast_ref::<PyBytes>() {
        if bytes.as_bytes().len() <= ELEMENTS {
            return Ok(None);
        }
        let at = SaturatedSlice::with_slice(at, vm)?;
        return Ok(Some(vm.ctx.new_bytes(picked(bytes.as_bytes(), &at, vm)?).into()));
    }
    if let Some(bytes) = sequence.downcast_ref::<PyByteArray>() {
        if bytes.borrow_buf().len() <= ELEMENTS {
            return Ok(None);
        }
        let at = SaturatedSlice::with_slice(at, vm)?;
        let part = picked(&bytes.borrow_buf(), &at, vm)?;
        return Ok(Some(PyByteArray::from(part).into_ref(&vm.ctx).into()));
    }
    if let Some(list) = sequence.downcast_ref::<PyList>() {
        if list.borrow_vec().len() <= ELEMENTS {
            return Ok(None);
        }
        let at = SaturatedSlice::with_slice(at, vm)?;
        let part = picked(&list.borrow_vec(), &at, vm)?;
        return Ok(Some(vm.ctx.new_list(part).into()));
    }
    if let Some(tuple) = sequence.downcast_ref::<PyTuple>()
        && tuple.as_slice().len() > ELEMENTS
    {
        let at = SaturatedSlice::with_slice(at, vm)?;
        return Ok(Some(vm.ctx.new_tuple(picked(tuple.as_slice(), &at, vm)?).into()));
    }
    Ok(None)
}

fn picked<T: Clone>(elements: &[T], at: &SaturatedSlice, vm: &VirtualMachine) -> PyResult<Vec<T>> {
    let (range, step, count) = at.adjust_indices(elements.len());
    let (window, stride) = (&elements[range], step.unsigned_abs());
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|_| no_room(vm))?;
    while all.len() < count {
        check(vm)?;
        let more = ELEMENTS.min(count - all.len());
        let passed = all.len() * stride;
        match step {
            1 => all.extend_from_slice(&window[passed..passed + more]),
            2.. => all.extend(window[passed..].iter().step_by(stride).take(more).cloned()),
            _ => {
                let left = &window[..window.len() - passed];
                all.extend(left.iter().rev().step_by(stride).take(more).cloned());
            }
        }
    }
    Ok(all)
}

/// The same for the characters of a text of this length.
fn picked_characters(
    text: &str,
    length: usize,
    at: &SaturatedSlice,
    vm: &VirtualMachine,
) -> PyResult<String> {
    let (range, step, _) = at.adjust_indices(length);
    let content = Content::Text(text);
    let window = &text[content.place(range.start, vm)?..content.place(range.end, vm)?];
    let mut picked = String::new();
    picked.try_reserve(window.len() / step.unsigned_abs()).map_err(|_| no_room(vm))?;
    let mut until_next = 0;
    let mut pick = |picked: &mut String, c: char| match until_next {
        0 => {
            picked.push(c);
            until_next = step.unsigned_abs() - 1;
        }
        _ => until_next -= 1,
    };
    if step == 1 {
        for part in Steps(window) {
            check(vm)?;
            picked.push_str(part);
        }
    } else if step > 0 {
        for part in Steps(window) {
            check(vm)?;
            part.chars().for_each(|c| pick(&mut picked, c));
        }
    } else {
        for part in Steps(window).rev() {
            check(vm)?;
            part.chars().rev().for_each(|c| pick(&mut picked, c));
        }
    }
    Ok(picked)
}
