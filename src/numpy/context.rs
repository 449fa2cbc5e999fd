//! What belongs to the `numpy` module of one session, and calls of operations from it.

use std::cell::RefCell;
use std::rc::Rc;

use rustpython_vm::builtins::{PyFloat, PyTypeRef};
use rustpython_vm::{PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::mirror::Mirrors;
use super::text;
use crate::ops::call::{call, call_in_place};
use crate::ops::state::{Caller, State};
use crate::ops::table;
use crate::ops::value::Value;
use crate::tensor::descriptor::TENSOR;
use crate::tensor::show::PrintOptions;
use crate::tensor::{Arg, CompletedOperation, DType, Tensor};
use crate::torch::{OrRaise, items, run_composed, site, tensor_of};

/// A dtype of numbers as Python sees it.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) dtype: DType,
    /// The class of its scalars.
    pub(super) class: PyTypeRef,
    /// The object of `numpy.dtype`.
    pub(super) object: PyObjectRef,
}

/// The `numpy` module of one session.
#[derive(Debug)]
pub(crate) struct Numpy {
    /// The session's state, which torch shares.
    pub(super) state: Rc<State>,
    /// The dtypes of numbers.
    pub(super) kinds: RefCell<Vec<Kind>>,
    /// The class of arrays of complex numbers, and of these numbers in single and in double precision.
    pub(super) complex: RefCell<Option<[PyTypeRef; 3]>>,
    /// How arrays are printed.
    pub(super) options: RefCell<PrintOptions>,
    /// What makes `str` of an array, or `repr`, where the program formats elements (`numpy.set_printoptions(formatter=..)`).
    pub(super) formatter: RefCell<Option<PyObjectRef>>,
    /// The views that are read backwards.
    pub(super) mirrors: RefCell<Mirrors>,
}

/// The object in `_numpy` that has the context.
#[pyclass(module = "numpy", name = "_Context")]
#[derive(Debug, PyPayload)]
pub(super) struct PyContext {
    pub(super) numpy: Rc<Numpy>,
}

#[pyclass]
impl PyContext {}

