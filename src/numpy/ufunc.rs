//! Elementwise functions as Python objects: `numpy.exp`, `numpy.add`.

use std::rc::Rc;

use rustpython_vm::builtins::PyStr;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, GetAttr, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::context::{Numpy, PyArray, array_of, context};
use super::dtypes::Operand;
use super::elementwise::{compute, compute_in_place, is_tensor, operand, write_out};
use super::rules::Function;
use super::signature::Signature;
use super::{complex, foreign};
use crate::tensor::{Arg, DType, Tensor, layout};
use crate::torch::{OrRaise, tensor_object};

/// An elementwise function.
#[pyclass(module = "numpy", name = "ufunc")]
#[derive(Debug, PyPayload)]
pub(super) struct PyUfunc {
    function: &'static Function,
    numpy: Rc<Numpy>,
}

/// `a + b` and the like: an array or a scalar.
pub(super) fn apply(
    numpy: &Rc<Numpy>,
    function: &'static Function,
    objects: &[&PyObject],
    vm: &VirtualMachine,
) -> PyResult {
    if objects.iter().any(|object| foreign::is_foreign(object, vm)) {
        if let Some(result) = complex::elementwise(numpy, function, objects, vm)? {
            return Ok(result);
        }
        let args: Vec<PyObjectRef> = objects.iter().map(|&it| it.to_owned()).collect();
        return foreign::routine("elementwise", function.name, args.into(), vm);
    }
    let operands: Vec<Operand> =
        objects.iter().map(|object| operand(numpy, object, vm)).collect::<PyResult<_>>()?;
    returned(numpy, compute(numpy, function, &operands, vm)?, objects, vm)
}

/// What a function of these objects returns: an array or a scalar; where one of them is a tensor, a tensor, as
/// `torch.Tensor.__array_wrap__` makes it, which has no truth values.
pub(super) fn returned(
    numpy: &Rc<Numpy>,
    result: Tensor,
    objects: &[&PyObject],
    vm: &VirtualMachine,
) -> PyResult {
    if !objects.iter().any(|object| is_tensor(object)) {
        return numpy.result(result, vm);
    }
    let dtype = if result.dtype() == DType::Bool { DType::UInt8 } else { result.dtype() };
    Ok(tensor_object(numpy.cast(&result, dtype, vm)?, &numpy.state, vm))
}

static UNARY: Signature = Signature::new("x, out=None, *, where=True");
static BINARY: Signature = Signature::new("x1, x2, out=None, *, where=True");

impl Callable for PyUfunc {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let (numpy, function) = (&zelf.numpy, zelf.function);
        if args.kwargs.is_empty() && args.args.len() == function.operands {
            let objects: Vec<&PyObject> = args.args.iter().map(|it| &**it).collect();
            return apply(numpy, function, &objects, vm);
        }
        if args.args.iter().chain(args.kwargs.values()).any(|it| foreign::is_foreign(it, vm)) {
            return foreign::routine("elementwise", function.name, args, vm);
        }
        let signature = if function.operands == 1 { &UNARY } else { &BINARY };
        let mut bound = signature.bind(function.name, &args, vm)?;
        let rest = bound.split_off(function.operands);
        let mut rest = rest.into_iter().map(|object| object.filter(|it| !vm.is_none(it)));
        let [out, mask] = std::array::from_fn(|_| rest.next().flatten());
        let objects: Vec<PyObjectRef> = bound.into_iter().flatten().collect();
        let operands: Vec<Operand> =
            objects.iter().map(|object| operand(numpy, object, vm)).collect::<PyResult<_>>()?;
        let mask = mask.filter(|it| !it.is(&vm.ctx.true_value));
        let is_in_place =
            mask.is_none() && out.as_ref().is_some_and(|out| objects[0].is(out) && array_of(out).is_some());
        if is_in_place && compute_in_place(numpy, function, &operands, vm)? {
            return Ok(objects[0].clone());
        }
        let mut result = compute(numpy, function, &operands, vm)?;
        let target = match &out {
            Some(object) => match array_of(object) {
                Some(target) => Some(target),
                None => return Err(vm.new_type_error("return arrays must be of ArrayType")),
            },
            None => None,
        };
        if let Some(mask) = mask {
            let mask = numpy.cast(&operand(numpy, &mask, vm)?.tensor, DType::Bool, vm)?;
            let shape =
                layout::broadcast(mask.shape(), result.shape()).unwrap_or_else(|_| result.shape().to_vec());
            let rest = match &target {
                Some(target) => numpy.cast(target, result.dtype(), vm)?,
                None => Tensor::zeros(shape, result.dtype()).or_raise(vm)?,
            };
            result =
                numpy.call("where", vec![Arg::Tensor(mask), Arg::Tensor(result), Arg::Tensor(rest)], vm)?;
        }
        match (target, out) {
            (Some(target), Some(object)) => {
                write_out(numpy, function.name, &target, &result, vm)?;
                Ok(object)
            }
            _ => {
                let objects: Vec<&PyObject> = objects.iter().map(|it| &**it).collect();
                returned(numpy, result, &objects, vm)
            }
        }
    }
}

impl Representable for PyUfunc {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(format!("<ufunc '{}'>", zelf.function.name))
    }
}

impl PyUfunc {
    pub(super) fn new(function: &'static Function, numpy: &Rc<Numpy>) -> PyUfunc {
        PyUfunc { function, numpy: numpy.clone() }
    }
}

impl GetAttr for PyUfunc {
    /// An attribute of the class, or a method that `numpy._ufuncs` has.
    fn getattro(zelf: &Py<Self>, name: &Py<PyStr>, vm: &VirtualMachine) -> PyResult {
        foreign::attribute(zelf.as_object(), name, "numpy._ufuncs", vm)
    }
}

#[pyclass(with(Callable, GetAttr, Representable))]
impl PyUfunc {
    #[pygetset]
    fn __name__(&self) -> &'static str {
        self.function.name
    }
}

/// The context of an operator's operands: that of an array among them, or the interpreter's.
pub(super) fn context_of(objects: &[&PyObject], vm: &VirtualMachine) -> PyResult<Rc<Numpy>> {
    fn array(object: &PyObject) -> Option<&Py<PyArray>> {
        object.downcast_ref::<PyArray>().or_else(|| complex::pairs_of(object).map(|it| &**it))
    }
    match objects.iter().find_map(|object| array(object)) {
        Some(array) => Ok(array.numpy.clone()),
        None => context(vm),
    }
}
