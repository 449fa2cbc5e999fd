//! Softmax along the queries: each column sums to 1, and no token's weights do.

use super::attention::Attention;
use super::axes::size;
use super::flow::{axis_at_end, projection};
use super::heads::tuple;
use super::{Find, Mistake, Run, Seen, figure};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "softmax-over-queries",
    title: "softmax runs over the queries",
    why: "A row of weights says how one token shares out its attention: it has to sum to 1. Along the other axis all \
          tokens compete for one key, and what a token gets depends on what the others want.",
    find: Find::Attention(find),
};

/// The axis of the softmax, and the one over which the weights are summed with the values, differ.
pub(super) fn is_wrong(attention: &Attention) -> bool {
    let Some(used) = &attention.used else { return false };
    let Some(summed) = used.summed_at_softmax.filter(|summed| *summed != attention.axis) else {
        return false;
    };
    // Divided by sums afterwards, weights are shares again, whatever the softmax ran along.
    if used.after.iter().any(|link| link.op() == "div" && link.factor().is_none()) {
        return false;
    }
    is_over_keys(attention, summed)
}

/// Whether what is summed with the values are the keys, and not the rows that ask, as where tokens are shared out among
/// prototypes and collected by them.
fn is_over_keys(attention: &Attention, summed: usize) -> bool {
    let Some(scores) = &attention.scores else { return true };
    let at = axis_at_end(&attention.before, summed);
    if at.is_none() || at != scores.product.left_in_result {
        return true;
    }
    let inputs = scores
        .sources
        .each_ref()
        .map(|source| projection(source).map_or_else(|| source.clone(), |it| it.left));
    inputs[0].storage().same(inputs[1].storage())
}

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    if !is_wrong(attention) {
        return None;
    }
    let used = attention.used.as_ref()?;
    let weights = run.called(&used.weights, "the weights");
    let values =
        attention.values().map_or_else(|| "the values".to_owned(), |it| run.called(it, "the values"));
    let (axis, summed) = (attention.axis, used.summed_at_softmax?);
    let ndim = attention.soft.ndim();
    let sums = row_sums(attention, summed);
    let sums = match sums.as_slice() {
        [] => String::new(),
        sums => {
            let shown: Vec<String> = sums.iter().take(4).map(|sum| figure(*sum)).collect();
            let more = if sums.len() > 4 { " and so on" } else { "" };
            format!(" Its rows sum to {}{more}.", shown.join(", "))
        }
    };
    let saw = format!(
        "softmax ran along dimension {} of {}, and {weights} is then summed with {values} along dimension {}.{sums}",
        ndim - axis,
        tuple(attention.soft.shape()),
        ndim - summed
    );
    let fix = match summed {
        1 => "torch.softmax(..., dim=-1): over the keys, the last axis".to_owned(),
        summed => format!("torch.softmax(..., dim=-{summed}): along the axis that meets the values"),
    };
    Some(Seen::new(attention.site(), saw, fix))
}

/// Sums of the softmax's result along an axis: those of the first matrix.
fn row_sums(attention: &Attention, axis: usize) -> Vec<f64> {
    let soft = &attention.soft;
    if soft.numel() > 1 << 20 || soft.ndim() < 2 || axis > 2 {
        return Vec::new();
    }
    let (Some(rows), Some(columns)) = (size(soft, 2), size(soft, 1)) else { return Vec::new() };
    let values = soft.to_f64_vec();
    let at = |row: usize, column: usize| values[row * columns + column];
    match axis {
        1 => (0..rows).map(|row| (0..columns).map(|column| at(row, column)).sum()).collect(),
        _ => (0..columns).map(|column| (0..rows).map(|row| at(row, column)).sum()).collect(),
    }
}
