//! The nearest right names to a wrong one.
//! Strings only.

/// The candidates most like `wanted`, best first, at most `limit`; none if nothing is like it.
/// Case, spaces, `-` and `_` do not count.
pub fn nearest<S: AsRef<str>>(
    wanted: &str,
    candidates: impl IntoIterator<Item = S>,
    limit: usize,
) -> Vec<String> {
    let wanted = plain(wanted);
    let mut found: Vec<(f64, String)> = Vec::new();
    for candidate in candidates {
        let name = candidate.as_ref();
        let score = likeness(&wanted, &plain(name));
        if score >= 0.7 && found.iter().all(|(_, n)| n != name) {
            found.push((score, name.to_string()));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0)); // stable: equals stay in the order they were given
    found.truncate(limit);
    found.into_iter().map(|(_, name)| name).collect()
}

/// 1 for the same name; a name that contains the other counts as near.
fn likeness(wanted: &str, name: &str) -> f64 {
    if wanted == name {
        return 1.0;
    }
    let inside = wanted.len() >= 3 && (name.contains(wanted) || wanted.contains(name) && name.len() >= 3);
    let edits = strsim::normalized_damerau_levenshtein(wanted, name);
    // One slip in a short word is a third of it, and still one slip.
    let slip = wanted.len() >= 3 && name.len() >= 3 && strsim::damerau_levenshtein(wanted, name) == 1;
    let edits = if slip { edits.max(0.75) } else { edits };
    let winkler = strsim::jaro_winkler(wanted, name) - 0.12;
    edits.max(winkler).max(if inside { 0.8 } else { 0.0 })
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_' | ':' | '{' | '}'))
        .flat_map(char::to_lowercase)
        .collect()
}
