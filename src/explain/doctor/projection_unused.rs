//! A query, key or value projection on which the output of its layer does not depend.

use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::{Reach, RepeatedCall, is_last_of_attention};
use crate::session::MatrixReport;

pub(super) static MISTAKE: Mistake = Mistake::new("A402", "projection-unused", "a projection has no effect on the output", "Its gradient is zero, so it never learns. Queries and keys decide how much each token counts, the values are \
          what is averaged: attention needs all three.", &[Detector::Call(detect)]).implied_by(&["projection-mixed-up", "mask-inverted"]);

/// Whether the call multiplies weights with values. A function that returns the weights needs no values.
fn has_values(call: &RepeatedCall, cell: &TracedCell) -> bool {
    cell.steps().any(|step| call.has(step) && is_last_of_attention(step))
}

fn detect(call: &RepeatedCall, cell: &TracedCell) -> Option<Observation> {
    let own = |name: &str| !call.is_outer || name.matches('.').count() <= 1;
    if let Some(list) = &call.report.only_last {
        let observed = format!(
            "{} runs all layers of {list}, and its output depends on the last one alone: the gradient of the others is 0 everywhere.",
            call.function
        );
        let fix = "give each layer what the one before returned: x = layer(x)";
        let found = Observation::new(call.site.clone(), observed, fix);
        return Some(found.titled("only the last of several layers has an effect").because(
            "Each layer is to go on from what the one before made of the text. Where each of them gets the first input, the \
             model is as deep as one layer, and the others never learn.",
        ));
    }
    let (unused, instead) =
        in_place_of(call, own).or_else(|| computed(call, cell, own)).or_else(|| by_name(call, cell))?;
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
fn computed(
    call: &RepeatedCall,
    cell: &TracedCell,
    own: impl Fn(&str) -> bool,
) -> Option<(Vec<String>, String)> {
    if !mixes(call) {
        return None;
    }
    let dead = || call.report.untouched.iter().filter(|it| it.dead && own(&it.name));
    let mut unused: Vec<String> = dead().filter(|it| it.is_whole()).map(|it| it.name.clone()).collect();
    // Where several matrices have such a part, it is a head that is switched off, not a part of a joined projection.
    let parts: Vec<&MatrixReport> = dead().filter(|it| is_part_of_joined(it)).collect();
    if let [part] = parts.as_slice()
        && has_values(call, cell)
    {
        unused.push(format!("{} of the {} rows of {}", part.rows, part.shape[0], part.name));
    }
    (!unused.is_empty()).then(|| (unused, ": its result is computed and used nowhere".to_owned()))
}

/// Whether the rows without an effect are one or two parts of a projection of queries, keys and values together.
fn is_part_of_joined(matrix: &MatrixReport) -> bool {
    let (rows, all) = (matrix.rows, matrix.shape[0]);
    matrix.shape.len() == 2 && rows > 1 && all > rows && all.is_multiple_of(rows) && all / rows <= 6
}

/// Whether tokens reach each other: of one token, queries and keys have no effect.
fn mixes(call: &RepeatedCall) -> bool {
    call.report.axes.iter().any(|axis| Reach::of(axis).mixes())
}

/// The projections of queries, keys or values without an effect, by their names.
fn by_name(call: &RepeatedCall, cell: &TracedCell) -> Option<(Vec<String>, String)> {
    let is_needed = if has_values(call, cell) { is_projection } else { is_of_scores };
    // A layer with one output is none of them: it may be called `v` for the value of a text.
    let whole = call.report.untouched.iter().filter(|it| it.is_whole() && it.shape[0] > 1);
    let unused: Vec<String> = whole.map(|it| it.name.clone()).filter(|it| is_needed(it)).collect();
    (!call.is_outer && mixes(call) && !unused.is_empty()).then(|| (unused, String::new()))
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
