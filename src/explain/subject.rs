//! The element that is explained and the operation that made it: names and values of operands and arguments.

use super::account::SourceElement;
use super::calc::Calc;
use super::name::Name;
use super::storage_element::{MadeBy, PastOperand};
use super::tensor_names::TensorNames;
use crate::ops::run_apart;
use crate::ops::table::{self, Op};
use crate::ops::value::Value;
use crate::tensor::explanation::Explanation;
use crate::tensor::layout::wrap_dim;
use crate::tensor::{Arg, DType, Tensor};

/// An element and the operation that made it.
pub(crate) struct Subject<'a> {
    /// The operation, and where in its result the element stands.
    pub(crate) made: &'a MadeBy,
    /// The arguments, as recorded.
    pub(crate) args: Vec<Arg>,
    pub(crate) names: &'a TensorNames,
    /// The element's value.
    pub(crate) value: f64,
    /// The element's dtype.
    pub(crate) dtype: DType,
}

impl Subject<'_> {
    /// The operation's name, for people to read.
    pub(crate) fn op(&self) -> &'static str {
        self.made.record.operation.name
    }

    /// The row of the table of operations; none for what Python's syntax calls.
    pub(crate) fn row(&self) -> Option<&'static Op> {
        table::row_of(self.made.record.operation)
    }

    /// The element's index in the result.
    pub(crate) fn index(&self) -> &[usize] {
        &self.made.index
    }

    /// The place of the argument of this name.
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        table::place_of(&self.made.record, name)
    }

    /// The argument of this name.
    pub(crate) fn param(&self, name: &str) -> Option<&Arg> {
        self.args.get(self.place_of(name)?)
    }

    /// A whole number among the arguments.
    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        match self.param(name)? {
            Arg::Int(value) => Some(*value),
            Arg::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    /// A number among the arguments.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.param(name)?.number()
    }

    /// A truth value among the arguments.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        matches!(self.param(name), Some(Arg::Bool(true)))
    }

    /// The axis that the argument `dim` names, of a tensor with `ndim` axes.
    pub(crate) fn axis(&self, ndim: usize) -> Option<usize> {
        wrap_dim(self.int("dim")?, ndim).ok()
    }

    /// What dropout multiplied with: it is recorded behind the arguments.
    pub(crate) fn noise(&self) -> Option<&Tensor> {
        let params = self.row()?.params().get(self.made.record.form)?.len();
        self.args.get(params)?.tensor()
    }

    /// The tensor in this place of the arguments.
    pub(crate) fn operand(&self, place: usize) -> Option<PastOperand> {
        self.made.operand(place).map(|operand| self.dated(operand))
    }

    /// The tensors of the list in this place of the arguments.
    pub(crate) fn operands(&self, place: usize) -> Vec<PastOperand> {
        self.made.operands(place).into_iter().map(|operand| self.dated(operand)).collect()
    }

    /// An operand with the round of a loop that it is of, and how often it was written since.
    fn dated(&self, operand: PastOperand) -> PastOperand {
        let mut rounds = self.names.rounds(&self.made.record, &operand);
        let is_target = |before: &PastOperand| before.tensor.storage().same(operand.tensor.storage());
        let is_new = matches!(self.made.record.operation.explanation, Explanation::Pointwise(_));
        rounds.writes = match self.made.before.as_ref().is_some_and(is_target) {
            true => self.made.rounds.writes + usize::from(is_new),
            false => 0,
        };
        PastOperand { rounds, ..operand }
    }

    /// The name of the argument in this place.
    pub(crate) fn called(&self, place: usize) -> Name {
        match self.operand(place) {
            Some(operand) => self.names.operand(&self.made.record, &operand),
            None => match self.args.get(place) {
                Some(arg) => self.names.number(&self.made.record, place, arg),
                None => Name::Value(String::new()),
            },
        }
    }

    /// The name of an element of the tensor in this place.
    pub(crate) fn element(&self, place: usize, operand: &PastOperand, index: &[usize]) -> Name {
        let name = self.names.element_of(&self.made.record, operand, index);
        if name.is_readable() { name } else { self.called(place).element(index) }
    }

    /// An element of the tensor in this place, with its name.
    pub(crate) fn link(&self, place: usize, operand: &PastOperand, index: &[usize]) -> SourceElement {
        let element = self.names.source(&self.made.record, operand, index);
        SourceElement { what: self.element(place, operand, index).to_string(), element }
    }

    /// The element of the tensor in this place that meets the element.
    pub(crate) fn link_at(&self, place: usize) -> Option<SourceElement> {
        let operand = self.operand(place)?;
        Some(self.link(place, &operand, &operand.broadcast(self.index())))
    }

    /// An element of one of a list of tensors.
    pub(crate) fn listed(&self, operand: &PastOperand, index: &[usize]) -> SourceElement {
        let what = self.names.element_of(&self.made.record, operand, index).to_string();
        SourceElement { what, element: self.names.source(&self.made.record, operand, index) }
    }

    /// The argument in this place as a number, at the element's index where it is a tensor.
    pub(crate) fn at(&self, place: usize) -> Option<f64> {
        match self.made.operand(place) {
            Some(operand) => Some(operand.value(&operand.broadcast(self.index()))),
            None => self.args.get(place)?.number(),
        }
    }

    /// The name of the argument in this place, at the element's index.
    pub(crate) fn name_at(&self, place: usize) -> Name {
        match self.operand(place) {
            Some(operand) => self.element(place, &operand, &operand.broadcast(self.index())),
            None => self.called(place),
        }
    }

    /// The operands' elements at the element's index.
    pub(crate) fn met(&self) -> Vec<SourceElement> {
        (0..self.args.len()).filter_map(|place| self.link_at(place)).collect()
    }

    /// Runs the operation on other arguments, in a state of its own.
    pub(crate) fn run(&self, args: Vec<Arg>) -> Option<Value> {
        run_apart(self.row()?, self.made.record.form, args).ok()
    }

    /// The arguments with every tensor replaced.
    pub(crate) fn replaced(&self, mut with: impl FnMut(usize, &PastOperand) -> Tensor) -> Vec<Arg> {
        let params = self.row().and_then(|row| row.params().get(self.made.record.form)).map_or(0, Vec::len);
        let replace = |(place, arg): (usize, &Arg)| match arg {
            Arg::Tensors(_) => {
                let all = self.operands(place);
                Arg::Tensors(all.iter().map(|operand| with(place, operand)).collect())
            }
            Arg::Tensor(_) => match self.operand(place) {
                Some(operand) => Arg::Tensor(with(place, &operand)),
                None => arg.clone(),
            },
            // The session's generator is not advanced.
            Arg::Generator(_) => Arg::None,
            other => other.clone(),
        };
        self.args.iter().take(params).enumerate().map(replace).collect()
    }
}

/// A number as a tensor without dimensions, in the widest dtype of its kind.
pub(crate) fn scalar(value: f64, dtype: DType) -> Tensor {
    Tensor::scalar(value, if dtype.is_float() { DType::Float64 } else { dtype })
}

/// The elements along an axis, the other indices fixed: `row 1 of attn_scores`, `column 2 of attn_scores`,
/// `heads[0,:,2]`, or the name of a vector.
pub(crate) fn along(name: &Name, lead: &[usize], axis: usize) -> String {
    match (lead, axis) {
        ([], _) => name.to_string(),
        ([at], 1) => format!("row {at} of {name}"),
        ([at], 0) => format!("column {at} of {name}"),
        _ => {
            let mut parts: Vec<String> = lead.iter().map(usize::to_string).collect();
            parts.insert(axis.min(parts.len()), ":".to_owned());
            name.clone().sliced(&parts).to_string()
        }
    }
}

/// Numbers as the arguments of a function.
pub(crate) fn numbers(values: &[f64]) -> Vec<Calc> {
    values.iter().map(|&value| Calc::Number(value)).collect()
}
