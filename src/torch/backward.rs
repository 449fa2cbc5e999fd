//! `_torch._backward` and `_torch._grad`: where a traversal begins, and what is returned of it.

use std::collections::HashMap;
use std::rc::Rc;

use rustpython_vm::builtins::PyDictRef;
use rustpython_vm::{FromArgs, PyObjectRef, PyPayload, PyResult, TryFromObject, VirtualMachine};

use super::numbers::items;
use super::py_tensor::PyTensor;
use super::raise::raise;
use super::site::site;
use super::traversal;
use super::traversal_host::{Arrivals, Host};
use crate::ops::state::State;
use crate::ops::table;
use crate::tensor::{Arg, CompletedOperation, Error, ErrorFact, Layout, Tensor};

/// Tensors of a Python list or tuple.
fn tensors(list: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<Tensor>> {
    let items = items(list).unwrap_or_default();
    items.into_iter().map(|item| Tensor::try_from_object(vm, item)).collect()
}

/// The arguments of both functions.
#[derive(FromArgs)]
pub(crate) struct Request {
    /// The tensors that gradients start from.
    #[pyarg(positional)]
    results: PyObjectRef,
    /// Their gradients; `None` for 1, if they have one element.
    #[pyarg(positional)]
    seeds: PyObjectRef,
    /// The tensors that are asked about.
    #[pyarg(positional)]
    wanted: PyObjectRef,
    /// `retain_graph`
    #[pyarg(positional)]
    keep: bool,
    /// `create_graph`
    #[pyarg(positional)]
    create: bool,
}

/// What to go back with from each result: the gradient given, or 1.
/// Errors: a gradient of another shape; none for a result of several elements; a result that needs no gradient.
fn seeds(
    results: &[Tensor],
    given: &PyObjectRef,
    is_recorded: bool,
    state: &State,
    vm: &VirtualMachine,
) -> PyResult<Vec<Tensor>> {
    let no_grad = |at: usize| {
        let message = format!("element {at} of tensors does not require grad and does not have a grad_fn");
        Err(raise(Error::runtime(message).about(ErrorFact::NoGradient), vm))
    };
    let mut seeds = Vec::new();
    for (at, (tensor, seed)) in results.iter().zip(items(given).unwrap_or_default()).enumerate() {
        if !vm.is_none(&seed) {
            let seed = Tensor::try_from_object(vm, seed)?;
            if seed.shape() != tensor.shape() {
                return Err(vm.new_runtime_error(format!(
                    "Mismatch in shape: grad_output[{at}] has a shape of torch.Size({:?}) and output[{at}] has a shape of \
                     torch.Size({:?}).",
                    seed.shape(),
                    tensor.shape()
                )));
            }
            seeds.push(seed);
            continue;
        }
        if !tensor.requires_grad() {
            return no_grad(at);
        }
        if tensor.numel() != 1 {
            let error = Error::runtime("grad can be implicitly created only for scalar outputs");
            return Err(raise(error.about(ErrorFact::SeveralOutputs), vm));
        }
        let one = Tensor::scalar(1.0, tensor.dtype());
        let one = one.with_layout(Layout::contiguous(tensor.shape()));
        if is_recorded {
            let args = vec![Arg::Tensor(tensor.clone())];
            let row = table::row("ones_like");
            let ran = CompletedOperation::new(&row.descriptor, args, one.shape(), site(vm));
            one.set_made(state.recorder.record(CompletedOperation { in_backward: true, ..ran }), 0);
        }
        seeds.push(one);
    }
    match results.iter().position(|tensor| !tensor.requires_grad()) {
        Some(at) => no_grad(at),
        None => Ok(seeds),
    }
}

fn run(
    state: &Rc<State>,
    request: &Request,
    wanted: &[Tensor],
    arrivals: Arrivals,
    vm: &VirtualMachine,
) -> PyResult<Arrivals> {
    let results = tensors(&request.results, vm)?;
    let is_recorded = request.create || state.backward_recorded.get();
    let seeds = seeds(&results, &request.seeds, is_recorded, state, vm)?;
    let from = results.into_iter().zip(seeds).collect();
    let rules = vm.import("torch._gradients", 0)?.get_attr("_gradients", vm)?;
    let hooks = PyDictRef::try_from_object(vm, rules.get_attr("_hooks", vm)?)?;
    let host = Host { state, vm, rules, hooks, keep: request.keep, create: request.create, arrivals };
    traversal::run(host, from, wanted)
}

/// Adds gradients to `grad`: of the tensors asked about, or of all leaves if there are none.
pub(crate) fn backward(state: &Rc<State>, request: &Request, vm: &VirtualMachine) -> PyResult<()> {
    let wanted = tensors(&request.wanted, vm)?;
    let only = (!wanted.is_empty()).then(|| wanted.iter().map(Tensor::id).collect());
    run(state, request, &wanted, Arrivals::Grad(only), vm).map(drop)
}

/// The gradients of the tensors asked about; `None` for those that the results do not come from.
pub(crate) fn gradients(state: &Rc<State>, request: &Request, vm: &VirtualMachine) -> PyResult {
    let wanted = tensors(&request.wanted, vm)?;
    let Arrivals::Found(found) = run(state, request, &wanted, Arrivals::Found(HashMap::new()), vm)? else {
        unreachable!("arrivals stay what they are");
    };
    let one = |tensor: &Tensor| match found.get(&tensor.id()) {
        Some(grad) => {
            state.mark_gradient(grad, site(vm));
            PyTensor::new(grad.clone(), state.clone()).into_pyobject(vm)
        }
        None => vm.ctx.none(),
    };
    Ok(vm.ctx.new_list(wanted.iter().map(one).collect()).into())
}
