//! Masks that hide the wrong keys, or do not hide them.

use super::attention::Attention;
use super::flow::{FlowStep, is_zero_one, source};
use super::mask::{
    NO_WEIGHT, Visible, fused_visible, is_visible, last_matrix, masking_step, of_weights, steps_with_one_mask,
};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, DType, Site, Tensor};

pub(super) static INVERTED: Mistake = Mistake::new(
    ("A102", "mask-inverted"),
    "the mask hides the past and shows the future",
    "A causal mask lets token i see keys 0 to i. With an inverted mask, a token is predicted from the tokens after \
     it, and the last token sees only itself or nothing.",
    &[Detector::Cell(inverted)],
);

/// Whether a name around an operation says that its text is read from the end.
fn reads_backwards(step: &Traced) -> bool {
    const WORDS: [&str; 4] = ["backward", "reverse", "right_to_left", "righttoleft"];
    step.calls.iter().filter(|call| !call.library).any(|call| {
        let name = call.function.to_lowercase();
        WORDS.iter().any(|word| name.contains(word))
    })
}

fn inverted(cell: &TracedCell) -> Vec<Observation> {
    let check = |step: &Traced| match step.operation.explanation {
        Explanation::Attention => in_fused_attention(step, cell),
        Explanation::Pointwise(Formula::Mul) | Explanation::Triangle { .. } => {
            let (mask, visible) = of_weights(step)?;
            // Products of features may leave a token out of its own sum, as the delta rule does.
            let is_softmax = |step: &Traced| Attention::of_softmax(step).is_some();
            let name = mask.map_or_else(|| "the triangle".to_owned(), |mask| cell.name_of(&mask, "the mask"));
            let (found, hides_itself) = wrongly_hidden(&visible, &name, step.site())?;
            (!hides_itself || cell.steps().any(is_softmax)).then_some(found)
        }
        _ => {
            if let Some(attention) = Attention::of_softmax(step) {
                return in_scores(&attention, cell).map(|(found, _)| found);
            }
            // A block of scores, the other blocks of whose rows are elsewhere, may hide its diagonal.
            let (found, hides_itself) = in_scores(&Attention::of_other_weights(step)?, cell)?;
            (!hides_itself).then_some(found)
        }
    };
    steps_with_one_mask(cell).filter(|step| !reads_backwards(step)).filter_map(check).collect()
}

/// Checks the scores that a softmax takes; with whether the mask is a causal one that hides the token itself too.
fn in_scores(attention: &Attention, cell: &TracedCell) -> Option<(Observation, bool)> {
    // Along another axis the scores are transposed: their rows are then not queries.
    let input = attention.input().filter(|_| attention.axis == 1)?;
    if let Some(found) = text_hidden(attention, &input, cell) {
        return Some((found, false));
    }
    let mut masks = attention.before.iter().filter_map(|step| step.other()?.tensor().cloned());
    if masks.any(|mask| is_tile(&mask)) {
        return None;
    }
    let visible = Visible::of(&input, is_visible)?;
    let (mask, site) = masking_step(attention, cell);
    wrongly_hidden(&visible, &mask, site)
}

/// Whether a mask is a part of a larger one that begins at another query or key than the first: its diagonal is elsewhere.
fn is_tile(mask: &Tensor) -> bool {
    let layout = mask.layout();
    let (&[.., columns], &[.., down, _]) = (mask.shape(), &layout.strides[..]) else { return false };
    down > columns && layout.offset > 0 && mask.dtype() == DType::Bool
}

