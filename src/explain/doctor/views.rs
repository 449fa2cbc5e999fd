//! Views that draw other borders where axes should have moved, and axes that meet the wrong ones.

use std::rc::Rc;

use super::attention::{Attention, record_of};
use super::axes::{Axis, Product, axis_in_operand, is_product, size};
use super::flow::{
    FlowStep, axis_at_start, is_trained, operand, origin, projection, rearranged, source, trace_back,
};
use super::losses::reads_tokens;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::descriptor::{OpFamily, ShapeRule};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::show::{shape_in_formula, tuple_repr};
use crate::tensor::{Record, Tensor};

pub(super) static SPLIT: Mistake = Mistake::new(
    ("A301", "heads-by-view-alone"),
    "heads are split by a view without a transpose",
    "A view keeps the order of memory, in which the features of one token are side by side. To give each head its \
     own features of all tokens, split the features first and then move the head axis before the token axis.",
    &[Detector::Step(split)],
);

fn split(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    match step.operation.explanation {
        Explanation::Attention => (0..3).find_map(|at| mixing_view(&rearranged(step.tensor(at)?).0, 2, cell)),
        _ => in_products(&Attention::ending_at(step)?, cell),
    }
}

fn in_products(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let context = attention.context.as_ref()?;
    let scores = &attention.scores.as_ref()?.product;
    // Only the values may be split this way.
    let operands = [
        (&scores.left, scores.free.0),
        (&scores.right, scores.free.1),
        (&context.values, Some(context.tokens)),
    ];
    operands.into_iter().find_map(|(operand, tokens)| mixing_view(&rearranged(operand).0, tokens?, cell))
}

/// The view that mixes up heads and tokens; `tokens` is the axis that the product uses as the token axis.
fn mixing_view(path: &[FlowStep], tokens: Axis, cell: &TracedCell) -> Option<Observation> {
    let mut axis = Some(tokens);
    for step in path {
        let (before, after) = (step.operand.shape(), step.result.shape());
        if step.record.operation.shapes == ShapeRule::Reshaped
            && let Some(effect) = match axis.and_then(|axis| after.len().checked_sub(axis)) {
                Some(at) => effect(before, after, at),
                None => tokens_after_heads(before, after),
            }
        {
            let otherwise = if projection(&step.operand).is_some() { "the projection" } else { "the tensor" };
            let name = cell.name_of(&step.operand, otherwise);
            let observed = format!(
                "{name} {} is viewed as {}: {effect}.",
                shape_in_formula(before),
                shape_in_formula(after)
            );
            return Some(Observation::new(step.record.site.clone(), observed, fix(before, after)));
        }
        axis = axis.and_then(|axis| axis_in_operand(&step.record, &step.operand, after, axis));
    }
    None
}

/// What is wrong with a view whose axis `at` is used as the token axis; none where the view is right.
fn effect(before: &[usize], after: &[usize], at: usize) -> Option<String> {
    // (b, T, C) as (b, H, T, D) or as (b, T, H, D), with axis 2 as the token axis.
    if let (&[ref batch @ .., t, c], &[ref own @ .., a, b, d]) = (before, after)
        && batch == own
        && batch.len() < 2
        && at == own.len() + 1
    {
        let is_split = a > 1 && b > 1 && a * b * d == t * c;
        return match is_split && b == t {
            true => Some(heads_of_tokens(a, t)),
            false => (is_split && a == t).then(|| heads_as_tokens(b, t)),
        };
    }
    match (before, after) {
        (&[b, t, c], &[bh, t2, d])
            if t == t2 && b > 0 && bh > b && bh % b == 0 && (bh / b) * d == c && at == 1 =>
        {
            Some(heads_of_tokens(bh / b, t))
        }
        _ => None,
    }
}

/// The same where the path does not tell which axis is used: the tokens' axis is behind that of the heads, which no view
/// can put there.
fn tokens_after_heads(before: &[usize], after: &[usize]) -> Option<String> {
    match (before, after) {
        (&[_, t, _], &[_, h, _, _]) if h != t => effect(before, after, 2),
        _ => None,
    }
}

fn heads_of_tokens(heads: usize, tokens: usize) -> String {
    let count = tokens.div_ceil(heads);
    let which = if count == 1 { "token 0".to_owned() } else { format!("tokens 0 to {}", count - 1) };
    format!("head 0 of {heads} then has all features of {which}, not its own features of all {tokens} tokens")
}

