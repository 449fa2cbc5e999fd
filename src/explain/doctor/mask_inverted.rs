//! A mask of the opposite convention: it hides the past and shows the future.

use super::attention::Attention;
use super::mask::{last_matrix, masking_step, square};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, SoftmaxKind};
use crate::tensor::{Arg, DType, Site};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "mask-inverted",
    title: "the mask hides the past and shows the future",
    why: "A causal mask lets token i see keys 0 to i. With an inverted mask, a token is predicted from the tokens after \
          it, and the last token sees only itself or nothing.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

/// Which keys a square mask hides from each token.
#[derive(Clone, Copy, PartialEq)]
enum HiddenKeys {
    Past,
    PastAndItself,
    FutureAndItself,
}

/// Whether a name around an operation says that its text is read from the end.
fn reads_backwards(step: &Traced) -> bool {
    const WORDS: [&str; 4] = ["backward", "reverse", "right_to_left", "righttoleft"];
    step.calls.iter().filter(|call| !call.library).any(|call| {
        let name = call.function.to_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    })
}

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let check = |step: &Traced| match step.operation.explanation {
        Explanation::Softmax(SoftmaxKind::Weights) => {
            Attention::of_softmax(step).and_then(|attention| in_scores(&attention, cell))
        }
        Explanation::Attention => in_fused_attention(step, cell),
        _ => None,
    };
    cell.trace.steps.iter().filter(|step| !reads_backwards(step)).filter_map(check).collect()
}

/// Checks the scores that a softmax takes.
fn in_scores(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    // Along another axis the scores are transposed: their rows are then not queries.
    let input = attention.input().filter(|_| attention.axis == 1)?;
    let size = square(&input)?;
    let values = last_matrix(&input, size)?;
    let hidden = hidden_keys(size, |at| values[at] <= -1e9)?;
    let (mask, site) = masking_step(attention, cell);
    Some(observation(hidden, size, &mask, site))
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
        observation.title = Some("the mask hides each token from itself");
        observation.why = Some(
            "A token must see at least itself. The first token sees nothing, so the first row of weights is nan.",
        );
    }
    observation
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
