//! Complex numbers. An array of them has pairs along one more dimension, of real and imaginary parts, in one buffer:
//! `real` and `imag` are views. Elementwise functions are loops over pairs; what moves elements, adds or multiplies them is
//! computed of the parts, which are real arrays.

use std::rc::Rc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyComplex, PyStr, PyTuple};
use rustpython_vm::function::FuncArgs;
use rustpython_vm::protocol::PyNumberMethods;
use rustpython_vm::types::{AsNumber, Comparable, Representable};
use rustpython_vm::{
    AsObject, Py, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass,
};

use super::context::{Numpy, PyArray, PyComplexScalar, array_of, context, pairs_of};
use super::dtypes::{Kind, kind_of, shown};
use super::routine::{Complex, Row, call_row};
use super::rules::{Arithmetic, named};
use super::ufunc::{copy_into, operand, write_out};
use super::{digits, foreign, index, operators, scalar};
use crate::kernel::complex::{Pair, has_power};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::complex::{self, Operand};
use crate::tensor::{Arg, Buffer, Category, DType, Tensor, layout};
use crate::torch::{OrRaise, items};

/// The real parts of pairs (0) or the imaginary parts (1): a view.
pub(super) fn part(pairs: &Tensor, which: usize) -> Tensor {
    pairs.with_layout(pairs.layout().select(pairs.ndim() - 1, which))
}

/// The number of one pair.
fn number(pairs: &Tensor) -> PyComplex {
    let [re, im] = [0, 1].map(|at| pairs.storage().read().float(pairs.layout().position(at)));
    PyComplex::from(num_complex::Complex64::new(re, im))
}

/// The array of complex numbers over these pairs; a scalar where there is one pair without dimensions.
fn made(numpy: &Rc<Numpy>, pairs: Tensor, vm: &VirtualMachine) -> PyResult {
    if pairs.ndim() == 1 {
        return scalar_of(numpy, &pairs, vm);
    }
    numpy.given(&pairs, vm);
    Ok(numpy.complex(pairs, [], vm))
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

/// Pairs of these parts, row-major, in single precision where both have that.
fn paired(real: &Tensor, imag: Option<&Tensor>) -> Tensor {
    let single = |tensor: &Tensor| matches!(tensor.dtype(), DType::Float16 | DType::Float32);
    let dtype = match single(real) && imag.is_none_or(single) {
        true => DType::Float32,
        false => DType::Float64,
    };
    let parts = |tensor: &Tensor| to_dtype(tensor, dtype).to_buffer();
    let zeros = || Buffer::zeros(dtype, real.numel());
    let joined = match (parts(real), imag.map_or_else(zeros, parts)) {
        (Buffer::F32(a), Buffer::F32(b)) => {
            Buffer::F32(a.into_iter().zip(b).flat_map(<[f32; 2]>::from).collect())
        }
        (Buffer::F64(a), Buffer::F64(b)) => {
            Buffer::F64(a.into_iter().zip(b).flat_map(<[f64; 2]>::from).collect())
        }
        (other, _) => other,
    };
    let mut shape = real.shape().to_vec();
    shape.push(2);
    Tensor::new(joined, shape, dtype)
}

// Functions of the parts.

/// Whether this is a complex number or an array of them.
pub(super) fn is_complex(object: &PyObject) -> bool {
    object.downcast_ref::<PyComplex>().is_some()
        || object.downcast_ref::<PyArray>().is_some_and(|it| it.is_complex)
}

/// The parts of the complex numbers in an argument, or in the items of one: the arrays that they are views of are kept.
struct Parts<'a> {
    numpy: &'a Rc<Numpy>,
    vm: &'a VirtualMachine,
    which: usize,
    /// Arrays of complex numbers, and those of their parts.
    found: Vec<(PyObjectRef, PyObjectRef)>,
}

