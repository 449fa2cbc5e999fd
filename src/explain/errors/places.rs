//! Indices and dimensions that are out of range.

use super::evidence::Evidence;
use super::explanation::{ErrorExplanation, Fix};
use super::operands::{called, history};
use super::scratch::tuple;
use crate::explain::name::Name;
use crate::ops::Failed;
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::{Arg, ErrorFact};

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let failed = evidence.failed?;
    match failed.error.fact.as_ref() {
        Some(&ErrorFact::Dim { dim, ndim }) => Some(dimension(failed, dim, ndim, evidence)),
        Some(&ErrorFact::Index { index, dim, size }) => element(failed, index, dim, size as i64, evidence),
        _ if failed.op.explanation == Explanation::Moved(Movement::Embedded) => embedding(failed, evidence),
        _ => None,
    }
}

/// An index that the tensor does not have along a dimension.
fn element(
    failed: &Failed,
    index: i64,
    dim: usize,
    size: i64,
    evidence: &Evidence,
) -> Option<ErrorExplanation> {
    let tensor = failed.args.first()?.tensor()?;
    let name = called(tensor, 0, evidence, Name::Words("the tensor")).to_string();
    let axes = (evidence.case.axes)(&name);
    let what = axes.get(dim).map_or_else(|| format!("dimension {dim}"), |axis| format!("axis \"{axis}\""));
    let mut remarks = vec![format!(
        "{name} {} has {size} along {what}: 0 to {}, or -{size} to -1 from the end. {index} is beyond.",
        tuple(tensor.shape()),
        size - 1
    )];
    remarks.extend(history(tensor, evidence));
    let fixes = match index == size {
        true => vec![Fix::new((size - 1).to_string(), "the last one: counting begins at 0")],
        false => Vec::new(),
    };
    Some(ErrorExplanation::new(remarks, fixes))
}

/// A dimension that the tensor does not have.
fn dimension(failed: &Failed, dim: i64, ndim: usize, evidence: &Evidence) -> ErrorExplanation {
    let tensor = failed.args.iter().flat_map(Arg::tensors).next();
    let unknown = Name::Words("the tensor");
    let name = tensor.map_or(unknown.clone(), |tensor| called(tensor, 0, evidence, unknown));
    let shape = tensor.map(|tensor| format!(" {}", tuple(tensor.shape()))).unwrap_or_default();
    let (one, last) = (if ndim == 1 { "dimension" } else { "dimensions" }, ndim.max(1) - 1);
    let numbers = if ndim <= 1 { "0 (or -1)".to_owned() } else { format!("0 to {last} (or -1 to -{ndim})") };
    let remarks = vec![format!("{name}{shape} has {ndim} {one}: {numbers}. There is no dimension {dim}.")];
    let mut args = failed.args.clone();
    let params = &failed.row().params()[failed.form];
    let is_dim = |at: &usize| params.get(*at).is_some_and(|param| param.name == "dim");
    let place = args.iter().position(|arg| matches!(arg, Arg::Int(at) if *at == dim)).filter(is_dim);
    let mut fixes = Vec::new();
    if let (Some(at), Some(tensor)) = (place, tensor) {
        args[at] = Arg::Int(-1);
        let small = tensor.numel() <= 1 << 16;
        if small && failed.again(args).is_ok() {
            fixes.push(Fix::new("dim=-1", "the last dimension, however many there are"));
        }
    }
    ErrorExplanation::new(remarks, fixes)
}

/// An index that an embedding has no row for.
fn embedding(failed: &Failed, evidence: &Evidence) -> Option<ErrorExplanation> {
    let (indices, table) = (failed.args.first()?.tensor()?, failed.args.get(1)?.tensor()?);
    let rows = *table.shape().first()?;
    let beyond = indices.to_i64_vec().into_iter().find(|&at| at < 0 || at >= rows as i64)?;
    let name = called(indices, 0, evidence, Name::Words("the index tensor"));
    let mut remarks = vec![format!(
        "The table {} has rows 0 to {}; {name} asks for row {beyond}.",
        tuple(table.shape()),
        rows.saturating_sub(1)
    )];
    remarks.extend(history(table, evidence));
    let numbers = indices.to_i64_vec();
    let are_places = numbers.len() > 1 && numbers.iter().zip(0..).all(|(at, place)| *at == place);
    let larger = numbers.into_iter().max().filter(|largest| *largest >= rows as i64).map(|largest| {
        if are_places {
            return Fix::new(
                format!("[:, -{rows}:]"),
                "behind the text that is read: its newest tokens; the table has a row for each place",
            );
        }
        Fix::new(format!("nn.Embedding({}, {})", largest + 1, table.shape()[1]), "a row for every token")
    });
    Some(ErrorExplanation::new(remarks, larger.into_iter().collect()))
}
