//! Tokens that are drawn from the result of a softmax which ran along another axis than theirs.

use super::attention::{is_softmax, softmax_axis};
use super::flow::{axis_at_start, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A207",
    name: "drawn-from-wrong-axis",
    title: "tokens are drawn from a softmax over another axis",
    why: "The probabilities of the next token sum to 1 over the vocabulary. Along another axis texts compete for a token; of one \
          text alone every token gets the same probability, and what is drawn is noise.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| drawn(step, cell)).collect()
}

fn drawn(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.called(step.in_place) != "multinomial" {
        return None;
    }
    let weights = step.operand(0)?.tensor.clone()?;
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
