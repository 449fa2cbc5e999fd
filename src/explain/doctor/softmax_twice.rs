//! A softmax of what a softmax gave.

use super::attention::Attention;
use super::flow::back;
use super::{Find, Mistake, Run, Seen, figure};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "softmax-twice",
    title: "a softmax is taken of weights that are one already",
    why: "Weights lie between 0 and 1, so the second softmax sees differences below 1 and gives every key nearly the same \
          share; hidden keys, 0 after the first, get a share again.",
    find: Find::Attention(find),
};

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    let input = attention.input()?;
    let way = back(&input, &|record| record.op == "softmax")?;
    let largest = |tensor: &crate::tensor::Tensor| tensor.to_f64_vec().into_iter().fold(0.0, f64::max);
    if input.numel() > 1 << 22 || input.numel() == 0 {
        return None;
    }
    let first = way.record.site.as_ref().map(|site| format!(" in line {}", site.line)).unwrap_or_default();
    let saw = format!(
        "{} came out of a softmax{first} and goes into another: the largest weight falls from {} to {}.",
        run.called(&input, "what it takes"),
        figure(largest(&way.end)),
        figure(largest(&attention.soft))
    );
    Some(Seen::new(attention.site(), saw, "one softmax, of the scores"))
}
