//! A masked copy that is never used, so the mask has no effect.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A106",
    "masked-copy-unused",
    "scores are masked, and the masked copy is not used",
    "masked_fill returns a new tensor and leaves its input unchanged. The softmax that follows takes the scores \
          without a mask, and every token sees the future.",
    &[Detector::Cell(detect)],
);

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let mut found = Vec::new();
    for (at, step) in cell.steps().enumerate() {
        if step.operation.explanation != Explanation::MaskedFill || step.in_place {
            continue;
        }
        let (Some(place), Some(scores), Some(copy)) = (
            step.place(),
            step.operands.first().and_then(|operand| operand.tensor.clone()),
            step.result().cloned(),
        ) else {
            continue;
        };
        // A later cell may use a copy that the cell itself binds to a name.
        if cell.is_used_after(&copy, at) || place.function == "<module>" && cell.names.knows(&copy) {
            continue;
        }
        let reader = cell.steps().skip(at + 1).find(|later| {
            let is_within = later.calls.iter().any(|it| it.activation == place.activation);
            let reads = || later.operands.iter().any(|it| it.is(&scores));
            is_within && !later.is_view && reads()
        });
        if let Some(reader) = reader {
            let name = cell.name_of(&scores, "the scores");
            let line = reader.site().map(|site| format!("line {}", site.line)).unwrap_or_default();
            let observed = format!(
                "masked_fill returned a masked copy of {name}, which nothing uses; {line} takes {name} itself."
            );
            let fix =
                format!("{name}.masked_fill_(...), with the underscore, or {name} = {name}.masked_fill(...)");
            found.push(Observation::new(step.site(), observed, fix));
        }
    }
    found
}
