//! `torch.tensor(data)`: nested Python sequences to a tensor.
//! Errors are PyTorch's.

use rustpython_vm::builtins::{PyDict, PyStr};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::numbers::{is_too_large, items, number};
use super::py_tensor::{lent_tensor, tensor_of};
use super::raise::{OrRaise, raise};
use crate::kernel::stop;
use crate::tensor::ops::{cast::to_dtype, mask::fits};
use crate::tensor::{Arg, DType, Error, ErrorFact, Tensor, allow};

/// The items of a sequence; ranges and other iterables are no sequences to PyTorch, but `range` is.
pub(crate) fn sequence(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<PyObjectRef>>> {
    if let Some(items) = items(object) {
        return Ok(Some(items));
    }
    // Text and mappings have lengths and items, and are no sequences of numbers.
    let is_text = object.downcast_ref::<PyStr>().is_some() || object.downcast_ref::<PyDict>().is_some();
    let looks_like_one = !is_text
        && object.class().get_attr(vm.ctx.intern_str("__getitem__")).is_some()
        && object.class().get_attr(vm.ctx.intern_str("__len__")).is_some();
    if looks_like_one && tensor_of(object).is_none() {
        return vm.extract_elements_with(object, Ok).map(Some);
    }
    Ok(None)
}

/// The shape nested sequences have, read along their first elements.
fn shape_of(object: &PyObject, vm: &VirtualMachine) -> PyResult<Vec<usize>> {
    let mut shape = Vec::new();
    let mut at = object.to_owned();
    loop {
        // A tensor in a list is one number, or an error; an array in it is a sequence.
        if !shape.is_empty() && tensor_of(&at).is_some() {
            return Ok(shape);
        }
        if let Some(tensor) = lent_tensor(&at, vm) {
            shape.extend_from_slice(tensor.shape());
            return Ok(shape);
        }
        if number(&at, vm).is_some() {
            return Ok(shape);
        }
        let Some(items) = sequence(&at, vm)? else { return Ok(shape) };
        shape.push(items.len());
        if shape.len() > 128 {
            return Err(vm.new_value_error("too many dimensions 'list'"));
        }
        match items.first() {
            Some(first) => at = first.clone(),
            None => return Ok(shape),
        }
    }
}

fn not_a_number(
    object: &PyObject,
    depth: usize,
    first: bool,
    vm: &VirtualMachine,
) -> rustpython_vm::builtins::PyBaseExceptionRef {
    let name = object.class().name().to_string();
    if object.downcast_ref::<PyStr>().is_some() {
        return if depth == 0 || !first {
            vm.new_type_error(format!("new(): invalid data type '{name}'"))
        } else {
            vm.new_value_error(format!("too many dimensions '{name}'"))
        };
    }
    if vm.is_none(object) && depth > 0 {
        return vm.new_runtime_error("Could not infer dtype of NoneType");
    }
    vm.new_runtime_error(format!("Could not infer dtype of {name}"))
}

/// The numbers of nested sequences.
#[derive(Default)]
struct Numbers {
    /// The numbers in row-major order; ints that no `int64` has are floats.
    values: Vec<Arg>,
    /// Whether there are such ints.
    has_too_large: bool,
    /// The dtype to which all of them are promoted.
    dtype: Option<DType>,
}

impl Numbers {
    fn push(&mut self, number: Arg, dtype: DType) {
        if self.dtype != Some(dtype) {
            self.dtype = Some(self.dtype.map_or(dtype, |before| before.promote(dtype)));
        }
        self.values.push(number);
    }
}

/// The dtype that a number alone becomes: a NumPy scalar has one, floats of Python have the default.
fn dtype_of(object: &PyObject, number: &Arg, default: DType, vm: &VirtualMachine) -> DType {
    let (class, types) = (object.class(), &vm.ctx.types);
    let is_pythons = class.is(types.float_type) || class.is(types.int_type) || class.is(types.bool_type);
    let name = vm.ctx.intern_str("_typed");
    if !is_pythons && class.get_attr(name).is_some() {
        let typed = vm.call_method(object, name.as_str(), ());
        if let Some(tensor) = typed.ok().and_then(|typed| tensor_of(&typed)) {
            return tensor.dtype();
        }
    }
    match number {
        Arg::Float(_) => default,
        Arg::Int(_) => DType::Int64,
        _ => DType::Bool,
    }
}

/// The items of a long list between two checks for interrupts.
const STEP: usize = 1 << 16;

/// Collects the numbers of nested sequences in row-major order.
fn collect(
    object: &PyObject,
    shape: &[usize],
    depth: usize,
    default: DType,
    values: &mut Numbers,
    vm: &VirtualMachine,
) -> PyResult<()> {
    if depth == shape.len() {
        if let Some(number) = number(object, vm) {
            if is_too_large(object) {
                values.has_too_large = true;
                values.push(number, DType::Int64);
            } else {
                let dtype = dtype_of(object, &number, default, vm);
                values.push(number, dtype);
            }
            return Ok(());
        }
        if let Some(tensor) = lent_tensor(object, vm).filter(|tensor| tensor.numel() == 1) {
            values.push(tensor.first(), tensor.dtype());
            return Ok(());
        }
        if tensor_of(object).is_some() {
            let message = "only one element tensors can be converted to Python scalars";
            return Err(raise(Error::value(message).about(ErrorFact::TensorsInList), vm));
        }
        if sequence(object, vm)?.is_some() {
            let name = object.class().name().to_string();
            let whole = values.values.iter().all(|value| matches!(value, Arg::Int(_) | Arg::Bool(_)));
            return Err(vm.new_type_error(if whole {
                format!("'{name}' object cannot be interpreted as an integer")
            } else {
                format!("must be real number, not {name}")
            }));
        }
        return Err(not_a_number(object, depth, values.values.is_empty(), vm));
    }
    if let Some(tensor) = lent_tensor(object, vm) {
        for number in tensor.numbers() {
            values.push(number, tensor.dtype());
        }
        return Ok(());
    }
    let Some(items) = sequence(object, vm)? else {
        return Err(match number(object, vm) {
            Some(_) => vm.new_type_error("not a sequence"),
            None => not_a_number(object, depth, values.values.is_empty(), vm),
        });
    };
    if items.len() != shape[depth] {
        return Err(raise(
            Error::value(format!(
                "expected sequence of length {} at dim {depth} (got {})",
                shape[depth],
                items.len()
            ))
            .about(ErrorFact::RaggedLists),
            vm,
        ));
    }
    items.iter().enumerate().try_for_each(|(at, item)| {
        if (at + 1).is_multiple_of(STEP) {
            stop::from_native(|| vm.check_signals())?;
        }
        collect(item, shape, depth + 1, default, values, vm)
    })
}

/// The tensor of a number, nested sequences of numbers, or another tensor's values. Copies.
pub(crate) fn tensor_from(
    object: &PyObject,
    dtype: Option<DType>,
    default: DType,
    vm: &VirtualMachine,
) -> PyResult<Tensor> {
    if let Some(tensor) = lent_tensor(object, vm) {
        let copy = crate::tensor::ops::copy(&tensor);
        return Ok(dtype.map_or_else(|| copy.clone(), |dtype| to_dtype(&copy, dtype)));
    }
    let shape = shape_of(object, vm)?;
    let count = allow(&shape, DType::Float64).or_raise(vm)?;
    let mut numbers = Numbers { values: Vec::with_capacity(count.min(1 << 20)), ..Numbers::default() };
    collect(object, &shape, 0, default, &mut numbers, vm)?;
    let dtype = dtype.or(numbers.dtype).unwrap_or(default);
    let is_whole = !dtype.is_float() && dtype != DType::Bool;
    if is_whole && numbers.has_too_large {
        return Err(vm.new_runtime_error("Overflow when unpacking long"));
    }
    let values = numbers.values;
    if is_whole && !values.iter().all(|value| fits(value, dtype)) {
        return Err(vm.new_runtime_error(format!(
            "value cannot be converted to type {} without overflow",
            dtype.name()
        )));
    }
    Ok(Tensor::new(Arg::buffer(&values, dtype), shape, dtype))
}
