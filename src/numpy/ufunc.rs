//! Elementwise functions as Python objects: `numpy.exp`, `numpy.add`.

use std::rc::Rc;

use rustpython_vm::builtins::PyType;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::context::{Numpy, PyArray, array_of, context};
use super::convert;
use super::dtypes::{self, Operand, can_cast, result_type, shown};
use super::foreign;
use super::rules::{Arithmetic, Function, Rule};
use super::scalar;
use super::signature::Signature;
use super::text::tight;
use crate::kernel::division::{floor_divide_i64, remainder_i64};
use crate::tensor::{Arg, Category, DType, Layout, Tensor, layout};
use crate::torch::{OrRaise, PyTensor, tensor_object};

/// An elementwise function.
#[pyclass(module = "numpy", name = "ufunc")]
pub(super) struct PyUfunc {
    function: &'static Function,
    numpy: Rc<Numpy>,
}

impl std::fmt::Debug for PyUfunc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ufunc {}", self.function.name)
    }
}

impl PyPayload for PyUfunc {
    fn class(_ctx: &rustpython_vm::Context) -> &'static Py<PyType> {
        <Self as rustpython_vm::class::StaticType>::static_type()
    }
}

/// The operand that an object is: an array, a scalar, a number or a nested list.
pub(super) fn operand(numpy: &Rc<Numpy>, object: &PyObject, vm: &VirtualMachine) -> PyResult<Operand> {
    if let Some(array) = array_of(object) {
        return Ok(Operand::new(array));
    }
    if let Some((dtype, number)) = scalar::number(object, vm) {
        return Ok(Operand { tensor: scalar::tensor(dtype, &number), number: Some(number) });
    }
    Ok(Operand::new(convert::tensor(numpy, object, None, vm)?))
}

/// The shape that operands broadcast to. Errors: NumPy's.
fn broadcast(operands: &[Operand], vm: &VirtualMachine) -> PyResult<Vec<usize>> {
    let mut shape: Vec<usize> = Vec::new();
    for operand in operands {
        shape = match layout::broadcast(&shape, operand.tensor.shape()) {
            Ok(shape) => shape,
            Err(_) => {
                let shapes: String = operands.iter().map(|it| tight(it.tensor.shape()) + " ").collect();
                return Err(vm.new_value_error(format!(
                    "operands could not be broadcast together with shapes {shapes}"
                )));
            }
        };
    }
    Ok(shape)
}

/// An operand as an argument: in the dtype of the computation, a number where it is one beside arrays.
pub(super) fn argument(
    numpy: &Numpy,
    operand: &Operand,
    dtype: DType,
    beside_array: bool,
    vm: &VirtualMachine,
) -> PyResult<Arg> {
    match &operand.number {
        Some(number) if beside_array => Ok(scalar::converted(number, dtype)),
        Some(number) => Ok(Arg::Tensor(scalar::tensor(dtype, &scalar::converted(number, dtype)))),
        None => numpy.cast(&operand.tensor, dtype, vm).map(Arg::Tensor),
    }
}

/// Which operations take a number in the place of an operand.
fn takes_numbers(function: &Function) -> bool {
    use Arithmetic::{Add, Divide, Multiply, Subtract};

    matches!(function.arithmetic, Some(Add | Subtract | Multiply | Divide)) || function.rule == Rule::Compare
}

/// Computes a function of operands, in `dtype` if that is given.
pub(super) fn compute(
    numpy: &Numpy,
    function: &'static Function,
    operands: &[Operand],
    dtype: Option<DType>,
    vm: &VirtualMachine,
) -> PyResult<Tensor> {
    computed(numpy, function, operands, dtype, false, vm)
}

/// Computes arithmetic into its first operand, if the result has its shape and dtype. Otherwise none.
pub(super) fn compute_in_place(
    numpy: &Numpy,
    function: &'static Function,
    operands: &[Operand],
    vm: &VirtualMachine,
) -> PyResult<bool> {
    let target = &operands[0].tensor;
    let fits = function.arithmetic.is_some()
        && target.dtype().is_float()
        && target.ndim() > 0
        && operands.len() == 2
        && layout::broadcast(target.shape(), operands[1].tensor.shape()).is_ok_and(|it| it == target.shape())
        && !target.storage().same(operands[1].tensor.storage())
        && function.dtype(result_type(operands)) == Ok(target.dtype());
    if fits {
        computed(numpy, function, operands, None, true, vm)?;
    }
    Ok(fits)
}

