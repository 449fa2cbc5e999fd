//! The history of inputs in the state folder. The file has one JSON string per line, so that an input may have several
//! lines and two sessions can append.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::super::file::write;
use super::super::learner::state::state_dir;
use crate::shims::outside::outside;

/// The most inputs that are kept.
const MAX_INPUTS: usize = 1000;

fn file() -> Option<PathBuf> {
    state_dir().map(|folder| folder.join("history.jsonl"))
}

fn line(input: &str) -> String {
    serde_json::to_string(input).expect("a string can be written as JSON") + "\n"
}

/// The inputs of earlier sessions, each once, the latest last. Ignores lines that are not JSON strings: another session
/// may be writing. A long file is replaced by the inputs that are kept.
pub(super) fn read() -> Vec<String> {
    let Some(file) = file() else { return Vec::new() };
    let bytes = outside(|| fs::read(&file)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut inputs: Vec<String> = Vec::new();
    for input in text.lines().rev().take(4 * MAX_INPUTS).filter_map(|line| serde_json::from_str(line).ok()) {
        if inputs.len() < MAX_INPUTS && !inputs.contains(&input) {
            inputs.push(input);
        }
    }
    inputs.reverse();
    if text.lines().count() > 4 * MAX_INPUTS {
        // If this fails, the file is only longer than necessary.
        let _ = write(&file, &inputs.iter().map(|input| line(input)).collect::<String>());
    }
    inputs
}

/// Adds an input. Without a writable file the history of this session is lost; that must not stop the session.
pub(super) fn add(input: &str) {
    let Some(file) = file() else { return };
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // What is typed is nobody else's business.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = outside(|| {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        options.open(&file)?.write_all(line(input).as_bytes())
    });
}
