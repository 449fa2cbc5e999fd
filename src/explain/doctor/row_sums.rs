//! Weights that do not sum to 1 when they meet the values, and no other row says why.

use super::attention::{Attention, Use};
use super::flow::is_zero_one;
use super::{Find, Mistake, Run, Seen, figure, masked_late, nan_rows, query_axis};
use crate::tensor::{Buffer, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "rows-do-not-sum-to-1",
    title: "rows of weights do not sum to 1 when they are used",
    why: "A context vector is an average of values. With weights that sum to something else it grows or shrinks with \
          the row, and the layers after it see that.",
    find: Find::Attention(find),
};

/// Rounding of a row's sum.
const CLOSE: f64 = 1e-3;

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    let used = attention.used.as_ref()?;
    if query_axis::is_wrong(attention)
        || masked_late::is_wrong(attention)
        || nan_rows::row(attention).is_some()
    {
        return None;
    }
    // Shares along another axis on purpose do not sum to 1 along this one.
    if used.summed_at_softmax.is_some_and(|summed| summed != attention.axis) {
        return None;
    }
    // Gates that are computed are meant to change the sums.
    let gates = |link: &super::flow::Link| {
        let other = link.other().and_then(|other| other.tensor().cloned());
        matches!(link.op(), "mul" | "add" | "sub")
            && other.is_some_and(|other| other.numel() > 1 && !is_zero_one(&other))
    };
    if used.after.iter().any(gates) {
        return None;
    }
    // What dropout left is right in expectation only; a part of the weights is not all of them.
    if used
        .after
        .iter()
        .any(|link| link.drops() || matches!(link.op(), "getitem" | "select" | "narrow" | "split" | "chunk"))
    {
        return None;
    }
    let (row, sum) = uneven(used)?;
    let scaled: Vec<&super::flow::Link> = used.after.iter().filter(|link| link.factor().is_some()).collect();
    let weights = run.called(&used.weights, "the weights");
    let (saw, fix, site) = match scaled.first() {
        Some(link) => (
            format!(
                "{weights} is multiplied by {} after the softmax: row {row} sums to {}.",
                figure(link.factor()?),
                figure(sum)
            ),
            "scale the scores, before the softmax: torch.softmax(scores / d_k**0.5, dim=-1)",
            link.record.site.clone(),
        ),
        None => (
            format!("Row {row} of {weights} sums to {} when it meets the values.", figure(sum)),
            "what lies between the softmax and this product changes the sums: divide by weights.sum(dim=-1, keepdim=True)",
            used.site(),
        ),
    };
    Some(Seen::new(site, saw, fix))
}

/// The first row of weights that does not sum to 1, as they were when they were multiplied.
fn uneven(used: &Use) -> Option<(usize, f64)> {
    let seen = used
        .traced
        .operands
        .iter()
        .find(|seen| seen.tensor.as_ref().is_some_and(|it| it.is(&used.weights)))?;
    let values = floats(&seen.values()?);
    sums(&values, &used.weights, used.summed)
        .into_iter()
        .enumerate()
        .find(|(_, sum)| (sum - 1.0).abs() > CLOSE)
}

fn floats(buffer: &Buffer) -> Vec<f64> {
    (0..buffer.len()).map(|at| buffer.float(at)).collect()
}

/// Sums along an axis counted from the end, of row-major values in a tensor's shape.
pub(super) fn sums(values: &[f64], tensor: &Tensor, axis: usize) -> Vec<f64> {
    let shape = tensor.shape();
    let Some(at) = shape.len().checked_sub(axis) else { return Vec::new() };
    let (size, inner) = (shape[at], shape[at + 1..].iter().product::<usize>());
    if size == 0 || inner == 0 {
        return Vec::new();
    }
    let outer = values.len() / (size * inner);
    let sum = |o: usize, i: usize| (0..size).map(|s| values[(o * size + s) * inner + i]).sum();
    (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))).map(|(o, i)| sum(o, i)).collect()
}
