//! `attn write`: a trained model goes on with a text, token by token. The model is the one inside the program, or one in a
//! folder.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::super::cells::trained::{ModelFolder, TrainedModel};
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell, printable};
use super::look::EXAMPLE;
use super::options::GlobalOptions;
use crate::lesson::trained::{self, Writing};
use crate::view::Text;
use crate::view::quantity::{counted, duration};
use crate::view::text::Role;
use crate::view::wrap::remark;

/// What `attn write` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The text that is gone on with; without it, a sentence about a river
    #[arg(value_name = "PROMPT")]
    prompt: Vec<String>,
    /// The folder of a model of GPT-2's or Llama's kind, as transformers saves it (default: the small trained model)
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    model: Option<PathBuf>,
    /// Write at most so many tokens
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    tokens: u32,
    /// Draw each token; below 1 likely ones are preferred, above 1 less so; 0 always takes the likeliest (default: 0, and 1
    /// with one of the options below)
    #[arg(long, value_name = "T", value_parser = |word: &str| number(word, 0.0, f64::MAX))]
    temperature: Option<f64>,
    /// Draw from the K likeliest tokens
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    top_k: Option<u32>,
    /// Draw from the likeliest tokens that have this probability together
    #[arg(long, value_name = "P", value_parser = |word: &str| number(word, f64::MIN_POSITIVE, 1.0))]
    top_p: Option<f64>,
    /// The seed of what is drawn (default: 123)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Read the whole text again for each token, without a cache of keys and values: the same text, slower
    #[arg(long, requires = "model")]
    no_cache: bool,
}

/// Parses a number from `least` to `most`.
fn number(word: &str, least: f64, most: f64) -> Result<f64, String> {
    let found = word.parse::<f64>().ok().filter(|number| (least..=most).contains(number));
    found.ok_or_else(|| match most {
        1.0 => "it is a number above 0, up to 1".to_owned(),
        _ => "it is a number from 0 on".to_owned(),
    })
}

/// Why a text ended.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum End {
    /// It has as many tokens as were asked for.
    Tokens,
    /// The model ended it.
    Model,
    /// The model reads no longer text.
    Context,
    Interrupted,
}

/// A text that was written.
struct Written {
    text: String,
    tokens: usize,
    prompt_tokens: usize,
    /// Until the first token, and from then on.
    times: [Duration; 2],
    end: End,
}

/// Writes, and shows each piece as soon as it is chosen.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut writing = writing(args)?;
    let (mut model, context) = model(args, &mut writing, &shell.options)?;
    let start = Instant::now();
    let prompt_tokens = model.begin(&writing)?;
    if !shell.options.json {
        say(&writing.text, Role::Strong, shell)?;
    }
    let mut written = Written {
        text: String::new(),
        tokens: 0,
        prompt_tokens,
        times: [Duration::ZERO; 2],
        end: End::Model,
    };
    loop {
        match model.next_piece() {
            Ok(Some((piece, tokens))) => {
                if written.tokens == 0 {
                    written.times[0] = start.elapsed();
                }
                written.tokens += tokens;
                written.text.push_str(&piece);
                if !shell.options.json {
                    say(&piece, Role::Prose, shell)?;
                }
            }
            Ok(None) => break,
            Err(Failure::Stopped) => {
                written.end = End::Interrupted;
                break;
            }
            Err(failure) => {
                if !shell.options.json {
                    shell.say("\n")?;
                }
                return Err(failure);
            }
        }
    }
    written.times[1] = start.elapsed().saturating_sub(written.times[0]);
    if written.end != End::Interrupted {
        written.end = match written.tokens {
            count if count >= writing.tokens => End::Tokens,
            count if prompt_tokens + count >= context => End::Context,
            _ => End::Model,
        };
    }
    match shell.options.json {
        true => write_json(&document(&written, &writing, args), shell)?,
        false => {
            shell.say("\n")?;
            if shell.terminal {
                shell.show(&remark(&figures(&written, context), shell.look))?;
            }
        }
    }
    Ok(if written.end == End::Interrupted { Exit::Interrupted } else { Exit::Good })
}