impl Parts<'_> {
    /// The part of an object. The imaginary one of a real number is 0 if it is `data`, and the number itself otherwise.
    fn of(&mut self, object: &PyObjectRef, data: bool) -> PyResult {
        let vm = self.vm;
        if let Some(pairs) = pairs_of(object) {
            let made = self.numpy.derived(part(&pairs, self.which), [&**object], vm);
            self.found.push((object.clone(), made.clone()));
            return Ok(made);
        }
        if object.downcast_ref::<PyComplex>().is_some() {
            let (Operand { tensor, .. }, _) = read(self.numpy, object, vm)?;
            let tensor = part(&tensor, self.which);
            return scalar::of_tensor(self.numpy, &tensor, vm);
        }
        if let Some(all) = items(object) {
            let all = all.iter().map(|one| self.of(one, data)).collect::<PyResult<Vec<_>>>()?;
            return Ok(match object.downcast_ref::<PyTuple>() {
                Some(_) => vm.ctx.new_tuple(all).into(),
                None => vm.ctx.new_list(all).into(),
            });
        }
        if self.which == 0 || !data || vm.is_none(object) {
            return Ok(object.clone());
        }
        let real = operand(self.numpy, object, vm)?;
        match real.number {
            Some(_) => Ok(vm.ctx.new_int(0).into()),
            None => Ok(self
                .numpy
                .array(Tensor::zeros(real.tensor.shape(), real.tensor.dtype()).or_raise(vm)?, vm)),
        }
    }

    /// What a function that returned `object` of the real parts returns of complex numbers, if that needs no imaginary
    /// parts: views of both.
    fn views(&self, object: &PyObjectRef) -> Option<PyObjectRef> {
        if let Some((whole, _)) = self.found.iter().find(|(_, real)| real.is(object)) {
            return Some(whole.clone());
        }
        if let Some(all) = items(object) {
            let all = all.iter().map(|one| self.views(one)).collect::<Option<Vec<_>>>()?;
            return Some(match object.downcast_ref::<PyTuple>() {
                Some(_) => self.vm.ctx.new_tuple(all).into(),
                None => self.vm.ctx.new_list(all).into(),
            });
        }
        let real = array_of(object)?;
        let is_source = |(whole, _): &&(PyObjectRef, PyObjectRef)| {
            pairs_of(whole).is_some_and(|pairs| pairs.storage().same(real.storage()))
        };
        let (whole, _) = self.found.iter().find(is_source)?;
        let mut layout = real.layout().clone();
        layout.shape.push(2);
        layout.strides.push(1);
        Some(self.numpy.complex(real.with_layout(layout), [&**whole], self.vm))
    }
}

/// What has these parts: an array, a number, or a tuple or list of them.
fn joined(
    numpy: &Rc<Numpy>,
    real: &PyObjectRef,
    imag: Option<&PyObjectRef>,
    vm: &VirtualMachine,
) -> PyResult {
    if let Some(all) = items(real) {
        let parts = imag.and_then(|imag| items(imag));
        let each =
            all.iter().enumerate().map(|(at, one)| joined(numpy, one, parts.as_ref().map(|it| &it[at]), vm));
        let all = each.collect::<PyResult<Vec<_>>>()?;
        return Ok(match real.downcast_ref::<PyTuple>() {
            Some(_) => vm.ctx.new_tuple(all).into(),
            None => vm.ctx.new_list(all).into(),
        });
    }
    let is_python = real.class().is(vm.ctx.types.float_type);
    let imag = imag.map(|it| operand(numpy, it, vm)).transpose()?;
    let pairs = paired(&operand(numpy, real, vm)?.tensor, imag.as_ref().map(|it| &it.tensor));
    match is_python {
        true => Ok(python(&pairs, vm)),
        false => {
            numpy.given(&pairs, vm);
            let is_array = array_of(real).is_some();
            if is_array { Ok(numpy.complex(pairs, [], vm)) } else { made(numpy, pairs, vm) }
        }
    }
}

