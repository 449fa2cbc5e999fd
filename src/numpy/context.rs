//! What belongs to the `numpy` module of one session, and calls of operations from it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustpython_vm::builtins::{PyComplex, PyDictRef, PyFloat, PyType, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use super::mirror::Mirrors;
use super::text::PrintOptions;
use crate::ops::call::call;
use crate::ops::op::Caller;
use crate::ops::state::State;
use crate::ops::table;
use crate::ops::value::Value;
use crate::tensor::descriptor::TENSOR;
use crate::tensor::{Arg, CompletedOperation, DType, Tensor};
use crate::torch::{OrRaise, items, run_composed, site, tensor_value};

/// The `numpy` module of one session.
#[derive(Debug)]
pub(crate) struct Numpy {
    /// The session's state, which torch shares.
    pub(super) state: Rc<State>,
    /// The classes of scalars, by dtype.
    pub(super) scalars: RefCell<Vec<Option<PyTypeRef>>>,
    /// What computes with complex numbers, once there are any.
    pub(super) complex: RefCell<Option<Rc<Complex>>>,
    /// How arrays are printed.
    pub(super) options: RefCell<PrintOptions>,
    /// The methods of arrays that are Python.
    pub(super) methods: RefCell<Option<PyDictRef>>,
    /// Whether Python functions write arrays: `set_printoptions(formatter=)`.
    pub(super) has_custom_text: Cell<bool>,
    /// The views that are read backwards.
    mirrors: RefCell<Mirrors>,
}

/// The object in `_numpy` that has the context.
#[pyclass(module = "numpy", name = "_Context")]
#[derive(Debug, PyPayload)]
pub(super) struct PyContext {
    pub(super) numpy: Rc<Numpy>,
}

#[pyclass]
impl PyContext {}

/// The context of this interpreter. Errors: `numpy` was not imported.
pub(super) fn context(vm: &VirtualMachine) -> PyResult<Rc<Numpy>> {
    let modules = vm.sys_module.get_attr("modules", vm)?;
    let object = modules.get_item("_numpy", vm)?.get_attr("_context", vm)?;
    match object.downcast_ref::<PyContext>() {
        Some(context) => Ok(context.numpy.clone()),
        None => Err(vm.new_runtime_error("numpy is not imported")),
    }
}

impl Numpy {
    pub(super) fn new(state: &Rc<State>) -> Rc<Numpy> {
        Rc::new(Numpy {
            state: state.clone(),
            scalars: RefCell::new(DType::all().map(|_| None).collect()),
            complex: RefCell::default(),
            options: RefCell::new(PrintOptions::default()),
            methods: RefCell::new(None),
            has_custom_text: Cell::new(false),
            mirrors: RefCell::default(),
        })
    }

    /// The array of a tensor, which owns its memory.
    pub(super) fn array(self: &Rc<Self>, tensor: Tensor, vm: &VirtualMachine) -> PyObjectRef {
        self.view(tensor, None, vm)
    }

    /// The array of a tensor whose memory belongs to `owner`; without one it owns its memory.
    pub(super) fn view(
        self: &Rc<Self>,
        tensor: Tensor,
        owner: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyObjectRef {
        // As in NumPy, a view's base is no view of another array.
        let base =
            owner.map(|owner| match owner.downcast_ref::<PyArray>().and_then(|owner| owner.base_array()) {
                Some(base) => base,
                None => owner,
            });
        PyArray::new(tensor, base, self.clone()).into_pyobject(vm)
    }

    /// The array of what an operation made of `sources`: a view of the one that has the same memory.
    pub(super) fn derived<'a>(
        self: &Rc<Self>,
        tensor: Tensor,
        sources: impl IntoIterator<Item = &'a PyObject>,
        vm: &VirtualMachine,
    ) -> PyObjectRef {
        let is_owner = |source: &&PyObject| {
            let array = source.downcast_ref::<PyArray>();
            array.is_some_and(|it| it.inner.borrow().storage().same(tensor.storage()))
        };
        let owner = sources.into_iter().find(is_owner).map(ToOwned::to_owned);
        self.view(tensor, owner, vm)
    }

