//! Makes RustPython 0.5 print as CPython 3.11 does: the order of sets of numbers, and the messages of a few errors.
//! ([`numbers`](super::numbers) does the same for decimals.) Replaces single slots of the interpreter's types.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine,
    builtins::{PyFloat, PyInt, PyStr, PyTuple, PyType},
    protocol::PySequence,
    recursion::ReprGuard,
};

use super::guards::{KEPT, replace_slot};

pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for (at, class) in [types.set_type, types.frozenset_type].into_iter().enumerate() {
        replace_slot!(class.slots.iter, ITER[at], [ordered_iter::<0>, ordered_iter::<1>][at]);
        class.slots.repr.store(Some(set_repr));
    }
    for (class, own) in concatenated(vm).into_iter().zip(&CONCAT) {
        replace_slot!(class.slots.as_sequence.concat, own, concat_sequences);
    }
}

type Iter = fn(PyObjectRef, &VirtualMachine) -> PyResult;

/// The originals, of sets and of frozen sets.
static ITER: [OnceLock<Iter>; 2] = [const { OnceLock::new() }; 2];

/// Larger sets, and sets of anything but numbers, keep the order of insertion.
const MAX_ORDERED: usize = 4096;

fn ordered_iter<const TYPE: usize>(set: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let own = ITER[TYPE].get().expect(KEPT);
    let length = set.length(vm)?;
    if !(2..=MAX_ORDERED).contains(&length) {
        return own(set, vm);
    }
    let mut elements = Vec::with_capacity(length);
    let iterator = own(set.clone(), vm)?;
    for element in iterator.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
        let element = element?;
        if !has_fixed_hash(&element, vm) {
            return own(set, vm);
        }
        elements.push((element.hash(vm)?, element));
    }
    let ordered = in_table_order(elements);
    Ok(vm.ctx.new_list(ordered).as_object().to_owned().get_iter(vm)?.into())
}

/// Whether CPython computes the same hash of an object in every process.
fn has_fixed_hash(element: &PyObject, vm: &VirtualMachine) -> bool {
    if let Some(tuple) = element.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.as_slice().iter().all(|inner| has_fixed_hash(inner, vm));
    }
    element.downcast_ref::<PyInt>().is_some() || element.downcast_ref::<PyFloat>().is_some()
}

/// The order of elements in CPython's hash table when they are added one after another.
fn in_table_order(elements: Vec<(i64, PyObjectRef)>) -> Vec<PyObjectRef> {
    let mut table = SetTable::new(8);
    for (hash, element) in elements {
        table.insert(hash, element);
        if table.used * 5 >= (table.slots.len() - 1) * 3 {
            let mut larger = SetTable::new((table.used * 4 + 1).next_power_of_two());
            for (hash, element) in table.slots.into_iter().flatten() {
                larger.insert(hash, element);
            }
            table = larger;
        }
    }
    table.slots.into_iter().flatten().map(|(_, element)| element).collect()
}

struct SetTable {
    slots: Vec<Option<(i64, PyObjectRef)>>,
    used: usize,
}

impl SetTable {
    fn new(size: usize) -> SetTable {
        SetTable { slots: vec![None; size], used: 0 }
    }

    /// Tries the slot of the hash and its nine neighbours, then jumps by the higher bits of the hash.
    fn insert(&mut self, hash: i64, element: PyObjectRef) {
        const NEIGHBOURS: usize = 9;
        let mask = self.slots.len() - 1;
        let mut rest = hash as u64;
        let mut index = rest as usize & mask;
        loop {
            let neighbours = if index + NEIGHBOURS <= mask { NEIGHBOURS } else { 0 };
            if let Some(free) = (index..=index + neighbours).find(|&at| self.slots[at].is_none()) {
                self.slots[free] = Some((hash, element));
                self.used += 1;
                return;
            }
            rest >>= 5;
            index = (index.wrapping_mul(5).wrapping_add(1).wrapping_add(rest as usize)) & mask;
        }
    }
}

fn set_repr(set: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
    let class = set.class();
    let name = class.name().to_owned();
    let plain = class.is(vm.ctx.types.set_type);
    if set.length(vm)? == 0 {
        return Ok(vm.ctx.new_str(format!("{name}()")));
    }
    let Some(_guard) = ReprGuard::enter(vm, set) else { return Ok(vm.ctx.new_str(format!("{name}(...)"))) };
    let mut texts = Vec::new();
    for element in set.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
        texts.push(element?.repr(vm)?.as_wtf8().to_string_lossy().into_owned());
    }
    let inner = texts.join(", ");
    Ok(vm.ctx.new_str(if plain { format!("{{{inner}}}") } else { format!("{name}({{{inner}}})") }))
}

type Concat = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult;

static CONCAT: [OnceLock<Concat>; 3] = [const { OnceLock::new() }; 3];

fn concatenated(vm: &VirtualMachine) -> [&'static Py<PyType>; 3] {
    [vm.ctx.types.str_type, vm.ctx.types.list_type, vm.ctx.types.tuple_type]
}

/// `a + b` of sequences, with CPython's message where the types differ.
fn concat_sequences(sequence: PySequence<'_>, other: &PyObject, vm: &VirtualMachine) -> PyResult {
    let mut kinds = concatenated(vm).into_iter().zip(&CONCAT);
    let found = kinds.find(|(class, _)| sequence.obj.fast_isinstance(class));
    let (class, own) = found.expect("install() replaces the slot of these types only");
    if !other.fast_isinstance(class) {
        let kind = class.name();
        let text = format!("can only concatenate {kind} (not \"{}\") to {kind}", other.class().name());
        return Err(vm.new_type_error(text));
    }
    own.get().expect(KEPT)(sequence, other, vm)
}
