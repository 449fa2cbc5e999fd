//! `view` and `reshape`: sizes that do not match the number of elements, and layouts that cannot be viewed.

use super::evidence::Evidence;
use super::explanation::{ErrorExplanation, Fix};
use super::operands::{called, history};
use super::scratch::tuple;
use crate::explain::name::Name;
use crate::tensor::descriptor::ShapeRule;
use crate::tensor::layout::infer_size;
use crate::tensor::{Arg, Tensor};

pub(super) fn explain(evidence: &Evidence) -> Option<ErrorExplanation> {
    let failed = evidence.failed?;
    if failed.op.shapes != ShapeRule::Reshaped {
        return None;
    }
    let tensor = failed.args.first()?.tensor()?;
    let wanted: Vec<i64> = match failed.args.get(1)? {
        Arg::Ints(sizes) => sizes.clone(),
        Arg::Tensor(other) => other.shape().iter().map(|&size| size as i64).collect(),
        _ => return None,
    };
    let name = called(tensor, 0, evidence, Name::Words("the tensor")).to_string();
    match infer_size(&wanted, tensor.numel()) {
        Ok(shape) if tensor.layout().view(&shape).is_none() => Some(apart(tensor, &name, &wanted, evidence)),
        Ok(_) => None,
        Err(_) => Some(uneven(tensor, &name, &wanted, failed.op.name)),
    }
}

fn listed(sizes: &[i64]) -> String {
    let texts: Vec<String> = sizes.iter().map(i64::to_string).collect();
    texts.join(", ")
}

/// The number of elements matches, but the layout cannot be viewed in the new shape.
fn apart(tensor: &Tensor, name: &str, wanted: &[i64], evidence: &Evidence) -> ErrorExplanation {
    let mut remarks = vec![format!(
        "{name} {} has strides {}: its rows do not lie one after the other in memory, as after a transpose. view() \
         only looks at memory in another way; it moves nothing.",
        tuple(tensor.shape()),
        tuple(tensor.strides()),
    )];
    remarks.extend(history(tensor, evidence));
    let sizes = listed(wanted);
    let shapes = |copy: &str| format!("{} -> {}{copy}", tuple(tensor.shape()), wanted_shape(wanted, tensor));
    let fixes = vec![
        Fix {
            code: format!("{name}.contiguous().view({sizes})"),
            shapes: shapes(""),
            reason: "copies into the order that is seen, then views".to_owned(),
        },
        Fix {
            code: format!("{name}.reshape({sizes})"),
            shapes: shapes(""),
            reason: "the same in one call".to_owned(),
        },
    ];
    ErrorExplanation { clash: None, remarks, fixes }
}

fn wanted_shape(wanted: &[i64], tensor: &Tensor) -> String {
    infer_size(wanted, tensor.numel()).map(|shape| tuple(&shape)).unwrap_or_default()
}

/// The sizes do not match the number of elements.
fn uneven(tensor: &Tensor, name: &str, wanted: &[i64], op: &str) -> ErrorExplanation {
    let (have, shape) = (tensor.numel(), tuple(tensor.shape()));
    let product: i64 = wanted.iter().filter(|&&size| size >= 0).product();
    let sizes = listed(wanted).replace(", ", " · ");
    let mut remarks = Vec::new();
    match wanted.contains(&-1) {
        false => remarks
            .push(format!("{name} {shape} has {have} elements; {sizes} = {product} asks for {product}.")),
        true => remarks.push(format!(
            "{name} {shape} has {have} elements, which the sizes given ({product} together) do not divide."
        )),
    }
    let mut fixes = Vec::new();
    for at in (0..wanted.len()).filter(|_| !wanted.contains(&-1)) {
        let mut open = wanted.to_vec();
        open[at] = -1;
        if let Ok(shape) = infer_size(&open, have)
            && tensor.layout().view(&shape).is_some()
        {
            let code = format!("{name}.{op}({})", listed(&open));
            let reason = if fixes.is_empty() { "-1: whatever is left over" } else { "" };
            let shapes = format!("{} -> {}", tuple(tensor.shape()), tuple(&shape));
            fixes.push(Fix { code, shapes, reason: reason.to_owned() });
        }
    }
    fixes.truncate(2);
    ErrorExplanation { clash: None, remarks, fixes }
}
