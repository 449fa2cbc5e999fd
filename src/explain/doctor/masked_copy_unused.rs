//! A masked copy that is never used, so the mask has no effect.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::tensor::Tensor;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A106",
    name: "masked-copy-unused",
    title: "scores are masked, and the masked copy is not used",
    why: "masked_fill returns a new tensor and leaves its input unchanged. The softmax that follows takes the scores \
          without a mask, and every token sees the future.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let mut found = Vec::new();
    for (at, step) in cell.trace.steps.iter().enumerate() {
        if step.operation.explanation != Explanation::MaskedFill || step.in_place {
            continue;
        }
        // A later cell may use a copy that the cell itself binds to a name.
        let Some(place) = step.place().filter(|place| place.function != "<module>") else { continue };
        let (Some(scores), Some(copy)) = (
            step.operands.first().and_then(|operand| operand.tensor.clone()),
            step.results.first().and_then(|result| result.tensor.clone()),
        ) else {
            continue;
        };
        if cell.is_used_after(&copy, at) {
            continue;
        }
        let softmax = cell.trace.steps.iter().skip(at + 1).find(|later| {
            let in_same_call = later.place().is_some_and(|it| it.activation == place.activation);
            in_same_call
                && Attention::of_softmax(later).is_some_and(|attention| {
                    let is_scores = |tensor: &Tensor| tensor.is(&scores);
                    attention.input().as_ref().is_some_and(is_scores)
                        || attention.before.iter().any(|step| is_scores(&step.operand))
                })
        });
        if let Some(softmax) = softmax {
            let name = cell.name_of(&scores, "the scores");
            let line = softmax.site().map(|site| format!(" in line {}", site.line)).unwrap_or_default();
            let observed = format!(
                "masked_fill returned a masked copy of {name}, which nothing uses; the softmax{line} takes {name} itself."
            );
            let fix =
                format!("{name}.masked_fill_(...), with the underscore, or {name} = {name}.masked_fill(...)");
            found.push(Observation::new(step.site(), observed, fix));
        }
    }
    found
}
