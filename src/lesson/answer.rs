//! Parses what a learner types as an answer: shapes in any usual spelling, numbers in any rounding.
//! A text with two readings (1,024 as one number or as two) returns both.

use super::vocabulary::AXES;

/// One size of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedSize {
    /// A number.
    Number(usize),
    /// The variable that has it as its value, such as `d_out`.
    Name(String),
}

/// A number and its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypedNumber {
    /// The number.
    pub value: f64,
    /// The value of one unit in its last digit; 0 for an exact number such as `1/6`.
    pub step: f64,
    /// The number of its significant digits.
    pub(crate) digits: u32,
}

/// Words that may surround the sizes of a shape.
const FILLERS: &[&str] =
    &["torch.size", "size", "shape", "the", "is", "of", "a", "tensor", "tuple", "and", "it", "its"];

/// All readings of `text` as a shape, the most literal first; empty if it is not a shape.
/// `(6,2)`, `6x2`, `6 by 2`, `[6, 2]`, `torch.Size([6, 2])`, `query 6, key 2`, `(d_in, 2)`.
pub fn shapes(text: &str) -> Vec<Vec<TypedSize>> {
    let mut found: Vec<Vec<TypedSize>> = shape(text).into_iter().collect();
    if let Some(joined) = without_thousands(text) {
        found.extend(shape(&joined));
    }
    found
}

/// A token of a shape.
enum ShapeToken {
    Number(usize),
    Word(String),
    Between,
}

fn shape(text: &str) -> Option<Vec<TypedSize>> {
    let text = text.trim().trim_end_matches(['.', '?', '!']);
    let low = text.to_lowercase();
    if ["scalar", "a scalar", "()", "[]", "torch.size([])", "0-d", "a single number"].contains(&low.as_str())
    {
        return Some(Vec::new());
    }
    let mut sizes = Vec::new();
    let mut open: Vec<ShapeToken> = Vec::new();
    for piece in pieces(text)?.into_iter().chain([ShapeToken::Between]) {
        match piece {
            ShapeToken::Between => sizes.extend(part(std::mem::take(&mut open))?),
            piece => open.push(piece),
        }
    }
    (!sizes.is_empty()).then_some(sizes)
}

fn pieces(text: &str) -> Option<Vec<ShapeToken>> {
    let letters: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let run = |fits: fn(char) -> bool| letters[at..].iter().take_while(|c| fits(**c)).count();
        let after_number = matches!(pieces.last(), Some(ShapeToken::Number(_)));
        let next = letters.get(at + 1);
        match letter {
            '0'..='9' => {
                let length = run(|c| c.is_ascii_digit() || c == '_');
                let digits: String = letters[at..at + length].iter().filter(|c| **c != '_').collect();
                pieces.push(ShapeToken::Number(digits.parse().ok()?));
                at += length;
                continue;
            }
            'x' | 'X' if after_number && next.is_none_or(|c| !c.is_alphabetic()) => {
                pieces.push(ShapeToken::Between);
            }
            ',' | ';' | '*' | '×' | '·' | '|' => pieces.push(ShapeToken::Between),
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ':' | '=' => {}
            c if c.is_whitespace() => {}
            c if c.is_alphabetic() || c == '_' => {
                let length = run(|c| c.is_alphanumeric() || c == '_' || c == '.');
                let word: String = letters[at..at + length].iter().collect();
                match word.to_lowercase().as_str() {
                    "by" | "times" | "x" => pieces.push(ShapeToken::Between),
                    low if FILLERS.contains(&low) => {}
                    _ => pieces.push(ShapeToken::Word(word)),
                }
                at += length;
                continue;
            }
            _ => return None,
        }
        at += 1;
    }
    Some(pieces)
}

