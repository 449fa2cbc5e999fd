//! The file `tokenizer.json`.

use serde::Deserialize;
use serde_json::Value;

use super::added::{AddedToken, AddedTokens};
use super::decoder::Decoder;
use super::frame::PostProcessor;
use super::model::Model;
use super::normalizer::Normalizer;
use super::pieces::Cutter;

/// A tokenizer with all its steps.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) added: AddedTokens,
    pub(super) normalizer: Option<Normalizer>,
    pub(super) cutter: Option<Cutter>,
    pub(super) model: Model,
    pub(super) frame: Option<PostProcessor>,
    pub(super) decoder: Option<Decoder>,
    /// What the file says of cutting and padding, for whom it concerns.
    pub(super) truncation: Option<Truncation>,
    pub(super) padding: Option<Padding>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, rename = "version")]
    _version: Option<String>,
    truncation: Option<Truncation>,
    padding: Option<Padding>,
    added_tokens: Vec<AddedToken>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<Cutter>,
    post_processor: Option<PostProcessor>,
    decoder: Option<Decoder>,
    model: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Truncation {
    #[serde(default)]
    pub(super) direction: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Padding {
    pub(super) direction: String,
    pub(super) pad_token: String,
}

/// Why a file is no tokenizer.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is not written as JSON.
    Json(String),
    /// It asks for what is not there.
    Absent(String),
}

/// The tokenizer of a file. `vocab` and `merges` are the files of GPT-2 of these names: they take the places in the model.
pub(super) fn read(text: &str, vocab: Option<&str>, merges: Option<&str>) -> Result<Pipeline, Unread> {
    let mut written: Written = serde_json::from_str(text).map_err(unread)?;
    if let Some(model) = written.model.as_object_mut() {
        if let Some(vocab) = vocab {
            model.insert("vocab".to_owned(), serde_json::from_str(vocab).map_err(unread)?);
        }
        if let Some(merges) = merges {
            let lines = merges.lines().filter(|line| !line.starts_with("#version") && !line.is_empty());
            model.insert("merges".to_owned(), lines.map(Value::from).collect());
        }
    }
    if written.pre_tokenizer.as_ref().is_some_and(|cutter| cutter.byte_levels() > 1) {
        return Err(Unread::Absent("pre_tokenizer: ByteLevel twice".to_owned()));
    }
    let model = Model::new(written.model).map_err(Unread::Absent)?;
    let added = AddedTokens::new(written.added_tokens, written.normalizer.as_ref());
    Ok(Pipeline {
        added,
        normalizer: written.normalizer,
        cutter: written.pre_tokenizer,
        model,
        frame: written.post_processor,
        decoder: written.decoder,
        truncation: written.truncation,
        padding: written.padding,
    })
}

fn unread(error: serde_json::Error) -> Unread {
    if error.is_data() { Unread::Absent(error.to_string()) } else { Unread::Json(error.to_string()) }
}
