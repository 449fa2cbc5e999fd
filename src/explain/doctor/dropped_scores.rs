//! Dropout on the scores, before the softmax: what is dropped is 0, and exp(0) is 1.

use super::attention::Attention;
use super::{Find, Mistake, Run, Seen};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "dropout-before-softmax",
    title: "dropout is applied to scores, before the softmax",
    why: "A dropped score is 0, and the softmax gives exp(0) = 1 to it: nothing is dropped, the score is replaced, and the \
          others are scaled up. Dropout belongs to the weights.",
    find: Find::Attention(find),
};

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    let link = attention.before.iter().find(|link| link.drops())?;
    attention.scores.as_ref()?;
    let scores = run.called(&link.operand, "the scores");
    let saw = format!("dropout drops elements of {scores}, and the softmax comes after it.");
    Some(Seen::new(link.record.site.clone(), saw, "dropout(torch.softmax(scores, dim=-1))"))
}
