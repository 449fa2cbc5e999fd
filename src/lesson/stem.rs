//! Words without their endings, so that "columns" and "column", "scaling" and "scaled" are one word.

/// Endings that are left out, the longest first.
const ENDINGS: [&str; 10] = ["ations", "ation", "ing", "ies", "ed", "es", "ly", "e", "s", "y"];
/// The fewest letters that are left of a word.
const LEAST: usize = 3;

/// A word in lower case without its ending: "scaling" and "scaled" are both "scal", "cropped" is "crop". British and
/// American spellings have one stem.
pub(super) fn stem(word: &str) -> String {
    // "loss" and "mass" have no ending.
    if word.ends_with("ss") {
        return word.to_owned();
    }
    let word = word.replace("isation", "ization").replace("ise", "ize").replace("ising", "izing");
    let word = word.replace("our", "or");
    let cut = |ending: &&str| word.strip_suffix(*ending).filter(|rest| rest.chars().count() >= LEAST);
    let rest = ENDINGS.iter().find_map(cut).unwrap_or(&word);
    let mut last = rest.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && a != 's' && rest.chars().count() > LEAST => {
            rest[..rest.len() - a.len_utf8()].to_owned()
        }
        _ => rest.to_owned(),
    }
}
