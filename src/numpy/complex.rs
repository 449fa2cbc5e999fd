//! Arrays of complex numbers: pairs of a real array's elements, real part and imaginary part. What is called often is here;
//! the rest is `numpy._complex`, whose class is made over this one.

use std::rc::Rc;

use num_complex::Complex64;
use rustpython_vm::builtins::{PyComplex, PyTypeRef};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

use super::context::{Numpy, PyArray};
use super::dtypes::{Operand, promote, result_type};
use super::rules::Function;
use super::{elementwise, foreign, reduce};
use crate::in_floats;
use crate::kernel::{Real, stop};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::{Arg, DType, Tensor};
use crate::torch::OrRaise;

/// What `numpy._complex.ndarray` is made over.
#[pyclass(module = "numpy", name = "_pairs")]
#[derive(Debug, PyPayload)]
pub(super) struct PyPairs {
    /// Shape (..., 2).
    pub(super) pairs: PyRef<PyArray>,
}

/// The pairs of an array of complex numbers; `None` for other objects.
pub(super) fn pairs_of(object: &PyObject) -> Option<&PyRef<PyArray>> {
    object.downcast_ref::<PyPairs>().map(|it| &it.pairs)
}

/// The class of arrays, and those of numbers in single and in double precision.
fn classes(numpy: &Numpy, vm: &VirtualMachine) -> PyResult<[PyTypeRef; 3]> {
    if numpy.complex.borrow().is_none() {
        vm.import("numpy._complex", 0)?;
    }
    let known = numpy.complex.borrow().clone();
    known.ok_or_else(|| vm.new_runtime_error("numpy is not imported"))
}

/// One number of an array with this dtype of its parts.
pub(super) fn number(numpy: &Numpy, [re, im]: [f64; 2], dtype: DType, vm: &VirtualMachine) -> PyResult {
    let [_, single, double] = classes(numpy, vm)?;
    let class = if dtype == DType::Float64 { double } else { single };
    Ok(PyComplex::from(Complex64::new(re, im)).into_ref_with_type(vm, class)?.into())
}

/// The array that has these pairs; one number where there is one without dimensions.
pub(super) fn made(numpy: &Numpy, pairs: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let pairs = pairs.downcast::<PyArray>().map_err(|_| vm.new_type_error("expected an array"))?;
    if pairs.inner.ndim() == 1 {
        let parts = pairs.tensor().to_f64_vec();
        return number(numpy, [parts[0], parts[1]], pairs.inner.dtype(), vm);
    }
    let [class, ..] = classes(numpy, vm)?;
    Ok(PyPairs { pairs }.into_ref_with_type(vm, class)?.into())
}

/// The tensor of one number.
fn pair(parts: [f64; 2], dtype: DType) -> Tensor {
    in_floats!(dtype, T => T::tensor(parts.map(T::from_f64).to_vec(), [2], dtype))
}

/// An operand, and whether it is pairs already. `None` for arrays of text.
fn operand(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<(Operand, bool)>> {
    if let Some(pairs) = pairs_of(object) {
        return Ok(Some((Operand { tensor: pairs.tensor(), number: None }, true)));
    }
    if let Some(number) = object.downcast_ref::<PyComplex>() {
        let Complex64 { re, im } = number.to_complex();
        let is_single = object.class().is(&classes(numpy, vm)?[1]);
        let dtype = if is_single { DType::Float32 } else { DType::Float64 };
        let tensor = pair([re, im], dtype);
        return Ok(Some((Operand { tensor, number: Some(Arg::Float(re.abs().max(im.abs()))) }, true)));
    }
    if foreign::is_foreign(object, vm) {
        return Ok(None);
    }
    elementwise::operand(numpy, object, vm).map(|found| Some((found, false)))
}

/// An elementwise function of operands of which one is complex. `None` where it is none of those that are native.
pub(super) fn elementwise(
    numpy: &Rc<Numpy>,
    function: &'static Function,
    objects: &[&PyObject],
    vm: &VirtualMachine,
) -> PyResult<Option<PyObjectRef>> {
    let name = function.name;
    let op = match name {
        "add" | "subtract" | "negative" => function.op,
        "multiply" | "square" => "complex_mul",
        "divide" => "complex_div",
        "exp" => "complex_exp",
        "absolute" => "complex_abs",
        "conjugate" => "mul",
        _ => return Ok(None),
    };
    let mut operands = Vec::with_capacity(2);
    for object in objects {
        let Some(found) = operand(numpy, object, vm)? else { return Ok(None) };
        operands.push(found);
    }
    let shapes = operands.iter().map(|(it, has_pairs)| {
        let shape = it.tensor.shape();
        &shape[..shape.len() - usize::from(*has_pairs)]
    });
    elementwise::broadcast(shapes, vm)?;
    // Beside complex numbers, real ones have the dtype of their parts.
    let counted: Vec<Operand> = operands
        .iter()
        .map(|(it, _)| match it.number {
            Some(_) => it.clone(),
            None => Operand::of_dtype(promote(it.tensor.dtype(), DType::Float32)),
        })
        .collect();
    let dtype = promote(result_type(&counted), DType::Float32);
    let call = |name, args| numpy.call(name, args, vm);
    let mut args = Vec::with_capacity(3);
    for (operand, has_pairs) in operands {
        let tensor = match operand.number {
            // A number of the code is no tensor that something made.
            Some(_) => to_dtype(&operand.tensor, dtype),
            None => numpy.cast(&operand.tensor, dtype, vm)?,
        };
        args.push(Arg::Tensor(match has_pairs {
            true => tensor,
            false => call("complex_of_real", vec![Arg::Tensor(tensor)])?,
        }));
    }
    match name {
        "add" | "subtract" => args.push(Arg::Int(1)),
        "multiply" => args.push(Arg::Bool(true)),
        "square" => args.extend([args[0].clone(), Arg::Bool(true)]),
        "conjugate" => args.push(Arg::Tensor(pair([1.0, -1.0], dtype))),
        _ => {}
    }
    let result = call(op, args)?;
    match name {
        "absolute" => numpy.result(result, vm),
        _ => made(numpy, numpy.array(result, vm), vm),
    }
    .map(Some)
}

/// The sum over axes, in NumPy's order.
pub(super) fn sum(pairs: &PyArray, axis: &PyObjectRef, keepdims: bool, vm: &VirtualMachine) -> PyResult {
    let (numpy, pairs) = (&pairs.numpy, pairs.tensor());
    let mut axes = super::axes::axes(axis, pairs.ndim() - 1, vm)?;
    axes.sort_unstable();
    let total = stop::leavable(|| reduce::over_pairs(&pairs, &axes)).or_raise(vm)?;
    let layout = total.layout().clone();
    let layout = axes.iter().filter(|_| keepdims).fold(layout, |layout, &axis| layout.unsqueeze(axis));
    let total = total.with_layout(layout);
    let dims = axes.into_iter().map(|axis| axis as i64).collect();
    let args = vec![Arg::Tensor(pairs), Arg::Ints(dims), Arg::Bool(keepdims), Arg::None];
    numpy.made(&total, "sum", 1, args, vm);
    made(numpy, numpy.array(total, vm), vm)
}
