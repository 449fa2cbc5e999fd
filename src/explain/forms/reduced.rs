//! Sums, means, variances and extremes over dimensions; running sums.

use super::pointwise;
use crate::explain::account::{Account, LINKS, SourceElement};
use crate::explain::calc::Calc;
use crate::explain::storage_element::{PastOperand, indices};
use crate::explain::subject::{Subject, along, numbers};
use crate::explain::terms::{figure, largest};
use crate::kernel::rank::largest_magnitude_first;
use crate::tensor::Arg;
use crate::tensor::explanation::{ExtremeResult, Extremum, Formula, Reducer, RunningKind};
use crate::tensor::layout::{wrap_dim, wrap_dims};

/// The elements of an operand that one element of the result was computed from.
pub(crate) struct ReducedElements {
    pub(crate) operand: PastOperand,
    /// The elements' indices.
    pub(crate) at: Vec<Vec<usize>>,
    /// `row 1 of attn_scores`.
    pub(crate) name: String,
}

impl ReducedElements {
    /// The elements that are reduced over the dimensions that the argument `dim` names.
    pub(crate) fn reduced(subject: &Subject) -> Option<ReducedElements> {
        let operand = subject.operand(0)?;
        let ndim = operand.tensor.ndim();
        let all = || (0..ndim).collect();
        let dims: Vec<usize> = match subject.param("dim") {
            Some(Arg::Int(dim)) => vec![wrap_dim(*dim, ndim).ok()?],
            Some(Arg::Ints(dims)) if !dims.is_empty() => wrap_dims(dims, ndim).ok()?,
            _ => all(),
        };
        let dims: Vec<usize> = if ndim == 0 { Vec::new() } else { dims };
        ReducedElements::over(subject, operand, &dims)
    }

    /// The elements that are reduced over these dimensions.
    pub(crate) fn over(subject: &Subject, operand: PastOperand, dims: &[usize]) -> Option<ReducedElements> {
        let shape = operand.tensor.shape().to_vec();
        let index = subject.index();
        let keeps = index.len() == shape.len();
        let mut given = index.iter().copied();
        let mut lead: Vec<Option<usize>> = Vec::new();
        for axis in 0..shape.len() {
            let reduced = dims.contains(&axis);
            let own = if reduced && !keeps { None } else { given.next() };
            lead.push(if reduced { None } else { Some(own?) });
        }
        let mut sorted = dims.to_vec();
        sorted.sort_unstable();
        let sizes: Vec<usize> = sorted.iter().map(|&axis| shape[axis]).collect();
        let whole = |turn: Vec<usize>| {
            let mut turns = turn.into_iter();
            lead.iter().map(|fixed| fixed.unwrap_or_else(|| turns.next().unwrap_or(0))).collect()
        };
        let at = indices(&sizes).into_iter().map(whole).collect();
        let name = subject.called(0);
        let name = match sorted.as_slice() {
            [axis] => along(&name, &lead.iter().flatten().copied().collect::<Vec<_>>(), *axis),
            _ if sorted.len() == shape.len() => name.to_string(),
            _ => {
                let parts: Vec<String> =
                    lead.iter().map(|fixed| fixed.map_or(":".to_owned(), |at| at.to_string())).collect();
                name.sliced(&parts).to_string()
            }
        };
        Some(ReducedElements { operand, at, name })
    }

    pub(crate) fn values(&self) -> Vec<f64> {
        self.at.iter().map(|index| self.operand.value(index)).collect()
    }

    pub(crate) fn link(&self, subject: &Subject, which: usize) -> SourceElement {
        subject.link(0, &self.operand, &self.at[which])
    }

    /// The elements, the largest in magnitude first.
    pub(crate) fn links(&self, subject: &Subject, values: &[f64]) -> Vec<SourceElement> {
        let order = largest_magnitude_first(values.iter().copied());
        order.into_iter().take(LINKS).map(|which| self.link(subject, which)).collect()
    }
}

/// A sum, or what is computed from one.
pub(crate) fn reduction(subject: &Subject, reducer: Reducer) -> Option<Account> {
    let met = ReducedElements::reduced(subject)?;
    let values = met.values();
    let links = met.links(subject, &values);
    let words = format!("{} of {}", subject.op(), met.name);
    let account = |words: String| Account::words(words).from(links.clone()).following(1).led("the largest");
    let many = values.len() as f64;
    Some(match reducer {
        Reducer::Sum => account(words).figures(Calc::terms(values)),
        Reducer::Mean => account(words).figures(Calc::terms(values).over(Calc::Number(many))),
        Reducer::Product => account(words).figures(Calc::Product(numbers(&values))),
        Reducer::LogSumExp => {
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if !most.is_finite() {
                return Some(account(words).figures(Calc::Number(most)));
            }
            let powers: Vec<f64> = values.iter().map(|value| (value - most).exp()).collect();
            let calc = Calc::Sum(vec![Calc::Number(most), Calc::log(Calc::terms(powers))]);
            account(format!("log of the sum of exp over {}, the largest taken out first", met.name))
                .figures(calc)
        }
        Reducer::Norm => {
            let p = match subject.param("p").or_else(|| subject.param("ord")) {
                Some(Arg::Str(word)) if **word == *"fro" => 2.0,
                Some(Arg::None) | None => 2.0,
                Some(arg) => arg.number()?,
            };
            if p == 2.0 {
                let squares = Calc::terms(values.iter().map(|value| value * value));
                account(format!("length of {}: the root of the sum of squares", met.name))
                    .figures(Calc::sqrt(squares))
            } else if p == 1.0 {
                account(format!("sum of magnitudes of {}", met.name))
                    .figures(Calc::terms(values.iter().map(|it| it.abs())))
            } else {
                return None;
            }
        }
        Reducer::All | Reducer::Any => {
            let count = values.iter().filter(|&&value| value != 0.0).count();
            let truth = if reducer == Reducer::All { count == values.len() } else { count > 0 };
            account(format!(
                "{}: {count} of the {} elements of {} hold",
                subject.op(),
                values.len(),
                met.name
            ))
            .figures(Calc::Truth(truth))
        }
    })
}

