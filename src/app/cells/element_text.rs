//! The text of a named element: what is indexed, and the items of its index.

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
    let body = text.trim_end().strip_suffix(']')?;
    let mut depth = 0;
    let mut quote: Option<char> = None;
    let (mut opens, mut commas) = (Vec::new(), Vec::new());
    for (at, letter) in body.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '(' | '{') => {
                opens.push((at, letter, commas.len()));
                depth += 1;
            }
            (None, ']' | ')' | '}') => {
                let (_, _, before) = opens.pop()?;
                commas.truncate(before);
                depth -= 1;
            }
            (None, ',') => commas.push(at),
            _ => {}
        }
    }
    let (start, letter, before) = opens.pop().filter(|_| depth == 1)?;
    if letter != '[' || start == 0 {
        return None;
    }
    let mut items = Vec::new();
    let mut from = start + 1;
    for at in commas[before..].iter().copied().chain([body.len()]) {
        items.push(body[from..at].trim());
        from = at + 1;
    }
    if items.last().is_some_and(|last| last.is_empty()) && items.len() > 1 {
        items.pop();
    }
    Some((&body[..start], items))
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
    let mut out = String::new();
    let mut rest = text;
    let mut depth = 0;
    while let Some(letter) = rest.chars().next() {
        let quoted = ['"', '\''].contains(&letter).then(|| rest[1..].find(letter)).flatten();
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let word = match quoted {
            Some(end) => Some((&rest[1..=end], end + 2)),
            None if letter.is_alphabetic() && !out.ends_with(|c: char| is_letter(c) || c == '.') => {
                let length = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
                Some((&rest[..length], length))
            }
            None => None,
        };
        let place = word.filter(|_| depth > 0).and_then(|(word, length)| {
            let at = tokens.iter().position(|token| token == word)?;
            let next = rest[length..].trim_start().chars().next();
            matches!(next, Some(',' | ']')).then_some((at, length))
        });
        if let Some((at, length)) = place {
            out.push_str(&at.to_string());
            rest = &rest[length..];
            continue;
        }
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        let taken = word.map_or(letter.len_utf8(), |(_, length)| length);
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}
