//! What is done to a text before it is cut: case, accents, control characters, normal forms.

use serde::Deserialize;
use unic_ucd_category::GeneralCategory as Category;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(super) enum Normalizer {
    #[serde(rename = "BertNormalizer")]
    Bert {
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    },
    #[serde(rename = "NFC")]
    Composed {},
    #[serde(rename = "NFD")]
    Decomposed {},
    #[serde(rename = "NFKC")]
    CompatibleComposed {},
    #[serde(rename = "NFKD")]
    CompatibleDecomposed {},
    Lowercase {},
    StripAccents {},
    Sequence {
        normalizers: Vec<Normalizer>,
    },
}

impl Normalizer {
    pub(super) fn apply(&self, text: &str) -> String {
        match self {
            Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
                let mut text = if *clean_text { clean(text) } else { text.to_owned() };
                if *handle_chinese_chars {
                    text = apart(&text);
                }
                if strip_accents.unwrap_or(*lowercase) {
                    text = text.nfd().filter(|letter| !is_mark(*letter)).collect();
                }
                if *lowercase { lower(&text) } else { text }
            }
            Normalizer::Composed {} => text.nfc().collect(),
            Normalizer::Decomposed {} => text.nfd().collect(),
            Normalizer::CompatibleComposed {} => text.nfkc().collect(),
            Normalizer::CompatibleDecomposed {} => text.nfkd().collect(),
            Normalizer::Lowercase {} => lower(text),
            Normalizer::StripAccents {} => {
                text.chars().filter(|letter| !is_combining_mark(*letter)).collect()
            }
            Normalizer::Sequence { normalizers } => {
                normalizers.iter().fold(text.to_owned(), |text, normalizer| normalizer.apply(&text))
            }
        }
    }

    /// Sets what a class of `transformers` asks of BERT's normaliser. Others stay as they are.
    pub(super) fn set_bert(&mut self, lower: bool, accents: Option<bool>, chinese: bool) {
        if let Normalizer::Bert { handle_chinese_chars, strip_accents, lowercase, .. } = self {
            (*lowercase, *strip_accents, *handle_chinese_chars) = (lower, accents, chinese);
        }
    }
}

/// Letter by letter: a sigma at the end of a word is a sigma like others.
fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Without control characters; each white space is a space.
fn clean(text: &str) -> String {
    let kept = |letter: &char| {
        let white = matches!(letter, '\t' | '\n' | '\r');
        white || (*letter != '\u{FFFD}' && !is_control(*letter))
    };
    text.chars().filter(kept).map(|letter| if letter.is_whitespace() { ' ' } else { letter }).collect()
}

/// With spaces around each Chinese character.
fn apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_chinese(letter) {
            out.extend([' ', letter, ' ']);
        } else {
            out.push(letter);
        }
    }
    out
}

fn is_control(letter: char) -> bool {
    matches!(Category::of(letter), Category::Control | Category::Format | Category::PrivateUse)
}

fn is_mark(letter: char) -> bool {
    Category::of(letter) == Category::NonspacingMark
}

fn is_chinese(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F
    )
}
