//! Finds the operation that first returned a nan or an infinity, from the record of what ran.

use std::collections::HashSet;
use std::rc::Rc;

use super::name::Name;
use super::storage_element::PastOperand;
use super::tensor_names::TensorNames;
use super::terms::figure;
use crate::tensor::explanation::{ConstantKind, Explanation, Formula, ProductKind, SoftmaxKind};
use crate::tensor::layout::{unravel, wrap_dim};
use crate::tensor::{Arg, Record, Site, Tensor};

/// A value that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nonfinite {
    Nan,
    Infinity,
    NegativeInfinity,
}

impl Nonfinite {
    /// Whether a number is this value.
    fn is(self, number: f64) -> bool {
        match self {
            Nonfinite::Nan => number.is_nan(),
            Nonfinite::Infinity => number == f64::INFINITY,
            Nonfinite::NegativeInfinity => number == f64::NEG_INFINITY,
        }
    }
}

impl std::fmt::Display for Nonfinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Nonfinite::Nan => "nan",
            Nonfinite::Infinity => "inf",
            Nonfinite::NegativeInfinity => "-inf",
        })
    }
}

/// The origin of a nan or an infinity.
#[derive(Clone, Debug, PartialEq)]
pub struct NonfiniteOrigin {
    pub(crate) value: Nonfinite,
    /// The element of the operation's result.
    pub(crate) index: Vec<usize>,
    /// The elements of the first two operands at that place, as far as there are any.
    pub(crate) operands: Vec<f64>,
    /// The line that ran the operation.
    pub(crate) site: Option<Site>,
    /// How the value arose, in a sentence.
    pub(crate) because: String,
}

/// Tensors with more elements are not searched.
const MOST_ELEMENTS: usize = 1 << 20;
/// The most records that are followed.
const MOST_RECORDS: usize = 400;

/// Returns where the first nan of a tensor arose, or its first infinity if it has no nan. Returns none if all elements
/// are finite, or if no record leads to the operation.
pub fn first_nonfinite(tensor: &Tensor, names: &TensorNames) -> Option<NonfiniteOrigin> {
    let values = values(tensor)?;
    let kinds = [Nonfinite::Nan, Nonfinite::Infinity, Nonfinite::NegativeInfinity];
    let value = kinds.into_iter().find(|kind| values.iter().any(|number| kind.is(*number)))?;
    let (result, record) = origin(tensor, value)?;
    let at = self::values(&result)?.into_iter().position(|number| value.is(number))?;
    let index = unravel(at, result.shape());
    let met = ComputedElement { record: &record, result: &result, index: &index };
    let operands = [met.operand(0), met.operand(1)].into_iter().flatten().collect();
    let because = met.because(value, names);
    Some(NonfiniteOrigin { value, operands, site: record.site.clone(), because, index })
}

fn values(tensor: &Tensor) -> Option<Vec<f64>> {
    (tensor.dtype().is_float() && tensor.numel() <= MOST_ELEMENTS && tensor.numel() > 0)
        .then(|| tensor.to_f64_vec())
}

/// Follows the records to the operation whose operands have no such value.
fn origin(tensor: &Tensor, value: Nonfinite) -> Option<(Tensor, Rc<Record>)> {
    let has = |tensor: &&Tensor| {
        values(tensor).is_some_and(|values| values.into_iter().any(|number| value.is(number)))
    };
    let mut examined = HashSet::new();
    let mut at = tensor.clone();
    loop {
        let record = at.origin()?;
        if !examined.insert(Rc::as_ptr(&record)) || examined.len() > MOST_RECORDS {
            return None;
        }
        let args = record.args();
        match args.iter().flat_map(Arg::tensors).find(has) {
            Some(operand) if operand.origin().is_some() => at = operand.clone(),
            // An operand without a record was given with this value.
            Some(_) | None => return Some((at, record)),
        }
    }
}

/// An element of a result, and the operands' elements it was computed from.
struct ComputedElement<'r> {
    record: &'r Record,
    result: &'r Tensor,
    index: &'r [usize],
}

