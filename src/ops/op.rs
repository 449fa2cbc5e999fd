//! A row of the table of operations, and a call of it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::OnceLock;

use super::autocast::Autocast;
use super::backward::{BackwardStep, GradientRule, Gradients};
use super::schema::{self, Param};
use super::state::State;
use super::value::Value;
use crate::kernel::random::Generator;
use crate::tensor::descriptor::{InPlace, OpFamily, setters};
use crate::tensor::explanation::Explanation;
use crate::tensor::ops::float::Float;
use crate::tensor::{Arg, DType, Descriptor, Error, GradName, Result, Tensor};

/// Reachable as `torch.name(...)`.
pub const FUNCTION: u8 = 1;
/// Reachable as `tensor.name(...)`.
pub const METHOD: u8 = 2;
/// Has a twin `tensor.name_(...)` that writes into the tensor.
pub const IN_PLACE: u8 = 4;
/// Reachable as `torch.nn.functional.name(...)`.
pub const FUNCTIONAL: u8 = 8;
/// Writes into its first argument, through whatever view that is, and has no form that does not: `tensor.name(...)`
/// with a name that ends in `_`.
pub const IN_PLACE_ONLY: u8 = 16;
/// Has a twin `tensor.name_(...)` that changes the shape of the tensor itself: `unsqueeze_`.
pub(crate) const RELAYOUT: u8 = 32;
/// Reachable as `torch.linalg.name(...)`; the row's own name begins with `linalg_`.
pub(crate) const LINALG: u8 = 64;
/// A function and a method.
pub(crate) const BOTH: u8 = FUNCTION | METHOD;
/// The usual pointwise operation: function, method and in-place twin.
pub(crate) const ALL: u8 = FUNCTION | METHOD | IN_PLACE;

/// One operation: its descriptor, and what calls of it need.
pub struct Op {
    pub descriptor: Descriptor,
    /// Where it can be reached.
    pub places: u8,
    /// Its signatures, most usual first.
    pub forms: &'static [&'static str],
    /// One line on what it computes, shapes included.
    pub doc: &'static str,
    pub(crate) run: fn(&Call) -> Result<Value>,
    /// What is checked of the target of an in-place call.
    pub(crate) target_check: TargetCheck,
    /// Which dtypes it refuses before it runs.
    pub(crate) refused: Option<RefusedDtypes>,
    /// Whether PyTorch saves the last result of a call with these arguments for backward: a later change of it in place is
    /// then an error.
    pub(crate) saves_result: fn(&[Arg]) -> bool,
    /// What `torch.autocast` makes of these arguments.
    pub(crate) autocast: fn(&[Arg]) -> Autocast,
    /// The rule of its gradients, if it has one here; otherwise the rule in Python is used.
    pub(crate) rule: Option<GradientRule>,
    /// Whether it is a function of other operations in `py/torch/_composed.py` for these arguments.
    composed_if: fn(&[Arg]) -> bool,
    /// Whether PyTorch saves the operand of this name of this composed operation for backward.
    pub(crate) saves_operand: fn(&str) -> bool,
    parsed: OnceLock<Vec<Vec<Param>>>,
}

impl std::ops::Deref for Op {
    type Target = Descriptor;

    fn deref(&self) -> &Descriptor {
        &self.descriptor
    }
}

/// A row of the table, of an operation on one tensor unless it gives other signatures.
pub(crate) const fn op(mut descriptor: Descriptor, places: u8, run: fn(&Call) -> Result<Value>) -> Op {
    if places & IN_PLACE_ONLY != 0 {
        descriptor.in_place = InPlace::Always;
    } else if places & RELAYOUT != 0 {
        descriptor.in_place = InPlace::Relayout;
    } else if places & IN_PLACE != 0 {
        descriptor.in_place = InPlace::Twin;
    }
    Op {
        descriptor,
        places,
        forms: &["Tensor input"],
        doc: "",
        run,
        target_check: TargetCheck::OverlapAndLeaf,
        refused: None,
        saves_result: |_| false,
        autocast: |_| Autocast::Unchanged,
        rule: None,
        composed_if: |_| false,
        saves_operand: |_| false,
        parsed: OnceLock::new(),
    }
}

/// A row for the function of this name in `py/torch/_composed.py`, which calls other operations. Those are what is
/// recorded, explained and differentiated; the node of the result has its own name, or that of [`Op::grad_name`].
pub(crate) const fn composed(name: &'static str, places: u8) -> Op {
    let descriptor = Descriptor::new(name, OpFamily::Composed, Explanation::Whole);
    op(descriptor, places, |call| {
        Err(Error::runtime(format!("{}() can only be called from Python", call.op.name)))
    })
    .composed_if(|_| true)
}

/// What is checked of a tensor before an operation writes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetCheck {
    /// That no two of its elements share memory, and that it is no leaf that requires a gradient.
    OverlapAndLeaf,
    /// Only that it is no such leaf: one value is written everywhere.
    Leaf,
    /// Only that no two elements share memory: leaves are allowed, or the operation checks for them.
    Overlap,
}

