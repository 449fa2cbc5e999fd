//! Parses numbers that a learner types as an answer, in any rounding: digits, words, percentages, arithmetic.
//! A text with two readings (1,024 as one number or as two) returns both.

use super::number_words::with_digits;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedNumber {
    pub value: f64,
    /// The value of one unit in its last digit; 0 for an exact number such as `1/6`.
    pub step: f64,
    /// The number of its significant digits.
    pub(crate) digits: u32,
}

/// `589,824` as `589824`, wherever three digits follow a comma; `None` if no three digits do.
pub(super) fn without_thousands(text: &str) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let digits = |from: usize| letters[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let after_digit = at > 0 && letters[at - 1].is_ascii_digit();
        if *letter == ',' && after_digit && digits(at + 1) == 3 {
            continue;
        }
        out.push(*letter);
    }
    (out.len() < text.len()).then_some(out)
}

/// A product or a sum of sizes in which at least one has a name, such as `num_heads * d_out`, as an expression.
pub fn named_size(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['.', '?', '!']).replace('×', "*").replace(" x ", " * ");
    let words: Vec<&str> = text.split(['*', '+', '-', '/', ' ']).filter(|word| !word.is_empty()).collect();
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic()) && (word.contains('_') || word.len() == 1)
    };
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let sized = |word: &&str| is_name(word) || word.bytes().all(|b| b.is_ascii_digit());
    let fits = words.iter().all(|word| plain(word) && sized(word)) && words.iter().any(|word| is_name(word));
    (fits && words.len() <= 8).then_some(text)
}

impl TypedNumber {
    /// A number that was not rounded.
    pub(crate) fn exact(value: f64) -> TypedNumber {
        TypedNumber { value, step: 0.0, digits: u32::MAX }
    }
}

/// All readings of `text` as one number or a list of them, the most literal first; empty if it is neither.
/// `0.23`, `.2333`, `2.333e-1`, `23%`, `about 0,23`, `1/6`, `2**0.5`, `589,824`, `[0.1, 0.2]`.
pub fn numbers(text: &str) -> Vec<Vec<TypedNumber>> {
    let text = with_digits(&bare(text));
    let mut found = Vec::new();
    if let Some(number) = literal(&text) {
        found.push(vec![number]);
    }
    for joined in without_thousands(&text).into_iter().chain([text.replace(' ', "")]) {
        found.extend(literal(&joined).map(|number| vec![number]));
    }
    // 0,2333: a decimal comma.
    let inner = text.trim_matches(['[', ']', '(', ')']);
    // A calculation with its result.
    if let Some((_, result)) =
        text.rsplit_once('=').filter(|(left, _)| (Arithmetic { text: left }).all().is_some())
    {
        found.extend(literal(result).map(|number| vec![number]));
    }
    if inner.matches(',').count() == 1 && !inner.contains(['.', ' ']) {
        found.extend(literal(&inner.replace(',', ".")).map(|number| vec![number]));
    }
    let list: Option<Vec<TypedNumber>> =
        inner.split([',', ' ', '[', ']', ';']).filter(|part| !part.is_empty()).map(literal).collect();
    found.extend(list.filter(|list| list.len() > 1));
    if found.is_empty() {
        let joined = without_thousands(&text).unwrap_or(text);
        let value = (Arithmetic { text: &joined }).all();
        found.extend(value.map(|value| vec![TypedNumber::exact(value)]));
    }
    found.dedup();
    found
}

/// The text without the words and signs that may surround a number.
fn bare(text: &str) -> String {
    let mut text = text.trim().to_lowercase().replace('−', "-");
    if let Some(at) = text.find(", grad_fn") {
        text.truncate(at);
    }
    let mut rest = text.trim().trim_end_matches(['?', '!']).trim();
    loop {
        let before = rest;
        for word in [
            "about",
            "approximately",
            "approx.",
            "roughly",
            "around",
            "nearly",
            "circa",
            "tensor",
            "it is",
            "=",
        ] {
            rest = rest.strip_prefix(word).unwrap_or(rest).trim();
        }
        rest = rest.trim_start_matches(['~', '≈', '`', '"']).trim_end_matches(['`', '"']).trim();
        if let Some(inner) = rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
            if !inner.contains(['(', ')']) {
                rest = inner.trim();
            }
        } else if let Some(inner) = rest.strip_prefix('(')
            && !inner.contains(')')
        {
            rest = inner;
        }
        if rest == before {
            return rest.to_string();
        }
    }
}

