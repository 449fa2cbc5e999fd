//! Elements that come from an operand unchanged: joined, gathered, masked, written in place.
//! To find where an element came from, the operation runs on operands whose elements are numbered.

use crate::explain::account::{Account, SourceElement, WhyEnd};
use crate::explain::calc::Calc;
use crate::explain::storage_element::{PastOperand, indices};
use crate::explain::subject::Subject;
use crate::explain::terms::figure;
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::layout::{ravel, unravel};
use crate::tensor::{Arg, Buffer, DType, Tensor, index};

/// Arguments that select elements, and whose own elements are not in the result.
const WHERE: &[&str] = &["index", "indices", "mask", "condition", "repeats"];

/// The number that marks the n-th argument, if it is no tensor.
fn mark(place: usize) -> f64 {
    -(place as f64) - 1.0
}

/// Where an element of the result came from: an operand and the index in it, or an argument that is a number.
enum ElementOrigin {
    Element(usize, PastOperand, Vec<usize>),
    Argument(usize),
    Zero,
}

/// Finds where the element came from.
fn origin(subject: &Subject, movement: Movement) -> Option<ElementOrigin> {
    let params = subject.row()?.params().get(subject.made.record.form)?;
    let mut known: Vec<(usize, PastOperand, usize)> = Vec::new();
    let mut next = 1usize;
    let mut args = subject.replaced(|place, operand| {
        let says_where = params.get(place).is_some_and(|param| WHERE.contains(&param.name));
        let looks_up = movement == Movement::Embedded && place == 0;
        if says_where || looks_up {
            return operand.snapshot();
        }
        let count = operand.tensor.numel();
        known.push((place, operand.clone(), next));
        let numbers = (next..next + count).map(|at| at as f64).collect();
        next += count;
        Tensor::new(Buffer::F64(numbers), operand.tensor.shape(), DType::Float64)
    });
    for (place, arg) in args.iter_mut().enumerate() {
        let is_value = params
            .get(place)
            .is_some_and(|param| matches!(param.name, "value" | "fill_value" | "other" | "input"));
        if is_value && arg.number().is_some() {
            *arg = Arg::Float(mark(place));
        }
        // The value that fills is marked too where it is a tensor.
        if movement == Movement::Filled && params.get(place).is_some_and(|param| param.name == "value") {
            *arg = Arg::Float(mark(place));
        }
    }
    let given = subject.run(args)?;
    let results = given.tensors();
    let result = results.get(subject.made.output)?;
    let number = result.to_f64_vec().get(ravel(subject.index(), result.shape())).copied()?;
    if number == 0.0 {
        return Some(ElementOrigin::Zero);
    }
    if number < 0.0 {
        return Some(ElementOrigin::Argument((-number - 1.0) as usize));
    }
    let number = number as usize;
    let (place, operand, first) = known.into_iter().rev().find(|(_, _, first)| *first <= number)?;
    let index = unravel(number - first, operand.tensor.shape());
    Some(ElementOrigin::Element(place, operand, index))
}

/// An element of an operand, or a number that was put in its place.
pub(crate) fn account(subject: &Subject, movement: Movement) -> Option<Account> {
    if subject.is_set("accumulate")
        || subject
            .args
            .iter()
            .any(|arg| matches!(arg, Arg::Str(word) if matches!(&**word, "add" | "multiply")))
    {
        return None;
    }
    if movement == Movement::Chosen {
        return if subject.args.len() < 3 { None } else { chosen(subject) };
    }
    match origin(subject, movement)? {
        ElementOrigin::Element(place, operand, index) => {
            let link = match subject.args.get(place) {
                Some(Arg::Tensors(_)) => subject.listed(&operand, &index),
                _ => subject.link(place, &operand, &index),
            };
            let words = match movement {
                Movement::Embedded => {
                    let [row, ..] = index.as_slice() else { return None };
                    format!("embedding: row {row} of {}: {}", subject.called(1), link.what)
                }
                _ => format!("{}: {}", verb(subject, movement), link.what),
            };
            Some(Account::words(words).passing(link))
        }
        ElementOrigin::Argument(place) => {
            let number = subject.args.get(place)?.number()?;
            let words = format!("{}: filled with {}", verb(subject, movement), figure(number));
            Some(Account::words(words).figures(Calc::Number(subject.value)).ending(WhyEnd::Given))
        }
        ElementOrigin::Zero => {
            let words = format!("{}: nothing stood here, filled with 0", verb(subject, movement));
            Some(Account::words(words).figures(Calc::Number(0.0)).ending(WhyEnd::Constant))
        }
    }
}

