//! A causal mask that begins too far above the diagonal, so that each token sees one later token or more.

use super::attention::Attention;
use super::mask::{last_matrix, masking_step, square};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;

pub(super) static MISTAKE: Mistake = Mistake {
    name: "mask-off-by-one",
    title: "the causal mask leaves a later token in sight",
    why: "The token right after it is what a token has to predict. If it is in sight, the loss falls to nearly nothing in \
          training, and the model has learned to copy, not to predict.",
    implied_by: &[],
    detector: Detector::Attention(detect),
};

fn detect(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let input = attention.input().filter(|_| attention.axis == 1)?;
    let size = square(&input).filter(|size| *size >= 3)?;
    let values = last_matrix(&input, size)?;
    let beyond = visible_beyond(size, |at| values[at] <= -1e9)?;
    let (mask, site) = masking_step(attention, cell);
    let weights = last_matrix(&attention.weights, size)?;
    let ahead = match beyond {
        1 => "the one after it".to_owned(),
        _ => format!("the {beyond} after it"),
    };
    let observed = format!(
        "{mask} leaves keys after the diagonal in sight: each token sees {ahead}. Token 0 gives {} of its weight to token \
         1.",
        figure(weights[1])
    );
    let fix = "diagonal=1 begins right above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool(); with \
               torch.tril it is diagonal=0";
    Some(Observation::new(site, observed, fix))
}

/// How many later tokens each token sees, where exactly those further on are hidden.
fn visible_beyond(size: usize, is_hidden: impl Fn(usize) -> bool) -> Option<usize> {
    let beyond = (1..size).take_while(|column| !is_hidden(*column)).count();
    let exactly = (0..size * size).all(|at| is_hidden(at) == (at % size > at / size + beyond));
    (beyond >= 1 && beyond + 1 < size && exactly).then_some(beyond)
}
