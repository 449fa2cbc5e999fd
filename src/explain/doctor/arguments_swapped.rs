//! Keys and values in each other's place: the projection that is named for one does the work of the other.

use super::attention::roles;
use super::flow::projection;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A403",
    name: "arguments-swapped",
    title: "arguments are passed in each other's place",
    why: "Keys and values have the same shape, so nothing raises: the scores are made of the values, and the keys are \
          averaged.",
    implied_by: &["projection-mixed-up"],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| swapped(step, cell)).collect()
}

/// An attention whose keys come from what is named for values, and whose values from what is named for keys.
fn swapped(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let [first, second, values] = roles(step)?;
    let [(_, first), (by_second, second), (by_values, values)] =
        [&first, &second, &values].map(|it| stated(it, cell).unwrap_or_default());
    if !is(&first, ["q", "query", "queries"])
        || !is(&second, ["v", "value", "values"])
        || !is(&values, ["k", "key", "keys"])
    {
        return None;
    }
    let observed = format!(
        "The scores are products with {by_second}, and the weights are multiplied with {by_values}: each does the work of the \
         other."
    );
    Some(Observation::new(step.site(), observed, "queries and keys make the scores; the values are averaged"))
}

/// What a tensor is called, or the projection that made it: the name, and its words in small letters.
fn stated(tensor: &Tensor, cell: &TracedCell) -> Option<(String, Vec<String>)> {
    let name = match projection(tensor) {
        Some(made) => cell.name_of(&made.right, ""),
        None => cell.name_of(tensor, ""),
    };
    let name = name.trim_end_matches(".T").trim_end_matches(".weight").to_owned();
    let last = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    let words = last.split('_').map(|word| word.trim_start_matches('w').to_owned()).collect();
    (!name.is_empty()).then_some((name, words))
}

fn is(words: &[String], known: [&str; 3]) -> bool {
    words.iter().any(|word| known.contains(&word.as_str()))
}
