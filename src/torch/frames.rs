//! Which Python code calls an operation: the interpreter's frames, read for the tracer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustpython_compiler_core::bytecode::CodeFlags;
use rustpython_vm::builtins::{PyDict, PyDictRef, PyStr};
use rustpython_vm::frame::FrameRef;
use rustpython_vm::vm::thread::with_current_vm;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, VirtualMachine};

use super::calls::CallCapture;
use super::py_tensor::tensor_of;
use super::site::{is_library, span};
use crate::ops::trace::{CallObserver, Called, Tracer};
use crate::tensor::{Arg, Tensor};

/// Reads the frames of the interpreter that runs on this thread.
#[derive(Default)]
pub(crate) struct FrameObserver {
    /// The frames of the previous operation, kept so that no new frame can have the address of one of them.
    frames: RefCell<Vec<(FrameRef, u64)>>,
    activations: Cell<u64>,
    /// The calls that the doctor may repeat.
    pub(crate) capture: CallCapture,
}

/// Lets `tracer` see the interpreter's frames.
pub(crate) fn observe(tracer: &Tracer) -> Rc<FrameObserver> {
    let observer = Rc::new(FrameObserver::default());
    tracer.set_observer(observer.clone());
    observer
}

impl CallObserver for FrameObserver {
    fn calls(&self) -> Vec<Called> {
        with_current_vm(|vm| self.stack(vm))
    }

    fn names(&self, calls: &[Called], args: &[Arg]) -> Vec<Option<String>> {
        let mut named = Named(args.iter().flat_map(Arg::tensors).map(|tensor| (tensor, None)).collect());
        let frames = self.frames.borrow();
        if let Some((frame, _)) = calls.iter().rposition(|call| !call.library).and_then(|own| frames.get(own))
        {
            with_current_vm(|vm| named.search(frame, vm));
        }
        named.0.into_iter().map(|(_, name)| name).collect()
    }

    fn end(&self) {
        self.frames.take();
    }
}

impl FrameObserver {
    fn stack(&self, vm: &VirtualMachine) -> Vec<Called> {
        let mut frames = Vec::new();
        let mut next = vm.current_frame();
        while let Some(frame) = next {
            next = frame.f_back(vm);
            frames.push(frame);
        }
        frames.reverse();
        let numbered = self.numbered(frames, vm);
        let calls = numbered.iter().map(|(frame, number)| called(frame, *number, vm)).collect();
        self.frames.replace(numbered);
        calls
    }

    /// Each frame with the number of its activation: that of the last operation's frame if it is the same one.
    fn numbered(&self, frames: Vec<FrameRef>, vm: &VirtualMachine) -> Vec<(FrameRef, u64)> {
        let before = self.frames.borrow();
        // In a loop over kinds of a model, each of them is another object.
        let owner = || frames.iter().find_map(|frame| owner_of(frame, vm)).map_or(0, |it| it.get_id());
        let number = |frame: &FrameRef| {
            let known = before.iter().find(|(other, _)| other.is(frame)).map(|(_, number)| *number);
            let number = known.unwrap_or_else(|| {
                self.activations.set(self.activations.get() + 1);
                self.capture.add(frame, &owner, self.activations.get(), vm);
                self.activations.get()
            });
            (frame.clone(), number)
        };
        frames.iter().map(number).collect()
    }
}

/// The object whose method a frame runs.
fn owner_of(frame: &FrameRef, vm: &VirtualMachine) -> Option<PyObjectRef> {
    let is_method = frame.code.varnames.first().is_some_and(|first| first.as_str() == "self");
    is_method.then(|| names_of(frame, vm)?.get_item_opt("self", vm).ok()?).flatten()
}

fn called(frame: &FrameRef, activation: u64, vm: &VirtualMachine) -> Called {
    let code = &frame.code;
    let cell = code.source_path().as_str();
    let own = owner_of(frame, vm);
    let class = own.as_ref().map(|it| it.class().name().to_string());
    let owner = own.as_ref().map(|it| it.get_id());
    let training = own.and_then(|own| {
        let training = own.dict()?.get_item_opt("training", vm).ok().flatten()?;
        training.class().is(vm.ctx.types.bool_type).then(|| training.is(&vm.ctx.true_value))
    });
    Called {
        cell,
        library: is_library(cell),
        function: code.qualname.as_str(),
        class,
        owner,
        training,
        span: span(frame),
        activation,
    }
}

/// The names of a frame. Those of a module or of a class's body are taken as they are: to ask for them anew would bind
/// the variables of comprehensions there.
fn names_of(frame: &FrameRef, vm: &VirtualMachine) -> Option<PyDictRef> {
    let names = match frame.code.flags.contains(CodeFlags::OPTIMIZED) {
        true => frame.locals(vm).ok(),
        false => frame.locals.get().cloned(),
    };
    names?.obj().to_owned().downcast::<PyDict>().ok()
}

/// Tensors, and the first name that a frame has for each.
struct Named<'a>(Vec<(&'a Tensor, Option<String>)>);

/// How deep modules inside modules are looked through for a tensor's name.
const NESTED: usize = 3;

impl Named<'_> {
    fn is_done(&self) -> bool {
        self.0.iter().all(|(_, name)| name.is_some())
    }

    /// Looks in the names of the frame, in the attributes of `self`, then in the names of the module.
    fn search(&mut self, frame: &FrameRef, vm: &VirtualMachine) {
        if self.is_done() {
            return;
        }
        let names = names_of(frame, vm);
        if let Some(locals) = &names {
            self.names(locals, "");
            if let Some(own) = locals.get_item_opt("self", vm).ok().flatten() {
                self.attributes(&own, "self", NESTED);
            }
        }
        if !names.is_some_and(|names| names.is(&frame.globals)) {
            self.names(&frame.globals, "");
        }
    }

    /// Takes the names in a dict, each behind `path`.
    fn names(&mut self, dict: &PyDict, path: &str) {
        each(dict, |name, value| self.name(value, path, name));
    }

    /// Takes a name of an object, if it is a tensor that has none yet.
    fn name(&mut self, object: &PyObject, path: &str, name: &str) {
        let Some(tensor) = tensor_of(object).filter(|_| !self.is_done()) else { return };
        for (wanted, known) in &mut self.0 {
            if known.is_none() && wanted.is(&tensor) {
                *known = Some(format!("{path}{name}"));
            }
        }
    }

    /// Parameters, buffers and other tensors of a module, and of the modules in it.
    fn attributes(&mut self, object: &PyObject, path: &str, depth: usize) {
        let Some(own) = object.dict().filter(|_| depth > 0 && !self.is_done()) else { return };
        let inside = format!("{path}.");
        each(&own, |name, value| {
            if let Some(part) = value.downcast_ref::<PyDict>() {
                match name {
                    "_parameters" | "_buffers" => self.names(part, &inside),
                    "_modules" => {
                        each(part, |name, value| {
                            self.attributes(value, &format!("{inside}{name}"), depth - 1);
                        });
                    }
                    _ => {}
                }
            } else {
                self.name(value, &inside, name);
            }
        });
    }
}

fn each(dict: &PyDict, mut visit: impl FnMut(&str, &PyObject)) {
    for (name, value) in dict {
        if let Some(name) = name.downcast_ref::<PyStr>() {
            visit(&name.as_wtf8().to_string_lossy(), &value);
        }
    }
}
