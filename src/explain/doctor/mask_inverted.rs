//! A mask of the opposite convention: it hides the past and shows the future.

use super::attention::Attention;
use super::flow::source;
use super::mask::{Visible, fused_visible, masking_step, of_weights, steps_with_one_mask};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, DType, Site, Tensor};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A102",
    "mask-inverted",
    "the mask hides the past and shows the future",
    "A causal mask lets token i see keys 0 to i. With an inverted mask, a token is predicted from the tokens after \
          it, and the last token sees only itself or nothing.",
    &[Detector::Cell(detect)],
);

/// Which keys a square mask hides from each token.
#[derive(Clone, Copy, PartialEq)]
enum HiddenKeys {
    Past,
    SomeOfThePast,
    PastAndItself,
    FutureAndItself,
    /// The same of the keys that not every token sees: the others are a prefix, or a sink.
    PastBesidePrefix,
    FutureAndItselfBesidePrefix,
    AllOthers,
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
        Explanation::Attention => in_fused_attention(step, cell),
        Explanation::Pointwise(Formula::Mul) | Explanation::Triangle { .. } => {
            let (mask, visible) = of_weights(step)?;
            // Products of features may leave a token out of its own sum, as the delta rule does.
            let is_softmax = |step: &Traced| Attention::of_softmax(step).is_some();
            let hidden = hidden_keys(&visible)
                .filter(|it| *it != HiddenKeys::FutureAndItself || cell.steps().any(is_softmax))?;
            let name = mask.map_or_else(|| "the triangle".to_owned(), |mask| cell.name_of(&mask, "the mask"));
            Some(observation(hidden, visible.size, &name, step.site()))
        }
        _ => {
            let attention = Attention::of_softmax(step).or_else(|| Attention::of_other_weights(step))?;
            in_scores(&attention, cell)
        }
    };
    steps_with_one_mask(cell).filter(|step| !reads_backwards(step)).filter_map(check).collect()
}

/// Checks the scores that a softmax takes.
fn in_scores(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    // Along another axis the scores are transposed: their rows are then not queries.
    let input = attention.input().filter(|_| attention.axis == 1)?;
    if let Some(found) = text_hidden(attention, &input, cell) {
        return Some(found);
    }
    let visible = Visible::of_scores(&input)?;
    let hidden = hidden_keys(&visible)?;
    let (mask, site) = masking_step(attention, cell);
    Some(observation(hidden, visible.size, &mask, site))
}

/// Scores of several texts or blocks, of which a mask of keys hides one from its first key to its last, with a finite number.
/// A text without a token would be none, so the mask has the opposite meaning.
fn text_hidden(attention: &Attention, input: &Tensor, cell: &TracedCell) -> Option<Observation> {
    const HIDDEN: f64 = -1e4;
    let &[.., rows, columns] = input.shape() else { return None };
    let size = rows * columns;
    if columns < 2 || size == 0 || input.numel() == size || input.numel() > 1 << 20 {
        return None;
    }
    let step = attention.before.iter().find(|step| step.fill().is_some_and(|fill| fill <= HIDDEN))?;
    let mask = step.other()?.tensor()?.clone();
    let &[.., 1, keys] = mask.shape() else { return None };
    if keys != columns || mask.numel() == columns {
        return None;
    }
    let values = input.to_f64_vec();
    let is_hidden = |score: &f64| score.is_finite() && *score <= HIDDEN;
    let text = values.chunks(size).position(|text| text.iter().all(is_hidden))?;
    values.chunks(size).find(|text| text.iter().any(is_hidden) && !text.iter().all(is_hidden))?;
    let (name, site) = masking_step(attention, cell);
    let observed = format!(
        "{name} hides all {columns} keys in matrix {text} of the scores with one finite number, so all of them get the same \
         weight; elsewhere it hides some."
    );
    let fix = "the mask is inverted: use ~mask, so that padding is hidden and the text is seen";
    Some(Observation::new(site, observed, fix).titled("the mask hides a whole text").because("A text has tokens, and a mask of padding leaves those in sight. With the opposite mask a token gets its context \
         from padding alone, and a text without padding gets the mean of all its values."))
}

/// Checks the mask of fused attention, in which True means "keep".
fn in_fused_attention(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if let Some(found) = padding_kept(step, cell) {
        return Some(found);
    }
    let (mask, visible) = fused_visible(step)?;
    let hidden = hidden_keys(&visible)?;
    let name = cell.name_of(&mask, "attn_mask");
    let mut observation = observation(hidden, visible.size, &name, step.site());
    if mask.dtype() == DType::Bool && hidden != HiddenKeys::FutureAndItself {
        observation.fix = format!(
            "True means \"keep\" for F.scaled_dot_product_attention (and \"hide\" for nn.MultiheadAttention): pass \
             ~{name}, or is_causal=True"
        );
    }
    Some(observation)
}

