//! Queries and keys that are rotated by their positions, and scores that do not depend on the distance alone.
//! Seen by computing the scores again with all tokens equal: each token's score with itself must then be the same.
//! Source: Su et al. 2021, RoFormer: the product of a query at m and a key at n depends on m - n.

use std::rc::Rc;

use super::attention::Attention;
use super::axes::Product;
use super::flow::{origin, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::replay::{Replay, with_equal_tokens};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A501",
    name: "rotary-not-relative",
    title: "rotated scores do not depend on the distance of two tokens alone",
    why: "Rotary positions turn queries and keys by the same angle at the same position, so that a score depends on how \
          far apart two tokens are and on nothing else. Otherwise the same two words score differently in each place, and \
          text longer than that of training is a text of unknown positions.",
    implied_by: &["heads-by-view-alone"],
    detector: Detector::Cell(detect),
};

/// How far equal scores may differ, relative to the largest.
const TOLERANCE: f64 = 1e-3;

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| Pair::of(step)?.rotated(cell)).collect()
}

/// Queries and keys, as `(..., tokens, width)` or transposed.
struct Pair {
    queries: Tensor,
    keys: Tensor,
    /// Whether the keys are `(..., width, tokens)`.
    is_transposed: bool,
}

impl Pair {
    /// Those of a softmax, or of fused attention.
    fn of(step: &Traced) -> Option<Pair> {
        if step.operation.explanation == Explanation::Attention {
            let operand = |at: usize| step.operand(at)?.tensor.clone();
            return Some(Pair { queries: operand(0)?, keys: operand(1)?, is_transposed: false });
        }
        let scores = Attention::of_softmax(step)?.scores?;
        // An einsum may have the axes of its operands in another order.
        let before = |shape: &[usize]| shape[..shape.len().saturating_sub(2)].to_vec();
        let rows = |it: &Tensor| it.shape().iter().rev().nth(1).copied();
        let (queries, made) = (&scores.product.left, &scores.record.shape);
        let is_in_order =
            before(queries.shape()) == before(made) && rows(queries) == made.iter().rev().nth(1).copied();
        if scores.record.operation.explanation == Explanation::Einsum && !is_in_order {
            return None;
        }
        let Product { left, right, summed, left_in_result, .. } = scores.product;
        let is_usual = summed.0 == 1 && summed.1 <= 2 && left_in_result == Some(2);
        is_usual.then_some(Pair { queries: left, keys: right, is_transposed: summed.1 == 2 })
    }

    /// The scores of queries and keys, for each matrix.
    fn scores(&self, replay: &mut Replay) -> Option<(usize, Vec<f64>)> {
        let (queries, keys) = (replay.of(&self.queries)?, replay.of(&self.keys)?);
        let keys_shape = keys.shape();
        let (&[.., rows, width], &[.., a, b]) = (queries.shape(), keys_shape) else { return None };
        let (columns, keys_width) = if self.is_transposed { (b, a) } else { (a, b) };
        let matrices = queries.numel() / (rows * width).max(1);
        if rows != columns || width != keys_width || rows < 3 || keys.numel() != queries.numel() {
            return None;
        }
        let (q, k) = (queries.to_f64_vec(), keys.to_f64_vec());
        let mut all = Vec::with_capacity(matrices * rows * columns);
        for matrix in 0..matrices {
            let start = matrix * rows * width;
            let key = |column: usize, at: usize| match self.is_transposed {
                true => k[start + at * columns + column],
                false => k[start + column * width + at],
            };
            for row in 0..rows {
                for column in 0..columns {
                    all.push((0..width).map(|at| q[start + row * width + at] * key(column, at)).sum());
                }
            }
        }
        Some((rows, all))
    }

    fn rotated(&self, cell: &TracedCell) -> Option<Observation> {
        let rotated = [&self.queries, &self.keys].map(rotation);
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
        let matrix = record.operation.explanation == Explanation::Linear
            || Product::of(record).is_some_and(|it| it.right.ndim() == 2);
        if !matrix {
            return false;
        }
        if let Some(input) = record.args().first().and_then(Arg::tensor).filter(|it| it.ndim() >= 2) {
            found.push(input.clone());
        }
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
            let args = record.args();
            let mut parts = args.iter().flat_map(Arg::tensors).peekable();
            parts.peek().is_some() && parts.all(|part| !part.is(tensor) && is_wave(part))
        }
        _ => false,
    }
}

/// Calls `each` with the operations that a tensor was computed from, the nearest first, and not with those before one
/// for which it returns true.
fn each_record(tensor: &Tensor, mut each: impl FnMut(&Rc<Record>) -> bool) {
    const MOST: usize = 200;
    let mut queue = std::collections::VecDeque::from([tensor.clone()]);
    let mut seen: Vec<*const Record> = Vec::new();
    while let Some(next) = queue.pop_front() {
        let Some(record) = origin(&next) else { continue };
        if seen.contains(&Rc::as_ptr(&record)) || seen.len() >= MOST {
            continue;
        }
        seen.push(Rc::as_ptr(&record));
        if !each(&record) {
            queue.extend(record.args().iter().flat_map(Arg::tensors).cloned());
        }
    }
}