fn heads_as_tokens(heads: usize, tokens: usize) -> String {
    format!(
        "its {heads} heads take the place of its {tokens} tokens, and scores compare the heads of one token"
    )
}

fn fix(before: &[usize], after: &[usize]) -> String {
    match (before, after) {
        (&[_, t, c], &[b, _, _, d]) => format!("x.view({b}, {t}, {}, {d}).transpose(1, 2)", c / d.max(1)),
        (&[b, t, c], &[_, _, d]) => {
            let h = c / d.max(1);
            format!("x.view({b}, {t}, {h}, {d}).transpose(1, 2).reshape({}, {t}, {d})", b * h)
        }
        (&[t, c], &[_, _, d]) => format!("x.view({t}, {}, {d}).transpose(0, 1)", c / d.max(1)),
        _ => "split the features, then transpose".to_owned(),
    }
}

pub(super) static JOINED: Mistake = Mistake::new(
    ("A302", "heads-joined-by-view-alone"),
    "heads are joined without a transpose",
    "After the product with the values, the head axis comes before the token axis. A view keeps the order of \
     memory, so it puts tokens of one head side by side where the heads of one token should be.",
    &[Detector::Step(joining_view)],
);

fn joining_view(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.family != OpFamily::View {
        return None;
    }
    let (before, after) = (step.operands.first()?, step.results.first()?);
    let heads = match (before.shape(), after.shape()) {
        (&[b, h, t, d], &[b2, t2, c]) if b == b2 && t == t2 && h * d == c && h > 1 && t > 1 => h,
        (&[bh, t, d], &[b, t2, c])
            if t == t2 && t > 1 && bh > b && bh % b.max(1) == 0 && bh / b.max(1) * d == c =>
        {
            bh / b.max(1)
        }
        (&[h, t, d], &[t2, c]) if t == t2 && h * d == c && h > 1 && t > 1 => h,
        _ => return None,
    };
    let tensor = before.tensor.as_ref()?;
    // Only operations that keep the order of the axes may come between the product with the values and the view.
    let path = trace_back(tensor, &|record| is_product(record) || is_fused(record))?;
    let keeps_axes = |step: &FlowStep| {
        let family = step.record.operation.family;
        step.is_dropout() || matches!(family, OpFamily::Copy | OpFamily::Cast)
    };
    if !path.steps.iter().all(keeps_axes) {
        return None;
    }
    if !is_fused(&path.record) {
        let product = Product::of(&path.record)?;
        let is_product = |it: &&Traced| record_of(it).is_some_and(|record| Rc::ptr_eq(&record, &path.record));
        cell.steps().find(is_product).and_then(Attention::ending_at)?;
        // If the product puts tokens before heads, the view is right.
        if product.left_in_result != Some(2) {
            return None;
        }
    }
    let name = cell.name_of(tensor, "the context vectors");
    let observed = format!(
        "{name} {} is viewed as {}: the {heads} heads still come before the tokens in memory, so row 0 gets the first \
         {heads} tokens of head 0.",
        shape_in_formula(before.shape()),
        shape_in_formula(after.shape())
    );
    let fix = match before.shape().len() {
        4 => "context.transpose(1, 2).contiguous().view(b, num_tokens, d_out)",
        _ => "context.transpose(0, 1).contiguous().view(num_tokens, d_out)",
    };
    Some(Observation::new(step.site(), observed, fix))
}

fn is_fused(record: &Record) -> bool {
    record.operation.explanation == Explanation::Attention
}

pub(super) static AXES: Mistake = Mistake::implied(
    ("A307", "axes-mixed-by-view"),
    "a view takes the place of a transpose",
    "A view keeps the order of memory and only draws other borders. Axes that exchange their places, or that are joined \
     across another one, need transpose or permute first; without it each row has numbers of several rows.",
    &["heads-by-view-alone", "heads-joined-by-view-alone", "patches-by-view"],
    &[Detector::Step(mixed)],
);

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
        || !(exchanged && are_texts(step, cell) || is_trained(tensor, MOST_TENSORS))
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

/// Whether numbers that are viewed are looked up as tokens afterwards.
fn are_texts(step: &Traced, cell: &TracedCell) -> bool {
    let Some(viewed) = step.result().filter(|it| !it.dtype().is_float()) else { return false };
    let is_viewed = |(it, _): (Tensor, Vec<f64>)| source(&it).1.storage().same(viewed.storage());
    cell.steps().filter_map(reads_tokens).any(is_viewed)
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
    (0..sizes.len()).map(|at| sizes[at..].iter().product()).collect()
}

