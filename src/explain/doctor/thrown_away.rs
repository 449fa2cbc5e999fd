//! A masked copy that nobody uses: the mask has no effect.

use super::attention::Attention;
use super::{Find, Mistake, Run, Seen};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "masked-copy-unused",
    title: "scores are masked, and the masked ones are not used",
    why: "masked_fill gives a new tensor and leaves its own as it is. The softmax that follows sees the scores without a \
          mask, and every token sees the future.",
    find: Find::Run(find),
};

fn find(run: &Run) -> Vec<Seen> {
    let mut found = Vec::new();
    for (at, step) in run.trace.steps.iter().enumerate() {
        if step.op != "masked_fill" || step.in_place {
            continue;
        }
        // A name in the cell itself may be used later.
        let Some(place) = step.place().filter(|place| place.function != "<module>") else { continue };
        let (Some(given), Some(made)) = (
            step.operands.first().and_then(|seen| seen.tensor.clone()),
            step.results.first().and_then(|seen| seen.tensor.clone()),
        ) else {
            continue;
        };
        if run.is_used_after(&made, at) {
            continue;
        }
        let softmax = run.trace.steps.iter().skip(at + 1).find(|later| {
            let same = later.place().is_some_and(|it| it.activation == place.activation);
            same && Attention::softmax(later).is_some_and(|attention| {
                let input = attention.input();
                let carries = |tensor: &crate::tensor::Tensor| tensor.is(&given);
                input.as_ref().is_some_and(carries)
                    || attention.before.iter().any(|link| carries(&link.operand))
            })
        });
        if let Some(softmax) = softmax {
            let name = run.called(&given, "the scores");
            let line = softmax.site().map(|site| format!(" in line {}", site.line)).unwrap_or_default();
            let saw = format!(
                "masked_fill made a masked copy of {name}, which nothing uses; the softmax{line} takes {name} itself."
            );
            let fix =
                format!("{name}.masked_fill_(...), with the underscore, or {name} = {name}.masked_fill(...)");
            found.push(Seen::new(step.site(), saw, fix));
        }
    }
    found
}
