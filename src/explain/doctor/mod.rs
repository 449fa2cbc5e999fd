//! Finds silent mistakes: code that raises no error and is wrong. It examines the operations that ran, and what moves when
//! a call is repeated on changed inputs, never the source.
//! Each mistake is a file of its own, named after it, and an entry of [`MISTAKES`].
//!
//! | file | what it does |
//! |---|---|
//! | [`mistake`] | the types: a mistake, its detector, a finding |
//! | [`axes`], [`flow`] | which axis becomes which in an operation, and the way back through the records |
//! | [`attention`], [`mask`] | the scores, softmax, weights, values and mask among the operations |
//! | [`repeated`] | the calls that are repeated on changed inputs, and which outputs moved |
//! | the others | one mistake each |

mod attention;
mod axes;
mod causal_leak;
mod dropout_before_softmax;
mod dropout_in_eval;
mod flow;
mod heads_by_view;
mod heads_joined_by_view;
mod mask;
mod mask_after_softmax;
mod mask_inverted;
mod mask_leaks;
mod mask_off_by_one;
mod masked_copy_unused;
mod mistake;
mod nan;
mod projection_mixed_up;
mod projection_unused;
mod random_in_eval;
mod repeated;
mod row_all_hidden;
mod row_sums;
mod samples_mixed;
mod scale;
mod scores_as_weights;
mod softmax_before_loss;
mod softmax_over_queries;
mod softmax_twice;
mod targets_not_shifted;

use std::rc::Rc;

use super::names::TensorNames;
use crate::ops::trace::Trace;
use crate::session::CallReport;
use attention::Attention;
use mistake::{Detector, Observation, TracedCell};
pub(crate) use mistake::{Finding, Mistake};
use repeated::RepeatedCall;
pub use repeated::calls_to_repeat;

/// All mistakes, in the order in which they are reported.
pub const MISTAKES: &[&Mistake] = &[
    &row_all_hidden::MISTAKE,
    &nan::MISTAKE,
    &softmax_over_queries::MISTAKE,
    &heads_by_view::MISTAKE,
    &heads_joined_by_view::MISTAKE,
    &scale::MISTAKE,
    &mask_inverted::MISTAKE,
    &mask_leaks::MISTAKE,
    &softmax_twice::MISTAKE,
    &dropout_before_softmax::MISTAKE,
    &mask_after_softmax::MISTAKE,
    &row_sums::MISTAKE,
    &mask_off_by_one::MISTAKE,
    &scores_as_weights::MISTAKE,
    &masked_copy_unused::MISTAKE,
    &projection_mixed_up::MISTAKE,
    &dropout_in_eval::MISTAKE,
    &softmax_before_loss::MISTAKE,
    &samples_mixed::MISTAKE,
    &causal_leak::MISTAKE,
    &projection_unused::MISTAKE,
    &random_in_eval::MISTAKE,
    &targets_not_shifted::MISTAKE,
];

/// Whether a comment in a line of code says that a mistake is meant there: `# attn: allow(scale)`.
pub fn is_allowed(mistake: &str, line: &str) -> bool {
    let allowed = line.split_once("# attn: allow(").and_then(|(_, rest)| rest.split_once(')'));
    allowed.is_some_and(|(names, _)| names.split(',').any(|name| name.trim() == mistake))
}

/// Returns the mistakes in the operations of one cell and in its calls that were repeated; `names` are the names of its
/// variables. A line is reported once for each mistake, however often it ran.
pub fn examine(trace: &Trace, names: &TensorNames, calls: &[CallReport]) -> Vec<Finding> {
    let cell = TracedCell::new(trace, names, calls);
    let repeated: Vec<RepeatedCall> = calls.iter().filter_map(|it| RepeatedCall::of(it, trace)).collect();
    let mut attentions: Vec<Attention> = trace.steps.iter().filter_map(Attention::ending_at).collect();
    // A softmax whose weights meet no values is examined on its own.
    let with_values = attentions.len();
    for alone in trace.steps.iter().filter_map(Attention::of_softmax) {
        if attentions[..with_values].iter().all(|known| !Rc::ptr_eq(&known.softmax, &alone.softmax)) {
            attentions.push(alone);
        }
    }
    let mut findings: Vec<Finding> = Vec::new();
    for mistake in MISTAKES {
        if findings.iter().any(|it| mistake.implied_by.contains(&it.mistake)) {
            continue;
        }
        let observations: Vec<Observation> = match mistake.detector {
            Detector::Attention(detect) => attentions.iter().filter_map(|it| detect(it, &cell)).collect(),
            Detector::Cell(detect) => detect(&cell),
            Detector::Call(detect) => repeated.iter().filter_map(|it| detect(it, &cell)).collect(),
        };
        for observation in observations {
            let site = observation.site.as_ref();
            let finding = Finding {
                mistake: mistake.name,
                title: observation.title.unwrap_or(mistake.title),
                cell: site.map(|site| site.cell.to_owned()),
                line: site.map(|site| site.line),
                function: site.and_then(|site| cell.function(site)),
                observed: observation.observed,
                why: observation.why.unwrap_or(mistake.why).to_owned(),
                fix: observation.fix,
            };
            let is_reported = |it: &Finding| {
                (it.mistake, &it.cell, it.line) == (finding.mistake, &finding.cell, finding.line)
            };
            if !findings.iter().any(is_reported) {
                findings.push(finding);
            }
        }
    }
    findings
}
