//! Earlier inputs: kept in the state folder, each once, the latest last.
//! One JSON string a line, so that an input may have lines of its own and two sessions may write.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::super::state::state_dir;

/// Inputs that are remembered.
const KEPT: usize = 1000;

/// Earlier inputs, oldest first.
pub(super) struct History {
    /// The inputs.
    pub inputs: Vec<String>,
    file: Option<PathBuf>,
}

impl History {
    /// What earlier sessions left. A line that cannot be read is passed over.
    pub(super) fn read() -> History {
        let file = state_dir().map(|folder| folder.join("history.jsonl"));
        let text = file.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        let mut history = History { inputs: Vec::new(), file };
        let lines = text.lines().count();
        for input in text.lines().filter_map(|line| serde_json::from_str::<String>(line).ok()) {
            history.remember(input);
        }
        if lines > 4 * KEPT {
            history.shorten();
        }
        history
    }

    /// Adds an input; what was typed before moves to the end.
    pub(super) fn add(&mut self, input: &str) {
        if self.inputs.last().is_some_and(|last| last == input) {
            return;
        }
        self.remember(input.to_owned());
        // Who cannot write loses the history of this session, and nothing else.
        let _ = self.append(input);
    }

    fn remember(&mut self, input: String) {
        self.inputs.retain(|known| *known != input);
        self.inputs.push(input);
        let over = self.inputs.len().saturating_sub(KEPT);
        self.inputs.drain(..over);
    }

    fn append(&self, input: &str) -> std::io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut line = serde_json::to_vec(input)?;
        line.push(b'\n');
        OpenOptions::new().create(true).append(true).open(file)?.write_all(&line)
    }

    /// Writes the file anew when it has become much longer than what is kept of it.
    fn shorten(&self) {
        let Some((file, folder)) = self.file.as_ref().and_then(|file| Some((file, file.parent()?))) else {
            return;
        };
        let lines = self.inputs.iter().filter_map(|input| serde_json::to_string(input).ok());
        let text = lines.map(|line| line + "\n").collect::<String>();
        let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut fresh| {
            fresh.write_all(text.as_bytes())?;
            fresh.persist(file).map_err(|error| error.error)
        });
        // It is only longer than it need be.
        let _ = written;
    }
}
