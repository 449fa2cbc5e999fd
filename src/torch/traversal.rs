//! The way back from results to leaves: which records are visited in which order, and how their gradients add up.
//!
//! A record's turn comes when all records that used its results have had theirs; of those that are ready, the last one to
//! become ready goes first. So each sum of gradients has its terms in one order.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

use rustpython_vm::PyResult;

use super::raise::{OrRaise, raise};
use super::site::site;
use super::traversal_host::{Arrivals, Host, Place};
use crate::kernel::stop;
use crate::ops::backward::{BackwardStep, GradientRule, Gradients, added, indexing};
use crate::ops::schema::{self, Param};
use crate::ops::state::{Caller, State};
use crate::ops::table;
use crate::tensor::descriptor::{COPY_SLICES, SETITEM};
use crate::tensor::{Arg, Error, ErrorFact, Record, Result, Tensor};

/// The address of a record, which identifies it while it lives.
fn address(record: &Rc<Record>) -> usize {
    Rc::as_ptr(record).addr()
}

/// A record on the way, with the gradients of its results so far.
struct Node {
    record: Rc<Record>,
    /// The record's address.
    place: usize,
    /// For each tensor among the arguments the record that made it and the number of the result.
    edges: Vec<Option<Place>>,
    grads: Vec<Option<Tensor>>,
    /// How many uses of its results have not had their turn.
    waiting: usize,
}

struct Traversal<'a> {
    state: &'a State,
    host: Host<'a>,
    nodes: Vec<Node>,
    /// The positions of records among the nodes.
    at: HashMap<usize, usize>,
    /// The results whose gradients are to be passed on.
    kept: HashMap<Place, Tensor>,
    /// Leaves and their gradients in the order in which the first of each came.
    leaves: Vec<(Tensor, Option<Tensor>)>,
    leaf_at: HashMap<usize, usize>,
}

/// Goes back from tensors with the gradients given. [`Host::arrived`] gets the gradient of each leaf, and of results that
/// retain theirs or are `wanted`.
/// Errors: a tensor that a rule reads was written to; the graph was used before; an operation has no rule; those of hooks.
pub(super) fn run(host: Host, from: Vec<(Tensor, Tensor)>, wanted: &[Tensor]) -> PyResult<Arrivals> {
    let state: &State = host.state;
    let _restored = Restored::begin(state, host.create);
    let mut traversal = Traversal {
        state,
        host,
        nodes: Vec::new(),
        at: HashMap::new(),
        kept: HashMap::new(),
        leaves: Vec::new(),
        leaf_at: HashMap::new(),
    };
    for tensor in wanted {
        if let Some((record, output)) = made(tensor) {
            traversal.kept.insert((address(&record), output), tensor.clone());
        }
    }
    let mut ready = traversal.explore(from.iter().filter_map(|(tensor, _)| made(tensor)).collect());
    for (tensor, seed) in from {
        traversal.seed(&tensor, seed)?;
    }
    while let Some(at) = ready.pop() {
        stop::from_native(|| traversal.host.vm.check_signals())?;
        traversal.visit(at, &mut ready)?;
    }
    for (tensor, grad) in std::mem::take(&mut traversal.leaves) {
        let Some(grad) = grad else { continue };
        let grad = match traversal.host.has_hooks() {
            true => traversal.host.hooked(traversal.host.vm.ctx.new_int(tensor.id()).into(), grad)?,
            false => grad,
        };
        traversal.host.arrived(&tensor, grad)?;
    }
    Ok(traversal.host.arrivals)
}

/// Sets what holds during a traversal, and restores what held before it, however it ends.
struct Restored<'a> {
    state: &'a State,
    grad_mode: bool,
    in_backward: bool,
}

impl<'a> Restored<'a> {
    fn begin(state: &'a State, create: bool) -> Restored<'a> {
        let grad_mode = state.grad_mode.replace(create);
        let in_backward = state.in_backward.replace(true);
        Restored { state, grad_mode, in_backward }
    }
}

impl Drop for Restored<'_> {
    fn drop(&mut self) {
        self.state.grad_mode.set(self.grad_mode);
        self.state.in_backward.set(self.in_backward);
    }
}

/// The record that made a tensor and the number of the result; `None` for leaves.
fn made(tensor: &Tensor) -> Option<(Rc<Record>, usize)> {
    let record = tensor.origin().filter(|_| !tensor.is_leaf())?;
    Some((record, tensor.output_index()))
}