/// Scores of several texts or blocks, of which a mask of keys hides one from its first key to its last, with a finite number.
/// A text without a token would be none, so the mask has the opposite meaning.
fn text_hidden(attention: &Attention, input: &Tensor, cell: &TracedCell) -> Option<Observation> {
    let &[.., rows, columns] = input.shape() else { return None };
    let size = rows * columns;
    if columns < 2 || size == 0 || input.numel() == size || input.numel() > 1 << 20 {
        return None;
    }
    let step = attention.before.iter().find(|step| step.fill().is_some_and(|fill| fill <= NO_WEIGHT))?;
    let mask = step.other()?.tensor()?.clone();
    let &[.., 1, keys] = mask.shape() else { return None };
    if keys != columns || mask.numel() == columns {
        return None;
    }
    let values = input.to_f64_vec();
    let is_hidden = |score: &f64| score.is_finite() && *score <= NO_WEIGHT;
    let text = values.chunks(size).position(|text| text.iter().all(is_hidden))?;
    values.chunks(size).find(|text| text.iter().any(is_hidden) && !text.iter().all(is_hidden))?;
    let (name, site) = masking_step(attention, cell);
    let observed = format!(
        "{name} hides all {columns} keys in matrix {text} of the scores with one finite number, so all of them get the same \
         weight; elsewhere it hides some."
    );
    let fix = "the mask is inverted: use ~mask, so that padding is hidden and the text is seen";
    let found = Observation::new(site, observed, fix).titled("the mask hides a whole text");
    Some(found.because(
        "A text has tokens, and a mask of padding leaves those in sight. With the opposite mask a token gets its context \
         from padding alone, and a text without padding gets the mean of all its values.",
    ))
}