/// A function of the table with complex numbers among its arguments, or with a complex dtype.
pub(super) fn routine(
    numpy: &Rc<Numpy>,
    row: &'static Row,
    mut args: Vec<Option<PyObjectRef>>,
    vm: &VirtualMachine,
) -> PyResult {
    let dtype = row.signature.place("dtype");
    let asked = args.get(dtype).and_then(Option::as_ref).filter(|it| !vm.is_none(it));
    let asked = asked.and_then(|it| kind_of(numpy, it, vm));
    if let Some(kind) = asked {
        args[dtype] = Some(super::dtypes::object(Kind::real(kind.dtype), vm));
    }
    let target = args.get_mut(row.signature.place("out")).and_then(Option::take).filter(|it| !vm.is_none(it));
    let has_complex = args.iter().flatten().any(|it| foreign::has_part(it, vm));
    let data: &[usize] = match row.complex {
        Complex::Parts(data) | Complex::Products(data) => data,
        Complex::Own(run) => return run(numpy, &args, vm),
        Complex::Real => &[],
        Complex::Refused => {
            return Err(absent(format!("{}() of complex numbers is not part of attn's numpy", row.name), vm));
        }
    };
    if let Some(kind) = asked.filter(|kind| has_complex && !kind.is_complex) {
        check_real(row, &args, kind, vm)?;
    }
    if matches!(row.complex, Complex::Products(_)) {
        return products(numpy, row, &args, data, vm);
    }
    let mut parts = Parts { numpy, vm, which: 0, found: Vec::new() };
    let mut run = |which: usize| -> PyResult<(PyObjectRef, Option<PyObjectRef>)> {
        parts.which = which;
        parts.found.clear();
        let each = args
            .iter()
            .enumerate()
            .map(|(at, it)| it.as_ref().map(|it| parts.of(it, data.contains(&at))).transpose());
        let args = each.collect::<PyResult<Vec<_>>>()?;
        let found = call_row(numpy, row, args, true, vm)?;
        let views = parts.views(&found);
        Ok((found, views))
    };
    let (real, views) = run(0)?;
    let made = match views {
        _ if asked.is_some_and(|kind| !kind.is_complex)
            || array_of(&real).is_none() && is_fact(&real, row, vm) =>
        {
            real
        }
        Some(views) => views,
        None if !has_complex || data.is_empty() => joined(numpy, &real, None, vm)?,
        None => joined(numpy, &real, Some(&run(1)?.0), vm)?,
    };
    match target {
        None => Ok(made),
        Some(target) => {
            let args: FuncArgs = vec![made, target.clone()].into();
            call("positive", args, vm)
        }
    }
}

/// Whether a result is no number of the array: a shape, or nothing.
fn is_fact(object: &PyObjectRef, row: &Row, vm: &VirtualMachine) -> bool {
    matches!(row.complex, Complex::Real) || object.class().is(vm.ctx.types.none_type)
}

/// Complex numbers as real ones: a warning. Errors: they are no array of complex numbers, or NumPy's rule forbids it.
fn check_real(row: &Row, args: &[Option<PyObjectRef>], kind: Kind, vm: &VirtualMachine) -> PyResult<()> {
    let Some(pairs) = args.first().and_then(Option::as_ref).and_then(|it| pairs_of(it)) else {
        let name = if kind.dtype.is_float() { "float" } else { "int" };
        let text = format!("{name}() argument must be a string or a real number, not 'complex'");
        return Err(vm.new_type_error(text));
    };
    let own = Kind::complex(pairs.dtype());
    let rule = args.get(row.signature.place("casting")).and_then(Option::as_ref);
    let rule = rule.map_or(Ok("unsafe".to_owned()), |it| Ok(it.str(vm)?.to_string()))?;
    if !own.can_cast(kind, &rule) {
        return Err(vm.new_type_error(format!(
            "Cannot cast array data from {} to {} according to the rule '{rule}'",
            own.shown(),
            kind.shown()
        )));
    }
    let module = vm.import("numpy._methods", 0)?.get_attr("_methods", vm)?;
    module.get_attr("_warn_discarded", vm)?.call((), vm).map(drop)
}

