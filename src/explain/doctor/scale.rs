//! Scores scaled by something other than the root of the head's width, or not at all.
//! Source: Vaswani et al. 2017, 3.2.1: scores of width d are divided by the root of d.

use super::attention::{Attention, Scores};
use super::axes::size;
use super::flow::{Link, projection};
use super::{Find, Mistake, Run, Seen, figure};
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "scale",
    title: "scores are not scaled by the root of the head's width",
    why: "A score is a sum of as many products as a head is wide, so its spread grows with the root of that width. \
          Divided by that root the scores of every head spread alike; with another scale the softmax is too even or too \
          sharp, and learns badly.",
    find: Find::Attention(find),
};

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * b.abs()
}

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    attention.used.as_ref()?;
    let scores = attention.scores.as_ref()?;
    let width = scores.product.width();
    if width < 2 || scores.record.op == "linear" {
        return None;
    }
    if scores.sources.iter().any(is_normalised) {
        return None;
    }
    let scalings: Vec<&Link> = attention.before.iter().chain(scores.ways.iter().flatten()).collect();
    let factors: Vec<(&Link, f64)> = scalings
        .into_iter()
        .filter_map(|link| Some((link, link.factor()?)))
        .filter(|(_, by)| *by != 1.0)
        .collect();
    let scale: f64 = factors.iter().map(|(_, by)| by).product();
    let root = (width as f64).sqrt();
    if near(scale, 1.0 / root) {
        return None;
    }
    let keys = run.called(&scores.product.right, "the keys");
    let head =
        format!("{} and {keys} meet over {width} features", run.called(&scores.product.left, "the queries"));
    let site = factors.first().and_then(|(link, _)| link.record.site.clone());
    let right = format!("divide by the root of {width}, the head's width: scores / {width}**0.5");
    let seen = |saw: String, fix: String| {
        Some(Seen::new(site.clone().or_else(|| scores.record.site.clone()), saw, fix))
    };
    let one_over = |by: f64| format!("{head}; their scores are divided by {}", figure(1.0 / by));
    if factors.is_empty() {
        // Without projections of its own, attention is only being introduced.
        // What is scaled after the softmax is another mistake.
        let late = attention.used.iter().flat_map(|used| &used.after).any(|link| link.factor().is_some());
        if late || !is_projected(scores) {
            return None;
        }
        return seen(format!("{head}, and their scores reach the softmax as they are."), right);
    }
    let halves = factors.len() == 2 && factors.iter().all(|(_, by)| near(*by, 1.0 / root));
    if near(scale, 1.0 / width as f64) && halves {
        let lines: Vec<String> = factors
            .iter()
            .filter_map(|(link, _)| Some(format!("line {}", link.record.site.as_ref()?.line)))
            .collect();
        return seen(
            format!(
                "{head}; their scores are divided by the root of {width} twice ({}).",
                lines.join(" and ")
            ),
            "divide once".to_owned(),
        );
    }
    for (whole, what) in widths(scores) {
        if whole != width && near(scale, 1.0 / (whole as f64).sqrt()) {
            return seen(
                format!(
                    "{}, that is by the root of {whole}, {what}; a head is {width} wide.",
                    one_over(scale)
                ),
                right,
            );
        }
    }
    if near(scale, 1.0 / width as f64) {
        return seen(format!("{}, that is by {width} itself and not by its root.", one_over(scale)), right);
    }
    if near(scale, root) || near(scale, width as f64) {
        return seen(
            format!("{head}; their scores are multiplied by {}, not divided.", figure(scale)),
            right,
        );
    }
    None
}

/// Whether queries or keys were brought to one length before they met: then another scale is right.
fn is_normalised(source: &Tensor) -> bool {
    let Some(record) = source.origin() else { return false };
    matches!(
        record.op.trim_end_matches('_'),
        "normalize" | "layer_norm" | "rms_norm" | "group_norm" | "mul" | "div"
    )
}

/// Whether queries and keys are projections, each of its own.
fn is_projected(scores: &Scores) -> bool {
    let [query, key] = &scores.sources;
    !query.storage().same(key.storage()) && projection(query).is_some() && projection(key).is_some()
}

/// Widths that are taken for the head's: that of all heads together, that of what goes into the projection.
fn widths(scores: &Scores) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for source in &scores.sources {
        found.extend(size(source, 1).map(|all| (all, "the width of all heads together")));
        if let Some(projection) = projection(source) {
            found.extend(size(&projection.left, 1).map(|all| (all, "the width of what goes in")));
        }
    }
    found
}
