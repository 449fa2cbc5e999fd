//! The keeper: a process that waits for the one in which cells run, and goes on after its death.
//!
//! A cell may do anything, and a defect of the interpreter can end the process. `attn learn` and `attn repl` therefore run
//! in a process of their own. Its keeper draws nothing and runs no Python. If the process dies, the keeper restores the
//! terminal, says what happened, and starts another one, which continues where the [`journal`] ends.

pub(crate) mod journal;

use std::env;
use std::io::IsTerminal;
use std::process::{Command, ExitStatus};

use super::terminal::restore::Restorer;
use super::terminal::shell::{Exit, Failure, Shell};
use journal::Restored;

/// The exit code of a kept process that ended because a cell could not be stopped.
pub(crate) const UNSTOPPABLE: i32 = 75;

/// How often a process may die without anything having been done before.
const PATIENCE: usize = 3;

/// Runs this command in a process of its own until it ends by itself; `None` if this process is the one to run it: it is
/// kept already, or nobody sits at a terminal.
pub(crate) fn keep(shell: &mut Shell) -> Option<Result<Exit, Failure>> {
    if journal::is_kept() {
        end_with_parent();
        return None;
    }
    if !shell.terminal || !std::io::stdin().is_terminal() {
        return None;
    }
    // Without a file or a program to start, the session runs here.
    let file = tempfile::Builder::new().prefix("attn-").suffix(".jsonl").tempfile().ok()?;
    let program = env::current_exe().ok()?;
    let terminal = Restorer::new();
    let signals = signals::Forwarded::new().ok()?;
    let mut before = Restored::default();
    let mut deaths = 0;
    loop {
        let mut command = Command::new(&program);
        command.args(env::args_os().skip(1)).env(journal::VARIABLE, file.path());
        let mut child = command.spawn().ok()?;
        let status = match signals.wait(&mut child) {
            Ok(status) => status,
            Err(error) => return Some(Err(Failure::Unwritable(error))),
        };
        if let Some(exit) = ended(status) {
            return Some(Ok(exit));
        }
        terminal.restore();
        // The cursor may be in the middle of a line.
        shell.aside("\n");
        let left = Restored::read(file.path());
        deaths = if left == before { deaths + 1 } else { 1 };
        let what = format!("{}{}", cause(status, "this session's process"), place(&left));
        if deaths >= PATIENCE {
            shell.remark(&format!(
                "{what}. This was the third time at the same place, so it is not started again. `attn learn WHERE` \
                 and `attn repl WHERE` begin elsewhere; all progress is kept"
            ));
            return Some(Ok(Exit::Raised));
        }
        shell.remark(&format!("{what}. Nothing that you typed is lost; it continues there."));
        before = left;
    }
}

/// How a process ended that ended by itself, or because it was asked to: then the keeper ends in the same way.
fn ended(status: ExitStatus) -> Option<Exit> {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status)
        && signals::ASKING.contains(&signal)
    {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    let all = [Exit::Good, Exit::Failed, Exit::Usage, Exit::Raised, Exit::Interrupted];
    all.into_iter().find(|exit| status.code() == Some(*exit as i32))
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

/// What the terminal sends to both processes, and what the system sends to the keeper.
#[cfg(unix)]
mod signals {
    use std::io;
    use std::process::{Child, ExitStatus};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::os::unix::process::ExitStatusExt;

    /// The signals that ask a program to end.
    pub(super) const ASKING: [i32; 4] = [SIGINT, SIGQUIT, SIGHUP, SIGTERM];

    /// The keeper outlives Ctrl-C; what asks it to end is passed on.
    pub(super) struct Forwarded {
        children: std::sync::mpsc::Sender<Pid>,
        /// When the keeper was last resumed.
        resumed: Arc<Mutex<Option<Instant>>>,
    }

    /// How long a signal to both processes may take to arrive at the second.
    const APART: Duration = Duration::from_millis(50);

    impl Forwarded {
        pub(super) fn new() -> io::Result<Forwarded> {
            let mut signals = Signals::new(ASKING.into_iter().chain([SIGCONT]))?;
            let (sender, children) = std::sync::mpsc::channel();
            let resumed = Arc::new(Mutex::new(None));
            let at_signal = resumed.clone();
            let forward = move || {
                let mut child = None;
                for signal in signals.forever() {
                    child = children.try_iter().last().or(child);
                    let signal = match signal {
                        SIGHUP => Signal::HUP,
                        SIGTERM => Signal::TERM,
                        SIGCONT => {
                            *at_signal.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                            continue;
                        }
                        // The terminal has sent it to the child too.
                        _ => continue,
                    };
                    if let Some(child) = child {
                        let _ = kill_process(child, signal);
                    }
                }
            };
            thread::Builder::new().name("attn keeper".into()).spawn(forward)?;
            Ok(Forwarded { children: sender, resumed })
        }

        /// Whether the keeper itself was suspended a moment ago, or is while this waits, and is resumed.
        fn was_suspended(&self) -> bool {
            let start = Instant::now();
            thread::sleep(APART);
            let resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
            start.elapsed() > 4 * APART || resumed.is_some_and(|at| at.elapsed() < 20 * APART)
        }

        /// Waits until the child ends. While it is suspended, so is the keeper: the shell waits for the keeper.
        pub(super) fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
            let Some(id) = Pid::from_raw(child.id().cast_signed()) else { return child.wait() };
            let _ = self.children.send(id);
            loop {
                match waitpid(Some(id), WaitOptions::UNTRACED) {
                    Ok(Some((_, status))) if status.stopped() => {
                        // Ctrl-Z mostly suspends both: then this is said when both are resumed, or just before.
                        if !self.was_suspended() {
                            let _ = kill_process(rustix::process::getpid(), Signal::STOP);
                        }
                        let _ = kill_process(id, Signal::CONT);
                    }
                    Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
                    Ok(None) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }
}

/// Ctrl-C reaches all processes of the console.
#[cfg(not(unix))]
mod signals {
    use std::io;
    use std::process::{Child, ExitStatus};

    pub(super) struct Forwarded;

    impl Forwarded {
        pub(super) fn new() -> io::Result<Forwarded> {
            ctrlc::set_handler(|| {}).map_err(io::Error::other)?;
            Ok(Forwarded)
        }

        pub(super) fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
            child.wait()
        }
    }
}
