//! Finds the texts that fit a learner's words.
//!
//! Words are compared without their endings. The names of a term of the glossary count as one word. A word that few texts
//! have counts more than one that many have, a word of the title more than one of the text, and a part of a longer name, such
//! as `scaled` in `scaled_dot_product_attention`, less than a word.

use std::collections::BTreeMap;

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
    let of = |text: &str| ideas(text, &terms);
    let texts: Vec<[Ideas; 2]> = texts.iter().map(|(title, body)| [of(title), of(body)]).collect();
    let mut scores = vec![0.0; texts.len()];
    // How much of what is asked for each text has, titles and bodies alike.
    let (mut had, mut all) = (vec![0.0; texts.len()], 0.0);
    for idea in of(wanted).keys() {
        let in_text = |ideas: &Ideas| ideas.get(idea).copied().unwrap_or(0.0);
        let weight = |[title, body]: &[Ideas; 2]| (TITLE * in_text(title)).max(in_text(body));
        let weights: Vec<f64> = texts.iter().map(weight).collect();
        let having = weights.iter().filter(|weight| **weight > 0.0).count();
        // What is asked about is explained elsewhere.
        if having == 0 && terms.iter().any(|(name, _)| name.contains(&format!(" {idea} "))) {
            return Vec::new();
        }
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

/// What a text is about: the stems of its words and the terms that it names, and how much each counts.
type Ideas = BTreeMap<String, f64>;

fn ideas(text: &str, terms: &[(String, String)]) -> Ideas {
    let phrase = phrase(text);
    let named =
        terms.iter().filter(|(name, _)| phrase.contains(name.as_str())).map(|(_, idea)| (idea.clone(), 1.0));
    let kept = words(text).filter(|(word, _)| !FREQUENT.contains(&word.as_str()));
    // Of equal stems, a whole word comes last and counts.
    let mut all: Vec<(String, f64)> = kept.map(|(word, counts)| (stem(&word), counts)).chain(named).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all.into_iter().collect()
}

/// All stems of a text, with a space before and after each.
fn phrase(text: &str) -> String {
    let stems: Vec<String> = words(text).map(|(word, _)| stem(&word)).collect();
    format!(" {} ", stems.join(" "))
}

/// The words of a text in lower case, and how much each counts. `d_k` is one word; of `masked_fill`, `masked` and `fill` are parts.
fn words(text: &str) -> impl Iterator<Item = (String, f64)> + '_ {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    names.flat_map(|name| {
        let parts = name.split('_').filter(|part| name.contains('_') && part.chars().count() >= LEAST);
        [(name, 1.0)]
            .into_iter()
            .chain(parts.map(|it| (it, PART)))
            .map(|(it, counts)| (it.to_lowercase(), counts))
    })
}