/// The sizes between two separators: numbers with the names of their axes, or names of sizes alone.
fn part(pieces: Vec<ShapeToken>) -> Option<Vec<TypedSize>> {
    let counted = pieces.iter().any(|piece| matches!(piece, ShapeToken::Number(_)));
    let mut sizes = Vec::new();
    for piece in pieces {
        match piece {
            ShapeToken::Number(size) => sizes.push(TypedSize::Number(size)),
            ShapeToken::Word(word) if counted => {
                if !is_axis(&word) {
                    return None;
                }
            }
            // Variables with sizes have names such as `d_out` and `T`; other words are not sizes.
            ShapeToken::Word(word) if word.contains('_') || word.len() == 1 => {
                sizes.push(TypedSize::Name(word))
            }
            _ => return None,
        }
    }
    Some(sizes)
}

fn is_axis(word: &str) -> bool {
    let low = word.to_lowercase();
    let one = match low.as_str() {
        "queries" => "query",
        "batches" => "batch",
        low => low.strip_suffix('s').unwrap_or(low),
    };
    AXES.iter().any(|axis| axis.name == low || axis.name == one)
}

/// `589,824` as `589824`, wherever three digits follow a comma; `None` if no three digits do.
fn without_thousands(text: &str) -> Option<String> {
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

/// All readings of `text` as one number or a list of them, the most literal first; empty if it is neither.
/// `0.23`, `.2333`, `2.333e-1`, `23%`, `about 0,23`, `1/6`, `2**0.5`, `589,824`, `[0.1, 0.2]`.
pub fn numbers(text: &str) -> Vec<Vec<TypedNumber>> {
    let text = bare(text);
    let mut found = Vec::new();
    if let Some(number) = literal(&text) {
        found.push(vec![number]);
    }
    for joined in without_thousands(&text).into_iter().chain([text.replace(' ', "")]) {
        found.extend(literal(&joined).map(|number| vec![number]));
    }
    // 0,2333: a decimal comma.
    let inner = text.trim_matches(['[', ']', '(', ')']);
    if inner.matches(',').count() == 1 && !inner.contains(['.', ' ']) {
        found.extend(literal(&inner.replace(',', ".")).map(|number| vec![number]));
    }
    let list: Option<Vec<TypedNumber>> =
        inner.split([',', ' ', '[', ']', ';']).filter(|part| !part.is_empty()).map(literal).collect();
    found.extend(list.filter(|list| list.len() > 1));
    if found.is_empty()
        && let Some(value) = (Arithmetic { text: &text }).all()
    {
        found.push(vec![TypedNumber { value, step: 0.0, digits: u32::MAX }]);
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
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let text = text.trim();
    let exact = |value: f64| Some(TypedNumber { value, step: 0.0, digits: u32::MAX });
    if let Some(value) = WORDS.iter().position(|word| *word == text) {
        return exact(value as f64);
    }
    match text {
        "nan" | "not a number" => return exact(f64::NAN),
        "inf" | "infinity" | "∞" | "+inf" => return exact(f64::INFINITY),
        "-inf" | "-infinity" | "-∞" | "minus infinity" => return exact(f64::NEG_INFINITY),
        "true" | "yes" => return exact(1.0),
        "false" | "no" | "none" | "nothing" => return exact(0.0),
        _ => {}
    }
    const UNITS: [(&str, f64); 8] = [
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
    // The zeros of 590000 may be rounding; those of 20 are meant.
    if fraction.is_empty() && whole.len() >= 4 {
        let zeros = whole.len() - whole.trim_end_matches('0').len();
        digits -= zeros.min(digits);
        place += zeros as i32;
    }
    let step = 10f64.powi(place) * factor;
    Some(TypedNumber { value: value * factor, step, digits: digits as u32 })
}

/// A parser of arithmetic: `+ - * / ** ( )`, and roots as `sqrt(2)` or `√2`.
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
            } else if self.take(&["*", "×", "·", "x "]) {
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
        let base = self.atom()?;
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
        if self.take(&["("]) {
            let value = self.sum()?;
            return self.take(&[")"]).then_some(value);
        }
        self.text = self.text.trim_start();
        let length = self.text.chars().take_while(|c| c.is_ascii_digit() || "._".contains(*c)).count();
        let (digits, rest) = self.text.split_at(length);
        self.text = rest;
        digits.replace('_', "").parse().ok()
    }
}
