//! What a cell raised, as the view shows it: the line of code, what was there, what would fit.
//! Joins the session's error context, the names of axes and the explanation.

use crate::explain::errors::{ErrorCase, ErrorExplanation, explained as explain};
use crate::session::{Raised, Session};
use crate::view::errors::ErrorNote;

/// Names of a variable's axes, none where none are given.
pub type AxesOf<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// What a cell raised, with the line of its code.
pub fn note(raised: &Raised, source: &str) -> ErrorNote {
    let mut message = raised.message.clone();
    if raised.interrupted {
        message = "stopped by Ctrl-C".to_owned();
    }
    ErrorNote {
        kind: raised.kind.clone(),
        message,
        interrupted: raised.interrupted,
        line: raised.line,
        source: raised.line.and_then(|number| line(source, number)),
        ..ErrorNote::default()
    }
}

/// What the last cell of this session raised, explained from what was in reach there.
pub fn explained(raised: &Raised, source: &str, session: &Session, axes: AxesOf) -> ErrorNote {
    // A function of an earlier cell raised: its line tells more than the call.
    let inside = raised.frames.last().filter(|frame| raised.frames.iter().any(|it| it.cell != frame.cell));
    let inside = inside.and_then(|frame| {
        let source = line(session.source(&frame.cell)?, frame.line)?;
        Some((frame.cell.clone(), frame.line, source))
    });
    ErrorNote { inside, explanation: explanation(raised, session, axes), ..note(raised, source) }
}

/// What is to be said of the last cell's error beyond its own text.
pub fn explanation(raised: &Raised, session: &Session, axes: AxesOf) -> ErrorExplanation {
    let context = session.error_context();
    let source = |cell: &str| session.source(cell).map(str::to_owned);
    explain(&ErrorCase { raised, scene: &context, source: &source, axes })
}

fn line(source: &str, number: usize) -> Option<String> {
    source.lines().nth(number.checked_sub(1)?).map(str::to_owned)
}
