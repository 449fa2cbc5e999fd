//! `x[...]` and `x[...] = y` of arrays: NumPy's index objects to index expressions.
//! What those mean is in `tensor::index`. A slice with a negative step copies, as layouts have no negative strides; the copy
//! is kept up to date ([`super::mirror`]).

use std::rc::Rc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyEllipsis, PyInt, PySlice, PyStr, PyTuple};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyResult, VirtualMachine};
use smallvec::smallvec;

use super::context::{Numpy, PyArray, array_of};
use super::convert;
use super::elementwise::{is_tensor, operand, stretched};
use super::scalar;
use super::text::tight;
use crate::ops::call::call;
use crate::ops::overwrite::{Overwrite, overwrite};
use crate::ops::state::Caller;
use crate::ops::table::row;
use crate::ops::value::Value;
use crate::tensor::descriptor::SETITEM;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::{Arg, Category, DType, Error, ErrorFact, Index, Indices, Layout, Tensor, index};
use crate::torch::{OrRaise, items, site, tensor_of};

const KINDS: &str = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices";

/// A whole number that an object is.
fn whole(object: &PyObject, vm: &VirtualMachine) -> Option<i64> {
    if let Some((dtype, number)) = scalar::number(object, vm) {
        return match (dtype.category(), number) {
            (Category::Integer, Arg::Int(value)) => Some(value),
            _ => None,
        };
    }
    // One element of a tensor is a number, as `__index__` of tensors says.
    if let Some(tensor) = tensor_of(object) {
        let is_one = tensor.numel() == 1 && tensor.dtype().category() == Category::Integer;
        return is_one.then(|| tensor.item_int().ok())?;
    }
    let array = array_of(object)?;
    (array.ndim() == 0 && array.dtype().category() == Category::Integer).then(|| array.item_int().ok())?
}

/// An index expression, and the axes that are read backwards: axis, start, length and step.
#[derive(Default)]
struct Key {
    parts: Rc<Indices>,
    backwards: Vec<(usize, usize, usize, usize)>,
    /// The axis of each array among the parts.
    axes: Vec<usize>,
}

