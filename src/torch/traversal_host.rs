//! What a traversal needs of Python: hooks, rules that are written in Python, and what becomes of gradients.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use rustpython_vm::builtins::PyDictRef;
use rustpython_vm::{PyObjectRef, PyPayload, PyResult, TryFromObject, VirtualMachine};

use super::history::PyRecord;
use super::numbers::items;
use super::py_tensor::{tensor_object, tensor_of};
use super::raise::OrRaise;
use super::site::site;
use crate::ops::backward::compute::recorded;
use crate::ops::backward::{add_in_place, settled};
use crate::ops::call::call_in_place;
use crate::ops::state::{Caller, State};
use crate::ops::table;
use crate::tensor::descriptor::GradName;
use crate::tensor::{Arg, Record, Result, Tensor};

/// What becomes of the gradients.
pub(super) enum Arrivals {
    /// They are added to `grad`: of these tensors, or of all leaves.
    Grad(Option<HashSet<usize>>),
    /// They are returned, by the tensor's identity.
    Found(HashMap<usize, Tensor>),
}

/// One of the results of a record, by the record's address and the number of the result.
pub(super) type Place = (usize, usize);

/// What a traversal needs of Python, and what it was asked for.
pub(super) struct Host<'a> {
    pub(super) state: &'a Rc<State>,
    pub(super) vm: &'a VirtualMachine,
    /// The module `torch._gradients`.
    pub(super) rules: PyObjectRef,
    pub(super) hooks: PyDictRef,
    /// Whether the graph can be used again (`retain_graph`).
    pub(super) keep: bool,
    /// Whether gradients are computed by recorded operations (`create_graph`), so that they have gradients themselves.
    pub(super) create: bool,
    pub(super) arrivals: Arrivals,
}

impl Host<'_> {
    /// The gradient of a leaf, whose key is its identity, or of a result, after its hooks.
    pub(super) fn hooked(&self, key: PyObjectRef, grad: Tensor) -> PyResult<Tensor> {
        self.state.mark_gradient(&grad, site(self.vm));
        // A hook is the learner's own code.
        self.state.in_backward.set(false);
        let changed = self
            .rules
            .get_attr("hooked", self.vm)?
            .call((key, tensor_object(grad, self.state, self.vm)), self.vm);
        self.state.in_backward.set(true);
        Tensor::try_from_object(self.vm, changed?)
    }

    /// `old + new`, recorded.
    pub(super) fn sum(&self, old: Tensor, new: Tensor) -> Result<Tensor> {
        let caller = Caller { state: self.state, site: &|| site(self.vm) };
        recorded(caller, "add", 0, vec![Arg::Tensor(old), Arg::Tensor(new)])
    }

    /// Adds to `grad`.
    fn keep(&self, tensor: &Tensor, grad: Tensor) -> Result<()> {
        let caller = Caller { state: self.state, site: &|| site(self.vm) };
        let grad = match (tensor.grad(), self.create) {
            (None, true) => {
                let copy = recorded(caller, "clone", 0, vec![Arg::Tensor(grad)])?;
                if let Some(record) = copy.origin() {
                    record.grad_name.set(Some(GradName::CopyBackwards));
                }
                copy
            }
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

    /// Tells the learner which record's gradients are NaN, before the error. Returns its name.
    pub(super) fn found_nan(&self, record: &Record) -> PyResult<String> {
        let name = record.grad_name.get().map_or_else(String::new, |name| name.to_string());
        let (cell, line) = record.site.as_ref().map_or(("", 0), |site| (site.cell, site.line));
        self.rules.get_attr("warn_of_nan", self.vm)?.call((name.clone(), cell, line), self.vm)?;
        Ok(name)
    }

    /// Takes the gradient of a leaf, of a result that retains its gradient, or of a tensor that is wanted.
    pub(super) fn arrived(&mut self, tensor: &Tensor, grad: Tensor) -> PyResult<()> {
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

    /// Whether there are hooks of tensors at all.
    pub(super) fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }

    /// The gradient of a result after its hooks.
    pub(super) fn hooked_result(&self, (record, output): Place, grad: Tensor) -> PyResult<Tensor> {
        let key = vec![self.vm.ctx.new_int(record).into(), self.vm.ctx.new_int(output).into()];
        self.hooked(self.vm.ctx.new_tuple(key).into(), grad)
    }

    /// The gradients of the tensors among a record's arguments, in order, by a rule in Python; and whether the rule read the
    /// values of operands. If `keep` is not set, the record is not used again.
    pub(super) fn rule(
        &self,
        record: &Rc<Record>,
        grads: Vec<Option<Tensor>>,
        keep: bool,
    ) -> PyResult<(Vec<Option<Tensor>>, bool)> {
        let vm = self.vm;
        let one =
            |grad: Option<Tensor>| grad.map_or(vm.ctx.none(), |grad| tensor_object(grad, self.state, vm));
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
