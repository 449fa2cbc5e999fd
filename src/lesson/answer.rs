//! Parses numbers that a learner types as an answer, in any rounding: digits, words, percentages, arithmetic.
//! A text with two readings (1,024 as one number or as two) returns both.

use std::sync::LazyLock;

use regex_lite::Regex;
use ruff_python_ast::{Expr, Number, Operator, UnaryOp};

use super::number_words::with_digits;
use crate::syntax::{callee, parse_expression};

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
    let text = with_digits(&bare(&text.replace(" and ", ", ")));
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
    if let Some((_, result)) = text.rsplit_once('=').filter(|(left, _)| arithmetic(left).is_some()) {
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
        let value = arithmetic(&joined);
        found.extend(value.map(|value| vec![TypedNumber::exact(value)]));
    }
    found.dedup();
    found
}

/// The words and signs that may stand before a number.
static AROUND: LazyLock<Regex> = LazyLock::new(|| {
    let words = "about|approximately|approx\\.|roughly|around|nearly|circa|tensor|it is";
    Regex::new(&format!(r#"^(?:(?:{words}|[=~≈`"])\s*)+"#)).expect("it is a regular expression")
});

/// The text without the words and signs that may surround a number.
fn bare(text: &str) -> String {
    let mut text = text.trim().to_lowercase().replace('−', "-");
    if let Some(at) = text.find(", grad_fn") {
        text.truncate(at);
    }
    let mut rest = text.trim().trim_end_matches(['?', '!']).trim();
    loop {
        let before = rest;
        rest = AROUND.find(rest).map_or(rest, |words| &rest[words.end()..]);
        rest = rest.trim_end_matches(['`', '"']).trim();
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

/// The value of arithmetic: `+ - * / ** ( )`, roots as `sqrt(2)` or `√2`, and powers as `768²`. Python's parser reads it.
fn arithmetic(text: &str) -> Option<f64> {
    static SPELLINGS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let spellings = [
            (r"(?:the )?(?:square )?root of|√", "sqrt "),
            (r"(sqrt|log|ln)\s*([\w.]+)", "$1($2)"),
            (r"²|\bsquared\b", "**2"),
            (r"³|\bcubed\b", "**3"),
            (r"×|·|\bx\b|\btimes\b", "*"),
            ("÷", "/"),
            (r"\^", "**"),
        ];
        spellings.map(|(said, code)| (Regex::new(said).expect("it is a regular expression"), code)).into()
    });
    let code = SPELLINGS
        .iter()
        .fold(text.trim().to_owned(), |text, (said, code)| said.replace_all(&text, *code).into_owned());
    value_of(parse_expression(&code).ok()?.expr()).filter(|value| value.is_finite())
}

fn value_of(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(value) => value.as_u64().map(|value| value as f64),
            Number::Float(value) => Some(*value),
            Number::Complex { .. } => None,
        },
        Expr::UnaryOp(negated) if negated.op == UnaryOp::USub => Some(-value_of(&negated.operand)?),
        Expr::BinOp(operation) => {
            let (left, right) = (value_of(&operation.left)?, value_of(&operation.right)?);
            match operation.op {
                Operator::Add => Some(left + right),
                Operator::Sub => Some(left - right),
                Operator::Mult => Some(left * right),
                Operator::Div => Some(left / right),
                Operator::Pow => Some(left.powf(right)),
                _ => None,
            }
        }
        Expr::Call(call) => {
            let [argument] = &*call.arguments.args else { return None };
            match callee(call)? {
                "sqrt" => Some(value_of(argument)?.sqrt()),
                "log" | "ln" => Some(value_of(argument)?.ln()),
                _ => None,
            }
        }
        _ => None,
    }
}
