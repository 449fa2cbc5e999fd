//! What the names of tensors and functions say about attention.

/// Whether a name is that of attention: of its scores or of its weights.
pub(super) fn names_attention(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split('_').any(|word| ["attn", "att", "attention", "attentions", "alpha"].contains(&word))
}

pub(super) fn is_weights(name: &str) -> bool {
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split('_').collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    has(&["weights", "probs", "probabilities", "wei", "alphas", "gewichte", "pesos", "poids"])
        && !has(&["raw", "unnormalized"])
}

/// Whether a function has the name of attention.
pub(super) fn is_attention(function: &str) -> bool {
    let name = function.to_lowercase();
    ["att", "atenc", "atten", "aufmerk", "head", "sdpa", "bahdanau", "luong", "nonlocal", "non_local"]
        .iter()
        .any(|word| name.contains(word))
}