fn computed(
    numpy: &Numpy,
    function: &'static Function,
    operands: &[Operand],
    dtype: Option<DType>,
    in_place: bool,
    vm: &VirtualMachine,
) -> PyResult<Tensor> {
    let shape = broadcast(operands, vm)?;
    let dtype = match dtype {
        Some(_) if function.rule == Rule::Logical || function.rule == Rule::Compare => {
            return Err(vm.new_type_error(format!(
                "No loop matching the specified signature and casting was found for ufunc {}",
                function.name
            )));
        }
        Some(dtype) => function.dtype(dtype).map_err(|text| vm.new_type_error(text))?,
        None => function.dtype(result_type(operands)).map_err(|text| vm.new_type_error(text))?,
    };
    let special = if in_place { None } else { special(numpy, function, operands, dtype, &shape, vm)? };
    if let Some(special) = special {
        return Ok(special);
    }
    let has_array = operands.iter().any(|it| it.number.is_none());
    let numbers = has_array && takes_numbers(function);
    let mut args = Vec::with_capacity(3);
    for operand in operands {
        args.push(argument(numpy, operand, dtype, numbers, vm)?);
    }
    // The first operand of a comparison is a tensor.
    if function.rule == Rule::Compare && !matches!(args[0], Arg::Tensor(_)) {
        args[0] = argument(numpy, &operands[0], dtype, false, vm)?;
    }
    if matches!(function.arithmetic, Some(Arithmetic::Add | Arithmetic::Subtract)) {
        args.push(Arg::Int(1));
    }
    match in_place {
        true => numpy.call_in_place(function.op, args, vm),
        false => numpy.call(function.op, args, vm),
    }
}

/// What NumPy computes otherwise than the operation: powers by a few exponents, and divisions of whole numbers by 0.
fn special(
    numpy: &Numpy,
    function: &'static Function,
    operands: &[Operand],
    dtype: DType,
    shape: &[usize],
    vm: &VirtualMachine,
) -> PyResult<Option<Tensor>> {
    let whole = dtype.category() == Category::Integer;
    match function.arithmetic {
        Some(Arithmetic::Power) => {
            let exponent = &operands[1];
            if whole && exponent.tensor.to_f64_vec().iter().any(|&value| value < 0.0) {
                return Err(vm.new_value_error("Integers to negative integer powers are not allowed."));
            }
            let power = exponent.number.as_ref().and_then(Arg::number);
            let base = || argument(numpy, &operands[0], dtype, false, vm);
            Ok(match power {
                _ if operands[0].number.is_some() => None,
                Some(2.0) => Some(numpy.call("square", vec![base()?], vm)?),
                Some(0.5) if !whole => Some(numpy.call("sqrt", vec![base()?], vm)?),
                Some(-1.0) if !whole => Some(numpy.call("reciprocal", vec![base()?], vm)?),
                _ => None,
            })
        }
        Some(kind @ (Arithmetic::FloorDivide | Arithmetic::Remainder)) if whole => {
            let divisor = &operands[1].tensor;
            if !divisor.to_f64_vec().contains(&0.0) {
                return Ok(None);
            }
            // NumPy's quotients by 0 are 0: as those of 0 by 1.
            let zero = |tensor: &Tensor| tensor.with_layout(tensor.layout().broadcast_to(shape)).to_i64_vec();
            let (above, below) = (zero(&operands[0].tensor), zero(divisor));
            let pairs = above.iter().zip(&below);
            let values = pairs.map(|(&a, &b)| match (b, kind) {
                (0, _) => 0,
                (b, Arithmetic::FloorDivide) => floor_divide_i64(a, b),
                (b, _) => remainder_i64(a, b),
            });
            let result = Tensor::new(crate::tensor::Buffer::I64(values.collect()), shape, dtype);
            numpy.given(&result, vm);
            Ok(Some(result))
        }
        _ => Ok(None),
    }
}

/// Writes a result into an array, converted to its dtype. Errors: it cannot be, or has another shape.
pub(super) fn write_out(
    numpy: &Numpy,
    function: &str,
    target: &Tensor,
    result: &Tensor,
    casting: &str,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if !can_cast(result.dtype(), target.dtype(), casting) {
        let text = format!(
            "Cannot cast ufunc '{function}' output from {} to {} with casting rule '{casting}'",
            shown(result.dtype()),
            shown(target.dtype())
        );
        let class = vm.import("numpy._exceptions", 0)?.get_attr("_exceptions", vm)?;
        let error = class.get_attr("_UFuncOutputCastingError", vm)?.call((text,), vm)?;
        return Err(error
            .downcast()
            .map_err(|_| vm.new_type_error("an exception class makes exceptions"))?);
    }
    let fits = layout::broadcast(target.shape(), result.shape()).is_ok_and(|shape| shape == target.shape());
    if !fits {
        return Err(vm.new_value_error(format!(
            "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            tight(target.shape()),
            tight(result.shape())
        )));
    }
    copy_into(numpy, target, result, vm)
}

/// `target[...] = source`, recorded.
pub(super) fn copy_into(
    numpy: &Numpy,
    target: &Tensor,
    source: &Tensor,
    vm: &VirtualMachine,
) -> PyResult<()> {
    numpy.call_in_place("copy", vec![Arg::Tensor(target.clone()), Arg::Tensor(source.clone())], vm).map(drop)
}

