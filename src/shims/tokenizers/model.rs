//! How a piece of text becomes tokens: byte pairs (Sennrich et al. 2016), the longest words of a list (Schuster & Nakajima
//! 2012), or whole words.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use serde::Deserialize;
use serde_json::Value;

use crate::kernel::stop;

/// Both ways through a vocabulary.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    ids: HashMap<String, u32>,
    texts: HashMap<u32, String>,
}

impl Vocabulary {
    fn new(ids: HashMap<String, u32>) -> Vocabulary {
        let texts = ids.iter().map(|(text, id)| (*id, text.clone())).collect();
        Vocabulary { ids, texts }
    }

    pub(super) fn id(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    pub(super) fn text(&self, id: u32) -> Option<&str> {
        self.texts.get(&id).map(String::as_str)
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.ids.iter().map(|(text, id)| (text.as_str(), *id))
    }
}

/// The rank of each pair, and the token that it becomes.
type Merges = HashMap<(u32, u32), (u32, u32)>;

#[derive(Debug)]
pub(super) struct Model {
    pub(super) vocabulary: Vocabulary,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    BytePairs {
        merges: Merges,
        unknown: Option<u32>,
        joins_unknown: bool,
        inner_prefix: String,
        last_suffix: String,
        whole_pieces_first: bool,
    },
    WordPieces {
        unknown: u32,
        inner_prefix: String,
        longest: usize,
    },
    Words {
        unknown: Option<u32>,
    },
}

/// The field `model` of the file.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
enum Written {
    #[serde(rename = "BPE")]
    BytePairs {
        vocab: HashMap<String, u32>,
        merges: Vec<Merge>,
        #[serde(default)]
        dropout: Option<f64>,
        #[serde(default)]
        unk_token: Option<String>,
        #[serde(default)]
        continuing_subword_prefix: Option<String>,
        #[serde(default)]
        end_of_word_suffix: Option<String>,
        #[serde(default)]
        fuse_unk: bool,
        #[serde(default)]
        byte_fallback: bool,
        #[serde(default)]
        ignore_merges: bool,
    },
    WordPiece {
        vocab: HashMap<String, u32>,
        unk_token: String,
        continuing_subword_prefix: String,
        max_input_chars_per_word: usize,
    },
    WordLevel {
        vocab: HashMap<String, u32>,
        unk_token: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Merge {
    Pair(String, String),
    /// Both with a space between them.
    Line(String),
}

impl Merge {
    fn pair(&self) -> Option<(&str, &str)> {
        match self {
            Merge::Pair(left, right) => Some((left, right)),
            Merge::Line(line) => line.split_once(' '),
        }
    }
}

/// Old files do not name the kind of the model.
fn named(mut model: Value) -> Value {
    if let Value::Object(fields) = &mut model
        && !fields.contains_key("type")
    {
        let kind = match () {
            () if fields.contains_key("merges") => "BPE",
            () if fields.contains_key("max_input_chars_per_word") => "WordPiece",
            () if fields.get("vocab").is_some_and(Value::is_array) => "Unigram",
            () => "WordLevel",
        };
        fields.insert("type".to_owned(), kind.into());
    }
    model
}

impl Model {
    /// The model that a file describes. Errors: what of it is not there.
    pub(super) fn new(written: Value) -> Result<Model, String> {
        match serde_json::from_value(named(written)).map_err(|error| format!("model: {error}"))? {
            Written::BytePairs { dropout: Some(share), .. } if share != 0.0 => {
                Err(format!("model: dropout {share}"))
            }
            Written::BytePairs { byte_fallback: true, .. } => Err("model: byte_fallback".to_owned()),
            Written::BytePairs {
                vocab,
                merges,
                unk_token,
                continuing_subword_prefix,
                end_of_word_suffix,
                fuse_unk,
                ignore_merges,
                ..
            } => {
                let inner_prefix = continuing_subword_prefix.unwrap_or_default();
                let merges = ranked(&vocab, &merges, &inner_prefix)?;
                let unknown = unk_token.map(|text| id_of(&vocab, &text)).transpose()?;
                let kind = Kind::BytePairs {
                    merges,
                    unknown,
                    joins_unknown: fuse_unk,
                    inner_prefix,
                    last_suffix: end_of_word_suffix.unwrap_or_default(),
                    whole_pieces_first: ignore_merges,
                };
                Ok(Model { vocabulary: Vocabulary::new(vocab), kind })
            }
            Written::WordPiece { vocab, unk_token, continuing_subword_prefix, max_input_chars_per_word } => {
                let kind = Kind::WordPieces {
                    unknown: id_of(&vocab, &unk_token)?,
                    inner_prefix: continuing_subword_prefix,
                    longest: max_input_chars_per_word,
                };
                Ok(Model { vocabulary: Vocabulary::new(vocab), kind })
            }
            Written::WordLevel { vocab, unk_token } => {
                let kind = Kind::Words { unknown: vocab.get(&unk_token).copied() };
                Ok(Model { vocabulary: Vocabulary::new(vocab), kind })
            }
        }
    }

    /// The tokens of one piece. Errors: the vocabulary has no token for it.
    pub(super) fn tokens(&self, piece: &str) -> Result<Vec<u32>, String> {
        stop::check();
        match &self.kind {
            Kind::BytePairs { merges, whole_pieces_first, .. } => {
                if *whole_pieces_first && let Some(id) = self.vocabulary.id(piece) {
                    return Ok(vec![id]);
                }
                Ok(merged(self.characters(piece), merges))
            }
            Kind::WordPieces { unknown, inner_prefix, longest } => {
                Ok(self.longest_pieces(piece, inner_prefix, *longest).unwrap_or_else(|| vec![*unknown]))
            }
            Kind::Words { unknown } => match self.vocabulary.id(piece).or(*unknown) {
                Some(id) => Ok(vec![id]),
                None => Err("WordLevel error: Missing [UNK] token from the vocabulary".to_owned()),
            },
        }
    }

    /// The tokens of the single characters of a piece.
    fn characters(&self, piece: &str) -> Vec<u32> {
        let Kind::BytePairs { unknown, joins_unknown, inner_prefix, last_suffix, .. } = &self.kind else {
            return Vec::new();
        };
        let (mut ids, mut after_unknown) = (Vec::new(), false);
        let count = piece.chars().count();
        let mut name = String::new();
        for (at, letter) in piece.chars().enumerate() {
            name.clear();
            if at > 0 {
                name.push_str(inner_prefix);
            }
            name.push(letter);
            if at + 1 == count {
                name.push_str(last_suffix);
            }
            match (self.vocabulary.id(&name), unknown) {
                (Some(id), _) => {
                    ids.push(id);
                    after_unknown = false;
                }
                (None, Some(unknown)) => {
                    if !(after_unknown && *joins_unknown) {
                        ids.push(*unknown);
                    }
                    after_unknown = true;
                }
                // Without an unknown token, what is not in the vocabulary is left out.
                (None, None) => {}
            }
        }
        ids
    }

    /// The longest words of the list, one after the other; `None` if a part is in no word.
    fn longest_pieces(&self, piece: &str, inner_prefix: &str, longest: usize) -> Option<Vec<u32>> {
        if piece.chars().count() > longest {
            return None;
        }
        let (mut ids, mut start) = (Vec::new(), 0);
        while start < piece.len() {
            let prefix = if start > 0 { inner_prefix } else { "" };
            let ends = piece[start..].char_indices().rev().map(|(at, letter)| start + at + letter.len_utf8());
            let (id, end) = ends.into_iter().find_map(|end| {
                stop::check();
                let name = format!("{prefix}{}", &piece[start..end]);
                Some((self.vocabulary.id(&name)?, end))
            })?;
            ids.push(id);
            start = end;
        }
        Some(ids)
    }
}

fn id_of(vocab: &HashMap<String, u32>, text: &str) -> Result<u32, String> {
    vocab.get(text).copied().ok_or_else(|| format!("model: the vocabulary does not have `{text}`"))
}

fn ranked(vocab: &HashMap<String, u32>, merges: &[Merge], inner_prefix: &str) -> Result<Merges, String> {
    let mut ranks = HashMap::with_capacity(merges.len());
    for (rank, merge) in (0..).zip(merges) {
        let (left, right) = merge.pair().ok_or_else(|| format!("model: merge {rank} is not a pair"))?;
        let joined = format!("{left}{}", right.strip_prefix(inner_prefix).unwrap_or(right));
        let pair = (id_of(vocab, left)?, id_of(vocab, right)?);
        ranks.insert(pair, (rank, id_of(vocab, &joined)?));
    }
    Ok(ranks)
}

/// Joins the pair of the lowest rank, the first of equal ones, until no pair has a rank.
fn merged(mut ids: Vec<u32>, merges: &Merges) -> Vec<u32> {
    const NONE: usize = usize::MAX;
    let count = ids.len();
    let mut before: Vec<usize> = (0..count).map(|at| at.wrapping_sub(1)).collect();
    let mut after: Vec<usize> = (0..count).map(|at| if at + 1 < count { at + 1 } else { NONE }).collect();
    let mut there = vec![true; count];
    let mut waiting = BinaryHeap::new();
    for at in 1..count {
        if let Some((rank, joined)) = merges.get(&(ids[at - 1], ids[at])) {
            waiting.push(Reverse((*rank, at - 1, *joined)));
        }
    }
    while let Some(Reverse((rank, at, joined))) = waiting.pop() {
        stop::check();
        let next = after[at];
        // The pair may have changed since it was found.
        if !there[at] || next == NONE || merges.get(&(ids[at], ids[next])) != Some(&(rank, joined)) {
            continue;
        }
        ids[at] = joined;
        there[next] = false;
        after[at] = after[next];
        if after[at] != NONE {
            before[after[at]] = at;
        }
        for (left, right) in [(before[at], at), (at, after[at])] {
            if left != NONE
                && right != NONE
                && let Some((rank, joined)) = merges.get(&(ids[left], ids[right]))
            {
                waiting.push(Reverse((*rank, left, *joined)));
            }
        }
    }
    ids.into_iter().zip(there).filter(|(_, there)| *there).map(|(id, _)| id).collect()
}
