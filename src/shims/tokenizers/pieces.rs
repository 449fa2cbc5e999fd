//! How a text is cut into the pieces that no token crosses.

use fancy_regex::Regex;
use serde::{Deserialize, Deserializer, de::Error as _};
use unic_ucd_category::GeneralCategory as Category;

use super::bytes::letter;
use crate::kernel::stop;

/// GPT-2's pattern.
const WORDS: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

#[derive(Debug, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(super) enum Cutter {
    ByteLevel {
        add_prefix_space: bool,
        /// About places in the text, which are not kept here.
        #[serde(default, rename = "trim_offsets")]
        _trim_offsets: bool,
        #[serde(default = "yes")]
        use_regex: bool,
        #[serde(skip, default = "words")]
        words: Pattern,
    },
    Split {
        pattern: Pattern,
        behavior: Behavior,
        #[serde(default)]
        invert: bool,
    },
    BertPreTokenizer {},
    Whitespace {
        #[serde(skip, default = "words_and_signs")]
        pattern: Pattern,
    },
    WhitespaceSplit {},
    Digits {
        individual_digits: bool,
    },
    Punctuation {
        #[serde(default)]
        behavior: Behavior,
    },
    Sequence {
        pretokenizers: Vec<Cutter>,
    },
}

fn yes() -> bool {
    true
}

fn words() -> Pattern {
    Pattern(Box::new(Regex::new(WORDS).expect("a valid pattern")))
}

fn words_and_signs() -> Pattern {
    Pattern(Box::new(Regex::new(r"\w+|[^\w\s]+").expect("a valid pattern")))
}

/// What becomes of the matches of a pattern.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) enum Behavior {
    Removed,
    #[default]
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
}

#[derive(Debug)]
pub(super) struct Pattern(Box<Regex>);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
        #[derive(Deserialize)]
        enum Written {
            String(String),
            Regex(String),
        }
        let pattern = match Written::deserialize(deserializer)? {
            Written::String(text) => fancy_regex::escape(&text).into_owned(),
            Written::Regex(pattern) => pattern,
        };
        Regex::new(&pattern)
            .map(|regex| Pattern(Box::new(regex)))
            .map_err(|error| D::Error::custom(format!("the pattern {pattern}: {error}")))
    }
}

/// A part of a text, and whether it is a match.
type Part = (usize, usize, bool);

impl Pattern {
    /// The matches in a text and what is between them. Errors: the pattern takes too many steps.
    fn parts(&self, text: &str) -> Result<Vec<Part>, String> {
        let (mut parts, mut end) = (Vec::new(), 0);
        for found in self.0.find_iter(text) {
            stop::check();
            let found = found.map_err(|error| error.to_string())?;
            if end < found.start() {
                parts.push((end, found.start(), false));
            }
            parts.push((found.start(), found.end(), true));
            end = found.end();
        }
        if end < text.len() {
            parts.push((end, text.len(), false));
        }
        Ok(parts)
    }
}

/// The characters of a text as parts.
fn letters(text: &str, matches: impl Fn(char) -> bool) -> Vec<Part> {
    text.char_indices().map(|(at, letter)| (at, at + letter.len_utf8(), matches(letter))).collect()
}

fn cut(text: &str, parts: Vec<Part>, behavior: Behavior) -> Vec<String> {
    let pieces: Vec<(usize, usize)> = match behavior {
        Behavior::Removed => parts.into_iter().filter(|part| !part.2).map(|part| (part.0, part.1)).collect(),
        Behavior::Isolated => parts.into_iter().map(|part| (part.0, part.1)).collect(),
        Behavior::Contiguous => {
            let mut joined: Vec<Part> = Vec::new();
            for part in parts {
                match joined.last_mut() {
                    Some(last) if last.2 == part.2 => last.1 = part.1,
                    _ => joined.push(part),
                }
            }
            joined.into_iter().map(|part| (part.0, part.1)).collect()
        }
        Behavior::MergedWithPrevious => {
            let (mut pieces, mut after_match): (Vec<(usize, usize)>, _) = (Vec::new(), false);
            for (start, end, is_match) in parts {
                match pieces.last_mut() {
                    Some(last) if is_match && !after_match => last.1 = end,
                    _ => pieces.push((start, end)),
                }
                after_match = is_match;
            }
            pieces
        }
        Behavior::MergedWithNext => {
            let (mut pieces, mut before_match): (Vec<(usize, usize)>, _) = (Vec::new(), false);
            for (start, end, is_match) in parts.into_iter().rev() {
                match pieces.last_mut() {
                    Some(last) if is_match && !before_match => last.0 = start,
                    _ => pieces.push((start, end)),
                }
                before_match = is_match;
            }
            pieces.reverse();
            pieces
        }
    };
    pieces
        .into_iter()
        .filter(|(start, end)| start < end)
        .map(|(start, end)| text[start..end].to_owned())
        .collect()
}

