//! Arrays and scalars of complex numbers. An array lies over a real one with one more dimension, of real and imaginary
//! parts: a view shares memory, and `real` and `imag` are views. The methods are Python (`py/numpy/_complex.py`).

use std::rc::Rc;

use rustpython_vm::builtins::{PyComplex, PyType, PyTypeRef};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::protocol::PyNumberMethods;
use rustpython_vm::types::{AsNumber, Comparable, Constructor};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::context::{Complex, Numpy, PyArray, PyComplexArray, PyComplexScalar, Set, array_of, context};
use super::dtypes::shown;
use super::rules::{Arithmetic, named};
use super::ufunc::{copy_into, operand, write_out};
use super::{foreign, operators, scalar};
use crate::kernel::complex::{Pair, has_power};
use crate::tensor::ops::complex::{self, Operand};
use crate::tensor::{Buffer, Category, DType, Tensor, layout};

/// Sets the native names that complex arrays are built from.
pub(super) fn define(numpy: &Rc<Numpy>, vm: &VirtualMachine, set: &Set) -> PyResult<()> {
    set("_complex_array", PyComplexArray::make_static_type().into())?;
    set("_complex", PyComplexScalar::make_static_type().into())?;
    let held = numpy.clone();
    let register = move |array: PyTypeRef, single: PyTypeRef, double: PyTypeRef| {
        held.complex.replace(Some(Rc::new(Complex { array, single, double, call })));
    };
    let held = numpy.clone();
    // The pairs beside which a view of the real parts lies; none if it is no view of them.
    let beside = move |pairs: PyRef<PyArray>, real: PyRef<PyArray>, vm: &VirtualMachine| {
        let (whole, part) = (pairs.tensor(), real.tensor());
        let mut layout = part.layout().clone();
        layout.shape.push(2);
        layout.strides.push(1);
        let is_view = whole.storage().same(part.storage());
        is_view.then(|| held.derived(whole.with_layout(layout), [pairs.as_object()], vm))
    };
    set("_pairs_beside", vm.new_function("_pairs_beside", beside).into())?;
    set("_register_complex", vm.new_function("_register_complex", register).into())
}

/// The complex array over an array of pairs; a scalar where there is one pair without dimensions.
fn made(numpy: &Rc<Numpy>, pairs: Tensor, vm: &VirtualMachine) -> PyResult {
    numpy.given(&pairs, vm);
    let classes = numpy.complex(vm)?;
    if pairs.ndim() == 1 {
        let parts = pairs.to_f64_vec();
        let class = if pairs.dtype() == DType::Float32 { &classes.single } else { &classes.double };
        let mut number = vm.ctx.new_complex(0.0.into()).to_complex();
        (number.re, number.im) = (parts[0], parts[1]);
        return Ok(PyComplex::from(number).into_ref_with_type(vm, class.clone())?.into());
    }
    let pairs = numpy.array(pairs, vm).downcast().map_err(|_| vm.new_type_error("pairs are an array"))?;
    Ok(PyComplexArray { pairs, base: None }.into_ref_with_type(vm, classes.array.clone())?.into())
}

/// An operand, and whether it is a number beside arrays: that does not widen them.
fn read(numpy: &Rc<Numpy>, object: &PyObject, vm: &VirtualMachine) -> PyResult<(Operand, bool)> {
    if let Some(array) = object.downcast_ref::<PyComplexArray>() {
        let tensor = array.pairs.tensor();
        let is_number = tensor.ndim() == 1;
        return Ok((Operand { tensor, is_pairs: true }, is_number));
    }
    if let Some(number) = object.downcast_ref::<PyComplex>() {
        let is_single = object.class().is(&numpy.complex(vm)?.single);
        let dtype = if is_single { DType::Float32 } else { DType::Float64 };
        let value = number.to_complex();
        let parts = Buffer::F64(vec![value.re, value.im]);
        let tensor = crate::tensor::ops::cast::to_dtype(&Tensor::new(parts, [2], DType::Float64), dtype);
        return Ok((Operand { tensor, is_pairs: true }, true));
    }
    if array_of(object).is_none() && scalar::number(object, vm).is_none() && foreign::has_part(object, vm) {
        // Nested lists with complex numbers.
        let list = vm.import("numpy", 0)?.get_attr("asarray", vm)?.call((object.to_owned(),), vm)?;
        return read(numpy, &list, vm);
    }
    let real = operand(numpy, object, vm)?;
    let is_number = real.tensor.ndim() == 0;
    Ok((Operand { tensor: real.tensor, is_pairs: false }, is_number))
}

/// The dtype of the parts of a result: arrays of floats decide among themselves, otherwise every operand counts.
fn parts_dtype(operands: &[(Operand, bool)]) -> DType {
    let is_float =
        |operand: &Operand| operand.is_pairs || operand.tensor.dtype().category() == Category::Float;
    let decides = operands.iter().any(|(operand, is_number)| !is_number && is_float(operand));
    let is_wide = operands
        .iter()
        .filter(|(_, is_number)| !(decides && *is_number))
        .any(|(operand, _)| matches!(operand.tensor.dtype(), DType::Float64 | DType::Int32 | DType::Int64));
    if is_wide { DType::Float64 } else { DType::Float32 }
}

