//! The fewest digits that identify a number. Of two texts that are equally near, the even one, as in CPython and NumPy;
//! Rust takes the larger one.

/// A float64 in scientific notation.
pub(crate) fn shortest(x: f64) -> String {
    even(format!("{x:e}"), 16, |decimals| format!("{x:.decimals$e}"), |text| text.parse() == Ok(x))
}

/// A float32 in scientific notation.
pub(crate) fn shortest_single(x: f32) -> String {
    even(format!("{x:e}"), 7, |decimals| format!("{x:.decimals$e}"), |text| text.parse() == Ok(x))
}

/// `text`, or what rounds half to even to as many digits, if that is the same number too. With fewer digits than `least`
/// the one before and the one after are other numbers.
fn even(
    text: String,
    least: usize,
    rounded: impl Fn(usize) -> String,
    is_same: impl Fn(&str) -> bool,
) -> String {
    let digits = text.bytes().take_while(|letter| *letter != b'e').filter(u8::is_ascii_digit).count();
    if digits < least {
        return text;
    }
    let even = rounded(digits - 1);
    if is_same(&even) { even } else { text }
}
