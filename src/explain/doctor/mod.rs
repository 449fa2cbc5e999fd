//! Finds silent mistakes: code that raises no error and is wrong. It examines the operations that ran, what moves when a
//! call is repeated on changed inputs, and what the loop of a training does. Code that did not run is not examined.
//! A mistake is an entry of [`MISTAKES`], in a file named after it.
//!
//! | file | what it does |
//! |---|---|
//! | [`mistake`] | the types: a mistake, its detector, a finding |
//! | [`axes`], [`flow`] | which axis becomes which in an operation, and the way back through the records |
//! | [`attention`], [`mask`] | the scores, softmax, weights, values and mask among the operations |
//! | [`repeated`] | the calls that are repeated on changed inputs, and which outputs moved |
//! | [`replay`] | recorded tensors, computed again from changed ones |
//! | [`training`] | what is watched while a model is trained |
//! | [`factors`] | what the source calls the operands of a product |
//! | [`parts`] | what of a program can run if the whole cannot |
//! | [`fixes`], [`example`] | fixes that are tried, and the examples of docs/mistakes.md |
//! | the others | one mistake each |

mod angles_turn;
mod arguments_swapped;
mod attention;
mod axes;
mod axes_mixed;
mod cache_differs;
mod causal_leak;
mod class_token;
mod dropout_before_softmax;
mod dropout_in_eval;
mod example;
mod factors;
mod fixes;
mod flow;
mod gradient_differs;
mod group_order;
mod heads_by_view;
mod heads_joined_by_view;
mod heads_share_projection;
mod input_unused;
mod linear_twice;
mod mask;
mod mask_after_softmax;
mod mask_inverted;
mod mask_leaks;
mod mask_of_queries;
mod mask_off_by_one;
mod mask_unread;
mod masked_copy_unused;
mod mistake;
mod nan;
mod padding_leak;
mod parts;
mod patches_by_view;
mod position_bias;
mod positions_unused;
mod projection_mixed_up;
mod projection_unused;
mod random_in_eval;
mod repeated;
mod replay;
mod residual_missing;
mod residual_of_norm;
mod results_differ;
mod rotary_not_relative;
mod row_all_hidden;
mod row_sums;
mod sampled_softmax;
mod samples_apart;
mod samples_mixed;
mod scale;
mod scores_as_weights;
mod softmax_before_loss;
mod softmax_helper;
mod softmax_over_queries;
mod softmax_twice;
mod sorted_mask;
mod sums_misaligned;
mod tables_added;
mod targets_not_shifted;
mod tied_weights_copied;
mod training;
mod weights_summed;
mod written_text;

use std::collections::HashMap;
use std::rc::Rc;

use super::tensor_names::TensorNames;
use crate::ops::trace::Trace;
use crate::session::{CallReport, Session};
use attention::Attention;
pub(super) use axes::axis_in_operand;
pub use example::example_of;
pub(crate) use fixes::fixed_sources;
use mistake::{Detector, Observation, TracedCell};
pub(crate) use mistake::{Finding, Mistake};
pub(crate) use parts::{definitions, without};
use repeated::RepeatedCall;
pub use repeated::calls_to_repeat;
pub use training::watch;

/// All mistakes, in the order in which they are reported.
pub const MISTAKES: &[&Mistake] = &[
    &row_all_hidden::MISTAKE,
    &softmax_over_queries::MISTAKE,
    &heads_by_view::MISTAKE,
    &heads_joined_by_view::MISTAKE,
    &scale::MISTAKE,
    &mask_inverted::MISTAKE,
    &mask_leaks::MISTAKE,
    &softmax_twice::MISTAKE,
    &dropout_before_softmax::MISTAKE,
    &mask_after_softmax::MISTAKE,
    &sums_misaligned::MISTAKE,
    &row_sums::MISTAKE,
    &mask_off_by_one::MISTAKE,
    &scores_as_weights::MISTAKE,
    &nan::MISTAKE,
    &results_differ::MISTAKE,
    &masked_copy_unused::MISTAKE,
    &projection_mixed_up::MISTAKE,
    &dropout_in_eval::MISTAKE,
    &softmax_before_loss::MISTAKE,
    &samples_mixed::MISTAKE,
    &causal_leak::MISTAKE,
    &projection_unused::MISTAKE,
    &random_in_eval::MISTAKE,
    &targets_not_shifted::MISTAKE,
    &patches_by_view::MISTAKE,
    &axes_mixed::MISTAKE,
    &group_order::MISTAKE,
    &heads_share_projection::MISTAKE,
    &rotary_not_relative::MISTAKE,
    &position_bias::MISTAKE,
    &padding_leak::MISTAKE,
    &mask_of_queries::MISTAKE,
    &input_unused::MASK,
    &input_unused::MISTAKE,
    &positions_unused::MISTAKE,
    &angles_turn::MISTAKE,
    &sorted_mask::MISTAKE,
    &tied_weights_copied::MISTAKE,
    &sampled_softmax::MISTAKE,
    &linear_twice::MISTAKE,
    &written_text::MISTAKE,
    &residual_missing::MISTAKE,
    &residual_of_norm::MISTAKE,
    &class_token::MISTAKE,
    &weights_summed::MISTAKE,
    &samples_apart::MISTAKE,
    &gradient_differs::MISTAKE,
    &training::UNUSED,
    &training::NOT_ZEROED,
    &training::CLEARED,
    &training::NOT_TRAINED,
    &training::CLIPPING,
    &training::CUT_OFF,
    &training::IN_EVAL,
    &training::WITH_DROPOUT,
    &training::SHARED,
    &training::PADDING,
    &training::UNREAD,
    &training::NOT_REACHED,
    &training::NEVER_STEPPED,
    &training::SCHEDULE,
    &training::RATE,
    &training::OWN_STATE,
    &training::IN_INPUT,
    &training::TABLES,
    &training::START,
    &training::NORM,
    &cache_differs::MISTAKE,
    &arguments_swapped::MISTAKE,
];

