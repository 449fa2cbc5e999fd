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
    /// How many digits after the point are written, of a number that needs so many.
    fn wanted(&self, fewest: usize) -> usize {
        let most = self.precision.unwrap_or(usize::MAX);
        if self.trim == Trim::Keep { most } else { fewest.min(most) }
    }

    /// The text of a number's size with its sign, and without the zeros that go.
    fn trimmed(&self, value: f64, text: &str) -> String {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let kept = if self.trim == Trim::Keep { fraction } else { fraction.trim_end_matches('0') };
        match self.trim {
            Trim::Zero if kept.is_empty() => format!("{sign}{whole}.0"),
            Trim::All if kept.is_empty() => format!("{sign}{whole}"),
            _ => format!("{sign}{whole}.{kept}"),
        }
    }
}

/// `12.5`
pub(super) fn positional(value: f64, dtype: DType, style: &Style) -> String {
    let (digits, exponent) = shortest(value.abs(), dtype);
    let fewest = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    let wanted = style.wanted(fewest);
    let text = match fewest + wanted {
        // Zeros after the digits that identify the number.
        0 => format!("{digits:0<width$}", width = exponent as usize + 1),
        _ => format!("{:.wanted$}", value.abs()),
    };
    style.trimmed(value, &text)
}

/// `1.25e+01`
pub(super) fn scientific(value: f64, dtype: DType, style: &Style, exponent_digits: usize) -> String {
    let wanted = style.wanted(shortest(value.abs(), dtype).0.len() - 1);
    let text = format!("{:.wanted$e}", value.abs());
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    let mantissa = style.trimmed(value, mantissa);
    format!("{mantissa}e{sign}{power:0>width$}", width = exponent_digits.max(2))
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
