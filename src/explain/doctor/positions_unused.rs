//! A table of positions on which the output does not depend.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A502",
    name: "no-positions",
    title: "the positions are never added",
    why: "Attention treats its tokens as a set. Without positions a model cannot know their order, but for what a causal \
          mask reveals, and the table of positions never learns.",
    implied_by: &[],
    detector: Detector::Call(detect),
};

fn detect(call: &RepeatedCall, _: &TracedCell) -> Option<Observation> {
    // Another method than forward may leave the positions to its caller.
    call.token_axis().filter(|_| call.function.ends_with(".forward"))?;
    let unused: Vec<&str> =
        call.report.untouched.iter().map(String::as_str).filter(|it| is_of_positions(it)).collect();
    if unused.is_empty() {
        return None;
    }
    let observed = format!(
        "{} was run backward from its output: the gradient of {} is 0 everywhere.",
        call.function,
        unused.join(" and of ")
    );
    Some(Observation::new(
        call.site.clone(),
        observed,
        "x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))",
    ))
}

/// Whether a parameter's name is that of positions.
fn is_of_positions(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(['.', '_']).any(|part| part.starts_with("pos") || part == "wpe")
}