/// Whether a comment in a line of code says that a mistake is meant there: `# attn: allow(scale)`, or by its code,
/// `# attn: allow(A203)`.
pub fn is_allowed(mistake: &str, line: &str) -> bool {
    let allowed = line.split_once("# attn: allow(").and_then(|(_, rest)| rest.split_once(')'));
    let is_meant = |name: &str| name == mistake || named(name).is_some_and(|it| it.name == mistake);
    allowed.is_some_and(|(names, _)| names.split(',').any(|name| is_meant(name.trim())))
}

/// The mistake of this code or name.
pub(crate) fn named(word: &str) -> Option<&'static Mistake> {
    MISTAKES.iter().copied().find(|mistake| mistake.name == word || mistake.code.eq_ignore_ascii_case(word))
}

/// Whether a finding is a consequence of the mistake that another one reports.
pub fn is_implied(finding: &Finding, other: &Finding) -> bool {
    named(finding.mistake).is_some_and(|it| it.implied_by.contains(&other.mistake))
}

/// The mistakes in the trainings of a session that is watched.
pub fn watched(session: &mut Session) -> Vec<Finding> {
    training::watched(session, named)
}

/// Returns the mistakes in the operations of one cell and in its calls that were repeated; `names` are the names of its
/// variables, `sources` the cells by their names. A line is reported once for each mistake, however often it ran.
pub fn examine(
    trace: &Trace,
    names: &TensorNames,
    calls: &[CallReport],
    sources: &HashMap<String, String>,
) -> Vec<Finding> {
    let cell = TracedCell::new(trace, names, calls, sources);
    let repeated: Vec<RepeatedCall> = calls.iter().filter_map(|it| RepeatedCall::of(it, trace)).collect();
    let mut attentions: Vec<Attention> = trace.steps.iter().filter_map(Attention::ending_at).collect();
    // A softmax whose weights meet no values is examined on its own.
    let with_values = attentions.len();
    for alone in trace.steps.iter().filter_map(Attention::of_softmax) {
        if attentions[..with_values].iter().all(|known| !Rc::ptr_eq(&known.softmax, &alone.softmax)) {
            attentions.push(alone);
        }
    }
    let others: Vec<Attention> = trace.steps.iter().filter_map(Attention::of_other_weights).collect();
    let mut findings: Vec<Finding> = Vec::new();
    for mistake in MISTAKES {
        if findings.iter().any(|it| mistake.implied_by.contains(&it.mistake)) {
            continue;
        }
        let observations = |detector: &Detector| -> Vec<Observation> {
            match detector {
                Detector::Attention(detect) => attentions.iter().filter_map(|it| detect(it, &cell)).collect(),
                Detector::Weights(detect) => {
                    attentions.iter().chain(&others).filter_map(|it| detect(it, &cell)).collect()
                }
                Detector::Step(detect) => cell.steps().filter_map(|it| detect(it, &cell)).collect(),
                Detector::Cell(detect) => detect(&cell),
                Detector::Call(detect) => repeated.iter().filter_map(|it| detect(it, &cell)).collect(),
            }
        };
        for observation in mistake.detectors.iter().flat_map(observations) {
            let site = observation.site.as_ref();
            let finding = Finding {
                code: mistake.code,
                mistake: mistake.name,
                title: observation.title.unwrap_or(mistake.title),
                cell: site.map(|site| site.cell.to_owned()),
                line: site.map(|site| site.line),
                column: site.and_then(|site| cell.column(site)),
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