impl ComputedElement<'_> {
    /// The element of operand `at`.
    fn operand(&self, at: usize) -> Option<f64> {
        match self.record.args().get(at)? {
            Arg::Tensor(tensor) if tensor.ndim() <= self.index.len() => {
                let operand = PastOperand::of_version(tensor.clone(), u64::MAX);
                Some(operand.value(&operand.broadcast(self.index)))
            }
            other => other.number(),
        }
    }

    fn because(&self, value: Nonfinite, names: &TensorNames) -> String {
        let operation = self.record.operation;
        let (name, place) = (operation.name, bracketed(self.index));
        let unexplained = || format!("{name} returned it at {place}");
        match operation.explanation {
            Explanation::Softmax(SoftmaxKind::Weights | SoftmaxKind::Log) => self.softmax(names),
            Explanation::Pointwise(Formula::Exp) => match self.operand(0) {
                Some(x) => {
                    let dtype = self.result.dtype().name();
                    format!("exp({}) at {place} is more than {dtype} can represent", figure(x))
                }
                None => unexplained(),
            },
            Explanation::Pointwise(
                Formula::Log
                | Formula::Sqrt
                | Formula::Rsqrt
                | Formula::Reciprocal
                | Formula::InverseTrigonometric,
            ) => match self.operand(0) {
                Some(x) => format!("{name}({}) = {value}, at {place}", figure(x)),
                None => unexplained(),
            },
            Explanation::Pointwise(_) => match (self.operand(0), operation.operator(), self.operand(1)) {
                (Some(a), Some(sign), Some(b)) => {
                    format!("{} {} {} = {value}, at {place}", figure(a), sign.formula(), figure(b))
                }
                _ => unexplained(),
            },
            Explanation::MaskedFill => format!("masked_fill put it at {place} on purpose"),
            Explanation::Literal | Explanation::Constant(ConstantKind::Everywhere | ConstantKind::Fill) => {
                format!("it was put there, at {place}")
            }
            Explanation::Product(ProductKind::Matrix) | Explanation::Linear if value == Nonfinite::Nan => {
                format!("a sum of products with inf in it is nan at {place}: inf - inf, or 0 · inf")
            }
            _ => unexplained(),
        }
    }

    fn softmax(&self, names: &TensorNames) -> String {
        let args = self.record.args();
        let input = args.first().and_then(Arg::tensor);
        let name = match input {
            Some(input) => match names.of(input) {
                Name::Words(_) => "its operand".to_owned(),
                name => name.to_string(),
            },
            None => "its operand".to_owned(),
        };
        let row = match self.index {
            [] | [_] => name,
            [rows @ .., _] => format!("row {} of {name}", listed(rows)),
        };
        match input.and_then(|input| softmax_row(input, self.index, &args)) {
            Some(scores) if scores.iter().all(|score| *score == f64::NEG_INFINITY) => {
                format!("{row} is -inf throughout: its softmax is 0/0")
            }
            Some(scores) if scores.contains(&f64::INFINITY) => {
                format!("{row} has inf: its softmax is inf/inf")
            }
            _ => format!("softmax of {row} returned it"),
        }
    }
}

fn listed(index: &[usize]) -> String {
    index.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn bracketed(index: &[usize]) -> String {
    format!("[{}]", listed(index))
}

/// The row of a softmax's input from which an element was computed.
fn softmax_row(input: &Tensor, index: &[usize], args: &[Arg]) -> Option<Vec<f64>> {
    let Some(Arg::Int(dim)) = args.get(1) else { return None };
    let axis = wrap_dim(*dim, input.ndim()).ok().filter(|_| index.len() == input.ndim())?;
    let lead = [&index[..axis], &index[axis + 1..]].concat();
    Some(PastOperand::of_version(input.clone(), u64::MAX).row(&lead, axis))
}

impl NonfiniteOrigin {
    /// "w holds nan: it first arose in cell 1, line 3: row 0 of m is -inf throughout: its softmax is 0/0."
    pub fn sentence(&self, name: &str) -> String {
        let place = self
            .site
            .as_ref()
            .map(|site| format!(" in {}, line {}", site.cell, site.line))
            .unwrap_or_default();
        format!("{name} holds {}: it first arose{place}: {}.", self.value, self.because)
    }
}
