//! Axes as arguments. Errors are NumPy's.

use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::foreign;
use crate::torch::items;

/// An axis, counted from the end where it is negative. Errors: `AxisError`.
pub(super) fn axis(axis: i64, ndim: usize, vm: &VirtualMachine) -> PyResult<usize> {
    let size = ndim as i64;
    if (-size..size).contains(&axis) {
        return Ok((if axis < 0 { axis + size } else { axis }) as usize);
    }
    let numbers = vec![vm.ctx.new_int(axis).into(), vm.ctx.new_int(ndim).into()];
    Err(foreign::error("AxisError", numbers, vm)?)
}

/// One axis or several; all of them where the object is `None`. Errors: `AxisError`; the same axis twice.
pub(super) fn axes(object: &PyObjectRef, ndim: usize, vm: &VirtualMachine) -> PyResult<Vec<usize>> {
    if vm.is_none(object) {
        return Ok((0..ndim).collect());
    }
    let mut axes = Vec::new();
    for item in items(object).unwrap_or_else(|| vec![object.clone()]) {
        let axis = axis(item.try_index(vm)?.try_to_primitive(vm)?, ndim, vm)?;
        if axes.contains(&axis) {
            return Err(vm.new_value_error("duplicate value in 'axis'"));
        }
        axes.push(axis);
    }
    Ok(axes)
}
