//! What a rule sees of an operation that ran, and the gradients that it returns.

use std::cell::Cell;
use std::rc::Rc;

use crate::ops::schema::Param;
use crate::ops::state::Caller;
use crate::tensor::ops::float::Float;
use crate::tensor::{Arg, Error, Index, Layout, Record, Result, Tensor};

/// The rule of an operation: the gradients of its operands from those of its results.
///
/// A gradient may have the shape that the operand was broadcast to, and another float dtype: the traversal sums and
/// converts it. It may share memory with the gradient that the rule got. What is returned for an operand that needs no
/// gradient is ignored.
#[derive(Clone, Copy)]
pub(crate) enum GradientRule {
    /// An operation with one result.
    One(fn(&BackwardStep, Tensor) -> Result<Gradients>),
    /// An operation with any number of results; `None` for results that no gradient reached.
    Several(fn(&BackwardStep, Vec<Option<Tensor>>) -> Result<Gradients>),
    /// An operation with one result, by a kernel that computes all in one pass: it cannot be recorded.
    OnePass(fn(&BackwardStep, Tensor) -> Result<Gradients>),
}

/// One operation that ran. Arguments are read by the names of the parameters.
pub(crate) struct BackwardStep<'a> {
    pub(super) record: &'a Rc<Record>,
    params: &'a [Param],
    pub(super) args: &'a [Arg],
    flows: &'a [bool],
    read: Cell<bool>,
    /// Who calls the rule's operations, where they are recorded.
    pub(super) caller: Option<Caller<'a>>,
}

impl<'a> BackwardStep<'a> {
    /// The step of a record: the parameters of its form, its arguments, and for each tensor among the arguments whether it
    /// needs a gradient. With a caller, the rule's operations are recorded.
    pub(crate) fn new(
        record: &'a Rc<Record>,
        params: &'a [Param],
        args: &'a [Arg],
        flows: &'a [bool],
        caller: Option<Caller<'a>>,
    ) -> BackwardStep<'a> {
        BackwardStep { record, params, args, flows, read: Cell::new(false), caller }
    }

    /// The gradients of the tensors among the arguments in order, in their shapes and dtypes; `None` where none is needed.
    pub(crate) fn fitted(&self, found: &mut Gradients) -> Result<Vec<Option<Tensor>>> {
        let mut of_operands = Vec::with_capacity(self.flows.len());
        for (arg, param) in self.args.iter().zip(self.params) {
            for at in 0..arg.tensors().len() {
                let grad = found.take(param.name, at).filter(|_| self.flows[of_operands.len()]);
                of_operands.push(grad);
            }
        }
        self.as_operands(of_operands)
    }

    /// The saved result as the operation returned it, in the dtype of its gradient: `None` if it is not at hand, or is
    /// rounded. The rule then computes it again, with the same bits.
    pub(crate) fn result(&self, grad: &Tensor) -> Option<Tensor> {
        let result = match self.caller {
            Some(_) => self.record.saved_result_with_history(),
            None => self
                .record
                .saved_result()
                .filter(|result| result.dtype() == grad.dtype() && !result.dtype().is_narrow()),
        };
        result.inspect(|_| self.read.set(true))
    }

    /// Whether the values of operands were read. Then a second pass needs them again.
    pub(crate) fn has_read(&self) -> bool {
        self.read.get()
    }

    /// The position of a parameter; none if the form has no such parameter.
    fn position(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.name == name).filter(|&at| at < self.args.len())
    }

    /// The tensors before argument `at`, those in lists one by one.
    fn ordinal(&self, at: usize) -> usize {
        self.args[..at].iter().map(|arg| arg.tensors().len()).sum()
    }

    /// An argument without reading its elements: `Arg::None` if the form has no such parameter.
    pub(crate) fn arg(&self, name: &str) -> &'a Arg {
        self.position(name).map_or(&Arg::None, |at| &self.args[at])
    }

    /// Argument `at` without reading its elements.
    pub(crate) fn argument(&self, at: usize) -> &'a Arg {
        self.args.get(at).unwrap_or(&Arg::None)
    }

    /// An argument as the operation read it: a tensor, a list of tensors or a number.
    /// Errors: a tensor was written to since.
    pub(crate) fn operand(&self, name: &str) -> Result<&'a Arg> {
        self.position(name).map_or(Ok(&Arg::None), |at| self.read_at(at))
    }

    /// The index expression among the arguments, as the operation read it. Errors: a tensor in it was written to since.
    pub(crate) fn index(&self) -> Result<&'a [Index]> {
        let found = self.args.iter().find_map(|arg| match arg {
            Arg::Index(parts) => Some(&parts[..]),
            _ => None,
        });
        self.record.check_index(self.args)?;
        Ok(found.unwrap_or_default())
    }

    /// Checks tensor `at` of a list. Errors: it was written to since.
    pub(crate) fn check_item(&self, name: &str, at: usize) -> Result<()> {
        self.read.set(true);
        let Some(place) = self.position(name) else { return Ok(()) };
        self.record.check_operand(self.ordinal(place) + at, &self.args[place].tensors()[at])
    }

    /// Notes that a second pass needs what a first pass frees, as PyTorch does where it saves a number as a tensor.
    pub(crate) fn needs_saved(&self) {
        self.read.set(true);
    }

    fn read_at(&self, at: usize) -> Result<&'a Arg> {
        let tensors = self.args[at].tensors();
        if !tensors.is_empty() {
            self.read.set(true);
            let first = self.ordinal(at);
            for (at, tensor) in tensors.iter().enumerate() {
                self.record.check_operand(first + at, tensor)?;
            }
        }
        Ok(&self.args[at])
    }

    /// A tensor as the operation read it. Errors: it was written to since; the argument is no tensor.
    pub(crate) fn tensor(&self, name: &str) -> Result<&'a Tensor> {
        self.opt_tensor(name)?.ok_or_else(|| Error::type_error(format!("the argument '{name}' is no tensor")))
    }

    /// A tensor as the operation read it, or `None` if the argument is none. Errors: it was written to since.
    pub(crate) fn opt_tensor(&self, name: &str) -> Result<Option<&'a Tensor>> {
        Ok(self.operand(name)?.tensor())
    }

    /// What the operation kept beside its arguments, such as the noise of dropout. Errors: it was written to since.
    pub(crate) fn kept(&self, number: usize) -> Result<Option<&'a Tensor>> {
        match self.params.len() + number {
            at if at < self.args.len() => Ok(self.read_at(at)?.tensor()),
            _ => Ok(None),
        }
    }

    /// The two numbers for each row that the operation kept. Errors: they were written to since.
    pub(crate) fn kept_rows<T: Float>(&self) -> Result<Option<Vec<[T; 2]>>> {
        Ok(self.kept(0)?.map(|rows| T::of(rows).as_chunks().0.to_vec()))
    }

    /// The shape of an operand; `[]` for a number.
    pub(crate) fn shape(&self, name: &str) -> &'a [usize] {
        self.arg(name).tensor().map_or(&[], Tensor::shape)
    }

    /// The layout of an operand, if it is a tensor.
    pub(crate) fn layout(&self, name: &str) -> Option<&'a Layout> {
        self.arg(name).tensor().map(Tensor::layout)
    }

    /// Whether an argument, or a tensor of a list, needs a gradient.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.wanted_of(name).contains(&true)
    }

    /// For each tensor of a list whether it needs a gradient.
    pub(crate) fn wanted_of(&self, name: &str) -> &'a [bool] {
        let Some(at) = self.position(name) else { return &[] };
        let first = self.ordinal(at);
        self.flows.get(first..first + self.args[at].tensors().len()).unwrap_or_default()
    }

    /// Whether an argument was given and is not `None`.
    pub(crate) fn has(&self, name: &str) -> bool {
        !matches!(self.arg(name), Arg::None)
    }

    /// An `int` that may be `None`.
    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        self.arg(name).int()
    }

    /// A number that may be `None`.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.arg(name).number()
    }

    /// A `bool`; `None` is false.
    pub(crate) fn bool(&self, name: &str) -> bool {
        matches!(self.arg(name), Arg::Bool(true))
    }

    /// Sizes or dims that may be `None`; one int is a list of one.
    pub(crate) fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.arg(name).ints()
    }

    /// The ints among the arguments in order, under whichever names: the dims of `transpose`, `swapaxes` and `swapdims`.
    pub(crate) fn all_ints(&self) -> Vec<i64> {
        self.args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Int(value) => Some(*value),
                _ => None,
            })
            .collect()
    }

    /// The name of the first parameter that has a list of tensors.
    pub(crate) fn list(&self) -> Option<&'static str> {
        let lists = self.params.iter().zip(self.args).filter(|(_, arg)| matches!(arg, Arg::Tensors(_)));
        lists.map(|(param, _)| param.name).next()
    }

    /// The name of parameter `at`.
    pub(crate) fn name(&self, at: usize) -> &'static str {
        self.params.get(at).map_or("", |param| param.name)
    }
}

