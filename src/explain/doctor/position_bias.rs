//! A bias by distance that favours what is far away.
//! Source: Press et al. 2022, ALiBi: a penalty that grows with the distance; Sun et al. 2023: weights decay with it.

use super::attention::{Attention, record_of};
use super::axes::{Product, is_product};
use super::flow::{FlowStep, is_zero_one, operand, operands, origin, trace_back};
use super::mask::{Visible, is_visible, square};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Record, Site, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A503",
    "position-bias",
    "the bias by distance favours tokens that are far away",
    "A bias by distance is a penalty: the further a key, the less it counts. With the opposite sign a token looks at \
          what is farthest from it, and the more so the longer the text.",
    &[Detector::Step(added), Detector::Step(fused), Detector::Step(multiplied)],
);

/// A bias that is added to scores.
fn added(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let attention = Attention::of_softmax(step)?;
    let is_sum = |step: &&FlowStep| step.explanation() == Explanation::Pointwise(Formula::Add);
    let step = attention.before.iter().find(is_sum)?;
    grows(step, cell)
        .or_else(|| favours_later(step, &attention, cell))
        .or_else(|| cancels(step, &attention, cell))
}

fn fused(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let bias = step.args.get(3).filter(|_| step.operation.explanation == Explanation::Attention)?.tensor()?;
    grows_by(bias, "adds to", step.site(), cell).or_else(|| favours_later_by(bias, step.site(), cell))
}

/// Without a softmax: scores that are multiplied with a decay and then with the values.
fn multiplied(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let path = trace_back(&Product::of(&*record_of(step)?)?.left, &is_product)?;
    let decay = path.steps.iter().find(|it| it.explanation() == Explanation::Pointwise(Formula::Mul))?;
    grows(decay, cell).or_else(|| does_not_decay(decay, cell))
}

/// The finding if what a step adds or multiplies with grows with the distance, by the same rule in each row.
fn grows(step: &FlowStep, cell: &TracedCell) -> Option<Observation> {
    let is_factor = step.explanation() == Explanation::Pointwise(Formula::Mul);
    let verb = if is_factor { "multiplies" } else { "adds to" };
    grows_by(step.other()?.tensor()?, verb, step.record.site.clone(), cell)
}

fn grows_by(bias: &Tensor, verb: &str, site: Option<Site>, cell: &TracedCell) -> Option<Observation> {
    let size = square(bias).filter(|size| *size >= 4 && bias.dtype().is_float() && !bias.requires_grad())?;
    let values = bias.to_f64_vec();
    // Each head has its own slope: the steepest. What is added to a whole row changes no weight of it.
    let adds = verb != "multiplies";
    let found = values.chunks(size * size).find_map(|table| {
        let own = |row: usize| if adds { table[row * size + row] } else { 0.0 };
        let at = |row: usize, column: usize| table[row * size + column] - own(row);
        let by_distance = |distance: usize| at(size - 1, size - 1 - distance);
        let same =
            (0..size).all(|row| (0..=row).all(|column| close(at(row, column), by_distance(row - column))));
        let rising = (1..size).all(|distance| by_distance(distance) > by_distance(distance - 1) + 1e-9);
        let is_finite = (0..size).all(|distance| by_distance(distance).is_finite());
        let last = |distance: usize| table[(size - 1) * size + size - 1 - distance];
        (same && rising && is_finite).then(|| (last(1), last(size - 1)))
    });
    let (near, far) = found?;
    let name = cell.name_of(bias, "the bias");
    let observed = format!(
        "{name} {verb} the score of the key before a token {}, and that of the key {} before it {}: it grows with the \
         distance.",
        figure(near),
        size - 1,
        figure(far)
    );
    let fix = "a penalty: -slope * (query - key), or decay ** (query - key) with a decay below 1";
    Some(Observation::new(site, observed, fix))
}

