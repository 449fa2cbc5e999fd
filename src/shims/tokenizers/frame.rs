//! The special tokens that are put around one text or two, and how much of the texts fits between them.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub(super) enum PostProcessor {
    TemplateProcessing {
        single: Vec<Slot>,
        pair: Vec<Slot>,
        special_tokens: HashMap<String, Special>,
    },
    BertProcessing {
        sep: (String, u32),
        cls: (String, u32),
    },
    RobertaProcessing {
        sep: (String, u32),
        cls: (String, u32),
        #[serde(default, rename = "trim_offsets")]
        _trim_offsets: bool,
        #[serde(default, rename = "add_prefix_space")]
        _add_prefix_space: bool,
    },
    /// It moves places in the text, which are not kept here.
    ByteLevel {
        #[serde(default, rename = "add_prefix_space")]
        _add_prefix_space: bool,
        #[serde(default, rename = "trim_offsets")]
        _trim_offsets: bool,
        #[serde(default, rename = "use_regex")]
        _use_regex: bool,
    },
    Sequence {
        processors: Vec<PostProcessor>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Which {
    A,
    B,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) enum Slot {
    Sequence { id: Which, type_id: u32 },
    SpecialToken { id: String, type_id: u32 },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Special {
    #[serde(rename = "id")]
    _id: String,
    ids: Vec<u32>,
    tokens: Vec<String>,
}

/// Tokens with what each is for.
#[derive(Debug, Default)]
pub(super) struct Encoding {
    pub(super) ids: Vec<u32>,
    pub(super) tokens: Vec<String>,
    pub(super) type_ids: Vec<u32>,
    /// Whether a token was put there by the frame.
    pub(super) special: Vec<u32>,
}

impl Encoding {
    pub(super) fn push(&mut self, id: u32, token: String) {
        self.add(id, token, 0, false);
    }

    fn add(&mut self, id: u32, token: String, type_id: u32, special: bool) {
        self.ids.push(id);
        self.tokens.push(token);
        self.type_ids.push(type_id);
        self.special.push(special.into());
    }

    fn keep(&mut self, count: usize, from_left: bool) {
        let gone = self.ids.len().saturating_sub(count);
        let range = if from_left { 0..gone } else { self.ids.len() - gone..self.ids.len() };
        self.ids.drain(range.clone());
        self.tokens.drain(range.clone());
        self.type_ids.drain(range.clone());
        self.special.drain(range);
    }
}

/// How many tokens a frame may have, since a file decides how often it repeats them.
const LONGEST_FRAME: usize = 1024;

/// One step of a frame: a text with its type, or a special token.
enum Step {
    Text(Which, u32),
    Special(u32, String, u32),
}

/// The frame around one text or a pair.
pub(super) struct Frame(Vec<Step>);

impl Frame {
    /// Errors: a special token of the template is described nowhere, or two steps put tokens around.
    pub(super) fn new(processor: Option<&PostProcessor>, pair: bool, special: bool) -> Result<Frame, String> {
        let plain = || {
            let second = pair.then_some(Step::Text(Which::B, 1));
            Frame([Step::Text(Which::A, 0)].into_iter().chain(second).collect())
        };
        let named = |(token, id): &(String, u32), type_id| Step::Special(*id, token.clone(), type_id);
        let mut frame = match processor {
            None | Some(PostProcessor::ByteLevel { .. }) => plain(),
            Some(PostProcessor::Sequence { processors }) => {
                let is_frame =
                    |processor: &&PostProcessor| !matches!(processor, PostProcessor::ByteLevel { .. });
                let mut frames = processors.iter().filter(is_frame);
                let first = frames.next();
                if frames.next().is_some() {
                    return Err("post_processor: more than one step that adds tokens".to_owned());
                }
                return Frame::new(first, pair, special);
            }
            Some(PostProcessor::TemplateProcessing { single, pair: both, special_tokens }) => {
                let mut steps = Vec::new();
                for slot in if pair { both } else { single } {
                    match slot {
                        Slot::Sequence { id, type_id } => steps.push(Step::Text(*id, *type_id)),
                        Slot::SpecialToken { id, type_id } => {
                            let found = special_tokens
                                .get(id)
                                .ok_or_else(|| format!("post_processor: no special token `{id}`"))?;
                            if steps.len() + found.ids.len() > LONGEST_FRAME {
                                return Err(format!(
                                    "post_processor: more than {LONGEST_FRAME} special tokens"
                                ));
                            }
                            let tokens = found.ids.iter().zip(&found.tokens);
                            steps.extend(
                                tokens.map(|(id, token)| Step::Special(*id, token.clone(), *type_id)),
                            );
                        }
                    }
                }
                Frame(steps)
            }
            Some(PostProcessor::BertProcessing { sep, cls }) => {
                let mut steps = vec![named(cls, 0), Step::Text(Which::A, 0), named(sep, 0)];
                if pair {
                    steps.extend([Step::Text(Which::B, 1), named(sep, 1)]);
                }
                Frame(steps)
            }
            Some(PostProcessor::RobertaProcessing { sep, cls, .. }) => {
                let mut steps = vec![named(cls, 0), Step::Text(Which::A, 0), named(sep, 0)];
                if pair {
                    steps.extend([named(sep, 0), Step::Text(Which::B, 0), named(sep, 0)]);
                }
                Frame(steps)
            }
        };
        let texts = frame.0.iter().filter(|step| matches!(step, Step::Text(..))).count();
        if texts > 2 {
            return Err("post_processor: a text that appears twice".to_owned());
        }
        if !special {
            frame.0.retain(|step| matches!(step, Step::Text(..)));
        }
        Ok(frame)
    }

    /// How many tokens it puts around.
    pub(super) fn size(&self) -> usize {
        self.0.iter().filter(|step| matches!(step, Step::Special(..))).count()
    }

    /// The texts in their frame.
    pub(super) fn around(&self, texts: &[Encoding]) -> Encoding {
        let mut out = Encoding::default();
        for step in &self.0 {
            match step {
                Step::Special(id, token, type_id) => out.add(*id, token.clone(), *type_id, true),
                Step::Text(which, type_id) => {
                    let text = texts.get(usize::from(*which == Which::B));
                    for (id, token) in text.into_iter().flat_map(|text| text.ids.iter().zip(&text.tokens)) {
                        out.add(*id, token.clone(), *type_id, false);
                    }
                }
            }
        }
        out
    }
}

/// What is cut if the texts are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    LongestFirst,
    OnlyFirst,
    OnlySecond,
}

/// Cuts the texts to `room` tokens together. Errors: one text alone cannot be cut so far, with what `tokenizers` says.
pub(super) fn fit(
    texts: &mut [Encoding],
    room: usize,
    strategy: Strategy,
    from_left: bool,
) -> Result<(), String> {
    let sizes: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
    let total: usize = sizes.iter().sum();
    if total <= room {
        return Ok(());
    }
    match (strategy, texts) {
        (_, texts) if room == 0 => texts.iter_mut().for_each(|text| text.keep(0, from_left)),
        (Strategy::LongestFirst, [text]) => text.keep(room, from_left),
        (Strategy::LongestFirst, [first, second]) => {
            let swapped = sizes[0] > sizes[1];
            let mut short = sizes[0].min(sizes[1]);
            let mut long = if short > room { short } else { short.max(room - short) };
            if short + long > room {
                short = room / 2;
                long = short + room % 2;
            }
            let kept = if swapped { [long, short] } else { [short, long] };
            first.keep(kept[0], from_left);
            second.keep(kept[1], from_left);
        }
        (Strategy::OnlySecond, [_]) => {
            return Err("Truncation error: Second sequence not provided".to_owned());
        }
        (_, texts) => {
            let text = &mut texts[usize::from(strategy == Strategy::OnlySecond)];
            let (size, gone) = (text.ids.len(), total - room);
            if size <= gone {
                return Err(
                    "Truncation error: Sequence to truncate too short to respect the provided max_length"
                        .to_owned(),
                );
            }
            text.keep(size - gone, from_left);
        }
    }
    Ok(())
}
