//! Dropout on the scores: a dropped score is 0, and exp(0) is 1.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A206",
    "dropout-before-softmax",
    "dropout is applied to scores, before the softmax",
    "A dropped score is 0, and exp(0) is 1, so the key is not dropped: it gets another score, and the remaining \
          scores are scaled up. Apply dropout to the weights.",
    &[Detector::Attention(detect)],
);

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let dropout = attention.before.iter().find(|step| step.is_dropout())?;
    attention.scores.as_ref()?;
    let scores = cell.name_of(&dropout.operand, "the scores");
    let observed = format!("dropout drops elements of {scores}, and the softmax comes after it.");
    Some(Observation::new(dropout.record.site.clone(), observed, "dropout(torch.softmax(scores, dim=-1))"))
}
