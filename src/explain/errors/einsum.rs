//! Letters of an einsum that do not fit its operands: which axis each letter names.

use super::evidence::Evidence;
use super::explanation::{Clash, ClashOperand, ErrorExplanation};
use super::operands::called;
use super::scratch::tuple;
use crate::explain::name::Name;
use crate::tensor::{Arg, ErrorFact};

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let failed = evidence.failed?;
    let (Some(Arg::Str(equation)), Some(Arg::Tensors(tensors))) = (failed.args.first(), failed.args.get(1))
    else {
        return None;
    };
    let plain = equation.replace(' ', "");
    let inputs = plain.split("->").next()?.split(',');
    let operands: Vec<(&str, ClashOperand)> = inputs
        .zip(tensors.iter().enumerate())
        .map(|(letters, (at, tensor))| {
            let name = called(tensor, at + 1, evidence, Name::Words("an operand")).to_string();
            let shape = tensor.shape().to_vec();
            let axes = axes(letters, shape.len()).unwrap_or_default();
            (letters, ClashOperand { name, shape, axes, clash: None })
        })
        .collect();
    let mut found = ErrorExplanation::default();
    match failed.error.fact.as_ref() {
        Some(ErrorFact::LetterCount) => {
            for (letters, operand) in operands.iter().filter(|(_, operand)| operand.axes.is_empty()) {
                let (name, shape) = (&operand.name, tuple(&operand.shape));
                let count = operand.shape.len();
                found.remarks.push(format!(
                    "{name} {shape} has {count} dimensions; `{letters}` in the equation names {}.",
                    letters.replace("...", "").len()
                ));
            }
        }
        Some(ErrorFact::LetterSizes) => {
            found.remarks.push("A letter stands for one size throughout.".to_owned());
            let operands: Vec<&ClashOperand> = operands.iter().map(|(_, operand)| operand).collect();
            found.clash = clash(&operands);
        }
        _ => return None,
    }
    Some(found)
}

/// The letter of each axis, `...` for those under an ellipsis; `None` if there are too many or too few letters.
fn axes(letters: &str, ndim: usize) -> Option<Vec<String>> {
    let (before, after) = letters.split_once("...").unwrap_or((letters, ""));
    let dots = ndim.checked_sub(before.len() + after.len())?;
    let is_whole = dots == 0 || letters.contains("...");
    let letter = |letter: char| letter.to_string();
    is_whole.then(|| {
        let dots = std::iter::repeat_n("...".to_owned(), dots);
        before.chars().map(letter).chain(dots).chain(after.chars().map(letter)).collect()
    })
}

/// The first two operands that give a letter different sizes.
fn clash(operands: &[&ClashOperand]) -> Option<Clash> {
    let places = |left: &ClashOperand, right: &ClashOperand| {
        left.axes.iter().enumerate().find_map(|(a, letter)| {
            let b = right.axes.iter().position(|other| other == letter && letter != "...")?;
            let sizes = (left.shape[a], right.shape[b]);
            (sizes.0 != sizes.1 && sizes.0 != 1 && sizes.1 != 1).then_some((a, b))
        })
    };
    let pairs = (0..operands.len()).flat_map(|a| (a + 1..operands.len()).map(move |b| (a, b)));
    pairs.into_iter().find_map(|(first, second)| {
        let (mut left, mut right) = (operands[first].clone(), operands[second].clone());
        let (a, b) = places(&left, &right)?;
        (left.clash, right.clash) = (Some(a), Some(b));
        let rule = format!("{} is {} and {}", left.axes[a], left.shape[a], right.shape[b]);
        let text = format!("{} and {}", left.name, right.name);
        Some(Clash { text, between: "with".to_owned(), operands: [left, right], rule })
    })
}
