//! Finds silent mistakes: code that raises no error and is wrong. It examines the operations that ran, what moves when a
//! call is repeated on changed inputs, and what the loop of a training does. Code that did not run is not examined.
//! A mistake is an entry of [`MISTAKES`].
//!
//! | file | what it does |
//! |---|---|
//! | [`mistake`] | the types: a mistake, its detector, a finding |
//! | [`axes`], [`flow`] | which axis becomes which in an operation, and the way back through the records |
//! | [`attention`], [`mask`] | the scores, softmax, weights, values and mask among the operations |
//! | [`repeated`] | the calls that are repeated on changed inputs, and which outputs moved |
//! | [`replay`] | recorded tensors, computed again from changed ones |
//! | [`training`], [`unread`] | what is watched while a model is trained, and numbers that nothing reads |
//! | [`parts`] | what of a program can run if the whole cannot |
//! | [`fixes`], [`example`] | fixes that are tried, and the examples of docs/mistakes.md |
//! | [`scale`], [`scores_as_weights`], [`weights`] | scores, their softmax, and weights |
//! | [`masks`] | masks that hide the wrong keys |
//! | [`views`], [`layers`], [`positions`] | axes, projections and blocks, positions |
//! | [`unused`], [`moved`] | what has no effect, and what moves that should not |
//! | [`losses`], [`pairs`], [`written_text`], [`sampling`] | targets, and text that is written |
//! | [`results_differ`], [`gradient_differs`], [`by_hand`] | what a program compares, gradients and steps by hand |

mod attention;
mod axes;
mod by_hand;
mod example;
mod fixes;
mod flow;
mod gradient_differs;
mod layers;
mod losses;
mod mask;
mod masks;
mod mistake;
mod mixture;
mod moved;
mod pairs;
mod parts;
mod patches;
mod positions;
mod repeated;
mod replay;
mod results_differ;
mod sampling;
mod scale;
mod scores_as_weights;
mod training;
mod unread;
mod unused;
mod views;
mod waves;
mod weights;
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

/// The mistakes in operations and calls, in the order in which they are reported.
const MISTAKES: &[&Mistake] = &[
    &weights::ALL_HIDDEN,
    &weights::OVER_QUERIES,
    &views::SPLIT,
    &views::JOINED,
    &scale::MISTAKE,
    &masks::INVERTED,
    &masks::LEAKS,
    &weights::TWICE,
    &weights::DROPOUT,
    &weights::MASKED,
    &weights::UNEVEN,
    &masks::OFF_BY_ONE,
    &scores_as_weights::MISTAKE,
    &results_differ::NAN,
    &results_differ::MISTAKE,
    &unused::MASKED_COPY,
    &layers::MIXED_UP,
    &moved::DROPOUT,
    &losses::SOFTMAX,
    &moved::SAMPLES,
    &moved::CAUSAL,
    &unused::PROJECTION,
    &losses::NOT_SHIFTED,
    &patches::PATCHES,
    &views::AXES,
    &views::GROUPS,
    &positions::ROTARY,
    &positions::BIAS,
    &moved::PADDING,
    &unused::MASK,
    &unused::INPUT,
    &unused::POSITIONS,
    &waves::ANGLES,
    &waves::WAVES,
    &sampling::SORTED,
    &sampling::DRAWN,
    &sampling::FLAT,
    &losses::CUT_OFF,
    &by_hand::AVERAGE,
    &layers::NO_ACTIVATION,
    &written_text::LAST_TOKEN,
    &unused::NO_RESIDUAL,
    &layers::RESIDUAL,
    &layers::NO_NORM,
    &layers::CLASS_TOKEN,
    &weights::SUMMED,
    &pairs::APART,
    &gradient_differs::MISTAKE,
    &by_hand::NEVER_STEPPED,
    &by_hand::NOT_ZEROED,
    &pairs::ON_TEST,
    &by_hand::ROWS_STAY_EQUAL,
    &moved::CACHE,
];

/// All mistakes.
pub fn mistakes() -> impl Iterator<Item = &'static Mistake> {
    MISTAKES.iter().copied().chain(&training::WATCHED)
}

/// Whether a comment in a line of code says that a mistake is meant there: `# attn: allow(scale)`, or by its code,
/// `# attn: allow(A203)`.
pub fn is_allowed(mistake: &str, line: &str) -> bool {
    let allowed = line.split_once("# attn: allow(").and_then(|(_, rest)| rest.split_once(')'));
    let is_meant = |name: &str| name == mistake || named(name).is_some_and(|it| it.name == mistake);
    allowed.is_some_and(|(names, _)| names.split(',').any(|name| is_meant(name.trim())))
}

/// The mistake of this code or name.
pub(crate) fn named(word: &str) -> Option<&'static Mistake> {
    mistakes().find(|mistake| mistake.name == word || mistake.code.eq_ignore_ascii_case(word))
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
                Detector::Once(detect) => detect(&cell).into_iter().collect(),
                Detector::Call(detect) => repeated.iter().filter_map(|it| detect(it, &cell)).collect(),
                Detector::Reported => {
                    repeated.iter().flat_map(|it| moved::reported(it, mistake.name, &cell)).collect()
                }
            }
        };
        for observation in mistake.detectors.iter().flat_map(observations) {
            let site = observation.site.as_ref();
            let finding = Finding {
                code: mistake.code,
                mistake: mistake.name,
                title: observation.title.unwrap_or_else(|| mistake.title.to_owned()),
                cell: site.map(|site| site.cell.to_owned()),
                line: site.map(|site| site.line),
                column: site.and_then(|site| cell.column(site)),
                function: site.and_then(|site| cell.function(site)),
                observed: observation.observed,
                why: observation.why.unwrap_or_else(|| mistake.why.to_owned()),
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
