//! A causal mask that begins too far above the diagonal, so that each token sees one later token or more.

use super::attention::Attention;
use super::mask::{Visible, fused_visible, last_matrix, lines_with_many_masks, masking_step, of_weights};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::Site;
use crate::tensor::explanation::Explanation;

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A104",
    name: "mask-off-by-one",
    title: "the causal mask leaves a later token in sight",
    why: "The token right after it is what a token has to predict. If it is in sight, the loss falls to nearly nothing in \
          training, and the model has learned to copy, not to predict.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let check = |step: &Traced| {
        if step.operation.explanation == Explanation::Attention {
            let (mask, visible) = fused_visible(step)?;
            let beyond = visible_beyond(&visible).filter(|it| *it == ONE)?;
            return Some(observation(&cell.name_of(&mask, "attn_mask"), beyond, None, step.site()));
        }
        if let Some((mask, visible)) = of_weights(step) {
            let name = mask.map_or_else(|| "the triangle".to_owned(), |mask| cell.name_of(&mask, "the mask"));
            return Some(observation(
                &name,
                visible_beyond(&visible).filter(|it| *it == ONE)?,
                None,
                step.site(),
            ));
        }
        let attention = Attention::of_softmax(step).or_else(|| Attention::of_other_weights(step))?;
        let input = attention.input().filter(|_| attention.axis == 1)?;
        let visible = Visible::of(&input, |score| score > -1e4 && !score.is_nan())?;
        let beyond = visible_beyond(&visible).filter(|it| *it == ONE)?;
        let (mask, site) = masking_step(&attention, cell);
        let weights = last_matrix(&attention.weights, visible.size);
        let weight = weights.filter(|_| attention.context.is_some() || visible.at(0, 1)).map(|it| it[1]);
        Some(observation(&mask, beyond, weight.filter(|it| *it > 0.0), site))
    };
    let varied = lines_with_many_masks(cell);
    let is_varied = |step: &&Traced| step.site().is_some_and(|it| varied.contains(&(it.cell, it.line)));
    cell.trace.steps.iter().filter(|step| !is_varied(step)).filter_map(check).collect()
}

fn observation(mask: &str, beyond: usize, weight: Option<f64>, site: Option<Site>) -> Observation {
    let ahead = match beyond {
        1 => "the one after it".to_owned(),
        _ => format!("the {beyond} after it"),
    };
    let share = weight
        .map(|it| format!(" Token 0 gives {} of its weight to token 1.", figure(it)))
        .unwrap_or_default();
    let observed = format!("{mask} leaves keys after the diagonal in sight: each token sees {ahead}.{share}");
    let fix = "diagonal=1 begins right above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool(); with \
               torch.tril it is diagonal=0";
    Observation::new(site, observed, fix)
}

/// The next token in sight, which a token is to predict; a mask that shows more looks ahead on purpose.
const ONE: usize = 1;

/// How many later tokens a token sees at most, where those further on are hidden. Two tokens in a row see so many, so
/// that it is no block of tokens that see each other; and what sees is not seen, so that it is no window on both sides.
fn visible_beyond(visible: &Visible) -> Option<usize> {
    let size = visible.size;
    let furthest = (0..size).flat_map(|row| {
        (row + 1..size).filter(move |column| visible.at(row, *column)).map(move |it| it - row)
    });
    let beyond = furthest.max()?;
    let in_a_row =
        (1..size - beyond).any(|row| visible.at(row, row + beyond) && visible.at(row - 1, row - 1 + beyond));
    let is_mutual =
        (0..size).all(|row| (0..row).all(|column| visible.at(row, column) == visible.at(column, row)));
    (size >= 3 && beyond + 1 < size && in_a_row && !is_mutual).then_some(beyond)
}
