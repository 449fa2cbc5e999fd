//! Calls of a learner's functions as they were when they began, so that they can be repeated on changed inputs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use rustpython_compiler_core::bytecode::CodeFlags;
use rustpython_vm::builtins::{PyDict, PyDictRef, PyInt, PyList, PyTuple, PyTupleRef};
use rustpython_vm::frame::FrameRef;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::py_tensor::{PyTensor, lent_tensor};
use super::site::is_library;
use crate::tensor::ops::copy;

/// A call of a learner's function. Its tensors are copies, made before the function ran its first operation.
pub(crate) struct CapturedCall {
    /// The number of the activation in the trace.
    pub(crate) activation: u64,
    /// The address of the function's code.
    code: usize,
    /// What kind of value each argument is: [`kind`].
    kinds: String,
    function: PyObjectRef,
    names: Vec<String>,
    positional: Vec<PyObjectRef>,
    keywords: Vec<(String, PyObjectRef)>,
}

impl CapturedCall {
    /// Repeats the call on changed inputs, as `_probe` says. `others` are calls of the same function with other
    /// kinds of arguments; `work` is what the call did, as [`Trace::work`](crate::ops::trace::Trace::work) counts it.
    /// Returns its report, which is JSON.
    pub(crate) fn examine(
        &self,
        others: &[&CapturedCall],
        work: usize,
        vm: &VirtualMachine,
    ) -> PyResult<String> {
        let names = self.names.iter().map(|name| vm.ctx.new_str(name.as_str()).into()).collect();
        let names = vm.ctx.new_list(names);
        let (positional, keywords) = self.arguments(vm)?;
        let others = others.iter().map(|other| {
            let (positional, keywords) = other.arguments(vm)?;
            Ok(vm.ctx.new_tuple(vec![positional.into(), keywords.into()]).into())
        });
        let others = vm.ctx.new_list(others.collect::<PyResult<_>>()?);
        let examine = vm.import("_probe", 0)?.get_attr("examine", vm)?;
        let arguments = (self.function.clone(), names, positional, keywords, others, vm.ctx.new_int(work));
        examine.call(arguments, vm)?.try_to_value(vm)
    }

    fn arguments(&self, vm: &VirtualMachine) -> PyResult<(PyTupleRef, PyDictRef)> {
        let keywords = vm.ctx.new_dict();
        for (name, value) in &self.keywords {
            keywords.set_item(name.as_str(), value.clone(), vm)?;
        }
        Ok((vm.ctx.new_tuple(self.positional.clone()), keywords))
    }

    /// Whether both are calls of one function, and differ in the kinds of their arguments.
    pub(crate) fn differs_from(&self, other: &CapturedCall) -> bool {
        self.code == other.code && self.kinds != other.kinds
    }
}

/// How often a function was captured with each kind of arguments, by the outermost object.
type Owners = HashMap<usize, HashMap<String, usize>>;

/// Captures calls while it is on.
#[derive(Default)]
pub(crate) struct CallCapture {
    on: Cell<bool>,
    calls: RefCell<Vec<CapturedCall>>,
    /// By the addresses of a function's code and of its caller's.
    counts: RefCell<HashMap<(usize, usize), Owners>>,
    elements: Cell<usize>,
}

/// The address of the code of the learner's function that called this one; 0 if there is none.
fn caller(frame: &FrameRef, vm: &VirtualMachine) -> usize {
    let mut next = frame.f_back(vm);
    while let Some(outer) = next {
        if !is_library(outer.code.source_path().as_str()) {
            return outer.code.get_id();
        }
        next = outer.f_back(vm);
    }
    0
}

impl CallCapture {
    /// Most calls of one function with the same kinds of arguments that are captured.
    const CALLS: usize = 2;
    /// Most different kinds of arguments.
    const KINDS: usize = 3;
    /// Most objects.
    const OWNERS: usize = 4;
    /// Most calls by one caller that are looked at, so that a long training loop is not slower for it. What writes text after it
    /// is another caller.
    const LOOKED_AT: usize = 64;
    /// Most elements of all copied tensors together.
    const ELEMENTS: usize = 1 << 22;

    /// Captures from now on.
    pub(crate) fn begin(&self) {
        self.take();
        self.on.set(true);
    }

    /// Ends capturing, and returns the calls in the order in which they began.
    pub(crate) fn take(&self) -> Vec<CapturedCall> {
        self.on.set(false);
        self.counts.take();
        self.elements.set(0);
        self.calls.take()
    }

    /// Captures the call that this frame runs, if it is one of a learner's function with tensors among its arguments.
    pub(super) fn add(
        &self,
        frame: &FrameRef,
        owner: &dyn Fn() -> usize,
        activation: u64,
        vm: &VirtualMachine,
    ) {
        if !self.on.get() || is_library(frame.code.source_path().as_str()) {
            return;
        }
        let Some(function) = frame.func_obj.clone() else { return };
        let mut counts = self.counts.borrow_mut();
        let owners = counts.entry((frame.code.get_id(), caller(frame, vm))).or_default();
        let owner = owner();
        if owners.len() >= Self::OWNERS && !owners.contains_key(&owner) {
            return;
        }
        let known = owners.entry(owner).or_default();
        let looked_at: usize = known.values().sum();
        if looked_at >= Self::LOOKED_AT {
            return;
        }
        let Some((call, elements)) = self.capture(function, frame, activation, vm) else { return };
        let kinds = known.len();
        let is_new = !known.contains_key(&call.kinds);
        if is_new && kinds >= Self::KINDS {
            return;
        }
        let count = known.entry(call.kinds.clone()).or_default();
        *count += 1;
        if *count <= Self::CALLS {
            self.elements.set(elements);
            self.calls.borrow_mut().push(call);
        }
    }

