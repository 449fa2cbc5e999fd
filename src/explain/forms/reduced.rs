//! Sums, means, variances and extremes over dimensions; running sums; distances and pooling.

use super::pointwise;
use crate::explain::account::{Account, LINKS, SourceElement};
use crate::explain::calc::Calc;
use crate::explain::storage_element::PastOperand;
use crate::explain::subject::{Subject, along, numbers};
use crate::explain::terms::{figure, largest};
use crate::kernel::rank::largest_magnitude_first;
use crate::tensor::Arg;
use crate::tensor::explanation::{DistanceKind, ExtremeResult, Extremum, Formula, Reducer, RunningKind};
use crate::tensor::layout::unravel;
use crate::tensor::layout::{wrap_dim, wrap_dims};

/// The elements of an operand that one element of the result was computed from.
pub(crate) struct ReducedElements {
    pub(crate) operand: PastOperand,
    /// The elements' indices.
    pub(crate) at: Vec<Vec<usize>>,
    /// `row 1 of attn_scores`.
    pub(crate) name: String,
    /// Its place among the arguments.
    pub(crate) place: usize,
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
        let sizes: Vec<usize> = dims.iter().map(|&axis| shape[axis]).collect();
        let count: usize = sizes.iter().product();
        let mut sorted = dims.to_vec();
        sorted.sort_unstable();
        let sizes: Vec<usize> = sorted.iter().map(|&axis| shape[axis]).collect();
        let at = (0..count)
            .map(|flat| {
                let turn = unravel(flat, &sizes);
                let mut turns = turn.into_iter();
                lead.iter().map(|fixed| fixed.unwrap_or_else(|| turns.next().unwrap_or(0))).collect()
            })
            .collect();
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
        Some(ReducedElements { operand, at, name, place: 0 })
    }

    pub(crate) fn values(&self) -> Vec<f64> {
        self.at.iter().map(|index| self.operand.value(index)).collect()
    }

    pub(crate) fn link(&self, subject: &Subject, which: usize) -> SourceElement {
        subject.link(self.place, &self.operand, &self.at[which])
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
    let mut values = met.values();
    let links = met.links(subject, &values);
    let words = format!("{} of {}", subject.op(), met.name);
    let account = |words: String| Account::words(words).from(links.clone()).following(1).led("the largest");
    let many = values.len() as f64;
    Some(match reducer {
        Reducer::Sum => account(words).figures(Calc::terms(values)),
        Reducer::Mean => account(words).figures(Calc::terms(values).over(Calc::Number(many))),
        Reducer::NanSum | Reducer::NanMean => {
            values.retain(|value| !value.is_nan());
            let left = Calc::Number(values.len() as f64);
            let total = Calc::terms(values);
            let calc = if reducer == Reducer::NanSum { total } else { total.over(left) };
            account(format!("{words}, nan left out")).figures(calc)
        }
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
        Reducer::CountNonzero => {
            let count = values.iter().filter(|&&value| value != 0.0).count();
            account(format!("{count} of the {} elements of {} are not 0", values.len(), met.name))
                .figures(Calc::Number(count as f64))
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

/// A variance, a standard deviation, or the mean that is returned with it.
pub(crate) fn spread(subject: &Subject, root: bool, with_mean: bool) -> Option<Account> {
    let met = ReducedElements::reduced(subject)?;
    let values = met.values();
    let many = values.len() as f64;
    let mean = values.iter().sum::<f64>() / many;
    let links = met.links(subject, &values.iter().map(|value| value - mean).collect::<Vec<_>>());
    if with_mean && subject.made.output == 1 {
        let calc = Calc::terms(values).over(Calc::Number(many));
        return Some(Account::words(format!("mean of {}", met.name)).figures(calc).from(links).following(1));
    }
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
pub(crate) fn extreme(
    subject: &Subject,
    which: Extremum,
    gives: ExtremeResult,
    running: bool,
) -> Option<Account> {
    let second = subject.made.output == 1;
    let wants_largest = which == Extremum::Largest;
    if subject.args.get(1).and_then(Arg::tensor).is_some() {
        return pointwise::account(subject, if wants_largest { Formula::Larger } else { Formula::Smaller });
    }
    let met = match running {
        true => {
            let operand = subject.operand(0)?;
            let axis = subject.axis(operand.tensor.ndim())?;
            up_to(subject, operand, axis)?
        }
        false => ReducedElements::reduced(subject)?,
    };
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
        _ if is_middle || running => values.iter().position(|&value| value == subject.value)?,
        _ => (0..values.len()).reduce(|best, at| if better(values[at], values[best]) { at } else { best })?,
    };
    let word = match which {
        Extremum::Middle => "the middle of",
        _ if wants_largest => "the largest of",
        _ => "the smallest of",
    };
    let so_far = if running { " so far" } else { "" };
    let link = met.link(subject, at);
    let words = match places {
        true => {
            format!("{} = {} is {word} {}{so_far}: index {at}", link.what, figure(values[at]), met.name)
        }
        false => format!("{word} {}{so_far}: {}", met.name, link.what),
    };
    let (shown, cut) = largest(&values);
    let shown: Vec<f64> = match (cut, wants_largest) {
        (false, _) => values.clone(),
        (true, true) => shown.iter().map(|&at| values[at]).collect(),
        (true, false) => vec![values[at]],
    };
    let calc = match places {
        true => Calc::Number(at as f64),
        false if is_middle || cut => Calc::Number(values[at]),
        false => Calc::apply(if wants_largest { "max" } else { "min" }, numbers(&shown), values[at]),
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
    Some(ReducedElements { operand, at, name, place: 0 })
}

/// A running sum or product, or the difference of neighbours.
pub(crate) fn running(subject: &Subject, kind: RunningKind) -> Option<Account> {
    let operand = subject.operand(0)?;
    let axis = subject.axis(operand.tensor.ndim())?;
    if kind == RunningKind::Difference {
        if subject.int("n").unwrap_or(1) != 1 {
            return None;
        }
        let (mut next, own) = (subject.index().to_vec(), subject.index().to_vec());
        next[axis] += 1;
        let links = [subject.link(0, &operand, &next), subject.link(0, &operand, &own)];
        let words = format!("{} - {}", links[0].what, links[1].what);
        let calc = Calc::minus(operand.value(&next), operand.value(&own));
        return Some(Account::words(words).figures(calc).from(links).following(2));
    }
    let met = up_to(subject, operand, axis)?;
    let values = met.values();
    let links = met.links(subject, &values);
    let first = format!("the first {} of {}", values.len(), met.name);
    let account = match kind {
        RunningKind::Difference => return None,
        RunningKind::Sum => Account::words(format!("running sum: {first}")).figures(Calc::terms(values)),
        RunningKind::Product => {
            Account::words(format!("running product: {first}")).figures(Calc::Product(numbers(&values)))
        }
    };
    Some(account.from(links).following(1).led("the largest"))
}

/// A distance or a similarity of two vectors.
pub(crate) fn distance(subject: &Subject, kind: DistanceKind) -> Option<Account> {
    let p = subject.number("p").unwrap_or(2.0);
    let (a, b) = (subject.operand(0)?, subject.operand(1)?);
    let (a_name, b_name, index) = (subject.called(0), subject.called(1), subject.index());
    let ndim = a.tensor.ndim().max(b.tensor.ndim());
    let (axis, lead): (usize, Vec<usize>) = match kind {
        DistanceKind::EachToEach => {
            let [batch @ .., i, j] = index else { return None };
            let (left, right) = ([batch, &[*i]].concat(), [batch, &[*j]].concat());
            if a.tensor.ndim() != b.tensor.ndim() || a.tensor.ndim() != index.len() {
                return None;
            }
            let (x, y) = (a.row(&left, ndim - 1), b.row(&right, ndim - 1));
            let differences: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y).collect();
            let between = format!("{} and {}", a_name.element(&left), b_name.element(&right));
            return norm_of(&differences, p, &between, 0.0);
        }
        DistanceKind::Pairwise => (ndim - 1, index[..ndim - 1].to_vec()),
        DistanceKind::Cosine => (wrap_dim(subject.int("dim").unwrap_or(1), ndim).ok()?, index.to_vec()),
    };
    if a.tensor.shape() != b.tensor.shape() {
        return None;
    }
    let (x, y) = (a.row(&lead, axis), b.row(&lead, axis));
    if kind == DistanceKind::Pairwise {
        let eps = subject.number("eps").unwrap_or(1e-6);
        let differences: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x - y + eps).collect();
        let between = format!("{} and {}", a_name.element(&lead), b_name.element(&lead));
        return norm_of(&differences, p, &between, eps);
    }
    let eps = subject.number("eps").unwrap_or(1e-8);
    let length = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt().max(eps);
    let lengths = Calc::Product(vec![Calc::Number(length(&x)), Calc::Number(length(&y))]);
    let (left, right) = (along(&a_name, &lead, axis), along(&b_name, &lead, axis));
    let words =
        format!("cosine of the angle between {left} and {right}: their dot product over both lengths");
    let terms = Calc::terms(x.iter().zip(&y).map(|(x, y)| x * y));
    Some(Account::words(words).figures(terms.over(lengths)))
}

fn norm_of(differences: &[f64], p: f64, between: &str, eps: f64) -> Option<Account> {
    let added = if eps == 0.0 { String::new() } else { format!(" (each difference plus {})", figure(eps)) };
    let words = format!("distance between {between}{added}");
    if p == 1.0 {
        return Some(Account::words(words).figures(Calc::terms(differences.iter().map(|it| it.abs()))));
    }
    if p != 2.0 {
        return None;
    }
    Some(Account::words(words).figures(Calc::sqrt(Calc::terms(differences.iter().map(|it| it * it)))))
}

/// The mean or the largest of a window of the last dimension.
pub(crate) fn pooled(subject: &Subject, largest: bool) -> Option<Account> {
    let operand = subject.operand(0)?;
    let first = |name: &str| match subject.param(name) {
        Some(Arg::Ints(values)) => values.first().copied(),
        Some(Arg::Int(value)) => Some(*value),
        _ => None,
    };
    let width = first("kernel_size")?;
    let stride = first("stride").unwrap_or(width);
    let (padding, dilation) = (first("padding").unwrap_or(0), first("dilation").unwrap_or(1));
    let axis = operand.tensor.ndim() - 1;
    let length = operand.tensor.shape()[axis] as i64;
    let begin = subject.index()[axis] as i64 * stride - padding;
    let inside: Vec<usize> = (0..width)
        .map(|at| begin + at * dilation)
        .filter(|at| (0..length).contains(at))
        .map(|at| at as usize)
        .collect();
    let at: Vec<Vec<usize>> = inside
        .iter()
        .map(|&place| {
            let mut index = subject.index().to_vec();
            index[axis] = place;
            index
        })
        .collect();
    let met = ReducedElements { operand, at, name: subject.called(0).to_string(), place: 0 };
    let values = met.values();
    let window = format!("positions {} to {} of {}", inside.first()?, inside.last()?, met.name);
    if largest {
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let which = values.iter().position(|&value| value == best)?;
        let calc = Calc::apply("max", numbers(&values), best);
        return Some(
            Account::words(format!("the largest of {window}")).figures(calc).from([met.link(subject, which)]),
        );
    }
    let counts_padding = !matches!(subject.param("count_include_pad"), Some(Arg::Bool(false)));
    let end = (begin + width).min(length + padding);
    let count = if counts_padding { (end - begin) as f64 } else { values.len() as f64 };
    let links = met.links(subject, &values);
    Some(
        Account::words(format!("mean of {window}"))
            .figures(Calc::terms(values).over(Calc::Number(count)))
            .from(links),
    )
}
