//! The small classes of the `torch` module: `Size`, `dtype`, `device`, `Generator`.

use std::cell::RefCell;
use std::collections::HashMap;

use rustpython_vm::builtins::{PyInt, PyStr, PyTuple, PyType, PyTypeRef};
use rustpython_vm::class::StaticType;
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{FuncArgs, KwArgs, OptionalArg, PyComparisonValue};
use rustpython_vm::protocol::{PyMappingMethods, PySequenceMethods};
use rustpython_vm::types::{
    AsMapping, AsSequence, Comparable, Constructor, Hashable, PyComparisonOp, Representable,
};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::raise::raise;
use crate::ops::state::State;
use crate::tensor::{DType, Error, ErrorFact};

/// `torch.Size`: a tuple that prints as a shape and stays one when sliced or joined.
#[pyclass(module = "torch", name = "Size", base = PyTuple)]
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct PySize(PyTuple);

/// A shape as a Python object.
pub(crate) fn size_object(shape: &[usize], vm: &VirtualMachine) -> PyObjectRef {
    let items = shape.iter().map(|&size| vm.ctx.new_int(size).into()).collect();
    size_of_items(items, vm)
}

fn size_of_items(items: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyObjectRef {
    PyTuple::new_unchecked(items.into_boxed_slice())
        .into_ref_with_type(vm, PySize::static_type().to_owned())
        .map_or_else(|_| vm.ctx.none(), Into::into)
}

fn elements(object: &PyObject) -> Vec<PyObjectRef> {
    object.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice().to_vec()).unwrap_or_default()
}

#[pyclass(with(Representable, AsMapping, AsSequence), flags(BASETYPE))]
impl PySize {
    #[pyslot]
    fn slot_new(_cls: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let items = match args.args.first() {
            Some(object) => vm.extract_elements_with(object, Ok)?,
            None => Vec::new(),
        };
        Ok(size_of_items(items, vm))
    }

    /// Number of elements of a tensor of this shape.
    #[pymethod]
    fn numel(zelf: PyObjectRef, vm: &VirtualMachine) -> PyResult<usize> {
        elements(&zelf)
            .into_iter()
            .try_fold(1, |product, size| Ok(product * size.try_into_value::<usize>(vm)?))
    }
}

/// What tuples do otherwise is inherited from them.
impl AsSequence for PySize {
    fn as_sequence() -> &'static PySequenceMethods {
        static METHODS: PySequenceMethods = PySequenceMethods {
            concat: Some(|sequence, other, vm| {
                let Some(more) = other.downcast_ref::<PyTuple>() else {
                    return Err(vm.new_type_error(format!(
                        "can only concatenate tuple (not \"{}\") to torch.Size",
                        other.class().name()
                    )));
                };
                let mut items = elements(sequence.obj);
                items.extend(more.as_slice().iter().cloned());
                Ok(size_of_items(items, vm))
            }),
            repeat: Some(|sequence, times, vm| {
                let items = elements(sequence.obj);
                let count = items.len() * times.max(0) as usize;
                Ok(size_of_items(items.iter().cloned().cycle().take(count).collect(), vm))
            }),
            ..PySequenceMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}

impl Representable for PySize {
    fn slot_repr(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
        let texts: PyResult<Vec<String>> =
            elements(zelf).iter().map(|item| Ok(item.repr(vm)?.to_string())).collect();
        Ok(vm.ctx.new_str(format!("torch.Size([{}])", texts?.join(", "))))
    }

    fn repr_str(_zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(String::new())
    }
}

impl AsMapping for PySize {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: PyMappingMethods = PyMappingMethods {
            subscript: Some(|mapping, key, vm| {
                let plain = vm.ctx.new_tuple(elements(mapping.obj));
                let found = plain.as_object().get_item(key, vm)?;
                match found.downcast_ref::<PyTuple>() {
                    Some(tuple) if key.downcast_ref::<PyInt>().is_none() => {
                        Ok(size_of_items(tuple.as_slice().to_vec(), vm))
                    }
                    _ => Ok(found),
                }
            }),
            ..PyMappingMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}

/// `torch.dtype`
#[pyclass(module = "torch", name = "dtype")]
#[derive(Debug, PyPayload)]
pub(crate) struct PyDType {
    dtype: DType,
}

impl PyDType {
    /// The Python object of a dtype: there is one.
    pub(crate) fn object(dtype: DType, vm: &VirtualMachine) -> PyObjectRef {
        thread_local! {
            /// By the thread, as the interpreter's types are, which live as long.
            static OBJECTS: RefCell<HashMap<DType, &'static PyObjectRef>> = RefCell::default();
        }
        let new = || &*Box::leak(Box::new(PyDType { dtype }.into_pyobject(vm)));
        OBJECTS.with_borrow_mut(|objects| (*objects.entry(dtype).or_insert_with(new)).clone())
    }

    /// The dtype an object is; Python's own `float`, `int`, `bool` count, as PyTorch has it.
    pub(crate) fn of(object: &PyObject, vm: &VirtualMachine) -> Option<DType> {
        if let Some(it) = object.downcast_ref::<PyDType>() {
            return Some(it.dtype);
        }
        let class = object.downcast_ref::<PyType>()?;
        let types = &vm.ctx.types;
        match () {
            () if class.is(types.float_type) => Some(DType::Float64),
            () if class.is(types.int_type) => Some(DType::Int64),
            () if class.is(types.bool_type) => Some(DType::Bool),
            () => None,
        }
    }
}

#[pyclass(with(Representable))]
impl PyDType {
    /// `pickle` keeps the name in `torch`, and a copy is the dtype itself.
    #[pymethod]
    fn __reduce__(&self) -> &'static str {
        self.dtype.name()
    }

