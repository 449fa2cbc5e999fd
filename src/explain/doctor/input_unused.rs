//! An argument on which the output does not depend: a mask that is never applied, a sequence that is never read.

use super::mask_unread;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};

pub(super) static MISTAKE: Mistake = Mistake::new("A404", "unused-input", "an input has no effect on the output", "Cross-attention takes its queries from one sequence, its keys and values from the other. If the other is never \
          read, a decoder writes without looking at what it should translate or describe.", &[Detector::Call(detect)]).implied_by(&["projection-mixed-up"]);

pub(super) static MASK: Mistake = Mistake::new("A108", "mask-missing", "a mask is given and has no effect", "A mask says which keys a token may not see. If nothing depends on it, padding and later tokens get weight like \
          all others.", &[Detector::Call(detect_mask), Detector::Cell(mask_unread::detect)]).implied_by(&["masked-copy-unused", "mask-leaks"]);

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
    Some(Observation::new(call.site.clone(), observed, fix).titled("a mask is kept and has no effect"))
}

fn given_mask(call: &RepeatedCall) -> Option<Observation> {
    let name = call.report.unmoved.iter().find(|it| is_mask(call, it))?;
    let is_bias = name.to_lowercase().contains("bias");
    let what = if is_bias { "other numbers in" } else { "the opposite of" };
    let observed = format!("{} was called with {what} {name}: no output moved.", call.function);
    let fix = match is_bias {
        true => format!("scores = scores + {name}, before the softmax"),
        false => format!("scores = scores.masked_fill({name} == 0, -torch.inf), before the softmax"),
    };
    let found = Observation::new(call.site.clone(), observed, fix);
    Some(match is_bias {
        true => found.titled("a bias is given and has no effect").because(
            "A bias of the scores says how far away a key is. Without it, a token does not know where others stand.",
        ),
        false => found,
    })
}

/// Whether an argument is a mask, or a bias of the scores: its numbers are true and false, or its name says so.
fn is_mask(call: &RepeatedCall, name: &str) -> bool {
    call.report.masks.iter().any(|it| it == name)
        || ["mask", "padding", "pad", "real", "visible", "keep", "valid"]
            .iter()
            .any(|word| name.to_lowercase().contains(word))
}