/// `a + b` and the like: an array or a scalar.
pub(super) fn apply(
    numpy: &Rc<Numpy>,
    function: &'static Function,
    objects: &[&PyObject],
    vm: &VirtualMachine,
) -> PyResult {
    if objects.iter().any(|object| foreign::has_part(object, vm)) {
        return foreign::operate(function.name, objects, vm);
    }
    let operands: Vec<Operand> =
        objects.iter().map(|object| operand(numpy, object, vm)).collect::<PyResult<_>>()?;
    returned(numpy, compute(numpy, function, &operands, None, vm)?, objects, vm)
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

/// Whether an object is a tensor of torch.
pub(super) fn is_tensor(object: &PyObject) -> bool {
    object.downcast_ref::<PyTensor>().is_some()
}

static UNARY: Signature = Signature::new("x, out=None, *, where=True, casting='same_kind', dtype=None");
static BINARY: Signature = Signature::new("x1, x2, out=None, *, where=True, casting='same_kind', dtype=None");

impl Callable for PyUfunc {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let (numpy, function) = (&zelf.numpy, zelf.function);
        let is_foreign_dtype =
            args.kwargs.get("dtype").is_some_and(|it| dtypes::meant(numpy, it, vm).is_none());
        if is_foreign_dtype
            || args.args.iter().chain(args.kwargs.values()).any(|it| foreign::has_part(it, vm))
        {
            return foreign::call(function.name, args, vm);
        }
        let signature = if function.operands == 1 { &UNARY } else { &BINARY };
        let mut bound = signature.bind(function.name, &args, vm)?;
        let rest = bound.split_off(function.operands);
        let mut rest = rest.into_iter().map(|object| object.filter(|it| !vm.is_none(it)));
        let [mut out, mask, casting, dtype] = std::array::from_fn(|_| rest.next().flatten());
        if let Some(tuple) = out.as_ref().and_then(|it| it.downcast_ref::<rustpython_vm::builtins::PyTuple>())
        {
            out = tuple.as_slice().first().filter(|it| !vm.is_none(it)).cloned();
        }
        let objects: Vec<PyObjectRef> = bound.into_iter().flatten().collect();
        let dtype = dtype.map(|it| dtypes::of(numpy, &it, vm)).transpose()?;
        let mask = mask.filter(|it| !it.is(&vm.ctx.true_value));
        let casting = casting.map_or(Ok("same_kind".to_owned()), |text| Ok(text.str(vm)?.to_string()))?;
        let operands: Vec<Operand> =
            objects.iter().map(|object| operand(numpy, object, vm)).collect::<PyResult<_>>()?;
        let is_in_place = mask.is_none()
            && dtype.is_none()
            && out.as_ref().is_some_and(|out| objects[0].is(out) && array_of(out).is_some());
        if is_in_place && compute_in_place(numpy, function, &operands, vm)? {
            numpy.update_mirrors();
            return Ok(objects[0].clone());
        }
        let mut result = compute(numpy, function, &operands, dtype, vm)?;
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
                write_out(numpy, function.name, &target, &result, &casting, vm)?;
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

    fn python(&self, method: &str, zelf: PyObjectRef, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        args.args.insert(0, zelf);
        let module = vm.import("numpy._ufuncs", 0)?.get_attr("_ufuncs", vm)?;
        module.get_attr(vm.ctx.intern_str(method), vm)?.call(args, vm)
    }
}

#[pyclass(with(Callable, Representable))]
impl PyUfunc {
    #[pygetset]
    fn __name__(&self) -> &'static str {
        self.function.name
    }

    #[pygetset]
    fn nin(&self) -> usize {
        self.function.operands
    }

    #[pygetset]
    fn nout(&self) -> usize {
        1
    }

    #[pygetset]
    fn nargs(&self) -> usize {
        self.function.operands + 1
    }

    #[pygetset]
    fn identity(&self) -> Option<i64> {
        self.function.identity
    }

    #[pymethod]
    fn reduce(zelf: rustpython_vm::PyRef<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.python("reduce", zelf.clone().into(), args, vm)
    }

    #[pymethod]
    fn accumulate(zelf: rustpython_vm::PyRef<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.python("accumulate", zelf.clone().into(), args, vm)
    }

    #[pymethod]
    fn outer(zelf: rustpython_vm::PyRef<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.python("outer", zelf.clone().into(), args, vm)
    }

    #[pymethod]
    fn at(zelf: rustpython_vm::PyRef<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        zelf.python("at", zelf.clone().into(), args, vm)
    }
}

/// The context of an operator's operands: that of an array among them, or the interpreter's.
pub(super) fn context_of(objects: &[&PyObject], vm: &VirtualMachine) -> PyResult<Rc<Numpy>> {
    match objects.iter().find_map(|object| object.downcast_ref::<PyArray>()) {
        Some(array) => Ok(array.numpy.clone()),
        None => context(vm),
    }
}

/// A layout that repeats a tensor to this shape. Errors: NumPy's.
pub(super) fn stretched(tensor: &Tensor, shape: &[usize], vm: &VirtualMachine) -> PyResult<Layout> {
    match layout::broadcast(tensor.shape(), shape) {
        Ok(all) if all == shape => Ok(tensor.layout().broadcast_to(shape)),
        _ => Err(vm.new_value_error(format!(
            "could not broadcast input array from shape {} into shape {}",
            tight(tensor.shape()),
            tight(shape)
        ))),
    }
}
