//! An argument on which the output does not depend: a mask that is never applied, a sequence that is never read.

use super::mask_unread;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};

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
    detector: Detector::CallAndCell(detect_mask, mask_unread::detect),
};

fn detect(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
    let name = call.report.unmoved.iter().find(|it| !is_mask(call, it) && it.as_str() != "self")?;
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
    kept_mask(call).or_else(|| given_mask(call))
}

/// A mask that the module keeps and does not read, where each token sees all others.
fn kept_mask(call: &RepeatedCall) -> Option<Observation> {
    let name = call.report.unread.first()?;
    call.token_axis().filter(|axis| Reach::of(axis) == Reach::All)?;
    let observed = format!(
        "{} was called with the opposite of self.{name}: no output moved. Each token sees all others.",
        call.function
    );
    let fix = format!("scores = scores.masked_fill(self.{name}[:T, :T], -torch.inf), before the softmax");
    let mut found = Observation::new(call.site.clone(), observed, fix);
    found.title = Some("a mask is kept and has no effect");
    Some(found)
}

fn given_mask(call: &RepeatedCall) -> Option<Observation> {
    let name = call.report.unmoved.iter().find(|it| is_mask(call, it))?;
    let is_bias = name.to_lowercase().contains("bias");
    let observed = match is_bias {
        true => format!("{} was called with other numbers in {name}: no output moved.", call.function),
        false => format!("{} was called with the opposite of {name}: no output moved.", call.function),
    };
    let fix = match is_bias {
        true => format!("scores = scores + {name}, before the softmax"),
        false => format!("scores = scores.masked_fill({name} == 0, -torch.inf), before the softmax"),
    };
    let mut found = Observation::new(call.site.clone(), observed, fix);
    if is_bias {
        found.title = Some("a bias is given and has no effect");
        found.why = Some(
            "A bias of the scores says how far away a key is. Without it, a token does not know where others stand.",
        );
    }
    Some(found)
}

/// Whether an argument is a mask, or a bias of the scores: its numbers are true and false, or its name says so.
fn is_mask(call: &RepeatedCall, name: &str) -> bool {
    call.report.masks.iter().any(|it| it == name)
        || ["mask", "padding", "pad", "real", "visible", "keep", "valid"]
            .iter()
            .any(|word| name.to_lowercase().contains(word))
}