/// One number, with the place of its last digit.
fn literal(text: &str) -> Option<TypedNumber> {
    let text = text.trim();
    let exact = |value: f64| Some(TypedNumber::exact(value));
    match text {
        "nan" | "not a number" => return exact(f64::NAN),
        "inf" | "infinity" | "∞" | "+inf" => return exact(f64::INFINITY),
        "-inf" | "-infinity" | "-∞" | "minus infinity" => return exact(f64::NEG_INFINITY),
        "true" | "yes" => return exact(1.0),
        "false" | "no" | "none" | "nothing" => return exact(0.0),
        _ => {}
    }
    const UNITS: [(&str, f64); 10] = [
        ("times", 1.0),
        ("x", 1.0),
        ("percent", 1e-2),
        ("per cent", 1e-2),
        ("%", 1e-2),
        ("million", 1e6),
        ("thousand", 1e3),
        ("billion", 1e9),
        ("k", 1e3),
        ("m", 1e6),
    ];
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (said, factor) = unit.unwrap_or((text, 1.0));
    let said = said.trim().replace('_', "");
    let value: f64 = said.parse().ok().filter(|value: &f64| value.is_finite())?;
    let (mantissa, power) = said.split_once('e').unwrap_or((&said, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches(['+', '-']);
    let all = format!("{whole}{fraction}");
    let mut digits = all.trim_start_matches('0').len();
    let mut place = power.parse::<i32>().ok()? - fraction.len() as i32;
    // The zeros of 590000 may be rounding; the zero of 20 is meant.
    if fraction.is_empty() && whole.len() >= 4 {
        let zeros = whole.len() - whole.trim_end_matches('0').len();
        digits -= zeros.min(digits);
        place += zeros as i32;
    }
    let step = 10f64.powi(place) * factor;
    Some(TypedNumber { value: value * factor, step, digits: digits as u32 })
}

/// A parser of arithmetic: `+ - * / ** ( )`, roots as `sqrt(2)` or `√2`, and powers as `768²`.
struct Arithmetic<'t> {
    text: &'t str,
}

impl Arithmetic<'_> {
    fn all(mut self) -> Option<f64> {
        let value = self.sum()?;
        (self.next().is_none() && value.is_finite()).then_some(value)
    }

    fn next(&mut self) -> Option<char> {
        self.text = self.text.trim_start();
        self.text.chars().next()
    }

    fn take(&mut self, words: &[&str]) -> bool {
        self.text = self.text.trim_start();
        let rest = words.iter().find_map(|word| self.text.strip_prefix(word));
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.take(&["+"]) {
                value += self.product()?;
            } else if self.take(&["-"]) {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        loop {
            if self.text.trim_start().starts_with("**") {
                return None;
            } else if self.take(&["*", "×", "·", "x ", "times "]) {
                value *= self.signed()?;
            } else if self.take(&["/", "÷"]) {
                value /= self.signed()?;
            } else {
                return Some(value);
            }
        }
    }

    fn signed(&mut self) -> Option<f64> {
        if self.take(&["-"]) {
            return Some(-self.signed()?);
        }
        let mut base = self.atom()?;
        if self.take(&["²", "squared"]) {
            base = base.powi(2);
        } else if self.take(&["³", "cubed"]) {
            base = base.powi(3);
        }
        match self.take(&["**", "^"]) {
            true => Some(base.powf(self.signed()?)),
            false => Some(base),
        }
    }

    fn atom(&mut self) -> Option<f64> {
        if self.take(&[
            "math.sqrt",
            "sqrt",
            "√",
            "the square root of",
            "square root of",
            "the root of",
            "root of",
        ]) {
            return Some(self.atom()?.sqrt());
        }
        if self.take(&["math.log", "log", "ln"]) {
            return Some(self.atom()?.ln());
        }
        if self.take(&["("]) {
            let value = self.sum()?;
            return self.take(&[")"]).then_some(value);
        }
        self.text = self.text.trim_start();
        let mut length = self.text.chars().take_while(|c| c.is_ascii_digit() || "._".contains(*c)).count();
        // The power of ten in 1e6 and 2.5e-3.
        if let Some(power) = self.text[length..].strip_prefix(['e', 'E']).filter(|_| length > 0) {
            let signed = usize::from(power.starts_with(['+', '-']));
            let digits = power[signed..].chars().take_while(char::is_ascii_digit).count();
            length += if digits > 0 { 1 + signed + digits } else { 0 };
        }
        let (digits, rest) = self.text.split_at(length);
        self.text = rest;
        digits.replace('_', "").parse().ok()
    }
}
