//! `attn look`: what a trained model makes of a sentence, and where each of its heads looked. The model is the one inside
//! the program, or one in a folder.

use std::mem;
use std::path::PathBuf;

use clap::{Args as _, Command, FromArgMatches};

use serde_json::json;

use super::super::cells::trained::{ModelFolder, TrainedModel};
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::options::GlobalOptions;
use crate::lesson::trained::{self, Head, Looked, Question, Sizes};
use crate::ops::nearest;
use crate::view::heads::{head_grid, head_legend, head_table, sizes};
use crate::view::look::{
    full_map, gap, grid, grid_legend, logit_parts, looking_word, next_words, shaded, weight_parts,
};
use crate::view::wrap::remark;
use crate::view::{Look, Text};

/// The sentence that is read if none is given.
pub(crate) const EXAMPLE: &str = "the river was wide and she sat on the bank and watched the";

/// What `attn look` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The sentence, up to the gap; without it, one about a river
    #[arg(value_name = "SENTENCE")]
    sentence: Vec<String>,
    /// The folder of a model of GPT-2's or Llama's kind, as transformers saves it; without a sentence, its sizes
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    model: Option<PathBuf>,
    /// Show one head: the sentence with its words shaded, and the whole map; a head is its layer and its number, such as 1.2
    #[arg(long, value_name = "HEAD")]
    head: Option<Head>,
    /// With --head: work out its weight on this word, down to the query and the key
    #[arg(long, value_name = "WORD", requires = "head")]
    weight: Option<String>,
    /// Which word looks: the word, or its number from 1 (default: the last)
    #[arg(long, value_name = "WORD")]
    word: Option<String>,
    /// Switch heads off, and say what that changes
    #[arg(long, value_name = "HEAD", value_delimiter = ',')]
    without: Vec<Head>,
    /// Say what the logit of a next word is made of (default: the likeliest)
    #[arg(long, value_name = "WORD", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    why: Option<String>,
    /// List the words that the small trained model knows instead
    #[arg(long, conflicts_with_all = ["sentence", "model", "head", "word", "without", "why"])]
    words: bool,
}

/// Asks the model, and shows what it says.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if args.words {
        let words = trained::text("words.txt");
        match shell.options.json {
            true => write_json(&json!({"schema": "attn.look/1", "words": words}), shell)?,
            false => shell.say(words)?,
        }
        return Ok(Exit::Good);
    }
    let answer = answered(args, &shell.options)?;
    if shell.options.json {
        let without: Vec<String> = args.without.iter().map(Head::to_string).collect();
        let mut document = json!({"schema": "attn.look/1", "without": without});
        if let Some(folder) = &args.model {
            document["model"] = json!(folder.display().to_string());
        }
        let fields = match &answer {
            Answer::Sizes(sizes) => Ok(json!({"sizes": sizes})),
            Answer::Looked(looked) => serde_json::to_value(looked),
        };
        let fields = fields.map_err(|error| Failure::Unreadable(error.to_string()))?;
        if let (Some(document), serde_json::Value::Object(fields)) = (document.as_object_mut(), fields) {
            document.extend(fields);
        }
        write_json(&document, shell)?;
        return Ok(Exit::Good);
    }
    shell.show(&answer.page(args, shell.look))?;
    Ok(Exit::Good)
}