/// The shape that operands broadcast to. Errors: NumPy's.
fn broadcast(operands: &[(Operand, bool)], vm: &VirtualMachine) -> PyResult<Vec<usize>> {
    let mut shape = Vec::new();
    for (operand, _) in operands {
        shape = layout::broadcast(&shape, operand.shape()).map_err(|_| {
            let shapes: String =
                operands.iter().map(|(it, _)| super::text::tight(it.shape()) + " ").collect();
            vm.new_value_error(format!("operands could not be broadcast together with shapes {shapes}"))
        })?;
    }
    Ok(shape)
}

/// What a function returned: pairs, or the real tensor of truth values or sizes.
enum Result {
    Pairs(Tensor),
    Real(Tensor),
}

/// Truth values of complex numbers, from both parts of each operand.
static TESTS: &[(&str, Test)] = &[
    ("equal", |a, b| a == b),
    ("not_equal", |a, b| a != b),
    ("isnan", |a, _| a.iter().any(|x| x.is_nan())),
    ("isinf", |a, _| a.iter().any(|x| x.is_infinite())),
    ("isfinite", |a, _| a.iter().all(|x| x.is_finite())),
];

type Test = fn(Pair<f64>, Pair<f64>) -> bool;

/// The results of a test of operands that broadcast to `shape`; with one operand the second is 0.
fn tested(test: Test, operands: &[Operand], shape: &[usize]) -> Vec<bool> {
    let of = |operand: &Operand| match operand.pairs(shape, DType::Float64) {
        Buffer::F64(parts) => parts,
        _ => Vec::new(),
    };
    let (a, b) = (of(&operands[0]), operands.get(1).map_or_else(|| vec![0.0; 2], of));
    let at = |parts: &[f64], i: usize| match parts {
        [re, im] => [*re, *im],
        _ => [parts[2 * i], parts[2 * i + 1]],
    };
    (0..shape.iter().product()).map(|i| test(at(&a, i), at(&b, i))).collect()
}

/// The error of what attn leaves out.
fn absent(text: String, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    vm.new_exception_msg(vm.ctx.exceptions.not_implemented_error.to_owned(), text.into())
}

/// Functions that NumPy has of complex numbers, and attn has not.
const ABSENT: &str = "arccos arccosh arcsin arcsinh arctan arctanh cos cosh exp2 expm1 float_power fmax fmin greater \
    greater_equal less less_equal log log10 log1p log2 logical_and logical_not logical_or logical_xor maximum minimum rint \
    sign sin sinh tan tanh";

fn compute(
    name: &str,
    operands: Vec<(Operand, bool)>,
    dtype: Option<DType>,
    vm: &VirtualMachine,
) -> PyResult<Result> {
    let shape = broadcast(&operands, vm)?;
    let dtype = dtype.unwrap_or_else(|| parts_dtype(&operands));
    let of_numbers = operands.iter().all(|it| it.1);
    let operands: Vec<Operand> = operands.into_iter().map(|it| it.0).collect();
    if named(name).arithmetic == Some(Arithmetic::Power)
        && tested(has_power, &operands, &shape).contains(&false)
    {
        return Err(absent(
            format!(
                "{name} of complex numbers is part of attn's numpy for whole exponents and positive bases alone"
            ),
            vm,
        ));
    }
    if let Some(formula) = complex::formula(name, of_numbers) {
        return Ok(Result::Pairs(complex::compute(formula, &operands, &shape, dtype)));
    }
    if let Some((_, test)) = TESTS.iter().find(|row| row.0 == name) {
        return Ok(Result::Real(Tensor::from_bool(tested(*test, &operands, &shape), shape)));
    }
    if name == "absolute" {
        return Ok(Result::Real(complex::sizes(&operands[0], of_numbers)));
    }
    if ABSENT.split(' ').any(|one| one == name) {
        let text = "of complex numbers is not part of attn's numpy: it has their arithmetic, exp and sqrt";
        return Err(absent(format!("{name} {text}"), vm));
    }
    Err(vm.new_type_error(format!(
        "ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any supported \
         types according to the casting rule ''safe''"
    )))
}

/// An elementwise function, called with keywords as NumPy's are.
fn call(name: &str, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let numpy = context(vm)?;
    let count = named(name).operands;
    let mut out = args.args.get(count).cloned().or_else(|| args.kwargs.swap_remove("out"));
    if let Some(tuple) = out.as_ref().and_then(|it| it.downcast_ref::<rustpython_vm::builtins::PyTuple>()) {
        out = tuple.as_slice().first().cloned();
    }
    let out = out.filter(|it| !vm.is_none(it));
    let dtype = match args.kwargs.swap_remove("dtype").filter(|it| !vm.is_none(it)) {
        Some(object) => Some(asked(&object, name, vm)?),
        None => None,
    };
    if let Some(word) = args.kwargs.keys().next() {
        return Err(absent(format!("{name}({word}=...) of complex numbers is not part of attn's numpy"), vm));
    }
    let operands =
        args.args.iter().take(count).map(|it| read(&numpy, it, vm)).collect::<PyResult<Vec<_>>>()?;
    let result = compute(name, operands, dtype, vm)?;
    match (out, result) {
        (Some(out), result) => {
            write(&numpy, name, &out, result, vm)?;
            Ok(out)
        }
        (None, Result::Pairs(pairs)) => made(&numpy, pairs, vm),
        (None, Result::Real(real)) => numpy.result(real, vm),
    }
}

