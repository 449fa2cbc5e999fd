//! The grey text after the cursor: how a function is called, or how an earlier input went on.

use rustyline::Context;
use rustyline::history::SearchDirection;

use super::super::workspace::Workspace;
use super::complete::{path_before, signature_of};
use super::keys::MARGIN;

/// A hint: what is shown, and what Right takes.
pub(super) struct Hint {
    shown: String,
    taken: Option<String>,
}

impl rustyline::hint::Hint for Hint {
    fn display(&self) -> &str {
        &self.shown
    }

    fn completion(&self) -> Option<&str> {
        self.taken.as_deref()
    }
}

/// The hint for what is typed, with the cursor at its end.
pub(super) fn hint(
    line: &str,
    pos: usize,
    context: &Context,
    workspace: &mut Workspace,
    width: usize,
) -> Option<Hint> {
    if line.trim().is_empty() || pos < line.len() {
        return None;
    }
    if let Some(called) = line.strip_suffix('(') {
        let signature = signature_of(path_before(called, called.len()), workspace)?;
        let fits = signature.chars().count() + line.chars().count() + 16 <= width;
        return fits.then(|| Hint { shown: format!("{signature})"), taken: None });
    }
    let last = context.history().len().checked_sub(1)?;
    let from = if context.history_index() > last { last } else { context.history_index() };
    let found = context.history().starts_with(line, from, SearchDirection::Reverse).ok()??;
    let rest = found.entry.get(pos..).filter(|rest| !rest.is_empty())?;
    // Of several lines the first is enough to know the input by.
    let shown = match rest.split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end_matches(MARGIN)),
        None => rest.to_owned(),
    };
    Some(Hint { shown, taken: Some(rest.to_owned()) })
}