impl Traversal<'_> {
    /// Finds all records that lead to these, and returns those that wait for no other.
    fn explore(&mut self, roots: Vec<(Rc<Record>, usize)>) -> Vec<usize> {
        let mut waiting: HashMap<usize, usize> = HashMap::new();
        let mut todo: Vec<Rc<Record>> = roots.into_iter().map(|(record, _)| record).collect();
        while let Some(record) = todo.pop() {
            let place = address(&record);
            if self.at.contains_key(&place) {
                continue;
            }
            self.at.insert(place, self.nodes.len());
            let mut edges = Vec::new();
            for edge in record.edges() {
                edges.push(edge.map(|(record, output)| {
                    let from = address(&record);
                    *waiting.entry(from).or_default() += 1;
                    if !self.at.contains_key(&from) {
                        todo.push(record);
                    }
                    (from, output)
                }));
            }
            let grads = vec![None; record.outputs];
            self.nodes.push(Node { record, place, edges, grads, waiting: 0 });
        }
        for node in &mut self.nodes {
            node.waiting = waiting.get(&node.place).copied().unwrap_or(0);
        }
        (0..self.nodes.len()).filter(|&at| self.nodes[at].waiting == 0).collect()
    }

    /// Starts at a tensor.
    fn seed(&mut self, tensor: &Tensor, seed: Tensor) -> PyResult<()> {
        let Some((record, output)) = made(tensor) else { return self.reach_leaf(tensor, seed) };
        let place = address(&record);
        self.add(self.at[&place], output, seed)?;
        if tensor.retains_grad() {
            self.kept.entry((place, output)).or_insert_with(|| tensor.clone());
        }
        Ok(())
    }

    /// Adds to the gradient of a result.
    fn add(&mut self, at: usize, output: usize, grad: Tensor) -> PyResult<()> {
        let old = self.nodes[at].grads[output].take();
        self.nodes[at].grads[output] = Some(self.sum(old, grad)?);
        Ok(())
    }

    fn sum(&self, old: Option<Tensor>, new: Tensor) -> PyResult<Tensor> {
        let Some(old) = old else { return Ok(new) };
        let sum = if self.state.records_backward() { self.host.sum(old, new) } else { added(old, new) };
        sum.or_raise(self.host.vm)
    }

    /// Adds to the gradient of a leaf.
    fn reach_leaf(&mut self, leaf: &Tensor, grad: Tensor) -> PyResult<()> {
        if !leaf.receives_grad() {
            return Ok(());
        }
        let leaf = &leaf.current();
        let next = self.leaves.len();
        let at = *self.leaf_at.entry(leaf.id()).or_insert(next);
        if at == next {
            self.leaves.push((leaf.clone(), None));
        }
        let old = self.leaves[at].1.take();
        self.leaves[at].1 = Some(self.sum(old, grad)?);
        Ok(())
    }

    /// The turn of one record: its rule, and the gradients of its operands on their way.
    fn visit(&mut self, at: usize, ready: &mut Vec<usize>) -> PyResult<()> {
        let place = self.nodes[at].place;
        let mut grads = std::mem::take(&mut self.nodes[at].grads);
        for (output, grad) in grads.iter_mut().enumerate() {
            if let Some(known) = grad.take_if(|_| self.host.has_hooks()) {
                *grad = Some(self.host.hooked_result((place, output), known)?);
            }
            if let (Some(tensor), Some(grad)) = (self.kept.get(&(place, output)), &*grad) {
                self.host.arrived(tensor, grad.clone())?;
            }
        }
        let record = self.nodes[at].record.clone();
        let edges = std::mem::take(&mut self.nodes[at].edges);
        // Operands are kept until their gradients are on their way; the record may forget them before.
        let args = record.args();
        let mut of_operands = match grads.iter().any(Option::is_some) {
            true => self.gradients(&record, &args, &edges, grads)?,
            false => Vec::new(),
        };
        for (ordinal, tensor) in args.iter().flat_map(Arg::tensors).enumerate() {
            let grad = of_operands.get_mut(ordinal).and_then(Option::take);
            match edges.get(ordinal).copied().flatten() {
                Some((from, output)) => {
                    let parent = self.at[&from];
                    if let Some(grad) = grad {
                        self.add(parent, output, grad)?;
                        if tensor.retains_grad() {
                            self.kept.entry((from, output)).or_insert_with(|| tensor.clone());
                        }
                    }
                    self.nodes[parent].waiting -= 1;
                    if self.nodes[parent].waiting == 0 {
                        ready.push(parent);
                    }
                }
                None => {
                    if let Some(grad) = grad {
                        self.reach_leaf(tensor, grad)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The gradients of a record's operands in order, in their shapes and dtypes; `None` where none is needed.
    fn gradients(
        &mut self,
        record: &Rc<Record>,
        args: &[Arg],
        edges: &[Option<Place>],
        grads: Vec<Option<Tensor>>,
    ) -> PyResult<Vec<Option<Tensor>>> {
        if record.is_spent() {
            return Err(raise(used_before(), self.host.vm));
        }
        record.check_saved().or_raise(self.host.vm)?;
        let keep = self.host.keep || self.host.create;
        let is_recorded = self.state.records_backward();
        let in_python = |rule| is_recorded && matches!(rule, GradientRule::OnePass(_));
        let (rule, params) = rule_of(record).filter(|(rule, _)| !in_python(*rule)).unzip();
        let (vm, flows) = (self.host.vm, flows(args, edges));
        let site = || site(vm);
        let caller = is_recorded.then_some(Caller { state: self.state, site: &site });
        let step = BackwardStep::new(record, params.unwrap_or_default(), args, &flows, caller);
        let (found, read) = match rule {
            Some(rule) => by_rule(rule, &step, grads).or_raise(vm)?,
            None => {
                let (found, read) = self.host.rule(record, grads, keep)?;
                (step.as_operands(found).or_raise(vm)?, read)
            }
        };
        if self.state.nan_is_error.get()
            && let Some(operand) = found.iter().position(|grad| grad.as_ref().is_some_and(has_nan))
        {
            let name = self.host.found_nan(record)?;
            let message = format!("Function '{name}' returned nan values in its {operand}th output.");
            return Err(raise(Error::runtime(message), self.host.vm));
        }
        if read && !keep {
            self.state.recorder.spend(record);
        }
        Ok(found)
    }
}

/// The rule of a record's operation and the parameters of the form that ran.
fn rule_of(record: &Record) -> Option<(GradientRule, &'static [Param])> {
    if let Some(op) = table::row_of(record.operation) {
        return Some((op.rule?, op.params().get(record.form).map_or(&[][..], Vec::as_slice)));
    }
    // What Python's syntax calls has no row.
    static ASSIGNMENT: OnceLock<Vec<Param>> = OnceLock::new();
    static THROUGH_VIEW: OnceLock<Vec<Param>> = OnceLock::new();
    if *record.operation == SETITEM {
        let params = ASSIGNMENT.get_or_init(|| schema::parse("Tensor input, Operand value, index index"));
        return Some((GradientRule::One(indexing::setitem), params));
    }
    if *record.operation == COPY_SLICES {
        let params = THROUGH_VIEW.get_or_init(|| schema::parse("Tensor input, Tensor view"));
        return Some((GradientRule::One(indexing::copy_slices), params));
    }
    None
}

/// For each tensor among a record's arguments whether it needs a gradient.
fn flows(args: &[Arg], edges: &[Option<Place>]) -> Vec<bool> {
    let needs = |(at, tensor): (usize, &Tensor)| {
        edges.get(at).is_some_and(Option::is_some) || (tensor.requires_grad() && tensor.is_leaf())
    };
    args.iter().flat_map(Arg::tensors).enumerate().map(needs).collect()
}

/// The gradients of a record's operands by a rule of the table, and whether the rule read operands.
fn by_rule(
    rule: GradientRule,
    step: &BackwardStep,
    mut grads: Vec<Option<Tensor>>,
) -> Result<(Vec<Option<Tensor>>, bool)> {
    let mut found = match rule {
        GradientRule::One(rule) | GradientRule::OnePass(rule) => match grads.pop().flatten() {
            Some(grad) => rule(step, grad)?,
            None => Gradients::none(),
        },
        GradientRule::Several(rule) => rule(step, grads)?,
    };
    Ok((step.fitted(&mut found)?, step.has_read()))
}

fn has_nan(grad: &Tensor) -> bool {
    grad.dtype().is_float() && grad.to_f64_vec().iter().any(|value| value.is_nan())
}

/// The error of a second pass through a graph that was not retained.
fn used_before() -> Error {
    Error::runtime(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already \
         been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). \
         Specify retain_graph=True if you need to backward through the graph a second time or if you need to access \
         saved tensors after calling backward.",
    )
    .about(ErrorFact::BackwardTwice)
}