/// The gradients of operands, by the names of the parameters: one for each tensor of a list.
#[derive(Default)]
pub(crate) struct Gradients(Vec<(&'static str, Vec<Option<Tensor>>)>);

impl Gradients {
    /// None at all.
    pub(crate) fn none() -> Gradients {
        Gradients::default()
    }

    /// The gradient of one operand.
    pub(crate) fn of(name: &'static str, grad: Tensor) -> Gradients {
        Gradients::none().and(name, grad)
    }

    /// And that of another.
    pub(crate) fn and(mut self, name: &'static str, grad: Tensor) -> Gradients {
        self.0.push((name, vec![Some(grad)]));
        self
    }

    /// And that of another, which is computed only if it is needed.
    pub(crate) fn if_wanted(
        self,
        step: &BackwardStep,
        name: &'static str,
        grad: impl FnOnce() -> Result<Tensor>,
    ) -> Result<Gradients> {
        if step.wants(name) { Ok(self.and(name, grad()?)) } else { Ok(self) }
    }

    /// The gradients of a list of operands.
    pub(crate) fn list(name: &'static str, grads: Vec<Option<Tensor>>) -> Gradients {
        Gradients(vec![(name, grads)])
    }

    /// Takes the gradient of operand `at` of a parameter (0 if it takes one tensor).
    pub(super) fn take(&mut self, name: &str, at: usize) -> Option<Tensor> {
        let (_, grads) = self.0.iter_mut().find(|(found, _)| *found == name)?;
        grads.get_mut(at)?.take()
    }
}
