//! `numpy.ndarray`. Its methods are Python (`py/numpy/_methods.py`); shape, items, operators and text are here.

use rustpython_vm::builtins::{PyBoundMethod, PyStr, PyType, PyTypeRef};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::protocol::{PyMappingMethods, PyNumberMethods, PySequenceMethods};
use rustpython_vm::types::{
    AsMapping, AsNumber, AsSequence, Comparable, Constructor, GetAttr, Hashable, Iterable, Representable,
};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::context::{PyArray, array_of};
use super::{dtypes, index, operators, scalar, text};
use crate::tensor::{Arg, Layout, Tensor};
use crate::torch::{check_list, tensor_object};

/// The text that Python functions write.
fn custom_text(function: &'static str, array: &PyObject, vm: &VirtualMachine) -> PyResult {
    let home = "numpy._settings";
    vm.import(home, 0)?;
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.get_item(home, vm)?.get_attr(function, vm)?.call((array.to_owned(),), vm)
}

fn nested(tensor: &Tensor, layout: &Layout, vm: &VirtualMachine) -> PyObjectRef {
    if layout.ndim() == 0 {
        return scalar::python(&dtypes::number_of(&tensor.with_layout(layout.clone())), vm);
    }
    let rows = (0..layout.shape[0]).map(|at| nested(tensor, &layout.select(0, at), vm)).collect();
    vm.ctx.new_list(rows).into()
}

#[pyclass(
    with(
        Constructor,
        AsNumber,
        AsMapping,
        AsSequence,
        Comparable,
        Hashable,
        Iterable,
        Representable,
        GetAttr
    ),
    flags(HAS_WEAKREF)
)]
impl PyArray {
    #[pygetset]
    fn shape(&self, vm: &VirtualMachine) -> PyObjectRef {
        let sizes = self.inner.borrow().shape().iter().map(|&size| vm.ctx.new_int(size).into()).collect();
        vm.ctx.new_tuple(sizes).into()
    }

    #[pygetset(setter)]
    fn set_shape(zelf: PyRef<Self>, shape: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let reshaped = vm.call_method(zelf.as_object(), "reshape", (shape,))?;
        let tensor = array_of(&reshaped).unwrap_or_else(|| zelf.tensor());
        if !tensor.storage().same(zelf.tensor().storage()) {
            return Err(vm.new_attribute_error(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.",
            ));
        }
        zelf.replace(tensor);
        Ok(())
    }

    #[pygetset]
    fn strides(&self, vm: &VirtualMachine) -> PyObjectRef {
        let tensor = self.inner.borrow();
        let width = tensor.dtype().size();
        let steps = tensor.layout().strides.iter().map(|&step| vm.ctx.new_int(step * width).into()).collect();
        vm.ctx.new_tuple(steps).into()
    }

    #[pygetset]
    fn ndim(&self) -> usize {
        self.inner.borrow().ndim()
    }

    #[pygetset]
    fn size(&self) -> usize {
        self.inner.borrow().numel()
    }

    #[pygetset]
    fn itemsize(&self) -> usize {
        self.inner.borrow().dtype().size()
    }

    #[pygetset]
    fn nbytes(&self) -> usize {
        let tensor = self.inner.borrow();
        tensor.numel() * tensor.dtype().size()
    }

    #[pygetset]
    fn dtype(&self, vm: &VirtualMachine) -> PyObjectRef {
        dtypes::object(self.inner.borrow().dtype(), vm)
    }

    #[pygetset(name = "T")]
    fn transposed(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        let axes = (0..tensor.ndim() as i64).rev().collect();
        let turned = zelf.numpy.call("permute", vec![Arg::Tensor(tensor), Arg::Ints(axes)], vm)?;
        Ok(zelf.numpy.derived(turned, [zelf.as_object()], vm))
    }

    #[pygetset]
    fn flat(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.python("_flat", vec![zelf.clone().into()], vm)
    }

    #[pygetset(setter)]
    fn set_flat(zelf: PyRef<Self>, value: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        zelf.python("_set_flat", vec![zelf.clone().into(), value], vm).map(drop)
    }

    #[pygetset]
    fn real(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        zelf.python("_real", vec![zelf.clone().into()], vm)
    }

    #[pygetset(setter)]
    fn set_real(zelf: PyRef<Self>, value: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        zelf.python("_set_real", vec![zelf.clone().into(), value], vm).map(drop)
    }

    /// The torch tensor on the same elements.
    #[pygetset]
    fn _tensor(&self, vm: &VirtualMachine) -> PyObjectRef {
        tensor_object(self.tensor(), &self.numpy.state, vm)
    }

    /// Whether the elements are row-major without gaps.
    #[pygetset]
    fn _is_row_major(&self) -> bool {
        self.inner.borrow().is_contiguous()
    }

    /// The strides in elements, and the offset.
    #[pygetset]
    fn _layout(&self, vm: &VirtualMachine) -> PyObjectRef {
        let tensor = self.inner.borrow();
        let steps = tensor.layout().strides.iter().map(|&step| vm.ctx.new_int(step).into()).collect();
        let offset = vm.ctx.new_int(tensor.layout().offset).into();
        vm.ctx.new_tuple(vec![vm.ctx.new_tuple(steps).into(), offset]).into()
    }

    /// A number that identifies the memory.
    #[pygetset]
    fn _address(&self) -> usize {
        // A view that is read backwards shares the memory of its base.
        if let Some(address) = self.base_array().and_then(|base| array_of(&base)) {
            return address.storage().address();
        }
        self.inner.borrow().storage().address()
    }

    /// The object that owns the memory, if the array does not.
    #[pygetset(name = "base")]
    fn owner(&self) -> Option<PyObjectRef> {
        self.base()
    }

