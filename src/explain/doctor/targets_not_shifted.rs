//! A causal model that is trained to predict the tokens that it was given, not the next ones.

use super::attention::Attention;
use super::flow::source;
use super::mask::{Visible, fused_visible};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::{Explanation, LossKind, Movement};
use crate::tensor::{Arg, Tensor};

/// The most texts that are compared with the targets of a loss.
const MOST_TEXTS: usize = 8;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A802",
    name: "targets-not-shifted",
    title: "the targets are the inputs themselves",
    why: "A causal model sees the token at its own position. If that is also what it has to predict, the loss falls to \
          zero by copying, and the model learns nothing about the next token.",
    implied_by: &[],
    detector: Detector::Call(detect),
};

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let ways = [not_shifted, shifted_twice, shifted_elsewhere, rearranged];
    ways.iter().find_map(|way| way(call, cell))
}

/// The tokens of texts in the order in which they were looked up, and how many each text has.
fn texts(cell: &TracedCell) -> Vec<(usize, Vec<f64>)> {
    let of_tokens = |step: &Traced| {
        let tokens = reads_tokens(step)?;
        Some((tokens.shape()[1], floats(tokens)?))
    };
    cell.trace.steps.iter().filter_map(of_tokens).take(MOST_TEXTS).collect()
}

/// The loss of a causal model whose targets are so many places after the tokens that it reads, as `shift` finds, if no loss
/// has the next ones: a model that predicts several tokens has one for each.
fn misplaced<'c>(
    cell: &'c TracedCell,
    shift: impl Fn(&Traced) -> Option<isize>,
) -> Option<(&'c Traced, isize)> {
    let losses = cell.trace.steps.iter().filter(|step| is_cross_entropy(step));
    let shifted: Vec<(&Traced, isize)> = losses.filter_map(|step| Some((step, shift(step)?))).collect();
    let found = shifted.iter().find(|(_, by)| *by != 0).copied()?;
    let is_wrong = shifted.iter().all(|(_, by)| *by != 1) && cell.trace.steps.iter().any(hides_later_tokens);
    is_wrong.then_some(found)
}

/// A loss has a target for each output of a causal model: the token two places further on, or the one before.
fn shifted_elsewhere(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let texts = texts(cell);
    let shift = |step: &Traced| {
        let targets = floats(step.operand(1)?)?;
        let fits = |by: isize| {
            texts.iter().any(|(size, tokens)| {
                let kept = size.saturating_sub(by.unsigned_abs());
                let (from, to) = if by > 0 { (size - kept, 0) } else { (0, size - kept) };
                let varied = targets.iter().any(|it| *it != targets[0]);
                let mut rows = tokens.chunks(*size).zip(targets.chunks(*size));
                kept >= 4
                    && varied
                    && tokens.len() == targets.len()
                    && rows.all(|(tokens, targets)| tokens[from..][..kept] == targets[to..][..kept])
            })
        };
        [1, 0, 2, -1].into_iter().find(|by| fits(*by))
    };
    if call.report.tokens.is_empty() {
        return None;
    }
    let (loss, by) = misplaced(cell, shift)?;
    let which =
        if by > 0 { "the token two places further on" } else { "the token before, which it has read" };
    let observed = format!(
        "{} is called with tokens, and the target of each output is {which}, not the next token.",
        call.function
    );
    let mut found =
        Observation::new(loss.site(), observed, "targets = tokens moved by one: data[i + 1 : i + 1 + T]");
    found.title = Some("the targets are not the next tokens");
    Some(found)
}

