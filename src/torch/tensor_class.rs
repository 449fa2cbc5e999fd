//! `torch.Tensor` as a Python class: attributes and conversions.
//! Operators are in `operators`, indexing in `item`, other protocols of Python in `protocols`; methods come from the table.

use rustpython_vm::builtins::{PyStrRef, PyTypeRef};
use rustpython_vm::function::{FuncArgs, OptionalArg, PySetterValue};
use rustpython_vm::types::{AsMapping, AsNumber, AsSequence, GetAttr, Hashable, Iterable, Representable};
use rustpython_vm::{
    AsObject, FromArgs, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::classes::{PyDType, PyDevice, size_object};
use super::history::PyRecord;
use super::numbers::{int, number};
use super::protocols::Comparisons;
use super::py_tensor::{PyTensor, tensor_object, tensor_of};
use super::raise::{OrRaise, raise};
use super::site::site;
use super::to_python::{check_list, item_object, object};
use crate::ops::call::call;
use crate::ops::state::Caller;
use crate::ops::table::{self, Op};
use crate::ops::value::Value;
use crate::ops::view_history::root_of;
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, Category, Error, ErrorFact, Layout, Tensor};

impl PyTensor {
    /// Calls an operation of the table with this tensor first.
    pub(super) fn apply(&self, name: &'static str, more: Vec<Arg>, vm: &VirtualMachine) -> PyResult<Value> {
        self.call(table::row(name), more, vm)
    }

    /// Calls an operation with this tensor first.
    pub(super) fn call(&self, op: &'static Op, more: Vec<Arg>, vm: &VirtualMachine) -> PyResult<Value> {
        let mut args = vec![Arg::Tensor(self.tensor())];
        args.extend(more);
        call(Caller { state: &self.state, site: &|| site(vm) }, op, 0, args).or_raise(vm)
    }
}

/// A number that is known of a tensor.
type NumberOf = fn(&Tensor) -> usize;

/// Attributes that are numbers. That of `_identity` is no other tensor's while this one lives, whichever Python object
/// refers to it.
pub(super) const ATTRIBUTES: [(&str, NumberOf); 5] = [
    ("ndim", Tensor::ndim),
    ("itemsize", |x| x.dtype().size()),
    ("nbytes", |x| x.numel() * x.dtype().size()),
    ("_identity", Tensor::id),
    ("_version", |x| x.storage().version() as usize),
];

/// Methods without arguments that return a number.
pub(super) const COUNTS: [(&str, NumberOf); 7] = [
    ("dim", Tensor::ndim),
    ("ndimension", Tensor::ndim),
    ("numel", Tensor::numel),
    ("nelement", Tensor::numel),
    ("element_size", |x| x.dtype().size()),
    ("storage_offset", |x| x.layout().offset),
    ("data_ptr", |x| x.storage().address() + x.layout().offset * x.dtype().size()),
];

#[pyclass(
    with(AsNumber, AsMapping, AsSequence, Comparisons, Hashable, Iterable, Representable, GetAttr),
    flags(BASETYPE, HAS_DICT, HAS_WEAKREF)
)]
impl PyTensor {
    #[pyslot]
    fn slot_new(_cls: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let legacy = vm.import("torch", 0)?.get_attr("FloatTensor", vm)?;
        legacy.call(args, vm)
    }

    /// A tensor of another class on the same elements; `nn.Parameter` is made so.
    #[pystaticmethod]
    fn _make_subclass(
        cls: PyTypeRef,
        data: PyRef<PyTensor>,
        requires_grad: bool,
        vm: &VirtualMachine,
    ) -> PyResult {
        let tensor = data.tensor().alias();
        if let Some(origin) = data.tensor().origin() {
            tensor.set_origin(origin, data.tensor().output_index());
        }
        if requires_grad {
            tensor.require_grad().or_raise(vm)?;
        }
        let payload = PyTensor::new(tensor, data.state.clone());
        payload.parameter.set(true);
        Ok(payload.into_ref_with_type(vm, cls)?.into())
    }