    #[pygetset]
    fn _owns(&self) -> bool {
        self.base().is_none()
    }

    #[pymethod]
    fn __copy__(&self, vm: &VirtualMachine) -> PyResult {
        Ok(self.numpy.array(self.numpy.call("clone", vec![Arg::Tensor(self.tensor())], vm)?, vm))
    }

    #[pymethod]
    fn __deepcopy__(&self, _memo: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        self.__copy__(vm)
    }

    #[pymethod]
    fn tolist(&self, vm: &VirtualMachine) -> PyResult {
        let tensor = self.tensor();
        check_list(tensor.shape(), vm)?;
        Ok(nested(&tensor, tensor.layout(), vm))
    }

    #[pyslot]
    fn slot_str(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
        let Some(array) = zelf.downcast_ref::<PyArray>() else { return Ok(vm.ctx.new_str("")) };
        if array.numpy.has_custom_text.get() {
            return custom_text("custom_str", zelf, vm)?.str(vm);
        }
        Ok(vm.ctx.new_str(array.text()))
    }

    #[pymethod]
    fn __format__(zelf: PyRef<Self>, spec: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        let spec = spec.str(vm)?;
        if tensor.ndim() == 0 {
            let number = scalar::python(&dtypes::number_of(&tensor), vm);
            return Ok(vm.format(&number, spec)?.into());
        }
        if spec.is_empty() {
            return Ok(zelf.as_object().str(vm)?.into());
        }
        Err(vm.new_type_error("unsupported format string passed to numpy.ndarray.__format__"))
    }
}

impl PyArray {
    /// Calls a function of `numpy._methods`.
    fn python(&self, name: &'static str, args: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult {
        let methods = self.numpy.methods.borrow().clone();
        match methods {
            Some(methods) => methods.get_item(name, vm)?.call(args, vm),
            None => Err(vm.new_runtime_error("numpy is not imported")),
        }
    }

    /// `str(array)`
    fn text(&self) -> String {
        let tensor = self.tensor();
        let options = self.numpy.options.borrow();
        if tensor.ndim() == 0 && tensor.dtype().is_float() {
            let number = dtypes::number_of(&tensor).number().unwrap_or(f64::NAN);
            return super::digits::scalar(number, tensor.dtype());
        }
        text::array(&tensor, &options, " ", 0, 0)
    }
}

impl GetAttr for PyArray {
    /// An attribute of the class, or a method of `numpy._methods`.
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        if let Some(value) = zelf.as_object().generic_getattr_opt(name, None, vm)? {
            return Ok(value);
        }
        let methods = zelf.numpy.methods.borrow().clone();
        if let Some(methods) = methods {
            if let Some(function) = methods.get_item_opt(name, vm)?
                && !name.to_string_lossy().starts_with('_')
            {
                return Ok(PyBoundMethod::new(zelf.as_object().to_owned(), function).into_pyobject(vm));
            }
            if let Some(properties) = methods.get_item_opt("_PROPERTIES", vm)?
                && let Some(dict) = properties.downcast_ref::<rustpython_vm::builtins::PyDict>()
                && let Some(function) = dict.get_item_opt(name, vm)?
            {
                return function.call((zelf.as_object().to_owned(),), vm);
            }
            if let Some(missing) = methods.get_item_opt("_missing", vm)? {
                return missing.call((zelf.as_object().to_owned(), name.to_owned()), vm);
            }
        }
        Err(vm.new_attribute_error(format!(
            "'numpy.ndarray' object has no attribute '{}'",
            name.to_string_lossy()
        )))
    }
}

impl Constructor for PyArray {
    type Args = FuncArgs;

    /// `numpy.ndarray(shape, dtype)`: an array whose elements are still to be set.
    fn slot_new(_class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        vm.import("numpy", 0)?.get_attr("empty", vm)?.call(args, vm)
    }

    fn py_new(_class: &Py<PyType>, _args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        Err(vm.new_type_error("an array is made by its class"))
    }
}

impl Representable for PyArray {
    fn repr_str(zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<String> {
        if zelf.numpy.has_custom_text.get() {
            return Ok(custom_text("custom_repr", zelf.as_object(), vm)?.str(vm)?.to_string());
        }
        Ok(text::repr(&zelf.tensor(), &zelf.numpy.options.borrow()))
    }
}

impl Hashable for PyArray {
    fn hash(_zelf: &Py<Self>, vm: &VirtualMachine) -> PyResult<PyHash> {
        Err(vm.new_type_error("unhashable type: 'numpy.ndarray'"))
    }
}

impl Iterable for PyArray {
    fn iter(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        let Some(&size) = tensor.shape().first() else {
            return Err(vm.new_type_error("iteration over a 0-d array"));
        };
        check_list(&[size], vm)?;
        let mut items = Vec::with_capacity(size);
        for at in 0..size {
            items.push(match tensor.ndim() {
                1 => scalar::of_tensor(&zelf.numpy, &tensor.with_layout(tensor.layout().select(0, at)), vm)?,
                _ => {
                    let args = vec![Arg::Tensor(tensor.clone()), Arg::Int(0), Arg::Int(at as i64)];
                    zelf.numpy.derived(zelf.numpy.call("select", args, vm)?, [zelf.as_object()], vm)
                }
            });
        }
        let list: PyObjectRef = vm.ctx.new_list(items).into();
        Ok(list.get_iter(vm)?.into())
    }
}

operators::comparable!(PyArray);

impl AsNumber for PyArray {
    fn as_number() -> &'static PyNumberMethods {
        &operators::METHODS
    }
}

fn length(object: &PyObject, vm: &VirtualMachine) -> PyResult<usize> {
    match array_of(object).and_then(|tensor| tensor.shape().first().copied()) {
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
