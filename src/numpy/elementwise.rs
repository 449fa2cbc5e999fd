//! What elementwise functions compute: of operands, in NumPy's dtypes, into new arrays or given ones.

use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use super::context::{Numpy, array_of};
use super::convert;
use super::dtypes::{Operand, can_cast, result_type, shown};
use super::foreign;
use super::rules::{Arithmetic, Function, Rule};
use super::scalar;
use super::text::tight;
use crate::tensor::{Arg, Category, DType, Layout, Tensor, layout};
use crate::torch::PyTensor;

/// The operand that an object is: an array, a scalar, a number or a nested list.
pub(super) fn operand(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> PyResult<Operand> {
    if let Some(array) = array_of(object) {
        return Ok(Operand::new(array));
    }
    if let Some((dtype, number)) = scalar::number(object, vm) {
        return Ok(Operand { tensor: scalar::tensor(dtype, &number), number: Some(number) });
    }
    Ok(Operand::new(convert::tensor(numpy, object, None, vm)?))
}

/// The shape that operands broadcast to. Errors: NumPy's.
pub(super) fn broadcast<'a>(
    shapes: impl Iterator<Item = &'a [usize]> + Clone,
    vm: &VirtualMachine,
) -> PyResult<Vec<usize>> {
    let mut all = shapes.clone();
    all.try_fold(Vec::new(), |shape, own| layout::broadcast(&shape, own)).map_err(|_| {
        let shapes: String = shapes.map(|shape| tight(shape) + " ").collect();
        vm.new_value_error(format!("operands could not be broadcast together with shapes {shapes}"))
    })
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

/// Computes a function of operands.
pub(super) fn compute(
    numpy: &Numpy,
    function: &'static Function,
    operands: &[Operand],
    vm: &VirtualMachine,
) -> PyResult<Tensor> {
    computed(numpy, function, operands, false, vm)
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
        computed(numpy, function, operands, true, vm)?;
        numpy.update_mirrors();
    }
    Ok(fits)
}

fn computed(
    numpy: &Numpy,
    function: &'static Function,
    operands: &[Operand],
    in_place: bool,
    vm: &VirtualMachine,
) -> PyResult<Tensor> {
    broadcast(operands.iter().map(|it| it.tensor.shape()), vm)?;
    let dtype = function.dtype(result_type(operands)).map_err(|text| vm.new_type_error(text))?;
    let is_whole = dtype.category() == Category::Integer;
    if is_whole && function.arithmetic == Some(Arithmetic::Power) {
        let exponents = operands[1].tensor.to_f64_vec();
        if exponents.iter().any(|&value| value < 0.0) {
            return Err(vm.new_value_error("Integers to negative integer powers are not allowed."));
        }
    }
    let short = shorter(function, operands).filter(|&name| !in_place && (!is_whole || name == "square"));
    // `torch.sqrt` may have the roots of Intel's library, NumPy has the nearest numbers.
    if short.unwrap_or(function.op) == "sqrt" && dtype == DType::Float32 {
        let wide = argument(numpy, &operands[0], DType::Float64, false, vm)?;
        return numpy.cast(&numpy.call("sqrt", vec![wide], vm)?, dtype, vm);
    }
    if let Some(name) = short {
        return numpy.call(name, vec![argument(numpy, &operands[0], dtype, false, vm)?], vm);
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

/// The function that NumPy computes in place of a power of an array, for a few exponents.
fn shorter(function: &Function, operands: &[Operand]) -> Option<&'static str> {
    if function.arithmetic != Some(Arithmetic::Power) || operands[0].tensor.ndim() == 0 {
        return None;
    }
    match operands[1].number.as_ref()?.number()? {
        2.0 => Some("square"),
        0.5 => Some("sqrt"),
        -1.0 => Some("reciprocal"),
        _ => None,
    }
}

/// Writes a result into an array, converted to its dtype. Errors: it cannot be, or has another shape.
pub(super) fn write_out(
    numpy: &Numpy,
    function: &str,
    target: &Tensor,
    result: &Tensor,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if !can_cast(result.dtype(), target.dtype()) {
        let text = format!(
            "Cannot cast ufunc '{function}' output from {} to {} with casting rule 'same_kind'",
            shown(result.dtype()),
            shown(target.dtype())
        );
        return Err(foreign::error("UFuncTypeError", vec![vm.ctx.new_str(text).into()], vm)?);
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

/// Whether an object is a tensor of torch.
pub(super) fn is_tensor(object: &PyObject) -> bool {
    object.downcast_ref::<PyTensor>().is_some()
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