    /// Makes an array the owner of its memory: the array that it is a view of was a step on the way to it.
    pub(super) fn own(&self, array: &PyObjectRef) {
        let Some(made) = array.downcast_ref::<PyArray>() else { return };
        drop(made.base.take());
    }

    /// Keeps `backwards`, a copy in the opposite order, up to date with `forwards`.
    pub(super) fn mirror(&self, forwards: &Tensor, backwards: &Tensor, axes: Vec<usize>) {
        self.mirrors.borrow_mut().add(forwards, backwards, axes);
    }

    /// Copies what was written to one side of a mirror to the other.
    pub(super) fn update_mirrors(&self) {
        self.mirrors.borrow_mut().update();
    }

    /// Calls the first form of an operation; arguments that are left out are `None`.
    pub(super) fn call(&self, name: &'static str, args: Vec<Arg>, vm: &VirtualMachine) -> PyResult<Tensor> {
        self.call_form(name, 0, args, vm)
    }

    /// Calls a form of an operation.
    pub(super) fn call_form(
        &self,
        name: &'static str,
        form: usize,
        args: Vec<Arg>,
        vm: &VirtualMachine,
    ) -> PyResult<Tensor> {
        match self.call_value(name, form, args, vm)? {
            Value::Tensor(tensor) => Ok(tensor),
            _ => Err(vm.new_runtime_error(format!("{name} returns no single tensor"))),
        }
    }

    /// Calls a form of an operation that returns a tensor or several.
    pub(super) fn call_value(
        &self,
        name: &'static str,
        form: usize,
        mut args: Vec<Arg>,
        vm: &VirtualMachine,
    ) -> PyResult<Value> {
        let op = table::row(name);
        args.resize(op.params()[form].len().max(args.len()), Arg::None);
        let place = || site(vm);
        let caller = Caller { state: &self.state, site: &place };
        if !op.is_composed() {
            return call(caller, op, form, args).or_raise(vm);
        }
        let result = run_composed(caller, &self.state, op, form, args, vm)?;
        Ok(match (tensor_value(&result, vm), items(&result)) {
            (Some(tensor), _) => Value::Tensor(tensor),
            (None, parts) => Value::Tensors(
                parts.unwrap_or_default().iter().filter_map(|part| tensor_value(part, vm)).collect(),
            ),
        })
    }

    /// States that a result came from this operation on these arguments, so that it can be explained.
    pub(super) fn made(
        &self,
        result: &Tensor,
        name: &'static str,
        form: usize,
        args: Vec<Arg>,
        vm: &VirtualMachine,
    ) {
        let operation = &table::row(name).descriptor;
        result.set_made(self.record(operation, result, form, args, vm), 0);
    }

    /// States that a tensor has numbers that the program was given.
    pub(super) fn given(&self, result: &Tensor, vm: &VirtualMachine) {
        result.set_made(self.record(&TENSOR, result, 0, Vec::new(), vm), 0);
    }

    fn record(
        &self,
        operation: &'static crate::tensor::Descriptor,
        result: &Tensor,
        form: usize,
        args: Vec<Arg>,
        vm: &VirtualMachine,
    ) -> Rc<crate::tensor::Record> {
        self.state.recorder.record(CompletedOperation {
            operation,
            in_place: false,
            form,
            drawn: None,
            grad_name: None,
            args,
            site: site(vm),
            shape: result.shape().to_vec(),
            outputs: 1,
            needs_grad: false,
            in_backward: false,
        })
    }

    /// The same values in this dtype: itself where nothing changes.
    pub(super) fn cast(&self, tensor: &Tensor, dtype: DType, vm: &VirtualMachine) -> PyResult<Tensor> {
        if tensor.dtype() == dtype {
            return Ok(tensor.clone());
        }
        let args = vec![Arg::Tensor(tensor.clone()), Arg::DType(dtype), Arg::Bool(false), Arg::Bool(false)];
        self.call("to", args, vm)
    }

    /// What computes with complex numbers: its module is imported when it is first needed.
    pub(super) fn complex(&self, vm: &VirtualMachine) -> PyResult<Rc<Complex>> {
        if self.complex.borrow().is_none() {
            vm.import("numpy._complex", 0)?;
        }
        let complex = self.complex.borrow().clone();
        complex.ok_or_else(|| vm.new_runtime_error("numpy is not imported"))
    }

