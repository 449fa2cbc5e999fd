//! Finds the texts that fit a learner's words.
//!
//! Words are compared without their endings. The names of a term of the glossary count as one word. A word that few texts
//! have counts more than one that many have, a word of the title more than one of the text, and a part of a longer name, such
//! as `scaled` in `scaled_dot_product_attention`, less than a word.

use std::collections::BTreeSet;

use super::Glossary;
use super::stem::stem;

/// Words that say nothing of what a question is about.
const FREQUENT: [&str; 40] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "how", "i",
    "if", "in", "is", "it", "its", "my", "not", "of", "on", "or", "so", "than", "that", "the", "then",
    "there", "this", "to", "what", "when", "which", "why", "with", "you",
];
/// The fewest letters of a part of a name that counts.
const LEAST: usize = 3;
/// How much more a word of the title counts.
const TITLE: f64 = 3.0;
/// How much a part of a longer name counts, compared with a word.
const PART: f64 = 0.25;
/// The share of what is asked for, rare words counted more, that a text must have.
const ENOUGH: f64 = 0.25;

/// The indices of the texts, each a title and a body, that have at least one of the words, the best first; none where no text has enough of them.
pub(crate) fn search(wanted: &str, texts: &[(&str, String)], glossary: &Glossary) -> Vec<usize> {
    let terms = terms(glossary);
    let titles: Vec<Ideas> = texts.iter().map(|(title, _)| ideas(title, &terms)).collect();
    let bodies: Vec<Ideas> = texts.iter().map(|(_, body)| ideas(body, &terms)).collect();
    let mut scores = vec![0.0; texts.len()];
    // How much of what is asked for each text has, titles and bodies alike.
    let (mut had, mut all) = (vec![0.0; texts.len()], 0.0);
    let wanted = ideas(wanted, &terms);
    for idea in wanted.whole.union(&wanted.parts) {
        let weights: Vec<f64> = titles
            .iter()
            .zip(&bodies)
            .map(|(title, body)| (TITLE * title.weight(idea)).max(body.weight(idea)))
            .collect();
        let having = weights.iter().filter(|weight| **weight > 0.0).count();
        let rarity = (1.0 + texts.len() as f64 / having.max(1) as f64).ln();
        all += rarity;
        for ((score, had), weight) in scores.iter_mut().zip(&mut had).zip(weights) {
            *score += rarity * weight;
            *had += rarity * weight.min(1.0);
        }
    }
    let fits = |at: &usize| scores[*at] > 0.0 && had[*at] >= ENOUGH * all;
    let mut found: Vec<usize> = (0..texts.len()).filter(fits).collect();
    found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    found
}

/// Each name of each term as stems, and the idea that it stands for.
fn terms(glossary: &Glossary) -> Vec<(String, String)> {
    let names = glossary.terms.iter().flat_map(|term| {
        [&term.name].into_iter().chain(&term.also).map(|name| (phrase(name), format!("#{}", term.slug)))
    });
    names.collect()
}

/// What a text is about: the stems of its words, the terms that it names, and the stems of parts of longer names.
struct Ideas {
    whole: BTreeSet<String>,
    parts: BTreeSet<String>,
}

impl Ideas {
    /// How much an idea counts in this text.
    fn weight(&self, idea: &str) -> f64 {
        match (self.whole.contains(idea), self.parts.contains(idea)) {
            (true, _) => 1.0,
            (false, true) => PART,
            (false, false) => 0.0,
        }
    }
}

fn ideas(text: &str, terms: &[(String, String)]) -> Ideas {
    let phrase = phrase(text);
    let named = terms.iter().filter(|(name, _)| phrase.contains(name.as_str())).map(|(_, idea)| idea.clone());
    let stems = |of_parts: bool| {
        let kept = words(text)
            .filter(move |(word, is_part)| *is_part == of_parts && !FREQUENT.contains(&word.as_str()));
        kept.map(|(word, _)| stem(&word))
    };
    Ideas { whole: stems(false).chain(named).collect(), parts: stems(true).collect() }
}

/// All stems of a text, with a space before and after each.
fn phrase(text: &str) -> String {
    let stems: Vec<String> = words(text).map(|(word, _)| stem(&word)).collect();
    format!(" {} ", stems.join(" "))
}

/// The words of a text in lower case, and whether each is a part of a longer name. `d_k` is one word; of `masked_fill`,
/// `masked` and `fill` are parts.
fn words(text: &str) -> impl Iterator<Item = (String, bool)> + '_ {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    let with_parts = |name: &'_ str| {
        let parts: Vec<&str> = name.split('_').filter(|part| part.chars().count() >= LEAST).collect();
        let parts = if name.contains('_') { parts } else { Vec::new() };
        let parts = parts.into_iter().map(|part| (part.to_lowercase(), true));
        [(name.to_lowercase(), false)].into_iter().chain(parts).collect::<Vec<(String, bool)>>()
    };
    names.flat_map(with_parts)
}
