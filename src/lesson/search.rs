//! Finds the texts that fit a learner's words.
//!
//! Words are compared without their endings. The names of a term of the glossary count as one word. A word that few texts
//! have counts more than one that many have, and a word of the title more than one of the text.

use std::collections::BTreeSet;

use super::Glossary;

/// Words that say nothing of what a question is about.
const FREQUENT: [&str; 40] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "how", "i",
    "if", "in", "is", "it", "its", "my", "not", "of", "on", "or", "so", "than", "that", "the", "then",
    "there", "this", "to", "what", "when", "which", "why", "with", "you",
];
/// Endings that are left out, the longest first.
const ENDINGS: [&str; 6] = ["ing", "ies", "ed", "es", "e", "s"];
/// The fewest letters that are left of a word.
const LEAST: usize = 3;
/// How much more a word of the title counts.
const TITLE: f64 = 3.0;

/// A text that can be found.
pub(crate) struct Searched<'t> {
    /// Its title.
    pub(crate) title: &'t str,
    /// The rest of it.
    pub(crate) body: &'t str,
}

/// The indices of the texts that have at least one of the words, the best first.
pub(crate) fn search(wanted: &str, texts: &[Searched], glossary: &Glossary) -> Vec<usize> {
    let terms = terms(glossary);
    let titles: Vec<BTreeSet<String>> = texts.iter().map(|text| ideas(text.title, &terms)).collect();
    let bodies: Vec<BTreeSet<String>> = texts.iter().map(|text| ideas(text.body, &terms)).collect();
    let mut scores = vec![0.0; texts.len()];
    for idea in ideas(wanted, &terms) {
        let has = |at: &usize| titles[*at].contains(&idea) || bodies[*at].contains(&idea);
        let having: Vec<usize> = (0..texts.len()).filter(has).collect();
        let rarity = (1.0 + texts.len() as f64 / having.len().max(1) as f64).ln();
        for at in having {
            scores[at] += rarity * if titles[at].contains(&idea) { TITLE } else { 1.0 };
        }
    }
    let mut found: Vec<usize> = (0..texts.len()).filter(|at| scores[*at] > 0.0).collect();
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

/// The stems of a text and the terms that it names.
fn ideas(text: &str, terms: &[(String, String)]) -> BTreeSet<String> {
    let phrase = phrase(text);
    let named = terms.iter().filter(|(name, _)| phrase.contains(name.as_str())).map(|(_, idea)| idea.clone());
    let words =
        words(text).filter(|word| !FREQUENT.contains(&word.as_str())).map(|word| stem(&word).to_owned());
    words.chain(named).collect()
}

/// All stems of a text, with a space before and after each.
fn phrase(text: &str) -> String {
    let stems: Vec<String> = words(text).map(|word| stem(&word).to_owned()).collect();
    format!(" {} ", stems.join(" "))
}

/// The words of a text in lower case. `d_k` is one word; the words of a longer name count too: `masked_fill`, `masked`,
/// `fill`.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let names = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
    let with_parts = |name: &'_ str| {
        let parts: Vec<&str> = name.split('_').filter(|part| part.chars().count() >= LEAST).collect();
        let parts = if name.contains('_') { parts } else { Vec::new() };
        [name].into_iter().chain(parts).map(str::to_lowercase).collect::<Vec<String>>()
    };
    names.flat_map(with_parts)
}

/// A word without its ending: "scaling" and "scaled" are both "scal", "cropped" is "crop".
fn stem(word: &str) -> &str {
    let cut = |ending: &&str| word.strip_suffix(*ending).filter(|rest| rest.chars().count() >= LEAST);
    // "loss" and "mass" have no ending.
    if word.ends_with("ss") {
        return word;
    }
    let rest = ENDINGS.iter().find_map(cut).unwrap_or(word);
    let mut last = rest.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && a != 's' && rest.chars().count() > LEAST => {
            &rest[..rest.len() - a.len_utf8()]
        }
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_form_and_by_other_names() {
        let glossary = "# G\n\n## loss\n\nText.\n\n*First met in* [a](b.md#c). *Also:* cross-entropy.\n";
        let glossary = Glossary::parse("g", glossary).expect("a glossary");
        let texts = [
            Searched { title: "Why divide by the root?", body: "Scaled scores have a variance of 1." },
            Searched { title: "Why view and then transpose?", body: "Heads are cut from features." },
            Searched { title: "What is measured?", body: "The cross-entropy." },
            Searched { title: "What is hidden?", body: "masked_fill writes there." },
        ];
        let best = |wanted: &str| search(wanted, &texts, &glossary).first().copied();
        assert_eq!(best("why is it scaled"), Some(0));
        assert_eq!(best("scaling"), Some(0));
        assert_eq!(best("transposing views"), Some(1));
        assert_eq!(best("the head"), Some(1));
        assert_eq!(best("losses"), Some(2));
        assert_eq!(best("masking"), Some(3));
        assert_eq!(best("masked_fill"), Some(3));
        assert_eq!(stem("cropped"), stem("crop"));
        assert_eq!(best("why the"), None);
    }
}