    fn capture(
        &self,
        function: PyObjectRef,
        frame: &FrameRef,
        activation: u64,
        vm: &VirtualMachine,
    ) -> Option<(CapturedCall, usize)> {
        let code = &frame.code;
        if code.flags.intersects(CodeFlags::GENERATOR | CodeFlags::COROUTINE) {
            return None;
        }
        let locals = frame.locals(vm).ok()?.obj().to_owned().downcast::<PyDict>().ok()?;
        let local = |name: &str| locals.get_item_opt(name, vm).ok().flatten();
        let (given, only) = (code.arg_count as usize, code.kwonlyarg_count as usize);
        let mut rest = code.varnames.iter().skip(given + only);
        let mut names: Vec<String> = code.varnames[..given].iter().map(|it| it.to_string()).collect();
        let mut positional: Vec<PyObjectRef> = names.iter().map(|name| local(name)).collect::<Option<_>>()?;
        if code.flags.contains(CodeFlags::VARARGS) {
            let name = rest.next()?;
            let more = local(name.as_str())?.downcast::<PyTuple>().ok()?;
            names.extend(more.iter().map(|_| name.to_string()));
            positional.extend(more.iter().cloned());
        }
        let mut keywords = Vec::new();
        for name in &code.varnames[given..given + only] {
            keywords.push((name.to_string(), local(name.as_str())?));
        }
        if code.flags.contains(CodeFlags::VARKEYWORDS) {
            let more = local(rest.next()?.as_str())?.downcast::<PyDict>().ok()?;
            for (name, value) in &more {
                keywords.push((name.str(vm).ok()?.to_string(), value));
            }
        }
        let mut copies = Copies {
            left: Self::ELEMENTS.checked_sub(self.elements.get())?,
            tensors: 0,
            known: HashMap::new(),
        };
        for value in positional.iter_mut().chain(keywords.iter_mut().map(|(_, value)| value)) {
            *value = copies.of(value, vm)?;
        }
        let kinds = positional.iter().chain(keywords.iter().map(|(_, value)| value));
        let kinds = kinds.map(|value| kind(value, vm)).collect();
        let code = code.get_id();
        let call = CapturedCall { activation, code, kinds, function, names, positional, keywords };
        (copies.tensors > 0).then_some((call, Self::ELEMENTS - copies.left))
    }
}

/// What kind of value an argument is. A cache is empty at first: `None`, no elements, or begins at 0.
fn kind(value: &PyObjectRef, vm: &VirtualMachine) -> char {
    if vm.is_none(value) {
        return 'N';
    }
    if let Some(tensor) = lent_tensor(value, vm) {
        return if tensor.numel() == 0 { 'E' } else { 'T' };
    }
    if value.downcast_ref_if_exact::<PyInt>(vm).is_some() {
        return if value.clone().try_to_value::<i64>(vm).is_ok_and(|it| it == 0) { 'Z' } else { 'I' };
    }
    if value.class().is(vm.ctx.types.bool_type) {
        return if value.is(&vm.ctx.true_value) { 'Y' } else { 'X' };
    }
    match value.length_opt(vm) {
        Some(Ok(0)) => 'E',
        Some(Ok(_)) => 'C',
        _ => 'O',
    }
}

/// Copies of arguments.
struct Copies {
    /// How many more elements may be copied.
    left: usize,
    /// How many tensors were copied.
    tensors: usize,
    /// The copies of lists and dicts, by their numbers: one that is there twice is one in the copy too.
    known: HashMap<usize, PyObjectRef>,
}

impl Copies {
    /// The same value with copies of the tensors in it; `None` if they are too large.
    fn of(&mut self, value: &PyObjectRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
        if let Some(object) = value.downcast_ref::<PyTensor>() {
            let tensor = object.tensor();
            self.left = self.left.checked_sub(tensor.numel())?;
            self.tensors += 1;
            return Some(PyTensor::new(copy(&tensor), object.state.clone()).into_pyobject(vm));
        }
        if let Some(tensor) = lent_tensor(value, vm) {
            self.left = self.left.checked_sub(tensor.numel())?;
            self.tensors += 1;
            return vm.call_method(value, "copy", ()).ok();
        }
        if let Some(tuple) = value.downcast_ref_if_exact::<PyTuple>(vm) {
            let copied = tuple.iter().map(|it| self.of(it, vm)).collect::<Option<_>>()?;
            return Some(vm.ctx.new_tuple(copied).into());
        }
        if let Some(known) = self.known.get(&value.get_id()) {
            return Some(known.clone());
        }
        let copied: PyObjectRef = if let Some(list) = value.downcast_ref_if_exact::<PyList>(vm) {
            let items = list.borrow_vec().to_vec();
            let copied = items.iter().map(|it| self.of(it, vm)).collect::<Option<_>>()?;
            vm.ctx.new_list(copied).into()
        } else if let Some(dict) = value.downcast_ref_if_exact::<PyDict>(vm) {
            let copied = vm.ctx.new_dict();
            for (key, value) in dict {
                copied.set_item(&*key, self.of(&value, vm)?, vm).ok()?;
            }
            copied.into()
        } else {
            return Some(value.clone());
        };
        self.known.insert(value.get_id(), copied.clone());
        Some(copied)
    }
}