/// A mask that is named for padding and True at the ends of texts, where True means "keep".
fn padding_kept(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let mask = step
        .args
        .get(3)
        .and_then(Arg::tensor)
        .filter(|it| it.dtype() == DType::Bool && it.numel() <= 1 << 16)?;
    let (_, start) = source(mask);
    let name = cell.name_of(&start, "");
    let columns = *mask.shape().last()?;
    let values = mask.to_bool_vec();
    let is_end = |row: &[bool]| row.iter().skip_while(|it| !**it).all(|it| *it) && !row[0];
    let rows = || values.chunks(columns.max(1));
    let ends = columns > 1 && rows().all(is_end) && rows().any(|row| row.contains(&true));
    let differ = rows().any(|row| rows().next() != Some(row));
    if !name.to_lowercase().contains("pad") || !ends || !differ {
        return None;
    }
    let hidden = rows().next()?.iter().filter(|it| !**it).count();
    let observed = format!(
        "{name} is True at the ends of the texts, and True means \"keep\" here: of the first text the {hidden} tokens \
         before its padding are hidden, and the padding is seen."
    );
    let fix = format!(
        "True means \"keep\" for F.scaled_dot_product_attention (and \"hide\" for nn.MultiheadAttention): pass ~{name}"
    );
    Some(Observation::new(step.site(), observed, fix).titled("the mask hides the text and shows the padding"))
}

fn observation(hidden: HiddenKeys, size: usize, mask: &str, site: Option<Site>) -> Observation {
    let last = size - 1;
    const ABOVE: &str = "hide what is above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()";
    const STARTS: &str =
        "diagonal=1 starts above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()";
    let (observed, fix) = match hidden {
        HiddenKeys::Past => (
            format!(
                "{mask} hides every key before the token's own and none after it: token 0 sees all {size} keys, token \
                 {last} only itself."
            ),
            ABOVE,
        ),
        HiddenKeys::SomeOfThePast => (
            format!(
                "{mask} hides keys before a token's own and none after it: token {last} does not see token 0, and token 0 \
                 sees all {size} keys."
            ),
            "a window is a part of the causal mask: hide what is too far back, and everything above the diagonal",
        ),
        HiddenKeys::PastAndItself => (
            format!(
                "{mask} hides the token's own key and every key before it, and none after it: token 0 sees tokens 1 to \
                 {last}, token {last} sees none."
            ),
            "the mask is inverted: it is True where the token may look. Use ~mask, or torch.triu(..., diagonal=1).bool()",
        ),
        HiddenKeys::PastBesidePrefix => (
            format!(
                "of the keys that not every token sees, {mask} hides each one from the tokens after it, and shows it to those \
                 before it."
            ),
            ABOVE,
        ),
        HiddenKeys::FutureAndItselfBesidePrefix => (
            format!(
                "of the keys that not every token sees, {mask} shows each one to the tokens after it only, and not to itself."
            ),
            STARTS,
        ),
        HiddenKeys::AllOthers => (
            format!("{mask} hides every key but the token's own: each weight is 0 or 1."),
            "the mask is inverted: use ~mask",
        ),
        HiddenKeys::FutureAndItself => (
            format!(
                "{mask} hides the diagonal too: no token sees itself, token 0 sees nothing, token 1 only token 0."
            ),
            STARTS,
        ),
    };
    let found = Observation::new(site, observed, fix);
    match hidden {
        HiddenKeys::FutureAndItself => found.titled("the mask hides each token from itself").because(
            "A token must see at least itself. The first token sees nothing, so the first row of weights is nan.",
        ),
        HiddenKeys::FutureAndItselfBesidePrefix => found
            .titled("the mask hides each token from itself")
            .because("A token must see at least itself: what it is, is the most important part of its context."),
        HiddenKeys::AllOthers => found
            .titled("the mask shows each token only itself")
            .because("Attention combines tokens. If each sees only itself, it computes nothing."),
        _ => found,
    }
}

fn hidden_keys(visible: &Visible) -> Option<HiddenKeys> {
    // Only the diagonal may be in sight of some: a token sees itself.
    if visible.all(|token, key| key > token) {
        Some(HiddenKeys::PastAndItself)
    } else if visible.all(|token, key| key >= token) {
        Some(HiddenKeys::Past)
    } else if visible.all(|token, key| key < token) {
        Some(HiddenKeys::FutureAndItself)
    } else if visible.hides_only(|token, key| key < token) {
        Some(HiddenKeys::SomeOfThePast)
    } else if visible.size >= 3 && visible.is_exactly(|token, key| key == token) {
        Some(HiddenKeys::AllOthers)
    } else if visible.is_beside_seen_by_all(|token, key| key >= token) {
        Some(HiddenKeys::PastBesidePrefix)
    } else if visible.is_beside_seen_by_all(|token, key| key < token) {
        Some(HiddenKeys::FutureAndItselfBesidePrefix)
    } else {
        None
    }
}