/// A list or an array as an index: whole numbers or a mask.
fn positions(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> PyResult<Tensor> {
    let tensor = convert::tensor(numpy, object, None, vm)?;
    match tensor.dtype().category() {
        Category::Float if tensor.numel() == 0 && array_of(object).is_none() => {
            Ok(to_dtype(&tensor, DType::Int64))
        }
        Category::Float => Err(match array_of(object) {
            Some(_) => vm.new_index_error("arrays used as indices must be of integer (or boolean) type"),
            None => vm.new_index_error(KINDS),
        }),
        Category::Integer => Ok(to_dtype(&tensor, DType::Int64)),
        Category::Bool => Ok(tensor),
    }
}

/// `:`
const WHOLE: Index = Index::Slice { start: None, stop: None, step: None };

/// Of a slice with a negative step: the lowest place, how many elements, and the distance between them.
type Reversed = (usize, usize, usize);

fn slice(key: &PySlice, size: usize, vm: &VirtualMachine) -> PyResult<(Index, Option<Reversed>)> {
    let bound = |object: Option<&PyObjectRef>| -> PyResult<Option<i64>> {
        match object.filter(|object| !vm.is_none(object)) {
            None => Ok(None),
            Some(object) => match whole(object, vm) {
                Some(value) => Ok(Some(value)),
                None => Ok(Some(object.try_index(vm)?.try_to_primitive::<i64>(vm)?)),
            },
        }
    };
    let (start, stop, step) =
        (bound(key.start.as_ref())?, bound(Some(&key.stop))?, bound(key.step.as_ref())?);
    let Some(back) = step.filter(|&step| step <= 0) else {
        return Ok((Index::Slice { start, stop, step }, None));
    };
    if back == 0 {
        return Err(vm.new_value_error("slice step cannot be zero"));
    }
    // The same elements, forwards.
    let (range, _, length) = key.to_saturated(vm)?.adjust_indices(size);
    let back = back.unsigned_abs() as usize;
    let low = range.end.saturating_sub(1 + length.saturating_sub(1) * back);
    Ok((WHOLE, Some((low, length, back))))
}

impl Key {
    /// Reads the index of an array of this shape.
    fn read(numpy: &Numpy, shape: &[usize], key: &PyObject, vm: &VirtualMachine) -> PyResult<Key> {
        let alone = [key.to_owned()];
        let objects = key.downcast_ref::<PyTuple>().map_or(&alone[..], |tuple| tuple.as_slice());
        let ndim = shape.len();
        let mut found = Key::default();
        let mut parts = Indices::new();
        for object in objects {
            let part = if vm.is_none(object) {
                Index::NewAxis
            } else if object.downcast_ref::<PyEllipsis>().is_some() {
                Index::Ellipsis
            } else if object.downcast_ref::<PySlice>().is_some() {
                WHOLE
            } else if let Some(value) = whole(object, vm) {
                Index::Int(value)
            } else if let Some((DType::Bool, number)) = scalar::number(object, vm) {
                Index::Bool(matches!(number, Arg::Bool(true)))
            } else if scalar::number(object, vm).is_some() || object.downcast_ref::<PyStr>().is_some() {
                return Err(vm.new_index_error(KINDS));
            } else if object.downcast_ref::<PyInt>().is_some() {
                return Err(vm.new_index_error("cannot fit 'int' into an index-sized integer"));
            } else if items(object).is_some()
                || array_of(object).is_some()
                || is_tensor(object)
                || object.class().is(vm.ctx.types.range_type)
            {
                let tensor = positions(numpy, object, vm)?;
                match tensor.ndim() == 0 && tensor.dtype() == DType::Bool {
                    true => Index::Bool(tensor.to_bool_vec()[0]),
                    false => Index::Tensor(tensor),
                }
            } else {
                return Err(vm.new_index_error(KINDS));
            };
            parts.push(part);
        }
        let used: usize = parts.iter().map(index::axes_of).sum();
        if used > ndim {
            return Err(vm.new_index_error(format!(
                "too many indices for array: array is {ndim}-dimensional, but {used} were indexed"
            )));
        }
        if parts.iter().filter(|part| matches!(part, Index::Ellipsis)).count() > 1 {
            return Err(vm.new_index_error("an index can only have a single ellipsis ('...')"));
        }
        let has_arrays = parts.iter().any(|part| matches!(part, Index::Tensor(_)));
        let mut axis = 0;
        for (part, object) in parts.iter_mut().zip(objects) {
            let (size, takes) = (shape.get(axis).copied().unwrap_or(1), index::axes_of(part));
            match part {
                &mut Index::Int(at) => {
                    if at < -(size as i64) || at >= size as i64 {
                        return Err(out_of_bounds(at, axis, size, vm));
                    }
                    // Beside arrays a number counts as one.
                    if has_arrays {
                        found.axes.push(axis);
                        *part = Index::Tensor(Tensor::from_i64(vec![at], []));
                    }
                }
                Index::Slice { .. } => {
                    if let Some(object) = object.downcast_ref::<PySlice>() {
                        let (read, backwards) = slice(object, size, vm)?;
                        found
                            .backwards
                            .extend(backwards.map(|(low, length, step)| (axis, low, length, step)));
                        *part = read;
                    }
                }
                Index::Tensor(tensor) if tensor.dtype() == DType::Bool => {
                    for (more, &wanted) in tensor.shape().iter().enumerate() {
                        let size = shape[axis + more];
                        if size != wanted {
                            return Err(vm.new_index_error(format!(
                                "boolean index did not match indexed array along dimension {}; dimension is {size} but \
                                 corresponding boolean dimension is {wanted}",
                                axis + more
                            )));
                        }
                    }
                    found.axes.extend(axis..axis + takes);
                }
                Index::Tensor(_) => found.axes.push(axis),
                Index::Ellipsis => axis += ndim - used,
                Index::NewAxis | Index::Bool(_) => {}
            }
            axis += takes;
        }
        found.parts = Rc::new(parts);
        Ok(found)
    }

    /// What is read backwards, forwards.
    fn forwards(&self, layout: &Layout) -> Layout {
        let slice = |layout: Layout, &(axis, low, length, step): &_| layout.slice(axis, low, length, step);
        self.backwards.iter().fold(layout.clone(), slice)
    }

    /// NumPy's words for an error of indexing.
    fn translated(&self, error: Error, array: &Tensor, vm: &VirtualMachine) -> PyBaseExceptionRef {
        match error.fact {
            Some(ErrorFact::Index { index, dim, .. }) => {
                let axis = self.axes.get(dim).copied().unwrap_or(dim);
                out_of_bounds(index, axis, array.shape().get(axis).copied().unwrap_or(0), vm)
            }
            _ if error.message.starts_with("shape mismatch: indexing") => {
                let shapes: String = self
                    .parts
                    .iter()
                    .filter_map(|part| match part {
                        Index::Tensor(tensor) => Some(tight(tensor.shape()) + " "),
                        _ => None,
                    })
                    .collect();
                vm.new_index_error(format!(
                    "shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}"
                ))
            }
            _ => crate::torch::raise(error, vm),
        }
    }
}

fn out_of_bounds(at: i64, axis: usize, size: usize, vm: &VirtualMachine) -> PyBaseExceptionRef {
    vm.new_index_error(format!("index {at} is out of bounds for axis {axis} with size {size}"))
}

/// The place of the one element at whole numbers, in an array of this layout: for loops in Python.
pub(super) fn element(layout: &Layout, key: &PyObject, vm: &VirtualMachine) -> PyResult<Option<usize>> {
    let place = |objects: &[PyObjectRef]| -> PyResult<Option<usize>> {
        let mut offset = layout.offset;
        for (axis, object) in objects.iter().enumerate() {
            let Some(at) = whole(object, vm) else { return Ok(None) };
            let size = layout.shape[axis] as i64;
            if at < -size || at >= size {
                return Err(out_of_bounds(at, axis, size as usize, vm));
            }
            offset += (if at < 0 { at + size } else { at }) as usize * layout.strides[axis];
        }
        Ok(Some(offset))
    };
    match key.downcast_ref::<PyTuple>().map(|tuple| tuple.as_slice()) {
        Some(all) if all.len() == layout.ndim() => place(all),
        None if layout.ndim() == 1 => place(&[key.to_owned()]),
        _ => Ok(None),
    }
}

/// `array[key]`
pub(super) fn get(array: &Py<PyArray>, key: &PyObject, vm: &VirtualMachine) -> PyResult {
    let (numpy, tensor) = (&array.numpy, array.tensor());
    if let Some(offset) = element(tensor.layout(), key, vm)? {
        let layout = Layout { shape: smallvec![], strides: smallvec![], offset };
        return scalar::of_tensor(numpy, &tensor.with_layout(layout), vm);
    }
    if key.downcast_ref::<PyStr>().is_some() {
        return Err(vm.new_index_error(KINDS));
    }
    let key = Key::read(numpy, tensor.shape(), key, vm)?;
    let mut source = tensor.clone();
    let mut mirrored = None;
    if !key.backwards.is_empty() {
        let axes: Vec<usize> = key.backwards.iter().map(|it| it.0).collect();
        let dims = axes.iter().map(|&axis| axis as i64).collect();
        let forwards = source.with_layout(key.forwards(source.layout())).with_history_of(&source);
        source = numpy.call("flip", vec![Arg::Tensor(forwards.clone()), Arg::Ints(dims)], vm)?;
        mirrored = Some((forwards, axes));
    }
    let args = vec![Arg::Tensor(source.clone()), Arg::Index(key.parts.clone())];
    let place = || site(vm);
    let caller = Caller { state: &numpy.state, site: &place };
    let result = match call(caller, row("getitem"), 0, args) {
        Ok(Value::Tensor(result)) => result,
        Ok(_) => return Err(vm.new_index_error("an index returns one array")),
        Err(error) => return Err(key.translated(error, &tensor, vm)),
    };
    if result.ndim() == 0 && !key.parts.iter().any(|part| matches!(part, Index::Ellipsis)) {
        return scalar::of_tensor(numpy, &result, vm);
    }
    let mirrored = mirrored.filter(|_| result.storage().same(source.storage()));
    let owner =
        (mirrored.is_some() || result.storage().same(tensor.storage())).then(|| array.to_owned().into());
    let made = numpy.viewed(result, owner, vm);
    if let Some((forwards, axes)) = mirrored {
        numpy.mirrors.borrow_mut().add(&forwards, &source, axes);
    }
    Ok(made)
}

/// What is assigned to places in a tensor: the elements, and the number that they are, if they are one.
fn assigned(
    array: &PyArray,
    target: &Tensor,
    value: &PyObject,
    vm: &VirtualMachine,
) -> PyResult<(Tensor, Option<Arg>)> {
    let source = operand(&array.numpy, value, vm)?;
    if let (Some(Arg::Float(value)), Category::Integer) = (&source.number, target.dtype().category())
        && value.is_nan()
    {
        return Err(vm.new_value_error("cannot convert float NaN to integer"));
    }
    let number = source.number.map(|number| scalar::converted(&number, target.dtype()));
    Ok((to_dtype(&source.tensor, target.dtype()), number))
}

/// `array[key] = value`
pub(super) fn set(array: &PyArray, key: &PyObject, value: &PyObject, vm: &VirtualMachine) -> PyResult<()> {
    let target = array.tensor();
    let (values, number) = assigned(array, &target, value, vm)?;
    let key = Key::read(&array.numpy, target.shape(), key, vm)?;
    // What the trace shows is what is assigned, before it is repeated.
    let source = number.unwrap_or_else(|| Arg::Tensor(values.clone()));
    if !key.backwards.is_empty() {
        let text = "assignment to a slice with a negative step is not part of attn's numpy: reverse what is assigned";
        return Err(vm.new_not_implemented_error(text));
    }
    // The places, where no arrays are among the indices.
    let has_arrays = key.parts.iter().any(|part| matches!(part, Index::Tensor(_) | Index::Bool(_)));
    let view = if has_arrays { None } else { index::view(&target, &key.parts) };
    let values = match &view {
        Some(view) => {
            let values = index::without_leading_ones(&values, view.ndim());
            values.with_layout(stretched(&values, view.shape(), vm)?)
        }
        None => values,
    };
    let what = Overwrite { form: 0, operation: &SETITEM, grad_name: None, drawn: None };
    // A source that shares memory is read before it is written.
    let values =
        if values.storage().same(target.storage()) { crate::tensor::ops::copy(&values) } else { values };
    let args = vec![Arg::Tensor(target.clone()), source, Arg::Index(key.parts.clone())];
    let place = || site(vm);
    let caller = Caller { state: &array.numpy.state, site: &place };
    let done =
        overwrite(caller, what, &target, args, |target| index::put(target, &key.parts, &values, false));
    if let Err(error) = done {
        if error.message.starts_with("shape mismatch: value tensor") {
            let shape = index::get(&target, &key.parts).map(|it| it.0.shape().to_vec()).or_raise(vm)?;
            return Err(vm.new_value_error(format!(
                "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
                tight(values.shape()),
                tight(&shape)
            )));
        }
        return Err(key.translated(error, &target, vm));
    }
    if let (Some(view), Some(record)) = (view, target.origin()) {
        target.storage().narrow_last(&record, view.layout().clone());
    }
    array.numpy.update_mirrors();
    Ok(())
}
