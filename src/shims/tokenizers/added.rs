//! Tokens that are found in a text as they are, before it is cut.

use std::collections::HashMap;

use serde::Deserialize;

use super::normalizer::Normalizer;
use crate::kernel::stop;

/// A token as the file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddedToken {
    pub(super) id: u32,
    pub(super) content: String,
    /// Found only where no word goes on.
    pub(super) single_word: bool,
    /// Takes the white space before it.
    pub(super) lstrip: bool,
    /// Takes the white space after it.
    pub(super) rstrip: bool,
    /// Found in the normalised text.
    pub(super) normalized: bool,
    pub(super) special: bool,
}

/// A part of a text: an added token and how it is written there, or what is between.
#[derive(Debug)]
pub(super) enum Part {
    Token(u32, String),
    Text(String),
}

/// What is looked for: the texts by their first byte, longest first.
#[derive(Debug, Default)]
struct Search {
    by_first: HashMap<u8, Vec<(String, usize)>>,
}

impl Search {
    fn new(texts: impl Iterator<Item = (String, usize)>) -> Search {
        let mut search = Search::default();
        for (text, index) in texts {
            if let Some(first) = text.bytes().next() {
                search.by_first.entry(first).or_default().push((text, index));
            }
        }
        for texts in search.by_first.values_mut() {
            texts.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
        search
    }

    /// The first place from `start` on where one of the texts is, its end, and the number of the longest there.
    fn next(&self, text: &str, start: usize) -> Option<(usize, usize, usize)> {
        text.as_bytes()[start..].iter().enumerate().find_map(|(at, first)| {
            let at = start + at;
            let found = self.by_first.get(first)?;
            stop::check();
            let (found, index) =
                found.iter().find(|(found, _)| text.as_bytes()[at..].starts_with(found.as_bytes()))?;
            Some((at, at + found.len(), *index))
        })
    }
}

/// The tokens that were added to a vocabulary, in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct AddedTokens {
    pub(super) tokens: Vec<AddedToken>,
    by_text: HashMap<String, usize>,
    by_id: HashMap<u32, usize>,
    /// Those that are found before the text is normalised, and those that are found after.
    searches: [Search; 2],
}

impl AddedTokens {
    pub(super) fn new(tokens: Vec<AddedToken>, normalizer: Option<&Normalizer>) -> AddedTokens {
        let mut added = AddedTokens { tokens, ..AddedTokens::default() };
        added.index(normalizer);
        added
    }

    pub(super) fn add(&mut self, token: AddedToken, normalizer: Option<&Normalizer>) {
        self.tokens.push(token);
        self.index(normalizer);
    }

    /// Makes the ways to find them, after a change of them or of the normaliser.
    pub(super) fn index(&mut self, normalizer: Option<&Normalizer>) {
        self.tokens.sort_by_key(|token| token.id);
        self.by_text =
            self.tokens.iter().enumerate().map(|(at, token)| (token.content.clone(), at)).collect();
        self.by_id = self.tokens.iter().enumerate().map(|(at, token)| (token.id, at)).collect();
        let all = || self.tokens.iter().enumerate();
        let raw =
            Search::new(all().filter(|(_, one)| !one.normalized).map(|(at, one)| (one.content.clone(), at)));
        let later = all().filter(|(_, one)| one.normalized).map(|(at, one)| {
            let text =
                normalizer.map_or_else(|| one.content.clone(), |normalizer| normalizer.apply(&one.content));
            (text, at)
        });
        let later = Search::new(later);
        self.searches = [raw, later];
    }

    pub(super) fn by_text(&self, text: &str) -> Option<&AddedToken> {
        self.by_text.get(text).map(|at| &self.tokens[*at])
    }

    pub(super) fn by_id(&self, id: u32) -> Option<&AddedToken> {
        self.by_id.get(&id).map(|at| &self.tokens[*at])
    }

    /// The added tokens of a text, and what is between them, normalised.
    pub(super) fn parts(&self, text: &str, normalizer: Option<&Normalizer>) -> Vec<Part> {
        let mut parts = Vec::new();
        for part in self.found(text, &self.searches[0]) {
            match part {
                Part::Text(text) => {
                    let text = normalizer.map_or_else(|| text.clone(), |normalizer| normalizer.apply(&text));
                    parts.extend(self.found(&text, &self.searches[1]));
                }
                // Its text is normalised too; only its number counts.
                token @ Part::Token(..) => parts.push(token),
            }
        }
        parts
    }

    fn found(&self, text: &str, search: &Search) -> Vec<Part> {
        let (mut parts, mut written, mut from) = (Vec::new(), 0, 0);
        while let Some((mut start, mut end, index)) = search.next(text, from) {
            let token = &self.tokens[index];
            from = end;
            if token.single_word && (ends_with_word(&text[..start]) || begins_with_word(&text[end..])) {
                continue;
            }
            if token.lstrip {
                start = text[..start].trim_end().len().max(written);
            }
            if token.rstrip {
                end += text[end..].len() - text[end..].trim_start().len();
            }
            if written < start {
                parts.push(Part::Text(text[written..start].to_owned()));
            }
            parts.push(Part::Token(token.id, text[start..end].to_owned()));
            written = end;
            from = from.max(end);
        }
        if written < text.len() {
            parts.push(Part::Text(text[written..].to_owned()));
        }
        parts
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn ends_with_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_word)
}

fn begins_with_word(text: &str) -> bool {
    text.chars().next().is_some_and(is_word)
}