    #[pygetset]
    fn shape(&self, vm: &VirtualMachine) -> PyObjectRef {
        size_object(self.inner.borrow().shape(), vm)
    }

    #[pymethod]
    fn size(&self, args: OfOneDim, vm: &VirtualMachine) -> PyResult {
        let tensor = self.inner.borrow();
        Ok(match args.axis("size", &tensor, vm)? {
            None => size_object(tensor.shape(), vm),
            Some(axis) => vm.ctx.new_int(tensor.shape()[axis]).into(),
        })
    }

    #[pymethod]
    fn stride(&self, args: OfOneDim, vm: &VirtualMachine) -> PyResult {
        let tensor = self.inner.borrow();
        Ok(match args.axis("stride", &tensor, vm)? {
            None => {
                let strides = tensor.strides().iter().map(|&stride| vm.ctx.new_int(stride).into());
                vm.ctx.new_tuple(strides.collect()).into()
            }
            Some(axis) => vm.ctx.new_int(tensor.strides()[axis]).into(),
        })
    }

    #[pygetset]
    fn dtype(&self, vm: &VirtualMachine) -> PyObjectRef {
        PyDType::object(self.inner.borrow().dtype(), vm)
    }

    #[pygetset]
    fn device(&self, vm: &VirtualMachine) -> PyObjectRef {
        PyDevice::cpu(vm)
    }

    #[pygetset]
    fn layout(&self, vm: &VirtualMachine) -> PyResult {
        vm.import("torch", 0)?.get_attr("strided", vm)
    }

    #[pymethod]
    fn is_floating_point(&self) -> bool {
        self.inner.borrow().dtype().is_float()
    }

    #[pymethod]
    fn is_complex(&self) -> bool {
        false
    }

    #[pymethod]
    fn get_device(&self) -> i64 {
        -1
    }

    #[pymethod]
    fn is_contiguous(&self, _args: FuncArgs) -> bool {
        self.inner.borrow().is_contiguous()
    }

    #[pymethod]
    fn untyped_storage(&self, vm: &VirtualMachine) -> PyResult {
        let tensor = self.inner.borrow();
        let bytes = tensor.storage().read().len() * tensor.dtype().size();
        let module = vm.import("torch.storage", 0)?.get_attr("storage", vm)?;
        module.get_attr("UntypedStorage", vm)?.call((tensor.storage().address(), bytes), vm)
    }

    /// The tensor that owns the memory of this view.
    #[pygetset]
    fn _base(&self, vm: &VirtualMachine) -> PyResult {
        match root_of(&self.inner.borrow()) {
            Some(root) => Ok(tensor_object(root, &self.state, vm)),
            None if self.state.recorder.is_off() => Err(vm.new_runtime_error(
                "attn knows the base of a view from its records, which are off (--no-record)",
            )),
            None => Ok(vm.ctx.none()),
        }
    }

    #[pygetset]
    fn real(zelf: PyRef<Self>) -> PyRef<Self> {
        zelf
    }

