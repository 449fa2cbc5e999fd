//! Methods of tensors that are written in Python, in `py/torch/_tensor.py`; loaded when first called.

use rustpython_vm::builtins::PyType;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, GetDescriptor, Representable};
use rustpython_vm::{Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::descriptor;

/// The methods in `_tensor.py`.
pub(crate) const PYTHON_METHODS: [&str; 12] = [
    "type",
    "numpy",
    "backward",
    "register_hook",
    "share_memory_",
    "pin_memory",
    "cuda",
    "new_tensor",
    "svd",
    "__array__",
    "__copy__",
    "__reduce_ex__",
];

/// One of them, by name.
#[pyclass(module = "torch", name = "method_descriptor")]
#[derive(Debug)]
pub(crate) struct PythonMethod {
    name: &'static str,
}

impl PythonMethod {
    /// The method of this name.
    pub(crate) fn new(name: &'static str) -> Self {
        PythonMethod { name }
    }
}

impl PyPayload for PythonMethod {
    fn class(_ctx: &rustpython_vm::Context) -> &'static Py<PyType> {
        <Self as rustpython_vm::class::StaticType>::static_type()
    }
}

impl Callable for PythonMethod {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        vm.import("torch._tensor", 0)?.get_attr("_tensor", vm)?.get_attr(zelf.name, vm)?.call(args, vm)
    }
}

impl GetDescriptor for PythonMethod {
    fn descr_get(
        zelf: PyObjectRef,
        object: Option<PyObjectRef>,
        _class: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        Ok(descriptor::read(zelf, object, false, vm))
    }
}

impl Representable for PythonMethod {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<method '{}' of 'torch._C.TensorBase' objects>", zelf.name))
    }
}

#[pyclass(with(Callable, GetDescriptor, Representable), flags(METHOD_DESCRIPTOR))]
impl PythonMethod {
    #[pygetset]
    fn __name__(&self) -> &'static str {
        self.name
    }

    #[pygetset]
    fn __qualname__(&self) -> &'static str {
        self.name
    }
}
