//! Finds the choice that a learner means: by its letter, its number, its words or other words for it (`also:`).
//!
//! Words are compared without articles and endings. Numbers and negations are not: "rows 4 and 5" is not "rows 3, 4
//! and 5", and "not the same" is not "the same".

use std::collections::BTreeSet;

use super::answer::{self, TypedNumber};
use super::closeness::{Closeness, one_fits};
use super::exercise::Choice;
use super::number_words::number_word;
use super::stem::stem;
use super::typed_shape::shape;

/// Words that do not distinguish one answer from another.
const FREQUENT: [&str; 30] = [
    "a", "an", "and", "are", "as", "be", "because", "by", "do", "does", "has", "have", "i", "is", "it",
    "its", "of", "so", "that", "the", "their", "there", "they", "think", "this", "to", "was", "which",
    "will", "would",
];
/// Words that reverse the meaning of the others.
const NEGATIONS: [&str; 10] =
    ["not", "no", "never", "without", "cannot", "nothing", "none", "neither", "nor", "less"];

/// Words that leave out what follows them: "all except the last" does not say "the last".
const EXCEPTIONS: [&str; 6] = ["except", "excluding", "apart from", "other than", "all but", "besides"];
/// In so many words of a sentence, one word can be the answer.
const FEW: usize = 2;

/// The share of a word that only the remark on a choice has, which often tells why another choice is right.
const IN_REMARK: f64 = 0.2;
/// The least share that stands out: one word that two choices have.
const LEAST: f64 = 0.5;
/// The part of its share by which a choice that stands out exceeds the next.
const LEAD: f64 = 0.3;
/// The fewest letters that two related stems begin with.
const ROOT: usize = 4;

/// The index of the choice that a text is, or for which the lesson lists it as other words.
pub(crate) fn listed_choice(choices: &[Choice], said: &str) -> Option<usize> {
    let said = plain(said);
    let is_also = |choice: &Choice| choice.also.iter().any(|text| plain(text) == said);
    let is_text = |choice: &Choice| plain(&choice.text) == said;
    choices.iter().position(is_text).or_else(|| choices.iter().position(is_also))
}

/// The index of the choice that a text names by letter, words or number. Errors: a message about what to type.
pub(crate) fn chosen(choices: &[Choice], said: &str) -> Result<usize, String> {
    let typed = said;
    let said = plain(said);
    let texts: Vec<String> = choices.iter().map(|choice| plain(&choice.text)).collect();
    let letters = letters_of(choices);
    let letter = || letters.iter().position(|letter| *letter == said);
    if let Some(at) = listed_choice(choices, typed).or_else(letter) {
        return Ok(at);
    }
    // `b) no` and `(b)`, as the screen writes it; words after the letter must not say something else.
    if let Some((letter, words)) = typed.trim().trim_start_matches('(').split_once([')', '.', ':'])
        && let Some(at) = letters.iter().position(|known| *known == letter.trim().to_lowercase())
        && (plain(words).is_empty() || chosen(choices, words) == Ok(at))
    {
        return Ok(at);
    }
    // `2,3` and `2x3` are the choice `(2, 3)`.
    if let Some(sizes) = shape(typed).filter(|sizes| sizes.len() > 1)
        && let Some(at) = only(choices, |choice| shape(&choice.text).as_ref() == Some(&sizes))
    {
        return Ok(at);
    }
    let within = |text: &String| format!(" {text} ").contains(&format!(" {said} "));
    let place = said.parse::<usize>().ok().filter(|at| (1..=choices.len()).contains(at));
    // A bare number is the place of one choice, and another one mentions it.
    if let (Some(place), Some(other)) = (place, only(&texts, within)) {
        match place - 1 == other {
            true => return Ok(other),
            false if one_number(&texts[other]).is_none() => {
                return Err(fits_two(choices, [place - 1, other]));
            }
            false => {}
        }
    }
    if let Some(at) = worded(choices, typed).or_else(|| numbered(&texts, typed)) {
        return Ok(at);
    }
    if !said.is_empty() {
        let agrees = |at: usize| negations(&choices[at].text) % 2 == negations(typed) % 2;
        // "no" does not begin "none".
        let begins = |text: &String| {
            let rest = text.strip_prefix(&said);
            rest.is_some_and(|rest| said.len() > 2 || !rest.starts_with(char::is_alphanumeric))
        };
        match (0..texts.len()).filter(|at| begins(&texts[*at])).collect::<Vec<_>>()[..] {
            [at] if agrees(at) => return Ok(at),
            [one, other] if said.len() > 2 => return Err(fits_two(choices, [one, other])),
            _ => {}
        }
        // A number is the place of a choice, unless a choice mentions that number.
        if let Some(at) = place.filter(|_| !texts.iter().any(within)) {
            return Ok(at - 1);
        }
        // A misspelt word is understood; another number is another answer.
        let close = |text: &String| {
            figures(text) == figures(&said) && strsim::normalized_damerau_levenshtein(text, &said) >= 0.75
        };
        if let Some(at) = only(&texts, close).filter(|at| agrees(*at)) {
            return Ok(at);
        }
    }
    // The reason may say anything: the answer stands before it.
    let answer = ["because", "since"].into_iter().find_map(|word| said.split_once(&format!(" {word} ")));
    // After "so", the answer: "768 / 768^2, so 1/768".
    let result = ["so", "thus", "hence", "therefore"]
        .into_iter()
        .find_map(|word| said.rsplit_once(&format!(" {word} ")))
        .filter(|(before, _)| negations(before) == 0);
    let parts = answer.map(|it| it.0).into_iter().chain(result.map(|it| it.1));
    if let Some(at) = parts.filter_map(|part| chosen(choices, part).ok()).next() {
        return Ok(at);
    }
    let all = listed(&letters);
    Err(match meant(choices, typed).as_slice() {
        [one, other] => fits_two(choices, [*one, *other]),
        _ if said.is_empty() => format!("Say {all}, or the words of the answer."),
        _ if typed_number(typed).is_some() => format!("No choice has this number: say {all}."),
        _ => format!("attn does not know these words, which may be right all the same: say {all}."),
    })
}

