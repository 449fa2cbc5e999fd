//! The trained model inside the program: its files, which cells may open too, the words that it knows, and what its code
//! says of a sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

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

/// All words that the model knows, in the order of their numbers.
pub fn words() -> Vec<&'static str> {
    text("words.txt").split_whitespace().collect()
}

/// The most words that the model can read at once: its context length.
pub const LONGEST: usize = 64;

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
        let near = match near.is_empty() {
            true => String::new(),
            false => format!(" (the nearest: {})", near.join(", ")),
        };
        let said = format!("`{word}`{near}");
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

/// What is asked of the model.
#[derive(Clone, Default)]
pub struct Question {
    pub words: Vec<String>,
    /// Which word looks, from 0; `None`: the last.
    pub at: Option<usize>,
    /// The heads that are switched off.
    pub without: Vec<Head>,
    /// The next word whose logit is explained; `None`: the likeliest.
    pub answer: Option<String>,
}

/// The name of the file with this code, as a cell.
const LOOK: &str = "look.py";

/// The cells that prepare a session: their names and sources.
pub fn cells() -> [(&'static str, String); 3] {
    let load = "from safetensors.torch import load_file\n\n\
                words = open('model/words.txt').read().split()\n\
                model = Model(len(words))\n\
                model.load_state_dict(load_file('model/model.safetensors'))\n\
                model.eval()\n";
    [
        ("model.py", text("model.py").to_owned()),
        (LOOK, text(LOOK).to_owned()),
        ("load", format!("{load}None\n")),
    ]
}

impl Question {
    /// The call that answers it, after [`cells`]; it prints a document that [`Looked::read`] reads.
    pub fn source(&self) -> String {
        let json = |value: serde_json::Value| value.to_string();
        let without: Vec<String> =
            self.without.iter().map(|head| format!("({}, {})", head.layer - 1, head.head - 1)).collect();
        format!(
            "print(json.dumps(look(model, words, {}, {}, [{}], {})))",
            json(self.words.clone().into()),
            self.at.map_or("None".to_owned(), |at| at.to_string()),
            without.join(", "),
            self.answer.clone().map_or("None".to_owned(), |word| json(word.into())),
        )
    }
}

/// What the model makes of a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Looked {
    pub words: Vec<String>,
    /// Which word looks, from 0. What comes next comes after it.
    pub at: usize,
    pub next: Vec<NextWord>,
    /// By layer, head, the word that looks, the word that is looked at.
    pub weights: Vec<Vec<Vec<Vec<f64>>>>,
    pub why: LogitParts,
}

/// A next word.
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
    /// Reads what the call of [`Question::source`] printed.
    pub fn read(printed: &str) -> Result<Looked, String> {
        serde_json::from_str(printed.trim()).map_err(|error| error.to_string())
    }

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
