//! What moved when a call was repeated: other tokens, samples or parts, or with other random numbers.

use super::attention::Attention;
use super::flow::setting;
use super::losses::{self, is_cross_entropy, reads_tokens};
use super::mask::is_visible;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::session::{AxisReport, CallFinding};
use crate::tensor::explanation::Explanation;
use crate::tensor::{Arg, Tensor};

/// What the repetitions of a call show of a mistake by themselves.
pub(super) fn reported(call: &RepeatedCall, mistake: &str, cell: &TracedCell) -> Vec<Observation> {
    let own = call.report.found.iter().filter(|it| it.mistake == mistake);
    let own = own.filter(|it| !it.alone || !call.is_outer && call.lines <= 1);
    let meant = own.filter(|it| {
        it.asked.is_none_or(|number| cell.compares_with(number) || is_left_out(number, call, cell))
    });
    let observation = |it: &CallFinding| {
        let line = it.line.as_ref().and_then(|text| cell.site_of(call.report.activation, text));
        let (title, why) = (it.title.clone(), it.why.clone());
        Observation { title, why, ..Observation::new(line.or(call.site.clone()), &it.observed, &it.fix) }
    };
    meant.map(observation).collect()
}

/// Whether a loss leaves out the places of this token and no others.
fn is_left_out(token: i64, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let places = |step: &Traced| {
        let ignored = setting(step, "ignore_index").filter(|_| is_cross_entropy(step))?.number()?;
        Some(step.operand(1)?.floats()?.iter().map(|it| *it == ignored).collect::<Vec<bool>>())
    };
    let is_token = |tokens: &Vec<f64>| tokens.iter().map(|it| *it == token as f64).collect::<Vec<bool>>();
    let own: Vec<Vec<bool>> = call.report.tokens.iter().map(is_token).collect();
    cell.steps().filter_map(places).any(|places| own.contains(&places))
}

/// A causal layer whose output depends on a later token: seen by changing one token after another.
pub(super) static CAUSAL: Mistake = Mistake::implied(
    ("A101", "causal-leak"),
    "an output depends on a later token",
    "A causal model predicts each token from those before it. If a later token reaches an output, training shows \
     the model its own answer: the loss falls, and the text that it generates is poor.",
    &[
        "softmax-over-queries",
        "heads-by-view-alone",
        "heads-joined-by-view-alone",
        "mask-inverted",
        "mask-off-by-one",
        "mask-leaks",
        "mask-after-softmax",
        "masked-copy-unused",
        "samples-mixed",
    ],
    &[Detector::Call(causal)],
);

/// The most scores that are looked through for tokens that see nothing.
const MOST_SCORES: usize = 1 << 22;

fn causal(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    const HIDE: &str =
        "hide later tokens: a mask of torch.triu(torch.ones(T, T), diagonal=1).bool(), or is_causal=True";
    let axis = &without_hidden_rows(call.token_axis()?, call, cell);
    let (reach, function) = (Reach::of(axis), call.function);
    let leaks = matches!(reach, Reach::All | Reach::Leaks(_));
    let (said, fix) = match reach {
        // More than one is meant: a model that looks ahead.
        Reach::Leaks(1) if !call.is_outer => (
            String::new(),
            "hide everything above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()",
        ),
        // Some of the later tokens may be hidden.
        Reach::All | Reach::Some
            if !call.is_outer && (call.report.is_causal || reach == Reach::All && promises(call)) =>
        {
            (
                format!("{function} is named or set to be causal: no token should see a later one. "),
                "scores.masked_fill(mask, -torch.inf) before the softmax, with mask = torch.triu(torch.ones(T, T), \
     diagonal=1).bool(); for F.scaled_dot_product_attention is_causal=True",
            )
        }
        // The model around it has the name of one that is causal.
        _ if leaks && call.is_outer && is_named_causal(call) => {
            (format!("{function} has the name of a causal model. "), HIDE)
        }
        // What it is trained to predict is among what its outputs depend on.
        _ if (leaks || reach == Reach::Some)
            && call.report.changed == 1
            && predicts_next(call, axis.size, cell) =>
        {
            ("The loss has as the target of each token the one after it. ".to_owned(), HIDE)
        }
        _ => return None,
    };
    Some(Observation::new(call.site.clone(), said + &moved(axis)?, fix))
}

