//! Elements of an operand that stand somewhere else now: joined, gathered, masked, written in place.
//! Where an element came from is asked of the operation itself: its row runs on numbered elements.

use crate::explain::account::{Account, End, Link};
use crate::explain::calc::Calc;
use crate::explain::case::Case;
use crate::explain::spot::Operand;
use crate::explain::terms::figure;
use crate::tensor::explanation::Movement;
use crate::tensor::layout::{ravel, unravel};
use crate::tensor::{Arg, Buffer, DType, Tensor, index};

/// Arguments that say where or whether, and are not themselves moved.
const WHERE: &[&str] = &["index", "indices", "mask", "condition", "repeats"];

/// The number that stands for the n-th argument that is no tensor.
fn mark(place: usize) -> f64 {
    -(place as f64) - 1.0
}

/// Where each element of the result came from: the operand, and the index in it; or the argument that was put there.
enum From {
    Element(usize, Operand, Vec<usize>),
    Argument(usize),
    Zero,
}

/// Asks the operation where the element came from.
fn origin(case: &Case, movement: Movement) -> Option<From> {
    let params = case.row()?.params().get(case.made.record.form)?;
    let mut known: Vec<(usize, Operand, usize)> = Vec::new();
    let mut next = 1usize;
    let mut args = case.replaced(|place, operand| {
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
    let given = case.run(args)?;
    let results = given.tensors();
    let result = results.get(case.made.output)?;
    let number = result.to_f64_vec().get(ravel(case.index(), result.shape())).copied()?;
    if number == 0.0 {
        return Some(From::Zero);
    }
    if number < 0.0 {
        return Some(From::Argument((-number - 1.0) as usize));
    }
    let number = number as usize;
    let (place, operand, first) = known.into_iter().rev().find(|(_, _, first)| *first <= number)?;
    let index = unravel(number - first, operand.tensor.shape());
    Some(From::Element(place, operand, index))
}

/// An element that was moved here.
pub fn account(case: &Case, movement: Movement) -> Option<Account> {
    if case.is_set("accumulate")
        || case.args.iter().any(|arg| matches!(arg, Arg::Str(word) if matches!(&**word, "add" | "multiply")))
    {
        return None;
    }
    if movement == Movement::Chosen {
        return if case.args.len() < 3 { None } else { chosen(case) };
    }
    match origin(case, movement)? {
        From::Element(place, operand, index) => {
            let link = match case.args.get(place) {
                Some(Arg::Tensors(_)) => case.listed(&operand, &index),
                _ => case.link(place, &operand, &index),
            };
            let words = match movement {
                Movement::Embedded => {
                    let [row, ..] = index.as_slice() else { return None };
                    format!("embedding: row {row} of {}: {}", case.called(1), link.what)
                }
                _ => format!("{}: {}", verb(case, movement), link.what),
            };
            Some(Account::words(words).passing(link))
        }
        From::Argument(place) => {
            let number = case.args.get(place)?.number()?;
            let words = format!("{}: filled with {}", verb(case, movement), figure(number));
            Some(Account::words(words).figures(Calc::Number(case.value)).ending(End::Given))
        }
        From::Zero => {
            let words = format!("{}: nothing stood here, filled with 0", verb(case, movement));
            Some(Account::words(words).figures(Calc::Number(0.0)).ending(End::Constant))
        }
    }
}

/// What an operation does, in words.
fn verb(case: &Case, movement: Movement) -> String {
    let op = case.op();
    match movement {
        Movement::Joined => format!("{op}: joined, from"),
        Movement::Stacked => format!("{op}: laid on top of each other, from"),
        Movement::LookedUp => format!("{op}: looked up, from"),
        Movement::Embedded | Movement::Chosen | Movement::Filled | Movement::Part | Movement::Rearranged => {
            op.to_owned()
        }
    }
}

/// `torch.where`: which of the two was taken.
fn chosen(case: &Case) -> Option<Account> {
    let condition = case.at(0)? != 0.0;
    let place = if condition { 1 } else { 2 };
    let words = format!(
        "where {} is {}: {}",
        case.name_at(0),
        if condition { "True" } else { "False" },
        case.name_at(place)
    );
    match case.operand(place) {
        Some(operand) => {
            let index = operand.broadcast(case.index());
            Some(Account::words(words).passing(case.link(place, &operand, &index)))
        }
        None => Some(Account::words(words).figures(Calc::Number(case.at(place)?)).ending(End::Given)),
    }
}

/// A copy: the element in the same row-major place of the operand.
pub fn copied(case: &Case) -> Option<Account> {
    let words = |link: &Link| format!("a copy ({}) of {}", case.op(), link.what);
    same_element(case, 0, words)
}

/// An element that another tensor's was written over.
pub fn copied_from(case: &Case) -> Option<Account> {
    same_element(case, 1, |link| format!("written over with {}", link.what))
}

fn same_element(case: &Case, place: usize, words: impl Fn(&Link) -> String) -> Option<Account> {
    let operand = case.operand(place)?;
    let index = match operand.tensor.numel() == case.made.record.shape.iter().product::<usize>() {
        true => unravel(ravel(case.index(), &case.made.record.shape), operand.tensor.shape()),
        false => operand.broadcast(case.index()),
    };
    let link = case.link(place, &operand, &index);
    let value = operand.value(&index);
    if value != case.value && !(value.is_nan() && case.value.is_nan()) {
        let calc = Calc::apply(case.dtype.name(), vec![Calc::Number(value)], case.value);
        let words = format!("{}: {} as {}", case.op(), link.what, case.dtype.name());
        return Some(Account::words(words).figures(calc).from([link]));
    }
    Some(Account::words(words(&link)).passing(link))
}

/// An element that a mask hid or let stand.
pub fn masked_fill(case: &Case) -> Option<Account> {
    let mask = case.operand(1)?;
    let at = mask.broadcast(case.index());
    let flag = case.link(1, &mask, &at);
    let hidden = mask.value(&at) != 0.0;
    if hidden {
        let value = case.at(2).or_else(|| case.operand(2).map(|operand| operand.value(&[])))?;
        let words = format!("masked: {} is True, so it is set to {}", flag.what, case.called(2));
        return Some(Account::words(words).figures(Calc::Number(value)).from([flag]).ending(End::Given));
    }
    let Some(operand) = case.operand(0) else {
        return Some(
            Account::words(format!("not masked ({} is False): left as it was", flag.what)).from([flag]),
        );
    };
    let link = case.link(0, &operand, &operand.broadcast(case.index()));
    let words = format!("not masked ({} is False): {} as it was", flag.what, link.what);
    Some(Account::words(words).passing(link))
}

/// An element on this or that side of a diagonal.
pub fn triangle(case: &Case, lower: bool) -> Option<Account> {
    let [.., row, column] = case.index() else { return None };
    let diagonal = case.int("diagonal").unwrap_or(0);
    let off = *column as i64 - *row as i64;
    let kept = if lower { off <= diagonal } else { off >= diagonal };
    let side = if lower { "above" } else { "below" };
    let operand = case.operand(0)?;
    if kept {
        let link = case.link(0, &operand, case.index());
        return Some(
            Account::words(format!("{}: not {side} the diagonal, {} as it is", case.op(), link.what))
                .passing(link),
        );
    }
    let words = format!("{}: {side} the diagonal, so it is 0", case.op());
    Some(Account::words(words).figures(Calc::Number(0.0)).ending(End::Constant))
}

/// An element that `x[...] = value` wrote, or left alone.
pub fn assigned(case: &Case) -> Option<Account> {
    let shape = case.made.record.shape.clone();
    let Some(Arg::Index(parts)) = case.args.get(2) else { return None };
    let count: usize = shape.iter().product();
    let untouched = Tensor::new(Buffer::F64(vec![0.0; count]), shape.clone(), DType::Float64);
    let source = case.operand(1);
    let values = match &source {
        Some(operand) => {
            let numbers = (1..=operand.tensor.numel()).map(|at| at as f64).collect();
            Tensor::new(Buffer::F64(numbers), operand.tensor.shape(), DType::Float64)
        }
        None => Tensor::scalar(-1.0, DType::Float64),
    };
    index::set(&untouched, parts, &values).ok()?;
    let number = untouched.to_f64_vec().get(ravel(case.index(), &shape)).copied()?;
    let at = super::given::place(case.made.record.site.as_ref());
    if number == 0.0 {
        let before = case.operand(0)?;
        let link = case.link(0, &before, case.index());
        return Some(Account { through: true, links: vec![link], follow: 1, ..Account::default() });
    }
    match source {
        Some(operand) => {
            let from = unravel(number as usize - 1, operand.tensor.shape());
            let link = case.link(1, &operand, &from);
            // The name of a fresh number would say nothing but how it was worked out, which follows.
            let named = case.names.knows(&operand.tensor);
            let says = if named {
                Account::words(format!("assigned in {at}: {}", link.what)).says
            } else {
                Vec::new()
            };
            Some(Account { says, through: true, links: vec![link], follow: 1, ..Account::default() })
        }
        None => {
            let given = case.args.get(1)?.number()?;
            let kept = if given.trunc() == given || case.dtype.is_float() {
                ""
            } else {
                ", cut off to a whole number"
            };
            let words = format!("assigned in {at}: {}{kept}", case.called(1));
            Some(Account::words(words).ending(End::Given))
        }
    }
}

/// An element to which others were added by index.
pub fn added(case: &Case, by_element: bool) -> Option<Account> {
    let index_place = 2;
    let (base, index, source) = (case.operand(0)?, case.operand(index_place)?, case.operand(3)?);
    let axis = case.axis(base.tensor.ndim())?;
    let alpha = case.number("alpha").unwrap_or(1.0);
    let own = case.index();
    let mut links = vec![case.link(0, &base, own)];
    let mut terms = vec![base.value(own)];
    for at in index.indices() {
        let target = index.value(&at) as usize;
        let from: Vec<usize> = if by_element {
            at.clone()
        } else {
            let mut from = own.to_vec();
            from[axis] = at.first().copied().unwrap_or(0);
            from
        };
        let meets =
            target == own[axis] && (0..own.len()).all(|other| other == axis || from[other] == own[other]);
        if meets {
            terms.push(alpha * source.value(&from));
            links.push(case.link(3, &source, &from));
        }
    }
    let words = format!(
        "{} with {} added where {} says {}",
        links[0].what,
        case.called(3),
        case.called(index_place),
        own[axis]
    );
    Some(Account::words(words).figures(Calc::terms(terms)).from(links).following(2))
}
