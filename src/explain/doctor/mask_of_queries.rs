//! A mask along the queries where it is meant for the keys: it hides whole rows of scores.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::show::shape_in_formula;

// Where the call could be repeated, what moved is the better proof.
pub(super) static MISTAKE: Mistake = Mistake::new("A110", "mask-of-queries", "a mask hides whole rows: queries, not keys", "A mask of padding says which keys get no weight. Along the queries it changes only what hidden tokens get, and \
          every real token still sees the padding.", &[Detector::Attention(detect)]).implied_by(&["padding-leak", "row-all-hidden"]);

/// A mask that is the same for all keys of a row, and no other mask: it hides queries where keys are meant.
fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let context = attention.context.as_ref()?;
    let is_along_keys = attention.axis == 1 && context.summed_in_softmax == Some(1);
    let mut masks = attention.before.iter().filter_map(|step| {
        let mask = step.other()?.tensor()?.clone();
        let hides = match step.explanation() {
            Explanation::MaskedFill => mask.to_f64_vec().iter().any(|it| *it != 0.0) && step.fill()? <= -1e4,
            Explanation::Pointwise(Formula::Add) => mask.to_f64_vec().iter().any(|it| *it <= -1e4),
            _ => false,
        };
        hides.then_some((step, mask))
    });
    let (step, mask) = masks.next().filter(|_| masks.next().is_none() && is_along_keys)?;
    let [.., rows, 1] = *mask.shape() else { return None };
    let keys = *step.operand.shape().last()?;
    if rows < 2 || keys < 2 || mask.ndim() < 3 || mask.numel() > 1 << 20 {
        return None;
    }
    let name = cell.name_of(&mask, "the mask");
    let observed = format!(
        "{name} has the shape {}: in a row of {keys} scores it hides all keys or none. It hides queries, and the keys of \
         hidden tokens get weight.",
        shape_in_formula(mask.shape())
    );
    let fix =
        "put the mask along the keys, the last axis: mask[:, None, :], or mask[:, None, None, :] with heads";
    Some(Observation::new(step.record.site.clone(), observed, fix))
}
