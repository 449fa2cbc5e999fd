//! The text of a named element: what is indexed, and the items of its index.

use std::ops::Range;

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_text_size::Ranged;

use crate::syntax::parse_unchecked;

#[derive(Clone, PartialEq)]
pub(crate) enum IndexItem {
    /// A number; negative ones count from the end.
    Number(i64),
    /// A token or a variable.
    Word(String),
}

/// The function of a tensor and which of its calls, from 1; without a number the last one.
pub(crate) struct Scope {
    pub(crate) function: String,
    pub(crate) call: Option<usize>,
}

/// `CausalAttention.forward: attn_scores` as the function and what is named in it.
pub(crate) fn scope(text: &str) -> Option<(Scope, &str)> {
    let (left, rest) = text.split_once(':')?;
    let (left, call) = match left.trim().rsplit_once(" call ").or_else(|| left.trim().rsplit_once('#')) {
        Some((function, number)) => (function.trim(), Some(number.trim().parse().ok()?)),
        None => (left.trim(), None),
    };
    let is_name = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let fits = left.split('.').all(is_name) && left != "lambda" && !rest.trim().is_empty();
    fits.then(|| (Scope { function: left.to_owned(), call }, rest.trim()))
}

/// What comes before the tensor in a text: `CausalAttention.forward: `; empty if it names no function.
pub(crate) fn scope_prefix(text: &str) -> &str {
    let text = text.trim();
    scope(text).map_or("", |(_, rest)| &text[..text.len() - rest.len()])
}

/// What is indexed, and the items of the index: `a[1][-2, journey]` is `a` with 1, -2 and the token "journey".
/// A slice belongs to what is indexed.
pub(crate) fn split_index(text: &str) -> (String, Vec<IndexItem>) {
    let mut base = text;
    let mut items = Vec::new();
    while let Some((rest, inner)) = last_group(base) {
        let Some(mut own) = inner.iter().map(|item| index_item(item)).collect::<Option<Vec<_>>>() else {
            break;
        };
        own.extend(items);
        items = own;
        base = rest.trim_end();
    }
    (base.to_owned(), items)
}

/// The text before the last pair of brackets, which ends it, and the items inside them.
fn last_group(text: &str) -> Option<(&str, Vec<&str>)> {
    use TokenKind::{Comma, Lbrace, Lpar, Lsqb, Rbrace, Rpar, Rsqb};
    let mut end = text.trim_end().strip_suffix(']')?.len();
    let (mut depth, mut items) = (0, Vec::new());
    for token in parse_unchecked(text, Mode::Module).tokens().iter().rev() {
        match token.kind() {
            Rsqb | Rpar | Rbrace => depth += 1,
            Lsqb | Lpar | Lbrace => depth -= 1,
            Comma if depth == 1 => {}
            _ => continue,
        }
        let range = Range::<usize>::from(token.range());
        if depth == 0 || token.kind() == Comma {
            items.push(text.get(range.end..end)?.trim());
            end = range.start;
        }
        if depth == 0 {
            // After the last item there may be a comma.
            let skipped = usize::from(items.len() > 1 && items[0].is_empty());
            let is_index = token.kind() == Lsqb && end > 0;
            return is_index.then(|| (&text[..end], items.into_iter().skip(skipped).rev().collect()));
        }
    }
    None
}

fn index_item(text: &str) -> Option<IndexItem> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(IndexItem::Number(number));
    }
    let quoted = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    if let Some(word) = quoted {
        return Some(IndexItem::Word(word.to_owned()));
    }
    // `None`, `...`, `:` and calculations are Python's.
    let is_word = text.chars().all(|c| c.is_alphanumeric() || "_-'".contains(c))
        && text.starts_with(char::is_alphabetic)
        && !matches!(text, "None" | "True" | "False");
    is_word.then(|| IndexItem::Word(text.to_owned()))
}

/// The same text with the positions of tokens for their names in brackets: `inputs[journey,0]=0.9` as
/// `inputs[1,0]=0.9`. For text that is code otherwise.
pub(crate) fn with_positions(text: &str, tokens: &[String]) -> String {
    let parsed = parse_unchecked(text, Mode::Module);
    let (mut out, mut done, mut depth) = (String::new(), 0, 0);
    let mut before = None;
    for token in parsed.tokens() {
        let range = Range::<usize>::from(token.range());
        let word = &text[range.clone()];
        match word {
            "[" => depth += 1,
            "]" => depth -= 1,
            _ => {}
        }
        let is_word = word.starts_with(|c: char| c.is_alphabetic() || "'\"".contains(c));
        let place = tokens.iter().position(|token| token == word.trim_matches(['"', '\'']));
        let is_item = text[range.end..].trim_start().starts_with([',', ']']);
        if let Some(place) = place.filter(|_| depth > 0 && is_word && is_item && before != Some(".")) {
            out.push_str(&text[done..range.start]);
            out.push_str(&place.to_string());
            done = range.end;
        }
        before = Some(word);
    }
    out + &text[done..]
}