/// An axis without the outputs of tokens that see nothing, as the padding on the left of a text: with a finite number in
/// place of -inf such a row weighs all keys alike, and nothing reads it.
fn without_hidden_rows(axis: &AxisReport, call: &RepeatedCall, cell: &TracedCell) -> AxisReport {
    let mut sees = vec![true; axis.size];
    let own = |step: &&Traced| call.has(step);
    for scores in cell.steps().filter(own).filter_map(|step| Attention::of_softmax(step)?.input()) {
        let [.., tokens, keys] = *scores.shape() else { continue };
        if tokens == axis.size && keys > 0 && scores.numel() <= MOST_SCORES {
            for text in scores.to_f64_vec().chunks(keys * tokens) {
                let rows = text.chunks(keys).map(|row| row.iter().any(|score| is_visible(*score)));
                let rows: Vec<bool> = rows.collect();
                // The last token of a text that is padded on the left is a word.
                if rows.last() == Some(&true) {
                    sees.iter_mut().zip(rows).for_each(|(sees, row)| *sees &= row);
                }
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

/// Whether the name of its function has one of these words, and no argument decides about a mask.
fn is_called(call: &RepeatedCall, words: &[&str]) -> bool {
    let name = call.function.to_lowercase();
    let decides = |argument: &String| argument.contains("mask") || argument.contains("causal");
    words.iter().any(|word| name.contains(word)) && !call.report.arguments.iter().any(decides)
}

/// Whether its name promises a causal mask.
fn promises(call: &RepeatedCall) -> bool {
    // Masked language models see all words but the masked ones.
    let is_masked = || is_called(call, &["masked"]) && is_called(call, &["attention", "attn", "head"]);
    is_called(call, &["causal", "autoregressive"]) || is_masked()
}

/// Whether a model that has attention in it has the name of a causal one.
fn is_named_causal(call: &RepeatedCall) -> bool {
    call.report.inputs == 1 && is_called(call, &["gpt", "causal", "autoregressive"])
}

/// Whether a loss of the cell has as targets the tokens of this call, each shifted by one.
fn predicts_next(call: &RepeatedCall, size: usize, cell: &TracedCell) -> bool {
    cell.steps().filter_map(losses::ClassLoss::of).any(|losses::ClassLoss { targets, .. }| {
        call.report.tokens.iter().any(|tokens| {
            let rows = tokens.len() / size.max(1);
            let wide = targets.len() / rows.max(1);
            let varied = tokens.iter().any(|it| *it != tokens[0]);
            let shifted = |at: usize| {
                let (row, target) = (&tokens[at * size..][..size], &targets[at * wide..][..wide]);
                row[1..].iter().zip(target).all(|(next, target)| next == target || *target < 0.0)
            };
            // A decoder reads the same text up to the last token: the loss is its, and an encoder has read the whole.
            let is_beginning = |(read, values): (Tensor, Vec<f64>)| {
                read.shape() == [rows, wide]
                    && wide < size
                    && (0..rows * wide).all(|at| values[at] == tokens[at / wide * size + at % wide])
            };
            let fits = rows > 0 && size >= 3 && (wide == size || wide + 1 == size) && varied;
            fits && (0..rows).all(shifted) && !cell.steps().filter_map(reads_tokens).any(is_beginning)
        })
    })
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

/// Padding that is masked and yet moves what real tokens get: seen by changing what hidden tokens contain.
pub(super) static PADDING: Mistake = Mistake::implied(
    ("A109", "padding-leak"),
    "the content of padding moves the output of real tokens",
    "Padding fills a batch up to the longest text. If real tokens attend to it, a text gets another result in \
     another batch.",
    &[
        "row-all-hidden",
        "mask-missing",
        "mask-leaks",
        "masked-copy-unused",
        "mask-after-softmax",
        "softmax-over-queries",
        "heads-by-view-alone",
        "heads-joined-by-view-alone",
        "samples-mixed",
    ],
    &[Detector::Reported, Detector::Call(counted_in_loss)],
);

/// Padding among the targets that a loss counts. One for each text may be the token that ends it.
fn counted_in_loss(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let (token, texts) = call.report.padding_token?;
    let largest = call.report.tokens.iter().flatten().copied().fold(0.0, f64::max);
    let counted = |step: &Traced| {
        let is_ignored = setting(step, "ignore_index").and_then(Arg::number) == Some(token as f64);
        // What is predicted are tokens: there is a class for each.
        let classes = step.operand(0)?.shape().get(1).is_some_and(|it| *it as f64 > largest);
        let is_summed = !matches!(setting(step, "reduction"), Some(Arg::Str(how)) if &**how == "none");
        let is_token: Vec<bool> = step.operand(1)?.floats()?.iter().map(|it| *it == token as f64).collect();
        let count = is_token.iter().filter(|it| **it).count();
        // Padding stands in a row at the end of a text; a word of the same number stands anywhere.
        let beside = is_token.windows(2).filter(|it| it[0] && it[1]).count();
        (classes && is_summed && !is_ignored && count > texts && 3 * beside >= count).then_some(count)
    };
    let losses = cell.steps().filter(|step| is_cross_entropy(step));
    let (loss, count) = losses.filter_map(|step| Some((step, counted(step)?))).next()?;
    let observed = format!(
        "A mask among the arguments of {} hides the tokens {token}, and no others. {count} of the targets are {token}, and the \
     loss counts them.",
        call.function
    );
    let fix = "leave padding out: targets.masked_fill(mask == 0, -100), or ignore_index=PAD";
    let found = Observation::new(loss.site(), observed, fix).titled("padding counts in the loss");
    Some(found.because(
        "The model is trained to predict padding, and texts that are short count for more padding than text: the loss is \
         low, and says little.",
    ))
}

/// Samples of a batch that influence each other: seen by changing one of them.
pub(super) static SAMPLES: Mistake = Mistake::implied(
    ("A305", "samples-mixed"),
    "samples of a batch influence each other",
    "Each sample of a batch is a text of its own. If one moves another's output, results depend on what happens to \
     be in the same batch, and a model that is used on one text at a time computes something else.",
    &["softmax-over-queries", "heads-by-view-alone", "heads-joined-by-view-alone"],
    &[Detector::Reported],
);

/// A cache with which the outputs are not those without it: seen by running a text in one part and in two.
pub(super) static CACHE: Mistake = Mistake::implied(
    ("A601", "cache-differs"),
    "with a cache, the outputs differ from those without it",
    "A cache of keys and values saves work and changes nothing: a causal model gives each token the same output \
     whether the tokens before it come with it or were stored. If not, generated text is not what the model was \
     trained for.",
    &["mask-inverted", "row-all-hidden", "causal-leak", "softmax-over-queries", "heads-by-view-alone"],
    &[Detector::Reported, Detector::Step(at_the_upper_left)],
);

/// Fused attention with `is_causal` for fewer queries than keys: its triangle begins at the first key.
fn at_the_upper_left(step: &Traced, _: &TracedCell) -> Option<Observation> {
    if step.operation.explanation != Explanation::Attention
        || !matches!(step.args.get(5), Some(Arg::Bool(true)))
    {
        return None;
    }
    let (&[.., queries, _], &[.., keys, _]) = (step.operand(0)?.shape(), step.operand(1)?.shape()) else {
        return None;
    };
    let observed = format!(
        "is_causal=True with {queries} queries and {keys} keys: its triangle begins at the first key, so that query 0 sees \
     key 0 only and not the {} before it.",
        keys.checked_sub(queries).filter(|more| *more > 0)?
    );
    let fix = "attn_mask=torch.ones(total, total).tril().bool()[total - new:], and no mask for one new token";
    Some(Observation::new(step.site(), observed, fix))
}

pub(super) static DROPOUT: Mistake = Mistake::new(
    ("A701", "dropout-in-eval"),
    "dropout is active in evaluation mode",
    "Dropout is for training. After eval() the same input should give the same output, but here some weights are \
     still dropped at random, and measurements and generated text differ from run to run.",
    &[Detector::Step(active_dropout)],
);

fn active_dropout(step: &Traced, _: &TracedCell) -> Option<Observation> {
    let (p, fix) = match step.operation.explanation {
        Explanation::Dropout => {
            let is_active = matches!(step.args.get(2), Some(Arg::Bool(true)));
            let fix = "F.dropout(x, p, training=self.training), or an nn.Dropout kept as an attribute of the module";
            (step.args.get(1)?.number().filter(|p| is_active && *p > 0.0)?, fix)
        }
        Explanation::Attention => {
            let fix = "dropout_p=self.dropout if self.training else 0.0";
            (step.args.get(4)?.number().filter(|p| *p > 0.0)?, fix)
        }
        _ => return None,
    };
    let module = step.calls.iter().rev().find(|call| !call.library && call.training == Some(false))?;
    let class = module.class.as_deref().unwrap_or("the module");
    let result = step.results.first().filter(|_| step.operation.explanation == Explanation::Dropout);
    let zeros = result.and_then(|it| it.floats()).map(|values| {
        let zeros = values.iter().filter(|it| **it == 0.0).count();
        format!(" {zeros} of {} elements are 0 after it.", values.len())
    });
    let observed = format!(
        "{class} is in evaluation mode (training=False), and {} drops elements with p = {}.{}",
        step.operation.called(step.in_place),
        figure(p),
        zeros.unwrap_or_default()
    );
    Some(Observation::new(step.site(), observed, fix))
}