    #[pygetset]
    fn is_floating_point(&self) -> bool {
        self.dtype.is_float()
    }

    #[pygetset]
    fn is_complex(&self) -> bool {
        false
    }

    #[pygetset]
    fn is_signed(&self) -> bool {
        !matches!(self.dtype, DType::Bool | DType::UInt8)
    }

    #[pygetset]
    fn itemsize(&self) -> usize {
        self.dtype.size()
    }
}

impl Representable for PyDType {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("torch.{}", zelf.dtype.name()))
    }
}

/// `torch.device`: a name. Tensors are on the CPU, whatever names there are.
#[pyclass(module = "torch", name = "device")]
#[derive(Debug, PartialEq, PyPayload)]
pub(crate) struct PyDevice {
    kind: &'static str,
    index: Option<i64>,
}

/// The devices that can be named here.
const DEVICES: [&str; 5] = ["cpu", "cuda", "mps", "xpu", "meta"];

impl PyDevice {
    pub(crate) fn cpu(vm: &VirtualMachine) -> PyObjectRef {
        PyDevice { kind: "cpu", index: None }.into_pyobject(vm)
    }

    fn named(text: &str, index: Option<i64>, vm: &VirtualMachine) -> PyResult<PyDevice> {
        let (kind, number) = text.split_once(':').map_or((text, None), |(kind, n)| (kind, n.parse().ok()));
        match DEVICES.iter().find(|device| **device == kind) {
            Some(kind) => Ok(PyDevice { kind, index: number.or(index) }),
            None => Err(vm.new_runtime_error(format!(
                "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, \
                 vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: {kind}"
            ))),
        }
    }

    fn text(&self) -> String {
        self.index.map_or_else(|| self.kind.to_owned(), |index| format!("{}:{index}", self.kind))
    }

    /// Errors: a device, or its name, that is neither the CPU nor one for which the session takes the CPU.
    pub(crate) fn here(object: &PyObject, state: &State, vm: &VirtualMachine) -> PyResult<()> {
        let absent = |message: String| raise(Error::runtime(message).about(ErrorFact::NoDevice), vm);
        let device = match object.downcast_ref::<PyDevice>() {
            Some(device) => PyDevice { kind: device.kind, index: device.index },
            None => match object.downcast_ref::<PyStr>() {
                Some(text) => PyDevice::named(&text.to_string_lossy(), None, vm)?,
                None if vm.is_none(object) => return Ok(()),
                None if object.downcast_ref::<PyInt>().is_some() => {
                    return match state.on_cpu.borrow().is_empty() {
                        true => {
                            Err(absent("Cannot access accelerator device when none is available.".to_owned()))
                        }
                        false => Ok(()),
                    };
                }
                None => {
                    return Err(vm.new_type_error(format!(
                        "argument 'device' must be torch.device, not {}",
                        object.class().name()
                    )));
                }
            },
        };
        if device.kind == "cpu" || state.on_cpu.borrow().iter().any(|kind| kind == device.kind) {
            return Ok(());
        }
        Err(absent(format!(
            "attn computes on the CPU: there is no device '{}' here. Run attn with --device {}=cpu, or write \
             torch.device('cpu')",
            device.text(),
            device.kind
        )))
    }
}

impl Constructor for PyDevice {
    type Args = (PyObjectRef, OptionalArg<i64>);

    fn py_new(_cls: &Py<PyType>, (name, index): Self::Args, vm: &VirtualMachine) -> PyResult<Self> {
        if let Some(device) = name.downcast_ref::<PyDevice>() {
            return Ok(PyDevice { kind: device.kind, index: device.index });
        }
        PyDevice::named(name.str(vm)?.as_ref(), index.into_option(), vm)
    }
}

#[pyclass(with(Constructor, Representable, Comparable, Hashable))]
impl PyDevice {
    /// What copies and `pickle` make it of.
    #[pymethod]
    fn __reduce__(zelf: PyRef<Self>) -> (PyTypeRef, (String,)) {
        (zelf.class().to_owned(), (zelf.text(),))
    }

    /// `with device:`: tensors are made on it. Errors: those of `torch.empty(0, device=device)`.
    #[pymethod]
    fn __enter__(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        let keyword = KwArgs::from_iter([("device".to_owned(), zelf.clone().into())]);
        vm.import("torch", 0)?
            .get_attr("empty", vm)?
            .call(FuncArgs::new(vec![vm.ctx.new_int(0).into()], keyword), vm)?;
        Ok(zelf)
    }

    #[pymethod]
    fn __exit__(&self, _args: FuncArgs) {}

    #[pygetset(name = "type")]
    fn kind(&self) -> &'static str {
        self.kind
    }

    #[pygetset]
    fn index(&self) -> Option<i64> {
        self.index
    }

    #[pymethod]
    fn __str__(&self) -> String {
        self.text()
    }
}

impl Representable for PyDevice {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(match zelf.index {
            Some(index) => format!("device(type='{}', index={index})", zelf.kind),
            None => format!("device(type='{}')", zelf.kind),
        })
    }
}

impl Comparable for PyDevice {
    fn cmp(
        zelf: &Py<Self>,
        other: &PyObject,
        op: PyComparisonOp,
        _vm: &VirtualMachine,
    ) -> PyResult<PyComparisonValue> {
        let same = |it: &Py<PyDevice>| **it == **zelf;
        op.eq_only(|| Ok(other.downcast_ref::<PyDevice>().is_some_and(same).into()))
    }
}

impl Hashable for PyDevice {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok(zelf.index.unwrap_or(-1) as PyHash)
    }
}
