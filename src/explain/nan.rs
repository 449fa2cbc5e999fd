//! Finds the operation that first returned a nan, from the record of what ran.

use std::collections::HashSet;
use std::rc::Rc;

use super::name::Name;
use super::storage_element::PastOperand;
use super::tensor_names::TensorNames;
use super::terms::figure;
use crate::tensor::explanation::{ConstantKind, Explanation, Formula, ProductKind, SoftmaxKind};
use crate::tensor::layout::{unravel, wrap_dim};
use crate::tensor::show::joined;
use crate::tensor::{Arg, Record, Site, Tensor};

/// The operation that first returned a nan.
#[derive(Clone, Debug, PartialEq)]
pub struct NanOrigin {
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

/// Returns where the first nan of a tensor arose; none if it has no nan, or if no record leads to the operation.
pub fn first_nan(tensor: &Tensor, names: &TensorNames) -> Option<NanOrigin> {
    place_of_nan(tensor)?;
    let (result, record) = origin(tensor)?;
    let index = unravel(place_of_nan(&result)?, result.shape());
    let met = ComputedElement { record: &record, index: &index };
    let operands = [met.operand(0), met.operand(1)].into_iter().flatten().collect();
    Some(NanOrigin { operands, site: record.site.clone(), because: met.because(names) })
}

fn place_of_nan(tensor: &Tensor) -> Option<usize> {
    let is_searched = tensor.dtype().is_float() && tensor.numel() <= MOST_ELEMENTS;
    is_searched.then(|| tensor.to_f64_vec())?.into_iter().position(f64::is_nan)
}

/// Follows the records to the operation whose operands have no nan.
fn origin(tensor: &Tensor) -> Option<(Tensor, Rc<Record>)> {
    let mut examined = HashSet::new();
    let mut at = tensor.clone();
    loop {
        let record = at.origin()?;
        if !examined.insert(Rc::as_ptr(&record)) || examined.len() > MOST_RECORDS {
            return None;
        }
        let args = record.args();
        match args.iter().flat_map(Arg::tensors).find(|operand| place_of_nan(operand).is_some()) {
            Some(operand) if operand.origin().is_some() => at = operand.clone(),
            // An operand without a record was given with this value.
            Some(_) | None => return Some((at, record)),
        }
    }
}

/// An element of a result, and the operands' elements it was computed from.
struct ComputedElement<'r> {
    record: &'r Record,
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

    fn because(&self, names: &TensorNames) -> String {
        let operation = self.record.operation;
        let (name, place) = (operation.name, format!("[{}]", joined(self.index, ",")));
        let (a, b) = (self.operand(0).map(figure), self.operand(1).map(figure));
        match (operation.explanation, a, operation.operator(), b) {
            (Explanation::Softmax(SoftmaxKind::Weights | SoftmaxKind::Log), ..) => self.softmax(names),
            (
                Explanation::Pointwise(
                    Formula::Log | Formula::Sqrt | Formula::Rsqrt | Formula::InverseTrigonometric,
                ),
                Some(x),
                ..,
            ) => format!("{name}({x}) = nan, at {place}"),
            (Explanation::Pointwise(_), Some(a), Some(sign), Some(b)) => {
                format!("{a} {} {b} = nan, at {place}", sign.formula())
            }
            (Explanation::MaskedFill, ..) => format!("masked_fill put it at {place} on purpose"),
            (
                Explanation::Literal | Explanation::Constant(ConstantKind::Everywhere | ConstantKind::Fill),
                ..,
            ) => format!("it was put there, at {place}"),
            (Explanation::Product(ProductKind::Matrix) | Explanation::Linear, ..) => {
                format!("a sum of products with inf in it is nan at {place}: inf - inf, or 0 · inf")
            }
            _ => format!("{name} returned it at {place}"),
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
            [rows @ .., _] => format!("row {} of {name}", joined(rows, ",")),
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

/// The row of a softmax's input from which an element was computed.
fn softmax_row(input: &Tensor, index: &[usize], args: &[Arg]) -> Option<Vec<f64>> {
    let Some(Arg::Int(dim)) = args.get(1) else { return None };
    let axis = wrap_dim(*dim, input.ndim()).ok().filter(|_| index.len() == input.ndim())?;
    let lead = [&index[..axis], &index[axis + 1..]].concat();
    Some(PastOperand::of_version(input.clone(), u64::MAX).row(&lead, axis))
}

impl NanOrigin {
    /// "w holds nan: it first arose in cell 1, line 3: row 0 of m is -inf throughout: its softmax is 0/0."
    pub fn sentence(&self, name: &str) -> String {
        let place = self
            .site
            .as_ref()
            .map(|site| format!(" in {}, line {}", site.cell, site.line))
            .unwrap_or_default();
        format!("{name} holds nan: it first arose{place}: {}.", self.because)
    }
}