fn fits_two(choices: &[Choice], both: [usize; 2]) -> String {
    let letters = letters_of(choices);
    let [(a, one), (b, other)] = both.map(|at| (&letters[at], &choices[at].text));
    format!("That fits two: {a}) {one}, and {b}) {other}. Say {a} or {b}.")
}

/// `a, b or c`.
fn listed(letters: &[String]) -> String {
    letters.split_last().map_or(String::new(), |(last, rest)| format!("{} or {last}", rest.join(", ")))
}

/// The letters of choices, in their order.
fn letters_of(choices: &[Choice]) -> Vec<String> {
    (0..choices.len()).map(|at| char::from(b'a' + (at % 26) as u8).to_string()).collect()
}

/// The one or two choices that an answer may mean which selects none: by words that not all choices have, or by its number.
pub fn meant(choices: &[Choice], said: &str) -> Vec<usize> {
    let mut shares = vec![0.0; choices.len()];
    let parity = negations(said) % 2;
    if let Some(said) = typed_number(said) {
        if parity == 1 {
            return Vec::new();
        }
        for (share, choice) in shares.iter_mut().zip(choices) {
            let text = plain(&choice.text);
            let mut words =
                text.split_whitespace().filter(|word| word.contains(|c: char| c.is_ascii_digit()));
            let Some(number) = words.find_map(one_number) else { return Vec::new() };
            *share = 1.0 / ((number.value - said.value).abs() + f64::EPSILON);
        }
        let most = shares.iter().copied().fold(0.0, f64::max);
        shares.iter_mut().for_each(|share| *share /= most);
        return standing_out(&shares);
    }
    let stems = |text: &String| Phrase::new(text).stems;
    let words = |choice: &Choice| {
        let own = choice.also.iter().chain([&choice.text]).flat_map(stems).collect::<Vec<_>>();
        (own, stems(&choice.because))
    };
    let words: Vec<(Vec<String>, Vec<String>)> = choices.iter().map(words).collect();
    let said_stems: BTreeSet<String> = Phrase::new(said).stems.into_iter().collect();
    let is_in = |stem: &str, words: &[String]| words.iter().any(|other| is_related(stem, other));
    for stem in &said_stems {
        let share = |(own, remark): &(Vec<String>, Vec<String>)| match () {
            () if is_in(stem, own) => 1.0,
            () if is_in(stem, remark) => IN_REMARK,
            () => 0.0,
        };
        let each: Vec<f64> = words.iter().map(share).collect();
        let least = each.iter().copied().fold(1.0, f64::min);
        let having = each.iter().filter(|share| **share > least).count().max(1) as f64;
        // "No" and "less" decide more than other words.
        let weight = if denies(stem) { 2.0 } else { 1.0 };
        shares.iter_mut().zip(each).for_each(|(sum, share)| *sum += weight * (share - least) / having);
    }
    let content: Vec<&String> = said_stems.iter().filter(|stem| !denies(stem)).collect();
    let typed = figures(said);
    for ((share, (own, _)), choice) in shares.iter_mut().zip(&words).zip(choices) {
        let has_content = content.is_empty() || content.iter().any(|stem| is_in(stem, own));
        // "It does not fail" is not "it fails".
        let agrees = choice.also.iter().chain([&choice.text]).any(|text| negations(text) % 2 == parity);
        // "Not in chunks" is not "never", and other numbers are another answer.
        let stated = figures(&choice.text);
        if !has_content || !agrees || !typed.is_empty() && !stated.is_empty() && typed != stated {
            *share = 0.0;
        }
    }
    standing_out(&shares)
}

