//! Positions: biases by distance and rotations.

use std::collections::HashMap;
use std::rc::Rc;

use super::attention::{Attention, operands_of_attention, record_of};
use super::axes::Product;
use super::flow::{Before, FlowStep, is_parameter, is_trained, operand, operands, origin, source};
use super::mask::{is_visible, square};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::replay::{Replay, with_equal_tokens};
use super::scale::added_product;
use super::waves::is_wave;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::ops::linear::matmul;
use crate::tensor::{Arg, Index, Record, Site, Tensor};

/// A bias by distance that favours what is far away.
/// Source: Press et al. 2022, ALiBi: a penalty that grows with the distance.
pub(super) static BIAS: Mistake = Mistake::new(
    ("A503", "position-bias"),
    "the bias by distance favours tokens that are far away",
    "A bias by distance is a penalty: the further a key, the less it counts. With the opposite sign a token looks at \
     what is farthest from it, and the more so the longer the text.",
    &[Detector::Step(added), Detector::Step(fused), Detector::Step(collide)],
);

/// Pairs of tokens of a window at different offsets that read one row of a table with a row for each offset.
/// Source: Liu et al. 2021, Swin Transformer.
fn collide(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let looks_up = [Movement::LookedUp, Movement::Embedded].map(Explanation::Moved);
    let (table, index) = (step.operand(0)?, step.args.get(1)?);
    let places = match index {
        Arg::Index(parts) => match &parts[..] {
            [Index::Tensor(places), ..] => places,
            _ => return None,
        },
        other => other.tensor()?,
    };
    let rows = *table.shape().first()?;
    let side = rows.isqrt();
    let width = side.div_ceil(2);
    let tokens = width * width;
    let fits = side * side == rows && side % 2 == 1 && width > 1 && places.numel() == tokens * tokens;
    if !looks_up.contains(&step.operation.explanation) || !fits {
        return None;
    }
    let down = |from: usize, to: usize| (to / width) as i64 - (from / width) as i64;
    let right = |from: usize, to: usize| (to % width) as i64 - (from % width) as i64;
    let (mut row_of, mut offset_of, mut twice) = (HashMap::new(), HashMap::new(), None);
    for (pair, row) in places.to_f64_vec().into_iter().map(|it| it as i64).enumerate() {
        let offset = (down(pair / tokens, pair % tokens), right(pair / tokens, pair % tokens));
        if *row_of.entry(offset).or_insert(row) != row {
            return None;
        }
        let first = *offset_of.entry(row).or_insert(offset);
        twice = twice.or_else(|| (first != offset).then_some((first, offset)));
    }
    let ((down, right), (other_down, other_right)) = twice?;
    let observed = format!(
        "{} has {rows} rows, one for each of the {side} x {side} offsets in a window of {width} x {width}, and {} of them are read: \
         keys at {down} down, {right} right and at {other_down} down, {other_right} right of a query have one bias.",
        step.tensor(0).map_or_else(|| "The table".to_owned(), |table| cell.name_of(table, "The table")),
        offset_of.len()
    );
    let found =
        Observation::new(step.site(), observed, "(down + width - 1) * (2 * width - 1) + right + width - 1");
    Some(found.titled("different offsets share one row of a table of biases").because(
        "A bias by offset tells a token how far away, and in which direction, another one is. Offsets with one row are the same to it.",
    ))
}

/// A bias that is added to scores.
fn added(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let attention = Attention::of_softmax(step)?;
    let is_added = |step: &&FlowStep| step.explanation() == Explanation::Pointwise(Formula::Add);
    let Some(step) = attention.before.iter().find(is_added) else {
        // The biases alone, as someone shows them.
        let alone = || grows(&source(&attention.input()?).1, attention.site(), cell);
        return attention.scores.is_none().then(alone).flatten();
    };
    let (other, site) = (step.other()?, step.record.site.clone());
    let bias = other.tensor()?;
    grows(bias, site.clone(), cell).or_else(|| one_sided(bias, site, &attention, cell))
}

