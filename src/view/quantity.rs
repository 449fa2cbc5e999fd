//! Counts, sizes, times and means as text.

use std::time::Duration;

use crate::tensor::show::scientific;

/// `1048576` as `1,048,576`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let threes = digits.as_bytes().rchunks(3).rev();
    let threes: Vec<&str> = threes.map(|it| std::str::from_utf8(it).expect("digits are ASCII")).collect();
    threes.join(",")
}

/// `1 operation`, `12,000 operations`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// A duration with two or three significant digits.
pub(crate) fn duration(elapsed: Duration) -> String {
    match elapsed.as_secs_f64() {
        s if s >= 60.0 => format!("{} min {:02} s", s as u64 / 60, s as u64 % 60),
        s if s >= 10.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.1} s"),
        s => format!("{:.0} ms", s * 1e3),
    }
}

/// A value beside a bar: commas between thousands, about four digits after the point where it is small.
pub(crate) fn amount(value: f64) -> String {
    let size = value.abs();
    let places = match size {
        s if s.fract() < 1e-9 && s < 1e15 => 0,
        s if s >= 100.0 => 1,
        s if s >= 1.0 => 2,
        _ => 4,
    };
    let digits = format!("{size:.places$}");
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (digits.as_str(), String::new()),
    };
    let sign = if value < 0.0 { "-" } else { "" };
    match whole.parse() {
        Ok(whole) => format!("{sign}{}{fraction}", grouped(whole)),
        // More digits than a u64 has, or not finite.
        Err(_) => format!("{sign}{digits}"),
    }
}

/// A mean with the digits that PyTorch prints of a single number.
pub(crate) fn mean(mean: f64) -> String {
    match mean != 0.0 && (mean.abs() < 1e-4 || mean.abs() > 1e8) {
        true => scientific(mean, 4),
        false => format!("{mean:.4}"),
    }
}
