//! A causal layer whose output depends on a later token: seen by changing one token after another.

use super::attention::Attention;
use super::mask::{Visible, is_visible};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use super::targets_not_shifted::{is_cross_entropy, reads_tokens};
use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::session::AxisReport;

pub(super) static MISTAKE: Mistake = Mistake::new("A101", "causal-leak", "an output depends on a later token", "A causal model predicts each token from those before it. If a later token reaches an output, training shows \
          the model its own answer: the loss falls, and the text that it generates is poor.", &[Detector::Call(detect)]).implied_by(&[
        "softmax-over-queries",
        "heads-by-view-alone",
        "heads-joined-by-view-alone",
        "mask-inverted",
        "mask-off-by-one",
        "mask-leaks",
        "mask-after-softmax",
        "masked-copy-unused",
        "samples-mixed",
    ]);

/// Words in the name of a class or a function that promise a causal mask.
const CAUSAL_WORDS: [&str; 3] = ["causal", "masked", "autoregressive"];

/// The most scores that are looked through for tokens that see nothing.
const MOST_SCORES: usize = 1 << 22;

/// Where to look if attention itself is causal.
const ELSEWHERE: &str = "look at what else combines tokens: a mean or a norm over the tokens' axis, a convolution with \
                         padding on both sides, a view that mixes them";

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let axis = &without_hidden_rows(call.token_axis()?, call, cell);
    match Reach::of(axis) {
        // More than one is meant: a model that looks ahead.
        Reach::Leaks(1) if !call.is_outer => {
            let fix = "hide everything above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()";
            Some(Observation::new(call.site.clone(), moved(axis)?, fix))
        }
        Reach::All if !call.is_outer && promises(call) => {
            let fix = "scores.masked_fill(mask, -torch.inf) before the softmax, with mask = torch.triu(torch.ones(T, T), \
                       diagonal=1).bool(); for F.scaled_dot_product_attention is_causal=True";
            let observed = format!(
                "{} is named or set to be causal: no token should see a later one. {}",
                call.function,
                moved(axis)?
            );
            Some(Observation::new(call.site.clone(), observed, fix))
        }
        // It says so, and hides some of the later tokens only.
        Reach::Some if !call.is_outer && call.report.is_causal => {
            let observed = format!("{} is set to be causal, and yet: {}", call.function, moved(axis)?);
            let fix =
                "make sure that the mask which reaches the scores is the causal one, after every conversion";
            Some(Observation::new(call.site.clone(), observed, fix))
        }
        // The model around it has the name of one that is causal.
        Reach::All | Reach::Leaks(_) if call.is_outer && is_named_causal(call) => {
            let fix = "hide later tokens: a mask of torch.triu(torch.ones(T, T), diagonal=1).bool(), or is_causal=True";
            let observed = format!("{} has the name of a causal model. {}", call.function, moved(axis)?);
            Some(Observation::new(call.site.clone(), observed, fix))
        }
        // What it is trained to predict is among what its outputs depend on.
        Reach::All | Reach::Leaks(_) if call.report.changed == 1 && predicts_next(call, axis.size, cell) => {
            let fix = "hide later tokens: a mask of torch.triu(torch.ones(T, T), diagonal=1).bool(), or is_causal=True";
            let observed =
                format!("The loss has as the target of each token the one after it. {}", moved(axis)?);
            Some(Observation::new(call.site.clone(), observed, fix))
        }
        // Its own mask hides the later tokens, and one input has them.
        Reach::All | Reach::Leaks(_) | Reach::Some if !call.is_outer && is_masked(call, cell) => {
            let observed =
                format!("A mask hides later tokens in {}, and yet: {}", call.function, moved(axis)?);
            Some(Observation::new(call.site.clone(), observed, ELSEWHERE))
        }
        // All attention in it is causal, so something else mixes the tokens.
        Reach::All | Reach::Leaks(_) if call.is_outer && inner_is_causal(call, axis, cell) => {
            let observed =
                format!("The attention in {} sees no later token, and yet: {}", call.function, moved(axis)?);
            Some(Observation::new(call.site.clone(), observed, ELSEWHERE))
        }
        _ => None,
    }
}

/// An axis without the outputs of tokens that see nothing, as the padding on the left of a text: with a finite number in
/// place of -inf such a row weighs all keys alike, and nothing reads it.
fn without_hidden_rows(axis: &AxisReport, call: &RepeatedCall, cell: &TracedCell) -> AxisReport {
    let mut sees = vec![true; axis.size];
    let own = |step: &&Traced| call.has(step);
    for scores in cell.steps().filter(own).filter_map(|step| Attention::of_softmax(step)?.input()) {
        let [.., tokens, keys] = *scores.shape() else { continue };
        if tokens == axis.size && keys > 0 && scores.numel() <= MOST_SCORES {
            for (row, scores) in scores.to_f64_vec().chunks(keys).enumerate() {
                sees[row % tokens] &= scores.iter().any(|score| is_visible(*score));
            }
        }
    }
    let mut axis = axis.clone();
    for change in &mut axis.changes {
        for (far, sees) in change.moved[..change.at].iter_mut().zip(&sees) {
            *far = if *sees { *far } else { 0.0 };
        }
    }
    axis
}

