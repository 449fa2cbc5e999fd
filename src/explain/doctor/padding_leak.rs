//! Padding that is masked and yet moves what real tokens get: seen by changing what hidden tokens contain.

use super::attention::{Attention, record_of};
use super::flow::arg;
use super::mask::is_visible;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use super::targets_not_shifted::is_cross_entropy;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::session::{PaddingReport, UnpaddedReport};
use crate::tensor::Arg;
use crate::tensor::explanation::{Explanation, Formula};

pub(super) static MISTAKE: Mistake = Mistake::new("A109", "padding-leak", "the content of padding moves the output of real tokens", "Padding fills a batch up to the longest text. If real tokens attend to it, a text gets another result in \
          another batch.", &[Detector::Call(detect)]).implied_by(&[
        "row-all-hidden",
        "mask-missing",
        "mask-leaks",
        "masked-copy-unused",
        "mask-after-softmax",
        "softmax-over-queries",
        "heads-by-view-alone",
        "heads-joined-by-view-alone",
        "samples-mixed",
    ]);

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    content_moves(call)
        .or_else(|| counted_in_loss(call, cell))
        .or_else(|| left_out_of_loss(call, cell))
        .or_else(|| padded_differs(call, cell))
}

/// Padding among the targets that a loss counts. One for each text may be the token that ends it.
fn counted_in_loss(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let (token, texts) = call.report.padding_token?;
    let counted = |step: &Traced| {
        let record = record_of(step)?;
        let is_ignored = arg(&record, "ignore_index").and_then(|it| it.number()) == Some(token as f64);
        let is_summed = !matches!(arg(&record, "reduction"), Some(Arg::Str(how)) if &*how == "none");
        let count = step.operand(1)?.floats()?.into_iter().filter(|it| *it == token as f64).count();
        (is_summed && !is_ignored && count > texts).then_some(count)
    };
    let losses = cell.steps().filter(|step| is_cross_entropy(step));
    let (loss, count) = losses.filter_map(|step| Some((step, counted(step)?))).next()?;
    let observed = format!(
        "A mask among the arguments of {} hides the tokens {token}, and no others. {count} of the targets are {token}, and the \
         loss counts them.",
        call.function
    );
    let fix = "leave padding out: targets.masked_fill(mask == 0, -100), or ignore_index=PAD";
    Some(Observation::new(loss.site(), observed, fix).titled("padding counts in the loss").because("The model is trained to predict padding, and texts that are short count for more padding than text: the loss is \
         low, and says little."))
}

/// Padding that a loss leaves out, in a model in which every token sees every other one.
fn left_out_of_loss(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let axis = call.token_axis().filter(|axis| axis.size >= 3 && Reach::of(axis) == Reach::All)?;
    if call.report.inputs != 1 || hides_keys(call, cell) {
        return None;
    }
    let padded = cell.steps().filter(|step| is_cross_entropy(step)).find_map(|step| {
        let Arg::Int(ignored) = arg(&*record_of(step)?, "ignore_index")? else { return None };
        let targets = step.operand(1)?.floats()?;
        let is_out: Vec<bool> = targets.iter().map(|it| *it == ignored as f64).collect();
        call.report.tokens.iter().find_map(|tokens| padding_of(tokens, &is_out, axis.size))
    });
    let (sample, token, count) = padded?;
    let change = axis.changes.iter().find(|it| it.at + 1 == axis.size)?;
    let observed = format!(
        "The loss leaves out the last {count} tokens of sample {sample}, which are all {token}. The last token of each sample \
         was changed, and the output of token 0 moved by {}: no mask hides padding from the attention.",
        figure(*change.moved.first()?)
    );
    let fix =
        "mask = tokens != PAD, and scores.masked_fill(~mask[:, None, :], -torch.inf), before the softmax";
    Some(
        Observation::new(call.site.clone(), observed, fix)
            .titled("padding is left out of the loss, and not hidden from the attention"),
    )
}

/// Whether attention in the call hides any key: a mask may be made of the tokens themselves.
fn hides_keys(call: &RepeatedCall, cell: &TracedCell) -> bool {
    let own = |step: &&Traced| call.has(step);
    cell.steps().filter(own).any(|step| {
        let of_softmax = || Attention::of_softmax(step)?.input();
        let is_masked = step.operation.explanation == Explanation::Attention && step.operand(3).is_some();
        is_masked
            || of_softmax().is_some_and(|scores| scores.to_f64_vec().into_iter().any(|it| !is_visible(it)))
    })
}

/// The first sample that ends with padding, the padding's token and how many there are: positions that are left out at the
/// ends of samples, which all have one token that no other position has.
fn padding_of(tokens: &[f64], is_out: &[bool], size: usize) -> Option<(usize, f64, usize)> {
    if tokens.len() != is_out.len() || size == 0 || !tokens.len().is_multiple_of(size) {
        return None;
    }
    let at = is_out.iter().position(|it| *it)?;
    let padding = tokens[at];
    let fits = tokens.iter().zip(is_out).all(|(token, is_out)| (*token == padding) == *is_out);
    let ends = is_out.chunks(size).all(|row| !row[0] && row.iter().skip_while(|it| !**it).all(|it| *it));
    let row = &is_out[at / size * size..][..size];
    (fits && ends).then(|| (at / size, padding, row.iter().filter(|it| **it).count()))
}

/// A text whose outputs with padding are not those without it.
fn padded_differs(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let report = call.report.unpadded.as_ref().filter(|it| it.moved > 0.0)?;
    let UnpaddedReport { sample, tokens, padded, token, known, moved } = report;
    if !known && !compares_with(*token, cell) {
        return None;
    }
    let observed = format!(
        "Text {sample} of the batch has {tokens} tokens, and {} of padding (token {token}). {} was called again with this text \
         alone, without its padding: its outputs moved by {}.",
        padded - tokens,
        call.function,
        figure(*moved)
    );
    let fix = "hide the keys of padding in each attention: scores.masked_fill((tokens == PAD)[:, None, None, :], -torch.inf) \
               for scores of (batch, heads, query, key)";
    Some(Observation::new(call.site.clone(), observed, fix))
}

/// Whether the program compares whole numbers with this one, as `tokens != PAD` does.
fn compares_with(token: i64, cell: &TracedCell) -> bool {
    let is_question = |step: &Traced| {
        matches!(step.operation.explanation, Explanation::Pointwise(Formula::Compare))
            && step.operand(0).is_some_and(|it| !it.dtype.is_float())
    };
    let with_it = |step: &Traced| step.args.get(1).and_then(Arg::number) == Some(token as f64);
    cell.steps().any(|step| is_question(step) && with_it(step))
}

/// Tokens that a mask hides, and whose content moves the others.
fn content_moves(call: &RepeatedCall) -> Option<Observation> {
    let leaks = |it: &&PaddingReport| it.moved.iter().all(|far| *far > 0.0);
    let PaddingReport { mask, sample, hidden, moved } = call.report.padding.iter().find(leaks)?;
    let observed = format!(
        "{mask} is false for {hidden} tokens of sample {sample} and true for the others. The tokens where it is false were \
         changed, and outputs of the others moved by {}; the other way round, by {}. So it hides neither from the other.",
        figure(moved[1]),
        figure(moved[0])
    );
    let fix = "hide keys, not queries: mask[:, None, None, :] for scores of (batch, heads, query, key), mask[:, None, :] \
               for (batch, query, key)";
    Some(Observation::new(call.site.clone(), observed, fix))
}
