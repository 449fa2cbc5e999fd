//! A mask of the opposite convention: it hides the past and shows the future.

use super::attention::Attention;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement, SoftmaxKind};
use crate::tensor::{Arg, DType, Site, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "mask-inverted",
    title: "the mask hides the past and shows the future",
    why: "A causal mask lets token i see keys 0 to i. With an inverted mask, a token is predicted from the tokens after \
          it, and the last token sees only itself or nothing.",
    detector: Detector::Cell(detect),
};

/// Which keys a square mask hides from each token.
#[derive(Clone, Copy, PartialEq)]
enum HiddenKeys {
    Past,
    PastAndItself,
    FutureAndItself,
}

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let check = |step: &Traced| match step.operation.explanation {
        Explanation::Softmax(SoftmaxKind::Weights) => {
            Attention::of_softmax(step).and_then(|attention| in_scores(&attention, cell))
        }
        Explanation::Attention => in_fused_attention(step, cell),
        _ => None,
    };
    cell.trace.steps.iter().filter_map(check).collect()
}

/// Checks the scores that a softmax takes.
fn in_scores(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    // Along another axis the scores are transposed: their rows are then not queries.
    let input = attention.input().filter(|_| attention.axis == 1)?;
    let size = square(&input)?;
    let values = last_matrix(&input, size)?;
    let hidden = hidden_keys(size, |at| values[at] <= -1e9)?;
    let masking = attention.before.iter().find(|step| match step.explanation() {
        Explanation::MaskedFill | Explanation::Assignment => true,
        Explanation::Pointwise(formula) => formula == Formula::Add,
        Explanation::Moved(movement) => movement == Movement::Chosen,
        _ => false,
    });
    let mask = masking.and_then(|step| step.other());
    let mask = mask.and_then(|mask| mask.tensor().map(|mask| cell.name_of(mask, "the mask")));
    let site = masking.and_then(|step| step.record.site.clone()).or_else(|| attention.site());
    Some(observation(hidden, size, &mask.unwrap_or_else(|| "the mask".to_owned()), site))
}

/// Checks the mask of fused attention, in which True means "keep".
fn in_fused_attention(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let mask = step.args.get(3).and_then(Arg::tensor)?;
    let size = square(mask)?;
    let values = last_matrix(mask, size)?;
    let is_hidden = |at: usize| match mask.dtype() {
        DType::Bool => values[at] == 0.0,
        _ => values[at] <= -1e9,
    };
    let hidden = hidden_keys(size, is_hidden)?;
    let name = cell.name_of(mask, "attn_mask");
    let mut observation = observation(hidden, size, &name, step.site());
    if mask.dtype() == DType::Bool && hidden != HiddenKeys::FutureAndItself {
        observation.fix = format!(
            "True means \"keep\" for F.scaled_dot_product_attention (and \"hide\" for nn.MultiheadAttention): pass \
             ~{name}, or is_causal=True"
        );
    }
    Some(observation)
}

fn observation(hidden: HiddenKeys, size: usize, mask: &str, site: Option<Site>) -> Observation {
    let last = size - 1;
    let (observed, fix) = match hidden {
        HiddenKeys::Past => (
            format!(
                "{mask} hides every key before the token's own and none after it: token 0 sees all {size} keys, token \
                 {last} only itself."
            ),
            "hide what is above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()",
        ),
        HiddenKeys::PastAndItself => (
            format!(
                "{mask} hides the token's own key and every key before it, and none after it: token 0 sees tokens 1 to \
                 {last}, token {last} sees none."
            ),
            "the mask is inverted: it is True where the token may look. Use ~mask, or torch.triu(..., diagonal=1).bool()",
        ),
        HiddenKeys::FutureAndItself => (
            format!(
                "{mask} hides the diagonal too: no token sees itself, token 0 sees nothing, token 1 only token 0."
            ),
            "diagonal=1 starts above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()",
        ),
    };
    let mut observation = Observation::new(site, observed, fix);
    if hidden == HiddenKeys::FutureAndItself {
        observation.why = Some(
            "A token must see at least itself. The first token sees nothing, so the first row of weights is nan.",
        );
    }
    observation
}

/// The size of the last two axes, if they are equal and greater than one.
fn square(tensor: &Tensor) -> Option<usize> {
    match tensor.shape() {
        [.., rows, columns] if rows == columns && *rows > 1 && tensor.numel() <= 1 << 22 => Some(*rows),
        _ => None,
    }
}

fn last_matrix(tensor: &Tensor, size: usize) -> Option<Vec<f64>> {
    let values = tensor.to_f64_vec();
    let start = values.len().checked_sub(size * size)?;
    Some(values[start..].to_vec())
}

fn hidden_keys(size: usize, is_hidden: impl Fn(usize) -> bool) -> Option<HiddenKeys> {
    let exactly =
        |is: fn(usize, usize) -> bool| (0..size * size).all(|at| is_hidden(at) == is(at / size, at % size));
    if exactly(|row, column| column < row) {
        Some(HiddenKeys::Past)
    } else if exactly(|row, column| column <= row) {
        Some(HiddenKeys::PastAndItself)
    } else if exactly(|row, column| column >= row) {
        Some(HiddenKeys::FutureAndItself)
    } else {
        None
    }
}