/// What an operation does, in words.
fn verb(subject: &Subject, movement: Movement) -> String {
    let op = subject.op();
    match movement {
        Movement::Joined => format!("{op}: joined, from"),
        Movement::Stacked => format!("{op}: laid on top of each other, from"),
        Movement::LookedUp => format!("{op}: looked up, from"),
        _ => op.to_owned(),
    }
}

/// `torch.where`: the one of two tensors that was chosen.
fn chosen(subject: &Subject) -> Option<Account> {
    // The method has the tensor first, the function the condition.
    let test = subject.place_of("condition")?;
    let condition = subject.at(test)? != 0.0;
    let place = subject.place_of(if condition { "input" } else { "other" })?;
    let words = format!(
        "where {} is {}: {}",
        subject.name_at(test),
        if condition { "True" } else { "False" },
        subject.name_at(place)
    );
    match subject.link_at(place) {
        Some(link) => Some(Account::words(words).passing(link)),
        None => Some(Account::words(words).figures(Calc::Number(subject.at(place)?)).ending(WhyEnd::Given)),
    }
}

/// A copy: the element in the same row-major place of the operand.
pub(crate) fn copied(subject: &Subject) -> Option<Account> {
    // The bits of other elements.
    if subject.operand(0)?.tensor.dtype() != subject.dtype {
        return None;
    }
    let words = |link: &SourceElement| format!("a copy ({}) of {}", subject.op(), link.what);
    same_element(subject, 0, words)
}

/// An element that was overwritten with one of another tensor.
pub(crate) fn copied_from(subject: &Subject) -> Option<Account> {
    same_element(subject, 1, |link| format!("written over with {}", link.what))
}

/// A value in another dtype.
pub(crate) fn cast(subject: &Subject) -> Option<Account> {
    let words = |link: &SourceElement| format!("{} as {}", link.what, subject.dtype.name());
    same_element(subject, 0, words)
}

fn same_element(
    subject: &Subject,
    place: usize,
    words: impl Fn(&SourceElement) -> String,
) -> Option<Account> {
    let operand = subject.operand(place)?;
    let index = match operand.tensor.numel() == subject.made.record.shape.iter().product::<usize>() {
        true => unravel(ravel(subject.index(), &subject.made.record.shape), operand.tensor.shape()),
        false => operand.broadcast(subject.index()),
    };
    let link = subject.link(place, &operand, &index);
    let value = operand.value(&index);
    if value != subject.value && !(value.is_nan() && subject.value.is_nan()) {
        let calc = Calc::apply(subject.dtype.name(), vec![Calc::Number(value)], subject.value);
        let as_dtype = format!("{} as {}", link.what, subject.dtype.name());
        let words = match subject.made.record.operation.explanation {
            Explanation::Cast(_) => format!("{as_dtype}, as near as it can hold it"),
            _ => format!("{}: {as_dtype}", subject.op()),
        };
        return Some(Account::words(words).figures(calc).from([link]));
    }
    Some(Account::words(words(&link)).passing(link))
}

/// An element that a mask replaced or kept.
pub(crate) fn masked_fill(subject: &Subject) -> Option<Account> {
    let mask = subject.operand(1)?;
    let at = mask.broadcast(subject.index());
    let flag = subject.link(1, &mask, &at);
    let hidden = mask.value(&at) != 0.0;
    if hidden {
        let value = subject.at(2).or_else(|| subject.operand(2).map(|operand| operand.value(&[])))?;
        let words = format!("masked: {} is True, so it is set to {}", flag.what, subject.called(2));
        return Some(Account::words(words).figures(Calc::Number(value)).from([flag]).ending(WhyEnd::Given));
    }
    let Some(link) = subject.link_at(0) else {
        return Some(
            Account::words(format!("not masked ({} is False): left as it was", flag.what)).from([flag]),
        );
    };
    let words = format!("not masked ({} is False): {} as it was", flag.what, link.what);
    Some(Account::words(words).passing(link))
}

