//! `+ - * / // % ** @ & | ^ ~` and comparisons, of arrays and of scalars.

use std::ops::{Add, Mul, Sub};
use std::sync::LazyLock;

use rustpython_vm::class::StaticType;
use rustpython_vm::function::{Either, PyComparisonValue};
use rustpython_vm::protocol::PyNumberMethods;
use rustpython_vm::types::PyComparisonOp;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::complex::pairs_of;
use super::context::{PyArray, PyFloat64, PyScalar, array_of};
use super::dtypes::{Operand, promote};
use super::elementwise::{compute, compute_in_place, is_tensor, operand, write_out};
use super::foreign;
use super::routine::PyRoutine;
use super::rules::{Arithmetic, Function, named};
use super::scalar::{self, python};
use super::table;
use super::ufunc::{apply, context_of};
use crate::tensor::{Arg, Category, DType};
use crate::torch::{tensor_object, tensor_of};

/// A function that an operator calls, looked up once.
macro_rules! row {
    ($name:literal) => {{
        static ROW: LazyLock<&'static Function> = LazyLock::new(|| named($name));
        *ROW
    }};
}

/// Whether an operator may take an object for an operand.
fn is_operand(object: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    object.downcast_ref::<PyArray>().is_some()
        || scalar::number(object, vm).is_some()
        || foreign::is_foreign(object, vm)
        || object.class().is(types.list_type)
        || object.class().is(types.tuple_type)
        || object.class().is(types.range_type)
}

/// A scalar of this dtype: its class is that of an operand that has the dtype, which needs no look at the module.
fn like(dtype: DType, number: Arg, operands: [(DType, &PyObject); 2], vm: &VirtualMachine) -> PyResult {
    let is_scalar = |it: &PyObject| {
        it.downcast_ref::<PyScalar>().is_some() || it.fast_isinstance(PyFloat64::static_type())
    };
    match operands.iter().find(|(own, it)| *own == dtype && is_scalar(it)) {
        Some((_, one)) => scalar::of_class(dtype, number, one.class().to_owned(), vm),
        None => scalar::of_number(&*super::context::context(vm)?, dtype, number, vm),
    }
}

/// Two numbers, without arrays.
fn of_numbers(
    function: &'static Function,
    a: &PyObject,
    b: &PyObject,
    vm: &VirtualMachine,
) -> Option<PyResult> {
    let ((kind, x), (other, y)) = (scalar::number(a, vm)?, scalar::number(b, vm)?);
    let dtype = function.dtype(promote(kind, other)).ok()?;
    let arithmetic = function.arithmetic?;
    macro_rules! computed {
        ($x:expr, $y:expr, $type:ty: $add:ident $subtract:ident $multiply:ident) => {
            match arithmetic {
                Arithmetic::Add => <$type>::$add($x, $y),
                Arithmetic::Subtract => <$type>::$subtract($x, $y),
                Arithmetic::Multiply => <$type>::$multiply($x, $y),
                _ => return None,
            }
        };
    }
    let float = |number: &Arg| number.number();
    let int = |number: &Arg| match *number {
        Arg::Int(value) => Some(value),
        Arg::Bool(value) => Some(i64::from(value)),
        _ => None,
    };
    let number = match (dtype, arithmetic) {
        (DType::Float64, Arithmetic::Divide) => Arg::Float(float(&x)? / float(&y)?),
        (DType::Float64, _) => Arg::Float(computed!(float(&x)?, float(&y)?, f64: add sub mul)),
        (DType::Float32, Arithmetic::Divide) => Arg::Float(f64::from(float(&x)? as f32 / float(&y)? as f32)),
        (DType::Float32, _) => {
            Arg::Float(f64::from(computed!(float(&x)? as f32, float(&y)? as f32, f32: add sub mul)))
        }
        (DType::Int64, _) => {
            Arg::Int(computed!(int(&x)?, int(&y)?, i64: wrapping_add wrapping_sub wrapping_mul))
        }
        _ => return None,
    };
    Some(like(dtype, number, [(kind, a), (other, b)], vm))
}

fn binary(function: &'static Function, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    if let Some(result) = of_numbers(function, a, b, vm) {
        return result;
    }
    if is_tensor(a) && array_of(b).is_some() {
        return apply(&context_of(&[b], vm)?, function, &[a, b], vm);
    }
    if is_tensor(b) && array_of(a).is_some() && function.arithmetic == Some(Arithmetic::Divide) {
        return over_tensor(a, b, vm);
    }
    if !is_operand(a, vm) || !is_operand(b, vm) {
        return Ok(vm.ctx.not_implemented());
    }
    apply(&context_of(&[a, b], vm)?, function, &[a, b], vm)
}

/// `array / tensor`, which PyTorch computes as `tensor.reciprocal() * array`. It has no other operator in this order.
fn over_tensor(array: &PyObject, tensor: &PyObject, vm: &VirtualMachine) -> PyResult {
    let reciprocal = vm.call_method(tensor, "reciprocal", ())?;
    binary(row!("multiply"), &reciprocal, array, vm)
}

