//! Elementwise functions of complex numbers: loops over the pairs of their parts, in one buffer.

use std::rc::Rc;

use rustpython_vm::builtins::PyComplex;
use rustpython_vm::class::StaticType;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::context::{Kind, Numpy, PyComplexScalar};
use super::dtypes::{self, shown};
use super::elementwise::{broadcast, not_cast, operand, shorter, write_out};
use super::rules::{Arithmetic, Function, named};
use crate::kernel::complex::{self as pairs, Pair, has_power};
use crate::tensor::ops::complex::{self, Operand};
use crate::tensor::{Buffer, DType, Tensor};

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
    let class = numpy.class(Kind::complex(pair.dtype()), vm)?;
    Ok(number(pair).into_ref_with_type(vm, class)?.into())
}

/// The Python number of one pair.
pub(super) fn python(pair: &Tensor, vm: &VirtualMachine) -> PyObjectRef {
    number(pair).into_pyobject(vm)
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

/// Computes a function of operands of which one is complex. Returns the result and whether it is pairs, or the real tensor
/// of truth values or sizes.
fn compute(
    function: &Function,
    operands: &[dtypes::Operand],
    vm: &VirtualMachine,
) -> PyResult<(Tensor, bool)> {
    if let Some(name) = shorter(function, operands) {
        return compute(named(name), &operands[..1], vm);
    }
    let (name, shape) = (function.name, broadcast(operands.iter().map(|it| it.shape()), vm)?);
    let of_numbers = operands.iter().all(|it| it.shape().is_empty());
    let dtype = dtypes::parts_dtype(operands);
    let operands: Vec<Operand> =
        operands.iter().map(|it| Operand { tensor: it.tensor.clone(), is_pairs: it.is_pairs }).collect();
    let absent = |text: &str| vm.new_not_implemented_error(format!("{name} of complex numbers is {text}"));
    if function.arithmetic == Some(Arithmetic::Power) && tested(has_power, &operands, &shape).contains(&false)
    {
        return Err(absent("part of attn's numpy for whole exponents and positive bases alone"));
    }
    if let Some(formula) = complex::formula(name, of_numbers) {
        return Ok((complex::compute(formula, &operands, &shape, dtype), true));
    }
    if let Some((_, test)) = TESTS.iter().find(|row| row.0 == name) {
        return Ok((Tensor::from_bool(tested(*test, &operands, &shape), shape), false));
    }
    if name == "absolute" {
        return Ok((complex::sizes(&operands[0], of_numbers), false));
    }
    Err(absent("not part of attn's numpy: it has their arithmetic, exp and sqrt"))
}

/// The array or the scalar that a function of operands returns of which one is complex.
pub(super) fn evaluate(
    numpy: &Rc<Numpy>,
    function: &Function,
    operands: &[dtypes::Operand],
    vm: &VirtualMachine,
) -> PyResult {
    match compute(function, operands, vm)? {
        (pairs, true) => made(numpy, pairs, true, vm),
        (real, false) => numpy.result(real, vm),
    }
}

/// The same, into the array that is the first operand.
pub(super) fn write(
    numpy: &Rc<Numpy>,
    function: &Function,
    operands: &[dtypes::Operand],
    vm: &VirtualMachine,
) -> PyResult<()> {
    let (target, (made, is_pairs)) = (&operands[0], compute(function, operands, vm)?);
    match (is_pairs, target.is_pairs) {
        (true, false) => {
            let (from, to) = (Kind::complex(made.dtype()).shown(), shown(target.tensor.dtype()));
            Err(not_cast(function.name, &from, &to, vm)?)
        }
        _ => write_out(numpy, function.name, &target.tensor, &made, vm),
    }
}

/// `z.conj()`
pub(super) fn conjugate(numpy: &Rc<Numpy>, args: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
    let operands: Vec<_> = args.iter().flatten().map(|it| operand(numpy, it, vm)).collect::<PyResult<_>>()?;
    evaluate(numpy, named("conjugate"), &operands, vm)
}

/// Sums, differences and products of two complex scalars in double precision.
pub(super) fn of_numbers(
    function: &Function,
    a: &PyObject,
    b: &PyObject,
    vm: &VirtualMachine,
) -> Option<PyResult> {
    let class = a.class();
    let (x, y) = (a.downcast_ref::<PyComplex>()?.to_complex(), b.downcast_ref::<PyComplex>()?.to_complex());
    let is_double = b.class().is(class)
        && a.fast_isinstance(PyComplexScalar::static_type())
        && &*class.name() == Kind::complex(DType::Float64).name();
    let f = match function.arithmetic? {
        Arithmetic::Add => pairs::add,
        Arithmetic::Subtract => pairs::subtract,
        Arithmetic::Multiply => pairs::product,
        _ => return None,
    };
    let [re, im] = f([x.re, x.im], [y.re, y.im]);
    let number = PyComplex::from(num_complex::Complex64::new(re, im));
    is_double.then(|| Ok(number.into_ref_with_type(vm, class.to_owned())?.into()))
}
