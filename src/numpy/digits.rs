//! The digits of floating point numbers as NumPy writes them.
//! Source: the documentation of `numpy.format_float_positional` and `format_float_scientific`: the fewest digits that no
//! other number of the dtype has, or the exact value rounded at a precision, half to even.

use crate::tensor::{DType, show};

/// What happens to zeros at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trim {
    /// `k`: they stay.
    Keep,
    /// `.`: they go, the point stays.
    Point,
    /// `0`: they go, but one after the point.
    Zero,
    /// `-`: they go, and so does the point.
    All,
}

/// How a number is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// The most digits after the point; with [`Trim::Keep`] as many.
    pub(super) precision: Option<usize>,
    pub(super) trim: Trim,
}

/// The fewest digits of a number that identify it in its dtype, and the power of ten of the first.
fn shortest(value: f64, dtype: DType) -> (String, i32) {
    let text = match dtype {
        DType::Float32 => show::shortest_single(value as f32),
        DType::Float16 | DType::BFloat16 => (1..=5)
            .map(|digits| format!("{value:.*e}", digits - 1))
            .find(|text| {
                text.parse::<f64>().is_ok_and(|parsed| f64::from(dtype.round_f32(parsed as f32)) == value)
            })
            .unwrap_or_else(|| show::shortest(value)),
        _ => show::shortest(value),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.replace('.', "");
    let kept = digits.trim_end_matches('0').len().max(1);
    (digits[..kept].to_owned(), exponent.parse().unwrap_or(0))
}

impl Style {
    /// A number's text without its exponent, of its digits before and after the point. Where other digits are wanted than
    /// the fewest, `exact` has those of the exact value, rounded.
    fn text(
        &self,
        value: f64,
        mut parts: (String, String),
        exact: impl FnOnce(usize) -> (String, String),
    ) -> String {
        let fewest = parts.1.len();
        let most = self.precision.unwrap_or(usize::MAX);
        let wanted = if self.trim == Trim::Keep { most } else { fewest.min(most) };
        if value != 0.0 && fewest != wanted {
            parts = exact(wanted.min(1100));
        }
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let (whole, fraction) = parts;
        let trimmed = fraction.trim_end_matches('0');
        match self.trim {
            Trim::Keep => format!("{sign}{whole}.{fraction:0<wanted$}"),
            Trim::Zero if trimmed.is_empty() => format!("{sign}{whole}.0"),
            Trim::All if trimmed.is_empty() => format!("{sign}{whole}"),
            _ => format!("{sign}{whole}.{trimmed}"),
        }
    }
}

fn at_point(text: &str) -> (String, String) {
    let (left, right) = text.split_once('.').unwrap_or((text, ""));
    (left.to_owned(), right.to_owned())
}

/// `12.5`
pub(super) fn positional(value: f64, dtype: DType, style: &Style) -> String {
    let size = value.abs();
    let fewest = match shortest(size, dtype) {
        (digits, exponent) if exponent < 0 => {
            ("0".to_owned(), "0".repeat((-exponent - 1) as usize) + &digits)
        }
        (digits, exponent) => {
            let split = exponent as usize + 1;
            let digits = format!("{digits:0<split$}");
            (digits[..split].to_owned(), digits[split..].to_owned())
        }
    };
    style.text(value, fewest, |wanted| at_point(&format!("{size:.wanted$}")))
}

/// `1.25e+01`
pub(super) fn scientific(value: f64, dtype: DType, style: &Style, exponent_digits: usize) -> String {
    let size = value.abs();
    let (digits, mut exponent) = shortest(size, dtype);
    let fewest = (digits[..1].to_owned(), digits[1..].to_owned());
    let mantissa = style.text(value, fewest, |wanted| {
        let text = format!("{size:.wanted$e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        exponent = power.parse().unwrap_or(0);
        at_point(mantissa)
    });
    let power = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{power}{:0width$}", exponent.abs(), width = exponent_digits.max(2))
}

/// The text of a scalar.
pub(super) fn scalar(value: f64, dtype: DType) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = value.abs();
    let style = Style { precision: None, trim: Trim::Zero };
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return positional(value, dtype, &style);
    }
    scientific(value, dtype, &Style { trim: Trim::All, ..style }, 2)
}
