//! Sorted elements and their places in the operand.

use crate::explain::account::Account;
use crate::explain::calc::Calc;
use crate::explain::subject::{Subject, along};
use crate::explain::terms::figure;
use crate::tensor::Arg;
use crate::tensor::explanation::OrderKind;
use crate::tensor::layout::wrap_dim;

/// An element by its rank, or the place of that element.
pub(crate) fn account(subject: &Subject, kind: OrderKind) -> Option<Account> {
    let x = subject.operand(0)?;
    let ndim = x.tensor.ndim();
    let axis = wrap_dim(subject.int("dim").unwrap_or(-1), ndim).ok()?;
    let mut lead = subject.index().to_vec();
    let rank = if ndim == 0 { 0 } else { lead.remove(axis) };
    let values = x.row(&lead, axis);
    let places = kind == OrderKind::ArgSort || subject.made.output == 1;
    let stood = match places {
        true => subject.value as usize,
        // Of equal elements, any may be named.
        false => values
            .iter()
            .position(|&value| value == subject.value || (value.is_nan() && subject.value.is_nan()))?,
    };
    let link = subject.link(0, &x, &x.line(&lead, axis)[stood]);
    let line = along(&subject.called(0), &lead, axis);
    let descending = match kind {
        OrderKind::TopK => !matches!(subject.param("largest"), Some(Arg::Bool(false))),
        _ => subject.is_set("descending"),
    };
    let ordinal = |number: usize| match number {
        1 => String::new(),
        2 => "second ".to_owned(),
        3 => "third ".to_owned(),
        more => format!("{more}th "),
    };
    let rank_word = format!("the {}{}", ordinal(rank + 1), if descending { "largest" } else { "smallest" });
    let words = match places {
        true => format!("{} = {} is {rank_word} of {line}: index {stood}", link.what, figure(values[stood])),
        false => format!("{rank_word} of {line}: {}", link.what),
    };
    let calc = Calc::Number(if places { stood as f64 } else { values[stood] });
    Some(Account::words(words).figures(calc).from([link]))
}
