//! Scores that are multiplied with the values, while the weights that the softmax made of them are left unused.

use std::rc::Rc;

use super::attention::{Attention, record_of};
use super::axes::Product;
use super::flow::trace_back;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Record;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "scores-as-weights",
    title: "the scores are multiplied with the values, not the weights",
    why: "Scores may be negative, and do not sum to 1: without the softmax the result is no average of the values, and \
          its size grows with the number of tokens.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let steps = &cell.trace.steps;
    let used: Vec<Attention> = steps.iter().filter_map(Attention::ending_at).collect();
    let softmaxes = steps.iter().filter_map(|step| Some((step, Attention::of_softmax(step)?)));
    let unused = softmaxes.filter(|(_, it)| used.iter().all(|used| !Rc::ptr_eq(&used.softmax, &it.softmax)));
    unused.filter_map(|(softmax, attention)| instead(softmax, &attention, cell)).collect()
}

/// The product that takes the scores in place of the weights, which no product takes.
fn instead(softmax: &Traced, attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let scores = attention.scores.as_ref()?;
    let own = softmax.place()?.activation;
    let is_scores = |record: &Record| std::ptr::eq(record, Rc::as_ptr(&scores.record));
    let instead = cell.trace.steps.iter().find_map(|step| {
        step.place().filter(|place| place.activation == own)?;
        let product = Product::of(&*record_of(step)?)?;
        [product.left, product.right]
            .into_iter()
            .find(|it| trace_back(it, &is_scores).is_some())
            .map(|it| (step, it))
    });
    let (step, used) = instead?;
    let (weights, used) =
        (cell.name_of(&attention.weights, "the softmax's result"), cell.name_of(&used, "the scores"));
    let observed = format!("{used} is multiplied with the values; no product takes {weights}.");
    let fix = "weights @ values, where weights is what the softmax returned";
    Some(Observation::new(step.site(), observed, fix))
}
