//! Cross entropy and other losses: the loss of each element, and their mean or sum.
//! The losses of single elements come from running the operation without the reduction.

use std::rc::Rc;

use crate::explain::account::{Account, SourceElement, Statement};
use crate::explain::calc::Calc;
use crate::explain::subject::Subject;
use crate::explain::terms::figure;
use crate::kernel::rank::largest_first;
use crate::tensor::explanation::LossKind;
use crate::tensor::layout::unravel;
use crate::tensor::{Arg, Tensor};

/// A loss: of one element, or the mean or the sum over all.
pub(crate) fn account(subject: &Subject, kind: LossKind) -> Option<Account> {
    let place = subject.place_of("reduction")?;
    let reduction = match subject.args.get(place) {
        Some(Arg::Str(word)) => word.to_string(),
        _ => "mean".to_owned(),
    };
    let (input, target) = (subject.called(0), subject.called(1));
    let classes = is_of_classes(kind);
    if reduction == "none" {
        return if classes { one_class(subject, kind, subject.index()) } else { one(subject, kind) };
    }
    // The operation without the reduction, on the operands' values at that time.
    let mut args = subject.replaced(|_, operand| operand.snapshot());
    args[place] = Arg::Str(Rc::from("none"));
    let each: Tensor = subject.run(args)?.tensors().first().map(|&each| each.clone())?;
    let losses = each.to_f64_vec();
    let words = format!("{} of {input} against {target}: {reduction} over {}", subject.op(), losses.len());
    let largest = largest_first(&losses);
    let which = largest.first().copied().unwrap_or(0);
    let at = unravel(which, each.shape());
    let total = Calc::terms(losses.iter().copied());
    let calc = match reduction.as_str() {
        "sum" => total,
        "batchmean" => {
            total.over(Calc::Number(subject.operand(0)?.tensor.shape().first().copied().unwrap_or(1) as f64))
        }
        _ => total.over(Calc::Number(weight_of(subject, kind, losses.len())?)),
    };
    let mut account = Account::words(words).figures(calc);
    if classes {
        let of_one = one_class(subject, kind, &at)?;
        account = account.note(format!("the largest, {}, at {at:?}:", figure(losses[which])));
        account.statements.extend(of_one.statements.into_iter().map(|line| match line {
            Statement::Figures(calc) => {
                Statement::Note(format!("{} = {}", calc.text(), figure(calc.value())))
            }
            other => other,
        }));
        return Some(account.from(of_one.links).following(1));
    }
    let links: Vec<SourceElement> = [0, 1]
        .iter()
        .filter_map(|&place| {
            let operand = subject.operand(place)?;
            (operand.tensor.shape() == each.shape()).then(|| subject.link(place, &operand, &at))
        })
        .collect();
    let follow = links.len();
    Some(account.from(links).following(follow))
}

/// Whether the target is a class for each row of scores.
fn is_of_classes(kind: LossKind) -> bool {
    matches!(kind, LossKind::CrossEntropy | LossKind::NegativeLogLikelihood)
}

/// What a mean divides by: the number of losses, or the sum of their classes' weights.
fn weight_of(subject: &Subject, kind: LossKind, count: usize) -> Option<f64> {
    if !is_of_classes(kind) {
        return Some(count as f64);
    }
    let target = subject.operand(1)?;
    let weights = subject.param("weight").and_then(Arg::tensor).map(Tensor::to_f64_vec);
    let ignored = subject.int("ignore_index").unwrap_or(-100);
    let classes = target.values().into_iter().filter(|&class| class as i64 != ignored);
    Some(
        classes
            .map(|class| weights.as_ref().map_or(1.0, |all| all.get(class as usize).copied().unwrap_or(0.0)))
            .sum(),
    )
}

/// The loss of one prediction of a class.
fn one_class(subject: &Subject, kind: LossKind, at: &[usize]) -> Option<Account> {
    let (input, target) = (subject.operand(0)?, subject.operand(1)?);
    let class = target.value(at);
    if class as i64 == subject.int("ignore_index").unwrap_or(-100) {
        return Some(
            Account::words("its target is ignore_index: it does not count").figures(Calc::Number(0.0)),
        );
    }
    let axis = if input.tensor.ndim() == 1 { 0 } else { 1 };
    let scores = input.row(at, axis);
    let class = class as usize;
    let mut own = at.to_vec();
    own.insert(axis, class);
    let link = subject.link(0, &input, &own);
    let weights = subject.param("weight").and_then(Arg::tensor).map(Tensor::to_f64_vec);
    let weight = weights.and_then(|all| all.get(class).copied());
    let weighted = |calc: Calc| match weight {
        Some(weight) => Calc::Product(vec![Calc::Number(weight), calc]),
        None => calc,
    };
    if kind == LossKind::NegativeLogLikelihood {
        let words = format!("minus the log-probability of the target, class {class}: -{}", link.what);
        let calc = weighted(Calc::Number(-scores[class]));
        return Some(Account::words(words).figures(calc).from([link]));
    }
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = Calc::terms(scores.iter().map(|score| (score - most).exp()));
    let words =
        format!("minus log softmax at the target, class {class}: log of the sum of exp, less {}", link.what);
    let calc = Calc::Sum(vec![Calc::log(powers), Calc::Number(most), Calc::Number(-scores[class])]);
    Some(Account::words(words).figures(weighted(calc)).from([link]))
}

/// The loss of one pair of elements.
fn one(subject: &Subject, kind: LossKind) -> Option<Account> {
    let (x, y) = (subject.at(0)?, subject.at(1)?);
    let (a, b) = (subject.name_at(0), subject.name_at(1));
    let weighted = subject.operand(2).is_some();
    let difference = Calc::minus(x, y);
    let account = match kind {
        LossKind::Squared if !weighted => Account::words(format!("({a} - {b})^2"))
            .figures(Calc::Power(Box::new(difference), Box::new(Calc::Number(2.0)))),
        _ => {
            let calc = Calc::apply(subject.op(), vec![Calc::Number(x), Calc::Number(y)], subject.value);
            Account::words(format!("{} of {a} against {b}", subject.op())).figures(calc)
        }
    };
    Some(account.from(subject.met()).following(2))
}
