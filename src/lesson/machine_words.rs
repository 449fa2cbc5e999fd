//! What an output says of the machine on which it was computed: times, the device, the local part of a version.

use std::sync::LazyLock;

use regex_lite::Regex;

/// What depends on the machine, and the word that is compared instead.
const PATTERNS: [(&str, &str); 7] = [
    // `%%time` of IPython: attn reports the wall time alone.
    (r"(?m)^CPU times: .*\n", ""),
    (r"\b\d+ loops?\b|\b\d{1,3}(?:,\d{3})+ loops?\b", "LOOPS"),
    (
        r"(^|[^\w.])\d[\d.]*(?:e[-+]?\d+)? ?(?:ns|[µμu]s|ms|s|secs?|seconds?|min|minutes?|h|hours?)\b",
        "${1}TIME",
    ),
    (r"TIME(?: TIME)+", "TIME"),
    (r"\b(\d+\.\d+\.\d+)\+(?:cu\d+|cpu|rocm[\d.]+|xpu)\b", "$1"),
    (r", device='(?:cuda|mps|xpu|cpu)(?::\d+)?'", ""),
    (r"\b(?:cuda|mps|xpu|cpu)(?::\d+)?\b", "DEVICE"),
];

static REGEXES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let regex = |(pattern, word)| (Regex::new(pattern).expect("the patterns are regular expressions"), word);
    PATTERNS.map(regex).into()
});

/// The text with one word for each of these.
pub(super) fn on_any_machine(text: &str) -> String {
    let replaced = |line: String, (regex, word): &(Regex, &str)| regex.replace_all(&line, *word).into_owned();
    text.split_inclusive('\n').map(|line| REGEXES.iter().fold(line.to_owned(), replaced)).collect()
}
