//! A formula in TeX as one line of text, as a teacher would type it.
//! The commands that attention needs; an unknown one gives its name.

use std::iter::Peekable;
use std::str::Chars;

/// Commands that stand for a sign.
const SIGNS: [(&str, &str); 34] = [
    ("alpha", "α"),
    ("approx", "≈"),
    ("beta", "β"),
    ("bullet", "•"),
    ("cdot", "·"),
    ("cdots", "…"),
    ("dots", "…"),
    ("epsilon", "ε"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("gets", "←"),
    ("in", "∈"),
    ("infty", "∞"),
    ("lambda", "λ"),
    ("ldots", "…"),
    ("le", "≤"),
    ("leq", "≤"),
    ("mid", "|"),
    ("mu", "μ"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("odot", "⊙"),
    ("omega", "ω"),
    ("pi", "π"),
    ("pm", "±"),
    ("prod", "Π"),
    ("quad", "  "),
    ("rightarrow", "→"),
    ("sigma", "σ"),
    ("sum", "Σ"),
    ("theta", "θ"),
    ("times", "×"),
    ("to", "→"),
    ("top", "ᵀ"),
];

/// Commands that say how what follows looks, and nothing of what it means.
const LOOKS: [&str; 12] = [
    "left",
    "right",
    "mathrm",
    "mathbf",
    "mathbb",
    "mathcal",
    "text",
    "textbf",
    "operatorname",
    "displaystyle",
    "big",
    "bigl",
];

/// The formula on one line.
pub fn maths(source: &str) -> String {
    let mut chars = source.chars().peekable();
    let mut line = String::new();
    // A brace that closes nothing ends a sequence, but not the formula.
    while chars.peek().is_some() {
        line.push_str(&sequence(&mut chars));
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All up to the end or to the brace that closes.
fn sequence(source: &mut Peekable<Chars>) -> String {
    let mut out = String::new();
    while let Some(c) = source.next() {
        match c {
            '}' => break,
            '_' => {
                out.push('_');
                out.push_str(&held(&part(source), true));
            }
            '^' => out.push_str(&raised(&part(source))),
            '~' | '&' => out.push(' '),
            '{' => out.push_str(&sequence(source)),
            '\\' => out.push_str(&command(source)),
            c => out.push(c),
        }
    }
    out
}

/// One argument: a group, a command, or a character.
fn part(source: &mut Peekable<Chars>) -> String {
    while source.next_if(|c| c.is_whitespace()).is_some() {}
    match source.next() {
        Some('{') => sequence(source),
        Some('\\') => command(source),
        Some(c) => c.to_string(),
        None => String::new(),
    }
}

fn command(source: &mut Peekable<Chars>) -> String {
    let mut name = String::new();
    while let Some(c) = source.next_if(char::is_ascii_alphabetic) {
        name.push(c);
    }
    match name.as_str() {
        "" => match source.next() {
            Some(',' | ';' | ':' | ' ' | '\\') => " ".to_string(),
            Some('!') | None => String::new(),
            Some(c) => c.to_string(),
        },
        "frac" | "dfrac" | "tfrac" => {
            let (top, bottom) = (part(source), part(source));
            format!("{} / {}", held(&top, false), held(&bottom, false))
        }
        "sqrt" => format!("√{}", held(&part(source), false)),
        name if LOOKS.contains(&name) => String::new(),
        name => match SIGNS.iter().find(|(known, _)| *known == name) {
            Some((_, sign)) => sign.to_string(),
            None => name.to_string(),
        },
    }
}

/// A part in parentheses, unless it is one thing anyway. Below a letter a comma parts, too.
fn held(part: &str, below: bool) -> String {
    let part = part.trim();
    let parts = |c: char| " +-/·=".contains(c) || (below && c == ',');
    match part.contains(parts) && !is_enclosed(part) {
        true => format!("({part})"),
        false => part.to_string(),
    }
}

/// Whether the parenthesis that ends the part is the only one that is open outside, as in `exp(a - b)`.
fn is_enclosed(part: &str) -> bool {
    let mut depth = 0;
    for c in part.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 && !c.is_alphanumeric() && c != '_' => return false,
            _ => {}
        }
    }
    depth == 0 && part.ends_with(')')
}

fn raised(part: &str) -> String {
    match part.trim() {
        "T" | "ᵀ" => "ᵀ".to_string(),
        "2" => "²".to_string(),
        "3" => "³".to_string(),
        part => format!("^{}", held(part, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::maths;

    #[test]
    fn formulas_read_as_typed() {
        let cases = [
            (r"\omega_{2,i} = x_i \cdot q", "ω_(2,i) = x_i · q"),
            (r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V", "softmax(QKᵀ / √d_k)V"),
            (r"\frac{1}{1-p}", "1 / (1-p)"),
            (r"\frac{e^{x_i}}{\sum_j e^{x_j}}", "e^x_i / (Σ_j e^x_j)"),
            (r"\alpha_{ij} \in \mathbb{R}^{n \times n}", "α_ij ∈ R^(n × n)"),
            (r"\sqrt{a + b}^2", "√(a + b)²"),
            (r"\frac{", " / "),
            (r"}}_^\", "_^"),
        ];
        for (source, wanted) in cases {
            assert_eq!(maths(source), wanted.trim(), "{source}");
        }
    }
}