/// The finding if a step adds what a table has for positions, and each token gets the same for all keys that it sees: a
/// softmax does not change if all scores of a row grow by the same.
fn cancels(step: &FlowStep, attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let (bias, scores) = (step.other()?.tensor()?.clone(), attention.input()?);
    let (&[.., queries, keys], &[.., rows, columns]) = (bias.shape(), scores.shape()) else { return None };
    if [queries, keys] != [rows, columns] || queries < 3 || keys < 4 || !looks_up(&bias) {
        return None;
    }
    let (bias_values, seen) = (bias.to_f64_vec(), scores.to_f64_vec());
    let is_even = |(at, row): (usize, &[f64])| {
        let shown = &seen[at % queries * keys..][..keys];
        let mut values =
            row.iter().zip(shown).filter(|(_, score)| is_visible(**score)).map(|(value, _)| *value);
        values.next().is_none_or(|first| values.all(|it| close(it, first)))
    };
    if !bias_values.chunks(keys).enumerate().all(is_even) {
        return None;
    }
    let observed = format!(
        "{} is looked up in a table of different numbers, and adds one and the same number to the scores of all keys that a token \
         sees: the weights are those without it.",
        cell.name_of(&bias, "the bias")
    );
    let fix = "look at the sign of the distance: with a causal mask, query - key is 0 or more";
    Some(
        Observation::new(step.record.site.clone(), observed, fix)
            .titled("the bias of positions is the same for all keys in sight"),
    )
}

/// Whether a tensor is made of what is looked up in a table that has different numbers.
fn looks_up(tensor: &Tensor) -> bool {
    let mut at = tensor.clone();
    for _ in 0..12 {
        let Some(record) = origin(&at) else { return false };
        let Some(next) = operand(&record, 0) else { return false };
        if record.operation.explanation == Explanation::Moved(Movement::Embedded) {
            let table = operands(&record).into_iter().find(|it| it.dtype().is_float());
            let values = table.map(|it| it.to_f64_vec()).unwrap_or_default();
            return values.iter().any(|it| !close(*it, values[0]));
        }
        at = next;
    }
    false
}

/// The finding if a step adds a number that grows from the first key to the last, and no mask hides the later ones: as a
/// penalty by distance it is meant for keys before a token.
fn favours_later(step: &FlowStep, attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let hides_later = |seen: Visible| seen.all(|token, key| key <= token);
    if Visible::of(&attention.input()?, is_visible).is_some_and(hides_later) {
        return None;
    }
    favours_later_by(step.other()?.tensor()?, step.record.site.clone(), cell)
}

/// The same of a bias with which nothing hides later keys, unless it does so itself.
fn favours_later_by(bias: &Tensor, site: Option<Site>, cell: &TracedCell) -> Option<Observation> {
    let size = square(bias).filter(|size| *size >= 4 && bias.dtype().is_float() && !bias.requires_grad())?;
    let values = bias.to_f64_vec();
    let (before, after) = values.chunks(size * size).find_map(|table| {
        let at = |ahead: i64| match ahead < 0 {
            true => table[ahead.unsigned_abs() as usize * size],
            false => table[ahead as usize],
        };
        let same = (0..size * size)
            .all(|place| close(table[place], at((place % size) as i64 - (place / size) as i64)));
        let most = size as i64 - 1;
        let rising = (1 - most..=most).all(|ahead| at(ahead) > at(ahead - 1) + 1e-9);
        (same && rising && at(most).is_finite() && at(-most) > -1e4).then(|| (at(-1), at(1)))
    })?;
    let name = cell.name_of(bias, "the bias");
    let observed = format!(
        "{name} adds {} to the score of the key before a token and {} to that of the key after it, and no mask hides \
         all later keys.",
        figure(before),
        figure(after)
    );
    let fix = "hide later keys: scores.masked_fill(distance > 0, -torch.inf); or use the absolute distance";
    Some(
        Observation::new(site, observed, fix)
            .titled("the bias by distance favours later tokens, and none are hidden"),
    )
}

/// The finding if a decay is a power whose exponents are 0 wherever a key is in sight.
fn does_not_decay(step: &FlowStep, cell: &TracedCell) -> Option<Observation> {
    let other = step.other()?.tensor()?.clone();
    square(&other).filter(|size| *size >= 3)?;
    let is_power = |record: &Record| record.operation.explanation == Explanation::Pointwise(Formula::Pow);
    let power = trace_back(&other, &is_power)?.record;
    if !is_zero_one(&other) {
        return None;
    }
    let name = cell.name_of(&other, "the decay");
    let observed = format!("{name} is a power, and it is 1 for keys at any distance that are in sight.");
    let fix = "decay ** (query - key): the exponent grows with the distance to an earlier key";
    Some(
        Observation::new(power.site.clone(), observed, fix)
            .titled("the decay by distance is the same for all tokens"),
    )
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * (1.0 + b.abs())
}