/// Checks the mask of fused attention, in which True means "keep".
fn in_fused_attention(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if let Some(found) = padding_kept(step, cell) {
        return Some(found);
    }
    let (mask, visible) = fused_visible(step)?;
    let name = cell.name_of(&mask, "attn_mask");
    let (mut found, hides_itself) = wrongly_hidden(&visible, &name, step.site())?;
    if mask.dtype() == DType::Bool && !hides_itself {
        found.fix = format!(
            "True means \"keep\" for F.scaled_dot_product_attention (and \"hide\" for nn.MultiheadAttention): pass \
             ~{name}, or is_causal=True"
        );
    }
    Some(found)
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

/// What a square mask hides that should be in sight, and whether it is a causal one that hides the token itself too.
fn wrongly_hidden(visible: &Visible, mask: &str, site: Option<Site>) -> Option<(Observation, bool)> {
    let (size, last) = (visible.size, visible.size - 1);
    let mut hides_itself = false;
    let found = |observed: String, fix: &str| Observation::new(site.clone(), observed, fix);
    // Only the diagonal may be in sight of some: a token sees itself.
    let found = if visible.all(|token, key| key > token) {
        let observed = format!(
            "{mask} hides the token's own key and every key before it, and none after it: token 0 sees tokens 1 to \
             {last}, token {last} sees none."
        );
        let fix = "the mask is inverted: it is True where the token may look. Use ~mask, or torch.triu(..., diagonal=1).bool()";
        found(observed, fix)
    } else if visible.all(|token, key| key >= token) {
        let observed = format!(
            "{mask} hides every key before the token's own and none after it: token 0 sees all {size} keys, token \
             {last} only itself."
        );
        found(observed, "hide what is above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()")
    } else if visible.all(|token, key| key < token) {
        hides_itself = true;
        let observed = format!(
            "{mask} hides the diagonal too: no token sees itself, token 0 sees nothing, token 1 only token 0."
        );
        found(observed, "diagonal=1 starts above the diagonal: torch.triu(torch.ones(T, T), diagonal=1).bool()").titled("the mask hides each token from itself").because(
            "A token must see at least itself. The first token sees nothing, so the first row of weights is nan.",
        )
    } else if visible.hides_past_alone() {
        let observed = format!(
            "{mask} hides keys before a token's own, and none after it: token 0 sees keys 1 to {last}."
        );
        let fix = "a window is a part of the causal mask: hide what is too far back, and everything above the diagonal";
        found(observed, fix)
    } else {
        return None;
    };
    Some((found, hides_itself))
}

pub(super) static OFF_BY_ONE: Mistake = Mistake::new(
    ("A104", "mask-off-by-one"),
    "the causal mask leaves a later token in sight",
    "The token right after it is what a token has to predict. If it is in sight, the loss falls to nearly nothing in \
     training, and the model has learned to copy, not to predict.",
    &[Detector::Cell(off_by_one)],
);

fn off_by_one(cell: &TracedCell) -> Vec<Observation> {
    let check = |step: &Traced| {
        if step.operation.explanation == Explanation::Attention {
            let (mask, _) = fused_visible(step).filter(|(_, visible)| shows_next(visible))?;
            return Some(next_in_sight(&cell.name_of(&mask, "attn_mask"), None, step.site()));
        }
        if let Some((mask, visible)) = of_weights(step) {
            let name = mask.map_or_else(|| "the triangle".to_owned(), |mask| cell.name_of(&mask, "the mask"));
            return shows_next(&visible).then(|| next_in_sight(&name, None, step.site()));
        }
        let attention = Attention::of_softmax(step).or_else(|| Attention::of_other_weights(step))?;
        let input = attention.input().filter(|_| attention.axis == 1)?;
        let visible = Visible::of(&input, |score| score > NO_WEIGHT && !score.is_nan()).filter(shows_next)?;
        let (mask, site) = masking_step(&attention, cell);
        let weights = last_matrix(&attention.weights, visible.size);
        let weight = weights.filter(|_| attention.context.is_some() || visible.at(0, 1)).map(|it| it[1]);
        Some(next_in_sight(&mask, weight.filter(|it| *it > 0.0), site))
    };
    steps_with_one_mask(cell).filter_map(check).collect()
}

fn next_in_sight(mask: &str, weight: Option<f64>, site: Option<Site>) -> Observation {
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
/// ahead on purpose. Two tokens in a row see so many, so that it is no block of tokens that see each other; and not all that is
/// further away than one place is hidden on both sides, as in a window.
fn shows_next(visible: &Visible) -> bool {
    let size = visible.size;
    let is_hidden = (0..size).all(|row| (row + 2..size).all(|column| !visible.at(row, column)));
    let in_a_row = (2..size).any(|row| visible.at(row - 1, row) && visible.at(row - 2, row - 1));
    // The first keys may be in sight of all, as those of global tokens are.
    let is_window =
        (size / 2 + 2..size).all(|row| (size / 2..row - 1).all(|column| !visible.at(row, column)));
    size >= 3 && is_hidden && in_a_row && (size < 5 || !is_window)
}

pub(super) static LEAKS: Mistake = Mistake::new(
    ("A103", "mask-leaks"),
    "hidden keys still get weight",
    "The softmax takes exp of every score, and exp(0) is 1: a hidden key gets a share like any other, often more \
     than keys with a negative score. Only exp of minus infinity is 0.",
    &[Detector::Weights(leaks), Detector::Step(cast_mask)],
);

/// A boolean mask that fused attention gets as floats, and adds to the scores.
fn cast_mask(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.explanation != Explanation::Attention {
        return None;
    }
    let mask =
        step.args.get(3).and_then(Arg::tensor).filter(|it| it.dtype().is_float() && is_zero_one(it))?;
    if source(mask).1.dtype() != DType::Bool {
        return None;
    }
    let name = cell.name_of(mask, "The mask");
    let observed = format!(
        "{name} was boolean and is {} now: scaled_dot_product_attention adds its zeros and ones to the scores.",
        mask.dtype().name()
    );
    Some(Observation::new(step.site(), observed, "attn_mask=mask, boolean: True where a key is in sight"))
}

/// A smaller number that is added leaves hidden keys next to nothing.
const LEAST_ADDED: f64 = -20.0;

/// The number that a mask sets the scores of hidden keys to, or adds to them, and whether it adds it.
fn masking(step: &FlowStep) -> Option<(f64, bool)> {
    if step.explanation() == Explanation::Pointwise(Formula::Add) {
        let mask = step.other()?.tensor()?.clone();
        let by = single_addend(&mask).filter(|by| *by > LEAST_ADDED)?;
        return (mask.ndim() >= 2 && hides_later(&mask, by)).then_some((by, true));
    }
    step.fill().filter(|fill| fill.is_finite() && *fill > NO_WEIGHT).map(|fill| (fill, false))
}

/// The number besides 0 in a tensor that has no third one.
fn single_addend(mask: &Tensor) -> Option<f64> {
    if mask.numel() > 1 << 20 {
        return None;
    }
    let values = mask.to_f64_vec();
    let by = values.iter().copied().find(|it| *it != 0.0)?;
    (values.contains(&0.0) && values.iter().all(|it| *it == 0.0 || *it == by)).then_some(by)
}

/// Whether a number is that of all keys above the diagonal, perhaps of others too; or, where it is no penalty, exactly of those
/// above it, or on and below it.
fn hides_later(mask: &Tensor, by: f64) -> bool {
    let &[.., rows, columns] = mask.shape() else { return false };
    let values = mask.to_f64_vec();
    // For each element whether it is that number, and whether its column is after its row.
    let all = |fits: fn(bool, bool) -> bool| {
        let mut table = values.iter().take(rows * columns).enumerate();
        rows == columns && table.all(|(at, it)| fits(*it == by, at % columns > at / columns))
    };
    // A learned or a small bias against later tokens may be meant.
    match by <= -1.0 {
        true => !mask.requires_grad() && all(|is, after| is || !after),
        false => all(|is, after| is == after) || all(|is, after| is != after),
    }
}

fn leaks(attention: &Attention, cell: &TracedCell) -> Option<Observation> {
    let (step, (fill, is_added)) = attention.before.iter().find_map(|step| Some((step, masking(step)?)))?;
    let (input, weights) = (attention.input()?, &attention.weights);
    if input.numel() > 1 << 22 || input.shape() != weights.shape() {
        return None;
    }
    let mask = match step.other() {
        Some(Arg::Tensor(mask)) => cell.name_of(&mask, "the mask"),
        _ => step.name().to_owned(),
    };
    let site = step.record.site.clone();
    if is_added {
        let observed = format!(
            "{mask} is added to the scores, and has the number {} besides 0: hidden keys keep their weight.",
            figure(fill)
        );
        let fix = "add -inf there, not 1: torch.full((T, T), -torch.inf).triu(1); or scores.masked_fill(mask.bool(), \
                   -torch.inf)";
        return Some(Observation::new(site, observed, fix));
    }
    let (scores, weights) = (input.to_f64_vec(), weights.to_f64_vec());
    let hidden = hidden_elements(step)?;
    // A scaling after the masking scales the fill too. A later mask may also hide the same keys with -inf.
    let after = attention.before.iter().take_while(|it| !std::ptr::eq(*it, step));
    let filled = after.filter_map(FlowStep::factor).fold(fill, |fill, factor| fill * factor);
    let is_filled = |score: f64| (score - filled).abs() <= 1e-6 * filled.abs();
    let leaking: Vec<usize> = (0..scores.len())
        .filter(|at| hidden[at % hidden.len()] && is_filled(scores[*at]) && weights[*at] > 1e-6)
        .collect();
    let (first, count) = (*leaking.first()?, leaking.len());
    // A few scores may have this value by coincidence.
    if count * 2 < hidden.iter().filter(|it| **it).count() {
        return None;
    }
    let columns = *input.shape().last()?;
    let row = first / columns;
    let share: f64 = leaking.iter().filter(|at| **at / columns == row).map(|at| weights[*at]).sum();
    let observed = format!(
        "{count} scores that {mask} hides are {}, not -inf, at the softmax: they get {} of the weight of row {}.",
        figure(filled),
        figure(share),
        row % input.shape().iter().rev().nth(1).copied().unwrap_or(1)
    );
    Some(Observation::new(site, observed, "scores.masked_fill(mask.bool(), -torch.inf), before the softmax"))
}

/// Which elements of the last two axes the mask hides.
fn hidden_elements(step: &FlowStep) -> Option<Vec<bool>> {
    let shape = step.result.shape();
    let size: usize = shape.iter().rev().take(2).product();
    match (step.explanation(), step.other()) {
        (Explanation::Triangle { lower }, _) => {
            let values = step.result.to_f64_vec();
            let columns = *shape.last()?;
            let outside = |at: usize| {
                let (row, column) = (at / columns, at % columns);
                if lower { column > row } else { column < row }
            };
            Some((0..size).map(|at| values[at] == 0.0 && outside(at)).collect())
        }
        (explanation, Some(Arg::Tensor(mask))) => {
            let fits = mask
                .shape()
                .iter()
                .rev()
                .zip(shape.iter().rev())
                .all(|(own, wanted)| own == wanted || *own == 1);
            if mask.ndim() > shape.len() || !fits {
                return None;
            }
            let mask = mask.with_layout(mask.layout().broadcast_to(shape)).to_f64_vec();
            let chosen = explanation == Explanation::Moved(Movement::Chosen);
            let keeps = chosen && step.arg("input")?.tensor().is_some_and(|kept| kept.is(&step.operand));
            let multiplies = explanation == Explanation::Pointwise(Formula::Mul);
            let hides = if multiplies || keeps { 0.0 } else { 1.0 };
            Some(mask.into_iter().map(|it| it == hides).collect())
        }
        _ => None,
    }
}