    /// The class of scalars of this dtype.
    pub(super) fn class(&self, dtype: DType, vm: &VirtualMachine) -> PyResult<PyTypeRef> {
        let known = self.scalars.borrow().get(dtype as usize).cloned().flatten();
        known.ok_or_else(|| vm.new_type_error(format!("numpy has no scalar of {}", dtype.name())))
    }
}

/// `numpy.ndarray`
#[pyclass(module = "numpy", name = "ndarray")]
pub(super) struct PyArray {
    pub(super) inner: RefCell<Tensor>,
    /// The object that owns the memory, if the array does not.
    base: RefCell<Option<PyObjectRef>>,
    /// The session's `numpy`.
    pub(super) numpy: Rc<Numpy>,
}

impl std::fmt::Debug for PyArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "array of shape {:?}", self.inner.borrow().shape())
    }
}

impl PyPayload for PyArray {
    fn class(_ctx: &rustpython_vm::Context) -> &'static Py<PyType> {
        <Self as rustpython_vm::class::StaticType>::static_type()
    }
}

impl PyArray {
    fn new(tensor: Tensor, base: Option<PyObjectRef>, numpy: Rc<Numpy>) -> PyArray {
        tensor.storage().bind(numpy.state.recorder.budget());
        PyArray { inner: RefCell::new(tensor), base: RefCell::new(base), numpy }
    }

    /// The object that owns the memory, if the array does not.
    pub(super) fn base(&self) -> Option<PyObjectRef> {
        self.base.borrow().clone()
    }

    /// The same, if it is an array.
    pub(super) fn base_array(&self) -> Option<PyObjectRef> {
        self.base().filter(|base| base.downcast_ref::<PyArray>().is_some())
    }

    /// The tensor that has its elements.
    pub(super) fn tensor(&self) -> Tensor {
        self.numpy.update_mirrors();
        self.inner.borrow().clone()
    }

    /// Another shape or dtype for the same object.
    pub(super) fn replace(&self, tensor: Tensor) {
        tensor.storage().bind(self.numpy.state.recorder.budget());
        if !tensor.storage().same(self.inner.borrow().storage()) {
            drop(self.base.take());
        }
        let old = self.inner.replace(tensor);
        old.storage().unbind(self.numpy.state.recorder.budget());
    }
}

impl Drop for PyArray {
    fn drop(&mut self) {
        self.inner.get_mut().storage().unbind(self.numpy.state.recorder.budget());
    }
}

/// The tensor of an array; `None` for other objects.
pub(super) fn array_of(object: &PyObject) -> Option<Tensor> {
    object.downcast_ref::<PyArray>().map(|it| it.tensor())
}

/// A scalar of any dtype but `float64`.
#[pyclass(module = "numpy", name = "_scalar")]
#[derive(Debug, PyPayload)]
pub(super) struct PyScalar {
    pub(super) dtype: DType,
    pub(super) number: Arg,
}

/// `numpy.float64`'s base.
#[pyclass(module = "numpy", name = "_float64", base = PyFloat)]
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct PyFloat64(PyFloat);

/// The base of the class of complex arrays: the pairs are an array whose last dimension has both parts.
#[pyclass(module = "numpy", name = "_complex_array")]
#[derive(Debug, PyPayload)]
pub(super) struct PyComplexArray {
    pub(super) pairs: PyRef<PyArray>,
    /// The array whose memory this one has.
    pub(super) base: Option<PyObjectRef>,
}

/// The base of the classes of complex scalars.
#[pyclass(module = "numpy", name = "_complex", base = PyComplex)]
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct PyComplexScalar(PyComplex);

/// The classes of complex arrays and scalars, which are Python, and the elementwise functions of them.
#[derive(Debug)]
pub(super) struct Complex {
    pub(super) array: PyTypeRef,
    pub(super) single: PyTypeRef,
    pub(super) double: PyTypeRef,
    pub(super) call: fn(&str, FuncArgs, &VirtualMachine) -> PyResult,
}

/// Sets a name of the module.
pub(super) type Set<'a> = dyn Fn(&str, PyObjectRef) -> PyResult<()> + 'a;
