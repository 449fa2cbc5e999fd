//! The first screen of a new learner: the next word of a sentence is guessed, then the trained model says it and shows where
//! it looked; one word changes, and both change. Enter goes on everywhere.

use super::super::cells::trained::TrainedModel;
use super::super::terminal::prompt::TypedLine;
use super::super::terminal::shell::{Failure, Shell};
use super::input::{self, Escape, InputMode};
use crate::lesson::trained::{self, Head, Looked, Question};
use crate::view::look::{gap, next_words, shaded};
use crate::view::prose::prose;
use crate::view::{Look, Text};

/// The sentence, and the word that changes.
const SENTENCE: &str = "the river was cold so anna walked to the bank and looked for the";
const CHANGE: (&str, &str) = ("river", "money");

/// Shows it; `hours` is how long the course takes. Returns whether the learner begins the course.
pub(super) fn show(hours: u32, mode: InputMode, shell: &mut Shell) -> Result<bool, Failure> {
    let look = shell.look;
    let mut text = gap(SENTENCE, look);
    text.section(prose(
        "Which word comes next? Type one, or press Enter to see what a small model says.",
        look,
    ));
    let Some(guess) = ask(&text, mode, shell)? else { return Ok(false) };
    let mut model = input::unattended(mode, || TrainedModel::load(&shell.options))??;
    let river = seen(&mut model, SENTENCE)?;
    let mut text = prose(&on_guess(&guess, &river), look);
    let words = format!(
        "Where the last word looked, as shares of its attention. The model looks in {} such ways at once, its heads; \
         this is one:",
        river.heads().count()
    );
    text.append(answer(&river, &words, look));
    let (from, to) = CHANGE;
    text.section(prose(&format!("Enter changes one word: {from} becomes **{to}**."), look));
    if ask(&text, mode, shell)?.is_none() {
        return Ok(false);
    }
    let changed = SENTENCE.replace(from, to);
    let mut text = gap(&changed, look);
    let money = seen(&mut model, &changed)?;
    text.section(answer(&money, "Where the last word looked now:", look));
    let apart = money.words.iter().position(|word| word == to).map_or(0, |at| money.at - at);
    let words = format!(
        "One word changed, and {apart} words later the model knew it. That look back is **attention**. In about {hours} \
         hours you write it yourself, from an empty page.\n\nEnter begins. Or type a sentence of your own; `--words` lists the \
         words that this model knows."
    );
    text.section(prose(&words, look));
    loop {
        let Some(own) = ask(&text, mode, shell)? else { return Ok(false) };
        if own.is_empty() {
            return Ok(true);
        }
        text = match trained::sentence(&own) {
            _ if own.trim_start_matches("attn look ") == "--words" => {
                prose(&format!("{}.", trained::words().join(", ")), look)
            }
            Ok(_) => answer(&seen(&mut model, &own)?, "Where the last word looked:", look),
            Err(why) => prose(&format!("{why}."), look),
        };
        text.section(prose("Enter begins the course. Or type another sentence.", look));
    }
}

/// Shows a text and reads a line. `None`: the learner leaves.
fn ask(text: &Text, mode: InputMode, shell: &mut Shell) -> Result<Option<String>, Failure> {
    shell.say("\n")?;
    shell.show(text)?;
    loop {
        let TypedLine::Line(line) = input::line("> ", Escape::Leaves, mode, shell)? else { return Ok(None) };
        match line.trim() {
            "?" => shell.show(&prose(
                "Enter goes on. `q` leaves. Anything else is a word, or a sentence of such words.",
                shell.look,
            ))?,
            "q" | "quit" => return Ok(None),
            typed => return Ok(Some(typed.to_lowercase())),
        }
    }
}

fn seen(model: &mut TrainedModel, sentence: &str) -> Result<Looked, Failure> {
    let words = trained::sentence(sentence).map_err(Failure::Unreadable)?;
    model.look(&Question { text: words.join(" "), ..Question::default() })
}

/// The head of the last layer that gives the largest weight to one word.
fn telling(looked: &Looked) -> Head {
    let most = |head: &Head| looked.row(*head).iter().copied().fold(0.0, f64::max);
    let last = looked.heads().filter(|head| head.layer == looked.weights.len());
    last.max_by(|one, other| most(one).total_cmp(&most(other))).unwrap_or(Head { layer: 1, head: 1 })
}

/// The likeliest words, and where one head looked, after these words.
fn answer(looked: &Looked, words: &str, look: Look) -> Text {
    let mut text = next_words(looked, look);
    text.section(prose(words, look));
    text.append(shaded(looked, telling(looked), look));
    text
}

/// What is said of the learner's guess.
fn on_guess(guess: &str, looked: &Looked) -> String {
    match looked.next.iter().position(|next| next.word == guess) {
        _ if guess.is_empty() => "The model's likeliest words:".to_owned(),
        Some(0) => format!("\"{guess}\" is the model's first choice too:"),
        Some(_) => format!("\"{guess}\" is among the model's likeliest words:"),
        None if trained::words().contains(&guess) => {
            format!("\"{guess}\" is not among the model's likeliest words:")
        }
        None => format!("The model does not know the word \"{guess}\". Its likeliest words:"),
    }
}
