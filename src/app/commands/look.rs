//! `attn look`: what the trained model makes of a sentence, and where each of its heads looked.

use clap::{Args as _, Command, FromArgMatches};
use serde_json::json;

use super::super::cells::trained::TrainedModel;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::options::GlobalOptions;
use crate::lesson::trained::{self, Head, Looked, Question};
use crate::ops::nearest;
use crate::view::code::code;
use crate::view::look::{full_map, gap, grid, grid_legend, logit_parts, looking_word, next_words, shaded};
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
    /// Show one head: the sentence with its words shaded, and the whole map; a head is its layer and its number, such as 1.2
    #[arg(long, value_name = "HEAD")]
    head: Option<Head>,
    /// Which word looks: the word, or its number from 1 (default: the last)
    #[arg(long, value_name = "WORD")]
    word: Option<String>,
    /// Switch heads off, and say what that changes
    #[arg(long, value_name = "HEAD", value_delimiter = ',')]
    without: Vec<Head>,
    /// Say what the logit of a next word is made of (default: the likeliest)
    #[arg(long, value_name = "WORD", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    why: Option<String>,
    /// Show the model's code instead
    #[arg(long, conflicts_with_all = ["sentence", "head", "word", "without", "why"])]
    code: bool,
    /// List the words that the model knows instead
    #[arg(long, conflicts_with_all = ["sentence", "head", "word", "without", "why", "code"])]
    words: bool,
}

/// Asks the model, and shows what it says.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if args.code || args.words {
        let (name, text) = if args.code {
            ("code", trained::text("model.py"))
        } else {
            ("words", trained::text("words.txt"))
        };
        match shell.options.json {
            true => write_json(&json!({"schema": "attn.look/1", name: text}), shell)?,
            false if args.code && shell.styled() => shell.show(&code(text, shell.look))?,
            false => shell.say(text)?,
        }
        return Ok(Exit::Good);
    }
    let looked = looked(args, &shell.options)?;
    if shell.options.json {
        let without: Vec<String> = args.without.iter().map(Head::to_string).collect();
        let mut document = json!({"schema": "attn.look/1", "without": without});
        let answer = serde_json::to_value(&looked).map_err(|error| Failure::Unreadable(error.to_string()))?;
        if let (Some(document), serde_json::Value::Object(answer)) = (document.as_object_mut(), answer) {
            document.extend(answer);
        }
        write_json(&document, shell)?;
        return Ok(Exit::Good);
    }
    shell.show(&page(&looked, args, shell.look))?;
    Ok(Exit::Good)
}

/// What `attn look` shows with these words after it.
pub(crate) fn typed(words: &str, options: &GlobalOptions, look: Look) -> Result<Text, Failure> {
    let parser = Args::augment_args(Command::new("look").no_binary_name(true).disable_help_flag(true));
    let parsed =
        parser.try_get_matches_from(words.split_whitespace()).and_then(|it| Args::from_arg_matches(&it));
    let args = parsed.map_err(|error| {
        let said = error.to_string();
        Failure::Usage(said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })?;
    Ok(match (args.code, args.words) {
        (true, _) => code(trained::text("model.py"), look),
        (_, true) => remark(&trained::words().join(" "), look),
        _ => page(&looked(&args, options)?, &args, look),
    })
}

/// What the model says. Errors: words or heads that it does not have.
fn looked(args: &Args, options: &GlobalOptions) -> Result<Looked, Failure> {
    let looked = TrainedModel::load(options)?.look(&question(args)?)?;
    let heads: Vec<Head> = looked.heads().collect();
    match args.head.iter().chain(&args.without).find(|head| !heads.contains(head)) {
        Some(head) => {
            let (first, last) = (heads[0], heads[heads.len() - 1]);
            Err(Failure::Usage(format!("the model has no head {head}; its heads are {first} to {last}")))
        }
        None => Ok(looked),
    }
}

/// What the arguments ask.
fn question(args: &Args) -> Result<Question, Failure> {
    let text = match args.sentence.is_empty() {
        true => EXAMPLE.to_owned(),
        false => args.sentence.join(" "),
    };
    let words = trained::sentence(&text)
        .map_err(|why| Failure::Usage(format!("{why}; `attn look --words` lists its words")))?;
    let at = args.word.as_deref().map(|word| place(word, &words)).transpose()?;
    let answer = args.why.clone().filter(|word| !word.is_empty());
    if let Some(word) = &answer {
        let known = trained::words();
        if !known.contains(&word.as_str()) {
            let near = nearest(word, known, 3).join(", ");
            return Err(Failure::Usage(format!("the model does not know `{word}`; the nearest: {near}")));
        }
    }
    Ok(Question { words, at, without: args.without.clone(), answer })
}

/// The place of a word that was typed, or of its number from 1. A word that comes more than once is meant where it is last.
fn place(word: &str, words: &[String]) -> Result<usize, Failure> {
    let found = match word.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|at| *at < words.len()),
        Err(_) => words.iter().rposition(|other| other.eq_ignore_ascii_case(word)),
    };
    let count = words.len();
    found.ok_or_else(|| Failure::Usage(format!("no word {word} is in this sentence of {count} words")))
}

/// The page that a terminal shows.
fn page(looked: &Looked, args: &Args, look: Look) -> Text {
    let mut text = Text::new();
    let before = looked.words[..=looked.at].join(" ");
    text.append(gap(&before, look));
    text.section(next_words(looked, look));
    match (args.head, &args.why) {
        (None, None) => {
            text.section(grid(looked, &args.without, look));
            if !look.plain {
                text.section(grid_legend(looked, look));
            }
        }
        (Some(head), _) => {
            if !look.plain {
                text.section(remark(&format!("where {} looked, head {head}:", looking_word(looked)), look));
            }
            text.append(shaded(looked, head, look));
            text.section(full_map(looked, head, look));
        }
        (None, Some(_)) => {}
    }
    if args.why.is_some() {
        text.section(logit_parts(looked, look));
    }
    text
}
