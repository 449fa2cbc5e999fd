//! Logits that go through a softmax before cross-entropy, which has one of its own.

use super::attention::is_softmax;
use super::flow::{FlowStep, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, LossKind, SoftmaxKind};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A801",
    "softmax-before-loss",
    "cross-entropy takes probabilities instead of logits",
    "cross_entropy computes a softmax itself. After a second one the classes are nearly equal whatever the model \
          says: the loss stays near its start, and gradients are small.",
    &[Detector::Step(probabilities)],
);

fn probabilities(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let is_log = step.operation.explanation == Explanation::Softmax(SoftmaxKind::Log);
    if step.operation.explanation != Explanation::Loss(LossKind::CrossEntropy) && !is_log {
        return None;
    }
    let input = step.tensor(0)?.clone();
    let path = trace_back(&input, &is_softmax)?;
    let is_layout = |step: &FlowStep| {
        step.explanation() == Explanation::Copy || step.record.operation.family == OpFamily::View
    };
    let values = step.operand(0)?.floats()?;
    if !path.steps.iter().all(is_layout) || values.is_empty() {
        return None;
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let name = cell.name_of(&input, "what it takes");
    let line = in_line(path.record.site.as_ref());
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
