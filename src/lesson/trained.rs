//! The trained model inside the program, and those in folders: the cells that load one, what is asked of it, and what it says.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::fault::listed;
use crate::ops::nearest;
use crate::shims::MODEL;

/// The files of `lessons/model`, by the paths under which cells open them: `model/model.safetensors`.
pub fn files() -> &'static [(&'static str, &'static [u8])] {
    MODEL
}

/// The text of one of the files: `model.py`.
pub fn text(name: &str) -> &'static str {
    let file = files().iter().find(|(path, _)| path.strip_prefix("model/") == Some(name));
    file.and_then(|(_, bytes)| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// The names of the files with code.
pub fn code_names() -> impl Iterator<Item = &'static str> {
    files().iter().filter_map(|(path, _)| path.strip_prefix("model/")?.strip_suffix(".py"))
}

/// All words that the model knows, in the order of their numbers.
pub fn words() -> Vec<&'static str> {
    text("words.txt").split_whitespace().collect()
}

/// The most words that the model can read at once: its context length.
pub const LONGEST: usize = 64;

pub const LAST: Head = Head { layer: 2, head: 4 };

/// The words of a sentence as the model knows them. A gap at the end (`____`) is left out. Errors: words that it does not
/// know, or there are none, or too many.
pub fn sentence(text: &str) -> Result<Vec<String>, String> {
    let known = words();
    let spaced = text.to_lowercase().replace('.', " . ");
    let words: Vec<&str> =
        spaced.split_whitespace().filter(|word| !word.trim_matches('_').is_empty()).collect();
    let mut unknown: Vec<String> = Vec::new();
    for word in words.iter().filter(|word| !known.contains(word)) {
        let near = nearest(word, &known, 3);
        let near = if near.is_empty() { String::new() } else { listed(" (the nearest: ", &near) + ")" };
        let said = format!("the word \"{word}\"{near}");
        if !unknown.contains(&said) {
            unknown.push(said);
        }
    }
    match words.len() {
        _ if !unknown.is_empty() => Err(format!("the model does not know {}", unknown.join(" and "))),
        0 => Err("there is no word to read".to_owned()),
        count if count > LONGEST => {
            Err(format!("the model reads at most {LONGEST} words, and these are {count}"))
        }
        _ => Ok(words.into_iter().map(str::to_owned).collect()),
    }
}

/// A head: its layer and its number there, both from 1. It is written `2.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Head {
    pub layer: usize,
    pub head: usize,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.layer, self.head)
    }
}

impl std::str::FromStr for Head {
    type Err = String;

    /// Reads `2.3`. Whether the model has that head is checked where the model is known.
    fn from_str(text: &str) -> Result<Head, String> {
        let numbers =
            text.split_once('.').and_then(|(layer, head)| Some((layer.parse().ok()?, head.parse().ok()?)));
        match numbers {
            Some((layer, head)) if layer > 0 && head > 0 => Ok(Head { layer, head }),
            _ => Err("a head is its layer and its number there, such as 1.2".to_owned()),
        }
    }
}

/// What is asked of a model.
#[derive(Clone, Default)]
pub struct Question {
    pub text: String,
    /// Which word looks, from 0; `None`: the last.
    pub at: Option<usize>,
    /// The heads that are switched off.
    pub without: Vec<Head>,
    /// The next word whose logit is explained; `None`: the likeliest.
    pub answer: Option<String>,
    /// The heads whose maps are wanted; `None`: all.
    pub maps: Option<Vec<Head>>,
    /// The weight that is worked out: in this head, on this word, from 0.
    pub to: Option<(Head, usize)>,
}

/// How a model goes on with a text.
#[derive(Clone)]
pub struct Writing {
    pub text: String,
    /// At most so many new tokens.
    pub tokens: usize,
    /// 0: the likeliest token each time.
    pub temperature: f64,
    pub top_k: Option<usize>,
    pub top_p: Option<f64>,
    pub seed: u64,
    /// Whether keys and values are kept, so that each token is read once.
    pub cached: bool,
}

