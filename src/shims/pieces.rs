//! The pieces into which tokenizers cut a text before they pair bytes. They are written as regular expressions; those that
//! byte-level tokenizers of models have are read here, so that no engine for such expressions is needed.
//! Source: the patterns of `tiktoken`, and of the files `tokenizer.json` of Llama 3 and Qwen 2.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// One of the patterns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Those of GPT-4 and later: contractions in capitals too, any character but a line's end before a word, line ends after
    /// punctuation, and a piece that ends with a line.
    is_newer: bool,
    /// The most digits of a piece.
    digits: usize,
    /// Whether the white space at the end of a text is one piece.
    keeps_end: bool,
    /// Whether only digits are cut out of the text, each alone.
    only_digits: bool,
}

/// GPT-2's, also that of `ByteLevel` in a `tokenizer.json`.
pub(super) const GPT_2: Cut =
    Cut { is_newer: false, digits: usize::MAX, keeps_end: true, only_digits: false };
/// GPT-4's.
pub(super) const CL100K: Cut = Cut { is_newer: true, digits: 3, keeps_end: true, only_digits: false };

/// The patterns as files write them.
const WRITTEN: [(&str, Cut); 4] = [
    (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", GPT_2),
    // Llama 3's.
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut { keeps_end: false, ..CL100K },
    ),
    // Qwen 2's.
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        Cut { digits: 1, keeps_end: false, ..CL100K },
    ),
    // `Digits` of a `tokenizer.json`, as SmolLM's has it.
    (r"\p{N}", Cut { only_digits: true, ..GPT_2 }),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Number,
    Space,
    Other,
}

fn class(character: char) -> Class {
    if character.is_whitespace() {
        return Class::Space;
    }
    match character.general_category_group() {
        GeneralCategoryGroup::Letter => Class::Letter,
        GeneralCategoryGroup::Number => Class::Number,
        _ => Class::Other,
    }
}

/// The bytes of the characters at the beginning that are of a class.
fn run(text: &str, of: Class) -> usize {
    text.find(|character| class(character) != of).unwrap_or(text.len())
}

fn ends_line(character: char) -> bool {
    matches!(character, '\r' | '\n')
}

impl Cut {
    /// The pattern that a file writes like this.
    pub(super) fn written(pattern: &str) -> Option<Cut> {
        WRITTEN.iter().find(|(written, _)| *written == pattern).map(|(_, cut)| *cut)
    }

    /// The pieces of a text, one after the other. Together they are the text.
    pub(super) fn pieces(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (piece, after) = (!rest.is_empty()).then(|| rest.split_at(self.first(rest)))?;
            rest = after;
            Some(piece)
        })
    }

    /// The length of the first piece of a text that is not empty.
    fn first(self, text: &str) -> usize {
        if self.only_digits {
            let is_number = |character| class(character) == Class::Number;
            let number = text.chars().next().filter(|first| is_number(*first)).map(char::len_utf8);
            return number.or_else(|| text.find(is_number)).unwrap_or(text.len());
        }
        let found = self.contraction(text).or_else(|| self.word(text)).or_else(|| self.number(text));
        found.or_else(|| self.signs(text)).unwrap_or_else(|| self.space(text))
    }

    fn contraction(self, text: &str) -> Option<usize> {
        let rest = text.strip_prefix('\'')?;
        let folded = |character: char| match character {
            _ if !self.is_newer => character,
            'ſ' => 's',
            _ => character.to_ascii_lowercase(),
        };
        let mut letters = rest.chars();
        let count = match (letters.next().map(folded)?, letters.next().map(folded)) {
            ('s' | 'd' | 'm' | 't', _) => 1,
            ('l', Some('l')) | ('v' | 'r', Some('e')) => 2,
            _ => return None,
        };
        Some(1 + rest.chars().take(count).map(char::len_utf8).sum::<usize>())
    }

    /// The length of what may be before a word.
    fn before_word(self, text: &str) -> usize {
        let takes = |first: &char| match self.is_newer {
            true => !ends_line(*first) && !matches!(class(*first), Class::Letter | Class::Number),
            false => *first == ' ',
        };
        text.chars().next().filter(takes).map_or(0, char::len_utf8)
    }

    fn word(self, text: &str) -> Option<usize> {
        let start = self.before_word(text);
        let letters = run(&text[start..], Class::Letter);
        (letters > 0).then_some(start + letters)
    }

    fn number(self, text: &str) -> Option<usize> {
        let start = usize::from(!self.is_newer && text.starts_with(' '));
        let all = &text[start..][..run(&text[start..], Class::Number)];
        let digits = all.char_indices().nth(self.digits).map_or(all.len(), |(at, _)| at);
        (digits > 0).then_some(start + digits)
    }

    fn signs(self, text: &str) -> Option<usize> {
        let start = usize::from(text.starts_with(' '));
        let end = start + run(&text[start..], Class::Other);
        let lines =
            if self.is_newer { text[end..].find(|c| !ends_line(c)).unwrap_or(text.len() - end) } else { 0 };
        (end > start).then_some(end + lines)
    }

    /// White space. The last character of it goes with what follows.
    fn space(self, text: &str) -> usize {
        let all = run(text, Class::Space);
        if all == text.len() && self.keeps_end {
            return all;
        }
        if self.is_newer
            && let Some(line) = text[..all].rfind(ends_line)
        {
            return line + 1;
        }
        let last = text[..all].char_indices().next_back().map_or(0, |(at, _)| at);
        if all == text.len() || last == 0 { all } else { last }
    }
}
