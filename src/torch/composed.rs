//! Calls of operations that are functions of other operations, in `py/torch/_composed.py`.

use std::rc::Rc;

use rustpython_vm::function::FuncArgs;
use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

use super::history::value;
use super::numbers::items;
use super::py_tensor::tensor_of;
use super::raise::OrRaise;
use crate::ops::autocast::Autocast;
use crate::ops::call::converted;
use crate::ops::state::{Caller, State};
use crate::ops::table::Op;
use crate::tensor::{Arg, Tensor};

/// Calls the function with the arguments by name, without those that it does not read.
pub(crate) fn composed(
    caller: Caller,
    state: &Rc<State>,
    op: &'static Op,
    form: usize,
    args: Vec<Arg>,
    vm: &VirtualMachine,
) -> PyResult {
    let policy = (op.autocast)(&args);
    let converts = state.autocast.enabled.get() && policy != Autocast::Unchanged;
    let args = if converts { converted(caller, policy, args).or_raise(vm)? } else { args };
    op.check_dtype(&args).or_raise(vm)?;
    let mut words = FuncArgs::default();
    for (param, arg) in op.params()[form].iter().zip(&args).filter(|(param, _)| !param.kind.is_unlisted()) {
        words.kwargs.insert(param.name.to_owned(), value(arg, state, vm));
    }
    let module = vm.import("torch._composed", 0)?.get_attr("_composed", vm)?;
    let function = module.get_attr(op.name, vm)?;
    // The operations inside compute in the dtype that the policy gave.
    let enabled = state.autocast.enabled.replace(state.autocast.enabled.get() && !converts);
    let result = function.call(words, vm);
    state.autocast.enabled.set(enabled);
    let result = result?;
    describe(op, form, &args, &result);
    Ok(result)
}

/// Names the nodes of the results as PyTorch names them, and saves for backward what PyTorch saves.
fn describe(op: &'static Op, form: usize, args: &[Arg], result: &PyObjectRef) {
    for object in items(result).unwrap_or_else(|| vec![result.clone()]) {
        let Some(tensor) = tensor_of(&object) else { continue };
        if args.iter().flat_map(Arg::tensors).any(|given| given.is(&tensor)) {
            continue;
        }
        let Some(record) = tensor.origin() else { continue };
        if op.is_composed()
            && let Some(name) = op.gradient_of(form)
        {
            record.grad_name.set(Some(name));
        }
        let named = op.params()[form].iter().zip(args);
        let saved: Vec<&Tensor> = named
            .filter(|(param, _)| (op.saves_operand)(param.name))
            .flat_map(|(_, arg)| arg.tensors())
            .collect();
        if !saved.is_empty() {
            record.save_operands(saved.into_iter());
        }
    }
}
