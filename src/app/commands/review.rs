//! `attn review`: questions of the steps that were met, again. One that is answered wrongly comes back in the same review
//! and soon after it; one that is answered right comes back after days, then weeks.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::mem;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::json::write_json;
use super::super::learner::store::Store;
use super::super::terminal::prompt::{TypedLine, read_line};
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::lesson::Catalogue;
use crate::lesson::choice::{asked_back, confirms};
use crate::lesson::exercise::RightAnswer;
use crate::lesson::judge::{GIVEN_UP, Judgement, gives_up, of_choice, stated};
use crate::lesson::progress::{Progress, ProgressChange};
use crate::lesson::review::{ReviewQuestion, as_statement, questions};
use crate::view::prose::prose;
use crate::view::quantity::counted;
use crate::view::quiz::{AnswerVerdict, QuestionKind, question, reply};

/// How many questions are asked at once, unless the learner says so.
pub(crate) const COUNT: usize = 8;

/// What `attn review` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of lessons instead of the chapter
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: Option<PathBuf>,
    /// How many questions to ask
    #[arg(long, value_name = "N", default_value_t = COUNT)]
    count: usize,
    /// The day, counted from 1970-01-01, instead of today
    #[arg(long, value_name = "DAY", hide = true)]
    day: Option<u64>,
}

/// Asks the questions that are due.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = match &args.folder {
        Some(folder) => course::in_folder(folder)?,
        None => course::catalogue()?,
    };
    let mut store = Store::read(catalogue.course());
    store.tell(shell);
    let day = args.day.unwrap_or_else(today);
    let (due, later) = due_and_later(&catalogue, store.progress(), day)?;
    if shell.options.json {
        let due: Vec<Value> = due.iter().map(document).collect();
        write_json(&json!({"schema": "attn.review/1", "due": due, "later": later.len()}), shell)?;
        return Ok(Exit::Good);
    }
    if due.is_empty() {
        shell.show(&prose(&none_due(&later, day), shell.look))?;
        return Ok(Exit::Good);
    }
    if shell.options.no_input {
        return Err(Failure::Usage("a review asks questions, which --no-input rules out".to_owned()));
    }
    let all = due.len();
    let words = ask_all(due, all, args.count, &mut store, day, &mut |shell| read_line("> ", shell), shell)?;
    store.tell(shell);
    shell.say("\n")?;
    shell.show(&prose(&words, shell.look))?;
    Ok(Exit::Good)
}

/// The questions that are due on this day, and the questions that come later. Errors: a fault in a lesson.
pub(crate) fn due_and_later<'c>(
    catalogue: &'c Catalogue,
    progress: &Progress,
    day: u64,
) -> Result<(Vec<ReviewQuestion<'c>>, Vec<ReviewQuestion<'c>>), Failure> {
    let all = questions(catalogue, progress)?;
    Ok(all.into_iter().partition(|question| question.due <= day))
}

/// Why nothing is asked (Markdown).
pub(crate) fn none_due(later: &[ReviewQuestion], day: u64) -> String {
    match later.iter().map(|question| question.due).min() {
        None => "Nothing to review yet: `attn review` asks the questions with choices of steps that you have seen in \
                 `attn learn`."
            .to_owned(),
        Some(next) => format!("Nothing is due today. The next question comes in {}.", days(next - day)),
    }
}

pub(crate) type ReadAnswer<'r> = &'r mut dyn FnMut(&mut Shell) -> Result<TypedLine, Failure>;

