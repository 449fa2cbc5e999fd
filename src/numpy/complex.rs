//! Elementwise functions of complex numbers: loops over the pairs of their parts, in one buffer.

use std::rc::Rc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyComplex, PyFloat, PyInt};
use rustpython_vm::class::StaticType;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::context::{Numpy, PyComplexScalar, array_of, context, pairs_of};
use super::dtypes::{Kind, PyNumpyDType, shown};
use super::elementwise::{broadcast, not_cast, operand, write_out};
use super::rules::{Arithmetic, named};
use super::{foreign, scalar};
use crate::kernel::complex::{self as pairs, Pair, has_power};
use crate::tensor::ops::complex::{self, Operand};
use crate::tensor::{Buffer, Category, DType, Tensor};

/// The number of one pair.
fn number(pairs: &Tensor) -> PyComplex {
    let [re, im] = [0, 1].map(|at| pairs.storage().read().float(pairs.layout().position(at)));
    PyComplex::from(num_complex::Complex64::new(re, im))
}

/// The array of complex numbers over these pairs; a scalar where there is one pair without dimensions, if it may be one.
pub(super) fn made(numpy: &Rc<Numpy>, pairs: Tensor, may_be_scalar: bool, vm: &VirtualMachine) -> PyResult {
    if may_be_scalar && pairs.ndim() == 1 {
        return scalar_of(numpy, &pairs, vm);
    }
    numpy.given(&pairs, vm);
    Ok(numpy.viewed(pairs, None, true, vm))
}

/// The scalar of one pair.
pub(super) fn scalar_of(numpy: &Numpy, pair: &Tensor, vm: &VirtualMachine) -> PyResult {
    let class = numpy.complex_class(pair.dtype(), vm)?;
    Ok(number(pair).into_ref_with_type(vm, class)?.into())
}

/// The Python number of one pair.
pub(super) fn python(pair: &Tensor, vm: &VirtualMachine) -> PyObjectRef {
    number(pair).into_pyobject(vm)
}

/// An operand, and whether it is a number beside arrays: that does not widen them.
pub(super) fn read(numpy: &Rc<Numpy>, object: &PyObject, vm: &VirtualMachine) -> PyResult<(Operand, bool)> {
    if let Some(tensor) = pairs_of(object) {
        let is_number = tensor.ndim() == 1;
        return Ok((Operand { tensor, is_pairs: true }, is_number));
    }
    if let Some(number) = object.downcast_ref::<PyComplex>() {
        let is_single = object.class().is(&numpy.complex_class(DType::Float32, vm)?);
        let value = number.to_complex();
        let tensor = match is_single {
            true => Tensor::new(Buffer::F32(vec![value.re as f32, value.im as f32]), [2], DType::Float32),
            false => Tensor::new(Buffer::F64(vec![value.re, value.im]), [2], DType::Float64),
        };
        return Ok((Operand { tensor, is_pairs: true }, true));
    }
    if let Some(kind) = object.downcast_ref::<PyNumpyDType>().map(|it| it.kind) {
        // A dtype counts as an array of it.
        let shape: &[usize] = if kind.is_complex { &[0, 2] } else { &[0] };
        let tensor = Tensor::new(Buffer::zeros(kind.dtype, 0), shape, kind.dtype);
        return Ok((Operand { tensor, is_pairs: kind.is_complex }, false));
    }
    if array_of(object).is_none() && scalar::number(object, vm).is_none() && foreign::has_part(object, vm) {
        // Nested lists with complex numbers.
        let list = foreign::call("numpy", "asarray", vec![object.to_owned()], vm)?;
        return read(numpy, &list, vm);
    }
    let real = operand(numpy, object, vm)?;
    let is_number = real.tensor.ndim() == 0;
    Ok((Operand { tensor: real.tensor, is_pairs: false }, is_number))
}