/// An element on one side of a diagonal.
pub(crate) fn triangle(subject: &Subject, lower: bool) -> Option<Account> {
    let [.., row, column] = subject.index() else { return None };
    let diagonal = subject.int("diagonal").unwrap_or(0);
    let off = *column as i64 - *row as i64;
    let kept = if lower { off <= diagonal } else { off >= diagonal };
    let side = if lower { "above" } else { "below" };
    let operand = subject.operand(0)?;
    if kept {
        let link = subject.link(0, &operand, subject.index());
        return Some(
            Account::words(format!("{}: not {side} the diagonal, {} as it is", subject.op(), link.what))
                .passing(link),
        );
    }
    let words = format!("{}: {side} the diagonal, so it is 0", subject.op());
    Some(Account::words(words).figures(Calc::Number(0.0)).ending(WhyEnd::Constant))
}

/// An element that `x[...] = value` wrote or kept.
pub(crate) fn assigned(subject: &Subject) -> Option<Account> {
    let shape = subject.made.record.shape.clone();
    let Some(Arg::Index(parts)) = subject.args.get(2) else { return None };
    let count: usize = shape.iter().product();
    let untouched = Tensor::new(Buffer::F64(vec![0.0; count]), shape.clone(), DType::Float64);
    let source = subject.operand(1);
    let values = match &source {
        Some(operand) => {
            let numbers = (1..=operand.tensor.numel()).map(|at| at as f64).collect();
            Tensor::new(Buffer::F64(numbers), operand.tensor.shape(), DType::Float64)
        }
        None => Tensor::scalar(-1.0, DType::Float64),
    };
    index::put(&untouched, parts, &values, false).ok()?;
    let number = untouched.to_f64_vec().get(ravel(subject.index(), &shape)).copied()?;
    let at = super::given::place(subject.made.record.site.as_ref());
    if number == 0.0 {
        let before = subject.operand(0)?;
        let link = subject.link(0, &before, subject.index());
        return Some(Account::default().passing(link));
    }
    match source {
        Some(operand) => {
            let from = unravel(number as usize - 1, operand.tensor.shape());
            let link = subject.link(1, &operand, &from);
            // An unnamed value is explained by its calculation, which follows.
            let named = subject.names.knows(&operand.tensor);
            let account = match named {
                true => Account::words(format!("assigned in {at}: {}", link.what)),
                false => Account::default(),
            };
            Some(account.passing(link))
        }
        None => {
            let given = subject.args.get(1)?.number()?;
            let is_kept = given.trunc() == given || subject.dtype.is_float();
            let kept = if is_kept { "" } else { ", cut off to a whole number" };
            let words = format!("assigned in {at}: {}{kept}", subject.called(1));
            Some(Account::words(words).ending(WhyEnd::Given))
        }
    }
}

/// An element to which others were added by index.
pub(crate) fn added(subject: &Subject, by_element: bool) -> Option<Account> {
    let index_place = 2;
    let (base, index, source) = (subject.operand(0)?, subject.operand(index_place)?, subject.operand(3)?);
    let axis = subject.axis(base.tensor.ndim())?;
    let alpha = subject.number("alpha").unwrap_or(1.0);
    let own = subject.index();
    let mut links = vec![subject.link(0, &base, own)];
    let mut terms = vec![base.value(own)];
    for at in indices(index.tensor.shape()) {
        let target = index.value(&at) as usize;
        let mut from = if by_element { at.clone() } else { own.to_vec() };
        if !by_element {
            from[axis] = at.first().copied().unwrap_or(0);
        }
        let meets =
            target == own[axis] && (0..own.len()).all(|other| other == axis || from[other] == own[other]);
        if meets {
            terms.push(alpha * source.value(&from));
            links.push(subject.link(3, &source, &from));
        }
    }
    let words = format!(
        "{} with {} added where {} says {}",
        links[0].what,
        subject.called(3),
        subject.called(index_place),
        own[axis]
    );
    Some(Account::words(words).figures(Calc::terms(terms)).from(links).following(2))
}
