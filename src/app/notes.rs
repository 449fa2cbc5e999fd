//! What a cell raised, as the view shows it.
//! Room: app. Finds the line of code; explains nothing.

use crate::session::Raised;
use crate::view::errors::ErrorNote;

/// What a cell raised, with the line of its code.
pub fn note(raised: &Raised, source: &str) -> ErrorNote {
    let line = raised.line.and_then(|line| source.lines().nth(line.checked_sub(1)?));
    let mut message = raised.message.clone();
    if raised.interrupted {
        message = "stopped by Ctrl-C".to_owned();
    }
    ErrorNote {
        kind: raised.kind.clone(),
        message,
        line: raised.line,
        source: line.map(str::to_owned),
        ..ErrorNote::default()
    }
}
