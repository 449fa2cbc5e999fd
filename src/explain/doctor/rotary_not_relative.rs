//! Queries and keys that are rotated by their positions, and scores that do not depend on the distance alone.
//! Seen by computing the scores again with all tokens equal: each token's score with itself must then be the same.
//! Source: Su et al. 2021, RoFormer: the product of a query at m and a key at n depends on m - n.

use std::rc::Rc;

use super::attention::{Attention, operands_of_attention};
use super::axes::Product;
use super::flow::{Before, is_parameter, operand, operands, origin, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::replay::{Replay, with_equal_tokens};
use super::scale::added_product;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new("A501", "rotary-not-relative", "rotated scores do not depend on the distance of two tokens alone", "Rotary positions turn queries and keys by the same angle at the same position, so that a score depends on how \
          far apart two tokens are and on nothing else. Otherwise the same two words score differently in each place, and \
          text longer than that of training is a text of unknown positions.", &[Detector::Step(not_relative), Detector::Step(rotated_values)]).implied_by(&["heads-by-view-alone"]);

/// How far equal scores may differ, relative to the largest.
const TOLERANCE: f64 = 1e-3;

fn not_relative(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    Pair::of(step)?.rotated(cell)
}

/// Values that are rotated as the queries are: what a token passes on then depends on its place.
fn rotated_values(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let [queries, _, values] = operands_of_attention(step)?;
    let (of_queries, of_values) = (rotation(&queries)?, rotation(&values)?);
    let observed = format!(
        "{} are multiplied with the sines and cosines of their positions, as {} are.",
        cell.name_of(&values, "the values"),
        cell.name_of(&queries, "the queries")
    );
    let is_same = of_queries.site.as_ref().map(|it| it.line) == of_values.site.as_ref().map(|it| it.line);
    let fix = "rotate queries and keys; values stay as the projection made them";
    let found = Observation::new(step.site(), observed, fix).titled("values are rotated").because(
        "The rotation makes scores depend on distances. What is averaged is meant to be the same wherever a word stands: \
         rotated values turn it with the position, and the output depends on absolute places.",
    );
    is_same.then_some(found)
}

/// Queries and keys, and their scores where they are a tensor of their own.
struct Pair {
    queries: Tensor,
    keys: Tensor,
    scores: Option<Tensor>,
}

impl Pair {
    /// Those of a softmax, or of fused attention.
    fn of(step: &Traced) -> Option<Pair> {
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
        let &[.., rows, width] = queries.shape() else { return None };
        if queries.shape() != keys.shape() || rows < 3 {
            return None;
        }
        let (q, k) = (queries.to_f64_vec(), keys.to_f64_vec());
        let matrices = q.chunks(rows * width).zip(k.chunks(rows * width));
        let of_matrix = |(q, k): (&[f64], &[f64])| {
            let score = |at: usize| {
                let (row, column) = (at / rows, at % rows);
                let factors = q[row * width..][..width].iter().zip(&k[column * width..][..width]);
                factors.map(|(a, b)| a * b).sum()
            };
            (0..rows * rows).map(score).collect::<Vec<f64>>()
        };
        Some((rows, matrices.flat_map(of_matrix).collect()))
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
        observed(&rotated, turning, rows, &all, self, cell)
    }
}

fn observed(
    rotated: &[Option<Rc<Record>>; 2],
    turning: &Record,
    rows: usize,
    all: &[f64],
    pair: &Pair,
    cell: &TracedCell,
) -> Option<Observation> {
    let columns = rows;
    let largest = all.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    let differ = |a: f64, b: f64| (a - b).abs() > TOLERANCE * largest;
    let matrices = || all.chunks(rows * columns);
    let itself = matrices().find_map(|scores| {
        let first = scores[0];
        (1..rows)
            .find(|at| differ(scores[at * columns + at], first))
            .map(|at| (at, first, scores[at * (columns + 1)]))
    });
    let site = turning.site.clone();
    if let Some((at, first, other)) = itself {
        let queries = cell.name_of(&pair.queries, "the queries");
        let keys = cell.name_of(&pair.keys, "the keys");
        let which = match rotated {
            [Some(_), None] => format!(" {queries} is rotated, and {keys} is not."),
            [None, Some(_)] => format!(" {keys} is rotated, and {queries} is not."),
            _ => String::new(),
        };
        let observed = format!(
            "With all tokens equal, token 0 scores {} with itself and token {at} scores {} with itself: both have the \
             distance 0.{which}",
            figure(first),
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
        "With all tokens equal, all {rows} x {columns} scores of a head are {}, whatever the positions: the rotation turns \
         every token by the same angle.",
        figure(all[0])
    );
    let fix = "rotate along the tokens: after the transpose to (batch, heads, tokens, width), or with angles of shape \
               (tokens, 1, width)";
    Some(Observation::new(site, observed, fix))
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

/// Whether a tensor has the sines or cosines of angles, perhaps in another order.
fn is_wave(tensor: &Tensor) -> bool {
    let (_, start) = source(tensor);
    let Some(record) = origin(&start) else { return false };
    match record.operation.explanation {
        Explanation::Pointwise(Formula::Trigonometric) => true,
        Explanation::Moved(_) => {
            let parts = operands(&record);
            !parts.is_empty() && parts.iter().all(|part| !part.is(tensor) && is_wave(part))
        }
        _ => false,
    }
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
