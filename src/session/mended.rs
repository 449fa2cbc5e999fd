//! Where RustPython 0.5 prints other than CPython: the order of sets of numbers, and
//! the words of a few errors. (`numbers` mends decimals.)
//! Replaces single slots of the interpreter; source: CPython 3.11's behaviour.

use std::sync::OnceLock;

use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine,
    builtins::{PyFloat, PyInt, PyStr, PyTuple, PyType},
    protocol::PySequence,
    recursion::ReprGuard,
};

/// Puts the replacements in place.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for (class, own) in [(types.set_type, &SET_ITER), (types.frozenset_type, &FROZENSET_ITER)] {
        if let Some(iter) = class.slots.iter.load() {
            own.get_or_init(|| iter);
        }
        class.slots.repr.store(Some(set_repr));
    }
    types.set_type.slots.iter.store(Some(set_iter));
    types.frozenset_type.slots.iter.store(Some(frozenset_iter));
    for (class, own) in
        [(types.str_type, &STR_CONCAT), (types.list_type, &LIST_CONCAT), (types.tuple_type, &TUPLE_CONCAT)]
    {
        if let Some(concat) = class.slots.as_sequence.concat.load() {
            own.get_or_init(|| concat);
            class.slots.as_sequence.concat.store(Some(concatenated));
        }
    }
}

type Iter = fn(PyObjectRef, &VirtualMachine) -> PyResult;

static SET_ITER: OnceLock<Iter> = OnceLock::new();
static FROZENSET_ITER: OnceLock<Iter> = OnceLock::new();

fn set_iter(set: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    ordered_iter(set, &SET_ITER, vm)
}

fn frozenset_iter(set: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    ordered_iter(set, &FROZENSET_ITER, vm)
}

/// Sets beyond this size, and sets of anything but numbers, keep the order of insertion.
const LARGEST: usize = 4096;

fn ordered_iter(set: PyObjectRef, own: &OnceLock<Iter>, vm: &VirtualMachine) -> PyResult {
    let Some(own) = own.get() else {
        return Err(vm.new_type_error("sets cannot be iterated over"));
    };
    let length = set.length(vm)?;
    if !(2..=LARGEST).contains(&length) {
        return own(set, vm);
    }
    let mut elements = Vec::with_capacity(length);
    let plain = own(set.clone(), vm)?;
    for element in plain.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
        let element = element?;
        if !has_fixed_hash(&element, vm) {
            return own(set, vm);
        }
        elements.push((element.hash(vm)?, element));
    }
    let ordered = in_table_order(elements);
    Ok(vm.ctx.new_list(ordered).as_object().to_owned().get_iter(vm)?.into())
}

/// Whether CPython's hash of an object is the same in every process.
fn has_fixed_hash(element: &PyObject, vm: &VirtualMachine) -> bool {
    if let Some(tuple) = element.downcast_ref_if_exact::<PyTuple>(vm) {
        return tuple.as_slice().iter().all(|inner| has_fixed_hash(inner, vm));
    }
    element.downcast_ref::<PyInt>().is_some() || element.downcast_ref::<PyFloat>().is_some()
}

/// The order in which CPython's hash table holds elements that were added one after another.
fn in_table_order(elements: Vec<(i64, PyObjectRef)>) -> Vec<PyObjectRef> {
    let mut table = Table::of(8);
    for (hash, element) in elements {
        table.put(hash, element);
        if table.used * 5 >= (table.slots.len() - 1) * 3 {
            let wanted = table.used * 4;
            let mut size = 8;
            while size <= wanted {
                size *= 2;
            }
            let mut larger = Table::of(size);
            for (hash, element) in table.slots.into_iter().flatten() {
                larger.put(hash, element);
            }
            table = larger;
        }
    }
    table.slots.into_iter().flatten().map(|(_, element)| element).collect()
}

struct Table {
    slots: Vec<Option<(i64, PyObjectRef)>>,
    used: usize,
}

impl Table {
    fn of(size: usize) -> Table {
        Table { slots: vec![None; size], used: 0 }
    }

    /// Looks at ten neighbours, then jumps on by the hash's higher bits.
    fn put(&mut self, hash: i64, element: PyObjectRef) {
        const NEIGHBOURS: usize = 9;
        let mask = self.slots.len() - 1;
        let mut rest = hash as u64;
        let mut index = rest as usize & mask;
        loop {
            let reach = if index + NEIGHBOURS <= mask { NEIGHBOURS } else { 0 };
            if let Some(free) = (index..=index + reach).find(|&at| self.slots[at].is_none()) {
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
    let Some(_guard) = ReprGuard::enter(vm, set) else {
        return Ok(vm.ctx.new_str(format!("{name}(...)")));
    };
    let mut texts = Vec::new();
    for element in set.get_iter(vm)?.iter::<PyObjectRef>(vm)? {
        texts.push(element?.repr(vm)?.as_wtf8().to_string_lossy().into_owned());
    }
    let inner = texts.join(", ");
    Ok(vm.ctx.new_str(if plain { format!("{{{inner}}}") } else { format!("{name}({{{inner}}})") }))
}

type Concat = fn(PySequence<'_>, &PyObject, &VirtualMachine) -> PyResult;

static STR_CONCAT: OnceLock<Concat> = OnceLock::new();
static LIST_CONCAT: OnceLock<Concat> = OnceLock::new();
static TUPLE_CONCAT: OnceLock<Concat> = OnceLock::new();

/// `a + b` of sequences, with CPython's words where `b` is of another kind.
fn concatenated(sequence: PySequence<'_>, other: &PyObject, vm: &VirtualMachine) -> PyResult {
    let types = &vm.ctx.types;
    let kinds: [(&Py<PyType>, &OnceLock<Concat>); 3] =
        [(types.str_type, &STR_CONCAT), (types.list_type, &LIST_CONCAT), (types.tuple_type, &TUPLE_CONCAT)];
    let found = kinds.into_iter().find(|(class, _)| sequence.obj.fast_isinstance(class));
    let Some((class, own)) = found else {
        return Ok(vm.ctx.not_implemented());
    };
    if !other.fast_isinstance(class) {
        let kind = class.name();
        let text = format!("can only concatenate {kind} (not \"{}\") to {kind}", other.class().name());
        return Err(vm.new_type_error(text));
    }
    match own.get() {
        Some(own) => own(sequence, other, vm),
        None => Ok(vm.ctx.not_implemented()),
    }
}
