//! Softmax and normalisation layers, computed from the operand's values in double precision.

use super::reduced::ReducedElements;
use crate::explain::account::{Account, LINKS, SourceElement};
use crate::explain::calc::Calc;
use crate::explain::subject::{Subject, along};
use crate::explain::terms::figure;
use crate::kernel::rank::largest_first;
use crate::tensor::Arg;
use crate::tensor::explanation::{NormKind, SoftmaxKind};
use crate::tensor::layout::{implicit_dim, wrap_dim};

/// One weight of a softmax, or its logarithm.
pub(crate) fn softmax(subject: &Subject, kind: SoftmaxKind) -> Option<Account> {
    let x = subject.operand(0)?;
    let ndim = x.tensor.ndim();
    let axis = wrap_dim(subject.int("dim").unwrap_or_else(|| implicit_dim(ndim)), ndim).ok()?;
    let mut lead = subject.index().to_vec();
    let place = if ndim == 0 { 0 } else { lead.remove(axis) };
    let scores: Vec<f64> = x.row(&lead, axis);
    let own = scores[place];
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let over = along(&subject.called(0), &lead, axis);
    let at = |place: usize| x.line(&lead, axis).swap_remove(place);
    let link = |place: usize| subject.link(0, &x, &at(place));
    let others = largest_first(&scores).into_iter().filter(|&at| at != place).take(LINKS - 1);
    let links: Vec<SourceElement> = std::iter::once(place).chain(others).map(link).collect();
    let account = Account::words(format!("{} over {over}", subject.op())).from(links).following(1);
    if !most.is_finite() {
        let because = if most == f64::NEG_INFINITY {
            "every score is -inf: exp(-inf - -inf) has no value"
        } else {
            "a score is inf or nan: no weight has a value"
        };
        return Some(account.note(because));
    }
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = powers.iter().sum();
    let difference = Calc::minus(own, most);
    if kind == SoftmaxKind::Log {
        let sum = Calc::Sum(vec![Calc::Number(own), Calc::Number(-most), minus_log(&powers)]);
        return Some(account.figures(sum).figures(Calc::minus(own - most, total.ln())));
    }
    let account = account.figures(Calc::exp(difference).over(Calc::terms(powers.iter().copied())));
    let account = account.figures(Calc::Term(powers[place]).over(Calc::Term(total)));
    let hidden = scores.iter().filter(|&&score| score == f64::NEG_INFINITY).count();
    Some(match (own == f64::NEG_INFINITY, hidden) {
        (true, _) => account.note("its score is -inf: exp(-inf) is 0"),
        (false, 0) => account,
        (false, 1) => account.note(format!("1 of the {} scores is -inf and counts 0", scores.len())),
        (false, _) => account.note(format!("{hidden} of the {} scores are -inf and count 0", scores.len())),
    })
}

/// `- log(sum)` as a term of a sum.
fn minus_log(powers: &[f64]) -> Calc {
    let log = Calc::log(Calc::terms(powers.iter().copied()));
    Calc::Product(vec![Calc::Number(-1.0), log])
}

/// An element of a normalisation layer.
pub(crate) fn norm(subject: &Subject, kind: NormKind) -> Option<Account> {
    let x = subject.operand(0)?;
    let shape = x.tensor.shape().to_vec();
    let Some(Arg::Ints(normal)) = subject.param("normalized_shape") else { return None };
    let first = shape.len() - normal.len();
    // The elements that are normalised together, and the index of the element's weight and bias.
    let met = ReducedElements::over(subject, x.clone(), &(first..shape.len()).collect::<Vec<_>>())?;
    let own = subject.index()[first..].to_vec();
    let params = |name: &str| {
        let place = subject.place_of(name)?;
        let operand = subject.operand(place)?;
        let value = operand.value(&own);
        Some((value, subject.link(place, &operand, &own)))
    };
    let (weight, bias) = (params("weight"), params("bias"));
    let values = met.values();
    let many = values.len() as f64;
    let value = x.value(subject.index());
    let eps = subject.number("eps").unwrap_or(subject.dtype.epsilon());
    let root_only = kind == NormKind::Rms;
    let mean = if root_only { 0.0 } else { values.iter().sum::<f64>() / many };
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / many;
    let top = if root_only { Calc::Number(value) } else { Calc::minus(value, mean) };
    let below = Calc::sqrt(Calc::Sum(vec![Calc::Number(variance), Calc::Number(eps)]));
    let mut calc = top.over(below);
    let mut words = match root_only {
        true => format!("{} over the root of the mean square of {}", subject.called(0), met.name),
        false => format!("(x - mean) / sqrt(variance + {}) over {}", figure(eps), met.name),
    };
    let mut links = vec![subject.link(0, &x, subject.index())];
    if let Some((gain, link)) = weight {
        calc = Calc::Product(vec![calc, Calc::Number(gain)]);
        words.push_str(&format!(", times {}", link.what));
        links.push(link);
    }
    if let Some((shift, link)) = bias {
        calc = Calc::Sum(vec![calc, Calc::Number(shift)]);
        words.push_str(&format!(", plus {}", link.what));
        links.push(link);
    }
    let mut account = Account::words(words).figures(calc).from(links).following(1);
    if !root_only {
        account = account.note(format!(
            "mean {}, variance {} (over {}, nothing taken off)",
            figure(mean),
            figure(variance),
            figure(many)
        ));
    }
    Some(account)
}

/// An element divided by the length of its row.
pub(crate) fn normalize(subject: &Subject) -> Option<Account> {
    let x = subject.operand(0)?;
    let ndim = x.tensor.ndim();
    let axis = wrap_dim(subject.int("dim").unwrap_or(1), ndim).ok()?;
    let mut lead = subject.index().to_vec();
    if ndim > 0 {
        lead.remove(axis);
    }
    if subject.number("p").unwrap_or(2.0) != 2.0 {
        return None;
    }
    let values = x.row(&lead, axis);
    let own = subject.link(0, &x, subject.index());
    let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let eps = subject.number("eps").unwrap_or(1e-12);
    let below = match length < eps {
        true => Calc::Number(eps),
        false => Calc::sqrt(Calc::terms(values.iter().map(|value| value * value))),
    };
    let words = format!("{} over the length of {}", own.what, along(&subject.called(0), &lead, axis));
    Some(Account::words(words).figures(Calc::Number(x.value(subject.index())).over(below)).from([own]))
}