/// As in NumPy, a view's base is no view of another array.
fn base_of(owner: PyObjectRef) -> PyObjectRef {
    let base = owner.downcast_ref::<PyArray>().and_then(|it| it.base.clone());
    base.filter(|it| it.downcast_ref::<PyArray>().is_some()).unwrap_or(owner)
}

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
            kinds: RefCell::default(),
            complex: RefCell::default(),
            options: RefCell::new(text::default_options()),
            formatter: RefCell::default(),
            mirrors: RefCell::default(),
        })
    }

    /// The text of an array in the program's own format, if it has one for the dtype.
    pub(super) fn formatted(
        &self,
        array: &PyObject,
        in_repr: bool,
        vm: &VirtualMachine,
    ) -> PyResult<Option<String>> {
        let formatter = self.formatter.borrow().clone();
        formatter.map_or(Ok(None), |it| it.call((array.to_owned(), in_repr), vm)?.try_into_value(vm))
    }

    /// The array of a tensor, which owns its memory.
    pub(super) fn array(self: &Rc<Self>, tensor: Tensor, vm: &VirtualMachine) -> PyObjectRef {
        self.viewed(tensor, None, vm)
    }

    /// The array of a tensor whose memory belongs to `owner`; without one it owns its memory.
    pub(super) fn viewed(
        self: &Rc<Self>,
        tensor: Tensor,
        owner: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyObjectRef {
        PyArray::new(tensor, owner.map(base_of), self.clone()).into_pyobject(vm)
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
            array.is_some_and(|it| it.inner.storage().same(tensor.storage()))
        };
        let owner = sources.into_iter().find(is_owner).map(ToOwned::to_owned);
        self.viewed(tensor, owner, vm)
    }

    /// Copies what was written to one side of a mirror to the other.
    pub(super) fn update_mirrors(&self) {
        self.mirrors.borrow_mut().update();
    }

    /// Calls the first form of an operation; arguments that are left out are `None`.
    pub(super) fn call(&self, name: &'static str, args: Vec<Arg>, vm: &VirtualMachine) -> PyResult<Tensor> {
        self.call_form(name, 0, args, vm)
    }

    /// Calls a form of an operation; of several results this is the first.
    pub(super) fn call_form(
        &self,
        name: &'static str,
        form: usize,
        mut args: Vec<Arg>,
        vm: &VirtualMachine,
    ) -> PyResult<Tensor> {
        let op = table::row(name);
        args.resize(op.params()[form].len().max(args.len()), Arg::None);
        let place = || site(vm);
        let caller = Caller { state: &self.state, site: &place };
        let first = if op.is_composed() {
            let result = run_composed(caller, &self.state, op, form, args, vm)?;
            let first = items(&result).and_then(|all| all.into_iter().next());
            tensor_of(&first.unwrap_or(result))
        } else {
            let result = call(caller, op, form, args).or_raise(vm)?;
            result.tensors().first().map(|&it| it.clone())
        };
        first.ok_or_else(|| vm.new_runtime_error(format!("{name} returns no tensor")))
    }

    /// Calls the first form of an operation, which writes into its first argument.
    pub(super) fn call_in_place(
        &self,
        name: &'static str,
        mut args: Vec<Arg>,
        vm: &VirtualMachine,
    ) -> PyResult<Tensor> {
        let op = table::row(name);
        args.resize(op.params()[0].len().max(args.len()), Arg::None);
        let place = || site(vm);
        call_in_place(Caller { state: &self.state, site: &place }, op, 0, args).or_raise(vm)
    }

    /// States that a result came from this operation on these arguments, so that it can be explained and is in the trace.
    pub(super) fn made(
        &self,
        result: &Tensor,
        name: &'static str,
        form: usize,
        args: Vec<Arg>,
        vm: &VirtualMachine,
    ) {
        let operation = &table::row(name).descriptor;
        let record = |args| {
            let ran = CompletedOperation::new(operation, args, result.shape(), site(vm));
            self.record(result, CompletedOperation { form, ..ran });
            Ok(Value::Tensor(result.clone()))
        };
        let _ = match self.state.is_traced() {
            true => self.state.tracer.call(operation, args, record),
            false => record(args),
        };
    }

    /// States that a tensor has numbers that the program was given.
    pub(super) fn given(&self, result: &Tensor, vm: &VirtualMachine) {
        self.record(result, CompletedOperation::new(&TENSOR, Vec::new(), result.shape(), site(vm)));
    }

    fn record(&self, result: &Tensor, ran: CompletedOperation) {
        result.set_made(self.state.recorder.record(ran), 0);
    }

    /// The same values in this dtype: itself where nothing changes.
    pub(super) fn cast(&self, tensor: &Tensor, dtype: DType, vm: &VirtualMachine) -> PyResult<Tensor> {
        if tensor.dtype() == dtype {
            return Ok(tensor.clone());
        }
        let args = vec![Arg::Tensor(tensor.clone()), Arg::DType(dtype), Arg::Bool(false), Arg::Bool(false)];
        self.call("to", args, vm)
    }

    /// The class of scalars of this dtype.
    pub(super) fn class(&self, dtype: DType, vm: &VirtualMachine) -> PyResult<PyTypeRef> {
        self.kind(dtype, |kind| kind.class.clone(), vm)
    }

    /// The object of `numpy.dtype` for this dtype.
    pub(super) fn dtype(&self, dtype: DType, vm: &VirtualMachine) -> PyResult {
        self.kind(dtype, |kind| kind.object.clone(), vm)
    }

    fn kind<T>(&self, dtype: DType, of: fn(&Kind) -> T, vm: &VirtualMachine) -> PyResult<T> {
        let known = self.kinds.borrow().iter().find(|kind| kind.dtype == dtype).map(of);
        known.ok_or_else(|| vm.new_type_error(format!("numpy has no dtype {}", dtype.name())))
    }
}

/// `numpy.ndarray`
#[pyclass(module = "numpy", name = "ndarray")]
#[derive(Debug, PyPayload)]
pub(super) struct PyArray {
    /// The elements.
    pub(super) inner: Tensor,
    /// The object that owns the memory, if the array does not.
    pub(super) base: Option<PyObjectRef>,
    /// The session's `numpy`.
    pub(super) numpy: Rc<Numpy>,
}

impl PyArray {
    fn new(tensor: Tensor, base: Option<PyObjectRef>, numpy: Rc<Numpy>) -> PyArray {
        tensor.storage().bind(numpy.state.recorder.budget());
        PyArray { inner: tensor, base, numpy }
    }

    /// The tensor that has its elements.
    pub(super) fn tensor(&self) -> Tensor {
        self.numpy.update_mirrors();
        self.inner.clone()
    }
}

impl Drop for PyArray {
    fn drop(&mut self) {
        self.inner.storage().unbind(self.numpy.state.recorder.budget());
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

/// Sets a name of the module.
pub(super) type Set<'a> = dyn Fn(&str, PyObjectRef) -> PyResult<()> + 'a;
