//! The history of inputs in the state folder: each input once, the latest last.
//! The file has one JSON string per line, so that an input may have several lines and two sessions can append.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::super::learner::state::state_dir;
use crate::shims::outside::outside;

/// The most inputs that are kept.
const MAX_INPUTS: usize = 1000;

/// Earlier inputs.
pub(super) struct History {
    /// The inputs, oldest first.
    pub(crate) inputs: Vec<String>,
    file: Option<PathBuf>,
}

impl History {
    /// Reads the history of earlier sessions. Ignores lines that are not JSON strings: another session may be writing.
    pub(super) fn read() -> History {
        let file = state_dir().map(|folder| folder.join("history.jsonl"));
        let bytes = file.as_ref().and_then(|file| outside(|| fs::read(file)).ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut history = History { inputs: Vec::new(), file };
        let lines = text.lines().count();
        let latest = text.lines().skip(lines.saturating_sub(4 * MAX_INPUTS));
        for input in latest.filter_map(|line| serde_json::from_str::<String>(line).ok()) {
            history.remember(input);
        }
        history
    }

    /// Adds an input at the end. An equal earlier one is removed.
    pub(super) fn add(&mut self, input: &str) {
        if self.inputs.last().is_some_and(|last| last == input) {
            return;
        }
        self.remember(input.to_owned());
        // Without a writable file the history of this session is lost. That must not stop the session.
        let _ = self.append(input);
    }

    fn remember(&mut self, input: String) {
        self.inputs.retain(|known| *known != input);
        self.inputs.push(input);
        let over = self.inputs.len().saturating_sub(MAX_INPUTS);
        self.inputs.drain(..over);
    }

    fn append(&self, input: &str) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(input).expect("a string can be written as JSON");
        line.push(b'\n');
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        // What is typed is nobody else's business.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let opened = outside(|| {
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            options.open(file)
        });
        opened?.write_all(&line)
    }
}
