//! The digits of floating point numbers as NumPy writes them.
//! Source: the documentation of `numpy.format_float_positional` and `format_float_scientific`: the fewest digits that no
//! other number of the dtype has, or the exact value rounded at a precision, half to even.

use crate::tensor::DType;

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
    /// The most digits after the point.
    pub(super) precision: Option<usize>,
    /// Whether the fewest digits that identify the number are enough.
    pub(super) unique: bool,
    pub(super) trim: Trim,
    /// The fewest digits after the point, with [`Trim::Keep`].
    pub(super) least: usize,
    /// Whether positive numbers have a `+`.
    pub(super) plus: bool,
}

impl Style {
    /// How many digits after the point are written of a number that `shortest` of them identify. Where more are wanted,
    /// they are those of the exact value.
    fn wanted(&self, shortest: usize, most: usize) -> usize {
        match self.trim {
            Trim::Keep if self.unique && shortest <= most => shortest.max(self.least),
            _ if self.unique => shortest.min(most),
            _ => most,
        }
    }
}

/// The fewest digits of a number above 0 that identify it in its dtype, and the power of ten of the first.
fn shortest(value: f64, dtype: DType) -> (Vec<u8>, i32) {
    let text = match dtype {
        DType::Float32 => format!("{:e}", value as f32),
        DType::Float16 | DType::BFloat16 => (1..=5)
            .map(|digits| format!("{value:.*e}", digits - 1))
            .find(|text| {
                text.parse::<f64>().is_ok_and(|parsed| f64::from(dtype.round_f32(parsed as f32)) == value)
            })
            .unwrap_or_else(|| format!("{value:e}")),
        _ => format!("{value:e}"),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_digit).collect();
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
    }
    (digits, exponent.parse().unwrap_or(0))
}

fn sign(value: f64, plus: bool) -> &'static str {
    match (value.is_sign_negative(), plus) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    }
}

/// Integer and fraction with zeros trimmed or padded.
fn finish(whole: &str, fraction: &str, style: &Style) -> String {
    let trimmed = fraction.trim_end_matches('0');
    let fraction = match style.trim {
        Trim::Keep => {
            let wanted = match style.unique {
                true => fraction.len().max(style.least),
                false => style.precision.unwrap_or(fraction.len()).max(style.least),
            };
            format!("{fraction:0<wanted$}")
        }
        Trim::Zero if trimmed.is_empty() => "0".to_owned(),
        _ => trimmed.to_owned(),
    };
    match style.trim {
        Trim::All if fraction.is_empty() => whole.to_owned(),
        _ => format!("{whole}.{fraction}"),
    }
}

/// `12.5`
pub(super) fn positional(value: f64, dtype: DType, style: &Style) -> String {
    let size = value.abs();
    let (mut whole, mut fraction) = ("0".to_owned(), String::new());
    if size != 0.0 {
        let (digits, exponent) = shortest(size, dtype);
        let digits = String::from_utf8(digits).unwrap_or_default();
        if exponent >= 0 {
            let split = exponent as usize + 1;
            if digits.len() <= split {
                whole = format!("{digits:0<split$}");
            } else {
                whole = digits[..split].to_owned();
                fraction = digits[split..].to_owned();
            }
        } else {
            fraction = format!("{}{digits}", "0".repeat((-exponent - 1) as usize));
        }
        let most = style.precision.unwrap_or(if style.unique { usize::MAX } else { fraction.len() });
        let wanted = style.wanted(fraction.len(), most);
        if !style.unique || fraction.len() != wanted {
            let text = format!("{size:.*}", wanted.min(1100));
            let (left, right) = text.split_once('.').unwrap_or((&text, ""));
            (whole, fraction) = (left.to_owned(), right.to_owned());
        }
    }
    sign(value, style.plus).to_owned() + &finish(&whole, &fraction, style)
}

/// `1.25e+01`
pub(super) fn scientific(value: f64, dtype: DType, style: &Style, exponent_digits: usize) -> String {
    let size = value.abs();
    let (mut digits, mut exponent) = match size == 0.0 {
        true => ("0".to_owned(), 0),
        false => {
            let (digits, exponent) = shortest(size, dtype);
            (String::from_utf8(digits).unwrap_or_default(), exponent)
        }
    };
    let most = style.precision.unwrap_or(if style.unique { usize::MAX } else { digits.len() - 1 });
    let wanted = style.wanted(digits.len() - 1, most);
    if size != 0.0 && (!style.unique || digits.len() - 1 != wanted) {
        let text = format!("{size:.*e}", wanted.min(1100));
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        digits = mantissa.replace('.', "");
        exponent = power.parse().unwrap_or(0);
    }
    let mantissa = finish(&digits[..1], &digits[1..], style);
    let width = exponent_digits.max(2);
    let power = if exponent < 0 { '-' } else { '+' };
    format!("{}{mantissa}e{power}{:0width$}", sign(value, style.plus), exponent.abs())
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
    let style = Style { precision: None, unique: true, trim: Trim::Zero, least: 0, plus: false };
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return positional(value, dtype, &style);
    }
    scientific(value, dtype, &Style { trim: Trim::All, ..style }, 2)
}

/// The text of a complex number: `(1+2j)`, `2j`.
pub(super) fn complex(re: f64, im: f64, parts: DType) -> String {
    let digits = |part: f64| scalar(part, parts).trim_end_matches(".0").to_owned();
    match re == 0.0 && re.is_sign_positive() {
        true => digits(im) + "j",
        false => {
            let imag = digits(im);
            let sign = if imag.starts_with('-') { "" } else { "+" };
            format!("({}{sign}{imag}j)", digits(re))
        }
    }
}
