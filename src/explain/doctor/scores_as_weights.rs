//! Scores that are multiplied with the values, while the weights that the softmax made of them are left unused.

use std::rc::Rc;

use super::attention::{Attention, record_of};
use super::axes::{Product, is_product, mixed_heads};
use super::flow::{FlowPath, FlowStep, trace_back};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Record;
use crate::tensor::explanation::{Explanation, Formula};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A205",
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
    let instead = unused.filter_map(|(softmax, attention)| instead(softmax, &attention, cell));
    instead.chain(steps.iter().filter_map(|step| without_softmax(step, cell))).collect()
}

/// Scores that are scaled or masked for a softmax, and multiplied with the values without one.
fn without_softmax(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let record = record_of(step)?;
    let product = Product::of(&record)
        .filter(|_| record.operation.explanation != Explanation::Linear && mixed_heads(&record).is_none())?;
    let FlowPath { steps, record: scores, .. } = trace_back(&product.left, &is_product)?;
    let scores = Product::of(&scores).filter(|_| scores.operation.explanation != Explanation::Linear)?;
    if steps.iter().any(FlowStep::divides_by_tensor) {
        return None;
    }
    let root = (scores.width() as f64).sqrt();
    let is_scale = |step: &FlowStep| step.factor().is_some_and(|factor| (factor * root - 1.0).abs() < 1e-4);
    let hides = |step: &FlowStep| {
        let added = || {
            let mask = step.other()?.tensor()?.clone();
            let is_mask =
                step.explanation() == Explanation::Pointwise(Formula::Add) && mask.numel() <= 1 << 20;
            is_mask.then(|| mask.to_f64_vec().iter().any(|it| *it <= -1e4))
        };
        step.fill().is_some_and(|fill| fill <= -1e4) || added() == Some(true)
    };
    // A product with a leaf may be a layer, (x @ W1 / s) @ W2; no layer hides what it computed.
    let scaled = !scores.right.is_leaf() && scores.width() > 1 && steps.iter().any(is_scale);
    let hidden = steps.iter().any(hides);
    let evidence = match (scaled, hidden) {
        (_, true) => "masked with -inf".to_owned(),
        (true, false) => format!("divided by the root of {}, their width", scores.width()),
        (false, false) => return None,
    };
    let name = cell.name_of(&product.left, "the scores");
    let observed =
        format!("{name} are {evidence}, as for a softmax, and multiplied with the values without one.");
    let fix = "weights = torch.softmax(scores, dim=-1), then weights @ values";
    Some(Observation::new(step.site(), observed, fix))
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
