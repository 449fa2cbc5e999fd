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
            "A mask says of each element whether it is replaced: True or False, not a number; .bool() makes one of 0 and 1.".to_owned(),
        );
    }
    let scratch = ScratchShapes::new(failed.args.iter().flat_map(Arg::tensors));
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
    if fixes.iter().any(|fix| !fix.code.ends_with(".bool()")) && !is_mask {
        fixes.retain(|fix| !fix.code.ends_with(".bool()"));
    }
    fixes.truncate(if *fact == ErrorFact::UnsupportedDtype { 1 } else { 2 });
    Some(ErrorExplanation { remarks, fixes, clash: None })
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
    let line = evidence.case.line().filter(|line| line.starts_with(&name) && !line.contains(';'));
    let line = line.unwrap_or_else(|| "...".to_owned());
    let mut fixes = Vec::new();
    // The same write on zeros that do not require gradients.
    let scratch = ScratchShapes::new(failed.args.iter().flat_map(Arg::tensors));
    if failed.again(scratch.args(&failed.args)?).is_ok() {
        fixes.push(Fix::new(format!("with torch.no_grad(): {line}"), "not followed, as an optimiser writes"));
        fixes.push(Fix::new(format!("{name}.detach().clone()"), "a copy that may be written to"));
    }
    Some(ErrorExplanation { remarks, fixes, clash: None })
}
