//! `_torch._backward` and `_torch._grad`: the traversal of `ops::backward` with Python's hooks and rules.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rustpython_vm::builtins::{PyBaseExceptionRef, PyDictRef};
use rustpython_vm::{FromArgs, PyObjectRef, PyPayload, PyResult, TryFromObject, VirtualMachine};

use super::history::PyRecord;
use super::numbers::items;
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::{OrRaise, raise};
use super::site::site;
use crate::kernel::stop;
use crate::ops::backward::compute::recorded;
use crate::ops::backward::traversal::{self, Place, TraversalHost, TraversalMode};
use crate::ops::backward::{add_in_place, settled};
use crate::ops::call::call_in_place;
use crate::ops::state::{Caller, State};
use crate::ops::table;
use crate::tensor::{Arg, CompletedOperation, Error, ErrorFact, Layout, Record, Result, Site, Tensor};

/// What becomes of the gradients.
enum Arrivals {
    /// They are added to `grad`: of these tensors, or of all leaves.
    Grad(Option<HashSet<usize>>),
    /// They are returned, by the tensor's identity.
    Found(HashMap<usize, Tensor>),
}

/// A traversal asked for from Python.
struct Python<'a> {
    state: &'a Rc<State>,
    vm: &'a VirtualMachine,
    /// The module `torch._gradients`.
    rules: PyObjectRef,
    hooks: PyDictRef,
    mode: TraversalMode,
    arrivals: Arrivals,
}

impl Python<'_> {
    fn object(&self, tensor: Tensor) -> PyObjectRef {
        PyTensor::new(tensor, self.state.clone()).into_pyobject(self.vm)
    }

    fn hooked(&self, key: PyObjectRef, grad: Tensor) -> PyResult<Tensor> {
        self.state.mark_gradient(&grad, site(self.vm));
        // A hook is the learner's own code.
        self.state.in_backward.set(false);
        let changed = self.rules.get_attr("hooked", self.vm)?.call((key, self.object(grad)), self.vm);
        self.state.in_backward.set(true);
        Tensor::try_from_object(self.vm, changed?)
    }

    fn sum(&self, old: Tensor, new: Tensor) -> Result<Tensor> {
        let place = || site(self.vm);
        traversal::recorded_sum(Caller { state: self.state, site: &place }, old, new)
    }

    /// Adds to `grad`.
    fn keep(&self, tensor: &Tensor, grad: Tensor) -> Result<()> {
        let place = || site(self.vm);
        let caller = Caller { state: self.state, site: &place };
        let grad = match (tensor.grad(), self.mode.create) {
            (None, true) => grad,
            (None, false) if self.state.backward_recorded.get() => {
                let detached = recorded(caller, "detach", 0, vec![Arg::Tensor(grad)])?;
                recorded(caller, "clone", 0, vec![Arg::Tensor(detached)])?
            }
            (None, false) => settled(grad),
            (Some(old), true) => self.sum(old, grad)?,
            (Some(old), false) if self.state.backward_recorded.get() => {
                let args = vec![Arg::Tensor(old), Arg::Tensor(grad), Arg::Int(1)];
                return call_in_place(caller, table::row("add"), 0, args).map(drop);
            }
            (Some(old), false) => {
                add_in_place(&old, &grad)?;
                self.state.mark_sum(&old, site(self.vm));
                return Ok(());
            }
        };
        self.state.mark_gradient(&grad, site(self.vm));
        tensor.set_grad(Some(grad));
        Ok(())
    }
}

impl TraversalHost for Python<'_> {
    type Error = PyBaseExceptionRef;

    fn error(&self, error: Error) -> PyBaseExceptionRef {
        raise(error, self.vm)
    }

    fn go_on(&self) -> PyResult<()> {
        stop::from_native(|| self.vm.check_signals())
    }

    fn site(&self) -> Option<Site> {
        site(self.vm)
    }

    fn found_nan(&self, record: &Record) -> PyResult<()> {
        let name = record.grad_name.get().map_or_else(String::new, |name| name.to_string());
        let (cell, line) = record.site.as_ref().map_or(("", 0), |site| (site.cell, site.line));
        self.rules.get_attr("warn_of_nan", self.vm)?.call((name, cell, line), self.vm).map(drop)
    }

    fn arrived(&mut self, tensor: &Tensor, grad: Tensor) -> PyResult<()> {
        match &mut self.arrivals {
            Arrivals::Grad(Some(only)) if !only.contains(&tensor.id()) => Ok(()),
            Arrivals::Grad(_) => self.keep(tensor, grad).or_raise(self.vm),
            Arrivals::Found(found) => {
                let grad = match found.remove(&tensor.id()) {
                    None => grad,
                    Some(old) => self.sum(old, grad).or_raise(self.vm)?,
                };
                if let Arrivals::Found(found) = &mut self.arrivals {
                    found.insert(tensor.id(), grad);
                }
                Ok(())
            }
        }
    }

    fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }

    fn hooked_leaf(&mut self, leaf: &Tensor, grad: Tensor) -> PyResult<Tensor> {
        self.hooked(self.vm.ctx.new_int(leaf.id()).into(), grad)
    }

    fn hooked_result(&mut self, (record, output): Place, grad: Tensor) -> PyResult<Tensor> {
        let key = vec![self.vm.ctx.new_int(record).into(), self.vm.ctx.new_int(output).into()];
        self.hooked(self.vm.ctx.new_tuple(key).into(), grad)
    }

    fn rule(
        &mut self,
        record: &Rc<Record>,
        grads: Vec<Option<Tensor>>,
        keep: bool,
    ) -> PyResult<(Vec<Option<Tensor>>, bool)> {
        let vm = self.vm;
        let one = |grad: Option<Tensor>| grad.map_or(vm.ctx.none(), |grad| self.object(grad));
        let grads = vm.ctx.new_list(grads.into_iter().map(one).collect());
        let record = PyRecord::new(record, self.state).into_pyobject(vm);
        let answer = self.rules.get_attr("by_rule", vm)?.call((record, grads, keep), vm)?;
        let answer = items(&answer).unwrap_or_default();
        let [found, read] = &answer[..] else {
            return Err(vm.new_type_error("a rule returns gradients and whether it read operands"));
        };
        let found = items(found).unwrap_or_default();
        Ok((found.iter().map(|grad| tensor_of(grad)).collect(), read.clone().try_to_bool(vm)?))
    }
}

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
            record_seed(&one, tensor, state, vm);
        }
        seeds.push(one);
    }
    match results.iter().position(|tensor| !tensor.requires_grad()) {
        Some(at) => no_grad(at),
        None => Ok(seeds),
    }
}

/// Records that the gradient of a result is 1.
fn record_seed(one: &Tensor, result: &Tensor, state: &State, vm: &VirtualMachine) {
    let args = vec![Arg::Tensor(result.clone())];
    let ran = CompletedOperation::new(&table::row("ones_like").descriptor, args, one.shape(), site(vm));
    let record = state.recorder.record(CompletedOperation { in_backward: true, ..ran });
    one.set_made(record, 0);
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
    let mode = TraversalMode { keep: request.keep, create: request.create };
    let mut host = Python { state, vm, rules, hooks, mode, arrivals };
    traversal::run(state, &mut host, from, wanted, mode)?;
    Ok(host.arrivals)
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