/// A file of the folder `lessons/model` as a cell.
fn cell(name: &'static str) -> (&'static str, String) {
    (name, text(name).to_owned())
}

/// The cells that load the model inside the program: their names and sources.
pub fn cells() -> [(&'static str, String); 4] {
    let load = "from safetensors.torch import load_file\n\n\
                tokenizer = Words(open('model/words.txt').read())\n\
                ends = tokenizer.encode('.')\n\
                hidden = []\n\
                model = Model(len(tokenizer.words))\n\
                model.load_state_dict(load_file('model/model.safetensors'))\n\
                model.eval()\n\
                None\n";
    [cell("model.py"), cell("look.py"), cell("write.py"), ("load", load.to_owned())]
}

/// The cells that read the config of a model in a folder; the last prints [`Sizes`].
pub fn config_cells(folder: &str) -> [(&'static str, String); 2] {
    let read = format!(
        "folder = {}\nconfig, kind = read_config(folder)\nprint(json.dumps(sizes(config, kind)))\n",
        literal(folder)
    );
    [cell("folder.py"), ("config", read)]
}

/// The cells that load the model, after [`config_cells`].
pub fn folder_cells(kind: Kind) -> [(&'static str, String); 4] {
    let load = "tokenizer = open_tokenizer(folder, config)\n\
                hidden = ends = ends(folder, config, tokenizer)\n\
                model = open_model(folder, config)\n";
    let code = match kind {
        Kind::Gpt2 => "gpt2.py",
        Kind::Llama => "llama.py",
    };
    [cell(code), cell("look.py"), cell("write.py"), ("load", load.to_owned())]
}

/// The call that prints the tokens of a text, a JSON list.
pub fn tokens_source(text: &str) -> String {
    format!("print(json.dumps(pieces(tokenizer, tokenizer.encode({}))))", literal(text))
}

/// Text as Python reads it.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Python's `None`, or a value.
fn optional(value: Option<impl fmt::Display>) -> String {
    value.map_or("None".to_owned(), |value| value.to_string())
}

impl Question {
    /// The call that answers it, after the cells of a model; it prints [`Looked`].
    pub fn source(&self) -> String {
        let heads = |heads: &[Head]| {
            let pairs = heads.iter().map(|head| format!("({}, {})", head.layer - 1, head.head - 1));
            format!("[{}]", pairs.collect::<Vec<_>>().join(", "))
        };
        format!(
            "print(json.dumps(look(model, tokenizer, {}, {}, {}, {}, {}, {})))",
            literal(&self.text),
            optional(self.at),
            heads(&self.without),
            optional(self.answer.as_deref().map(literal)),
            optional(self.maps.as_deref().map(heads)),
            optional(self.to.map(|(head, word)| format!("({}, {}, {word})", head.layer - 1, head.head - 1))),
        )
    }
}

impl Writing {
    /// The call that begins it; it prints how many tokens the text has.
    pub fn source(&self) -> String {
        let Writing { tokens, temperature, seed, .. } = self;
        format!(
            "torch.manual_seed({seed})\n\
             numbers = tokenizer.encode({})\n\
             if not 0 < len(numbers) <= model.context_length:\n    \
             raise QuestionError(f'the text has {{len(numbers):,}} tokens; the model reads 1 to {{model.context_length:,}}')\n\
             stream = written(model, numbers, {tokens}, ends, {}, temperature={temperature:?}, top_k={}, top_p={})\n\
             stream = told(tokenizer, numbers, stream, hidden)\n\
             print(len(numbers))",
            literal(&self.text),
            if self.cached { "True" } else { "False" },
            optional(self.top_k),
            optional(self.top_p),
        )
    }
}

/// The call that prints the next piece of a text, and how many tokens it is; nothing where the text has ended.
pub const NEXT_PIECE: &str = "print(json.dumps(next(stream, None)))";

/// Reads a document that a cell printed.
pub fn read<T: DeserializeOwned>(printed: &str) -> Result<T, String> {
    serde_json::from_str(printed.trim()).map_err(|error| error.to_string())
}

/// Which code computes a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Gpt2,
    Llama,
}

/// What a config says of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizes {
    #[serde(skip_serializing)]
    pub kind: Kind,
    pub architecture: String,
    pub parameters: u64,
    pub layers: usize,
    /// Heads of queries in each layer.
    pub heads: usize,
    /// Heads of keys and values.
    pub kv_heads: usize,
    pub head_dim: usize,
    pub width: usize,
    pub vocabulary: usize,
    pub context_length: usize,
}

impl Sizes {
    /// Bytes of the weights, as attn computes with them.
    pub fn bytes(&self) -> u64 {
        self.parameters.saturating_mul(4)
    }

    /// Bytes that a cache takes for each token with so many heads of keys and values, in float32.
    pub fn cache_bytes(&self, kv_heads: usize) -> u64 {
        [self.layers, kv_heads, self.head_dim, 2 * 4]
            .iter()
            .fold(1, |all, one| u64::saturating_mul(all, *one as u64))
    }

    pub(crate) fn last(&self) -> Head {
        Head { layer: self.layers, head: self.heads }
    }
}

/// What the model makes of a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Looked {
    /// The text up to the word that looks.
    #[serde(default)]
    pub text: String,
    pub words: Vec<String>,
    /// Which word looks, from 0. What comes next comes after it.
    pub at: usize,
    pub next: Vec<NextWord>,
    /// By layer, head, the word that looks, the word that is looked at.
    pub weights: Vec<Vec<Vec<Vec<f64>>>>,
    /// What each head does, by layer and head.
    #[serde(default)]
    pub heads: Vec<Vec<HeadDoes>>,
    pub why: LogitParts,
    /// One weight, where one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<WeightParts>,
}

