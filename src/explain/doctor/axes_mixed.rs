//! Axes that a view was to exchange: it keeps the order of memory, so what it calls one axis has numbers of two.

use super::flow::{Before, is_parameter, operand, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::descriptor::{OpFamily, ShapeRule};
use crate::tensor::explanation::Explanation;
use crate::tensor::show::{shape_in_formula, tuple_repr};

pub(super) static MISTAKE: Mistake = Mistake::new("A307", "axes-mixed-by-view", "a view takes the place of a transpose", "A view keeps the order of memory and only draws other borders. Axes that exchange their places, or that are joined \
          across another one, need transpose or permute first; without it each row has numbers of several rows.", &[Detector::Step(mixed)]).implied_by(&["heads-by-view-alone", "heads-joined-by-view-alone", "patches-by-view", "sums-misaligned"]);

/// The most tensors that a search for a parameter examines.
const MOST_TENSORS: usize = 300;

fn mixed(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    // What a layer of PyTorch does within is its own.
    let is_of_library = step.calls.last().is_some_and(|call| call.library);
    if step.operation.shapes != ShapeRule::Reshaped || is_of_library {
        return None;
    }
    let (before, after) = (step.operand(0)?, step.results.first()?);
    let tensor = before.tensor.as_ref()?;
    let sizes = |shape: &[usize]| shape.iter().copied().filter(|size| *size != 1).collect::<Vec<_>>();
    let (own, wanted) = (sizes(before.shape()), sizes(after.shape()));
    let exchanged = is_exchanged(&own, &wanted);
    let broken =
        own.len() + wanted.len() > 4 && own.len() > 1 && wanted.len() > 1 && !has_common_parts(&own, &wanted);
    if !(exchanged || broken || joins_across(&own, &wanted))
        || is_shifted(tensor, &own, &wanted)
        || !Before::of(tensor, MOST_TENSORS).any(|it| is_parameter(&it))
    {
        return None;
    }
    let observed = format!(
        "{} {} is viewed as {}: the order in memory stays, and no row of the result is one of the rows before.",
        cell.name_of(tensor, "the tensor"),
        shape_in_formula(before.shape()),
        shape_in_formula(after.shape())
    );
    let fix = match exchanged {
        true => "x.transpose(a, b), or permute, which exchange axes".to_owned(),
        false => format!("exchange the axes first: x.permute(...).reshape{}", tuple_repr(after.shape())),
    };
    Some(Observation::new(step.site(), observed, fix))
}

/// Whether the same sizes stand in another order, which no borders of one and the same memory give. Where the last axis stays,
/// a batch may be cut into other parts.
fn is_exchanged(own: &[usize], wanted: &[usize]) -> bool {
    let sorted = |all: &[usize]| {
        let mut all = all.to_vec();
        all.sort_unstable();
        all
    };
    own != wanted
        && sorted(own) == sorted(wanted)
        && (own.last() != wanted.last() || !has_common_parts(own, wanted))
}

/// Whether rows were made longer before the last two axes exchange their sizes: each row is then shifted by one more.
fn is_shifted(tensor: &Tensor, own: &[usize], wanted: &[usize]) -> bool {
    let mut at = Some(tensor.clone());
    let mut is_longer = false;
    for _ in 0..4 {
        let Some(record) = at.take().and_then(|it| origin(&it)) else { break };
        is_longer |= record.operation.family == OpFamily::Join;
        let is_part = matches!(record.operation.explanation, Explanation::Moved(_));
        if record.operation.family == OpFamily::View || is_part {
            at = operand(&record, 0);
        }
    }
    let ends = |all: &[usize]| all.split_last_chunk::<2>().map(|(rest, last)| (rest.to_vec(), *last));
    let swapped = ends(own)
        .zip(ends(wanted))
        .is_some_and(|((rest, [a, b]), (other, [c, d]))| rest == other && a == d && b == c);
    is_longer && swapped
}

/// Whether both are made of the same parts in the same order, each axis one or several of them.
fn has_common_parts(own: &[usize], wanted: &[usize]) -> bool {
    let mut borders: Vec<usize> = [own, wanted].into_iter().flat_map(inner_sizes).collect();
    borders.sort_unstable();
    borders.windows(2).all(|pair| pair[0] != 0 && pair[1] % pair[0] == 0)
}

/// The numbers that stand within each axis and those after it.
fn inner_sizes(sizes: &[usize]) -> Vec<usize> {
    let mut inner = 1;
    let mut all: Vec<usize> = sizes
        .iter()
        .rev()
        .map(|size| {
            inner *= size;
            inner
        })
        .collect();
    all.reverse();
    all
}

/// Whether the first axis is joined with the last, past the ones between.
fn joins_across(own: &[usize], wanted: &[usize]) -> bool {
    matches!((own, wanted), (&[first, middle, last], &[rows, joined]) if rows == middle && joined == first * last && first != middle)
}