/// A variance or a standard deviation.
pub(crate) fn spread(subject: &Subject, root: bool) -> Option<Account> {
    let met = ReducedElements::reduced(subject)?;
    let values = met.values();
    let many = values.len() as f64;
    let mean = values.iter().sum::<f64>() / many;
    let links = met.links(subject, &values.iter().map(|value| value - mean).collect::<Vec<_>>());
    let correction = subject.number("correction").or_else(|| subject.number("unbiased")).unwrap_or(1.0);
    let squares = Calc::terms(values.iter().map(|value| (value - mean).powi(2)));
    let less = Calc::Number((many - correction).max(0.0));
    let variance = squares.over(less);
    let words = format!(
        "{} of {}: squared distances from the mean {}, over {} - {}",
        if root { "root of the variance" } else { "variance" },
        met.name,
        figure(mean),
        figure(many),
        figure(correction)
    );
    let calc = if root { Calc::sqrt(variance) } else { variance };
    Some(Account::words(words).figures(calc).from(links).following(1).led("the farthest from the mean"))
}

/// The largest, smallest or middle element, or its index.
pub(crate) fn extreme(subject: &Subject, which: Extremum, gives: ExtremeResult) -> Option<Account> {
    let second = subject.made.output == 1;
    let wants_largest = which == Extremum::Largest;
    if subject.args.get(1).and_then(Arg::tensor).is_some() {
        return pointwise::account(subject, if wants_largest { Formula::Larger } else { Formula::Smaller });
    }
    let met = ReducedElements::reduced(subject)?;
    let values = met.values();
    let places = match gives {
        ExtremeResult::Value => false,
        ExtremeResult::Place => true,
        ExtremeResult::ValueAndPlace => second,
    };
    let better = |a: f64, b: f64| a.is_nan() || (!b.is_nan() && if wants_largest { a > b } else { a < b });
    let is_middle = which == Extremum::Middle;
    let at = match places {
        // The result is the index; of equal elements the operation chose one.
        true if met.at.len() > subject.value as usize => subject.value as usize,
        _ if is_middle => values.iter().position(|&value| value == subject.value)?,
        _ => (0..values.len()).reduce(|best, at| if better(values[at], values[best]) { at } else { best })?,
    };
    let word = match which {
        Extremum::Middle => "the middle of",
        _ if wants_largest => "the largest of",
        _ => "the smallest of",
    };
    let link = met.link(subject, at);
    let words = match places {
        true => format!("{} = {} is {word} {}: index {at}", link.what, figure(values[at]), met.name),
        false => format!("{word} {}: {}", met.name, link.what),
    };
    let (_, cut) = largest(&values);
    let calc = match places {
        true => Calc::Number(at as f64),
        false if is_middle || cut => Calc::Number(values[at]),
        false => Calc::apply(if wants_largest { "max" } else { "min" }, numbers(&values), values[at]),
    };
    Some(Account::words(words).figures(calc).from([link]))
}

/// The elements of a row up to the result's index.
fn up_to(subject: &Subject, operand: PastOperand, axis: usize) -> Option<ReducedElements> {
    let mut lead = subject.index().to_vec();
    let last = if lead.is_empty() { 0 } else { lead.remove(axis) };
    let mut at = operand.line(&lead, axis);
    at.truncate(last + 1);
    let name = along(&subject.called(0), &lead, axis);
    Some(ReducedElements { operand, at, name })
}

/// A running sum or product.
pub(crate) fn running(subject: &Subject, kind: RunningKind) -> Option<Account> {
    let operand = subject.operand(0)?;
    let axis = subject.axis(operand.tensor.ndim())?;
    let met = up_to(subject, operand, axis)?;
    let values = met.values();
    let links = met.links(subject, &values);
    let first = format!("the first {} of {}", values.len(), met.name);
    let account = match kind {
        RunningKind::Sum => Account::words(format!("running sum: {first}")).figures(Calc::terms(values)),
        RunningKind::Product => {
            Account::words(format!("running product: {first}")).figures(Calc::Product(numbers(&values)))
        }
    };
    Some(account.from(links).following(1).led("the largest"))
}