/// Whether the first axis is joined with the last, past the ones between.
fn joins_across(own: &[usize], wanted: &[usize]) -> bool {
    matches!((own, wanted), (&[first, middle, last], &[rows, joined]) if rows == middle && joined == first * last && first != middle)
}

/// Grouped keys and values that are repeated in an order in which query heads meet the wrong group.
/// Source: Ainslie et al. 2023, GQA: consecutive query heads share one head of keys and values.
pub(super) static GROUPS: Mistake = Mistake::new(
    ("A303", "group-order"),
    "grouped heads are repeated in the wrong order",
    "With grouped queries, heads 0 and 1 share the first head of keys and values, heads 2 and 3 the second. Weights \
     that were trained so give another result where the groups take turns.",
    &[Detector::Step(groups)],
);

/// The largest tensor that is compared.
const LARGEST: usize = 1 << 20;

fn groups(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let by_values = |it: Tensor| groups_in_turn(&it).map(|(heads, groups)| (it, heads, groups));
    let found = keys_and_values(step)?.into_iter().find_map(by_values);
    let (values, heads, groups) = found.or_else(|| tiled(step))?;
    let name = cell.name_of(&values, "a tensor of keys or values");
    let order: Vec<String> = (0..heads.min(6)).map(|head| (head % groups).to_string()).collect();
    let right: Vec<String> = (0..heads.min(6)).map(|head| (head / (heads / groups)).to_string()).collect();
    let observed = format!(
        "{name} has {heads} heads, copies of {groups}, in the order {}: query head 1 meets group 1, and not group 0 as in \
         {}.",
        order.join(" "),
        right.join(" ")
    );
    let fix = format!("keys.repeat_interleave({}, dim=1), and the same for the values", heads / groups);
    Some(Observation::new(step.site(), observed, fix))
}

/// Keys of one text, without the axis of a batch, whose heads are repeated as a whole: how many heads, and how many different.
fn tiled(step: &Traced) -> Option<(Tensor, usize, usize)> {
    let product = Attention::ending_at(step)?.scores?.product;
    let (keys, tokens) = (&product.right, product.free.1?);
    let path = rearranged(keys).0;
    let is_whole = |it: &FlowStep| {
        it.explanation() == Explanation::Moved(Movement::Rearranged)
            && it.record.operation.family == OpFamily::Join
    };
    let at = path.iter().position(is_whole)?;
    let axis =
        (1..=keys.ndim()).find(|it| ![product.summed.1, tokens].contains(it)).filter(|_| keys.ndim() == 3)?;
    let axis = axis_at_start(&path[..at], axis)?;
    let (before, after) = (size(&path[at].operand, axis)?, size(&path[at].result, axis)?);
    let all_after = path[at].result.numel() == path[at].operand.numel() * after / before.max(1);
    (before > 1 && after > before && all_after).then(|| (keys.clone(), after, before))
}

/// The keys and the values of attention that ends with this operation.
fn keys_and_values(step: &Traced) -> Option<Vec<Tensor>> {
    if step.operation.explanation == Explanation::Attention {
        return Some(vec![step.tensor(1)?.clone(), step.tensor(2)?.clone()]);
    }
    let attention = Attention::ending_at(step)?;
    let keys = attention.scores.as_ref().map(|scores| scores.product.right.clone());
    Some(keys.into_iter().chain(attention.values().cloned()).collect())
}

/// How many heads there are, and how many different ones, if they take turns: 0 1 0 1.
fn groups_in_turn(values: &Tensor) -> Option<(usize, usize)> {
    let &[samples, heads, tokens, width] = values.shape() else { return None };
    if tokens * width == 0 || values.numel() > LARGEST {
        return None;
    }
    let all = values.to_f32_vec();
    let sample = all.get(..all.len() / samples.max(1))?;
    let size = sample.len() / heads;
    let head = |at: usize| &sample[at * size..(at + 1) * size];
    let period = (1..heads).find(|period| {
        heads.is_multiple_of(*period) && (*period..heads).all(|at| head(at) == head(at - period))
    })?;
    let differ = (1..period).all(|at| head(at) != head(at - 1));
    (period > 1 && differ).then_some((heads, period))
}
