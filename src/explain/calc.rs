//! Calculations as they are shown: numbers, sums, products and functions.
//! A calculation has a value, so that it can be compared with the element that it explains.

use serde::Serialize;

use super::terms::{figure, largest, term};

/// A calculation in numbers.
#[derive(Clone, PartialEq)]
pub enum Calc {
    /// A number with as few decimals as are exact, at most four.
    Number(f64),
    /// A number with four decimals, as a term of a sum.
    Term(f64),
    Truth(bool),
    Sum(Vec<Calc>),
    Product(Vec<Calc>),
    /// The first divided by the second.
    Quotient(Box<Calc>, Box<Calc>),
    /// The first to the power of the second.
    Power(Box<Calc>, Box<Calc>),
    /// Another operator, such as `>`: the sign, both sides, the result.
    Sign(&'static str, Box<Calc>, Box<Calc>, f64),
    /// A function: its name, the arguments, the result.
    Apply(String, Vec<Calc>, f64),
}

/// How the outermost operation of a calculation combines its parts.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Combine {
    Same,
    Sum,
    Product,
    /// The first term divided by the second.
    Quotient,
    /// The first term to the power of the second.
    Power,
    Function,
}

impl Calc {
    /// `a / b`
    pub fn over(self, other: Calc) -> Calc {
        Calc::Quotient(Box::new(self), Box::new(other))
    }

    /// `a - b`, of two numbers.
    pub fn minus(a: f64, b: f64) -> Calc {
        Calc::Sum(vec![Calc::Number(a), Calc::Number(-b)])
    }

    /// `name(x)`, whose result is `value`.
    pub(crate) fn apply(name: &str, args: Vec<Calc>, value: f64) -> Calc {
        Calc::Apply(name.to_owned(), args, value)
    }

    pub fn exp(x: Calc) -> Calc {
        let value = x.value().exp();
        Calc::apply("exp", vec![x], value)
    }

    pub(crate) fn log(x: Calc) -> Calc {
        let value = x.value().ln();
        Calc::apply("log", vec![x], value)
    }

    pub(crate) fn sqrt(x: Calc) -> Calc {
        let value = x.value().sqrt();
        Calc::apply("sqrt", vec![x], value)
    }

    /// `0.55·0.57 + 0.87·0.85`
    pub fn products(a: &[f64], b: &[f64]) -> Calc {
        let both = a.iter().zip(b);
        Calc::Sum(both.map(|(&x, &y)| Calc::Product(vec![Calc::Number(x), Calc::Number(y)])).collect())
    }

    /// `0.3135 + 0.7395`
    pub fn terms(values: impl IntoIterator<Item = f64>) -> Calc {
        Calc::Sum(values.into_iter().map(Calc::Term).collect())
    }

    pub fn value(&self) -> f64 {
        match self {
            // Adding 0 turns -0 into 0.
            Calc::Number(value) | Calc::Term(value) => *value + 0.0,
            Calc::Truth(value) => f64::from(u8::from(*value)),
            Calc::Sum(parts) => parts.iter().map(Calc::value).sum(),
            Calc::Product(parts) => parts.iter().map(Calc::value).product(),
            Calc::Quotient(a, b) => a.value() / b.value(),
            Calc::Power(a, b) => a.value().powf(b.value()),
            Calc::Sign(.., value) | Calc::Apply(.., value) => *value,
        }
    }

    /// How its parts are combined.
    pub(crate) fn combine(&self) -> Combine {
        match self {
            Calc::Number(_) | Calc::Term(_) | Calc::Truth(_) => Combine::Same,
            Calc::Sum(_) => Combine::Sum,
            Calc::Product(_) => Combine::Product,
            Calc::Quotient(..) => Combine::Quotient,
            Calc::Power(..) => Combine::Power,
            Calc::Sign(..) | Calc::Apply(..) => Combine::Function,
        }
    }

    /// The values of its parts.
    pub fn parts(&self) -> Vec<f64> {
        match self {
            Calc::Number(_) | Calc::Term(_) | Calc::Truth(_) => vec![self.value()],
            Calc::Sum(parts) | Calc::Product(parts) | Calc::Apply(_, parts, _) => {
                parts.iter().map(Calc::value).collect()
            }
            Calc::Quotient(a, b) | Calc::Power(a, b) | Calc::Sign(_, a, b, _) => vec![a.value(), b.value()],
        }
    }

