//! Calls of a learner's functions as they were when they began, so that they can be repeated on changed inputs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use rustpython_compiler_core::bytecode::CodeFlags;
use rustpython_vm::builtins::{PyDict, PyList, PyTuple};
use rustpython_vm::frame::FrameRef;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::py_tensor::PyTensor;
use super::site::is_library;
use crate::tensor::Tensor;

/// A call of a learner's function. Its tensors are copies, made before the function ran its first operation.
pub(crate) struct CapturedCall {
    /// The number of the activation in the trace.
    pub(crate) activation: u64,
    function: PyObjectRef,
    names: Vec<String>,
    positional: Vec<PyObjectRef>,
    keywords: Vec<(String, PyObjectRef)>,
}

impl CapturedCall {
    /// Repeats the call on changed inputs, as `torch._probe` says. Returns its report, which is JSON.
    pub(crate) fn examine(self, vm: &VirtualMachine) -> PyResult<String> {
        let names = self.names.into_iter().map(|name| vm.ctx.new_str(name).into()).collect();
        let keywords = vm.ctx.new_dict();
        for (name, value) in self.keywords {
            keywords.set_item(name.as_str(), value, vm)?;
        }
        let names = vm.ctx.new_list(names);
        let positional = vm.ctx.new_tuple(self.positional);
        let examine = vm.import("torch._probe", 0)?.get_attr("_probe", vm)?.get_attr("examine", vm)?;
        examine.call((self.function, names, positional, keywords), vm)?.try_to_value(vm)
    }
}

/// Captures calls while it is on.
#[derive(Default)]
pub(crate) struct CallCapture {
    on: Cell<bool>,
    calls: RefCell<Vec<CapturedCall>>,
    /// How often a function was captured, by the address of its code.
    counts: RefCell<HashMap<usize, usize>>,
    elements: Cell<usize>,
}

impl CallCapture {
    /// Most calls of one function that are captured.
    const CALLS: usize = 2;
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
    pub(super) fn add(&self, frame: &FrameRef, activation: u64, vm: &VirtualMachine) {
        if !self.on.get() || is_library(frame.code.source_path().as_str()) {
            return;
        }
        let Some(function) = frame.func_obj.clone() else { return };
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(frame.code.get_id()).or_default();
        if *count >= Self::CALLS {
            return;
        }
        if let Some(call) = self.capture(function, frame, activation, vm) {
            *count += 1;
            self.calls.borrow_mut().push(call);
        }
    }

    fn capture(
        &self,
        function: PyObjectRef,
        frame: &FrameRef,
        activation: u64,
        vm: &VirtualMachine,
    ) -> Option<CapturedCall> {
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
        let mut copies = Copies { left: Self::ELEMENTS.checked_sub(self.elements.get())?, tensors: 0 };
        for value in positional.iter_mut().chain(keywords.iter_mut().map(|(_, value)| value)) {
            *value = copies.of(value, vm)?;
        }
        self.elements.set(Self::ELEMENTS - copies.left);
        (copies.tensors > 0).then_some(CapturedCall { activation, function, names, positional, keywords })
    }
}

/// Copies of arguments.
struct Copies {
    /// How many more elements may be copied.
    left: usize,
    /// How many tensors were copied.
    tensors: usize,
}

impl Copies {
    /// The same value with copies of the tensors in it; `None` if they are too large.
    fn of(&mut self, value: &PyObjectRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
        if let Some(object) = value.downcast_ref::<PyTensor>() {
            let tensor = object.tensor();
            self.left = self.left.checked_sub(tensor.numel())?;
            self.tensors += 1;
            let copy = Tensor::new(tensor.to_buffer(), tensor.shape(), tensor.dtype());
            return Some(PyTensor::new(copy, object.state.clone()).into_pyobject(vm));
        }
        if let Some(tuple) = value.downcast_ref_if_exact::<PyTuple>(vm) {
            let copied = tuple.iter().map(|it| self.of(it, vm)).collect::<Option<_>>()?;
            return Some(vm.ctx.new_tuple(copied).into());
        }
        if let Some(list) = value.downcast_ref_if_exact::<PyList>(vm) {
            let items = list.borrow_vec().to_vec();
            let copied = items.iter().map(|it| self.of(it, vm)).collect::<Option<_>>()?;
            return Some(vm.ctx.new_list(copied).into());
        }
        Some(value.clone())
    }
}