impl Cutter {
    /// Cuts each piece further. Errors: a pattern takes too many steps.
    pub(super) fn apply(&self, pieces: Vec<String>) -> Result<Vec<String>, String> {
        if let Cutter::Sequence { pretokenizers } = self {
            return pretokenizers.iter().try_fold(pieces, |pieces, cutter| cutter.apply(pieces));
        }
        let mut out = Vec::new();
        for piece in pieces {
            stop::check();
            out.extend(self.one(piece)?);
        }
        Ok(out)
    }

    fn one(&self, text: String) -> Result<Vec<String>, String> {
        Ok(match self {
            Cutter::ByteLevel { add_prefix_space, use_regex, words, .. } => {
                let text =
                    if *add_prefix_space && !text.starts_with(' ') { format!(" {text}") } else { text };
                let pieces =
                    if *use_regex { cut(&text, words.parts(&text)?, Behavior::Isolated) } else { vec![text] };
                pieces.iter().map(|piece| piece.bytes().map(letter).collect()).collect()
            }
            Cutter::Split { pattern, behavior, invert } => {
                let turned = |(start, end, is_match): Part| (start, end, is_match != *invert);
                cut(&text, pattern.parts(&text)?.into_iter().map(turned).collect(), *behavior)
            }
            Cutter::BertPreTokenizer {} => {
                let words = text.split(char::is_whitespace).filter(|word| !word.is_empty());
                words.flat_map(|word| cut(word, between_marks(word), Behavior::Isolated)).collect()
            }
            Cutter::Whitespace { pattern } => {
                let turned = |(start, end, is_match): Part| (start, end, !is_match);
                cut(&text, pattern.parts(&text)?.into_iter().map(turned).collect(), Behavior::Removed)
            }
            Cutter::WhitespaceSplit {} => text.split_whitespace().map(str::to_owned).collect(),
            Cutter::Digits { individual_digits } => {
                let parts = letters(&text, char::is_numeric);
                if *individual_digits {
                    let parts = joined_between(parts);
                    cut(&text, parts, Behavior::Isolated)
                } else {
                    cut(&text, parts, Behavior::Contiguous)
                }
            }
            Cutter::Punctuation { behavior } => cut(&text, between_marks(&text), *behavior),
            Cutter::Sequence { .. } => return self.apply(vec![text]),
        })
    }

    /// How often a text is written as bytes. Each time may double it, so that a file may ask for it once.
    pub(super) fn byte_levels(&self) -> usize {
        match self {
            Cutter::ByteLevel { .. } => 1,
            Cutter::Sequence { pretokenizers } => pretokenizers.iter().map(Cutter::byte_levels).sum(),
            _ => 0,
        }
    }

    /// Sets whether a space is put in front of the first word. Others than the byte level stay as they are.
    pub(super) fn set_prefix_space(&mut self, space: bool) {
        if let Cutter::ByteLevel { add_prefix_space, .. } = self {
            *add_prefix_space = space;
        }
    }
}

/// Each punctuation mark is a match; what is between two of them is one part.
fn between_marks(text: &str) -> Vec<Part> {
    joined_between(letters(text, is_punctuation))
}

fn joined_between(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if !last.2 && !part.2 => last.1 = part.1,
            _ => joined.push(part),
        }
    }
    joined
}

fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation() || Category::of(letter).is_punctuation()
}