/// A learned bias by distance that is the same for all keys on one side of a token, which sees both, or that side alone.
fn one_sided(
    bias: &Tensor,
    site: Option<Site>,
    attention: &Attention,
    cell: &TracedCell,
) -> Option<Observation> {
    let size = square(bias).filter(|size| *size >= 6 && is_trained(bias, MOST))?;
    let (bias_values, scores) = (bias.to_f64_vec(), attention.input()?.to_f64_vec());
    let table = bias_values.get(..size * size)?;
    let of_offset = |offset: usize, to_left: bool| {
        let mut pairs = (offset..size)
            .map(|to| if to_left { to * size + to - offset } else { (to - offset) * size + to });
        let first = table[pairs.next()?];
        pairs.all(|pair| table[pair] == first).then_some(first)
    };
    let side = |to_left| (1..size).map(|offset| of_offset(offset, to_left)).collect::<Option<Vec<f64>>>();
    let (before, after) = (side(true)?, side(false)?);
    let is_flat = |side: &[f64]| side.iter().all(|it| *it == side[0]);
    let flat = match (is_flat(&before), is_flat(&after)) {
        (true, false) => "before",
        (false, true) => "after",
        _ => return None,
    };
    // Which of the first two tokens of a text see the other one.
    let sees = |from: usize, to: usize| {
        scores.chunks_exact(size * size).any(|text| is_visible(text[from * size + to]))
    };
    match (sees(0, 1), sees(1, 0)) {
        (true, true) => {}
        (false, true) if flat == "before" => {}
        _ => return None,
    }
    let observed = format!(
        "{} is learned by distance, and all {} keys {flat} a token get the same one, {}: only those on the other side have a distance \
         in it.",
        cell.name_of(bias, "The bias"),
        size - 1,
        figure(if flat == "before" { before[0] } else { after[0] })
    );
    let found = Observation::new(
        site,
        observed,
        "in a causal model (query - key).clamp(min=0); else buckets for both sides: the absolute distance, and half of the table for each sign",
    );
    Some(found.titled("a bias by distance knows one side only").because(
        "Distances that are cut off at 0 suit a causal model, where what is cut off are the tokens after, which it does not see.",
    ))
}

fn fused(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let bias = step.args.get(3).filter(|_| step.operation.explanation == Explanation::Attention)?.tensor()?;
    grows(bias, step.site(), cell)
}

/// The most tensors that the search for a parameter goes through.
const MOST: usize = 50;

/// The finding if what is added to scores grows with the distance, by the same rule in each row.
fn grows(bias: &Tensor, site: Option<Site>, cell: &TracedCell) -> Option<Observation> {
    let size = square(bias).filter(|size| *size >= 4 && bias.dtype().is_float() && !bias.requires_grad())?;
    // What is learned may grow: nobody meant it as a penalty.
    if is_trained(bias, MOST) {
        return None;
    }
    let values = bias.to_f64_vec();
    // Each head has its own slope: the steepest. What is added to a whole row changes no weight of it.
    let found = values.chunks(size * size).find_map(|table| {
        let at = |row: usize, column: usize| table[row * size + column] - table[row * size + row];
        let by_distance = |distance: usize| at(size - 1, size - 1 - distance);
        let same =
            (0..size).all(|row| (0..=row).all(|column| close(at(row, column), by_distance(row - column))));
        let rising = (1..size).all(|distance| by_distance(distance) > by_distance(distance - 1) + 1e-9);
        let is_finite = (0..size).all(|distance| by_distance(distance).is_finite());
        let last = |distance: usize| table[(size - 1) * size + size - 1 - distance];
        (same && rising && is_finite).then(|| (last(1), last(size - 1)))
    });
    let (near, far) = found?;
    let observed = format!(
        "{} adds to the score of the key before a token {}, and that of the key {} before it {}: it grows with the distance.",
        cell.name_of(bias, "the bias"),
        figure(near),
        size - 1,
        figure(far)
    );
    Some(Observation::new(site, observed, "a penalty: -slope * (query - key)"))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * (1.0 + b.abs())
}

/// Queries and keys that are rotated by their positions, and scores that do not depend on the distance alone.
/// Seen by computing the scores again with all tokens equal: each token's score with itself must then be the same.
/// Source: Su et al. 2021, RoFormer: the product of a query at m and a key at n depends on m - n.
pub(super) static ROTARY: Mistake = Mistake::implied(
    ("A501", "rotary-not-relative"),
    "rotated scores do not depend on the distance of two tokens alone",
    "Rotary positions turn queries and keys by the same angle at the same position, so that a score depends on how \
     far apart two tokens are and on nothing else. Otherwise the same two words score differently in each place, and \
     text longer than that of training is a text of unknown positions.",
    &["heads-by-view-alone"],
    &[Detector::Step(|step, cell| Pair::of(step)?.rotated(cell))],
);

