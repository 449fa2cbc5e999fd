//! Finds the texts that fit a learner's words.
//!
//! Words are compared without their endings. The names of a term of the glossary count as one word. A word that few texts
//! have counts more than one that many have, and a word of the title more than one of the text.

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
/// The share of what is asked for, rare words counted more, that a text must have.
const ENOUGH: f64 = 0.25;

/// The indices of the texts, each a title and a body, that have at least one of the words, the best first; none where no text has enough of them.
pub(crate) fn search(wanted: &str, texts: &[(&str, String)], glossary: &Glossary) -> Vec<usize> {
    let terms = terms(glossary);
    let of = |text: &str| ideas(text, &terms);
    let texts: Vec<[BTreeSet<String>; 2]> = texts.iter().map(|(title, body)| [of(title), of(body)]).collect();
    let mut scores = vec![0.0; texts.len()];
    // How much of what is asked for each text has, titles and bodies alike.
    let (mut had, mut all) = (vec![0.0; texts.len()], 0.0);
    for idea in &of(wanted) {
        let weight = |[title, body]: &[BTreeSet<String>; 2]| match title.contains(idea) {
            true => TITLE,
            false => f64::from(body.contains(idea)),
        };
        let weights: Vec<f64> = texts.iter().map(weight).collect();
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

/// What a text is about: the stems of its words, and the terms that it names.
fn ideas(text: &str, terms: &[(String, String)]) -> BTreeSet<String> {
    let phrase = phrase(text);
    let named = terms.iter().filter(|(name, _)| phrase.contains(name.as_str())).map(|(_, idea)| idea.clone());
    words(text)
        .filter(|word| !FREQUENT.contains(&word.as_str()))
        .map(|word| stem(&word))
        .chain(named)
        .collect()
}

/// All stems of a text, with a space before and after each.
fn phrase(text: &str) -> String {
    let stems: Vec<String> = words(text).map(|word| stem(&word)).collect();
    format!(" {} ", stems.join(" "))
}

/// The words of a text in lower case. `d_k` is one word; of `masked_fill`, `masked` and `fill` are words too.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    names.flat_map(|name| {
        let parts = name.split('_').filter(|part| name.contains('_') && part.chars().count() >= LEAST);
        [name].into_iter().chain(parts).map(str::to_lowercase)
    })
}