/// A product that is linear in each of its factors: each is its real part and i times its imaginary part.
fn products(
    numpy: &Rc<Numpy>,
    row: &'static Row,
    args: &[Option<PyObjectRef>],
    data: &[usize],
    vm: &VirtualMachine,
) -> PyResult {
    // The factors: arguments, or the items of the one argument that takes several.
    let several = data.len() == 1;
    let at = data[0];
    let factors: Vec<PyObjectRef> = match (several, args.get(at).and_then(Option::as_ref)) {
        (true, Some(all)) => items(all).unwrap_or_default(),
        _ => data.iter().filter_map(|&at| args[at].clone()).collect(),
    };
    let mut sums: [Option<Tensor>; 2] = [None, None];
    let mut is_array = false;
    for choice in 0..1usize << factors.len() {
        let power = choice.count_ones() as usize % 4;
        let mut args = args.to_vec();
        let mut chosen = Vec::with_capacity(factors.len());
        for (place, factor) in factors.iter().enumerate() {
            let mut parts = Parts { numpy, vm, which: choice >> place & 1, found: Vec::new() };
            chosen.push(parts.of(factor, true)?);
        }
        match several {
            true => args[at] = Some(vm.ctx.new_tuple(chosen).into()),
            false => data.iter().zip(chosen).for_each(|(&at, one)| args[at] = Some(one)),
        }
        let found = call_row(numpy, row, args, true, vm)?;
        is_array = array_of(&found).is_some();
        let found = operand(numpy, &found, vm)?.tensor;
        // The powers of i: 1, i, -1, -i.
        let sum = &mut sums[power % 2];
        *sum = Some(match sum.take() {
            None => found,
            Some(before) => {
                let name = if power < 2 { "add" } else { "sub" };
                numpy.call(name, vec![Arg::Tensor(before), Arg::Tensor(found), Arg::Int(1)], vm)?
            }
        });
    }
    let [Some(real), imag] = sums else { return Err(vm.new_type_error("a product has two factors")) };
    let pairs = paired(&real, imag.as_ref());
    numpy.given(&pairs, vm);
    if is_array { Ok(numpy.complex(pairs, [], vm)) } else { made(numpy, pairs, vm) }
}

/// `array[key]` of complex numbers.
pub(super) fn get(array: &Py<PyArray>, key: &PyObject, vm: &VirtualMachine) -> PyResult {
    let numpy = &array.numpy;
    let mut parts = Parts { numpy, vm, which: 0, found: Vec::new() };
    let mut run = |which: usize| -> PyResult<(PyObjectRef, Option<PyObjectRef>)> {
        parts.which = which;
        parts.found.clear();
        let real = parts.of(&array.as_object().to_owned(), true)?;
        let Some(real) = real.downcast_ref::<PyArray>() else { return Err(vm.new_type_error("no array")) };
        let found = index::get(real, key, vm)?;
        let views = parts.views(&found);
        Ok((found, views))
    };
    match run(0)? {
        (_, Some(views)) => Ok(views),
        (real, None) => joined(numpy, &real, Some(&run(1)?.0), vm),
    }
}

/// `array[key] = value` of complex numbers.
pub(super) fn set(array: &PyArray, key: &PyObject, value: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let (numpy, pairs) = (&array.numpy, array.tensor());
    for which in 0..2 {
        let real = numpy.array(part(&pairs, which), vm);
        let value = Parts { numpy, vm, which, found: Vec::new() }.of(&value.to_owned(), true)?;
        if let Some(real) = real.downcast_ref::<PyArray>() {
            index::set(real, key, &value, vm)?;
        }
    }
    Ok(())
}

/// `outer(a, b)`, whose products are rounded as those of elements are.
pub(super) fn outer(numpy: &Rc<Numpy>, args: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
    let mut operands = Vec::new();
    for (object, column) in args.iter().flatten().zip([true, false]) {
        let (Operand { tensor, is_pairs }, is_number) = read(numpy, object, vm)?;
        let count = (tensor.numel() / if is_pairs { 2 } else { 1 }) as i64;
        let mut shape = if column { vec![count, 1] } else { vec![1, count] };
        shape.extend(is_pairs.then_some(2));
        let sizes = shape.iter().map(|&size| size as usize).collect::<Vec<_>>();
        operands
            .push((Operand { tensor: crate::tensor::ops::reshape(&tensor, &sizes), is_pairs }, is_number));
    }
    match compute("multiply", operands, None, vm)? {
        Result::Pairs(pairs) | Result::Real(pairs) => made(numpy, pairs, vm),
    }
}