/// Whether its name promises a causal mask, and no argument decides about one.
fn promises(call: &RepeatedCall) -> bool {
    let name = call.function.to_lowercase();
    let decides = |argument: &String| argument.contains("mask") || argument.contains("causal");
    let by_name = CAUSAL_WORDS.iter().any(|word| name.contains(word));
    call.report.is_causal || by_name && !call.report.arguments.iter().any(decides)
}

/// Whether a model that has attention in it has the name of a causal one, and no argument decides about a mask.
fn is_named_causal(call: &RepeatedCall) -> bool {
    let name = call.function.to_lowercase();
    let decides = |argument: &String| argument.contains("mask") || argument.contains("causal");
    let is_named = ["gpt", "causal", "autoregressive"].iter().any(|word| name.contains(word));
    is_named && call.report.inputs == 1 && !call.report.arguments.iter().any(decides)
}

/// Whether a loss of the cell has as targets the tokens of this call, each shifted by one.
fn predicts_next(call: &RepeatedCall, size: usize, cell: &TracedCell) -> bool {
    cell.steps().filter(|step| is_cross_entropy(step)).any(|step| {
        let Some(targets) = step.operand(1).and_then(TracedTensor::floats) else { return false };
        call.report.tokens.iter().any(|tokens| {
            let rows = tokens.len() / size.max(1);
            let wide = targets.len() / rows.max(1);
            let varied = tokens.iter().any(|it| *it != tokens[0]);
            let shifted = |at: usize| {
                let (row, target) = (&tokens[at * size..][..size], &targets[at * wide..][..wide]);
                row[1..].iter().zip(target).all(|(next, target)| next == target)
            };
            // A decoder reads the same text up to the last token: the loss is its, and an encoder has read the whole.
            let is_beginning = |read: &TracedTensor| {
                let values = read.values().filter(|_| read.shape() == [rows, wide] && wide < size);
                values.is_some_and(|it| {
                    (0..rows * wide).all(|at| it.float(at) == tokens[at / wide * size + at % wide])
                })
            };
            let fits = rows > 0 && size >= 3 && (wide == size || wide + 1 == size) && varied;
            fits && (0..rows).all(shifted) && !cell.steps().filter_map(reads_tokens).any(is_beginning)
        })
    })
}

/// Whether the scores of an attention in it hide exactly the later tokens, and all its tokens come in one argument.
fn is_masked(call: &RepeatedCall, cell: &TracedCell) -> bool {
    let own = |step: &&Traced| call.has(step);
    let hides = |step: &Traced| {
        let input = Attention::of_softmax(step)?.input()?;
        Visible::of(&input, is_visible).map(|it| it.is_exactly(|token, key| key <= token))
    };
    call.report.inputs == 1 && cell.steps().filter(own).any(|step| hides(step) == Some(true))
}

/// Whether all attention in the call is causal. Where its result has no features, its tokens may be the keys of a row of weights.
fn inner_is_causal(call: &RepeatedCall, axis: &AxisReport, cell: &TracedCell) -> bool {
    let size = axis.size;
    let report = |activation: &u64| cell.calls.iter().find(|report| report.activation == *activation);
    let causal = |axis: &&AxisReport| axis.size == size && Reach::of(axis) == Reach::Causal;
    call.report.inputs == 1
        && axis.axis + 1 < call.report.ranks[1]
        && !call.inner.is_empty()
        && call
            .inner
            .iter()
            .all(|it| report(it).is_some_and(|report| report.axes.iter().any(|axis| causal(&axis))))
}

/// What was changed and what moved, in figures.
fn moved(axis: &AxisReport) -> Option<String> {
    let earlier = |at: usize, moved: &[f64]| (0..at).rev().find(|position| moved[*position] > 0.0);
    let (change, position) =
        axis.changes.iter().find_map(|change| Some((change, earlier(change.at, &change.moved)?)))?;
    let unmoved = change.moved[..change.at].iter().filter(|far| **far == 0.0).count();
    let rest = match unmoved {
        0 => String::new(),
        1 => " That of token 0 did not.".to_owned(),
        _ => format!(" Those of tokens 0 to {} did not.", unmoved - 1),
    };
    Some(format!(
        "Token {} was changed, and the output of token {position}, which comes before it, moved by {}.{rest}",
        change.at,
        figure(change.moved[position])
    ))
}
