//! Patches of an image, and slices of it, whose pixels are not those of squares.

use std::rc::Rc;

use super::axes::is_product;
use super::flow::{first_operands, source, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::descriptor::{OpFamily, ShapeRule};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Record, Tensor};

/// Patches of an image that are cut by a view alone: each one is then a run of pixels of a few rows, and no square.
/// Source: Dosovitskiy et al. 2021, 3.1: an image is reshaped into a sequence of flattened 2-D patches.
pub(super) static PATCHES: Mistake = Mistake::implied(
    ("A306", "patches-by-view"),
    "an image is cut into patches by a view alone",
    "A view keeps the order of the pixels in memory, row by row. What it calls a patch is a run of pixels from a few rows, \
     and the pixels below each other are in different ones.",
    &["heads-by-view-alone", "heads-joined-by-view-alone"],
    &[Detector::Step(cut), Detector::Step(combed), Detector::Step(taken_twice)],
);

/// What a tensor was before operations of a kind, each of which took the result of the one before first.
fn before(tensor: &Tensor, is_such: impl Fn(&Record) -> bool) -> Option<Tensor> {
    let is_such = |(record, _): &(Rc<Record>, Tensor)| is_such(record);
    first_operands(tensor).take_while(is_such).last().map(|(_, before)| before)
}

/// The image that a tensor is a view of.
fn viewed(tensor: &Tensor) -> Option<Tensor> {
    before(tensor, |record| record.operation.family == OpFamily::View)
}

/// The texts and the patches of each in a result: (b, n, width), or with rows and columns of patches.
fn counted(patches: &[usize]) -> Option<(usize, usize)> {
    match *patches {
        [texts, count, _] => Some((texts, count)),
        [texts, rows, columns, _] => Some((texts, rows * columns)),
        _ => None,
    }
}

/// The shape of an image whose channels were put last, if the axes that its rows and columns were split into stand side by side.
fn with_channels_last(split: &Tensor) -> Option<Vec<usize>> {
    let image = viewed(split)?;
    let &[batch, channels, rows, columns] = image.shape() else { return None };
    let whole = image.layout().transpose(1, 2).transpose(2, 3);
    let is_side_by_side = split.ndim() == 6 && whole.view(split.shape()).as_ref() == Some(split.layout());
    is_side_by_side.then(|| vec![batch, rows, columns, channels])
}

fn cut(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let is_reshape = step.operation.shapes == ShapeRule::Reshaped;
    let (viewed, patches) = (step.tensor(0)?, step.results.first()?);
    // Views that drew other borders keep the order of the pixels.
    let image = before(viewed, |record| record.operation.shapes == ShapeRule::Reshaped)
        .unwrap_or_else(|| viewed.clone());
    let whole = match image.layout().is_contiguous() {
        true => image.shape().to_vec(),
        false => with_channels_last(&image)?,
    };
    // One image of NumPy has no batch, and no channels.
    let (batch, [a, b, c]) = match *whole {
        [batch, a, b, c] => (batch, [a, b, c]),
        [rows, columns] if rows > 3 && columns > 3 => (1, [1, rows, columns]),
        _ => return None,
    };
    let size = *patches.shape().last()?;
    let (texts, count) = match *patches.shape() {
        [count, _] if image.ndim() == 2 => (1, count),
        _ => counted(patches.shape())?,
    };
    // Axes that are joined and stay what they were are rows, columns or channels, but where both were split before.
    let is_split = step.operand(0)?.shape().len() == 6;
    let is_unclear = !is_split && (count == a || size == c);
    if !is_reshape || batch != texts || is_unclear {
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
     a change of the order: the first patch is the first {size} numbers of it, row by row.",
        tuple_repr(&whole)
    );
    Some(Observation::new(step.site(), observed, as_squares(side)))
}

fn as_squares(side: usize) -> String {
    format!(
        "split both axes, then move them: x.view(B, C, H // {side}, {side}, W // {side}, {side}).permute(0, 2, 4, 1, 3, 5); or \
     nn.Conv2d(C, width, {side}, stride={side})"
    )
}

/// Rows and columns of an image that are split the wrong way round: a patch has every n-th pixel of the whole image.
fn combed(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let (split, patches) = (step.tensor(0)?, step.results.first()?);
    let image = viewed(split)?;
    let &[batch, down, across, _, _, _] = split.shape() else { return None };
    let (texts, count) = counted(patches.shape())?;
    let is_patches = batch == texts && count == down * across && down > 1 && across > 1;
    let is_image =
        image.ndim() == 4 && image.layout().is_contiguous() && split.storage().same(image.storage());
    // An axis of the image has the axes that it was split into: those whose steps are neither smaller nor larger than its own.
    let side_of = |at: usize| {
        let (step, size) = (split.layout().strides[at], split.shape()[at]);
        let mut axes = (1..4).map(|axis| (image.layout().strides[axis], image.shape()[axis]));
        let (_, whole) = axes.find(|(own, whole)| *own == step && size < *whole)?;
        Some(whole / size)
    };
    if !is_patches || !is_image || trace_back(&image, &is_product).is_some() {
        return None;
    }
    let side = side_of(1).filter(|side| side_of(2) == Some(*side))?;
    let observed = format!(
        "Patch 0 of an image of shape {} has every {down}th row and every {across}th column of the whole image, and patch 1 the pixels \
         beside those: rows and columns were split as ({side}, {down}) and ({side}, {across}).",
        tuple_repr(image.shape())
    );
    let found = Observation::new(step.site(), observed, as_squares(side));
    Some(found.titled("the patches of an image are combs"))
}

/// The least slices that are joined where one of them stands for another.
const LEAST_SLICES: usize = 4;

/// Slices that are joined, each the n-th part of one tensor: two of them are the same, so the n-th part of it is never read.
fn taken_twice(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let slices: Vec<&Tensor> = step
        .operands
        .iter()
        .map(|it| it.tensor.as_ref())
        .collect::<Option<_>>()
        .filter(|it: &Vec<_>| step.operation.family == OpFamily::Join && it.len() >= LEAST_SLICES)?;
    let base = source(slices[0]).1;
    let is_part = |it: &&Tensor| {
        it.storage().same(base.storage()) && it.numel() * slices.len() == it.storage().read().len()
    };
    let again = |at: &usize| slices[..*at].iter().position(|it| it.layout() == slices[*at].layout());
    let twice: Vec<usize> = (0..slices.len()).filter(|at| again(at).is_some()).collect();
    let &[at] = &twice[..] else { return None };
    if !slices.iter().all(is_part) {
        return None;
    }
    let observed = format!(
        "Slices {} and {at} of {} {}, which are joined here, are the same elements; a slice of this size is left out.",
        again(&at)?,
        cell.name_of(&base, "a tensor of shape"),
        tuple_repr(base.shape())
    );
    let fix = "each slice once: x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]";
    let found = Observation::new(step.site(), observed, fix).titled("one slice is joined twice");
    Some(found.because("What the other slice has never reaches the result."))
}
