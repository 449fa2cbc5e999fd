//! The streams of a process that runs one of several targets. What it would write goes to the process that started it,
//! which writes it when the turn of this target comes.

use std::env;
use std::io::{self, Write};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::view::Look;

/// The environment variable that tells a process that it runs one of several targets, and which.
pub(crate) const VARIABLE: &str = "ATTN_PART";

/// Which target, and how the process that started this one shows text.
#[derive(Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) index: usize,
    /// Whether results go to a terminal.
    pub(crate) terminal: bool,
    /// Whether remarks do, and its columns.
    pub(crate) remarks: Option<usize>,
    pub(crate) look: Look,
}

/// What such a process sends, a JSON document a line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Frame {
    /// A result.
    Out(String),
    /// For stderr.
    Err(String),
    /// The target ran; what is known of it.
    Done(Value),
    /// It did not, for one of three reasons.
    Usage(String),
    Unreadable(String),
    Stopped,
}

/// What this process is a part of; `None` if nobody divided the work.
pub(crate) fn own() -> Option<&'static Part> {
    static PART: LazyLock<Option<Part>> =
        LazyLock::new(|| serde_json::from_str(env::var(VARIABLE).ok()?.as_str()).ok());
    PART.as_ref()
}

/// Sends a frame to the process that started this one.
pub(crate) fn send(frame: &Frame) -> io::Result<()> {
    let mut line = serde_json::to_vec(frame)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}

/// A stream of text whose every write becomes a frame.
pub(crate) struct Stream(pub(crate) fn(String) -> Frame);

impl Write for Stream {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        send(&self.0(String::from_utf8_lossy(text).into_owned()))?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
