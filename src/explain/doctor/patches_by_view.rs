//! Patches of an image that are cut by a view alone: each one is then a run of pixels of a few rows, and no square.
//! Source: Dosovitskiy et al. 2021, 3.1: an image is reshaped into a sequence of flattened 2-D patches.

use super::axes::is_product;
use super::flow::{operand, origin, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::descriptor::ShapeRule;
use crate::tensor::show::tuple_repr;

pub(super) static MISTAKE: Mistake = Mistake::new("A306", "patches-by-view", "an image is cut into patches by a view alone", "A view keeps the order of the pixels in memory, row by row. What it calls a patch is a run of pixels from a few rows, \
          and the pixels below each other are in different ones.", &[Detector::Step(cut), Detector::Step(unfolded)]).implied_by(&["heads-by-view-alone", "heads-joined-by-view-alone"]);

/// Columns of `unfold`, (batch, numbers, patches), that a view makes to (batch, patches, numbers).
fn unfolded(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let (columns, patches) = (step.tensor(0)?.clone(), step.results.first()?);
    let (&[batch, numbers, count], &[texts, rows, width]) = (columns.shape(), patches.shape()) else {
        return None;
    };
    let is_turned = batch == texts && rows == count && width == numbers && numbers != count;
    if step.operation.shapes != ShapeRule::Reshaped || !is_turned {
        return None;
    }
    let made = cell.steps().find(|it| it.made(&columns))?;
    if !made.inside().iter().any(|call| call.function == "unfold") {
        return None;
    }
    let observed = format!(
        "unfold returns {count} patches of {numbers} numbers as columns, {}. A view to {} keeps the order in memory: a row has one \
         number of many patches.",
        tuple_repr(columns.shape()),
        tuple_repr(patches.shape())
    );
    Some(Observation::new(step.site(), observed, "columns.transpose(1, 2)"))
}

/// What a tensor was before views drew other borders in it.
fn before_views(mut tensor: Tensor) -> Tensor {
    while let Some(record) = origin(&tensor).filter(|it| it.operation.shapes == ShapeRule::Reshaped) {
        let Some(before) = operand(&record, 0) else { break };
        tensor = before;
    }
    tensor
}

fn cut(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let is_reshape = step.operation.shapes == ShapeRule::Reshaped;
    let (image, patches) = (before_views(step.tensor(0)?.clone()), step.results.first()?);
    let (&[batch, a, b, c], &[texts, count, size]) = (image.shape(), patches.shape()) else { return None };
    // Axes that are joined and stay what they were are rows, columns or channels, but where both were split before.
    let is_split = step.operand(0)?.shape().len() == 6;
    let is_unclear = !is_split && (count == a || size == c);
    if !is_reshape || batch != texts || is_unclear || !image.layout().is_contiguous() {
        return None;
    }
    let is_cut = |[channels, rows, columns]: [usize; 3]| {
        (2..rows.min(columns)).find(|side| {
            rows % side == 0
                && columns % side == 0
                && count == (rows / side) * (columns / side)
                && size == channels * side * side
        })
    };
    let side = is_cut([a, b, c]).or_else(|| is_cut([c, a, b]))?;
    // Pixels are given; heads and features are computed.
    if trace_back(&image, &is_product).is_some() {
        return None;
    }
    let observed = format!(
        "An image of shape {} becomes {count} patches of {size} numbers, as many as squares of {side} x {side} pixels have, without \
         a change of the order: the first patch is the first {size} numbers in memory.",
        tuple_repr(image.shape())
    );
    let fix = format!(
        "split both axes, then move them: x.view(B, C, H // {side}, {side}, W // {side}, {side}).permute(0, 2, 4, 1, 3, 5); or \
         nn.Conv2d(C, width, {side}, stride={side})"
    );
    Some(Observation::new(step.site(), observed, fix))
}
