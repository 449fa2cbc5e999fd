//! A formula in TeX as one line of text.
//! Only the commands that the lessons use are known; another one is replaced by its name.

use std::iter::Peekable;
use std::str::Chars;

/// Commands that are replaced by a sign.
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

/// Commands that change only the font or size of what follows.
const FONTS: [&str; 12] = [
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
pub fn formula(source: &str) -> String {
    let mut chars = source.chars().peekable();
    let mut line = String::new();
    // A closing brace without an opening one ends a sequence, but not the formula.
    while chars.peek().is_some() {
        line.push_str(&sequence(&mut chars));
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text up to the end, or to the closing brace of the group.
fn sequence(source: &mut Peekable<Chars>) -> String {
    let mut out = String::new();
    while let Some(c) = source.next() {
        match c {
            '}' => break,
            '_' => {
                out.push('_');
                out.push_str(&grouped(&argument(source), true));
            }
            '^' => out.push_str(&superscript(&argument(source))),
            '~' | '&' => out.push(' '),
            '{' => out.push_str(&sequence(source)),
            '\\' => out.push_str(&command(source)),
            c => out.push(c),
        }
    }
    out
}

/// One argument: a group, a command, or a character.
fn argument(source: &mut Peekable<Chars>) -> String {
    while source.next_if(|c| c.is_whitespace()).is_some() {}
    match source.next() {
        Some('{') => sequence(source),
        Some('\\') => command(source),
        Some(c) => c.to_string(),
        None => String::new(),
    }
}

/// The text of the command after a backslash.
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
            let (top, bottom) = (argument(source), argument(source));
            format!("{} / {}", grouped(&top, false), grouped(&bottom, false))
        }
        "sqrt" => format!("√{}", grouped(&argument(source), false)),
        name if FONTS.contains(&name) => String::new(),
        name => match SIGNS.iter().find(|(known, _)| *known == name) {
            Some((_, sign)) => sign.to_string(),
            None => name.to_string(),
        },
    }
}

/// An argument, in parentheses if it has an operator outside of any; in a subscript also if it has a comma.
fn grouped(argument: &str, subscript: bool) -> String {
    let argument = argument.trim();
    let separates = |c: char| " +-/·=".contains(c) || (subscript && c == ',');
    match argument.contains(separates) && !is_call(argument) {
        true => format!("({argument})"),
        false => argument.to_string(),
    }
}

/// Whether the argument is a call or in parentheses already: `exp(a - b)`.
fn is_call(argument: &str) -> bool {
    let mut depth = 0;
    for c in argument.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            c if depth == 0 && !c.is_alphanumeric() && c != '_' => return false,
            _ => {}
        }
    }
    depth == 0 && argument.ends_with(')')
}

fn superscript(argument: &str) -> String {
    match argument.trim() {
        "T" | "ᵀ" => "ᵀ".to_string(),
        "2" => "²".to_string(),
        "3" => "³".to_string(),
        argument => format!("^{}", grouped(argument, true)),
    }
}
