//! `view` and `reshape`: sizes that do not match the number of elements, and layouts that cannot be viewed.

use super::evidence::Evidence;
use super::explanation::{ErrorExplanation, Fix};
use super::operands::{called, history};
use super::scratch::tuple;
use crate::explain::name::Name;
use crate::tensor::descriptor::ShapeRule;
use crate::tensor::layout::infer_size;
use crate::tensor::show::joined;
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

/// The number of elements matches, but the layout cannot be viewed in the new shape.
fn apart(tensor: &Tensor, name: &str, wanted: &[i64], evidence: &Evidence) -> ErrorExplanation {
    let mut remarks = vec![format!(
        "{name} {} has strides {}: its rows do not lie one after the other in memory, as after a transpose. view() \
         only looks at memory in another way; it moves nothing.",
        tuple(tensor.shape()),
        tuple(tensor.strides()),
    )];
    remarks.extend(history(tensor, evidence));
    let sizes = joined(wanted, ", ");
    let shape = infer_size(wanted, tensor.numel()).unwrap_or_default();
    let shapes = format!("{} -> {}", tuple(tensor.shape()), tuple(&shape));
    if let Some(moved) = moved(tensor, name, &shape) {
        remarks.push(moved.remark);
        return ErrorExplanation::new(remarks, vec![Fix { shapes, ..moved.fix }]);
    }
    let fixes = vec![
        Fix {
            code: format!("{name}.contiguous().view({sizes})"),
            shapes: shapes.clone(),
            reason: "copies into the order that is seen, then views".to_owned(),
        },
        Fix { code: format!("{name}.reshape({sizes})"), shapes, reason: "the same in one call".to_owned() },
    ];
    ErrorExplanation::new(remarks, fixes)
}

/// A fix for a view that would mix two axes, and why.
struct MovedAxes {
    remark: String,
    fix: Fix,
}

/// What was meant by a view whose sizes are the sizes of whole axes in another order, such as `(b, t, c)` seen as
/// `(b, heads, t, width)`: the axis is split, then two axes change places. Neither `view` nor `reshape` moves an axis:
/// each head would get features of some tokens instead of some features of each token.
fn moved(tensor: &Tensor, name: &str, wanted: &[usize]) -> Option<MovedAxes> {
    let shape = tensor.shape();
    if refines(wanted, shape) || refines(shape, wanted) || shape.len() == wanted.len() {
        return None;
    }
    let swapped = |sizes: &[usize], (a, b): (usize, usize)| {
        let mut sizes = sizes.to_vec();
        sizes.swap(a, b);
        sizes
    };
    let pairs = |count: usize| (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
    let remark = "In that order the numbers of one axis would be spread over another: view and reshape keep the order \
                  of the numbers, and only a transpose moves an axis."
        .to_owned();
    // Split first, then exchange.
    let split = pairs(wanted.len()).map(|pair| (pair, swapped(wanted, pair)));
    if let Some(((a, b), sizes)) = split.into_iter().find(|(_, sizes)| refines(sizes, shape)) {
        let word = if tensor.layout().view(&sizes).is_some() { "view" } else { "reshape" };
        let code = format!("{name}.{word}({}).transpose({a}, {b})", joined(&sizes, ", "));
        return Some(MovedAxes { remark, fix: Fix::new(code, "splits an axis, then exchanges two") });
    }
    // Exchange first, then join.
    let (a, b) = pairs(shape.len()).find(|pair| refines(&swapped(shape, *pair), wanted))?;
    let code = format!("{name}.transpose({a}, {b}).reshape({})", joined(wanted, ", "));
    Some(MovedAxes { remark, fix: Fix::new(code, "exchanges two axes, then joins two") })
}

/// Whether these sizes split each of the others into whole parts, in order: (2, 3, 4, 5) those of (2, 3, 20).
fn refines(parts: &[usize], whole: &[usize]) -> bool {
    let ends = |sizes: &[usize]| -> Vec<usize> {
        (1..=sizes.len()).map(|count| sizes[..count].iter().product()).collect()
    };
    let parts = ends(parts);
    parts.last() == ends(whole).last() && ends(whole).iter().all(|end| parts.contains(end))
}

/// The sizes do not match the number of elements.
fn uneven(tensor: &Tensor, name: &str, wanted: &[i64], op: &str) -> ErrorExplanation {
    let (have, shape) = (tensor.numel(), tuple(tensor.shape()));
    let product: i64 = wanted.iter().filter(|&&size| size >= 0).product();
    let sizes = joined(wanted, " · ");
    let mut remarks = Vec::new();
    match wanted.contains(&-1) {
        false => remarks
            .push(format!("{name} {shape} has {have} elements; {sizes} = {product} asks for {product}.")),
        true => remarks.push(format!(
            "{name} {shape} has {have} elements, which the sizes given ({product} together) do not divide."
        )),
    }
    // The heads still stand before the tokens.
    if let (&[batch, heads, tokens, width], &[rows, count, _]) = (tensor.shape(), wanted)
        && rows == batch as i64
        && count == tokens as i64
        && heads > 1
    {
        let code = format!("{name}.transpose(1, 2).reshape({rows}, {count}, -1)");
        let shapes = format!("{} -> {}", tuple(tensor.shape()), tuple(&[batch, tokens, heads * width]));
        let reason = "the tokens before the heads, and the heads joined".to_owned();
        return ErrorExplanation::new(remarks, vec![Fix { code, shapes, reason }]);
    }
    let mut fixes = Vec::new();
    for at in (0..wanted.len()).filter(|_| !wanted.contains(&-1)) {
        let mut open = wanted.to_vec();
        open[at] = -1;
        if let Ok(shape) = infer_size(&open, have)
            && tensor.layout().view(&shape).is_some()
            && moved(tensor, name, &shape).is_none()
        {
            let code = format!("{name}.{op}({})", joined(&open, ", "));
            let reason = if fixes.is_empty() { "-1: whatever is left over" } else { "" };
            let shapes = format!("{} -> {}", tuple(tensor.shape()), tuple(&shape));
            fixes.push(Fix { code, shapes, reason: reason.to_owned() });
        }
    }
    fixes.truncate(2);
    ErrorExplanation::new(remarks, fixes)
}
