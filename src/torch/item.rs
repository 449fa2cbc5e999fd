//! `x[...]` and `x[...] = y`: Python's index objects to index expressions.
//! What they mean is in `tensor::index`.

use std::rc::Rc;

use rustpython_vm::builtins::{PyEllipsis, PyInt, PySlice, PyStr, PyTuple};
use rustpython_vm::protocol::{PyMappingMethods, PySequenceMethods};
use rustpython_vm::types::{AsMapping, AsSequence};
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use smallvec::smallvec;

use super::build::tensor_from;
use super::numbers::{int, items, number, too_large};
use super::py_tensor::{PyTensor, lent_tensor, tensor_of};
use super::raise::{OrRaise, raise};
use super::site::site;
use super::to_python::object;
use crate::ops::call::call;
use crate::ops::in_place::{allow_layout, allow_operands, allow_part_of_leaf};
use crate::ops::overwrite::{Overwrite, overwrite};
use crate::ops::state::Caller;
use crate::ops::table::row;
use crate::tensor::descriptor::{OpFamily, SETITEM};
use crate::tensor::ops::{cast::to_dtype, mask::checked_number};
use crate::tensor::{Arg, DType, Error, ErrorFact, Index, Indices, Tensor, index};

/// One part of an index expression.
fn part(key: &PyObject, vm: &VirtualMachine) -> PyResult<Index> {
    if vm.is_none(key) {
        return Ok(Index::NewAxis);
    }
    if let Some(tensor) = tensor_of(key) {
        // A 0-d integer tensor is an int.
        let whole =
            !tensor.dtype().is_float() && tensor.dtype() != DType::Bool && tensor.dtype() != DType::UInt8;
        if tensor.ndim() == 0 && whole {
            return Ok(Index::Int(tensor.item_int().or_raise(vm)?));
        }
        return Ok(Index::Tensor(tensor));
    }
    if key.class().is(vm.ctx.types.bool_type) {
        return Ok(Index::Bool(key.is(&vm.ctx.true_value)));
    }
    // An array of NumPy's.
    if let Some(tensor) = lent_tensor(key, vm) {
        let is_whole = !tensor.dtype().is_float() && tensor.dtype() != DType::Bool;
        return Ok(match (is_whole, tensor.ndim()) {
            (true, 0) => Index::Int(tensor.item_int().or_raise(vm)?),
            (true, _) => Index::Tensor(to_dtype(&tensor, DType::Int64)),
            (false, _) => Index::Tensor(tensor),
        });
    }
    if let Some(slice) = key.downcast_ref::<PySlice>() {
        let bound = |object: Option<&PyObjectRef>| -> PyResult<Option<i64>> {
            match object.filter(|object| !vm.is_none(object)) {
                None => Ok(None),
                Some(object) => int(object, vm).map(Some).ok_or_else(|| {
                    vm.new_type_error("slice indices must be integers or None or have an __index__ method")
                }),
            }
        };
        return Ok(Index::Slice {
            start: bound(slice.start.as_ref())?,
            stop: bound(Some(&slice.stop))?,
            step: bound(slice.step.as_ref())?,
        });
    }
    if key.downcast_ref::<PyEllipsis>().is_some() {
        return Ok(Index::Ellipsis);
    }
    if let Some(at) = int(key, vm) {
        return Ok(Index::Int(at));
    }
    if key.downcast_ref::<PyInt>().is_some() {
        return Err(vm.new_runtime_error("Overflow when unpacking long"));
    }
    if key.downcast_ref::<PyStr>().is_some() {
        return Err(vm.new_type_error("new(): invalid data type 'str'"));
    }
    if let Some(items) = sequence(key, vm)? {
        return Ok(Index::Tensor(positions(items, vm)?));
    }
    let name = key.class().name().to_string();
    let name = if name == "dtype" { "torch.dtype".to_owned() } else { name };
    Err(vm.new_index_error(format!(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {name})"
    )))
}

