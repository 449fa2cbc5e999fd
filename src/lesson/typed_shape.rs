//! Parses shapes that a learner types for a choice, in any usual spelling.

use std::sync::LazyLock;

use regex_lite::Regex;

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
const FILLERS: &str = "torch.size size shape the is of a an tensor tuple and it its with each vector matrix length elements \
                       numbers entries";

/// `text` as a shape; `None` if it is not one. `1,024` is one size where it cannot be two.
/// `(6,2)`, `6x2`, `six by two`, `[6, 2]`, `torch.Size([6, 2])`, `query 6, key 2`, `T=6, d_out=2`, `(2, 6, 2*2)`.
pub fn shape(text: &str) -> Option<Vec<TypedSize>> {
    let text = with_digits(text);
    literal(&text).or_else(|| literal(&without_thousands(&text)?))
}

fn literal(text: &str) -> Option<Vec<TypedSize>> {
    let text = text.trim().trim_end_matches(['.', '?', '!']);
    let tokens = tokens(text)?;
    let separated = tokens.iter().any(|token| token == ",");
    let between = |token: &String| token == "," || token == "*" && !separated;
    let mut sizes = Vec::new();
    for part in tokens.split(between) {
        sizes.extend(part_sizes(part)?);
    }
    (!sizes.is_empty()).then_some(sizes)
}

/// Numbers, names, `,` between two sizes, `=` after the name of an axis, and signs of arithmetic. `*` is within a size if
/// commas are between them, else between two sizes.
fn tokens(text: &str) -> Option<Vec<String>> {
    static CROSS: LazyLock<Regex> = LazyLock::new(|| regex(r"(\d)[xX]"));
    static TOKEN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\d[\d_]*|(?:\w|[^\x00-\x7F×·])(?:[\w.]|[^\x00-\x7F×·])*|//|\S"));
    let text = CROSS.replace_all(text, "$1 x ");
    let mut tokens = Vec::new();
    for token in TOKEN.find_iter(&text) {
        let token = token.as_str();
        tokens.push(match token.to_lowercase().as_str() {
            "(" | ")" | "[" | "]" | "{" | "}" | "<" | ">" => continue,
            low if FILLERS.split(' ').any(|filler| filler == low) => continue,
            "," | ";" | "|" | "by" | "times" | "x" => ",".to_owned(),
            "*" | "×" | "·" => "*".to_owned(),
            "/" | "//" => "//".to_owned(),
            "=" | ":" => "=".to_owned(),
            "+" | "-" => token.to_owned(),
            // 024 is the end of 1,024, not a size.
            low if low.len() > 1 && low.starts_with('0') => return None,
            low if low.starts_with(|c: char| c.is_ascii_digit()) => low.replace('_', ""),
            low if low.starts_with(|c: char| c.is_alphabetic() || c == '_') => token.to_owned(),
            _ => return None,
        });
    }
    Some(tokens)
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are regular expressions")
}

/// The sizes between two separators: numbers with the names of their axes, names of sizes alone, or a calculation.
fn part_sizes(part: &[String]) -> Option<Vec<TypedSize>> {
    let is_word = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut tokens: Vec<&str> = Vec::new();
    for token in part {
        match token.as_str() {
            // `T=6`: the number is the size, whatever its axis is called; `shape: ` has no name left.
            "=" if tokens.last().is_some_and(|last| is_word(last)) => drop(tokens.pop()),
            "=" if tokens.is_empty() => {}
            "=" => return None,
            token => tokens.push(token),
        }
    }
    let is_size = |token: &str| token.parse::<usize>().is_ok() || is_word(token) && is_size_name(token);
    let is_sign = |token: &&str| matches!(*token, "*" | "+" | "-" | "//");
    if tokens.iter().any(is_sign) {
        // Numbers and names with a sign between each two.
        let fits = |(at, token): (usize, &&str)| if at % 2 == 0 { is_size(token) } else { is_sign(token) };
        let fits = tokens.len() % 2 == 1 && tokens.iter().enumerate().all(fits);
        return fits.then(|| vec![TypedSize::Name(tokens.concat())]);
    }
    let counted = tokens.iter().any(|token| !is_word(token));
    let mut sizes = Vec::new();
    for token in tokens {
        match token.parse() {
            Ok(size) => sizes.push(TypedSize::Number(size)),
            Err(_) if counted && axis_named(token).is_some() => {}
            Err(_) if !counted && (is_size_name(token) || axis_named(token).is_some()) => {
                sizes.push(TypedSize::Name(token.to_owned()));
            }
            Err(_) => return None,
        }
    }
    Some(sizes)
}

/// Variables with sizes have names such as `d_out` and `T`; other words are not sizes.
fn is_size_name(word: &str) -> bool {
    word.contains('_') || word.len() == 1
}

/// The axis that a word names, in the singular or the plural.
fn axis_named(word: &str) -> Option<&'static str> {
    let low = word.to_lowercase();
    let one = match low.as_str() {
        "queries" => "query",
        "batches" => "batch",
        low => low.strip_suffix('s').unwrap_or(low),
    };
    AXES.iter().copied().find(|name| *name == low || *name == one)
}
