//! Tokens that are drawn from the result of a softmax which ran along another axis than theirs.

use super::attention::{is_softmax, softmax_axis};
use super::flow::{axis_at_start, operand, origin, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Arg;
use crate::tensor::explanation::{Explanation, Formula};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A207",
    "drawn-from-wrong-axis",
    "tokens are drawn from a softmax over another axis",
    "The probabilities of the next token sum to 1 over the vocabulary. Along another axis texts compete for a token; of one \
          text alone every token gets the same probability, and what is drawn is noise.",
    &[Detector::Step(drawn), Detector::Step(heated)],
);

/// The most operations between a softmax and a temperature.
const LONGEST: usize = 6;

/// Logits that are multiplied with what the program calls a temperature, before a token is drawn.
fn heated(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.called(step.in_place) != "multinomial" {
        return None;
    }
    let mut logits = trace_back(step.tensor(0)?, &is_softmax)?.start;
    for _ in 0..LONGEST {
        let record = origin(&logits)?;
        let by = record.args().get(1).and_then(Arg::number);
        if record.operation.explanation == Explanation::Pointwise(Formula::Mul)
            && let (Some(by), Some(site)) = (by, record.site.as_ref())
            && let Some(name) = factor_called(cell.line(site)?, "temp")
        {
            let observed =
                format!("The logits are multiplied with {name}, which is {by} here, and not divided by it.");
            let found = Observation::new(record.site.clone(), observed, format!("logits / {name}"));
            return Some(found.titled("the logits are multiplied with the temperature").because(
                "A high temperature makes all tokens more alike, a low one makes the likeliest more likely. Multiplied, it does \
                 the opposite.",
            ));
        }
        logits = operand(&record, 0)?;
    }
    None
}

/// The name behind a `*` that has these letters in it.
fn factor_called<'l>(line: &'l str, letters: &str) -> Option<&'l str> {
    line.split('*').skip(1).find_map(|rest| {
        let rest = rest.trim_start_matches(['=', ' ']);
        let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_' && it != '.').unwrap_or(rest.len());
        Some(&rest[..end]).filter(|name| name.to_lowercase().contains(letters))
    })
}

fn drawn(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.called(step.in_place) != "multinomial" {
        return None;
    }
    let weights = step.tensor(0)?.clone();
    let path = trace_back(&weights, &is_softmax)?;
    let (ran, needed) = (softmax_axis(&path.record)?, axis_at_start(&path.steps, 1)?);
    let classes = *weights.shape().last()?;
    if ran == needed || classes < 2 {
        return None;
    }
    let observed = format!(
        "multinomial draws from {}, whose rows have {classes} classes. The softmax that made it ran along dim {} of {}: a row \
         does not sum to 1.",
        cell.name_of(&weights, "its input"),
        path.start.ndim().checked_sub(ran)?,
        crate::tensor::show::shape_in_formula(path.start.shape()),
    );
    Some(Observation::new(step.site(), observed, "F.softmax(logits, dim=-1)"))
}