    #[pygetset]
    fn data(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyObjectRef {
        PyTensor::new(zelf.tensor().alias(), zelf.state.clone()).into_pyobject(vm)
    }

    #[pygetset(setter)]
    fn set_data(&self, value: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let Some(source) = tensor_of(&value) else {
            return Err(vm.new_type_error(format!(
                "Variable data has to be a tensor, but got {}",
                value.class().name()
            )));
        };
        let old = self.tensor();
        let tensor = source.alias();
        if old.is_leaf() {
            tensor.set_requires_grad(old.requires_grad()).or_raise(vm)?;
        }
        old.succeeded_by(&tensor);
        vm.import("torch._gradients", 0)?
            .get_attr("_gradients", vm)?
            .get_attr("rename_hooks", vm)?
            .call((old.id(), tensor.id()), vm)?;
        self.replace(tensor);
        Ok(())
    }

    #[pygetset]
    fn requires_grad(&self) -> bool {
        self.inner.borrow().requires_grad()
    }

    #[pygetset(setter)]
    fn set_requires_grad(&self, on: bool, vm: &VirtualMachine) -> PyResult<()> {
        self.inner.borrow().set_requires_grad(on).or_raise(vm)
    }

    #[pymethod]
    fn requires_grad_(
        zelf: PyRef<Self>,
        on: OptionalArg<bool>,
        vm: &VirtualMachine,
    ) -> PyResult<PyRef<Self>> {
        zelf.tensor().set_requires_grad(on.unwrap_or(true)).or_raise(vm)?;
        Ok(zelf)
    }

    /// The tensor itself, without its history.
    #[pymethod]
    fn detach_(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<PyRef<Self>> {
        // Without records nothing is known of bases.
        if root_of(&zelf.tensor()).is_some() {
            return Err(vm.new_runtime_error(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for \
                 training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence \
                 detach_() cannot be called on these gradients. To fix this error, please refer to the \
                 Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
            ));
        }
        if let Some(detached) = zelf.apply("detach", Vec::new(), vm)?.tensors().first() {
            zelf.replace((*detached).clone());
        }
        Ok(zelf)
    }

    #[pygetset]
    fn is_leaf(&self) -> bool {
        self.inner.borrow().is_leaf()
    }

    #[pygetset]
    fn retains_grad(&self) -> bool {
        self.inner.borrow().retains_grad()
    }

    #[pymethod]
    fn retain_grad(&self) {
        self.inner.borrow().retain_grad();
    }

    #[pygetset]
    fn grad(&self, vm: &VirtualMachine) -> PyObjectRef {
        match self.inner.borrow().grad() {
            Some(grad) => PyTensor::new(grad, self.state.clone()).into_pyobject(vm),
            None => vm.ctx.none(),
        }
    }

    #[pygetset(setter)]
    fn set_grad(&self, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
        let grad = match value {
            PySetterValue::Assign(value) if !vm.is_none(&value) => {
                Some(tensor_of(&value).ok_or_else(|| {
                    vm.new_type_error(format!(
                        "assigned grad expected to be a Tensor or None but got grad of type {}",
                        value.class().name()
                    ))
                })?)
            }
            _ => None,
        };
        self.inner.borrow().set_grad(grad);
        Ok(())
    }

    #[pygetset]
    fn grad_fn(&self, vm: &VirtualMachine) -> PyResult {
        let Some(name) = self.inner.borrow().grad_fn() else { return Ok(vm.ctx.none()) };
        let node = vm.import("torch.autograd", 0)?.get_attr("autograd", vm)?.get_attr("Node", vm)?;
        let tensor = self.tensor();
        let record = tensor.origin().map(|record| PyRecord::new(&record, &self.state).into_pyobject(vm));
        node.call((name, tensor.id(), vm.unwrap_or_none(record)), vm)
    }

    #[pymethod]
    fn item(&self, vm: &VirtualMachine) -> PyResult {
        item_object(&self.inner.borrow(), vm)
    }

    #[pymethod]
    fn tolist(&self, vm: &VirtualMachine) -> PyResult {
        let tensor = self.inner.borrow();
        check_list(tensor.shape(), vm)?;
        Ok(nested(&tensor, tensor.layout(), vm))
    }

    #[pymethod]
    fn __format__(zelf: PyRef<Self>, spec: PyStrRef, vm: &VirtualMachine) -> PyResult<PyStrRef> {
        let tensor = zelf.tensor();
        if tensor.ndim() == 0 && !zelf.parameter.get() {
            let item = item_object(&tensor, vm)?;
            return vm.format(&item, spec);
        }
        if spec.is_empty() {
            return zelf.as_object().str(vm);
        }
        Err(vm.new_type_error("unsupported format string passed to Tensor.__format__"))
    }

    #[pymethod]
    fn __deepcopy__(zelf: PyRef<Self>, _memo: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let tensor = zelf.tensor();
        if !tensor.is_leaf() {
            return Err(vm.new_runtime_error(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the \
                 moment.  If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm \
                 usage, see https://github.com/pytorch/pytorch/pull/103001",
            ));
        }
        let copy = crate::tensor::ops::copy(&tensor);
        copy.set_made(zelf.state.recorder.copied(&tensor, site(vm)), 0);
        copy.set_requires_grad(tensor.requires_grad()).or_raise(vm)?;
        let payload = PyTensor::new(copy, zelf.state.clone());
        payload.parameter.set(zelf.parameter.get());
        Ok(payload.into_ref_with_type(vm, zelf.class().to_owned())?.into())
    }

    #[pymethod]
    fn __reversed__(&self, vm: &VirtualMachine) -> PyResult {
        object(self.apply("flip", vec![Arg::Ints(vec![0])], vm)?, &self.state, &[], vm)
    }
}

/// The argument of `size` and `stride`.
#[derive(FromArgs)]
struct OfOneDim {
    #[pyarg(any, default)]
    dim: Option<PyObjectRef>,
}

impl OfOneDim {
    /// The dimension that is meant, if one is.
    fn axis(self, function: &str, tensor: &Tensor, vm: &VirtualMachine) -> PyResult<Option<usize>> {
        let Some(dim) = self.dim.filter(|dim| !vm.is_none(dim)) else { return Ok(None) };
        let Some(dim) = int(&dim, vm) else {
            let given = dim.class().name().to_string();
            return Err(vm.new_type_error(format!("{function}(): argument 'dim' must be int, not {given}")));
        };
        if tensor.ndim() == 0 {
            return Err(vm.new_index_error("dimension specified as 0 but tensor has no dimensions"));
        }
        wrap_dim(dim, tensor.ndim()).map(Some).or_raise(vm)
    }
}

/// Whether a tensor of one element is not zero. Errors: as PyTorch's `bool(tensor)`.
pub(crate) fn truth(tensor: &Tensor, vm: &VirtualMachine) -> PyResult<bool> {
    match tensor.numel() {
        1 => Ok(tensor.item().or_raise(vm)? != 0.0),
        0 => Err(vm.new_runtime_error("Boolean value of Tensor with no values is ambiguous")),
        _ => Err(raise(Error::ambiguous_truth(), vm)),
    }
}

impl PyTensor {
    /// `element in tensor`
    pub(crate) fn contains(&self, object: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
        let element = tensor_of(object).map(Arg::Tensor).or_else(|| number(object, vm));
        let Some(element) = element else {
            let class = object.class().as_object().repr(vm)?;
            return Err(vm.new_runtime_error(format!(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {class}."
            )));
        };
        let equal = self.apply("eq", vec![element], vm)?;
        Ok(equal.tensors().iter().any(|tensor| tensor.to_bool_vec().contains(&true)))
    }

    /// The tensor if it has one element. Errors: as `float(tensor)`.
    pub(crate) fn scalar(&self, vm: &VirtualMachine) -> PyResult<Tensor> {
        let tensor = self.tensor();
        if tensor.numel() == 1 {
            return Ok(tensor);
        }
        let message = "only one element tensors can be converted to Python scalars";
        Err(raise(Error::value(message).about(ErrorFact::NotOneNumber), vm))
    }
}

/// Nested lists of Python numbers. As `Tensor.tolist`.
pub(crate) fn nested(tensor: &Tensor, layout: &Layout, vm: &VirtualMachine) -> PyObjectRef {
    if layout.ndim() == 0 {
        let data = tensor.storage().read();
        return match tensor.dtype().category() {
            Category::Float => vm.ctx.new_float(data.float(layout.offset)).into(),
            Category::Integer => vm.ctx.new_int(data.int(layout.offset)).into(),
            Category::Bool => vm.ctx.new_bool(data.int(layout.offset) != 0).into(),
        };
    }
    let rows = (0..layout.shape[0]).map(|at| nested(tensor, &layout.select(0, at), vm)).collect();
    vm.ctx.new_list(rows).into()
}
