//! Why an element has its value: its formula in names and in numbers, and the elements it was computed from.
//! Everything is read from records; no cell runs again.

use super::account::{Account, Statement, WhyEnd};
use super::calc::{Calc, Combine};
use super::forms;
use super::storage_element::{ElementCause, MadeBy, StorageElement};
use super::subject::Subject;
use super::tensor_names::{AxisPlace, TensorNames, base_of};
use super::terms::{figure, term};
use crate::tensor::{DType, LostOperands, Recorder, Site, Tensor};

/// One element explained.
#[derive(Clone)]
pub struct Why {
    /// Its name: `attn_weights[1,2]`.
    pub what: String,
    /// Its position along each axis that the lesson names.
    pub(crate) place: Vec<AxisPlace>,
    /// Its value; `None` if it was overwritten and not kept.
    pub value: Option<f64>,
    /// Its value as printed.
    pub shown: String,
    /// The rounding unit of its dtype: the distance between 1 and the next number.
    pub rounding: f64,
    /// The operation that made it; a copy, a cast or a join counts.
    pub op: Option<&'static str>,
    /// If that was a copy, a cast or a join, the operations before it; the last of them computed the value.
    pub passed: Vec<&'static str>,
    /// The line that called it.
    pub(crate) site: Option<Site>,
    pub line: Option<String>,
    /// How it follows from that; after a copy, with the statements of the operations before it.
    pub account: Account,
    /// The explanations of the first elements it was computed from, as deep as was asked for.
    pub below: Vec<Why>,
}

/// How many copies in a row are followed.
const THROUGH: usize = 64;

/// Explains an element of a tensor. The index must be within the tensor's shape.
pub fn why(tensor: &Tensor, index: &[usize], names: &TensorNames) -> Why {
    why_of(names.element(&StorageElement::now(tensor, index)).to_string(), tensor, index, names)
}

/// Explains an element under a given name, such as `inputs.T[2,1]`.
pub(crate) fn why_of(what: String, tensor: &Tensor, index: &[usize], names: &TensorNames) -> Why {
    let element = StorageElement::now(tensor, index);
    let mut node = node(what, &element, names);
    if let Some(words) = seen_through(&node.what, tensor, &element, names) {
        node.account.statements.insert(0, Statement::Words(words));
    }
    node
}

/// Explains an element as it was at a moment, without the elements that it was computed from.
pub(crate) fn why_then(element: &StorageElement, names: &TensorNames) -> Why {
    node(names.element(element).to_string(), element, names)
}

impl Why {
    /// Explains the elements it was computed from, `depth` levels deep.
    pub fn open(&mut self, depth: usize, names: &TensorNames) {
        self.below.clear();
        if depth == 0 {
            return;
        }
        let mut seen: Vec<(usize, usize)> = Vec::new();
        for link in self.account.links.iter().take(self.account.follow) {
            let key = (link.element.tensor.storage().address(), link.element.at);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let mut below = node(link.what.clone(), &link.element, names);
            below.open(depth - 1, names);
            self.below.push(below);
        }
    }

    /// Whether the explanation ends at a gradient, because what backward computed was not recorded.
    pub(crate) fn ends_at_gradient(&self) -> bool {
        self.account.end == Some(WhyEnd::Gradient) || self.below.iter().any(Why::ends_at_gradient)
    }

    /// Its last formula in numbers.
    pub(crate) fn last(&self) -> Option<&Calc> {
        self.account.statements.iter().rev().find_map(|line| match line {
            Statement::Figures(calc) => Some(calc),
            _ => None,
        })
    }

    /// How that formula combines its terms.
    pub(crate) fn combine(&self) -> Combine {
        self.last().map_or(Combine::Same, Calc::combine)
    }

    /// The terms of that formula.
    pub(crate) fn terms(&self) -> Vec<f64> {
        self.last().map(Calc::parts).unwrap_or_default()
    }
}