/// The items of a list, a tuple or a range.
fn sequence(key: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<PyObjectRef>>> {
    if key.class().is(vm.ctx.types.range_type) {
        let list = vm.ctx.types.list_type.to_owned().as_object().call((key.to_owned(),), vm)?;
        return Ok(items(&list));
    }
    Ok(items(key))
}

/// A sequence as an index: truth values are a mask, all other numbers positions.
fn positions(items: Vec<PyObjectRef>, vm: &VirtualMachine) -> PyResult<Tensor> {
    if let Some(text) = items.iter().find(|item| item.downcast_ref::<PyStr>().is_some()) {
        return Err(vm.new_type_error(format!("new(): invalid data type '{}'", text.class().name())));
    }
    let list = vm.ctx.new_list(items);
    let tensor = tensor_from(list.as_object(), None, DType::Float32, vm)?;
    let whole = tensor.numel() > 0 && matches!(tensor.dtype(), DType::Bool | DType::UInt8 | DType::Int64);
    Ok(if whole { tensor } else { to_dtype(&tensor, DType::Int64) })
}

/// Whether a list counts as a tuple of indices: it is short and has items that no list of numbers has.
fn is_tuple(items: &[PyObjectRef], vm: &VirtualMachine) -> bool {
    let structured = |item: &PyObjectRef| {
        vm.is_none(item)
            || tensor_of(item).is_some()
            || super::numbers::items(item).is_some()
            || item.class().is(vm.ctx.types.range_type)
            || item.downcast_ref::<PyStr>().is_some()
            || item.downcast_ref::<PySlice>().is_some()
            || item.downcast_ref::<PyEllipsis>().is_some()
    };
    items.len() < 32 && items.iter().any(structured)
}

fn parts(key: &PyObject, vm: &VirtualMachine) -> PyResult<Rc<Indices>> {
    let parts = match key.downcast_ref::<PyTuple>() {
        Some(tuple) => {
            let mut parts: Indices =
                tuple.as_slice().iter().map(|key| part(key, vm)).collect::<PyResult<_>>()?;
            // A tuple of one index is distinguished from an index alone: its checks and messages differ.
            if parts.len() == 1 && !matches!(parts[0], Index::Ellipsis) {
                parts.push(Index::Ellipsis);
            }
            parts
        }
        None => match items(key).filter(|items| is_tuple(items, vm)) {
            Some(items) => items.iter().map(|key| part(key, vm)).collect::<PyResult<_>>()?,
            None => smallvec![part(key, vm)?],
        },
    };
    Ok(Rc::new(parts))
}

/// `tensor[key]`
pub(crate) fn get(holder: &PyTensor, key: &PyObject, vm: &VirtualMachine) -> PyResult {
    let args = vec![Arg::Tensor(holder.tensor()), Arg::Index(parts(key, vm)?)];
    let value =
        call(Caller { state: &holder.state, site: &|| site(vm) }, row("getitem"), 0, args).or_raise(vm)?;
    object(value, &holder.state, &[], vm)
}

/// `tensor[key] = value`
pub(crate) fn set(holder: &PyTensor, key: &PyObject, value: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let target = holder.tensor();
    let index = parts(key, vm)?;
    if let Some(error) = too_large(value, vm) {
        return Err(error);
    }
    let source = match tensor_of(value).map(Arg::Tensor).or_else(|| number(value, vm)) {
        Some(source) => source,
        None => {
            return Err(vm.new_type_error(format!(
                "can't assign a {} to a torch.{}Tensor",
                value.class().name(),
                target.dtype().cpp_name()
            )));
        }
    };
    let values: Tensor = match &source {
        Arg::Tensor(tensor) => tensor.clone(),
        number => checked_number(number, target.dtype()).or_raise(vm)?,
    };
    if let [Index::Bool(false)] = index[..] {
        return Ok(());
    }
    // Only the elements that the index sees are written; the record keeps which.
    let covered = index::view(&target, &index);
    allow_part_of_leaf(&holder.state, &target, covered.is_some()).or_raise(vm)?;
    // Where tensors index, PyTorch does not ask whether elements overlap. A smaller source is expanded, and has gaps.
    match &covered {
        Some(view) => {
            allow_layout(view).or_raise(vm)?;
            if values.numel() == view.numel() {
                allow_operands(OpFamily::Copy, view, std::slice::from_ref(&source)).or_raise(vm)?;
            }
        }
        None => allow_operands(OpFamily::Index, &target, std::slice::from_ref(&source)).or_raise(vm)?,
    }
    let caller = Caller { state: &holder.state, site: &|| site(vm) };
    let grad_name = index::set_grad_name(&target, &index, source.tensor().is_none());
    let what = Overwrite { form: 0, operation: &SETITEM, grad_name: Some(grad_name), drawn: None };
    let args = vec![Arg::Tensor(target.clone()), source, Arg::Index(index.clone())];
    overwrite(caller, what, &target, args, |target| index::put(target, &index, &values, false))
        .or_raise(vm)?;
    if let (Some(view), Some(record)) = (covered, target.origin()) {
        target.storage().narrow_last(&record, view.layout().clone());
    }
    Ok(())
}

impl AsMapping for PyTensor {
    fn as_mapping() -> &'static PyMappingMethods {
        static METHODS: PyMappingMethods = PyMappingMethods {
            length: Some(|mapping, vm| length(mapping.obj, vm)),
            subscript: Some(|mapping, key, vm| match mapping.obj.downcast_ref::<PyTensor>() {
                Some(holder) => get(holder, key, vm),
                None => Ok(vm.ctx.not_implemented()),
            }),
            ass_subscript: Some(|mapping, key, value, vm| {
                match (mapping.obj.downcast_ref::<PyTensor>(), value) {
                    (Some(holder), Some(value)) => set(holder, key, &value, vm),
                    _ => Err(vm.new_type_error("Tensor does not support deleting items")),
                }
            }),
        };
        &METHODS
    }
}

fn length(object: &PyObject, vm: &VirtualMachine) -> PyResult<usize> {
    tensor_of(object)
        .and_then(|tensor| tensor.shape().first().copied())
        .ok_or_else(|| raise(Error::type_error("len() of a 0-d tensor").about(ErrorFact::LengthOfNumber), vm))
}

impl AsSequence for PyTensor {
    fn as_sequence() -> &'static PySequenceMethods {
        static METHODS: PySequenceMethods = PySequenceMethods {
            length: Some(|sequence, vm| length(sequence.obj, vm)),
            contains: Some(|sequence, needle, vm| {
                sequence
                    .obj
                    .downcast_ref::<PyTensor>()
                    .map_or(Ok(false), |tensor| tensor.contains(needle, vm))
            }),
            ..PySequenceMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}