/// Dtypes that an operation refuses, as PyTorch does: those of its first tensor, or the one asked for by `dtype=`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedDtypes {
    /// Whether a dtype is one of them.
    pub(crate) are: fn(DType) -> bool,
    /// PyTorch's message, with `{}` for the dtype's name.
    pub(crate) message: &'static str,
}

setters! { Op {
    /// Its signatures, most usual first.
    forms(forms: &'static [&'static str]) forms = forms;
    /// One line on what it computes, shapes included.
    doc(doc: &'static str) doc = doc;
    /// `grad_fn` shows this.
    grad_name(name: GradName) descriptor.gradient = Some(name);
    /// Refuses dtypes with this message, in which `{}` is the dtype's name.
    refusing(are: fn(DType) -> bool, message: &'static str) refused = Some(RefusedDtypes { are, message });
    /// Checks less of its target.
    checking(check: TargetCheck) target_check = check;
    /// `torch.autocast` converts its operands by this policy.
    autocast(policy: fn(&[Arg]) -> Autocast) autocast = policy;
    /// PyTorch saves its result for backward: of several, the last one.
    saving_result() saves_result = |_| true;
    /// For such arguments it is a function of other operations in `py/torch/_composed.py`.
    composed_if(composed: fn(&[Arg]) -> bool) composed_if = composed;
    /// PyTorch saves the operands of this composed operation for backward: a later change of one in place is an error.
    saving_operands() saves_operand = |_| true;
    /// PyTorch saves those operands of this composed operation for backward that have such names.
    saving_operands_if(saves: fn(&str) -> bool) saves_operand = saves;
    /// PyTorch saves its result for backward where the arguments are like this.
    saving_result_if(saves: fn(&[Arg]) -> bool) saves_result = saves;
    /// The gradients of its operands from that of its one result.
    rule(rule: fn(&BackwardStep, Tensor) -> Result<Gradients>) rule = Some(GradientRule::One(rule));
    /// The same, by a kernel that computes all gradients in one pass. Where the pass has to be recorded, the rule in Python
    /// is used.
    rule_in_one_pass(rule: fn(&BackwardStep, Tensor) -> Result<Gradients>) rule = Some(GradientRule::OnePass(rule));
    /// The gradients of its operands from those of its results.
    rule_of_several(rule: fn(&BackwardStep, Vec<Option<Tensor>>) -> Result<Gradients>)
        rule = Some(GradientRule::Several(rule));
} }

impl Op {
    /// Errors: a dtype that this operation refuses.
    pub(crate) fn check_dtype(&self, args: &[Arg]) -> Result<()> {
        let Some(refused) = self.refused else { return Ok(()) };
        let found = args.iter().find_map(|arg| match arg {
            Arg::Tensor(tensor) => Some(tensor.dtype()),
            Arg::DType(dtype) => Some(*dtype),
            _ => None,
        });
        match found {
            Some(dtype) if (refused.are)(dtype) => {
                Err(Error::runtime(refused.message.replace("{}", dtype.cpp_name())))
            }
            _ => Ok(()),
        }
    }

    /// Whether it is a function of other operations, which are recorded in its place.
    pub fn is_composed(&self) -> bool {
        self.family == OpFamily::Composed
    }

    /// Whether a call with these arguments is one of other operations.
    pub(crate) fn is_composed_for(&self, args: &[Arg]) -> bool {
        (self.composed_if)(args)
    }

    /// Whether its gradients have a rule that needs no Python.
    #[cfg_attr(private_layers, expect(dead_code, reason = "tests use it"))]
    pub fn has_rule(&self) -> bool {
        self.rule.is_some()
    }

    /// Whether that rule can be recorded, so that its gradients have gradients.
    #[cfg_attr(private_layers, expect(dead_code, reason = "tests use it"))]
    pub fn has_recorded_rule(&self) -> bool {
        matches!(self.rule, Some(GradientRule::One(_) | GradientRule::Several(_)))
    }

    /// The parameters of each form.
    pub fn params(&self) -> &[Vec<Param>] {
        self.parsed.get_or_init(|| self.forms.iter().map(|form| schema::parse(form)).collect())
    }

    /// Whether it can be reached there.
    pub fn is_in(&self, place: u8) -> bool {
        self.places & place != 0
    }
}

/// A call whose arguments fit the signature's form.
pub(crate) struct Call<'a> {
    /// The session's state.
    pub(crate) state: &'a State,
    pub(crate) op: &'static Op,
    /// Which of its forms the arguments fit.
    pub(crate) form: usize,
    /// Whether it is the in-place twin that was called.
    pub(crate) in_place: bool,
    pub(super) args: &'a [Arg],
    pub(super) grad_name: Cell<Option<GradName>>,
    pub(super) kept: RefCell<Vec<Arg>>,
}

