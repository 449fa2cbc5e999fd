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
    let with_digits = |piece: &str| {
        let word = piece.trim_end_matches(|c| !is_part(c));
        let digits = number_word(word).map(|number| number.to_string());
        digits.map_or_else(|| piece.to_owned(), |digits| digits + &piece[word.len()..])
    };
    text.split_inclusive(|c| !is_part(c)).map(with_digits).collect()
}
