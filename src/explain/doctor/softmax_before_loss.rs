//! Logits that go through a softmax before cross-entropy, which has one of its own.

use super::attention::is_softmax;
use super::flow::{FlowStep, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, LossKind, SoftmaxKind};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A801",
    name: "softmax-before-loss",
    title: "cross-entropy takes probabilities instead of logits",
    why: "cross_entropy computes a softmax itself. After a second one the classes are nearly equal whatever the model \
          says: the loss stays near its start, and gradients are small.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| probabilities(step, cell)).collect()
}

fn probabilities(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let is_log = step.operation.explanation == Explanation::Softmax(SoftmaxKind::Log);
    if step.operation.explanation != Explanation::Loss(LossKind::CrossEntropy) && !is_log {
        return None;
    }
    let input = step.operand(0)?.tensor.clone()?;
    let path = trace_back(&input, &is_softmax)?;
    let is_layout = |step: &FlowStep| {
        step.explanation() == Explanation::Copy || step.record.operation.family == OpFamily::View
    };
    let values = step.operand(0)?.values()?;
    if !path.steps.iter().all(is_layout) || values.len() == 0 {
        return None;
    }
    let (low, high) = (0..values.len())
        .map(|at| values.float(at))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    let name = cell.name_of(&input, "what it takes");
    let line = path.record.site.as_ref().map(|site| format!(" in line {}", site.line)).unwrap_or_default();
    let observed = format!(
        "{name} is the result of the softmax{line}: its numbers lie between {} and {}.",
        figure(low),
        figure(high)
    );
    let mut found =
        Observation::new(step.site(), observed, "F.cross_entropy(logits, targets), without the softmax");
    found.title = is_log.then_some("log_softmax takes probabilities instead of logits");
    Some(found)
}