/// Whether a gradient will flow through a call with these arguments, of which `grad_fn` shows this.
pub(super) fn wants_grad(state: &State, grad_name: Option<GradName>, args: &[Arg]) -> bool {
    state.grad_mode.get()
        && grad_name.is_some()
        && args.iter().flat_map(Arg::tensors).any(Tensor::requires_grad)
}

impl<'a> Call<'a> {
    /// Sets what `grad_fn` shows for this call, where that is not the operation's usual name.
    pub(crate) fn set_grad_name(&self, name: GradName) {
        self.grad_name.set(Some(name));
    }

    /// Keeps a tensor in the record, after the arguments: what gradients and explanations need and cannot compute
    /// again, such as the noise of dropout.
    pub(crate) fn keep(&self, tensor: Tensor) {
        self.kept.borrow_mut().push(Arg::Tensor(tensor));
    }

    /// Keeps two numbers for each row that gradients are made of, if a gradient will flow through this call.
    pub(crate) fn keep_rows<T: Float>(&self, rows: &[[T; 2]]) {
        if wants_grad(self.state, self.grad_name.get(), self.args) {
            self.keep(T::tensor(rows.as_flattened().to_vec(), [rows.len(), 2], T::DTYPE));
        }
    }

    /// Argument `at`.
    pub(crate) fn arg(&self, at: usize) -> &'a Arg {
        &self.args[at]
    }

    /// Whether argument `at` is `None` or was not given.
    pub(crate) fn is_none(&self, at: usize) -> bool {
        matches!(self.args[at], Arg::None)
    }

    /// The error of an argument that is not what is wanted.
    pub(crate) fn mismatch(&self, at: usize, wanted: &str) -> Error {
        let name = self.op.params()[self.form].get(at).map_or("?", |param| param.name);
        Error::type_error(format!(
            "{}(): argument '{name}' (position {}) must be {wanted}",
            self.op.name,
            at + 1
        ))
    }

    /// A tensor argument.
    pub(crate) fn tensor(&self, at: usize) -> Result<&'a Tensor> {
        self.args[at].tensor().ok_or_else(|| self.mismatch(at, "Tensor"))
    }

    /// A tensor argument that may be `None`.
    pub(crate) fn opt_tensor(&self, at: usize) -> Option<&'a Tensor> {
        self.args[at].tensor()
    }

    /// A sequence of tensors.
    pub(crate) fn tensors(&self, at: usize) -> &'a [Tensor] {
        self.args[at].tensors()
    }

    /// An `int`.
    pub(crate) fn int(&self, at: usize) -> Result<i64> {
        self.opt_int(at).ok_or_else(|| self.mismatch(at, "int"))
    }

    /// An `int` that may be `None`.
    pub(crate) fn opt_int(&self, at: usize) -> Option<i64> {
        self.args[at].int()
    }

    /// A `float`.
    pub(crate) fn float(&self, at: usize) -> Result<f64> {
        self.opt_float(at).ok_or_else(|| self.mismatch(at, "float"))
    }

    /// A `float` that may be `None`.
    pub(crate) fn opt_float(&self, at: usize) -> Option<f64> {
        self.args[at].number()
    }

    /// A `bool`; `None` is false.
    pub(crate) fn bool(&self, at: usize) -> bool {
        matches!(self.args[at], Arg::Bool(true))
    }

    /// A `str` that may be `None`.
    pub(crate) fn opt_str(&self, at: usize) -> Option<&'a str> {
        match &self.args[at] {
            Arg::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Sizes or dims; one int is a list of one.
    pub(crate) fn ints(&self, at: usize) -> Result<Vec<i64>> {
        self.opt_ints(at).ok_or_else(|| self.mismatch(at, "tuple of ints"))
    }

    /// Sizes or dims that may be `None`.
    pub(crate) fn opt_ints(&self, at: usize) -> Option<Vec<i64>> {
        self.args[at].ints()
    }

    /// The shape of a new tensor. Errors: negative sizes.
    pub(crate) fn shape(&self, at: usize) -> Result<Vec<usize>> {
        let sizes = self.ints(at)?;
        match sizes.iter().find(|&&size| size < 0) {
            Some(size) => Err(Error::runtime(format!(
                "Trying to create tensor with negative dimension {size}: {sizes:?}"
            ))),
            None => Ok(sizes.into_iter().map(|size| size as usize).collect()),
        }
    }

    /// A dtype that may be `None`.
    pub(crate) fn opt_dtype(&self, at: usize) -> Option<DType> {
        match self.args[at] {
            Arg::DType(dtype) => Some(dtype),
            _ => None,
        }
    }

    /// The random number generator: the one given, or the session's.
    pub(crate) fn generator(&self, at: usize) -> Rc<RefCell<Generator>> {
        match &self.args[at] {
            Arg::Generator(generator) => generator.clone(),
            _ => self.state.generator.clone(),
        }
    }

    /// The dtype of Python floats.
    pub(crate) fn default_dtype(&self) -> DType {
        self.state.default_dtype.get()
    }
}
