//! A cache with which the outputs are not those without it: seen by running a text in one part and in two.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::Arg;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new("A601", "cache-differs", "with a cache, the outputs differ from those without it", "A cache of keys and values saves work and changes nothing: a causal model gives each token the same output \
          whether the tokens before it come with it or were stored. If not, generated text is not what the model was \
          trained for.", &[Detector::Call(in_parts), Detector::Step(at_the_upper_left)]).implied_by(&[
        "mask-inverted",
        "row-all-hidden",
        "causal-leak",
        "softmax-over-queries",
        "heads-by-view-alone",
    ]);

fn in_parts(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
    let report = call.report.cached.as_ref()?;
    if let Some((offset, length)) = report.offset {
        let observed = format!(
            "{} was called with a cache of {length} tokens, and with the position {offset} for the next one.",
            call.function
        );
        return Some(Observation::new(
            call.site.clone(),
            observed,
            "the next position is the cache's length",
        ));
    }
    let (token, far) = report.moved.iter().enumerate().find(|(_, far)| **far > 0.0)?;
    let observed = format!(
        "{} was called with {} tokens at once, and again with {} and then {}, the cache passed on: the output of token \
         {token} differs by {}.",
        call.function,
        report.tokens,
        report.first,
        report.tokens - report.first,
        figure(*far)
    );
    let fix = "torch.cat([past, new], dim=1) in this order, positions that go on at the cache's length, and the mask's \
               last rows: mask[total - new:total, :total]";
    Some(Observation::new(call.site.clone(), observed, fix))
}

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
