//! `_torch._autocast` and what belongs to it: the settings of `torch.autocast`, and its conversion of tensors.

use std::rc::Rc;

use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::classes::PyDType;
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::OrRaise;
use super::site::site;
use crate::ops::autocast::Autocast;
use crate::ops::call::converted;
use crate::ops::state::{Caller, State};
use crate::tensor::Arg;

/// Whether it is on, and its dtype.
pub(super) fn settings(state: &State, vm: &VirtualMachine) -> PyObjectRef {
    let mode = &state.autocast;
    let settings = vec![vm.ctx.new_bool(mode.enabled.get()).into(), PyDType::object(mode.dtype.get(), vm)];
    vm.ctx.new_tuple(settings).into()
}

/// Sets both.
pub(super) fn set_autocast(state: &State, enabled: bool, dtype: &PyObjectRef, vm: &VirtualMachine) {
    let mode = &state.autocast;
    mode.enabled.set(enabled);
    if let Some(dtype) = PyDType::of(dtype, vm) {
        mode.dtype.set(dtype);
    }
}

/// A tensor as an operation of the lower precision gets it while autocast is on. Anything else is returned as it is.
pub(super) fn operand(state: &Rc<State>, object: PyObjectRef, vm: &VirtualMachine) -> PyResult {
    let Some(tensor) = tensor_of(&object).filter(|_| state.autocast.enabled.get()) else { return Ok(object) };
    let caller = Caller { state, site: &|| site(vm) };
    let found =
        converted(caller, Autocast::LowerPrecision, vec![Arg::Tensor(tensor.clone())]).or_raise(vm)?;
    Ok(match found.into_iter().next() {
        Some(Arg::Tensor(found)) if !found.is(&tensor) => {
            PyTensor::new(found, state.clone()).into_pyobject(vm)
        }
        _ => object,
    })
}
