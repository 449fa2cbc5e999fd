//! The grey hint after the cursor: the arguments of a function, or the rest of an earlier input.

use rustyline::Context;
use rustyline::history::SearchDirection;

use super::super::cells::workspace::Workspace;
use super::complete::{path_before, signature_of};
use super::keys::MARGIN;

/// A hint: the text that is shown, and the text that the Right key inserts.
pub(super) struct InlineHint {
    display: String,
    completion: Option<String>,
}

impl rustyline::hint::Hint for InlineHint {
    fn display(&self) -> &str {
        &self.display
    }

    fn completion(&self) -> Option<&str> {
        self.completion.as_deref()
    }
}

/// The hint for what is typed, with the cursor at its end.
pub(super) fn hint(
    line: &str,
    pos: usize,
    context: &Context,
    workspace: &mut Workspace,
    width: usize,
) -> Option<InlineHint> {
    if line.trim().is_empty() || pos < line.len() {
        return None;
    }
    if let Some(called) = line.strip_suffix('(') {
        let signature = signature_of(path_before(called, called.len()), workspace)?;
        let fits = signature.chars().count() + line.chars().count() + 16 <= width;
        return fits.then(|| InlineHint { display: format!("{signature})"), completion: None });
    }
    let last = context.history().len().checked_sub(1)?;
    let from = if context.history_index() > last { last } else { context.history_index() };
    let found = context.history().starts_with(line, from, SearchDirection::Reverse).ok()??;
    let rest = found.entry.get(pos..).filter(|rest| !rest.is_empty())?;
    // Of an input of several lines only the first is shown.
    let display = match rest.split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end_matches(MARGIN)),
        None => rest.to_owned(),
    };
    Some(InlineHint { display, completion: Some(rest.to_owned()) })
}
