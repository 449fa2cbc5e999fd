//! The process that is kept: it is started, and waited for. What the terminal sends to both processes, and the system to
//! the keeper.
#![allow(unsafe_code)] // The call that divides a process in two.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Child, Command};

use super::journal;

/// Starts this program again, with the same arguments.
pub(super) fn start_again(journal: &Path) -> io::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args_os().skip(1)).env(journal::VARIABLE, journal);
    command.spawn()
}

#[cfg(unix)]
pub(super) use unix::{ASKING, Kept, Signals, divide};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::path::Path;
    use std::process::ExitStatus;
    use std::sync::mpsc::{Sender, channel};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use std::os::unix::process::ExitStatusExt;

    /// The signals that ask a program to end.
    pub(crate) const ASKING: [i32; 4] = [SIGINT, SIGQUIT, SIGHUP, SIGTERM];

    /// How long a signal to both processes may take to arrive at the second.
    const APART: Duration = Duration::from_millis(50);

    /// The process that is kept.
    #[derive(Clone, Copy)]
    pub(crate) struct Kept(Pid);

    impl Kept {
        pub(crate) fn start(journal: &Path) -> io::Result<Kept> {
            let child = super::start_again(journal)?;
            Pid::from_raw(child.id().cast_signed()).map(Kept).ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    }

    /// Divides this process in two, before it has a second thread: the kept one is its copy, and need not start again.
    /// Returns `None` in the kept one.
    #[cfg(target_os = "linux")]
    pub(crate) fn divide(_: &Path) -> io::Result<Option<Kept>> {
        // SAFETY: `keep` is called while this process has one thread, so that no lock is held by one that the copy lacks.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            id => Ok(Pid::from_raw(id).map(Kept)),
        }
    }

    /// Other systems start the program again: their libraries may not go on in a copy.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn divide(journal: &Path) -> io::Result<Option<Kept>> {
        Kept::start(journal).map(Some)
    }

    /// The keeper outlives Ctrl-C; what asks it to end is passed on.
    pub(crate) struct Signals {
        kept: Sender<Pid>,
        /// When the keeper was last resumed.
        resumed: Arc<Mutex<Option<Instant>>>,
    }

    impl Signals {
        /// Without a thread, the keeper ends with what it is sent, and the kept process with it.
        pub(crate) fn forward() -> Signals {
            let (sender, kept) = channel();
            let forward = Signals { kept: sender, resumed: Arc::new(Mutex::new(None)) };
            let watched = ASKING.into_iter().chain([SIGCONT]);
            let Ok(mut signals) = signal_hook::iterator::Signals::new(watched) else { return forward };
            let resumed = forward.resumed.clone();
            let pass_on = move || {
                let mut child = None;
                for signal in signals.forever() {
                    child = kept.try_iter().last().or(child);
                    let passed_on = match signal {
                        SIGHUP => Signal::HUP,
                        SIGTERM => Signal::TERM,
                        SIGCONT => {
                            *resumed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                            continue;
                        }
                        // The terminal has sent it to the child too.
                        _ => continue,
                    };
                    if let Some(child) = child {
                        let _ = kill_process(child, passed_on);
                    }
                }
            };
            let _ = thread::Builder::new().name("attn keeper".into()).spawn(pass_on);
            forward
        }

        /// Whether the keeper itself was suspended a moment ago, or is while this waits, and is resumed.
        fn was_suspended(&self) -> bool {
            let start = Instant::now();
            thread::sleep(APART);
            let resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
            start.elapsed() > 4 * APART || resumed.is_some_and(|at| at.elapsed() < 20 * APART)
        }

        /// Waits until the process ends. While it is suspended, so is the keeper: the shell waits for the keeper.
        pub(crate) fn wait(&self, Kept(id): Kept) -> io::Result<ExitStatus> {
            let _ = self.kept.send(id);
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
pub(super) use other::{Kept, Signals, divide};

#[cfg(not(unix))]
mod other {
    use std::io;
    use std::path::Path;
    use std::process::{Child, ExitStatus};

    pub(crate) struct Kept(Child);

    impl Kept {
        pub(crate) fn start(journal: &Path) -> io::Result<Kept> {
            super::start_again(journal).map(Kept)
        }
    }

    pub(crate) fn divide(journal: &Path) -> io::Result<Option<Kept>> {
        Kept::start(journal).map(Some)
    }

    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn forward() -> Signals {
            let _ = ctrlc::set_handler(|| {});
            Signals
        }

        pub(crate) fn wait(&self, Kept(mut child): Kept) -> io::Result<ExitStatus> {
            child.wait()
        }
    }
}