/// What a head does: the mean share of its weight that goes to one kind of word. `None`: the text has no such word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadDoes {
    /// To the word before.
    pub previous: Option<f64>,
    pub first: Option<f64>,
    /// To earlier places of the same word.
    pub same: Option<f64>,
    /// On random words said twice: to the word after the first place of the same word.
    pub induction: Option<f64>,
    /// Which word the word that looks looks at most, from 0, and with which weight.
    pub most: usize,
    pub weight: f64,
}

/// One weight, down to the query and the key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightParts {
    pub layer: usize,
    pub head: usize,
    /// The word that is looked at, from 0.
    pub to: usize,
    pub weight: f64,
    pub query: Vec<f64>,
    pub key: Vec<f64>,
    /// The product of the query with the key of each word up to the one that looks.
    pub products: Vec<f64>,
    /// The weights of these words.
    pub weights: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextWord {
    pub word: String,
    /// Its probability.
    pub share: f64,
    /// Its probability if no head is switched off.
    pub whole: f64,
}

/// What a logit is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogitParts {
    pub word: String,
    /// The logit above the mean of all words' logits.
    pub logit: f64,
    pub parts: Vec<LogitPart>,
}

/// One part of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogitPart {
    /// Its name, if it is no head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// What it adds to the logit.
    pub adds: f64,
    /// For a head: what it adds by reading each word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<f64>,
}

impl LogitPart {
    /// `head 1.2`, or its name.
    pub(crate) fn name(&self) -> String {
        match (self.layer, self.head) {
            (Some(layer), Some(head)) => format!("head {}", Head { layer, head }),
            _ => self.part.clone().unwrap_or_default(),
        }
    }
}

impl Looked {
    /// All heads, layer by layer.
    pub(crate) fn heads(&self) -> impl Iterator<Item = Head> {
        let layers = self.weights.iter().enumerate();
        layers.flat_map(|(layer, heads)| (1..=heads.len()).map(move |head| Head { layer: layer + 1, head }))
    }

    /// The weights of a head: by the word that looks, then the word that is looked at.
    pub(crate) fn map(&self, head: Head) -> &[Vec<f64>] {
        &self.weights[head.layer - 1][head.head - 1]
    }

    /// The weights of a head for the word that looks.
    pub(crate) fn row(&self, head: Head) -> &[f64] {
        &self.map(head)[self.at]
    }
}
