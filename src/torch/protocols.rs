//! What Python's protocols mean for tensors: text, hash, iteration, comparison, and attributes that do not exist.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{Either, PyComparisonValue};
use rustpython_vm::types::{GetAttr, Hashable, Iterable, PyComparisonOp, Representable};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::names;
use super::numbers::number;
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::{OrRaise, raise};
use super::to_python::object;
use crate::kernel::stop;
use crate::ops::table;
use crate::tensor::descriptor::Sign;
use crate::tensor::{Arg, Category, Error, ErrorFact, Tensor, show};

impl PyTensor {
    /// The text of `repr` of the complex tensor whose parts these are: its dtype and the default, and the name of its
    /// node, if the parts have another.
    pub(crate) fn complex_text(&self, [dtype, default_dtype]: [&str; 2], made: Option<String>) -> String {
        let tensor = self.inner.borrow();
        let made = tensor.grad_fn().map(|of_parts| made.unwrap_or(of_parts));
        let frame = show::Frame { dtype, default_dtype, grad: grad_of(&tensor, &made), parameter: false };
        show::complex_repr(&Elements(&tensor), &frame, &self.state.print_options.borrow())
    }

    /// The text of `repr`.
    pub(crate) fn text(&self) -> String {
        let tensor = self.inner.borrow();
        let dtype = format!("torch.{}", tensor.dtype().name());
        let default = format!("torch.{}", self.state.default_dtype.get().name());
        let made = tensor.grad_fn();
        let grad = grad_of(&tensor, &made);
        let frame =
            show::Frame { dtype: &dtype, default_dtype: &default, grad, parameter: self.parameter.get() };
        show::tensor_repr(&Elements(&tensor), &frame, &self.state.print_options.borrow())
    }
}

/// What printing says of gradients; `made` is the name of the node.
fn grad_of<'a>(tensor: &Tensor, made: &'a Option<String>) -> show::Grad<'a> {
    match made {
        Some(name) => show::Grad::Made(name),
        None if tensor.requires_grad() => show::Grad::Leaf,
        None => show::Grad::None,
    }
}

/// A tensor's elements as printing reads them: through the strides, only those that are shown.
pub(crate) struct Elements<'a>(pub(crate) &'a Tensor);

impl show::PrintSource for Elements<'_> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn at(&self, place: usize) -> show::ElementValue {
        let position = self.0.layout().position(place);
        let data = self.0.storage().read();
        match self.0.dtype().category() {
            Category::Float => show::ElementValue::Float(data.float(position)),
            Category::Integer => show::ElementValue::Int(data.int(position)),
            Category::Bool => show::ElementValue::Bool(data.int(position) != 0),
        }
    }
}

impl Representable for PyTensor {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        stop::leavable(|| zelf.text()).or_raise(vm)
    }
}

impl Hashable for PyTensor {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok((zelf.as_object().get_id() >> 4) as PyHash)
    }
}

impl Iterable for PyTensor {
    fn iter(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        if zelf.tensor().ndim() == 0 {
            let error = Error::type_error("iteration over a 0-d tensor");
            return Err(raise(error.about(ErrorFact::IterationOverNumber), vm));
        }
        let rows = object(zelf.apply("unbind", vec![Arg::Int(0)], vm)?, &zelf.state, &[], vm)?;
        Ok(rows.get_iter(vm)?.into())
    }
}

/// `a < b` and the like: each is an operation.
#[pyclass]
pub(super) trait Comparisons: PyPayload {
    #[pyslot]
    fn slot_richcompare(
        zelf: &PyObject,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
        let not_implemented = || Ok(Either::B(PyComparisonValue::NotImplemented));
        let Some(tensor) = zelf.downcast_ref::<PyTensor>() else { return not_implemented() };
        let other = match tensor_of(other).map(Arg::Tensor).or_else(|| number(other, vm)) {
            Some(other) => other,
            None => return not_implemented(),
        };
        let sign = match op {
            PyComparisonOp::Lt => Sign::Lt,
            PyComparisonOp::Le => Sign::Le,
            PyComparisonOp::Eq => Sign::Eq,
            PyComparisonOp::Ne => Sign::Ne,
            PyComparisonOp::Gt => Sign::Gt,
            PyComparisonOp::Ge => Sign::Ge,
        };
        let op = table::operator(sign).expect("every operator of Python has a row");
        Ok(Either::A(object(tensor.call(op, vec![other], vm)?, &tensor.state, &[], vm)?))
    }
}

impl Comparisons for PyTensor {}

impl GetAttr for PyTensor {
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        match zelf.as_object().generic_getattr_opt(name, None, vm)? {
            Some(value) => Ok(value),
            None => Err(names::missing_attribute(zelf.as_object(), &name.to_string_lossy(), vm)),
        }
    }
}
