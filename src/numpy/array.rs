//! `numpy.ndarray`. Its methods are rows of [`super::table`]; shape, items, operators and text are here.

use rustpython_vm::builtins::{PyStr, PyTypeRef};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::protocol::{PyMappingMethods, PySequenceMethods};
use rustpython_vm::types::{AsMapping, AsSequence, GetAttr, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyRef, PyResult, VirtualMachine, pyclass};

use super::context::{PyArray, array_of};
use super::operators::Operators;
use super::{foreign, index, scalar, text};
use crate::tensor::Arg;
use crate::torch::{check_list, nested, tensor_object};

#[pyclass(with(AsMapping, AsSequence, Operators, Representable, GetAttr), flags(HAS_WEAKREF))]
impl PyArray {
    #[pygetset]
    fn shape(&self, vm: &VirtualMachine) -> PyObjectRef {
        let tensor = &self.inner;
        let sizes = tensor.shape().iter();
        vm.ctx.new_tuple(sizes.map(|&size| vm.ctx.new_int(size).into()).collect()).into()
    }

    #[pygetset]
    fn ndim(&self) -> usize {
        self.inner.ndim()
    }

    #[pygetset]
    fn size(&self) -> usize {
        self.inner.numel()
    }

    #[pygetset]
    fn dtype(&self, vm: &VirtualMachine) -> PyResult {
        self.numpy.dtype(self.inner.dtype(), vm)
    }

    #[pygetset(name = "T")]
    fn transposed(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        let axes = (0..tensor.ndim() as i64).rev().collect();
        let turned = zelf.numpy.call("permute", vec![Arg::Tensor(tensor), Arg::Ints(axes)], vm)?;
        Ok(zelf.numpy.derived(turned, [zelf.as_object()], vm))
    }

    #[pygetset]
    fn real(zelf: PyRef<Self>) -> PyRef<Self> {
        zelf
    }

    /// The torch tensor on the same elements.
    #[pygetset]
    fn _tensor(&self, vm: &VirtualMachine) -> PyObjectRef {
        tensor_object(self.tensor(), &self.numpy.state, vm)
    }

    /// Whether the elements are row-major without gaps.
    #[pygetset]
    fn _is_row_major(&self) -> bool {
        self.inner.is_contiguous()
    }

    /// The object that owns the memory, if the array does not.
    #[pygetset(name = "base")]
    fn owner(&self) -> Option<PyObjectRef> {
        self.base.clone()
    }

    #[pymethod]
    fn tolist(&self, vm: &VirtualMachine) -> PyResult {
        let tensor = self.tensor();
        check_list(tensor.shape(), vm)?;
        Ok(nested(&tensor, tensor.layout(), vm))
    }

    /// `numpy.ndarray(shape, dtype)`: an array whose elements are still to be set.
    #[pyslot]
    fn slot_new(_class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        foreign::call("numpy", "empty", args, vm)
    }

    #[pyslot]
    fn slot_hash(_zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyHash> {
        Err(vm.new_type_error("unhashable type: 'numpy.ndarray'"))
    }

    #[pyslot]
    fn slot_iter(zelf: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let Some(array) = zelf.downcast_ref::<PyArray>() else { return Ok(vm.ctx.not_implemented()) };
        let size = length(&zelf, vm).map_err(|_| vm.new_type_error("iteration over a 0-d array"))?;
        check_list(&[size], vm)?;
        let item = |at: usize| index::get(array, vm.ctx.new_int(at).as_object(), vm);
        let items = (0..size).map(item).collect::<PyResult<Vec<_>>>()?;
        let list: PyObjectRef = vm.ctx.new_list(items).into();
        Ok(list.get_iter(vm)?.into())
    }

    #[pyslot]
    fn slot_str(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
        let Some(array) = zelf.downcast_ref::<PyArray>() else { return Ok(vm.ctx.new_str("")) };
        let tensor = array.tensor();
        if let Some(text) = array.numpy.formatted(zelf, false, vm)? {
            return Ok(vm.ctx.new_str(text));
        }
        Ok(vm.ctx.new_str(match tensor.ndim() == 0 && tensor.dtype().is_float() {
            true => super::digits::scalar(tensor.to_f64_vec()[0], tensor.dtype()),
            false => text::array(&tensor, &array.numpy.options.borrow(), (" ", 0, 0)),
        }))
    }

    #[pymethod]
    fn __format__(zelf: PyRef<Self>, spec: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        let spec = spec.str(vm)?;
        if tensor.ndim() == 0 {
            return Ok(vm.format(&scalar::python(&tensor.first(), vm), spec)?.into());
        }
        if spec.is_empty() {
            return Ok(zelf.as_object().str(vm)?.into());
        }
        Err(vm.new_type_error("unsupported format string passed to numpy.ndarray.__format__"))
    }
}

impl GetAttr for PyArray {
    /// An attribute of the class, or one that `numpy._methods` has.
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        foreign::attribute(zelf.as_object(), name, "numpy._methods", vm)
    }
}

impl Representable for PyArray {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        if let Some(text) = zelf.numpy.formatted(zelf.as_object(), true, vm)? {
            return Ok(text);
        }
        Ok(text::repr(&zelf.tensor(), &zelf.numpy.options.borrow()))
    }
}

impl Operators for PyArray {}

fn length(object: &PyObject, vm: &VirtualMachine) -> PyResult<usize> {
    let array = object.downcast_ref::<PyArray>();
    match array.and_then(|it| it.inner.shape().first().copied()) {
        Some(size) => Ok(size),
        None => Err(vm.new_type_error("len() of unsized object")),
    }
}

impl AsMapping for PyArray {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: PyMappingMethods = PyMappingMethods {
            length: Some(|mapping, vm| length(mapping.obj, vm)),
            subscript: Some(|mapping, key, vm| match mapping.obj.downcast_ref::<PyArray>() {
                Some(array) => index::get(array, key, vm),
                None => Ok(vm.ctx.not_implemented()),
            }),
            ass_subscript: Some(|mapping, key, value, vm| {
                match (mapping.obj.downcast_ref::<PyArray>(), value) {
                    (Some(array), Some(value)) => index::set(array, key, &value, vm),
                    _ => Err(vm.new_value_error("cannot delete array elements")),
                }
            }),
        };
        &METHODS
    }
}

impl AsSequence for PyArray {
    fn as_sequence() -> &'static PySequenceMethods {
        static METHODS: PySequenceMethods = PySequenceMethods {
            length: Some(|sequence, vm| length(sequence.obj, vm)),
            contains: Some(|sequence, needle, vm| {
                let equal = vm.call_method(sequence.obj, "__eq__", (needle.to_owned(),))?;
                Ok(match array_of(&equal) {
                    Some(array) => array.to_bool_vec().contains(&true),
                    None => equal.try_to_bool(vm)?,
                })
            }),
            ..PySequenceMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}
