//! Small numbers that are written in words: `six by two`, `twelve`.

const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// The number that a word says.
pub(super) fn number_word(word: &str) -> Option<usize> {
    WORDS.iter().position(|known| known.eq_ignore_ascii_case(word))
}

/// The text with each number word as digits; everything else stays.
pub(super) fn with_digits(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        match number_word(word) {
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str(word),
        }
        rest = after;
    }
    out
}
