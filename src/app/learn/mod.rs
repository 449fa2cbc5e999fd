//! `attn` and `attn learn`: the walk through the chapter, one step at a time.
//! Nothing here goes on by itself; what the learner did is kept as soon as it is done.
//!
//! | file | what it does |
//! |---|---|
//! | [`keys`] | the table of what can be done |
//! | [`input`], [`terminal`] | keys and lines; the terminal is left as it was found |
//! | [`stops`] | the places of the walk |
//! | [`walk`] | on, back, away; pages |
//! | [`bench`] | the lesson's own state, and copies of it |
//! | [`question`], [`practice`], [`editor`] | predictions; exercises and edited cells |
//! | [`jump`], [`choose`] | a place from the list; a number from a table |
//! | [`ending`] | the end of a lesson and of the chapter |
//! | [`visits`], [`elsewhere`] | what is looked up and tried out on the way; what other rooms do for it |

mod bench;
mod choose;
mod editor;
mod elsewhere;
pub mod ending;
pub mod input;
mod jump;
mod keys;
mod practice;
mod question;
pub mod stops;
mod terminal;
mod visits;
mod walk;

use std::io::IsTerminal;

use super::course;
use super::machine;
use super::shell::{Exit, Failure, Shell};
use super::store::Store;
use crate::view::prose::prose;
use input::Mode;
use stops::{Kind, Stop};
use walk::Walk;

/// What `attn learn` takes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A step (step3, scores), an exercise or a lesson (3.4.1); without one, where it was left
    #[arg(value_name = "WHERE")]
    place: Option<String>,
}

/// `attn` alone: the walk on a terminal, else the list.
pub fn start(shell: &mut Shell) -> Result<Exit, Failure> {
    let terminal = shell.terminal && std::io::stdin().is_terminal();
    match terminal && !shell.options.json && !shell.options.no_input {
        true => run(&Args { place: None }, shell),
        false => {
            if !shell.options.json {
                shell.remark("the walkthrough needs a terminal; here is what there is");
            }
            super::list::greet(shell)
        }
    }
}

/// Walks.
pub fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    if shell.options.no_input || shell.options.json {
        let option = if shell.options.json { "--json" } else { "--no-input" };
        return Err(Failure::Usage(format!(
            "the walkthrough asks and answers, which {option} rules out; `attn run` and `attn show` do not ask"
        )));
    }
    let catalogue = course::catalogue()?;
    let stops = Stop::all(&catalogue).map_err(|fault| Failure::Unreadable(fault.to_string()))?;
    let mut store = Store::open();
    for remark in store.remarks() {
        shell.remark(&remark);
    }
    let first_time = store.progress().is_empty();
    let at = match &args.place {
        Some(place) => stops::find(&stops, place, &catalogue).map_err(Failure::Usage)?,
        None => stops::resume(&stops, store.progress()),
    };
    let mode = match terminal::has_keys(shell.terminal) && !shell.look.plain {
        true => Mode::Keys,
        false => Mode::Words,
    };
    if mode == Mode::Keys {
        terminal::keep_safe();
    }
    machine::stay();
    let words = match (first_time, at) {
        (true, 0) => welcome(mode).to_owned(),
        (_, 0) => String::new(),
        (_, at) => before(&stops[at - 1]),
    };
    if !words.is_empty() {
        shell.show(&prose(&words, shell.look))?;
    }
    Walk::new(&catalogue, stops, at, store, mode, shell).go()
}

/// What is said to who comes for the first time.
fn welcome(mode: Mode) -> &'static str {
    match mode {
        Mode::Keys => {
            "Welcome. You will read a little, guess what comes out, and then see it run. \
             **Enter** goes on, **?** says what else there is, **q** leaves; next time it goes on from there."
        }
        Mode::Words => {
            "Welcome. You will read a little, guess what comes out, and then see it run. \
             Enter goes on, `help` says what else can be typed, `quit` leaves; next time it goes on from there."
        }
    }
}

/// The line on what came before.
fn before(stop: &Stop) -> String {
    let back = "`p` looks back";
    match stop.kind {
        Kind::End => {
            format!("Before this: {}, {}, to its end ({back}).", stop.lesson.section, stop.lesson.title)
        }
        _ => format!("Before this: {} ({back}).", stop.title()),
    }
}