/// The one or two places whose shares stand out.
fn standing_out(shares: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
    let share = |place: usize| order.get(place).map_or(0.0, |at| shares[*at]);
    let stand_out = |count: &usize| share(count - 1) - share(*count) >= LEAD * share(count - 1);
    let count = (1..order.len().min(3)).find(stand_out).filter(|_| share(0) >= LEAST);
    order.truncate(count.unwrap_or(0));
    order.sort_unstable();
    order
}

/// Whether one stem begins the other, as "asymmetr" does "asymmetric".
fn is_related(one: &str, other: &str) -> bool {
    let is_root = |root: &str, word: &str| root.chars().count() >= ROOT && word.starts_with(root);
    one == other || is_root(one, other) || is_root(other, one)
}

/// The letter of the only choice that an unknown answer may mean, and the question whether it does (Markdown).
pub(crate) fn asked_back(choices: &[Choice], said: &str) -> Option<(String, String)> {
    let [at] = meant(choices, said)[..] else { return None };
    let letters = letters_of(choices);
    let (letter, text) = (letters[at].clone(), &choices[at].text);
    let words = format!("Do you mean {letter}) {text}? Enter for yes, or {}.", listed(&letters));
    Some((letter, words))
}

/// Whether a line says yes to that question.
pub(crate) fn confirms(said: &str) -> bool {
    matches!(said.trim().to_lowercase().as_str(), "" | "y" | "yes")
}

/// Words that begin a reason after a comma.
const REASONS: [&str; 12] =
    ["because", "since", "as", "so", "such", "each", "it", "its", "they", "there", "whose", "which"];

/// The answer before its reason: what stands before "because" or "since", a "yes" or "no" before a comma, and any answer before a
/// comma and a word that begins a reason.
fn before_reason(said: &str) -> Option<(&str, &str)> {
    let clause = said.split_once(',').filter(|(answer, reason)| {
        let is_reply = matches!(answer.trim().to_lowercase().as_str(), "yes" | "no");
        let mut words = reason.split_whitespace();
        words.next().is_some_and(|first| is_reply || REASONS.contains(&first.to_lowercase().as_str()))
    });
    let clauses = [" because ", " since "].iter().map(|it| said.split_once(it));
    [clause].into_iter().chain(clauses).flatten().next()
}

/// The index of the only one that fits.
fn only<T>(all: &[T], fits: impl Fn(&T) -> bool) -> Option<usize> {
    let mut found = (0..all.len()).filter(|at| fits(&all[*at]));
    found.next().filter(|_| found.next().is_none())
}

/// The only choice whose text or other words say the same as the learner's words: all of them, a part of it in this
/// order, the phrase with other words around it, or some of its words in any order.
fn worded(choices: &[Choice], typed: &str) -> Option<usize> {
    let said = Phrase::new(typed);
    let phrases: Vec<Vec<Phrase>> = choices
        .iter()
        .map(|choice| [&choice.text].into_iter().chain(&choice.also).map(|text| Phrase::new(text)).collect())
        .collect();
    if said.stems.is_empty() {
        return None;
    }
    let ways: [fn(&Phrase, &Phrase) -> bool; 4] = [
        |phrase, said| phrase.stems == said.stems,
        |phrase, said| phrase.has_run(said) && phrase.claims(said),
        |phrase, said| (phrase.stems.len() > 1 || said.stems.len() <= FEW) && said.says_more(phrase),
        |phrase, said| {
            let mut rest = phrase.stems.iter();
            said.stems.iter().all(|stem| rest.any(|it| it == stem)) && phrase.claims(said)
        },
    ];
    ways.iter().find_map(|way| {
        only(&phrases, |all| all.iter().any(|it| it.agrees(&said, &all[0]) && way(it, &said)))
    })
}

/// The words of a text that tell one answer from another.
struct Phrase {
    stems: Vec<String>,
    figures: Vec<f64>,
    negations: usize,
    /// What follows each word that denies.
    denied: Vec<String>,
    /// Whether it joins several things by "and".
    is_list: bool,
    /// The first words, which no "because" precedes.
    claim: usize,
}

