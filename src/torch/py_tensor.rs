//! The Python object of a tensor. Its attributes are in `tensor_class`, its operators in `operators`, its indexing in
//! `item`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustpython_vm::{
    AsObject, PyObject, PyObjectRef, PyPayload, PyResult, TryFromObject, VirtualMachine, pyclass,
};

use crate::ops::state::State;
use crate::tensor::Tensor;

/// The Python object of a tensor.
#[pyclass(module = "torch", name = "Tensor")]
#[derive(PyPayload)]
pub(crate) struct PyTensor {
    /// The storage knows that an object refers to it: [`PyTensor::new`], [`PyTensor::replace`] and the drop say so.
    pub(super) inner: RefCell<Tensor>,
    /// The session's state, for methods and operators.
    pub(crate) state: Rc<State>,
    /// Whether it is an `nn.Parameter`.
    pub(super) parameter: Cell<bool>,
}

impl std::fmt::Debug for PyTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tensor of shape {:?}", self.inner.borrow().shape())
    }
}

impl PyTensor {
    /// The object of a tensor.
    pub(crate) fn new(tensor: Tensor, state: Rc<State>) -> Self {
        tensor.storage().bind(state.recorder.budget());
        PyTensor { inner: RefCell::new(tensor), state, parameter: Cell::new(false) }
    }

    pub(crate) fn tensor(&self) -> Tensor {
        self.inner.borrow().clone()
    }

    /// Replaces the tensor, for what changes shape in place (`x.data = y`, `squeeze_`).
    pub(crate) fn replace(&self, tensor: Tensor) {
        tensor.storage().bind(self.state.recorder.budget());
        let old = self.inner.replace(tensor);
        old.storage().unbind(self.state.recorder.budget());
    }
}

impl Drop for PyTensor {
    fn drop(&mut self) {
        self.inner.get_mut().storage().unbind(self.state.recorder.budget());
    }
}

/// A new object of a tensor.
pub(crate) fn tensor_object(tensor: Tensor, state: &Rc<State>, vm: &VirtualMachine) -> PyObjectRef {
    PyTensor::new(tensor, state.clone()).into_pyobject(vm)
}

/// The tensor of a Python object, or the one that it lends: that of a NumPy array.
pub(crate) fn lent_tensor(object: &PyObject, vm: &VirtualMachine) -> Option<Tensor> {
    tensor_of(object).or_else(|| {
        let name = vm.ctx.intern_str("_tensor");
        object.class().get_attr(name)?;
        let lent = object.get_attr(name, vm).ok()?;
        tensor_of(&lent)
    })
}

/// The tensor of a Python object; none for other objects.
pub(crate) fn tensor_of(object: &PyObject) -> Option<Tensor> {
    object.downcast_ref::<PyTensor>().map(|it| it.tensor())
}

impl TryFromObject for Tensor {
    fn try_from_object(vm: &VirtualMachine, object: PyObjectRef) -> PyResult<Self> {
        tensor_of(&object)
            .ok_or_else(|| vm.new_type_error(format!("expected a Tensor, not {}", object.class().name())))
    }
}