/// Asks up to `count` of these questions, of `all` that are due, and again the ones that are answered wrongly; returns the
/// results in words.
pub(crate) fn ask_all(
    due: Vec<ReviewQuestion>,
    all: usize,
    count: usize,
    store: &mut Store,
    day: u64,
    read: ReadAnswer,
    shell: &mut Shell,
) -> Result<String, Failure> {
    let mut queue: VecDeque<(ReviewQuestion, bool)> =
        due.into_iter().take(count).map(|question| (question, true)).collect();
    let (mut at_once, mut answered) = (0, 0);
    while let Some((next, is_first)) = queue.pop_front() {
        shell.refit();
        if !is_first {
            shell.say("\n")?;
            shell.show(&prose("Once more, since it was not right at the first try:", shell.look))?;
        }
        let Some(right) = ask(&next, read, shell)? else { break };
        answered += usize::from(is_first);
        at_once += usize::from(is_first && right);
        let (lesson, slug) = (next.lesson.id.clone(), next.step.slug.clone());
        store.change(ProgressChange::Reviewed(lesson, slug, next.asked.ask.clone(), right, day));
        if !right {
            queue.push_back((next, false));
        }
    }
    let mut words = match answered {
        0 => "No question was answered.".to_owned(),
        _ => format!("{}, {at_once} right at the first try.", counted(answered, "question")),
    };
    let waiting = all - answered;
    if waiting > 0 {
        let more = if answered == 0 { "" } else { " more" };
        let verb = if waiting == 1 { "is" } else { "are" };
        words.push_str(&format!(" {waiting}{more} {verb} due today."));
    }
    Ok(words)
}

/// Asks one question until it is answered or its answer is shown; whether the first answer was right, or `None` if the
/// learner leaves.
fn ask(next: &ReviewQuestion, read: ReadAnswer, shell: &mut Shell) -> Result<Option<bool>, Failure> {
    let RightAnswer::Choice(choices) = &next.asked.answer else { return Ok(None) };
    let texts: Vec<String> = choices.iter().map(|choice| choice.text.clone()).collect();
    let place = format!("*{}, {}*", next.lesson.heading(), next.step.title);
    shell.say("\n")?;
    shell.show(&prose(&place, shell.look))?;
    shell.show(&question(&next.asked.ask, &texts, QuestionKind::Review, shell.look))?;
    let (mut at_once, mut warned, mut meant) = (true, false, None);
    loop {
        let TypedLine::Line(mut said) = read(shell)? else { return Ok(None) };
        if let Some(letter) = meant.take().filter(|_| confirms(&said)) {
            said = letter;
        }
        let (standing, because) = match said.trim() {
            "q" | "quit" => return Ok(None),
            "" if !mem::replace(&mut warned, true) => {
                let hint = "Type an answer; `s` or Enter once more shows it. `q` leaves the review.";
                shell.show(&prose(hint, shell.look))?;
                continue;
            }
            "" | "s" | "show" | "k" | "skip" => {
                at_once = false;
                let answer = stated(next.asked).unwrap_or_default();
                (AnswerVerdict::Shown, format!("{answer}. {}", as_statement(&next.asked.right)))
            }
            said if gives_up(said) => {
                shell.show(&prose(GIVEN_UP, shell.look))?;
                continue;
            }
            said => match of_choice(choices, said) {
                Judgement::Right => (AnswerVerdict::Right, next.asked.right.clone()),
                Judgement::Wrong { because } => (AnswerVerdict::NotYet, because),
                Judgement::NotUnderstood { why } => {
                    let asks = shell.terminal && io::stdin().is_terminal();
                    let question = asked_back(choices, said).filter(|_| asks);
                    let why = question.map_or(why, |(letter, words)| {
                        meant = Some(letter);
                        words
                    });
                    let hint = format!("{why} {KEYS}");
                    shell.show(&prose(&hint, shell.look))?;
                    continue;
                }
            },
        };
        shell.show(&reply(standing, &because, shell.look))?;
        if standing != AnswerVerdict::NotYet {
            return Ok(Some(at_once));
        }
        if at_once {
            shell.show(&prose(&format!("Try again. {KEYS}"), shell.look))?;
        }
        at_once = false;
    }
}

/// What else can be typed at a question.
const KEYS: &str = "`s` shows the answer, `q` leaves the review.";

fn document(question: &ReviewQuestion) -> Value {
    let choices: Vec<&str> = question.asked.choices().iter().map(|choice| choice.text.as_str()).collect();
    json!({
        "lesson": question.lesson.id,
        "step": question.step.slug,
        "question": question.asked.ask,
        "choices": choices,
    })
}

fn days(count: u64) -> String {
    counted(count as usize, "day")
}

/// The day in UTC, counted from 1970-01-01.
pub(crate) fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400)
}
