//! A causal mask that begins too far above the diagonal, so that each token sees one later token or more.

use super::attention::Attention;
use super::mask::{Visible, fused_visible, last_matrix, masking_step, of_weights, steps_with_one_mask};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::Site;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A104",
    "mask-off-by-one",
    "the causal mask leaves a later token in sight",
    "The token right after it is what a token has to predict. If it is in sight, the loss falls to nearly nothing in \
          training, and the model has learned to copy, not to predict.",
    &[Detector::Cell(detect)],
);

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let check = |step: &Traced| {
        if step.operation.explanation == Explanation::Attention {
            let (mask, _) = fused_visible(step).filter(|(_, visible)| shows_next(visible))?;
            return Some(observation(&cell.name_of(&mask, "attn_mask"), None, step.site()));
        }
        if let Some((mask, visible)) = of_weights(step) {
            let name = mask.map_or_else(|| "the triangle".to_owned(), |mask| cell.name_of(&mask, "the mask"));
            return shows_next(&visible).then(|| observation(&name, None, step.site()));
        }
        let attention = Attention::of_softmax(step).or_else(|| Attention::of_other_weights(step))?;
        let input = attention.input().filter(|_| attention.axis == 1)?;
        let visible = Visible::of(&input, |score| score > -1e4 && !score.is_nan()).filter(shows_next)?;
        let (mask, site) = masking_step(&attention, cell);
        let weights = last_matrix(&attention.weights, visible.size);
        let weight = weights.filter(|_| attention.context.is_some() || visible.at(0, 1)).map(|it| it[1]);
        Some(observation(&mask, weight.filter(|it| *it > 0.0), site))
    };
    steps_with_one_mask(cell).filter_map(check).collect()
}

fn observation(mask: &str, weight: Option<f64>, site: Option<Site>) -> Observation {
    let share = weight
        .map(|it| format!(" Token 0 gives {} of its weight to token 1.", figure(it)))
        .unwrap_or_default();
    let observed =
        format!("{mask} leaves keys after the diagonal in sight: each token sees the one after it.{share}");
    let fix = "diagonal=1 begins right above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool(); with \
               torch.tril it is diagonal=0";
    Observation::new(site, observed, fix)
}

/// Whether a token sees the next one, which it is to predict, and those further on are hidden; a mask that shows more looks
/// ahead on purpose. Two tokens in a row see so many, so that it is no block of tokens that see each other; and what sees is
/// not seen, so that it is no window on both sides.
fn shows_next(visible: &Visible) -> bool {
    let size = visible.size;
    let is_hidden = (0..size).all(|row| (row + 2..size).all(|column| !visible.at(row, column)));
    let in_a_row = (2..size).any(|row| visible.at(row - 1, row) && visible.at(row - 2, row - 1));
    let is_mutual =
        (0..size).all(|row| (0..row).all(|column| visible.at(row, column) == visible.at(column, row)));
    size >= 3 && is_hidden && in_a_row && !is_mutual
}
