//! What a learner typed as an answer, read by meaning: shapes in any usual spelling, numbers in any rounding.
//! Text in, readings out; knows no right answers. Where a text can be read in two ways (1,024 as
//! one number or as two), both readings come out.

use super::vocabulary::AXES;

/// One size of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// Said as a number.
    Number(usize),
    /// Said as the variable that holds it, such as `d_out`.
    Name(String),
}

/// A number and how finely it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// What one more in its last digit would add; 0 for what was said exactly, as `1/6` is.
    pub step: f64,
    /// How many of its digits count.
    pub digits: u32,
}

/// Words that may stand around the sizes of a shape.
const FILLERS: &[&str] =
    &["torch.size", "size", "shape", "the", "is", "of", "a", "tensor", "tuple", "and", "it", "its"];

/// All readings of `text` as a shape, the plainest first; none if it is no shape.
/// `(6,2)`, `6x2`, `6 by 2`, `[6, 2]`, `torch.Size([6, 2])`, `query 6, key 2`, `(d_in, 2)`.
pub fn shapes(text: &str) -> Vec<Vec<Size>> {
    let mut found: Vec<Vec<Size>> = shape(text).into_iter().collect();
    if let Some(joined) = without_thousands(text) {
        found.extend(shape(&joined));
    }
    found
}

/// A piece of a shape as it was written.
enum Piece {
    Number(usize),
    Word(String),
    Between,
}

fn shape(text: &str) -> Option<Vec<Size>> {
    let text = text.trim().trim_end_matches(['.', '?', '!']);
    let low = text.to_lowercase();
    if ["scalar", "a scalar", "()", "[]", "torch.size([])", "0-d", "a single number"].contains(&low.as_str())
    {
        return Some(Vec::new());
    }
    let mut sizes = Vec::new();
    let mut open: Vec<Piece> = Vec::new();
    for piece in pieces(text)?.into_iter().chain([Piece::Between]) {
        match piece {
            Piece::Between => sizes.extend(part(std::mem::take(&mut open))?),
            piece => open.push(piece),
        }
    }
    (!sizes.is_empty()).then_some(sizes)
}