/// What `attn look` shows with these words after it, and what the model made of the sentence if that shows all its heads;
/// not those, if the learner chooses among them next.
pub(crate) fn typed(
    words: &str,
    options: &GlobalOptions,
    look: Look,
    chooses: bool,
) -> Result<(Text, Option<Looked>), Failure> {
    let parser = Args::augment_args(Command::new("look").no_binary_name(true).disable_help_flag(true));
    let parsed =
        parser.try_get_matches_from(words.split_whitespace()).and_then(|it| Args::from_arg_matches(&it));
    let args = parsed.map_err(|error| {
        let said = error.to_string();
        Failure::Usage(said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })?;
    if args.words {
        return Ok((remark(&trained::words().join(" "), look), None));
    }
    Ok(match answered(&args, options)? {
        Answer::Looked(looked) if args.head.is_none() && args.why.is_none() && args.model.is_none() => {
            let text = if chooses { said(&looked, look) } else { page(&looked, &args, look) };
            (text, Some(*looked))
        }
        answer => (answer.page(&args, look), None),
    })
}

/// A sentence and the words that the model expects next.
fn said(looked: &Looked, look: Look) -> Text {
    let mut text = gap(&looked.text.replace('\n', " "), look);
    text.section(next_words(looked, look));
    text
}

/// What a model says.
enum Answer {
    /// Of a folder, where nothing was asked.
    Sizes(Sizes),
    Looked(Box<Looked>),
}

impl Answer {
    /// The page that a terminal shows.
    fn page(&self, args: &Args, look: Look) -> Text {
        match self {
            Answer::Sizes(found) => {
                let name = args.model.as_deref().map(|folder| folder.display().to_string());
                sizes(&name.unwrap_or_default(), found, look)
            }
            Answer::Looked(looked) => page(looked, args, look),
        }
    }
}

/// Asks a model. Errors: words or heads that it does not have, a folder without a model that attn reads.
fn answered(args: &Args, options: &GlobalOptions) -> Result<Answer, Failure> {
    let text = if args.sentence.is_empty() { EXAMPLE.to_owned() } else { args.sentence.join(" ") };
    let found = |looked| Answer::Looked(Box::new(looked));
    let Some(folder) = &args.model else {
        known_heads(args, trained::LAST)?;
        let words = trained::sentence(&text)
            .map_err(|why| Failure::Usage(format!("{why}; `attn look --words` lists its words")))?;
        let question =
            Question { text: words.join(" "), answer: known_answer(args)?, ..question(&words, args)? };
        return TrainedModel::load(options)?.look(&question).map(found);
    };
    let folder = ModelFolder::new(folder, options)?;
    let asks = args.head.is_some() || args.word.is_some() || args.why.is_some() || !args.without.is_empty();
    if args.sentence.is_empty() && !asks {
        return Ok(Answer::Sizes(folder.sizes));
    }
    known_heads(args, folder.sizes.last())?;
    let mut model = folder.load()?;
    let words = model.tokens(&text)?;
    let maps = Some(args.head.into_iter().collect());
    model.look(&Question { text, maps, ..question(&words, args)? }).map(found)
}

/// Whether the model, whose last head this is, has all heads that were named.
fn known_heads(args: &Args, last: Head) -> Result<(), Failure> {
    let unknown = |head: &&Head| head.layer > last.layer || head.head > last.head;
    match args.head.iter().chain(&args.without).find(unknown) {
        Some(head) => {
            Err(Failure::Usage(format!("the model has no head {head}; its heads are 1.1 to {last}")))
        }
        None => Ok(()),
    }
}

/// The next word that is explained, which the model inside the program has to know.
fn known_answer(args: &Args) -> Result<Option<String>, Failure> {
    let Some(word) = args.why.as_ref().filter(|word| !word.is_empty()) else { return Ok(None) };
    let known = trained::words();
    match known.contains(&word.as_str()) {
        true => Ok(Some(word.clone())),
        false => {
            let near = nearest(word, known, 3).join(", ");
            Err(Failure::Usage(format!("the model does not know the word \"{word}\"; the nearest: {near}")))
        }
    }
}

/// What the arguments ask of a text with these words.
fn question(words: &[String], args: &Args) -> Result<Question, Failure> {
    let at = args.word.as_deref().map(|word| place(word, words)).transpose()?;
    let before = &words[..at.map_or(words.len(), |at| at + 1)];
    let to = args.weight.as_deref().map(|word| place(word, before)).transpose()?;
    let answer = args.why.clone().filter(|word| !word.is_empty());
    Ok(Question { at, without: args.without.clone(), answer, to: args.head.zip(to), ..Question::default() })
}

/// The place of a word that was typed, or of its number from 1. A word that comes more than once is meant where it is last.
fn place(word: &str, words: &[String]) -> Result<usize, Failure> {
    let found = match word.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|at| *at < words.len()),
        // A token has its space as a dot.
        Err(_) => words
            .iter()
            .rposition(|other| other.trim_matches('·').eq_ignore_ascii_case(word.trim_matches('·'))),
    };
    let count = words.len();
    found.ok_or_else(|| Failure::Usage(format!("no word {word} is in this sentence of {count} words")))
}

/// The page that a terminal shows.
fn page(looked: &Looked, args: &Args, look: Look) -> Text {
    let mut text = said(looked, look);
    match (args.head, &args.why) {
        (None, None) if args.model.is_some() => {
            text.section(head_grid(looked, &args.without, look));
            if !look.plain {
                text.section(head_legend(look));
            }
            text.section(head_table(looked, look));
        }
        (None, None) => {
            // What is longer than a screen ends with the answer.
            let answer = mem::replace(&mut text, grid(looked, &args.without, look));
            if !look.plain {
                text.section(grid_legend(looked, look));
            }
            text.section(answer);
        }
        (Some(head), _) => {
            if !look.plain {
                text.section(remark(&format!("where {} looked, head {head}:", looking_word(looked)), look));
            }
            text.append(shaded(looked, head, look));
            text.section(match args.weight {
                None => full_map(looked, head, look),
                Some(_) => weight_parts(looked, look),
            });
        }
        (None, Some(_)) => {}
    }
    if args.why.is_some() {
        text.section(logit_parts(looked, look));
    }
    text
}
