//! Arithmetic as a learner reads it: figures, sums, products, and the functions between them.
//! A calculation knows its value, so that what is shown can be held against the element.

use super::terms::{figure, largest, term};

/// A calculation in figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Calc {
    /// A number, as short as it is exact.
    Number(f64),
    /// A number in four decimals, as a term in a sum stands.
    Term(f64),
    /// A truth value.
    Truth(bool),
    /// All of these added.
    Sum(Vec<Calc>),
    /// All of these multiplied.
    Product(Vec<Calc>),
    /// The first divided by the second.
    Quotient(Box<Calc>, Box<Calc>),
    /// The first to the power of the second.
    Power(Box<Calc>, Box<Calc>),
    /// A sign between two, such as `>`: the sign, both sides, what it gives.
    Sign(&'static str, Box<Calc>, Box<Calc>, f64),
    /// A function by name, what it is given, and what it gives.
    Apply(String, Vec<Calc>, f64),
}

/// How what is calculated last puts its parts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// One number.
    Same,
    /// A sum of its terms.
    Sum,
    /// A product of its terms.
    Product,
    /// The first term divided by the second.
    Quotient,
    /// The first term to the power of the second.
    Power,
    /// A function of its terms.
    Function,
}

impl Combine {
    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Combine::Same => "same",
            Combine::Sum => "sum",
            Combine::Product => "product",
            Combine::Quotient => "quotient",
            Combine::Power => "power",
            Combine::Function => "function",
        }
    }
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

    /// `name(x)`, which gives `value`.
    pub fn apply(name: &str, args: Vec<Calc>, value: f64) -> Calc {
        Calc::Apply(name.to_owned(), args, value)
    }

    /// `exp(x)`
    pub fn exp(x: Calc) -> Calc {
        let value = x.value().exp();
        Calc::apply("exp", vec![x], value)
    }

    /// `log(x)`
    pub fn log(x: Calc) -> Calc {
        let value = x.value().ln();
        Calc::apply("log", vec![x], value)
    }

    /// `sqrt(x)`
    pub fn sqrt(x: Calc) -> Calc {
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

    /// What comes out.
    pub fn value(&self) -> f64 {
        match self {
            // Zero has one sign here: a sum that shows -0 tells nothing.
            Calc::Number(value) | Calc::Term(value) => *value + 0.0,
            Calc::Truth(value) => f64::from(u8::from(*value)),
            Calc::Sum(parts) => parts.iter().map(Calc::value).sum(),
            Calc::Product(parts) => parts.iter().map(Calc::value).product(),
            Calc::Quotient(a, b) => a.value() / b.value(),
            Calc::Power(a, b) => a.value().powf(b.value()),
            Calc::Sign(.., value) | Calc::Apply(.., value) => *value,
        }
    }

    /// The largest magnitude on the way to the value: what rounding is measured against.
    pub fn scale(&self) -> f64 {
        let parts: Vec<&Calc> = match self {
            Calc::Number(_) | Calc::Term(_) | Calc::Truth(_) => Vec::new(),
            Calc::Sum(parts) | Calc::Apply(_, parts, _) => parts.iter().collect(),
            // What is divided or multiplied rounds in proportion to what comes out.
            Calc::Quotient(a, b) => {
                let rounding = a.scale() / a.value().abs().max(f64::MIN_POSITIVE);
                let below = b.scale() / b.value().abs().max(f64::MIN_POSITIVE);
                return self.value().abs() * rounding.max(below).max(1.0);
            }
            Calc::Product(parts) => {
                let one = |part: &Calc| part.scale() / part.value().abs().max(f64::MIN_POSITIVE);
                let rounding = parts.iter().map(one).fold(1.0, f64::max);
                return self.value().abs() * rounding;
            }
            Calc::Power(..) | Calc::Sign(..) => Vec::new(),
        };
        let own = self.value().abs();
        parts.into_iter().map(Calc::scale).filter(|scale| scale.is_finite()).fold(own, f64::max)
    }

    /// How its parts go together.
    pub fn combine(&self) -> Combine {
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

    /// As it is read; of a long sum the largest terms, and the rest as one.
    pub fn text(&self) -> String {
        match self {
            Calc::Number(value) => figure(*value),
            Calc::Term(value) => match *value < 0.0 {
                true => format!("-{}", term(value.abs())),
                false => term(value.abs()),
            },
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

    /// In brackets where it is a sum.
    fn grouped(&self) -> String {
        if self.is_compound() { format!("({})", self.text()) } else { self.text() }
    }

    /// In brackets where it is anything but one number above zero.
    fn factor(&self, first: bool) -> String {
        let text = self.text();
        let negative = text.starts_with('-') && !first;
        let compound = self.is_compound() || matches!(self, Calc::Quotient(..));
        if negative || compound { format!("({text})") } else { text }
    }

    fn divisor(&self) -> String {
        match self {
            Calc::Product(parts) if parts.len() > 1 => format!("({})", self.text()),
            Calc::Quotient(..) => format!("({})", self.text()),
            other => other.factor(false),
        }
    }

    /// The sign that it takes in a sum, and itself without it.
    fn signed(&self) -> (bool, String) {
        match self {
            Calc::Number(value) if *value < 0.0 => (true, figure(-value)),
            Calc::Term(value) if *value < 0.0 => (true, term(-value)),
            Calc::Product(parts) => match parts.split_first() {
                Some((Calc::Number(first), rest)) if *first < 0.0 => {
                    let mut turned = vec![Calc::Number(-first)];
                    turned.extend_from_slice(rest);
                    (true, Calc::Product(turned).text())
                }
                _ => (false, self.text()),
            },
            _ => (false, self.grouped()),
        }
    }

    fn is_zero(&self) -> bool {
        self.value() == 0.0
    }
}

/// `a + b - c`; of many terms the largest in their order, and the rest.
fn sum(parts: &[Calc]) -> String {
    if parts.is_empty() {
        return "0".to_owned();
    }
    let values: Vec<f64> = parts.iter().map(Calc::value).collect();
    let (mut shown, mut cut) = largest(&values);
    // Where a mask hides terms, those that are left tell more alone.
    let zeros = shown.iter().filter(|&&at| parts[at].is_zero()).count();
    if zeros > 1 && zeros < shown.len() {
        shown.retain(|&at| !parts[at].is_zero());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_stand_where_they_are_needed() {
        let difference = Calc::minus(1.5, -0.25);
        assert_eq!(difference.text(), "1.5 + 0.25");
        assert_eq!(
            Calc::exp(Calc::minus(1.5, 2.0)).over(Calc::terms([1.0, 2.0])).text(),
            "exp(1.5 - 2) / (1.0000 + 2.0000)"
        );
        assert_eq!(Calc::Product(vec![difference, Calc::Number(-2.0)]).text(), "(1.5 + 0.25)·(-2)");
        assert_eq!(Calc::products(&[1.0, -2.0], &[3.0, -0.5]).text(), "1·3 - 2·(-0.5)");
        assert_eq!(
            Calc::Number(8.0).over(Calc::Product(vec![Calc::Number(2.0), Calc::Number(4.0)])).text(),
            "8 / (2·4)"
        );
    }

    #[test]
    fn long_sums_show_the_largest_terms_and_the_rest_as_one() {
        let many = Calc::terms((1..=20).map(f64::from));
        assert_eq!(
            many.text(),
            "15.0000 + 16.0000 + 17.0000 + 18.0000 + 19.0000 + 20.0000 + 105.0000 (the other 14)"
        );
        assert_eq!(many.value(), 210.0);
    }
}
