//! `numpy.array(data)`: numbers, nested sequences and arrays to one array.
//! Errors are NumPy's.

use rustpython_vm::builtins::{PyBytes, PyComplex, PyInt, PyStr};
use rustpython_vm::{PyObject, PyObjectRef, PyResult, VirtualMachine};

use super::context::{Numpy, array_of};
use super::dtypes::promote;
use super::scalar;
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, DType, Tensor, allow};
use crate::torch::{OrRaise, tensor_of};

/// The items of a list, a tuple, a range or what else has a length and items.
fn sequence(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<PyObjectRef>>> {
    match object.downcast_ref::<PyBytes>() {
        Some(_) => Ok(None),
        None => crate::torch::sequence(object, vm),
    }
}

/// The elements found so far.
#[derive(Default)]
struct Found {
    /// The sizes along the first items, until a number or an array ends them.
    shape: Vec<usize>,
    is_settled: bool,
    numbers: Vec<Arg>,
    dtype: Option<DType>,
}

fn ragged(shape: &[usize], vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    vm.new_value_error(format!(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape after {} dimensions. \
         The detected shape was {} + inhomogeneous part.",
        shape.len(),
        tuple_repr(shape)
    ))
}

impl Found {
    /// The first items end here, and have an array of this shape. Errors: so many elements have no room.
    fn settle(&mut self, shape: &[usize], vm: &VirtualMachine) -> PyResult<()> {
        if !self.is_settled {
            self.is_settled = true;
            self.shape.extend_from_slice(shape);
            let count = allow(&self.shape, DType::Float64).or_raise(vm)?;
            self.numbers.reserve(count.min(1 << 20));
        }
        Ok(())
    }

    fn promote(&mut self, dtype: DType) {
        self.dtype = Some(self.dtype.map_or(dtype, |old| promote(old, dtype)));
    }

    fn add(&mut self, object: &PyObject, depth: usize, vm: &VirtualMachine) -> PyResult<()> {
        if let Some((dtype, number)) = scalar::number(object, vm) {
            self.settle(&[], vm)?;
            if depth < self.shape.len() {
                return Err(ragged(&self.shape[..depth], vm));
            }
            self.promote(dtype);
            self.numbers.push(number);
            return Ok(());
        }
        if let Some(tensor) = array_of(object).or_else(|| tensor_of(object)) {
            self.settle(tensor.shape(), vm)?;
            if tensor.shape() != &self.shape[depth..] {
                return Err(ragged(&self.shape[..depth], vm));
            }
            self.promote(tensor.dtype());
            self.numbers.extend(tensor.numbers());
            return Ok(());
        }
        if object.downcast_ref::<PyInt>().is_some() {
            return Err(vm.new_overflow_error("Python int too large to convert to C long"));
        }
        let Some(items) = sequence(object, vm)? else {
            return Err(not_numbers(object, vm));
        };
        if !self.is_settled && depth == 32 {
            return Err(vm.new_value_error("setting an array element with a sequence. The requested array would exceed the maximum number of dimension of 32."));
        }
        if !self.is_settled {
            self.shape.push(items.len());
        }
        if items.is_empty() {
            self.settle(&[], vm)?;
        }
        if self.shape.get(depth) != Some(&items.len()) {
            return Err(ragged(&self.shape[..depth], vm));
        }
        items.iter().try_for_each(|item| self.add(item, depth + 1, vm))
    }
}

fn not_numbers(object: &PyObject, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
    let is_complex = object.downcast_ref::<PyComplex>().is_some();
    vm.new_not_implemented_error(match object.downcast_ref::<PyStr>() {
        _ if is_complex => "complex numbers here are not part of attn's numpy".to_owned(),
        Some(_) => "text here is not part of attn's numpy: arrays of it are indexed, compared and printed".to_owned(),
        None => format!(
            "arrays of {} objects are not part of attn's numpy: its arrays have numbers, truth values or text",
            object.class().name()
        ),
    })
}

/// The arrays of a sequence that has nothing else, if all have one shape and one dtype: where their numbers come from is kept.
fn alike(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<Tensor>>> {
    let Some(items) = sequence(object, vm)? else { return Ok(None) };
    let arrays: Option<Vec<Tensor>> = items.iter().map(|item| array_of(item)).collect();
    let is_alike = |arrays: &Vec<Tensor>| {
        let [first, others @ ..] = &arrays[..] else { return false };
        let same = |it: &Tensor| it.shape() == first.shape() && it.dtype() == first.dtype();
        first.ndim() > 0 && others.iter().all(same)
    };
    Ok(arrays.filter(is_alike))
}

/// The tensor of a Python object. An array, or a torch tensor, is itself unless its dtype changes.
pub(super) fn tensor(
    numpy: &Numpy,
    object: &PyObject,
    dtype: Option<DType>,
    vm: &VirtualMachine,
) -> PyResult<Tensor> {
    let given = tensor_of(object);
    if given.as_ref().is_some_and(Tensor::requires_grad) {
        return Err(vm.new_runtime_error(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        ));
    }
    let known = array_of(object).or_else(|| given.map(|it| it.alias()));
    if let Some(tensor) = known {
        return numpy.cast(&tensor, dtype.unwrap_or(tensor.dtype()), vm);
    }
    if let Some((own, number)) = scalar::number(object, vm) {
        let dtype = dtype.unwrap_or(own);
        return Ok(scalar::tensor(dtype, &scalar::converted(&number, dtype)));
    }
    if let Ok(method) = object.get_attr("__array__", vm) {
        let array = method.call((), vm)?;
        return tensor(numpy, &array, dtype, vm);
    }
    if let Some(arrays) = alike(object, vm)? {
        let stacked = numpy.call("stack", vec![Arg::Tensors(arrays), Arg::Int(0)], vm)?;
        return numpy.cast(&stacked, dtype.unwrap_or(stacked.dtype()), vm);
    }
    let mut found = Found::default();
    found.add(object, 0, vm)?;
    let dtype = dtype.or(found.dtype).unwrap_or(DType::Float64);
    let tensor = Tensor::new(Arg::buffer(&found.numbers, dtype), found.shape, dtype);
    numpy.given(&tensor, vm);
    Ok(tensor)
}