/// The loss takes the first outputs, and as their targets the tokens two places further on.
fn shifted_twice(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let texts = texts(cell);
    let shift = |step: &Traced| {
        let targets = floats(step.operand(1)?)?;
        texts.iter().find_map(|(size, tokens)| {
            let size = *size;
            let rows = (tokens.len() / size.max(1)).max(1);
            let wide = targets.len() / rows;
            let by = size.checked_sub(wide).filter(|by| (1..=2).contains(by) && wide >= 3)?;
            let varied = targets.iter().any(|it| *it != targets[0]);
            let fits = |by: usize| {
                let mut pairs =
                    (0..rows).map(|row| (&tokens[row * size..][..size], &targets[row * wide..][..wide]));
                pairs.all(|(tokens, targets)| tokens[by..] == *targets)
            };
            (varied && targets.len() == rows * wide && tokens.len() == rows * size && fits(by))
                .then_some(by.cast_signed())
        })
    };
    let (loss, _) = misplaced(cell, shift)?;
    let logits = loss.operand(0)?.tensor.clone()?;
    let (_, all) = source(&logits);
    let classes = *logits.shape().last()?;
    let first = |tensor: &Tensor| tensor.to_f64_vec().into_iter().take(classes).collect::<Vec<f64>>();
    if all.numel() <= logits.numel() || first(&all) != first(&logits) {
        return None;
    }
    let observed = format!(
        "{} was called with tokens, and the first output of each text has as its target the third token, and so on: each \
         is two places further on.",
        call.function
    );
    let mut found =
        Observation::new(loss.site(), observed, "shift once: logits[:, :-1] against tokens[:, 1:]");
    found.title = Some("the targets are shifted twice");
    Some(found)
}

/// The tokens of texts, (text, token), of which an operation looks up the embeddings: at least one of each text.
pub(super) fn reads_tokens(step: &Traced) -> Option<&TracedTensor> {
    let embeds = step.operation.explanation == Explanation::Moved(Movement::Embedded);
    let is_text = |it: &&TracedTensor| !it.dtype.is_float() && it.shape().len() == 2 && it.shape()[1] > 0;
    step.operands.iter().find(|it| embeds && is_text(it))
}

/// The outputs come text by text, and the targets token by token.
fn rearranged(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let texts = texts(cell);
    let found = |step: &Traced| {
        let targets = floats(step.operand(1)?)?;
        let logits = step.operand(0)?.tensor.clone()?;
        let (_, all) = source(&logits);
        texts.iter().find_map(|(size, tokens)| {
            let count = tokens.len() / size;
            // Then the order of the outputs cannot be mistaken.
            let in_order = all.shape().get(..2) == Some(&[count, *size]) && count != *size && *size >= 4;
            let same = in_order
                && all.storage().same(logits.storage())
                && all.layout().is_contiguous()
                && logits.layout().is_contiguous();
            let next = |places: [usize; 2]| {
                let follows = |text: usize, at: usize| {
                    tokens[text * size + at + 1] == targets[text * places[0] + at * places[1]]
                };
                (0..count).all(|text| (0..size - 1).all(|at| follows(text, at)))
            };
            (same && count >= 2 && targets.len() == tokens.len() && next([1, count]) && !next([*size, 1]))
                .then_some((count, *size))
        })
    };
    let losses = cell.trace.steps.iter().filter(|step| is_cross_entropy(step));
    let (loss, (count, size)) = losses.filter_map(|step| Some((step, found(step)?))).next()?;
    let observed = format!(
        "{} returns outputs for {count} texts of {size} tokens, text by text. The targets come token by token, {count} of each \
         place: most outputs are compared with the target of another.",
        call.function
    );
    let mut mistaken =
        Observation::new(loss.site(), observed, "targets.view(-1), in the order of the outputs");
    mistaken.title = Some("the targets are in another order than the outputs");
    mistaken.why = Some(
        "Each output is trained to predict a token of another text or place. The loss falls only as far as frequent \
         tokens take it.",
    );
    Some(mistaken)
}

/// The elements of a tensor.
pub(super) fn floats(tensor: &TracedTensor) -> Option<Vec<f64>> {
    let values = tensor.values()?;
    Some((0..values.len()).map(|at| values.float(at)).collect())
}

