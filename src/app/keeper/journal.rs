//! The journal of a session: what the process that runs it would have to say after its death. It is a file that the keeper
//! makes and the session writes, one JSON document a line, each written before what it tells of happens.

use std::env;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};

use crate::lesson::progress::Bookmark;
use crate::shims::outside::fs;

/// The environment variable that tells a process that it is kept, and where its journal is.
pub(crate) const VARIABLE: &str = "ATTN_JOURNAL";

/// A line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// The walkthrough is at this stop, with this title.
    At { lesson: String, slug: String, title: String },
    /// The walkthrough opened its REPL, or left it.
    Repl(bool),
    /// The REPL begins to run this input.
    Input(String),
    /// It has run.
    Done,
    /// It has run, and changed nothing.
    Looked,
    /// The text in the editor.
    Draft(String),
    /// A new process took over. It runs again what had been done.
    Again,
    /// The learner does not want the rest to be run again.
    Skipped,
}

/// What a journal tells of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Restored {
    /// The stop of the walkthrough, with its title.
    pub(crate) at: Option<(Bookmark, String)>,
    /// Whether the walkthrough's REPL was open.
    pub(crate) in_repl: bool,
    /// The inputs that had run, to be run again.
    pub(crate) inputs: Vec<String>,
    /// The input that was running.
    pub(crate) running: Option<String>,
    /// The text that was in the editor.
    pub(crate) draft: String,
}

impl Restored {
    /// Reads a journal. A line that was not written to its end is ignored.
    pub(super) fn read(file: &Path) -> Restored {
        Restored::of(&fs::read_to_string(file).unwrap_or_default())
    }

    fn of(text: &str) -> Restored {
        let mut it = Restored::default();
        // Inputs that a former process had run, and that this one has not run again yet.
        let mut again: Vec<String> = Vec::new();
        for entry in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match entry {
                Entry::At { lesson, slug, title } => {
                    let at = Some((Bookmark { lesson, slug }, title));
                    // A new process comes to the same stop again, and goes on there.
                    if it.at != at {
                        it = Restored { at, ..Restored::default() };
                        again.clear();
                    }
                }
                Entry::Repl(open) => {
                    it.in_repl = open;
                    // A new process opens it again, and goes on.
                    if !open || again.is_empty() {
                        it.inputs.clear();
                        it.draft.clear();
                    }
                }
                Entry::Input(input) => {
                    if again.first() == Some(&input) {
                        again.remove(0);
                    }
                    it.running = Some(input);
                    it.draft.clear();
                }
                Entry::Done => it.inputs.extend(it.running.take()),
                Entry::Looked => it.running = None,
                Entry::Draft(text) => it.draft = text,
                Entry::Again => {
                    it.running = None;
                    again.splice(..0, it.inputs.drain(..));
                }
                Entry::Skipped => again.clear(),
            }
        }
        it.inputs.append(&mut again);
        it
    }
}

/// The journal of this process, if it is kept. It is opened before the process gives up files.
static JOURNAL: OnceLock<Journal> = OnceLock::new();

struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// From now on this process is kept, and this file is its journal. If it cannot be written, the session goes on without.
pub(super) fn begin(path: PathBuf) {
    if let Ok(file) = File::options().append(true).open(&path).map(Mutex::new) {
        let _ = JOURNAL.set(Journal { path, file });
    }
}

/// The journal that the keeper that started this process made.
pub(super) fn given() -> Option<PathBuf> {
    env::var_os(VARIABLE).map(PathBuf::from)
}

/// Whether this process is kept: its keeper goes on after its death.
pub(crate) fn is_kept() -> bool {
    JOURNAL.get().is_some()
}

/// Notes something in the journal, if there is one. The session goes on if it cannot be written.
pub(crate) fn note(entry: &Entry) {
    if let Some(journal) = JOURNAL.get() {
        let mut line = serde_json::to_vec(entry).expect("an entry can be written as JSON");
        line.push(b'\n');
        let _ = journal.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line);
    }
}

/// The text in the editor, as the journal has it.
pub(crate) fn draft() -> String {
    JOURNAL.get().map(|journal| Restored::read(&journal.path).draft).unwrap_or_default()
}

/// What the process before this one left; `None` in the first one.
pub(crate) fn restored() -> Option<Restored> {
    let text = fs::read_to_string(&JOURNAL.get()?.path).ok().filter(|text| !text.is_empty())?;
    let restored = Restored::of(&text);
    note(&Entry::Again);
    Some(restored)
}
