//! The keeper: a process that waits for the one in which cells run, and goes on after its death.
//!
//! A cell may do anything, and a defect of the interpreter can end the process. `attn learn` and `attn repl` therefore run
//! in a process of their own. Its keeper draws nothing and runs no Python. If the process dies, the keeper restores the
//! terminal, says what happened, and starts another one, which continues where the [`journal`] ends.

pub(crate) mod journal;
mod process;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitStatus;

use super::commands::options::GlobalOptions;
use super::terminal::restore::Restorer;
use super::terminal::shell::{Exit, Failure, Shell};
use journal::Restored;
use process::{Kept, Signals};

/// The exit code of a kept process that ended because a cell could not be stopped.
pub(crate) const UNSTOPPABLE: i32 = 75;

/// How often a process may die without anything having been done before.
const PATIENCE: usize = 3;

/// Runs the rest of this command in a process of its own until it ends by itself; `None` in that process, and where there is
/// none: nobody sits at a terminal, or no file or process could be made. To be called while the program has one thread.
pub(crate) fn keep(options: GlobalOptions) -> Option<Exit> {
    if let Some(journal) = journal::given() {
        return be_kept(journal);
    }
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return None;
    }
    let file = tempfile::Builder::new().prefix("attn-").suffix(".jsonl").tempfile().ok()?.into_temp_path();
    let terminal = Restorer::new();
    let Some(mut kept) = process::divide(&file).ok()? else {
        // The file is the keeper's.
        return be_kept(file.keep().ok()?);
    };
    let signals = Signals::forward();
    let (mut out, mut err) = (io::stdout(), io::stderr());
    let mut shell = Shell::new(&mut out, &mut err, true);
    shell.set(options);
    let mut before = Restored::default();
    let mut deaths = 0;
    loop {
        let ended_as = match signals.wait(kept) {
            Ok(status) => status,
            Err(error) => return Some(shell.finish(Err(Failure::Unwritable(error)))),
        };
        if let Some(exit) = ended(ended_as) {
            return Some(exit);
        }
        #[cfg(unix)]
        if let Some(signal) = asked(ended_as) {
            // What ends the keeper drops nothing.
            drop(file);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            return Some(Exit::Interrupted);
        }
        terminal.restore();
        // The cursor may be in the middle of a line.
        shell.aside("\n");
        let left = Restored::read(&file);
        deaths = if left == before { deaths + 1 } else { 1 };
        let what = format!("{}{}", cause(ended_as, "this session's process"), place(&left));
        if deaths >= PATIENCE {
            shell.remark(&format!(
                "{what}. This was the third time at the same place, so it is not started again. `attn learn WHERE` \
                 and `attn repl WHERE` begin elsewhere; all progress is kept"
            ));
            return Some(Exit::Raised);
        }
        shell.remark(&format!("{what}. Nothing that you typed is lost; it continues there."));
        kept = match Kept::start(&file) {
            Ok(kept) => kept,
            Err(error) => {
                shell.remark(&format!("it could not be started again: {error}. All progress is kept"));
                return Some(Exit::Raised);
            }
        };
        before = left;
    }
}

/// In the process that is kept: goes on with the command.
fn be_kept(journal: PathBuf) -> Option<Exit> {
    journal::begin(journal);
    end_with_parent();
    None
}

/// How a process ended that ended by itself.
fn ended(status: ExitStatus) -> Option<Exit> {
    let all = [Exit::Good, Exit::Failed, Exit::Usage, Exit::Raised, Exit::Interrupted];
    all.into_iter().find(|exit| status.code() == Some(*exit as i32))
}

/// The signal that asked a process to end, if it has: the keeper ends in the same way.
#[cfg(unix)]
fn asked(status: ExitStatus) -> Option<i32> {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status)?;
    process::ASKING.contains(&signal).then_some(signal)
}

/// Ends this process when the one that started it does, where the system can do that.
pub(crate) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::HUP));
}

/// Why a process ended, in words: `what` crashed.
pub(crate) fn cause(status: ExitStatus, what: &str) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal {
            signal_hook::consts::SIGKILL => {
                format!("the system ended {what}, as it does when memory runs out")
            }
            _ => {
                let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
                format!("{what} crashed ({name})")
            }
        };
    }
    match status.code() {
        Some(UNSTOPPABLE) => format!("{what} was ended, since the cell did not stop"),
        _ => format!("{what} crashed ({status})"),
    }
}

/// Where the session was, for the end of a sentence.
fn place(left: &Restored) -> String {
    let input = left.running.is_some() || left.in_repl;
    match (&left.at, &left.running) {
        (_, Some(_)) => format!(", in input {}", left.inputs.len() + 1),
        (Some((_, title)), None) if !input => format!(", at {}", title.trim_end_matches(['.', '?', '!'])),
        _ => String::new(),
    }
}
