//! Padding that is masked and yet moves what real tokens get: seen by changing what hidden tokens contain.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;
use crate::explain::terms::figure;
use crate::session::PaddingReport;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A109",
    name: "padding-leak",
    title: "the content of padding moves the output of real tokens",
    why: "Padding fills a batch up to the longest text. If real tokens attend to it, a text gets another result in \
          another batch.",
    implied_by: &[
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
    detector: Detector::Call(detect),
};

fn detect(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
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
