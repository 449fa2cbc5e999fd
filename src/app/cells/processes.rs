//! Runs several targets, each in a process of its own. What they show appears in
//! the order of the targets. A target that ends its process is one that failed; the others run all the same.
//!
//! Such a process runs the same command line, of which it does one [`Part`]: it sends what it shows, then what is known of
//! its target.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::PathBuf;
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::keeper;
use super::super::terminal::part::{self, Frame, Part};
use super::super::terminal::progress_bar::ProgressBar;
use super::super::terminal::shell::{Exit, Failure, Shell, columns_of_stderr};
use super::machine;
use super::plan::STDIN;

/// How often a press of Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(50);

/// How long after Ctrl-C a process may take to end by itself. Of a cell that cannot be stopped it says so meanwhile.
const PATIENCE: Duration = Duration::from_secs(6);

/// What is known of a target; or, if it could not be read or its process died, words that say so.
pub(crate) type Ran<T> = Result<T, String>;

/// Runs `one` for each target, `abreast` of them at once, and calls `then` with what it returned, in order, until that returns `false`. A single target
/// runs in this process. Errors: those of `then`, and those of `one` that concern the command, not one of several targets.
pub(crate) fn each<T: Serialize + DeserializeOwned>(
    names: &[String],
    abreast: usize,
    shell: &mut Shell,
    mut one: impl FnMut(usize, &mut Shell) -> Result<T, Failure>,
    mut then: impl FnMut(usize, Ran<T>, &mut Shell) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    if let Some(part) = part::own() {
        keeper::end_with_parent();
        let ran = one(part.index, shell).and_then(|ran| shell.flush().map(|()| ran));
        let last = match ran.map(|ran| serde_json::to_value(ran)) {
            Ok(Ok(ran)) => Frame::Done(ran),
            Ok(Err(error)) => Frame::Unreadable(error.to_string()),
            Err(Failure::Usage(words)) => Frame::Usage(words),
            Err(Failure::Stopped) => Frame::Stopped,
            Err(failure) => Frame::Unreadable(failure.to_string()),
        };
        let sent = part::send(&last);
        // The system frees all of it at once.
        process::exit(if sent.is_ok() { 0 } else { Exit::Raised as i32 });
    }
    let several = names.len() > 1;
    let mut here = |index: usize, shell: &mut Shell| match one(index, shell) {
        Err(Failure::Unreadable(words)) if several => Ok(Err(words)),
        ran => ran.map(Ok),
    };
    let program = env::current_exe().ok().filter(|_| several);
    let Some(program) = program else {
        for index in 0..names.len() {
            let ran = here(index, shell)?;
            if !then(index, ran, shell)? {
                break;
            }
        }
        return Ok(());
    };
    machine::keep_running();
    let pool = Pool {
        program,
        names,
        terminal: shell.terminal,
        remarks: io::stderr().is_terminal().then(columns_of_stderr),
        look: shell.look,
        next: AtomicUsize::new(0),
        running: Mutex::default(),
    };
    let (sender, events) = channel();
    thread::scope(|scope| {
        for _ in 0..abreast.min(names.len()) {
            let (pool, sender) = (&pool, sender.clone());
            let work = move || pool.work(&sender);
            // With fewer threads than that the others do the work.
            let _ = thread::Builder::new().name("attn parts".into()).spawn_scoped(scope, work);
        }
        drop(sender);
        let mut in_order = InOrder { events, waiting: names.iter().map(|_| VecDeque::new()).collect() };
        let presses = machine::presses();
        let progress = ProgressBar::watch(names.len(), shell);
        let mut all = || {
            for (index, name) in names.iter().enumerate() {
                if machine::presses() != presses {
                    return Err(Failure::Stopped);
                }
                progress.at(index, name);
                let ran = match name.as_str() {
                    STDIN => {
                        progress.hide();
                        here(index, shell)?
                    }
                    _ => in_order.wait(index, presses, &pool, &progress, shell)?,
                };
                progress.hide();
                if !then(index, ran, shell)? {
                    break;
                }
            }
            Ok(())
        };
        let ended = all();
        pool.end(None);
        ended
    })
}

/// The processes.
struct Pool<'a> {
    program: PathBuf,
    names: &'a [String],
    terminal: bool,
    remarks: Option<usize>,
    look: crate::view::Look,
    /// The target that starts next.
    next: AtomicUsize,
    running: Mutex<Vec<(usize, Arc<Mutex<Child>>)>>,
}

