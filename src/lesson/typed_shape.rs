//! Parses shapes that a learner types as an answer, in any usual spelling.
//! A text with two readings (1,024 as one size or as two) returns both.

use super::answer::without_thousands;
use super::number_words::with_digits;
use super::vocabulary::AXES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedSize {
    Number(usize),
    /// The variable that has it as its value, such as `d_out`, the name of an axis, or a calculation with variables and
    /// numbers.
    Name(String),
}

/// Words that may surround the sizes of a shape.
const FILLERS: &[&str] = &[
    "torch.size",
    "size",
    "shape",
    "the",
    "is",
    "of",
    "a",
    "an",
    "tensor",
    "tuple",
    "and",
    "it",
    "its",
    "with",
    "each",
    "vector",
    "matrix",
    "length",
    "elements",
    "numbers",
    "entries",
];

/// All readings of `text` as a shape, the most literal first; empty if it is not a shape.
/// `(6,2)`, `6x2`, `six by two`, `[6, 2]`, `torch.Size([6, 2])`, `query 6, key 2`, `T=6, d_out=2`, `(2, 6, 2*2)`.
pub fn shapes(text: &str) -> Vec<Vec<TypedSize>> {
    let text = with_digits(text);
    let mut found: Vec<Vec<TypedSize>> = shape(&text).into_iter().collect();
    if let Some(joined) = without_thousands(&text) {
        found.extend(shape(&joined));
    }
    found.dedup();
    found
}

#[derive(Clone, PartialEq)]
enum ShapeToken {
    Number(usize),
    Word(String),
    /// `,` `;` `|`: between two sizes.
    Comma,
    /// `x`, `by`: between two sizes.
    Cross,
    /// `*`: within a size if commas or crosses are between them, else between two sizes.
    Times,
    /// `+`, `-`, `/`, `//`: within a size.
    Sign(&'static str),
    /// `=` or `:` after the name of an axis.
    Equals,
}

fn shape(text: &str) -> Option<Vec<TypedSize>> {
    let text = text.trim().trim_end_matches(['.', '?', '!']);
    let low = text.to_lowercase();
    if ["scalar", "a scalar", "()", "[]", "torch.size([])", "0-d", "a single number"].contains(&low.as_str())
    {
        return Some(Vec::new());
    }
    let tokens = tokens(text)?;
    let separated = tokens.iter().any(|token| matches!(token, ShapeToken::Comma | ShapeToken::Cross));
    let between = |token: &ShapeToken| match token {
        ShapeToken::Comma | ShapeToken::Cross => true,
        ShapeToken::Times => !separated,
        _ => false,
    };
    let mut sizes = Vec::new();
    for part in tokens.split(between) {
        sizes.extend(part_sizes(part)?);
    }
    (!sizes.is_empty()).then_some(sizes)
}

fn tokens(text: &str) -> Option<Vec<ShapeToken>> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let run = |fits: fn(char) -> bool| letters[at..].iter().take_while(|c| fits(**c)).count();
        let adjoins_number = at > 0 && letters[at - 1].is_ascii_digit();
        match letter {
            '0'..='9' => {
                let length = run(|c| c.is_ascii_digit() || c == '_');
                let digits: String = letters[at..at + length].iter().filter(|c| **c != '_').collect();
                // 024 is the end of 1,024, not a size.
                if digits.len() > 1 && digits.starts_with('0') {
                    return None;
                }
                tokens.push(ShapeToken::Number(digits.parse().ok()?));
                at += length;
                continue;
            }
            'x' | 'X' if adjoins_number => tokens.push(ShapeToken::Cross),
            ',' | ';' | '|' => tokens.push(ShapeToken::Comma),
            '*' | '×' | '·' => tokens.push(ShapeToken::Times),
            '+' => tokens.push(ShapeToken::Sign("+")),
            '-' => tokens.push(ShapeToken::Sign("-")),
            '/' if letters.get(at + 1) == Some(&'/') => {
                tokens.push(ShapeToken::Sign("//"));
                at += 1;
            }
            '/' => tokens.push(ShapeToken::Sign("//")),
            '=' | ':' => tokens.push(ShapeToken::Equals),
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' => {}
            c if c.is_whitespace() => {}
            c if c.is_alphabetic() || c == '_' => {
                let length = run(|c| c.is_alphanumeric() || c == '_' || c == '.');
                let word: String = letters[at..at + length].iter().collect();
                match word.to_lowercase().as_str() {
                    "by" | "times" | "x" => tokens.push(ShapeToken::Cross),
                    low if FILLERS.contains(&low) => {}
                    _ => tokens.push(ShapeToken::Word(word)),
                }
                at += length;
                continue;
            }
            _ => return None,
        }
        at += 1;
    }
    Some(tokens)
}