    /// Its text. Of a long sum, the largest terms are shown, and the rest as one number.
    pub fn text(&self) -> String {
        match self {
            Calc::Number(value) => figure(*value),
            Calc::Term(_) => term(self.value()),
            Calc::Truth(value) => if *value { "True" } else { "False" }.to_owned(),
            Calc::Sum(parts) => sum(parts),
            Calc::Product(parts) => {
                let texts = parts.iter().enumerate().map(|(at, part)| part.factor(at == 0));
                texts.collect::<Vec<_>>().join("·")
            }
            Calc::Quotient(a, b) => format!("{} / {}", a.grouped(), b.divisor()),
            Calc::Power(a, b) => format!("{}^{}", a.factor(false), b.factor(false)),
            Calc::Sign(sign, a, b, _) => format!("{} {sign} {}", a.grouped(), b.factor(false)),
            Calc::Apply(name, args, _) => {
                let texts: Vec<String> = args.iter().map(Calc::text).collect();
                format!("{name}({})", texts.join(", "))
            }
        }
    }

    fn is_compound(&self) -> bool {
        match self {
            Calc::Sum(parts) => parts.len() > 1,
            Calc::Sign(..) => true,
            _ => false,
        }
    }

    /// Its text, in brackets if it is a sum.
    fn grouped(&self) -> String {
        if self.is_compound() { format!("({})", self.text()) } else { self.text() }
    }

    /// Its text as a factor, in brackets unless it is a number that needs no sign.
    fn factor(&self, first: bool) -> String {
        let text = self.text();
        let negative = text.starts_with('-') && !first;
        let compound = self.is_compound() || matches!(self, Calc::Quotient(..));
        if negative || compound { format!("({text})") } else { text }
    }

    fn divisor(&self) -> String {
        match self {
            Calc::Product(parts) if parts.len() > 1 => format!("({})", self.text()),
            other => other.factor(false),
        }
    }

    /// Whether it is negative as a term of a sum, and its text without the sign.
    fn signed(&self) -> (bool, String) {
        match self {
            Calc::Number(value) if *value < 0.0 => (true, figure(-value)),
            Calc::Term(value) if *value < 0.0 => (true, term(-value)),
            Calc::Product(parts) => match parts.split_first() {
                Some((Calc::Number(first), rest)) if *first < 0.0 => {
                    let mut positive = vec![Calc::Number(-first)];
                    positive.extend_from_slice(rest);
                    (true, Calc::Product(positive).text())
                }
                _ => (false, self.text()),
            },
            _ => (false, self.grouped()),
        }
    }
}

/// The text of a sum: `a + b - c`. Of many terms, the largest in their order, and the rest.
fn sum(parts: &[Calc]) -> String {
    if parts.is_empty() {
        return "0".to_owned();
    }
    let values: Vec<f64> = parts.iter().map(Calc::value).collect();
    let (mut shown, mut cut) = largest(&values);
    // Terms that a mask made 0 are left out.
    let zeros = shown.iter().filter(|&&at| values[at] == 0.0).count();
    if zeros > 1 && zeros < shown.len() {
        shown.retain(|&at| values[at] != 0.0);
        cut = true;
    }
    let mut out = String::new();
    for &at in &shown {
        let (negative, text) = parts[at].signed();
        out.push_str(match (out.is_empty(), negative) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        out.push_str(&text);
    }
    if cut {
        let others = parts.len() - shown.len();
        if values.iter().enumerate().all(|(at, &value)| value == 0.0 || shown.contains(&at)) {
            out.push_str(&format!(" + 0 (the other {others})"));
        } else if parts.iter().all(|part| matches!(part, Calc::Product(_))) {
            out.push_str(&format!(" + {others} smaller"));
        } else {
            let rest: f64 = (0..values.len()).filter(|at| !shown.contains(at)).map(|at| values[at]).sum();
            let sign = if rest < 0.0 { '-' } else { '+' };
            out.push_str(&format!(" {sign} {} (the other {others})", term(rest.abs())));
        }
    }
    out
}