/// How far equal scores may differ, relative to the largest.
const TOLERANCE: f64 = 1e-3;

/// Queries and keys, and their scores where they are a tensor of their own.
struct Pair {
    queries: Tensor,
    keys: Tensor,
    scores: Option<Tensor>,
}

impl Pair {
    /// Those of a softmax, of fused attention, or of a product of two that are rotated.
    fn of(step: &Traced) -> Option<Pair> {
        if let Some(Product { left, right, .. }) = record_of(step).and_then(|it| Product::of(&it)) {
            let is_pair = left.ndim() >= 3
                && left.ndim() == right.ndim()
                && rotation(&left).and(rotation(&right)).is_some();
            return is_pair.then(|| Pair { queries: left, keys: right, scores: step.result().cloned() });
        }
        if step.operation.explanation == Explanation::Attention {
            let [queries, keys, _] = operands_of_attention(step)?;
            return Some(Pair { queries, keys, scores: None });
        }
        let attention = Attention::of_softmax(step)?;
        let Product { left, right, left_in_result, right_in_result, .. } =
            attention.scores.as_ref()?.product.clone();
        // In an einsum, groups of queries that share keys are an axis of the queries alone, as their tokens are.
        if left_in_result.is_some_and(|axis| axis != 2) || right_in_result != Some(1) {
            return None;
        }
        // Scaled, and with the other part of the scores, where only a part of a head is rotated.
        let mut scores =
            attention.before.last().map(|it| it.operand.clone()).or_else(|| attention.input())?;
        for step in attention.before.iter().rev() {
            if step.factor().is_none() && added_product(step).is_none() {
                break;
            }
            scores = step.result.clone();
        }
        Some(Pair { queries: left, keys: right, scores: Some(scores) })
    }

    /// The scores of queries and keys, for each matrix.
    fn scores(&self, replay: &mut Replay) -> Option<(usize, Vec<f64>)> {
        let square = |shape: &[usize]| match *shape {
            [.., rows, columns] if rows == columns && rows >= 3 => Some(rows),
            _ => None,
        };
        if let Some(scores) = &self.scores {
            let scores = replay.of(scores)?;
            return Some((square(scores.shape())?, scores.to_f64_vec()));
        }
        let (queries, keys) = (replay.of(&self.queries)?, replay.of(&self.keys)?);
        let &[.., rows, _] = queries.shape() else { return None };
        if queries.shape() != keys.shape() || rows < 3 {
            return None;
        }
        let keys = keys.with_layout(keys.layout().transpose(keys.ndim() - 2, keys.ndim() - 1));
        Some((rows, matmul(&queries, &keys).ok()?.0.to_f64_vec()))
    }

    /// The rotations of queries and keys: of the first product of the scores, or of another one that is added to it.
    fn rotations(&self) -> [Option<Rc<Record>>; 2] {
        let own = [&self.queries, &self.keys].map(rotation);
        let Some(record) = self.scores.as_ref().and_then(origin) else { return own };
        if own.iter().any(Option::is_some) || Product::of(&record).is_some() {
            return own;
        }
        let mut products = Vec::new();
        each_record(self.scores.as_ref().unwrap_or(&self.queries), |record| {
            let product = Product::of(record);
            let ends = product.is_some();
            products.extend(product);
            ends
        });
        let both = products.into_iter().map(|it| [rotation(&it.left), rotation(&it.right)]);
        both.into_iter().find(|it| it.iter().any(Option::is_some)).unwrap_or(own)
    }

