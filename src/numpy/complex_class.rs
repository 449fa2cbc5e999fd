//! What arrays of complex numbers answer without Python.

use rustpython_vm::builtins::{PyEllipsis, PySlice, PyStr, PyTuple, PyTypeRef};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::protocol::PyMappingMethods;
use rustpython_vm::types::{AsMapping, Representable};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::complex::{PyPairs, elementwise, made, number};
use super::context::{PyArray, array_of};
use super::index;
use super::operators::Operators;
use super::rules::named;
use super::text::{self, tight};
use crate::tensor::{Arg, DType};
use crate::torch::items;

impl Operators for PyPairs {}

impl AsMapping for PyPairs {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: PyMappingMethods = PyMappingMethods {
            length: None,
            subscript: Some(|mapping, key, vm| match mapping.obj.downcast_ref::<PyPairs>() {
                Some(array) => array.item(key, vm),
                None => Ok(vm.ctx.not_implemented()),
            }),
            ass_subscript: None,
        };
        &METHODS
    }
}

impl Representable for PyPairs {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        let (pairs, options) = (zelf.pairs.tensor(), zelf.pairs.numpy.options.borrow());
        let is_double = pairs.dtype() == DType::Float64;
        let dtype = (if is_double { "complex128" } else { "complex64" }, is_double);
        let elements = text::complex(&pairs, &options, text::IN_REPR);
        Ok(text::framed(&pairs.shape()[..pairs.ndim() - 1], elements, dtype, &options))
    }
}

#[pyclass(with(AsMapping, Operators, Representable), flags(BASETYPE))]
impl PyPairs {
    #[pyslot]
    fn slot_new(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let pairs: PyRef<PyArray> = args.bind(vm)?;
        Ok(PyPairs { pairs }.into_ref_with_type(vm, class)?.into())
    }

    #[pyslot]
    fn slot_str(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
        let pairs = zelf.downcast_ref::<PyPairs>().map(|it| &it.pairs);
        let text = |pairs: &PyRef<PyArray>| {
            text::complex(&pairs.tensor(), &pairs.numpy.options.borrow(), (" ", 0, 0))
        };
        Ok(vm.ctx.new_str(pairs.map(text).unwrap_or_default()))
    }

    #[pygetset]
    fn _pairs(&self) -> PyRef<PyArray> {
        self.pairs.clone()
    }

    #[pygetset]
    fn ndim(&self) -> usize {
        self.pairs.inner.ndim() - 1
    }

    #[pygetset]
    fn size(&self) -> usize {
        self.pairs.inner.numel() / 2
    }

    #[pygetset]
    fn real(&self, vm: &VirtualMachine) -> PyResult {
        self.part(0, vm)
    }

    #[pygetset]
    fn imag(&self, vm: &VirtualMachine) -> PyResult {
        self.part(1, vm)
    }

    #[pymethod]
    #[pymethod(name = "conjugate")]
    fn conj(zelf: PyRef<Self>, vm: &VirtualMachine) -> PyResult<Option<PyObjectRef>> {
        elementwise(&zelf.pairs.numpy, named("conjugate"), &[zelf.as_object()], vm)
    }

    #[pymethod]
    fn reshape(&self, given: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let (numpy, pairs) = (&self.pairs.numpy, self.pairs.tensor());
        let sizes = match given.args.as_slice() {
            [one] => items(one).unwrap_or_else(|| vec![one.clone()]),
            all => all.to_vec(),
        };
        let whole = |size: &PyObjectRef| size.try_index(vm)?.try_to_primitive::<i64>(vm);
        let mut sizes = sizes.iter().map(whole).collect::<PyResult<Vec<_>>>()?;
        let known: i64 = sizes.iter().filter(|&&size| size >= 0).product();
        if sizes.iter().all(|&size| size >= 0) && known != self.size() as i64 {
            let shape: Vec<usize> = sizes.iter().map(|&size| size as usize).collect();
            let text = format!("cannot reshape array of size {} into shape {}", self.size(), tight(&shape));
            return Err(vm.new_value_error(text));
        }
        sizes.push(2);
        let args = vec![Arg::Tensor(pairs), Arg::Ints(sizes)];
        made(numpy, numpy.derived(numpy.call("reshape", args, vm)?, [self.pairs.as_object()], vm), vm)
    }

    fn part(&self, at: i64, vm: &VirtualMachine) -> PyResult {
        let numpy = &self.pairs.numpy;
        let args = vec![Arg::Tensor(self.pairs.tensor()), Arg::Int(-1), Arg::Int(at)];
        Ok(numpy.derived(numpy.call("select", args, vm)?, [self.pairs.as_object()], vm))
    }

    /// `array[key]`
    fn item(&self, key: &PyObject, vm: &VirtualMachine) -> PyResult {
        let (pairs, numpy) = (&self.pairs, &self.pairs.numpy);
        let tensor = pairs.tensor();
        if let Some(at) = index::element(&tensor.layout().select(self.ndim(), 0), key, vm)? {
            let buffer = tensor.storage().read();
            let parts = [at, at + tensor.strides()[self.ndim()]].map(|at| buffer.float(at));
            return number(numpy, parts, tensor.dtype(), vm);
        }
        let key = self._key(key.to_owned(), vm)?;
        made(numpy, index::get(pairs, &key, vm)?, vm)
    }

    /// The index of the pairs that leaves the parts of the numbers as they are.
    #[pymethod]
    fn _key(&self, key: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let alone = [key.clone()];
        let parts = key.downcast_ref::<PyTuple>().map_or(&alone[..], |tuple| tuple.as_slice());
        let is_ellipsis = |it: &PyObjectRef| it.downcast_ref::<PyEllipsis>().is_some();
        let taken = |it: &PyObjectRef| match array_of(it) {
            _ if vm.is_none(it) || is_ellipsis(it) => 0,
            Some(mask) if mask.dtype() == DType::Bool => mask.ndim(),
            _ => 1,
        };
        let (count, ndim) = (parts.iter().map(taken).sum::<usize>(), self.ndim());
        if count > ndim {
            return Err(vm.new_index_error(format!(
                "too many indices for array: array is {ndim}-dimensional, but {count} were indexed"
            )));
        }
        if !parts.iter().any(is_ellipsis) {
            return Ok(key);
        }
        let none = || vm.ctx.none();
        let whole = PySlice { start: Some(none()), stop: none(), step: Some(none()) }.into_pyobject(vm);
        Ok(vm.ctx.new_tuple(parts.iter().cloned().chain([whole]).collect()).into())
    }
}
