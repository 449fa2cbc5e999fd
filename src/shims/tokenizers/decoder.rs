//! How tokens become a text again.

use serde::Deserialize;

use super::bytes::byte;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(super) enum Decoder {
    ByteLevel {
        /// About the way there, not the way back.
        #[serde(default, rename = "add_prefix_space")]
        _add_prefix_space: bool,
        #[serde(default, rename = "trim_offsets")]
        _trim_offsets: bool,
        #[serde(default, rename = "use_regex")]
        _use_regex: bool,
    },
    WordPiece {
        prefix: String,
        cleanup: bool,
    },
    #[serde(rename = "BPEDecoder")]
    Suffix {
        suffix: String,
    },
}

/// What is written together in English.
const TOGETHER: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

impl Decoder {
    pub(super) fn text(&self, tokens: &[String]) -> String {
        match self {
            Decoder::ByteLevel { .. } => {
                let mut bytes = Vec::new();
                for token in tokens {
                    match token.chars().map(byte).collect::<Option<Vec<u8>>>() {
                        Some(known) => bytes.extend(known),
                        None => bytes.extend(token.bytes()),
                    }
                }
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Decoder::WordPiece { prefix, cleanup } => {
                let words = tokens.iter().enumerate().map(|(at, token)| {
                    let word = match (at, token.strip_prefix(prefix)) {
                        (0, _) => token.clone(),
                        (_, Some(rest)) => rest.to_owned(),
                        (_, None) => format!(" {token}"),
                    };
                    if *cleanup { together(word) } else { word }
                });
                words.collect()
            }
            Decoder::Suffix { suffix } => {
                let last = tokens.len().saturating_sub(1);
                let words = tokens.iter().enumerate();
                words.map(|(at, token)| token.replace(suffix, if at == last { "" } else { " " })).collect()
            }
        }
    }
}

fn together(word: String) -> String {
    TOGETHER.iter().fold(word, |word, (apart, together)| word.replace(apart, together))
}
