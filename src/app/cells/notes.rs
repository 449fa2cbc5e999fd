//! The error of a cell as the view shows it: its line of code, the variables in scope, and a fix.

use crate::explain::errors::{ErrorCase, ErrorExplanation, explained as explain};
use crate::session::{Raised, Session};
use crate::view::errors::ErrorNote;

/// Returns the names of a variable's axes; empty if it has none.
pub(crate) type AxesOf<'a> = &'a dyn Fn(&str) -> Vec<String>;

/// An error with its line of code.
pub(crate) fn note(raised: &Raised, source: &str) -> ErrorNote {
    let stopped = || "stopped by Ctrl-C".to_owned();
    ErrorNote {
        kind: raised.kind.clone(),
        message: if raised.interrupted { stopped() } else { raised.message.clone() },
        interrupted: raised.interrupted,
        line: raised.line,
        column: raised.column,
        source: raised.line.and_then(|number| line(source, number)),
        ..ErrorNote::default()
    }
}

/// The error of the last cell of a session, explained from the variables in scope. `sources` has the cells that may be shown.
pub(crate) fn explained<'s>(
    raised: &Raised,
    source: &str,
    session: &Session,
    sources: &dyn Fn(&str) -> Option<&'s str>,
    axes: AxesOf,
) -> ErrorNote {
    // A function of an earlier cell raised: its line says more than the call.
    let inside = raised.frames.last().filter(|frame| raised.frames.iter().any(|it| it.cell != frame.cell));
    let inside = inside.and_then(|frame| {
        let source = line(sources(&frame.cell)?, frame.line)?;
        Some((frame.cell.clone(), frame.line, source))
    });
    let explanation = explanation(raised, session, sources, axes);
    ErrorNote { inside, explanation, ..note(raised, source) }
}

/// The explanation of the last cell's error.
pub(crate) fn explanation<'s>(
    raised: &Raised,
    session: &Session,
    sources: &dyn Fn(&str) -> Option<&'s str>,
    axes: AxesOf,
) -> ErrorExplanation {
    let context = session.error_context();
    let source = |cell: &str| sources(cell).map(str::to_owned);
    explain(&ErrorCase { raised, scene: &context, source: &source, axes })
}

fn line(source: &str, number: usize) -> Option<String> {
    source.lines().nth(number.checked_sub(1)?).map(str::to_owned)
}
