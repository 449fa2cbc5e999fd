//! Scores filled with a number where they should be hidden: exp(0) is 1.

use super::attention::Attention;
use super::flow::{Link, is_zero_one};
use super::{Find, Mistake, Run, Seen, figure};
use crate::tensor::Arg;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "mask-leaks",
    title: "hidden keys still get weight",
    why: "The softmax takes exp of every score, and exp(0) is 1: a hidden key gets a share like any other, often more \
          than keys with a negative score. Only minus infinity becomes 0.",
    find: Find::Attention(find),
};

/// From here down a score leaves nothing of its weight.
const NOTHING: f64 = -1e4;

/// What a hidden score becomes: the number it is filled with, or what is added to it.
enum Hides {
    With(f64),
    Adds(f64),
}

fn hides(link: &Link) -> Option<Hides> {
    if link.op() == "add" {
        let mask = link.other()?.tensor()?.clone();
        return (is_zero_one(&mask) && mask.ndim() >= 2 && triangular(&mask)).then_some(Hides::Adds(1.0));
    }
    link.fill().filter(|fill| fill.is_finite() && *fill > NOTHING).map(Hides::With)
}

/// Whether the ones of a square mask are those above the diagonal, or those below it.
fn triangular(mask: &crate::tensor::Tensor) -> bool {
    let &[.., rows, columns] = mask.shape() else { return false };
    let values = mask.to_f64_vec();
    let all = |is: fn(usize, usize) -> bool| {
        let table = values.iter().take(rows * columns).enumerate();
        rows == columns && table.into_iter().all(|(at, it)| (*it == 1.0) == is(at / columns, at % columns))
    };
    all(|row, column| column > row) || all(|row, column| column <= row)
}

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    let (link, hides) = attention.before.iter().find_map(|link| Some((link, hides(link)?)))?;
    let (input, soft) = (attention.input()?, &attention.soft);
    if input.numel() > 1 << 22 || input.shape() != soft.shape() {
        return None;
    }
    let mask = match link.other() {
        Some(Arg::Tensor(mask)) => run.called(&mask, "the mask"),
        _ => link.record.op.to_owned(),
    };
    let site = link.record.site.clone();
    let fill = match hides {
        Hides::With(fill) => fill,
        Hides::Adds(by) => {
            let saw = format!(
                "{mask} holds 0 and 1, and is added to the scores: what it marks gains {}.",
                figure(by)
            );
            let fix = "add -inf there, not 1: torch.full((T, T), -torch.inf).triu(1); or scores.masked_fill(mask.bool(), \
                        -torch.inf)";
            return Some(Seen::new(site, saw, fix));
        }
    };
    let (scores, weights) = (input.to_f64_vec(), soft.to_f64_vec());
    let hidden = hidden(link)?;
    // Scaled after it was filled, a fill is another number; hidden by minus infinity as well, it is hidden.
    let scaled: f64 =
        attention.before.iter().take_while(|it| !std::ptr::eq(*it, link)).filter_map(Link::factor).product();
    let filled = fill * scaled;
    let is_filled = |score: f64| (score - filled).abs() <= 1e-6 * filled.abs();
    let leaking: Vec<usize> = (0..scores.len())
        .filter(|at| hidden[at % hidden.len()] && is_filled(scores[*at]) && weights[*at] > 1e-6)
        .collect();
    let (first, count) = (*leaking.first()?, leaking.len());
    // A score that is this number by itself is no sign.
    if count * 2 < hidden.iter().filter(|it| **it).count() {
        return None;
    }
    let columns = *input.shape().last()?;
    let row = first / columns;
    let share: f64 = leaking.iter().filter(|at| **at / columns == row).map(|at| weights[*at]).sum();
    let saw = format!(
        "{count} scores that {mask} hides are {}, not -inf, when the softmax sees them: they get {} of the weight of row \
         {}.",
        figure(filled),
        figure(share),
        row % input.shape().iter().rev().nth(1).copied().unwrap_or(1)
    );
    Some(Seen::new(site, saw, "scores.masked_fill(mask, -torch.inf), before the softmax"))
}

/// Which elements the mask hides, over the last axes.
fn hidden(link: &Link) -> Option<Vec<bool>> {
    let shape = link.result.shape();
    let size: usize = shape.iter().rev().take(2).product();
    match (link.op(), link.other()) {
        ("tril" | "triu", _) => {
            let values = link.result.to_f64_vec();
            let columns = *shape.last()?;
            let lower = link.op() == "tril";
            let outside = |at: usize| {
                let (row, column) = (at / columns, at % columns);
                if lower { column > row } else { column < row }
            };
            Some((0..size).map(|at| values[at] == 0.0 && outside(at)).collect())
        }
        (op, Some(Arg::Tensor(mask))) => {
            let mask = mask.to_f64_vec();
            // It repeats over the batch: counted on from the last axes.
            if mask.is_empty() || mask.len() % size.max(1) != 0 {
                return None;
            }
            let condition = |at: usize| link.record.args().get(at).and_then(|arg| arg.tensor().cloned());
            let kept = op == "where" && condition(1).is_some_and(|branch| branch.is(&link.operand));
            let on = if op == "mul" || kept { 0.0 } else { 1.0 };
            Some(mask.into_iter().map(|it| it == on).collect())
        }
        _ => None,
    }
}