fn pieces(text: &str) -> Option<Vec<Piece>> {
    let letters: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let run = |fits: fn(char) -> bool| letters[at..].iter().take_while(|c| fits(**c)).count();
        let after_number = matches!(pieces.last(), Some(Piece::Number(_)));
        let next = letters.get(at + 1);
        match letter {
            '0'..='9' => {
                let length = run(|c| c.is_ascii_digit() || c == '_');
                let digits: String = letters[at..at + length].iter().filter(|c| **c != '_').collect();
                pieces.push(Piece::Number(digits.parse().ok()?));
                at += length;
                continue;
            }
            'x' | 'X' if after_number && next.is_none_or(|c| !c.is_alphabetic()) => {
                pieces.push(Piece::Between);
            }
            ',' | ';' | '*' | '×' | '·' | '|' => pieces.push(Piece::Between),
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ':' | '=' => {}
            c if c.is_whitespace() => {}
            c if c.is_alphabetic() || c == '_' => {
                let length = run(|c| c.is_alphanumeric() || c == '_' || c == '.');
                let word: String = letters[at..at + length].iter().collect();
                match word.to_lowercase().as_str() {
                    "by" | "times" | "x" => pieces.push(Piece::Between),
                    low if FILLERS.contains(&low) => {}
                    _ => pieces.push(Piece::Word(word)),
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

/// What stands between two separators: numbers with the names of their axes, or names of sizes alone.
fn part(pieces: Vec<Piece>) -> Option<Vec<Size>> {
    let counted = pieces.iter().any(|piece| matches!(piece, Piece::Number(_)));
    let mut sizes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Number(size) => sizes.push(Size::Number(size)),
            Piece::Word(word) if counted => {
                if !is_axis(&word) {
                    return None;
                }
            }
            // `d_out`, `T`: what holds a size is called so; other words are no sizes.
            Piece::Word(word) if word.contains('_') || word.len() == 1 => sizes.push(Size::Name(word)),
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

/// `589,824` as `589824`, wherever three digits follow a comma; `None` where there is no such place.
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

/// All readings of `text` as one number or a list of them, the plainest first; none if it is neither.
/// `0.23`, `.2333`, `2.333e-1`, `23%`, `about 0,23`, `1/6`, `2**0.5`, `589,824`, `[0.1, 0.2]`.
pub fn numbers(text: &str) -> Vec<Vec<Number>> {
    let text = bare(text);
    let mut found = Vec::new();
    if let Some(number) = literal(&text) {
        found.push(vec![number]);
    }
    for joined in without_thousands(&text).into_iter().chain([text.replace(' ', "")]) {
        found.extend(literal(&joined).map(|number| vec![number]));
    }
    // 0,2333: a comma where others write a point.
    let inner = text.trim_matches(['[', ']', '(', ')']);
    if inner.matches(',').count() == 1 && !inner.contains(['.', ' ']) {
        found.extend(literal(&inner.replace(',', ".")).map(|number| vec![number]));
    }
    let list: Option<Vec<Number>> =
        inner.split([',', ' ', '[', ']', ';']).filter(|part| !part.is_empty()).map(literal).collect();
    found.extend(list.filter(|list| list.len() > 1));
    if found.is_empty()
        && let Some(value) = (Sum { text: &text }).all()
    {
        found.push(vec![Number { value, step: 0.0, digits: u32::MAX }]);
    }
    found.dedup();
    found
}

/// Without what may stand around a number and says nothing.
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

/// One number as it is written, with the place of its last digit.
fn literal(text: &str) -> Option<Number> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let text = text.trim();
    let exact = |value: f64| Some(Number { value, step: 0.0, digits: u32::MAX });
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
    Some(Number { value: value * factor, step, digits: digits as u32 })
}

/// A sum in figures: `+ - * / ** ( )`, and roots as `sqrt(2)` or `√2`.
struct Sum<'t> {
    text: &'t str,
}

impl Sum<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(all: &[usize]) -> Vec<Size> {
        all.iter().map(|size| Size::Number(*size)).collect()
    }

    #[test]
    fn shapes_are_read_in_any_usual_spelling() {
        for text in [
            "(6,2)",
            "6x2",
            "6 x 2",
            "[6, 2]",
            "torch.Size([6, 2])",
            "6,2",
            "6 by 2",
            "6×2",
            "6*2",
            "6 2",
            "(6, 2).",
            "query 6, key 2",
            "6 queries by 2 features",
            "the shape is (6, 2)",
            "token 6 d_out 2",
            "(6,2,)",
            "6X2",
            "torch.size([6,2])",
            "tensor of shape 6x2",
        ] {
            assert_eq!(shapes(text).first(), Some(&sizes(&[6, 2])), "{text}");
        }
        assert_eq!(shapes("2x6x4"), [sizes(&[2, 6, 4])]);
        assert_eq!(shapes("(6,)"), [sizes(&[6])]);
        assert_eq!(shapes("6"), [sizes(&[6])]);
        assert_eq!(shapes("scalar"), [sizes(&[])]);
        assert_eq!(shapes("(d_in, 2)"), [vec![Size::Name("d_in".into()), Size::Number(2)]]);
        assert!(shapes("1, 12, 1,024, 1,024").contains(&sizes(&[1, 12, 1024, 1024])));
        for text in ["", "no idea", "six", "6.5, 2", "-6, 2", "what?", "6 bananas"] {
            assert!(shapes(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_with_the_place_of_their_last_digit() {
        for (text, value, step) in [
            ("0.23", 0.23, 0.01),
            (".2333", 0.2333, 1e-4),
            ("2.333e-1", 0.2333, 1e-4),
            ("23%", 0.23, 0.01),
            ("23 percent", 0.23, 0.01),
            ("about 0.23", 0.23, 0.01),
            ("~0.23", 0.23, 0.01),
            ("tensor(0.2333)", 0.2333, 1e-4),
            ("tensor(0.2333, grad_fn=<SelectBackward0>)", 0.2333, 1e-4),
            ("-0.0739", -0.0739, 1e-4),
            ("−0.0739", -0.0739, 1e-4),
            ("21", 21.0, 1.0),
            ("2.", 2.0, 1.0),
            ("590000", 590_000.0, 1e4),
            ("2.36 million", 2.36e6, 1e4),
            ("590k", 590e3, 1e3),
            ("1/6", 1.0 / 6.0, 0.0),
            ("2**0.5", 2f64.sqrt(), 0.0),
            ("root of 64", 8.0, 0.0),
            ("sqrt(768/12)", 8.0, 0.0),
            ("768 * 768", 589_824.0, 0.0),
            ("768 x 768", 589_824.0, 0.0),
            ("1/(1-0.2)", 1.25, 0.0),
            ("eight", 8.0, 0.0),
        ] {
            let read = numbers(text);
            let near = read.iter().any(|n| {
                n.len() == 1
                    && (n[0].value - value).abs() <= 1e-9 * value.abs()
                    && (n[0].step - step).abs() < 1e-12 * step.max(1.0)
            });
            assert!(near, "{text}: {read:?}");
        }
        let values = |text: &str| -> Vec<Vec<f64>> {
            numbers(text).into_iter().map(|list| list.into_iter().map(|n| n.value).collect()).collect()
        };
        assert!(values("589,824").contains(&vec![589_824.0]));
        assert!(values("589 824").contains(&vec![589_824.0]));
        assert!(values("0,2333").contains(&vec![0.2333]));
        assert!(values("[0.31, 0.82]").contains(&vec![0.31, 0.82]));
        assert!(values("0.31 0.82").contains(&vec![0.31, 0.82]));
        for text in ["", "what", "0.2.3", "1/0", "import os", "2 **", "(1"] {
            assert!(
                numbers(text).iter().all(|n| n.len() == 1 && n[0].value == 1.0),
                "{text}: {:?}",
                numbers(text)
            );
        }
    }
}