impl Phrase {
    fn new(text: &str) -> Phrase {
        let claim = before_reason(text).map_or(usize::MAX, |(claim, _)| Phrase::new(claim).stems.len());
        let (negations, text) = (negations(text), plain(text));
        let words = text.split(|c: char| !(c.is_alphanumeric() || "_.'’".contains(c)));
        let kept = words.filter(|word| !word.is_empty() && !FREQUENT.contains(word));
        let one_word = |word: &str| match number(word) {
            Some(number) => number.to_string(),
            None if word == "every" => "each".to_owned(),
            None => stem(word),
        };
        let stems: Vec<String> = kept.map(one_word).collect();
        let denied = stems.windows(2).filter(|pair| denies(&pair[0])).map(|pair| pair[1].clone()).collect();
        let is_list = format!(" {text} ").contains(" and ");
        Phrase { stems, figures: figures(&text), negations, denied, is_list, claim }
    }

    /// Whether the other is a part of this, with other words around it. What is denied is more than that, and so is a list.
    fn says_more(&self, other: &Phrase) -> bool {
        self.negations == 0 && (other.is_list || !self.is_list) && self.has_run(other)
    }

    /// Whether what was said, a part of this, is more than one word of the reason: "they differ" is not "an error, because the
    /// shapes differ".
    fn claims(&self, said: &Phrase) -> bool {
        said.stems.len() > 1 || self.stems.iter().take(self.claim).any(|stem| said.stems.contains(stem))
    }

    /// Whether what was said has the numbers of this or of the choice's own text, or none, and denies if this does.
    fn agrees(&self, said: &Phrase, own: &Phrase) -> bool {
        let is_same = |it: &Phrase| it.figures == said.figures;
        let denies_the_same = said.denied.iter().all(|it| self.denied.contains(it));
        (said.figures.is_empty() || is_same(self) || is_same(own))
            && self.negations % 2 == said.negations % 2
            && denies_the_same
    }

    /// Whether the words of the other occur in it in their order, one after the other. A "not" alone says nothing.
    fn has_run(&self, other: &Phrase) -> bool {
        other.stems.iter().any(|stem| !matches!(stem.as_str(), "not" | "no"))
            && self.stems.windows(other.stems.len()).any(|run| run == other.stems)
    }
}

/// The numbers in a text, in digits or as words.
fn figures(text: &str) -> Vec<f64> {
    let runs = text.split(|c: char| !c.is_alphanumeric() && c != '.');
    let figure = |run: &str| match number(run) {
        Some(number) => Some(number as f64),
        None => run.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
    };
    runs.filter_map(|run| figure(run.trim_matches('.'))).collect()
}

/// The number that a word says. "One" is mostly no number.
fn number(word: &str) -> Option<usize> {
    number_word(word).filter(|number| *number != 1)
}

fn denies(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
}

/// How many words deny what the others say. A first "no" that replies to the question does not count.
fn negations(text: &str) -> usize {
    let text = text.trim().to_lowercase();
    let replies = |rest: &&str| {
        rest.is_empty()
            || rest.starts_with([',', ':'])
            || rest.split_whitespace().next().is_some_and(|word| FREQUENT.contains(&word))
    };
    let rest = text.strip_prefix("no").filter(replies).unwrap_or(&text);
    let words = rest.split(|c: char| !c.is_alphanumeric() && !"'’".contains(c));
    words.filter(|word| denies(word)).count()
        + EXCEPTIONS.iter().map(|it| rest.matches(it).count()).sum::<usize>()
}

/// The only choice that is this number, in any spelling or rounding; else the only one that names it and no other.
fn numbered(texts: &[String], said: &str) -> Option<usize> {
    let said = one_number(said)?;
    let same = |other: TypedNumber| {
        let fits = |a: &TypedNumber, b: f64| one_fits(a, b) > Closeness::Cut;
        fits(&said, other.value) || fits(&other, said.value)
    };
    only(texts, |text| one_number(text).is_some_and(same)).or_else(|| {
        only(texts, |text| {
            let all: Vec<TypedNumber> = text.split([' ', ',', ':']).filter_map(one_number).collect();
            !all.is_empty() && all.into_iter().all(same)
        })
    })
}

/// The number that a text is.
fn one_number(text: &str) -> Option<TypedNumber> {
    answer::numbers(text).into_iter().find(|reading| reading.len() == 1).map(|reading| reading[0])
}

/// The number that the learner typed, in digits or as a word. "None" is a word.
fn typed_number(typed: &str) -> Option<TypedNumber> {
    let said = plain(typed);
    one_number(&said).filter(|_| !figures(&said).is_empty())
}

/// Words in lower case, without Markdown's signs and without punctuation at their ends.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['*', '`', '"'], "").replace('√', "root ");
    let word = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric() && !"-.±".contains(c))
            .trim_end_matches('.')
            .to_owned()
    };
    let words: Vec<String> = text.split_whitespace().map(word).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