/// The dtype of the parts of a complex dtype. Errors: it is none.
fn asked(object: &PyObject, name: &str, vm: &VirtualMachine) -> PyResult<DType> {
    let kind = vm.import("numpy", 0)?.get_attr("dtype", vm)?.call((object.to_owned(),), vm)?;
    match kind.get_attr("name", vm)?.str(vm)?.to_string_lossy().as_ref() {
        "complex64" => Ok(DType::Float32),
        "complex128" => Ok(DType::Float64),
        other => Err(absent(format!("{name}(dtype={other}) is not part of attn's numpy"), vm)),
    }
}

/// Writes a result into an array that was given for it.
fn write(numpy: &Rc<Numpy>, name: &str, out: &PyObject, result: Result, vm: &VirtualMachine) -> PyResult<()> {
    let target = out.downcast_ref::<PyComplexArray>().map(|it| it.pairs.tensor());
    match (target, array_of(out), result) {
        (Some(target), _, Result::Pairs(pairs)) => write_out(numpy, name, &target, &pairs, "same_kind", vm),
        (Some(target), _, Result::Real(real)) => {
            let shape = real.shape().to_vec();
            let pairs = Operand { tensor: real, is_pairs: false };
            let positive =
                complex::formula("positive", true).ok_or_else(|| vm.new_type_error("no such function"))?;
            copy_into(numpy, &target, &complex::compute(positive, &[pairs], &shape, target.dtype()), vm)
        }
        (None, Some(target), Result::Real(real)) => write_out(numpy, name, &target, &real, "same_kind", vm),
        (None, Some(target), Result::Pairs(pairs)) => {
            let kind = if pairs.dtype() == DType::Float32 { "complex64" } else { "complex128" };
            let class = vm.import("numpy._exceptions", 0)?.get_attr("_exceptions", vm)?;
            let text = format!(
                "Cannot cast ufunc '{name}' output from dtype('{kind}') to {} with casting rule 'same_kind'",
                shown(target.dtype())
            );
            let error = class.get_attr("_UFuncOutputCastingError", vm)?.call((text,), vm)?;
            Err(error.downcast().map_err(|_| vm.new_type_error("an exception class makes exceptions"))?)
        }
        _ => Err(vm.new_type_error("return arrays must be of ArrayType")),
    }
}

/// `bool(z)`: whether the one number is not zero.
fn truth(object: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    if let Some(number) = object.downcast_ref::<PyComplex>() {
        let value = number.to_complex();
        return Ok(value.re != 0.0 || value.im != 0.0);
    }
    let parts =
        object.downcast_ref::<PyComplexArray>().map(|it| it.pairs.tensor().to_f64_vec()).unwrap_or_default();
    match parts.len() {
        0..=2 => Ok(parts.iter().any(|&part| part != 0.0)),
        _ => Err(vm.new_value_error(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
        )),
    }
}

/// The operators: those of real arrays, which call functions of complex numbers where there are any.
static METHODS: PyNumberMethods = PyNumberMethods {
    boolean: Some(|a, vm| truth(a.obj, vm)),
    int: None,
    float: None,
    index: None,
    ..operators::METHODS
};

impl AsNumber for PyComplexArray {
    fn as_number() -> &'static PyNumberMethods {
        &METHODS
    }
}

impl AsNumber for PyComplexScalar {
    fn as_number() -> &'static PyNumberMethods {
        &METHODS
    }
}

operators::comparable!(PyComplexArray);
operators::comparable!(PyComplexScalar);

impl Constructor for PyComplexArray {
    type Args = (PyRef<PyArray>, rustpython_vm::function::OptionalArg<PyObjectRef>);

    fn py_new(_class: &Py<PyType>, (pairs, base): Self::Args, _vm: &VirtualMachine) -> PyResult<Self> {
        Ok(PyComplexArray { pairs, base: base.into_option() })
    }
}

#[pyclass(with(Constructor, AsNumber, Comparable), flags(BASETYPE))]
impl PyComplexArray {
    /// The array of the parts.
    #[pygetset]
    fn _pairs(&self) -> PyRef<PyArray> {
        self.pairs.clone()
    }

    #[pygetset]
    fn base(&self) -> Option<PyObjectRef> {
        self.base.clone()
    }
}

#[pyclass(with(AsNumber, Comparable), flags(BASETYPE))]
impl PyComplexScalar {}
