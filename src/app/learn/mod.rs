//! `attn` and `attn learn`: the walkthrough of the chapter, one step at a time. It never goes on by itself, and saves what
//! the learner does at once.
//!
//! | file | what it does |
//! |---|---|
//! | [`opening`] | the first screen of a new learner |
//! | [`main_loop`] | shows a stop, waits for a key, does what it asks |
//! | [`keys`] | the table of keys |
//! | [`navigate`] | on, back, and to a stop from the list |
//! | [`question`], [`practice`], [`editor`] | predictions; exercises and edited cells, with `failed_check` and `code_page` |
//! | [`choose`], [`figures`], [`visits`] | why, trace, what-if, REPL, glossary |
//! | [`attend`] | the trained model: a head and the word that looks |
//! | [`ending`] | the end of a lesson and of the chapter |
//! | [`walk`], [`stop_page`], [`lesson_state`] | the state of the walkthrough, of a stop, of the lesson's variables |
//! | [`input`], [`terminal`] | keys and lines, and the settings of the terminal |

mod attend;
pub mod choose;
pub mod code_page;
pub mod editor;
mod ending;
mod failed_check;
mod figures;
pub(super) mod input;
pub mod keys;
mod lesson_state;
mod main_loop;
mod navigate;
mod opening;
mod paging;
mod practice;
mod question;
mod stop_page;
pub(super) mod terminal;
mod visits;
mod walk;

use std::io::IsTerminal;
use std::path::PathBuf;

use super::cells::course;
use super::cells::machine;
use super::keeper::journal;
use super::learner::stops::{self, Stop, StopKind};
use super::learner::store::Store;
use super::terminal::restore::restore_at_exit;
use super::terminal::shell::{Exit, Failure, Shell};
use crate::view::prose::prose;
use input::InputMode;
use walk::Walk;

/// What `attn learn` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step (scores), an exercise, a lesson (3, or 3.4.1), a lesson's file, or a folder of lessons, with a place in it or
    /// without; without any, where it was left
    #[arg(value_name = "WHERE|FILE|FOLDER", num_args = 0..=2, value_hint = clap::ValueHint::AnyPath)]
    place: Vec<String>,
    /// Do not leave out the asides
    #[arg(long)]
    all: bool,
    /// Run this file as the code of an exercise each time it is saved: that of WHERE, else the next one
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    watch: Option<PathBuf>,
}

/// Whether `attn` alone starts the walkthrough: it needs a terminal.
pub(crate) fn can_start(shell: &Shell) -> bool {
    let terminal = shell.terminal && std::io::stdin().is_terminal();
    terminal && shell.options.can_ask()
}

/// Starts the walkthrough where the learner left it.
pub(crate) fn resume(shell: &mut Shell) -> Result<Exit, Failure> {
    run(&Args { place: Vec::new(), all: false, watch: None }, shell)
}

/// Starts the walkthrough.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if shell.options.no_input || shell.options.json {
        let option = if shell.options.json { "--json" } else { "--no-input" };
        return Err(Failure::Usage(format!(
            "the walkthrough asks and answers, which {option} rules out; `attn run` and `attn show` do not ask"
        )));
    }
    let (catalogue, place) = course::of_place(&args.place, shell)?;
    let stops = Stop::all(&catalogue)?;
    let mut store = Store::open(catalogue.course());
    store.tell(shell);
    let first_time = store.progress().is_empty();
    let restored = journal::restored();
    let left = restored.as_ref().and_then(|it| it.at.as_ref());
    let at = match (left.and_then(|(left, _)| stops.iter().position(|stop| stop.is(left))), &place) {
        (Some(left), _) => left,
        (None, Some(place)) => stops::find(&stops, place, &catalogue).map_err(Failure::Usage)?,
        (None, None) => stops::resume(&stops, store.progress(), args.all),
    };
    if let Some(path) = &args.watch {
        let is_exercise = |at: &usize| matches!(stops[*at].kind, StopKind::Exercise(_));
        let at = (at..stops.len()).find(is_exercise);
        let at = at.ok_or_else(|| Failure::Usage("no exercise follows this place".to_owned()))?;
        machine::keep_running();
        return Walk::new(&catalogue, stops, (at, args.all), store, InputMode::Words, shell).watch(path);
    }
    let mode = match terminal::has_keys(shell.terminal) && !shell.look.plain {
        true => InputMode::Keys,
        false => InputMode::Words,
    };
    if mode == InputMode::Keys {
        restore_at_exit();
    }
    machine::keep_running();
    let chapter = catalogue.course().own.is_none();
    if first_time && restored.is_none() && args.place.is_empty() && chapter && can_start(shell) {
        let chapter = catalogue.lessons().flatten().enumerate();
        let chapter = chapter.take_while(|(at, lesson)| *at == 0 || lesson.part.is_none());
        let minutes: u32 = chapter.map(|(_, lesson)| lesson.minutes).sum();
        if !opening::show(minutes.div_ceil(60), mode, shell)? {
            return Ok(Exit::Good);
        }
    }
    let words = match (first_time, at) {
        _ if restored.is_some() => String::new(),
        (true, 0) => welcome(mode),
        (_, 0) => String::new(),
        (_, at) => before(&stops[at - 1]),
    };
    if !words.is_empty() {
        shell.show(&prose(&words, shell.look))?;
    }
    let mut walk = Walk::new(&catalogue, stops, (at, args.all), store, mode, shell);
    walk.chosen = place.as_ref().map(|_| at);
    walk.restored = restored;
    walk.run()
}

/// The greeting of a new learner.
fn welcome(mode: InputMode) -> String {
    let [on, help, leave] = match mode {
        InputMode::Keys => ["**Enter** continues", "**?** says what else there is", "**q** leaves"],
        InputMode::Words => ["Enter continues", "`help` says what else can be typed", "`quit` leaves"],
    };
    format!(
        "Welcome. You will read a little, guess what comes out, and then see it run. \
         {on}, {help}, {leave}; next time you continue from there."
    )
}

/// A line that names the stop before this one.
fn before(stop: &Stop) -> String {
    format!("Before this: {} (`p` looks back).", stop.title())
}
