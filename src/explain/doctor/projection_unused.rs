//! A query, key or value projection on which the output of its layer does not depend.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall};
use crate::ops::trace::Traced;
use crate::session::MatrixReport;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A402",
    name: "projection-unused",
    title: "a projection has no effect on the output",
    why: "Its gradient is zero, so it never learns. Queries and keys decide how much each token counts, the values are \
          what is averaged: attention needs all three.",
    implied_by: &["projection-mixed-up", "mask-inverted"],
    detector: Detector::Call(detect),
};

/// Whether the call multiplies weights with values. A function that returns the weights needs no values.
fn has_values(call: &RepeatedCall, cell: &TracedCell) -> bool {
    cell.trace.steps.iter().any(|step| {
        let own = step.calls.iter().any(|it| it.activation == call.report.activation);
        own && (step.operation.explanation == Explanation::Attention || Attention::ending_at(step).is_some())
    })
}

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let own = |name: &str| !call.is_outer || name.matches('.').count() <= 1;
    let (unused, instead) =
        in_place_of(call, own).or_else(|| computed(call, own)).or_else(|| by_name(call, cell))?;
    let observed = format!(
        "{} was run backward from its output: the gradient of {} is 0 everywhere{instead}.",
        call.function,
        unused.join(" and of ")
    );
    let fix = "weights = softmax(queries @ keys.transpose(-2, -1) / width**0.5), then weights @ values: each of the three \
               from its own projection";
    Some(Observation::new(call.site.clone(), observed, fix))
}

/// A layer that did not run, where another one of its kind ran twice with the same input.
fn in_place_of(call: &RepeatedCall, own: impl Fn(&str) -> bool) -> Option<(Vec<String>, String)> {
    let [unused, twice] = call.report.in_place_of.iter().find(|it| own(&it[0]))?;
    let instead = format!(", and {twice}, a layer of the same kind, is called twice with the same input");
    Some((vec![unused.clone()], instead))
}

/// The matrices of layers that ran, of which nothing depends on the result.
fn computed(call: &RepeatedCall, own: impl Fn(&str) -> bool) -> Option<(Vec<String>, String)> {
    call.report.axes.iter().find(|axis| Reach::of(axis).mixes())?;
    let dead = call.report.untouched.iter().filter(|it| it.dead && own(&it.name));
    let dead: Vec<String> = dead.map(|it| it.name.clone()).collect();
    let instead = ": its result is computed and used nowhere".to_owned();
    (!dead.is_empty()).then_some((dead, instead))
}

/// The projections of queries, keys or values without an effect, by their names.
fn by_name(call: &RepeatedCall, cell: &TracedCell) -> Option<(Vec<String>, String)> {
    // With one token, or where tokens do not meet, queries and keys have no effect.
    if call.is_outer || !call.report.axes.iter().any(|axis| Reach::of(axis).mixes()) {
        return None;
    }
    let is_needed = if has_values(call, cell) { is_projection } else { is_of_scores };
    let whole = call.report.untouched.iter().filter(|it| it.is_whole());
    let mut unused: Vec<String> = whole.map(|it| it.name.clone()).filter(|it| is_needed(it)).collect();
    let parts: Vec<String> =
        call.report.untouched.iter().filter_map(|it| part_of_joined(it, call, cell)).collect();
    // Where several matrices have such a part, it is a head that is switched off, not a part of a joined projection.
    if let [part] = parts.as_slice() {
        unused.push(part.clone());
    }
    (!unused.is_empty()).then(|| (unused, String::new()))
}

/// What is said of a projection of queries, keys and values together of which one part, or two, have no effect.
fn part_of_joined(matrix: &MatrixReport, call: &RepeatedCall, cell: &TracedCell) -> Option<String> {
    let &[rows, _] = matrix.shape.as_slice() else { return None };
    let is_part =
        matrix.rows > 1 && rows > matrix.rows && rows.is_multiple_of(matrix.rows) && rows / matrix.rows <= 6;
    let own = format!("self.{}", matrix.name);
    let is_projection = |step: &Traced| {
        step.operation.explanation == Explanation::Linear
            && step.calls.iter().any(|it| it.activation == call.report.activation)
            && step.operand(1).is_some_and(|it| it.name.as_ref() == Some(&own))
    };
    let is_meant = is_part && has_values(call, cell) && cell.trace.steps.iter().any(is_projection);
    is_meant.then(|| format!("{} of the {rows} rows of {}", matrix.rows, matrix.name))
}

/// Whether a parameter's name is that of a query or key projection.
fn is_of_scores(name: &str) -> bool {
    let is_value = |part: &str| part.contains("value") || matches!(part, "v" | "wv");
    is_projection(name) && !name.to_lowercase().split(['.', '_']).any(is_value)
}

/// Whether a parameter's name is that of a query, key or value projection.
fn is_projection(name: &str) -> bool {
    let name = name.to_lowercase();
    let words = ["query", "queries", "key", "keys", "value", "values"];
    let letters = ["q", "k", "v", "wq", "wk", "wv", "qkv", "kqv"];
    name.split(|letter: char| !letter.is_ascii_alphabetic())
        .any(|part| words.iter().any(|word| part.contains(word)) || letters.contains(&part))
}
