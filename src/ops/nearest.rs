//! Suggestions for a misspelled name. Used for names in lesson code, commands, steps and glossary terms alike.

/// The candidates most similar to `wanted`, best first, at most `limit`; empty if none is similar.
/// Ignores case, spaces, `-`, `_`, `:` and braces.
pub(crate) fn nearest<S: AsRef<str>>(
    wanted: &str,
    candidates: impl IntoIterator<Item = S>,
    limit: usize,
) -> Vec<String> {
    let wanted = plain(wanted);
    let mut found: Vec<(f64, String)> = Vec::new();
    for candidate in candidates {
        let (name, score) = (candidate.as_ref(), similarity(&wanted, &plain(candidate.as_ref())));
        if score >= 0.7 && found.iter().all(|(_, known)| known != name) {
            found.push((score, name.to_owned()));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0)); // A stable sort: equals keep their order.
    found.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// Whether few edits turn one name into the other: one, and one more for each four letters.
pub(crate) fn is_misspelling(wanted: &str, name: &str) -> bool {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    strsim::damerau_levenshtein(&wanted, &name) <= 1 + wanted.len().min(name.len()) / 4
}

/// How similar two names are: 1 if they are equal. A name that contains the other is similar.
fn similarity(wanted: &str, name: &str) -> f64 {
    if wanted == name {
        return 1.0;
    }
    // `keys` in `keys_of_all`, but not `res` in `attn_scores`.
    let begins = wanted.starts_with(name) || 2 * name.len() >= wanted.len();
    let inside =
        wanted.len() >= 3 && (name.contains(wanted) || wanted.contains(name) && name.len() >= 3 && begins);
    let edits = strsim::normalized_damerau_levenshtein(wanted, name);
    // One typing error is a large part of a short word, and still only one error.
    let one_error = wanted.len() >= 3 && name.len() >= 3 && strsim::damerau_levenshtein(wanted, name) == 1;
    let edits = if one_error { edits.max(0.75) } else { edits };
    let winkler = strsim::jaro_winkler(wanted, name) - 0.12;
    edits.max(winkler).max(if inside { 0.8 } else { 0.0 })
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_' | ':' | '{' | '}'))
        .flat_map(char::to_lowercase)
        .collect()
}
