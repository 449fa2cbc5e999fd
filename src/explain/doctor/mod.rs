//! Finds silent mistakes: code that raises no error and is wrong. It examines the operations that ran, never the source.
//! Each mistake is a file of its own, named after it, and an entry of [`MISTAKES`].
//!
//! | file | what it does |
//! |---|---|
//! | [`mistake`] | the types: a mistake, its detector, a finding |
//! | [`axes`], [`flow`] | which axis becomes which in an operation, and the way back through the records |
//! | [`attention`] | the scores, softmax, weights and values among the operations |
//! | the others | one mistake each |

mod attention;
mod axes;
mod dropout_before_softmax;
mod dropout_in_eval;
mod flow;
mod heads_by_view;
mod heads_joined_by_view;
mod mask_after_softmax;
mod mask_inverted;
mod mask_leaks;
mod masked_copy_unused;
mod mistake;
mod nan;
mod projection_mixed_up;
mod row_all_hidden;
mod row_sums;
mod scale;
mod softmax_over_queries;
mod softmax_twice;

use std::rc::Rc;

use super::names::TensorNames;
use crate::ops::trace::Trace;
use attention::Attention;
use mistake::{Detector, Observation, TracedCell};
pub(crate) use mistake::{Finding, Mistake};

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
    &masked_copy_unused::MISTAKE,
    &projection_mixed_up::MISTAKE,
    &dropout_in_eval::MISTAKE,
];

/// Returns the mistakes in the operations of one cell; `names` are the names of its variables. A line is reported once
/// for each mistake, however often it ran.
pub fn examine(trace: &Trace, names: &TensorNames) -> Vec<Finding> {
    let cell = TracedCell::new(trace, names);
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
        let observations: Vec<Observation> = match mistake.detector {
            Detector::Attention(detect) => attentions.iter().filter_map(|it| detect(it, &cell)).collect(),
            Detector::Cell(detect) => detect(&cell),
        };
        for observation in observations {
            let site = observation.site.as_ref();
            let finding = Finding {
                mistake: mistake.name,
                title: mistake.title,
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
