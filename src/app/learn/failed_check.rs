//! Why a check of an exercise failed, in the learner's own code and variables.

use super::super::cells::workspace::Workspace;
use crate::lesson::Exercise;
use crate::lesson::exercise::Check;
use crate::session::Raised;
use crate::view::errors::{ErrorNote, error};
use crate::view::quiz::{AnswerVerdict, reply};
use crate::view::{Look, Text};

/// The name of the cell that the learner's code runs as.
pub(super) const OWN_CODE: &str = "your code";
/// The name of the cell that a check runs as.
const CHECK: &str = "the check";

/// What the first failing check says.
pub(super) struct FailedCheck {
    /// The verdict, Markdown.
    pub(super) words: String,
    /// The exception in the learner's code, if the check's call raised there.
    pub(super) error: Option<ErrorNote>,
}

impl FailedCheck {
    /// Runs the checks of an exercise on the state after an attempt; `None` if all pass.
    pub(super) fn of(exercise: &Exercise, code: &str, workspace: &mut Workspace) -> Option<FailedCheck> {
        let (check, raised) = exercise
            .checks
            .iter()
            .find_map(|check| workspace.run(&check.code.source, CHECK).error.map(|raised| (check, raised)))?;
        if raised.interrupted {
            let words = "Stopped while the check ran your code. `e` continues with it.".to_owned();
            return Some(FailedCheck { words, error: None });
        }
        Some(called(check, &raised, code, workspace).unwrap_or_else(|| said_by(check, &raised)))
    }

    /// The verdict, then the exception.
    pub(super) fn text(&self, look: Look) -> Text {
        let mut text = reply(AnswerVerdict::NotYet, &self.words, look);
        if let Some(note) = &self.error {
            text.section(error(note, look));
        }
        text
    }
}

/// The exception of the learner's code when the check called it with inputs of its own.
fn called(check: &Check, raised: &Raised, code: &str, workspace: &Workspace) -> Option<FailedCheck> {
    let own = raised.frames.iter().rposition(|frame| frame.cell == OWN_CODE)?;
    let line = raised.frames[own].line;
    let raised = Raised { line: Some(line), frames: raised.frames[own..].to_vec(), ..raised.clone() };
    let words = format!(
        "The check called your code with an input of its own, and line {line} stopped there. {}",
        check.asks
    );
    let error = Some(workspace.error_note_without(CHECK, &raised, code));
    Some(FailedCheck { words: words.trim_end().to_owned(), error })
}

/// The message of an assertion, or why the check could not continue.
fn said_by(check: &Check, raised: &Raised) -> FailedCheck {
    let said = escaped(&raised.message);
    let words = match raised.kind.as_str() {
        "AssertionError" if said.ends_with(['.', '?', '!']) => said,
        "AssertionError" if !said.is_empty() => said + ".",
        "AssertionError" => format!("The result is not what was asked for. {}", check.asks),
        "NameError" => format!("The check looks for something that is not there: {said}. {}", check.asks),
        kind => format!("The check cannot use this result ({kind}: {said}). {}", check.asks),
    };
    FailedCheck { words: words.trim_end().to_owned(), error: None }
}

/// A message as Markdown: everything but backticks is escaped.
fn escaped(message: &str) -> String {
    let mut words = String::with_capacity(message.len());
    for letter in message.chars() {
        if matches!(letter, '\\' | '*' | '_' | '<' | '[' | '$' | '#') {
            words.push('\\');
        }
        words.push(letter);
    }
    words
}