/// The sizes between two separators: numbers with the names of their axes, names of sizes alone, or a calculation.
fn part_sizes(part: &[ShapeToken]) -> Option<Vec<TypedSize>> {
    let mut tokens: Vec<&ShapeToken> = Vec::new();
    for token in part {
        match token {
            // `T=6`: the number is the size, whatever its axis is called; `shape: ` has no name left.
            ShapeToken::Equals if matches!(tokens.last(), Some(ShapeToken::Word(_))) => drop(tokens.pop()),
            ShapeToken::Equals if tokens.is_empty() => {}
            ShapeToken::Equals => return None,
            token => tokens.push(token),
        }
    }
    if tokens.iter().any(|token| matches!(token, ShapeToken::Times | ShapeToken::Sign(_))) {
        return calculation(&tokens).map(|size| vec![size]);
    }
    let counted = tokens.iter().any(|token| matches!(token, ShapeToken::Number(_)));
    let mut sizes = Vec::new();
    for token in tokens {
        match token {
            ShapeToken::Number(size) => sizes.push(TypedSize::Number(*size)),
            ShapeToken::Word(word) if counted => {
                if !is_axis(word) {
                    return None;
                }
            }
            ShapeToken::Word(word) if is_size_name(word) || is_axis(word) => {
                sizes.push(TypedSize::Name(word.clone()));
            }
            _ => return None,
        }
    }
    Some(sizes)
}

/// Numbers and names with a sign between each two.
fn calculation(tokens: &[&ShapeToken]) -> Option<TypedSize> {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match (at % 2, token) {
            (0, ShapeToken::Number(size)) => text.push_str(&size.to_string()),
            (0, ShapeToken::Word(word)) if is_size_name(word) => text.push_str(word),
            (1, ShapeToken::Times) => text.push('*'),
            (1, ShapeToken::Sign(sign)) => text.push_str(sign),
            _ => return None,
        }
    }
    (tokens.len() % 2 == 1).then_some(TypedSize::Name(text))
}

/// Variables with sizes have names such as `d_out` and `T`; other words are not sizes.
fn is_size_name(word: &str) -> bool {
    word.contains('_') || word.len() == 1
}

fn is_axis(word: &str) -> bool {
    axis_named(word).is_some()
}

/// The axis that a word names, in the singular or the plural.
pub(super) fn axis_named(word: &str) -> Option<&'static str> {
    let low = word.to_lowercase();
    let one = match low.as_str() {
        "queries" => "query",
        "batches" => "batch",
        low => low.strip_suffix('s').unwrap_or(low),
    };
    AXES.iter().copied().find(|name| *name == low || *name == one)
}

/// The size of an axis in a text that names it with its size: 6 of `token` in `(batch 3, token 6)`.
pub(super) fn size_in(text: &str, word: &str) -> Option<usize> {
    let axis = axis_named(word)?;
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let of_axis = words.windows(2).filter(|pair| axis_named(pair[0]) == Some(axis));
    let sizes: Vec<usize> = of_axis.filter_map(|pair| pair[1].parse().ok()).collect();
    // An axis that has two sizes in the text is not clear.
    sizes.first().copied().filter(|first| sizes.iter().all(|size| size == first))
}