fn unary(function: &'static Function, a: &PyObject, vm: &VirtualMachine) -> PyResult {
    let numpy = context_of(&[a], vm)?;
    apply(&numpy, function, &[a], vm)
}

fn in_place(function: &'static Function, a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    let Some(target) = a.downcast_ref::<PyArray>() else {
        let result = binary(function, a, b, vm)?;
        if pairs_of(a).is_none() || result.is(&vm.ctx.not_implemented) {
            return Ok(result);
        }
        a.set_item(vm.ctx.ellipsis.as_object(), result, vm)?;
        return Ok(a.to_owned());
    };
    if !is_operand(b, vm) {
        return Ok(vm.ctx.not_implemented());
    }
    let numpy = target.numpy.clone();
    let operands = [operand(&numpy, a, vm)?, operand(&numpy, b, vm)?];
    if !compute_in_place(&numpy, function, &operands, vm)? {
        let result = compute(&numpy, function, &operands, vm)?;
        write_out(&numpy, function.name, &operands[0].tensor, &result, vm)?;
    }
    Ok(a.to_owned())
}

fn matmul(a: &PyObject, b: &PyObject, vm: &VirtualMachine) -> PyResult {
    let is_first = is_tensor(a) && array_of(b).is_some();
    if !is_first && (!is_operand(a, vm) || !is_operand(b, vm)) {
        return Ok(vm.ctx.not_implemented());
    }
    static ROW: LazyLock<&'static super::routine::Row> = LazyLock::new(|| table::named("matmul"));
    PyRoutine::method(*ROW).run(&context_of(&[a, b], vm)?, vec![a.to_owned(), b.to_owned()].into(), vm)
}

/// The one number of an array or a scalar.
pub(super) fn one(object: &PyObject, vm: &VirtualMachine) -> PyResult<Arg> {
    match array_of(object) {
        Some(array) if array.numel() == 1 => Ok(array.first()),
        Some(_) => Err(vm.new_type_error("only length-1 arrays can be converted to Python scalars")),
        None => match scalar::number(object, vm) {
            Some((_, number)) => Ok(number),
            None => Err(vm.new_type_error("not a number")),
        },
    }
}

fn to_float(object: &PyObject, vm: &VirtualMachine) -> PyResult {
    Ok(vm.ctx.new_float(one(object, vm)?.number().unwrap_or(f64::NAN)).into())
}

fn to_int(object: &PyObject, vm: &VirtualMachine) -> PyResult {
    match one(object, vm)? {
        Arg::Int(value) => Ok(vm.ctx.new_int(value).into()),
        Arg::Bool(value) => Ok(vm.ctx.new_int(i64::from(value)).into()),
        _ => Ok(to_float(object, vm)?.try_int(vm)?.into()),
    }
}

fn to_index(object: &PyObject, vm: &VirtualMachine) -> PyResult {
    let array = array_of(object);
    let dtype = match &array {
        Some(array) => Some(array.dtype()).filter(|_| array.ndim() == 0),
        None => object.downcast_ref::<PyScalar>().map(|it| it.dtype),
    };
    if dtype.is_some_and(|dtype| dtype.category() == Category::Integer) {
        return Ok(python(&one(object, vm)?, vm));
    }
    Err(vm.new_type_error(match array {
        Some(_) => "only integer scalar arrays can be converted to a scalar index".to_owned(),
        None => format!("'numpy.{}' object cannot be interpreted as an integer", object.class().name()),
    }))
}

/// Whether the one number is not zero.
fn to_bool(object: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    match array_of(object) {
        Some(array) if array.numel() == 0 => Ok(false),
        Some(array) if array.numel() > 1 => Err(vm.new_value_error(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
        )),
        _ => Ok(one(object, vm)?.number().unwrap_or(0.0) != 0.0),
    }
}

