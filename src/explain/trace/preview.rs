//! The numbers of a result, if they are few.

use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::Explanation;

/// Results with more elements are not read.
const MOST_ELEMENTS: usize = 1 << 20;
/// Up to this many elements, the numbers themselves are shown.
const FEW: usize = 3;

/// What is said of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preview {
    /// The numbers, if they are few or all the same.
    pub(crate) numbers: Vec<String>,
    /// How many elements are nan or infinite: `9 -inf`.
    pub(crate) nonfinite: Vec<String>,
}

impl Preview {
    /// The result of an operation; empty for a view, whose elements are not new, and for a write into elements.
    pub(crate) fn of(ran: &Traced) -> Preview {
        let [result] = ran.results.as_slice() else { return Preview::default() };
        let is_unread = ran.is_view
            || ran.operation.explanation == Explanation::Assignment
            || result.layout.numel() > MOST_ELEMENTS;
        let values = if is_unread { None } else { result.floats() };
        let Some(values) = values else { return Preview::default() };
        if values.len() <= FEW {
            return Preview {
                numbers: values.iter().map(|value| figure(*value)).collect(),
                ..Preview::default()
            };
        }
        let count = |name: &str, is: fn(&f64) -> bool| {
            let count = values.iter().filter(|value| is(value)).count();
            (count > 0).then(|| format!("{count} {name}"))
        };
        let counts = [
            count("nan", |value| value.is_nan()),
            count("inf", |value| *value == f64::INFINITY),
            count("-inf", |value| *value == f64::NEG_INFINITY),
        ];
        let nonfinite: Vec<String> = counts.into_iter().flatten().collect();
        let is_one = nonfinite.is_empty() && values.iter().all(|value| *value == values[0]);
        let numbers = if is_one { vec![format!("all {}", figure(values[0]))] } else { Vec::new() };
        Preview { numbers, nonfinite }
    }
}