/// What happens to a process.
enum Event {
    Sent(Frame),
    Ended(io::Result<ExitStatus>),
}

impl Pool<'_> {
    /// Starts one process after the other, and passes on what they send.
    fn work(&self, events: &Sender<(usize, Event)>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::AcqRel);
            let Some(name) = self.names.get(index) else { return };
            if name == STDIN {
                continue;
            }
            let ended = self.run(index, events);
            if events.send((index, Event::Ended(ended))).is_err() {
                return;
            }
        }
    }

    fn run(&self, index: usize, events: &Sender<(usize, Event)>) -> io::Result<ExitStatus> {
        let part = Part { index, terminal: self.terminal, remarks: self.remarks, look: self.look };
        let mut command = Command::new(&self.program);
        command.args(env::args_os().skip(1)).env(part::VARIABLE, serde_json::to_string(&part)?);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        let child = Arc::new(Mutex::new(child));
        {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            // All processes may have been ended while this one started.
            if self.next.load(Ordering::Acquire) >= ENDED {
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
            }
            running.push((index, child.clone()));
        }
        for line in stdout.map(BufReader::new).into_iter().flat_map(BufRead::lines) {
            // A line that is none: it died in the middle of it.
            if let Ok(Ok(frame)) = line.map(|line| serde_json::from_str(&line))
                && events.send((index, Event::Sent(frame))).is_err()
            {
                break;
            }
        }
        let ended = child.lock().unwrap_or_else(PoisonError::into_inner).wait();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).retain(|(at, _)| *at != index);
        ended
    }

    /// Ends all processes but one, and starts no more.
    fn end(&self, but: Option<usize>) {
        self.next.store(ENDED, Ordering::Release);
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, child) in running.iter().filter(|(index, _)| Some(*index) != but) {
            let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }
}

/// The number of the next target once no more should start.
const ENDED: usize = usize::MAX / 2;

/// The events of the processes, in the order of the targets.
struct InOrder {
    events: Receiver<(usize, Event)>,
    waiting: Vec<VecDeque<Event>>,
}

impl InOrder {
    /// Shows what the process of a target sends, until it ends.
    fn wait<T: DeserializeOwned>(
        &mut self,
        index: usize,
        presses: usize,
        pool: &Pool,
        progress: &ProgressBar,
        shell: &mut Shell,
    ) -> Result<Ran<T>, Failure> {
        let name = &pool.names[index];
        let mut pressed: Option<Instant> = None;
        let mut ran = None;
        loop {
            if pressed.is_none() && machine::presses() != presses {
                // The terminal sends Ctrl-C to all processes. What this one did is shown.
                pressed = Some(Instant::now());
                pool.end(Some(index));
            }
            if pressed.is_some_and(|at| at.elapsed() > PATIENCE) {
                return Err(Failure::Stopped);
            }
            let event = match self.waiting[index].pop_front() {
                Some(event) => event,
                None => match self.events.recv_timeout(GLANCE) {
                    Ok((at, event)) => {
                        self.waiting[at].push_back(event);
                        continue;
                    }
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => {
                        return Ok(Err(format!("{name}: no process could be started for it")));
                    }
                },
            };
            match event {
                Event::Sent(Frame::Out(text)) => {
                    progress.hide();
                    shell.say(&text)?;
                    shell.flush()?;
                }
                Event::Sent(Frame::Err(text)) => {
                    progress.hide();
                    shell.styled_aside(&text);
                }
                Event::Sent(Frame::Done(value)) => {
                    let value = serde_json::from_value(value).map_err(io::Error::other)?;
                    ran = Some(Ok(value));
                }
                Event::Sent(Frame::Usage(words)) => return Err(Failure::Usage(words)),
                Event::Sent(Frame::Unreadable(words)) => ran = Some(Err(words)),
                Event::Sent(Frame::Stopped) => return Err(Failure::Stopped),
                Event::Ended(ended) => {
                    return match (ran, ended) {
                        (Some(ran), _) => Ok(ran),
                        (None, Ok(status)) if status.code() == Some(Exit::Interrupted as i32) => {
                            Err(Failure::Stopped)
                        }
                        (None, Ok(status)) => {
                            Ok(Err(format!("{name}: {}", keeper::cause(status, "its process"))))
                        }
                        (None, Err(error)) => {
                            Ok(Err(format!("{name}: its process could not be started: {error}")))
                        }
                    };
                }
            }
        }
    }
}
