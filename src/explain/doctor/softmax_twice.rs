//! A softmax of the result of a softmax.

use super::attention::{Attention, is_softmax};
use super::flow::trace_back;
use super::mistake::{Detector, Mistake, Observation, TracedCell, in_line};
use crate::explain::terms::figure;
use crate::tensor::Tensor;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A202",
    "softmax-twice",
    "softmax is applied twice",
    "Weights are between 0 and 1, so the second softmax sees differences below 1 and gives every key nearly the same \
          share. Hidden keys, whose weights are 0 after the first softmax, get a share again.",
    &[Detector::Attention(detect)],
);

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let input = attention.input()?;
    let path = trace_back(&input, &is_softmax)?;
    let largest = |tensor: &Tensor| tensor.to_f64_vec().into_iter().fold(0.0, f64::max);
    if input.numel() > 1 << 22 || input.numel() == 0 {
        return None;
    }
    let line = in_line(path.record.site.as_ref());
    let observed = format!(
        "{} is the result of a softmax{line} and the input of another: the largest weight falls from {} to {}.",
        cell.name_of(&input, "its input"),
        figure(largest(&path.start)),
        figure(largest(&attention.weights))
    );
    Some(Observation::new(attention.site(), observed, "one softmax, of the scores"))
}
