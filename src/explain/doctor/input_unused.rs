//! An argument on which the output does not depend: a mask that is never applied, a sequence that is never read.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A404",
    name: "unused-input",
    title: "an input has no effect on the output",
    why: "Cross-attention takes its queries from one sequence, its keys and values from the other. If the other is never \
          read, a decoder writes without looking at what it should translate or describe.",
    implied_by: &["projection-mixed-up"],
    detector: Detector::Call(detect),
};

pub(super) static MASK: Mistake = Mistake {
    code: "A108",
    name: "mask-missing",
    title: "a mask is given and has no effect",
    why: "A mask says which keys a token may not see. If nothing depends on it, padding and later tokens get weight like \
          all others.",
    implied_by: &["masked-copy-unused", "mask-leaks"],
    detector: Detector::Call(detect_mask),
};

fn detect(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
    let name = call.report.unmoved.iter().find(|it| !is_mask(it) && it.as_str() != "self")?;
    if call.report.inputs < 2 {
        return None;
    }
    let observed = format!(
        "{} was called with another {name}, all numbers of it changed: no output moved.",
        call.function
    );
    let fix = format!("keys and values from {name}: self.W_key({name}), self.W_value({name})");
    Some(Observation::new(call.site.clone(), observed, fix))
}

fn detect_mask(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
    let name = call.report.unmoved.iter().find(|it| is_mask(it))?;
    let observed = format!("{} was called with the opposite of {name}: no output moved.", call.function);
    let fix = format!("scores = scores.masked_fill({name} == 0, -torch.inf), before the softmax");
    Some(Observation::new(call.site.clone(), observed, fix))
}

/// Whether an argument's name is that of a mask.
fn is_mask(name: &str) -> bool {
    ["mask", "padding", "pad", "real", "visible", "keep", "valid"]
        .iter()
        .any(|word| name.to_lowercase().contains(word))
}
