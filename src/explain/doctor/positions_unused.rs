//! A table of positions on which the output does not depend.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::RepeatedCall;
use crate::ops::trace::Traced;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A502",
    "no-positions",
    "the positions are never added",
    "Attention treats its tokens as a set. Without positions a model cannot know their order, but for what a causal \
          mask reveals, and the table of positions never learns.",
    &[Detector::Call(detect)],
);

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let axis = call.token_axis()?;
    let is_everywhere =
        |name: &str| call.function.ends_with(".forward") || is_unused_by_all(name, call, cell);
    let unused: Vec<&str> =
        call.report.untouched.iter().filter(|it| it.is_whole()).map(|it| it.name.as_str()).collect();
    let unused: Vec<&str> = unused
        .into_iter()
        .filter(|it| (is_of_positions(it) || is_read(it, call, cell)) && is_everywhere(it))
        .collect();
    if unused.is_empty() {
        return of_one_row(call, axis.size);
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

/// A table of positions of which all tokens take the same row.
fn of_one_row(call: &RepeatedCall, tokens: usize) -> Option<Observation> {
    let mut tables = call.report.untouched.iter().filter(|it| is_of_positions(&it.name));
    let table =
        tables.find(|it| it.shape.len() == 2 && it.rows + 1 == it.shape[0] && tokens < it.rows + 2)?;
    let observed = format!(
        "{} was run backward from its output for {tokens} tokens: of the {} rows of {} only one has a gradient, so all tokens \
         have the same position.",
        call.function, table.shape[0], table.name
    );
    Some(Observation::new(call.site.clone(), observed, "self.pos(torch.arange(ids.shape[1]))"))
}

/// Whether a method other than `forward` takes the numbers of tokens, and no method of its class that ran uses the table.
/// A method that takes vectors may leave the positions to its caller.
fn is_unused_by_all(name: &str, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let Some((class, _)) = call.function.rsplit_once('.') else { return false };
    let is_of_class = |it: &RepeatedCall| it.function.rsplit_once('.').is_some_and(|it| it.0 == class);
    let mut others = cell.calls.iter().filter_map(|it| RepeatedCall::of(it, cell.trace)).filter(is_of_class);
    !call.report.tokens.is_empty()
        && others.all(|it| it.report.untouched.iter().any(|it| it.name == name && it.is_whole()))
}

/// Whether an operation of the call itself reads a parameter that is in no layer: what is computed from it is not used.
fn is_read(name: &str, call: &RepeatedCall, cell: &TracedCell) -> bool {
    let own = format!("self.{name}");
    let reads = |step: &Traced| {
        let is_within = step.place().is_some_and(|it| it.activation == call.report.activation);
        is_within && step.operands.iter().any(|it| it.name.as_ref() == Some(&own))
    };
    !name.contains('.') && cell.steps().any(reads)
}

/// Whether a parameter's name is that of positions.
fn is_of_positions(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(['.', '_']).any(|part| part.starts_with("pos") || part == "wpe")
}