/// The dtype of what is computed of objects among which there is a complex one.
pub(super) fn common(numpy: &Rc<Numpy>, objects: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Kind> {
    let operands = objects.iter().map(|it| read(numpy, it, vm)).collect::<PyResult<Vec<_>>>()?;
    Ok(Kind::complex(parts_dtype(&operands)))
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
pub(super) fn absent(text: String, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_not_implemented_error(text)
}

/// Functions that NumPy has of complex numbers, and attn has not.
const ABSENT: &str = "arccos arccosh arcsin arcsinh arctan arctanh cos cosh exp2 expm1 float_power fmax fmin greater \
    greater_equal less less_equal log log10 log1p log2 logical_and logical_not logical_or logical_xor maximum minimum rint \
    sign sin sinh tan tanh";

fn compute(name: &str, operands: Vec<(Operand, bool)>, vm: &VirtualMachine) -> PyResult<Result> {
    let (shape, dtype) = (broadcast(operands.iter().map(|it| it.0.shape()), vm)?, parts_dtype(&operands));
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
    Err(vm.new_type_error(named(name).not_supported()))
}

/// An elementwise function of complex numbers or labels, called with keywords as NumPy's are.
pub(super) fn call(name: &str, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    if let Some(result) = foreign::elementwise(name, &args, vm) {
        return result;
    }
    let (numpy, count) = (context(vm)?, named(name).operands);
    let word = args.kwargs.keys().next().map(String::as_str).or((args.args.len() > count).then_some("out"));
    if let Some(word) = word {
        return Err(absent(format!("{name}({word}=...) of complex numbers is not part of attn's numpy"), vm));
    }
    let operands = args.args.iter().map(|it| read(&numpy, it, vm)).collect::<PyResult<Vec<_>>>()?;
    match compute(name, operands, vm)? {
        Result::Pairs(pairs) => made(&numpy, pairs, true, vm),
        Result::Real(real) => numpy.result(real, vm),
    }
}

/// `z.conj()`
pub(super) fn conjugate(_: &Rc<Numpy>, args: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
    operate("conjugate", &args.iter().flatten().map(|it| &**it).collect::<Vec<_>>(), vm)
}

/// The same of operands alone.
pub(super) fn operate(name: &str, operands: &[&PyObject], vm: &VirtualMachine) -> PyResult {
    if let Some(made) = of_numbers(name, operands, vm) {
        return made;
    }
    let (name, operands) = shorter(name, operands).unwrap_or((name, operands));
    let args: Vec<PyObjectRef> = operands.iter().map(|&it| it.to_owned()).collect();
    call(name, args.into(), vm)
}

/// Sums, differences and products of two complex scalars in double precision.
fn of_numbers(name: &str, operands: &[&PyObject], vm: &VirtualMachine) -> Option<PyResult> {
    let [a, b] = operands else { return None };
    let class = a.class();
    let (x, y) = (a.downcast_ref::<PyComplex>()?.to_complex(), b.downcast_ref::<PyComplex>()?.to_complex());
    let is_double = b.class().is(class)
        && a.fast_isinstance(PyComplexScalar::static_type())
        && &*class.name() == Kind::complex(DType::Float64).name();
    let f = match named(name).arithmetic? {
        Arithmetic::Add => pairs::add,
        Arithmetic::Subtract => pairs::subtract,
        Arithmetic::Multiply => pairs::product,
        _ => return None,
    };
    let [re, im] = f([x.re, x.im], [y.re, y.im]);
    let number = PyComplex::from(num_complex::Complex64::new(re, im));
    is_double.then(|| Ok(number.into_ref_with_type(vm, class.to_owned())?.into()))
}

/// What `a ** b` of an array is for a few exponents, as in NumPy.
fn shorter<'a>(name: &str, operands: &'a [&'a PyObject]) -> Option<(&'static str, &'a [&'a PyObject])> {
    let [base, exponent] = operands else { return None };
    if named(name).arithmetic != Some(Arithmetic::Power) || pairs_of(base).is_none() {
        return None;
    }
    let exponent = match (exponent.downcast_ref::<PyFloat>(), exponent.downcast_ref::<PyInt>()) {
        (Some(float), _) => float.to_f64(),
        (None, Some(int)) => f64::from(i32::try_from(int.as_bigint()).ok()?),
        _ => return None,
    };
    let functions = [(1.0, "positive"), (2.0, "square"), (0.5, "sqrt"), (-1.0, "reciprocal")];
    let found = functions.iter().find(|row| row.0 == exponent)?;
    Some((found.1, &operands[..1]))
}

/// The same, into the first operand.
pub(super) fn operate_in_place(
    name: &str,
    target: &PyObject,
    other: &PyObject,
    vm: &VirtualMachine,
) -> PyResult {
    let numpy = context(vm)?;
    let (into, is_complex) = match (array_of(target), pairs_of(target)) {
        (Some(real), _) => (real, false),
        (None, pairs) => (pairs.ok_or_else(|| vm.new_type_error("not an array"))?, true),
    };
    match compute(name, vec![read(&numpy, target, vm)?, read(&numpy, other, vm)?], vm)? {
        Result::Pairs(pairs) if is_complex => write_out(&numpy, name, &into, &pairs, "same_kind", vm)?,
        Result::Real(real) if !is_complex => write_out(&numpy, name, &into, &real, "same_kind", vm)?,
        Result::Pairs(pairs) => {
            let (from, to) = (Kind::complex(pairs.dtype()).shown(), shown(into.dtype()));
            return Err(not_cast(name, &from, &to, "same_kind", vm)?);
        }
        Result::Real(_) => return Err(vm.new_type_error("truth values have no parts")),
    }
    Ok(target.to_owned())
}
