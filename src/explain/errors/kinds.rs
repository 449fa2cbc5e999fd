//! Dtypes that do not match, operations that need another dtype, and writes to tensors that require gradients.
//! Each conversion is tried on zeros before it is offered.

use super::evidence::Evidence;
use super::explanation::{ErrorExplanation, Fix};
use super::operands::called;
use super::scratch::ScratchShapes;
use crate::explain::name::Name;
use crate::ops::Failed;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::{Arg, DType, ErrorFact, Tensor};

/// Conversions in the order in which they are tried: the code, and the dtype.
const CONVERSIONS: [(&str, DType); 4] = [
    (".float()", DType::Float32),
    (".bool()", DType::Bool),
    (".long()", DType::Int64),
    (".double()", DType::Float64),
];

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let failed = evidence.failed?;
    let fact = failed.error.fact.as_ref()?;
    match fact {
        ErrorFact::LeafWrite => return leaf(failed, evidence),
        ErrorFact::DifferentDtypes | ErrorFact::UnsupportedDtype | ErrorFact::MaskDtype => {}
        _ => return None,
    }
    let is_mask = *fact == ErrorFact::MaskDtype;
    let tensors: Vec<(usize, &Tensor)> =
        failed.args.iter().enumerate().filter_map(|(at, arg)| Some((at, arg.tensor()?))).collect();
    let mut facts: Vec<String> = tensors
        .iter()
        .map(|(at, tensor)| format!("{} is {}", named(tensor, *at, evidence), tensor.dtype().name()))
        .collect();
    facts.dedup();
    let mut remarks = if facts.is_empty() { Vec::new() } else { vec![format!("{}.", facts.join(", "))] };
    if is_mask {
        remarks.push(
            "A mask says of each element whether it is filled: True or False, not a number. A comparison makes one."
                .to_owned(),
        );
        return Some(ErrorExplanation::new(remarks, masks(failed, evidence)));
    }
    let scratch = ScratchShapes::by_size(failed.args.iter().flat_map(Arg::tensors));
    let zeros = scratch.args(&failed.args)?;
    let mut fixes = Vec::new();
    for (suffix, dtype) in CONVERSIONS {
        for (at, tensor) in &tensors {
            let mut args = zeros.clone();
            let Some(zero) = args[*at].tensor().cloned() else { continue };
            args[*at] = Arg::Tensor(to_dtype(&zero, dtype));
            if tensor.dtype() != dtype && failed.again(args).is_ok() {
                let reason = format!("{} -> {}", tensor.dtype().name(), dtype.name());
                fixes.push(Fix::new(named(tensor, *at, evidence).suffixed(suffix).to_string(), reason));
            }
        }
    }
    // A conversion of numbers to truth values is offered only if no other works.
    if fixes.iter().any(|fix| !fix.code.ends_with(".bool()")) {
        fixes.retain(|fix| !fix.code.ends_with(".bool()"));
    }
    fixes.truncate(if *fact == ErrorFact::UnsupportedDtype { 1 } else { 2 });
    Some(ErrorExplanation::new(remarks, fixes))
}

/// The ways to make a mask of numbers one of truth values that leave each query something to see.
fn masks(failed: &Failed, evidence: &Evidence) -> Vec<Fix> {
    const MASK: usize = 1;
    let Some(mask) = failed.args.get(MASK).and_then(Arg::tensor) else { return Vec::new() };
    let scratch = ScratchShapes::by_size(failed.args.iter().flat_map(Arg::tensors));
    let works = scratch.args(&failed.args).is_some_and(|mut args| {
        args[MASK] = args[MASK].tensor().map_or(Arg::None, |zeros| Arg::Tensor(to_dtype(zeros, DType::Bool)));
        failed.again(args).is_ok()
    });
    if !works || mask.numel() > 1 << 22 {
        return Vec::new();
    }
    let values = mask.to_f64_vec();
    let wrong = [true, false].map(|zero| {
        let filled: Vec<bool> = values.iter().map(|value| (*value == 0.0) == zero).collect();
        what_it_hides(&filled, mask.shape())
    });
    let name = named(mask, MASK, evidence);
    let fix = |suffix: &str, reason: String| Fix::new(name.clone().suffixed(suffix).to_string(), reason);
    match wrong {
        [None, Some(hidden)] => {
            vec![fix(" == 0", format!("fills where it is 0; .bool() would hide {hidden}"))]
        }
        [Some(hidden), None] => {
            vec![fix(".bool()", format!("fills where it is not 0; == 0 would hide {hidden}"))]
        }
        [None, None] => vec![
            fix(".bool()", "fills where it is not 0".to_owned()),
            fix(" == 0", "fills where it is 0".to_owned()),
        ],
        [Some(_), Some(_)] => Vec::new(),
    }
}

/// What a mask of scores hides and should not, if its last two axes are queries and keys. A single column says nothing.
fn what_it_hides(filled: &[bool], shape: &[usize]) -> Option<&'static str> {
    let &[.., columns] = shape else { return None };
    if columns < 2 || filled.is_empty() {
        return None;
    }
    let rows = shape.len().checked_sub(2).map_or(1, |at| shape[at]);
    let hidden = filled.iter().enumerate().filter(|(_, hidden)| **hidden);
    let mut hidden = hidden.map(|(at, _)| (at / columns % rows, at % columns));
    if !filled.contains(&true) {
        Some("nothing")
    } else if rows == columns && hidden.clone().any(|(row, column)| row == column) {
        Some("tokens from themselves")
    } else if filled.chunks(columns).any(|row| row.iter().all(|hidden| *hidden)) {
        Some("everything from some tokens")
    } else if rows == columns && hidden.all(|(row, column)| column < row) {
        Some("the past and leave the future in sight")
    } else {
        None
    }
}

fn named(tensor: &Tensor, at: usize, evidence: &Evidence) -> Name {
    called(tensor, at, evidence, Name::Words(if at == 0 { "the tensor" } else { "the other" }))
}

/// A write to a parameter while gradients are recorded.
fn leaf(failed: &Failed, evidence: &Evidence) -> Option<ErrorExplanation> {
    let target = failed.args.first()?.tensor()?;
    let name = called(target, 0, evidence, Name::Words("the tensor")).to_string();
    let remarks = vec![format!(
        "{name} asks for gradients (requires_grad=True): PyTorch follows what is computed from it, and refuses to have it \
         overwritten meanwhile."
    )];
    // A line is repeated in the fix only if the write is all that it does.
    let line = evidence.case.place().and_then(|place| evidence.case.line(place)).map(|(_, code)| code);
    let line = line.filter(|line| line.starts_with(&name) && !line.contains(';'));
    let line = line.unwrap_or_else(|| "...".to_owned());
    let mut fixes = Vec::new();
    // The same write on zeros that do not require gradients.
    let scratch = ScratchShapes::by_size(failed.args.iter().flat_map(Arg::tensors));
    if failed.again(scratch.args(&failed.args)?).is_ok() {
        fixes.push(Fix::new(format!("with torch.no_grad(): {line}"), "not followed, as an optimiser writes"));
        fixes.push(Fix::new(format!("{name}.detach().clone()"), "a copy that may be written to"));
    }
    Some(ErrorExplanation::new(remarks, fixes))
}
