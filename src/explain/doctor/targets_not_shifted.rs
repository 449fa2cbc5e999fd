//! A causal model that is trained to predict the tokens that it was given, not the next ones.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, LossKind};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A802",
    name: "targets-not-shifted",
    title: "the targets are the inputs themselves",
    why: "A causal model sees the token at its own position. If that is also what it has to predict, the loss falls to \
          zero by copying, and the model learns nothing about the next token.",
    implied_by: &[],
    detector: Detector::Call(detect),
};

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let is_causal = |reach| matches!(reach, Reach::Causal | Reach::Leaks(_));
    let axis = call.report.axes.iter().find(|axis| is_causal(Reach::of(axis)))?;
    let mut losses = cell.trace.steps.iter().filter(|step| is_cross_entropy(step));
    let loss = losses.find(|step| {
        let targets = step.operand(1).and_then(|targets| Some((targets.values()?, targets.shape().to_vec())));
        targets.is_some_and(|(values, _)| {
            let targets: Vec<f64> = (0..values.len()).map(|at| values.float(at)).collect();
            let varied = targets.iter().any(|it| *it != targets[0]);
            targets.len() >= 4 && varied && call.report.tokens.contains(&targets)
        })
    })?;
    let observed = format!(
        "The {} tokens that {} was called with are also the targets of the loss, each at its own position.",
        axis.size, call.function
    );
    let fix = "predict the next token: logits[:, :-1] against tokens[:, 1:]";
    Some(Observation::new(loss.site(), observed, fix))
}

/// Whether an operation is a loss of classes.
pub(super) fn is_cross_entropy(step: &Traced) -> bool {
    matches!(
        step.operation.explanation,
        Explanation::Loss(LossKind::CrossEntropy | LossKind::NegativeLogLikelihood)
    )
}