/// The operators.
static METHODS: PyNumberMethods = PyNumberMethods {
    add: Some(|a, b, vm| binary(row!("add"), a, b, vm)),
    subtract: Some(|a, b, vm| binary(row!("subtract"), a, b, vm)),
    multiply: Some(|a, b, vm| binary(row!("multiply"), a, b, vm)),
    true_divide: Some(|a, b, vm| binary(row!("divide"), a, b, vm)),
    floor_divide: Some(|a, b, vm| binary(row!("floor_divide"), a, b, vm)),
    remainder: Some(|a, b, vm| binary(row!("remainder"), a, b, vm)),
    divmod: Some(|a, b, vm| {
        let quotient = binary(row!("floor_divide"), a, b, vm)?;
        if quotient.is(&vm.ctx.not_implemented) {
            return Ok(quotient);
        }
        let rest = binary(row!("remainder"), a, b, vm)?;
        Ok(vm.ctx.new_tuple(vec![quotient, rest]).into())
    }),
    power: Some(|a, b, _modulus, vm| binary(row!("power"), a, b, vm)),
    and: Some(|a, b, vm| binary(row!("bitwise_and"), a, b, vm)),
    or: Some(|a, b, vm| binary(row!("bitwise_or"), a, b, vm)),
    xor: Some(|a, b, vm| binary(row!("bitwise_xor"), a, b, vm)),
    matrix_multiply: Some(matmul),
    negative: Some(|a, vm| unary(row!("negative"), a.obj, vm)),
    positive: Some(|a, vm| unary(row!("positive"), a.obj, vm)),
    absolute: Some(|a, vm| unary(row!("absolute"), a.obj, vm)),
    invert: Some(|a, vm| unary(row!("invert"), a.obj, vm)),
    boolean: Some(|a, vm| to_bool(a.obj, vm)),
    int: Some(|a, vm| to_int(a.obj, vm)),
    float: Some(|a, vm| to_float(a.obj, vm)),
    index: Some(|a, vm| to_index(a.obj, vm)),
    inplace_add: Some(|a, b, vm| in_place(row!("add"), a, b, vm)),
    inplace_subtract: Some(|a, b, vm| in_place(row!("subtract"), a, b, vm)),
    inplace_multiply: Some(|a, b, vm| in_place(row!("multiply"), a, b, vm)),
    inplace_true_divide: Some(|a, b, vm| in_place(row!("divide"), a, b, vm)),
    inplace_floor_divide: Some(|a, b, vm| in_place(row!("floor_divide"), a, b, vm)),
    inplace_remainder: Some(|a, b, vm| in_place(row!("remainder"), a, b, vm)),
    inplace_power: Some(|a, b, _modulus, vm| in_place(row!("power"), a, b, vm)),
    inplace_and: Some(|a, b, vm| in_place(row!("bitwise_and"), a, b, vm)),
    inplace_or: Some(|a, b, vm| in_place(row!("bitwise_or"), a, b, vm)),
    inplace_xor: Some(|a, b, vm| in_place(row!("bitwise_xor"), a, b, vm)),
    ..PyNumberMethods::NOT_IMPLEMENTED
};

/// The operators and comparisons of arrays and of scalars.
#[pyclass]
pub(super) trait Operators: PyPayload {
    #[pyslot]
    fn as_number() -> &'static PyNumberMethods {
        &METHODS
    }

    /// `a < b` and the like.
    #[pyslot]
    fn slot_richcompare(
        a: &PyObject,
        b: &PyObject,
        comparison: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<Either<PyObjectRef, PyComparisonValue>> {
        let function = match comparison {
            PyComparisonOp::Eq => row!("equal"),
            PyComparisonOp::Ne => row!("not_equal"),
            PyComparisonOp::Lt => row!("less"),
            PyComparisonOp::Le => row!("less_equal"),
            PyComparisonOp::Gt => row!("greater"),
            PyComparisonOp::Ge => row!("greater_equal"),
        };
        if let (Some((_, x)), Some((_, y))) = (scalar::number(a, vm), scalar::number(b, vm)) {
            let order = match (&x, &y) {
                (Arg::Int(x), Arg::Int(y)) => Some(x.cmp(y)),
                _ => x.number().zip(y.number()).and_then(|(x, y)| x.partial_cmp(&y)),
            };
            let holds = match order {
                Some(order) => comparison.eval_ord(order),
                None => comparison == PyComparisonOp::Ne,
            };
            let numpy = super::context::context(vm)?;
            return Ok(Either::A(scalar::of_number(&numpy, DType::Bool, Arg::Bool(holds), vm)?));
        }
        let numpy = context_of(&[a, b], vm)?;
        if is_tensor(b) && array_of(a).is_some() {
            // PyTorch has this one only, also for a tensor that requires a gradient.
            let Some(tensor) = tensor_of(b).filter(|_| comparison == PyComparisonOp::Eq) else {
                return Ok(Either::B(PyComparisonValue::NotImplemented));
            };
            let operands = [operand(&numpy, a, vm)?, Operand::new(tensor)];
            let result = compute(&numpy, function, &operands, vm)?;
            return Ok(Either::A(tensor_object(result, &numpy.state, vm)));
        }
        if !is_operand(b, vm) {
            let is_equality = matches!(comparison, PyComparisonOp::Eq | PyComparisonOp::Ne);
            if array_of(a).is_none() || !vm.is_none(b) || !is_equality {
                return Ok(Either::B(PyComparisonValue::NotImplemented));
            }
            // No number equals `None`, as none equals nan.
            let nan = vm.ctx.new_float(f64::NAN);
            return Ok(Either::A(apply(&numpy, function, &[a, nan.as_object()], vm)?));
        }
        Ok(Either::A(apply(&numpy, function, &[a, b], vm)?))
    }
}