/// What the arguments ask. Errors: options that would change nothing.
fn writing(args: &Args) -> Result<Writing, Failure> {
    let draws = args.top_k.is_some() || args.top_p.is_some() || args.seed.is_some();
    let temperature = args.temperature.unwrap_or(if draws { 1.0 } else { 0.0 });
    if draws && temperature == 0.0 {
        let words = "at --temperature 0 the likeliest token is always taken: --top-k, --top-p and --seed change nothing";
        return Err(Failure::Usage(words.to_owned()));
    }
    Ok(Writing {
        text: if args.prompt.is_empty() { EXAMPLE.to_owned() } else { args.prompt.join(" ") },
        tokens: args.tokens as usize,
        temperature,
        top_k: args.top_k.map(|count| count as usize),
        top_p: args.top_p,
        seed: args.seed.unwrap_or(123),
        cached: args.model.is_some() && !args.no_cache,
    })
}

/// The model, loaded, and the most tokens that it reads.
fn model(
    args: &Args,
    writing: &mut Writing,
    options: &GlobalOptions,
) -> Result<(TrainedModel, usize), Failure> {
    match &args.model {
        Some(folder) => {
            let folder = ModelFolder::new(folder, options)?;
            let context = folder.sizes.context_length;
            Ok((folder.load()?, context))
        }
        None => {
            let words = trained::sentence(&writing.text)
                .map_err(|why| Failure::Usage(format!("{why}; `attn look --words` lists its words")))?;
            writing.text = words.join(" ");
            Ok((TrainedModel::load(options)?, trained::LONGEST))
        }
    }
}

/// The document of `--json`.
fn document(written: &Written, writing: &Writing, args: &Args) -> Value {
    let ms = |time: Duration| (time.as_secs_f64() * 1e4).round() / 10.0;
    let [first, rest] = written.times;
    let mut document = json!({
        "schema": "attn.write/1",
        "prompt": {"ms": ms(first), "text": writing.text, "tokens": written.prompt_tokens},
        "written": {"ms": ms(rest), "text": written.text, "tokens": written.tokens},
        "ended": written.end,
        "temperature": writing.temperature,
        "cache": writing.cached,
    });
    if let Some(folder) = &args.model {
        document["model"] = json!(folder.display().to_string());
    }
    document
}

/// How many tokens were written, how fast, and why the text ended.
fn figures(written: &Written, context: usize) -> String {
    let [first, rest] = written.times;
    let count = counted(written.tokens, "token");
    let mut words = match written.end {
        End::Tokens => count,
        End::Model => format!("{count}, then the model ended the text"),
        End::Context => {
            format!("{count}, then the text had the {} that the model reads", counted(context, "token"))
        }
        End::Interrupted => format!("stopped after {count}"),
    };
    if written.tokens > 0 {
        let prompt = counted(written.prompt_tokens, "token");
        words.push_str(&format!("; the first after {}, for a prompt of {prompt}", duration(first)));
    }
    // The first is part of the prompt's time.
    if written.tokens > 1 && !rest.is_zero() {
        let each = (written.tokens - 1) as f64 / rest.as_secs_f64();
        words.push_str(&format!("; then {each:.1} a second"));
    }
    words
}

/// Shows a piece of the text as it appears.
fn say(piece: &str, role: Role, shell: &mut Shell) -> Result<(), Failure> {
    match (shell.terminal, role) {
        (false, _) => shell.say(piece)?,
        (true, Role::Prose) => shell.say(&printable(piece))?,
        (true, _) => {
            let styled = Text::of(role, &printable(piece)).render(shell.look);
            shell.say(styled.trim_end_matches('\n'))?;
        }
    }
    shell.flush()
}