/// Whether an operation is attention in which each token sees those up to itself and no others.
fn hides_later_tokens(step: &Traced) -> bool {
    if step.operation.explanation == Explanation::Attention
        && matches!(step.args.get(5), Some(Arg::Bool(true)))
    {
        return true;
    }
    let of_scores =
        || Visible::of(&Attention::of_softmax(step)?.input()?, |score| score > -1e4 && !score.is_nan());
    let visible = fused_visible(step).map(|(_, visible)| visible).or_else(of_scores);
    visible.is_some_and(|it| {
        (0..it.size).all(|token| (0..it.size).all(|key| it.at(token, key) == (key <= token)))
    })
}

fn not_shifted(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let is_causal = |reach| matches!(reach, Reach::Causal | Reach::Leaks(_));
    // A text may be read from its end.
    let axis = call.report.axes.iter().find(|axis| {
        let mirrored = || Reach::of(&axis.mirrored());
        is_causal(Reach::of(axis)) || is_causal(mirrored())
    })?;
    let mut losses = cell.trace.steps.iter().filter(|step| is_cross_entropy(step));
    let loss = losses.find(|step| {
        let Some(targets) = step.operand(1).and_then(floats) else { return false };
        // A negative target is none: the loss leaves it out.
        let counted: Vec<f64> = targets.iter().copied().filter(|it| *it >= 0.0).collect();
        let varied = counted.len() >= 4 && counted.iter().any(|it| *it != counted[0]);
        let is_same = |tokens: &Vec<f64>| {
            tokens.len() == targets.len() && tokens.iter().zip(&targets).all(|(a, b)| a == b || *b < 0.0)
        };
        let is_whole = varied && call.report.tokens.iter().any(is_same);
        let is_own = || call.report.tokens.iter().any(|tokens| is_at_own_place(step, tokens, axis.size));
        (is_whole || is_own()) && !is_of_another(step, call, cell)
    })?;
    let observed = format!(
        "The {} tokens that {} was called with are also the targets of the loss, each at its own position.",
        axis.size, call.function
    );
    let fix = "predict the next token: logits[:, :-1] against tokens[:, 1:]";
    Some(Observation::new(loss.site(), observed, fix))
}

/// Whether a loss takes the outputs of another call of the same function.
fn is_of_another(loss: &Traced, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let Some(logits) = loss.operand(0).and_then(|it| it.tensor.as_ref()) else { return false };
    let (_, all) = source(logits);
    let is_result =
        |step: &&Traced| step.results.iter().any(|it| it.tensor.as_ref().is_some_and(|it| it.is(&all)));
    let made = cell.trace.steps.iter().find(is_result);
    let mut calls = made.iter().flat_map(|step| &step.calls).filter(|it| it.function == call.function);
    calls.next().is_some_and(|first| {
        first.activation != call.report.activation && calls.all(|it| it.activation != call.report.activation)
    })
}

/// Whether a loss takes all outputs of texts but one, and as the target of each the token at its own position.
fn is_at_own_place(loss: &Traced, tokens: &[f64], size: usize) -> bool {
    let own_places = || {
        let targets = floats(loss.operand(1)?)?;
        let rows = tokens.len() / size.max(1);
        let is_one_less = size >= 4 && rows > 0 && targets.len() == rows * (size - 1);
        let logits = loss.operand(0)?.tensor.clone().filter(|_| is_one_less)?;
        let (_, all) = source(&logits);
        let classes = *logits.shape().last()?;
        if all.numel() != rows * size * classes || targets.iter().all(|it| *it == targets[0]) {
            return None;
        }
        let (first, values) = (logits.to_f64_vec(), all.to_f64_vec());
        // The outputs that are left out are the first of each text, or the last.
        let from = (0..=1).find(|from| values[from * classes..][..classes] == first[..classes])?;
        let fits =
            |row: usize| tokens[row * size + from..][..size - 1] == targets[row * (size - 1)..][..size - 1];
        Some((0..rows).all(fits))
    };
    own_places().unwrap_or(false)
}

/// Whether an operation is a loss of classes.
pub(super) fn is_cross_entropy(step: &Traced) -> bool {
    matches!(
        step.operation.explanation,
        Explanation::Loss(LossKind::CrossEntropy | LossKind::NegativeLogLikelihood)
    )
}