    fn rotated(&self, cell: &TracedCell) -> Option<Observation> {
        let rotated = self.rotations();
        let turning = rotated.iter().flatten().next()?;
        let input = shared_input(&self.queries, &self.keys)?;
        let (rows, all) = self.scores(&mut Replay::default().given(&input, with_equal_tokens(&input)?))?;
        let largest = all.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        let differ = |a: f64, b: f64| (a - b).abs() > TOLERANCE * largest;
        let matrices = || all.chunks(rows * rows);
        let itself = matrices().find_map(|scores| {
            let own = |at: usize| scores[at * (rows + 1)];
            // That of a token which is hidden by a product is 0.
            let mut shown = (0..rows).filter(|at| own(*at) != 0.0);
            let first = shown.next()?;
            let at = shown.find(|at| differ(own(*at), own(first)))?;
            Some([(first, own(first)), (at, own(at))])
        });
        let site = turning.site.clone();
        if let Some([(first, one), (at, other)]) = itself {
            let queries = cell.name_of(&self.queries, "the queries");
            let keys = cell.name_of(&self.keys, "the keys");
            let which = match &rotated {
                [Some(_), None] => format!(" {queries} is rotated, and {keys} is not."),
                [None, Some(_)] => format!(" {keys} is rotated, and {queries} is not."),
                _ => String::new(),
            };
            let observed = format!(
                "With all tokens equal, token {first} scores {} with itself and token {at} scores {} with itself: both have the \
                 distance 0.{which}",
                figure(one),
                figure(other)
            );
            let fix = "rotate queries and keys by the same angles, and in pairs as the angles are laid out: (x1 * cos - x2 * \
                       sin, x2 * cos + x1 * sin); cat((freqs, freqs)) belongs to pairs from the two halves, \
                       repeat_interleave(2) to neighbouring ones";
            return Some(Observation::new(site, observed, fix));
        }
        let is_flat = |scores: &[f64]| scores.iter().all(|it| !differ(*it, scores[0]));
        if !matrices().all(is_flat) {
            return None;
        }
        let observed = format!(
            "With all tokens equal, all {rows} x {rows} scores of a head are {}, whatever the positions: the rotation turns \
             every token by the same angle.",
            figure(all[0])
        );
        let fix = "rotate along the tokens: after the transpose to (batch, heads, tokens, width), or with angles of shape \
                   (tokens, 1, width)";
        Some(Observation::new(site, observed, fix))
    }
}

/// The input that the projections of queries and keys share: what both were computed from before anything was rotated.
fn shared_input(queries: &Tensor, keys: &Tensor) -> Option<Tensor> {
    let (left, right) = (inputs(queries), inputs(keys));
    left.into_iter().find(|it| right.iter().any(|other| other.is(it)))
}

/// The inputs of the products that a tensor was computed from, the nearest first.
fn inputs(tensor: &Tensor) -> Vec<Tensor> {
    let mut found: Vec<Tensor> = Vec::new();
    each_record(tensor, |record| {
        let is_weight = |it: &Tensor| it.ndim() == 2 || is_parameter(it);
        let matrix = record.operation.explanation == Explanation::Linear
            || Product::of(record).is_some_and(|it| is_weight(&it.right));
        if !matrix {
            return false;
        }
        found.extend(operands(record).into_iter().next().filter(|it| it.ndim() >= 2));
        // A second projection may follow the first, as in latent attention.
        false
    });
    found
}

/// The product with a sine or a cosine that a tensor was computed from, nearest first, before its projection.
fn rotation(tensor: &Tensor) -> Option<Rc<Record>> {
    let mut found = None;
    each_record(tensor, |record| {
        if Product::of(record).is_some() {
            return true;
        }
        let is_product = record.operation.explanation == Explanation::Pointwise(Formula::Mul);
        if found.is_none() && is_product && record.args().iter().filter_map(Arg::tensor).any(is_wave) {
            found = Some(record.clone());
        }
        false
    });
    found
}

/// Calls `each` with the operations that a tensor was computed from, the nearest first, and not with those before one
/// for which it returns true.
fn each_record(tensor: &Tensor, mut each: impl FnMut(&Rc<Record>) -> bool) {
    const MOST: usize = 200;
    let mut walk = Before::of(tensor, MOST);
    while let Some(next) = walk.next() {
        let Some(record) = origin(&next) else { continue };
        let ends = each(&record);
        match record.operation.explanation {
            // Of zeros_like(x) only the shape is that of x.
            Explanation::Constant(_) => walk.go_on_with([]),
            _ if ends => walk.go_on_with([]),
            // Of x.to(other) the numbers are those of x.
            Explanation::Cast(_) | Explanation::Copy => walk.go_on_with(operand(&record, 0)),
            _ => {}
        }
    }
}
