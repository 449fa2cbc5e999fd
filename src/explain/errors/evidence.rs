//! What is known of an error when it is explained: the call that raised, the names in scope, the learner's code.

use crate::explain::code::CellSources;
use crate::explain::name::Name;
use crate::explain::tensor_names::TensorNames;
use crate::session::{ErrorContext, Raised};

/// Attributes of a tensor that are views of it: these are named after the tensor.
const VIEWS: [&str; 5] = ["T", "mT", "H", "mH", "data"];

/// An error, and what explains it.
pub struct ErrorCase<'c> {
    pub raised: &'c Raised,
    /// The names and tensors in scope where it was raised.
    pub scene: &'c ErrorContext,
    /// The source of a cell, by its name.
    pub source: &'c dyn Fn(&str) -> Option<String>,
    /// The names of a variable's axes; empty if they are not known.
    pub axes: &'c dyn Fn(&str) -> Vec<String>,
}

impl ErrorCase<'_> {
    /// Where it was raised: the cell and the line of the innermost frame.
    pub(super) fn place(&self) -> Option<(&str, usize)> {
        self.raised.frames.last().map(|frame| (frame.cell.as_str(), frame.line))
    }

    /// Where a line is, in words, and its code.
    pub(super) fn line(&self, (cell, line): (&str, usize)) -> Option<(String, String)> {
        let source = (self.source)(cell)?;
        let code = source.lines().nth(line.checked_sub(1)?)?.trim().to_owned();
        let within = self.place().is_some_and(|(raised, _)| raised == cell);
        let place = if within { format!("line {line}") } else { format!("{cell}, line {line}") };
        Some((place, code))
    }
}

/// What is known of an error: what explainers read.
pub(super) struct Evidence<'c> {
    pub(super) case: &'c ErrorCase<'c>,
    /// The names of tensors in scope.
    pub(super) names: TensorNames,
    /// The call that raised, if an operation did.
    pub(super) failed: Option<&'c crate::ops::Failed>,
    pub(super) code: CellSources,
    /// The operands of the call that raised, as the learner wrote them.
    pub(super) written: Vec<Name>,
}

impl<'c> Evidence<'c> {
    /// What is known of this error.
    pub(super) fn of(case: &'c ErrorCase<'c>) -> Evidence<'c> {
        let tensors =
            case.scene.tensors.iter().map(|variable| (variable.name.clone(), variable.value.clone()));
        // The last failed call may have raised an error that was caught.
        let failed = case.scene.failed.as_ref().filter(|failed| failed.error.message == case.raised.message);
        let place = case.place();
        let cell = place.and_then(|(cell, _)| Some((cell.to_owned(), (case.source)(cell)?)));
        let code = CellSources::new(cell);
        let written = place.zip(failed).map(|(place, failed)| code.operands_of_call(place, failed.op));
        let written = written.unwrap_or_default();
        // `layer.weight` as the call has it, even if a variable is the same tensor.
        let args = failed.map_or(&[][..], |failed| &failed.args).iter();
        let attributes = written.iter().zip(args).filter_map(|(name, arg)| {
            let name = name.to_string();
            let is_name = |part: &str| {
                let starts = part.starts_with(|it: char| it.is_alphabetic() || it == '_');
                starts && part.chars().all(|it| it.is_alphanumeric() || it == '_') && !VIEWS.contains(&part)
            };
            let is_path = name.contains('.') && name.split('.').all(is_name);
            is_path.then_some((name, arg.tensor()?.clone()))
        });
        let names = TensorNames::new(attributes.chain(tensors));
        Evidence { case, names, failed, code, written }
    }
}