/// The explanation of one element, without the elements it was computed from.
fn node(what: String, element: &StorageElement, names: &TensorNames) -> Why {
    let dtype = element.tensor.dtype();
    let value = element.value();
    let mut why = Why {
        what,
        place: names.place(element),
        value,
        shown: value.map_or("?".to_owned(), |value| shown(value, dtype)),
        rounding: dtype.epsilon(),
        op: None,
        passed: Vec::new(),
        site: None,
        line: None,
        account: Account::default(),
        below: Vec::new(),
    };
    let mut at = element.clone();
    for _ in 0..THROUGH {
        let mut account = match at.cause() {
            ElementCause::MadeBy(made) => {
                let is_first = why.op.is_none();
                match is_first {
                    true => why.op = Some(made.record.operation.called(made.record.in_place)),
                    false => why.passed.push(made.record.operation.called(made.record.in_place)),
                }
                // A value that passed through a coarser dtype is rounded as that dtype is.
                why.rounding = why.rounding.max(at.tensor.dtype().epsilon());
                if is_first {
                    why.site = made.record.site.clone();
                    why.line = why.site.as_ref().and_then(|site| names.line(site));
                }
                account(made, &at, names)
            }
            ElementCause::Forgotten => Account::default()
                .ending(WhyEnd::Forgotten)
                .note(
                    "written in place before: attn remembers the last writes only, and of an optimizer's steps the last one",
                ),
            ElementCause::Unknown => {
                Account::default().ending(WhyEnd::Unknown).note("no operation that is recorded made it")
            }
        };
        // A copy is followed to its source, whose statements come after its own.
        account.statements.splice(0..0, why.account.statements);
        why.account = account;
        match why.account.links.first() {
            Some(link) if why.account.through => at = link.element.clone(),
            _ => break,
        }
    }
    why
}

fn account(made: MadeBy, element: &StorageElement, names: &TensorNames) -> Account {
    if let Some(lost) = made.record.lost() {
        return lost_account(lost, made.record.operation.called(made.record.in_place));
    }
    if !made.is_kept() {
        let op = made.record.operation.called(made.record.in_place);
        return Account::words(format!("{op}: its operands have changed since"))
            .note(
                "they were written in place more often than attn remembers, as the optimizer does in training: ask right \
                 after the operation, before the next steps",
            )
            .ending(WhyEnd::Forgotten);
    }
    let value = element.value().unwrap_or(f64::NAN);
    let args = made.record.args();
    let subject = Subject { made: &made, args, names, value, dtype: element.tensor.dtype() };
    forms::account(&subject)
}

fn lost_account(lost: LostOperands, op: &str) -> Account {
    match lost {
        LostOperands::Off => Account::words(format!("{op}: not recorded (--no-record)"))
            .note("ask again without --no-record to see how it was worked out")
            .ending(WhyEnd::Unrecorded),
        LostOperands::Bounds => Account::words(format!("{op}: no longer recorded"))
            .note(format!(
                "attn keeps the operands of the last {} operations, {} MB at most; ask at an earlier step, or with smaller tensors",
                Recorder::KEPT,
                Recorder::BYTES >> 20
            ))
            .ending(WhyEnd::Forgotten),
    }
}

/// For an element of a view: which element of the base it is.
fn seen_through(
    what: &str,
    tensor: &Tensor,
    element: &StorageElement,
    names: &TensorNames,
) -> Option<String> {
    // The tensor that it is a view of, unless an operation in place came after that.
    let viewed = base_of(tensor).filter(|(record, _)| !record.in_place);
    let mut same: Vec<String> = Vec::new();
    if let Some((_, base)) = &viewed {
        same.push(names.element(&StorageElement { tensor: base.clone(), ..element.clone() }).to_string());
    }
    // The calculation has the name of the variable that contains most of the storage.
    let whole = StorageElement { tensor: tensor.with_layout(tensor.layout().clone()), ..element.clone() };
    if let Some((_, held)) = names.variable(&whole).filter(|(_, held)| !held.is(tensor))
        && held.storage().same(tensor.storage())
    {
        same.push(names.element(&whole).to_string());
    }
    same.retain(|name| name != what);
    same.dedup();
    match same.as_slice() {
        [] => {
            let (record, _) = viewed?;
            Some(format!(
                "{}: a view, it shows a number of the tensor that it is called on",
                record.operation.name
            ))
        }
        names => Some(format!("{what} is {}", names.join(" and "))),
    }
}

/// A value as PyTorch prints it.
pub(crate) fn shown(value: f64, dtype: DType) -> String {
    match dtype {
        DType::Bool => if value == 0.0 { "False" } else { "True" }.to_owned(),
        _ if dtype.is_float() => term(value),
        _ => figure(value),
    }
}
