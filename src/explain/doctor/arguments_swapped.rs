//! Keys and values in each other's place: the projection that is named for one does the work of the other.

use super::attention::operands_of_attention;
use super::flow::{projection, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake::new("A403", "arguments-swapped", "arguments are passed in each other's place", "Keys and values have the same shape, so nothing raises: the scores are made of the values, and the keys are \
          averaged.", &[Detector::Step(swapped)]).implied_by(&["projection-mixed-up"]);

/// The words for queries, keys and values.
const QUERIES: [&str; 3] = ["q", "query", "queries"];
const KEYS: [&str; 3] = ["k", "key", "keys"];
const VALUES: [&str; 3] = ["v", "value", "values"];

/// An attention whose keys come from what is named for values, and whose values from what is named for keys.
fn swapped(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let [first, second, values] = operands_of_attention(step)?;
    let (_, is_first) = stated(&first, cell)?;
    let (by_second, is_second) = stated(&second, cell)?;
    let (by_values, is_third) = stated(&values, cell)?;
    if (is_first, is_second, is_third) != (QUERIES, VALUES, KEYS) {
        return None;
    }
    let observed = format!(
        "The scores are products with {by_second}, and the weights are multiplied with {by_values}: each does the work of the \
         other."
    );
    Some(Observation::new(step.site(), observed, "queries and keys make the scores; the values are averaged"))
}

/// What a tensor was called where it was made, by the first name that says what it is for: that of the weight of its
/// projection, or its own. The name, and the words for what it says.
fn stated(tensor: &Tensor, cell: &TracedCell) -> Option<(String, [&'static str; 3])> {
    let (steps, start) = source(tensor);
    let weight = projection(&start).map(|made| made.right);
    let own = std::iter::once(start).chain(steps.into_iter().rev().map(|step| step.result));
    weight.into_iter().chain(own).find_map(|it| {
        let name = cell.name_of(&it, "");
        let name = name.trim_end_matches(".T").trim_end_matches(".weight");
        let last = name.rsplit('.').next()?.to_lowercase();
        let mut words = last.split('_').map(|word| word.trim_start_matches(['w', 'x']));
        let role =
            words.find_map(|word| [QUERIES, KEYS, VALUES].into_iter().find(|it| it.contains(&word)))?;
        Some((name.to_owned(), role))
    })
}