/// `vdot(a, b)`: the product of the conjugates of the first and of the second.
pub(super) fn vdot(_: &Rc<Numpy>, args: &[Option<PyObjectRef>], vm: &VirtualMachine) -> PyResult {
    let module = vm.import("numpy", 0)?;
    let flat = |object: &PyObjectRef| module.get_attr("ravel", vm)?.call((object.clone(),), vm);
    match args {
        [Some(a), Some(b)] => {
            let a = call("conjugate", vec![flat(a)?].into(), vm)?;
            module.get_attr("dot", vm)?.call((a, flat(b)?), vm)
        }
        _ => Err(vm.new_type_error("vdot() takes two arrays")),
    }
}

// Elementwise functions.

/// An operand, and whether it is a number beside arrays: that does not widen them.
fn read(numpy: &Rc<Numpy>, object: &PyObject, vm: &VirtualMachine) -> PyResult<(Operand, bool)> {
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
    if let Some(kind) = object.downcast_ref::<super::dtypes::PyNumpyDType>().map(|it| it.kind) {
        // A dtype counts as an array of it.
        let shape: &[usize] = if kind.is_complex { &[0, 2] } else { &[0] };
        let tensor = Tensor::new(Buffer::zeros(kind.dtype, 0), shape, kind.dtype);
        return Ok((Operand { tensor, is_pairs: kind.is_complex }, false));
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
fn absent(text: String, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_not_implemented_error(text)
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
pub(super) fn call(name: &str, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let numpy = context(vm)?;
    let count = named(name).operands;
    let mut out = args.args.get(count).cloned().or_else(|| args.kwargs.swap_remove("out"));
    if let Some(tuple) = out.as_ref().and_then(|it| it.downcast_ref::<rustpython_vm::builtins::PyTuple>()) {
        out = tuple.as_slice().first().cloned();
    }
    let out = out.filter(|it| !vm.is_none(it));
    let dtype = match args.kwargs.swap_remove("dtype").filter(|it| !vm.is_none(it)) {
        Some(object) => Some(asked(&numpy, &object, name, vm)?),
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
fn asked(numpy: &Numpy, object: &PyObject, name: &str, vm: &VirtualMachine) -> PyResult<DType> {
    match kind_of(numpy, object, vm) {
        Some(kind) if kind.is_complex => Ok(kind.dtype),
        _ => Err(absent(format!("{name}(dtype={}) is not part of attn's numpy", object.str(vm)?), vm)),
    }
}

/// Writes a result into an array that was given for it.
fn write(numpy: &Rc<Numpy>, name: &str, out: &PyObject, result: Result, vm: &VirtualMachine) -> PyResult<()> {
    let target = pairs_of(out);
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
pub(super) fn truth(object: &PyObject, vm: &VirtualMachine) -> PyResult<bool> {
    let parts = match (object.downcast_ref::<PyComplex>(), pairs_of(object)) {
        (Some(number), _) => vec![number.to_complex().re, number.to_complex().im],
        (None, pairs) => pairs.map(|it| it.to_f64_vec()).unwrap_or_default(),
    };
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

impl AsNumber for PyComplexScalar {
    fn as_number() -> &'static PyNumberMethods {
        &METHODS
    }
}

operators::comparable!(PyComplexScalar);

/// The text of a complex number: `(1+2j)`, `2j`.
pub(super) fn text(re: f64, im: f64, parts: DType) -> String {
    let digits = |part: f64| digits::scalar(part, parts).trim_end_matches(".0").to_owned();
    match re == 0.0 && re.is_sign_positive() {
        true => digits(im) + "j",
        false => {
            let imag = digits(im);
            let sign = if imag.starts_with('-') { "" } else { "+" };
            format!("({}{sign}{imag}j)", digits(re))
        }
    }
}

impl Representable for PyComplexScalar {
    fn slot_repr(zelf: &PyObject, vm: &VirtualMachine) -> PyResult<PyRef<PyStr>> {
        let (pair, _) = read(&context(vm)?, zelf, vm)?;
        let parts = pair.tensor.to_f64_vec();
        Ok(vm.ctx.new_str(text(parts[0], parts[1], pair.tensor.dtype())))
    }

    fn repr_str(_: &Py<Self>, _: &VirtualMachine) -> PyResult<String> {
        Ok(String::new())
    }
}

#[pyclass(with(AsNumber, Comparable, Representable), flags(BASETYPE))]
impl PyComplexScalar {}
