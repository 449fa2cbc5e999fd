//! A text that a model writes token by token: each new token should come from the outputs at the last one, and the newest
//! tokens should be read.

use std::collections::HashSet;

use super::attention::is_softmax;
use super::axes::carried_operands;
use super::flow::{Before, operand, operands, origin, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::repeated::is_attention;
use super::targets_not_shifted::reads_tokens;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::{DType, Tensor};

/// The most operations between a token that is chosen and the outputs that it is chosen from.
const LONGEST: usize = 12;
/// The most tensors that a search for embeddings examines.
const MOST_TENSORS: usize = 2000;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A208",
    "not-from-the-last-token",
    "the next token does not come from the last one",
    "The output at a token says what follows that token. A text is continued by the output at its last token, from the \
          newest tokens that the model can read; from another place it is written without what was just said.",
    &[Detector::Cell(detect)],
);

/// Texts that a model read: how many tokens each has, and all of them in order.
struct Read {
    size: usize,
    tokens: Vec<f64>,
}

/// Tokens that were chosen, one for each text, from the outputs at this place of so many.
struct Choice<'s> {
    step: &'s Traced,
    tokens: Vec<f64>,
    place: usize,
    places: usize,
}

fn detect(cell: &TracedCell) -> Vec<Observation> {
    let mut reads: Vec<Read> = Vec::new();
    let mut open: Option<Choice> = None;
    let mut found = Vec::new();
    for step in &cell.trace.steps {
        if let Some(read) = read_by(step) {
            if let Some(choice) =
                open.take_if(|choice| reads.iter().any(|before| continues(before, choice, &read)))
            {
                found.extend(elsewhere(&choice));
            }
            reads.push(read);
            // A model may look up places too before it looks up the tokens.
            if reads.len() > 2 {
                reads.remove(0);
            }
        } else if let Some(choice) = chosen(step) {
            open = Some(choice);
        } else if let (Some(last), Some(text)) = (reads.last(), joined(step)) {
            found.extend(unread(step, last, text).or_else(|| forgotten(step, last, text, cell)));
        }
    }
    found.truncate(1);
    found
}

/// The texts whose tokens an operation looks up.
fn read_by(step: &Traced) -> Option<Read> {
    let tokens = reads_tokens(step)?;
    Some(Read { size: tokens.shape()[1], tokens: tokens.floats()? })
}

/// The tokens that an operation chooses from a row of outputs for each text.
fn chosen(step: &Traced) -> Option<Choice<'_>> {
    if !matches!(step.operation.called(step.in_place), "argmax" | "multinomial") {
        return None;
    }
    let tokens = step.results.first()?.floats()?;
    let mut at = step.tensor(0)?.clone();
    for _ in 0..LONGEST {
        let record = origin(&at)?;
        let before = match is_softmax(&record) {
            true => operand(&record, 0)?,
            false => carried_operands(&record).into_iter().next()?,
        };
        if let Some((place, places)) = row_of(&at, &before).filter(|_| tokens.len() == before.shape()[0]) {
            return Some(Choice { step, tokens, place, places });
        }
        at = before;
    }
    None
}

/// The place of a view that has one row of outputs (text, token, class) for each text, and how many there are.
fn row_of(view: &Tensor, outputs: &Tensor) -> Option<(usize, usize)> {
    let [texts, places, classes] = *outputs.shape() else { return None };
    let is_row = view.shape() == [texts, classes] || texts == 1 && view.shape() == [classes];
    if !is_row || places < 2 || !view.storage().same(outputs.storage()) {
        return None;
    }
    let from = view.layout().offset.checked_sub(outputs.layout().offset)?;
    let stride = Some(outputs.layout().strides[1]).filter(|stride| *stride > 0)?;
    Some((from / stride, places)).filter(|(place, _)| *place < places)
}

/// Whether a model then read these texts with the chosen tokens behind them, or the chosen tokens alone.
fn continues(before: &Read, choice: &Choice, after: &Read) -> bool {
    let rows = || before.tokens.chunks(before.size).zip(&choice.tokens);
    let whole = || rows().flat_map(|(row, token)| row.iter().chain([token]).copied()).collect::<Vec<f64>>();
    before.size == choice.places
        && before.tokens.len() == before.size * choice.tokens.len()
        && (after.size == before.size + 1 && after.tokens == whole()
            || after.size == 1 && after.tokens == choice.tokens)
}

fn elsewhere(choice: &Choice) -> Option<Observation> {
    let Choice { place, places, .. } = *choice;
    let observed = format!(
        "The model read {places} tokens, and the next one is chosen from its outputs at token {place}, not at the last one, \
         {}.",
        places - 1
    );
    (place + 1 != places).then(|| Observation::new(choice.step.site(), observed, "logits = logits[:, -1, :]"))
}

/// The text, longer by a token, that joins one that was chosen to what was there before, which this returns.
fn joined(step: &Traced) -> Option<&TracedTensor> {
    let [text, token] = step.operands.as_slice() else { return None };
    let is_joined =
        matches!(step.operation.called(step.in_place), "cat" | "concat" | "concatenate" | "hstack");
    let is_text = !text.dtype.is_float() && text.shape().len() == 2 && token.shape() == [text.shape()[0], 1];
    let (_, chosen) = source(token.tensor.as_ref()?);
    let is_chosen = matches!(origin(&chosen)?.operation.called(false), "argmax" | "multinomial");
    (is_joined && is_text && is_chosen).then_some(text)
}

/// The model read the newest token alone, and nothing that it had computed of the tokens before: no cache and no state.
fn forgotten(step: &Traced, last: &Read, text: &TracedTensor, cell: &TracedCell) -> Option<Observation> {
    let size = text.shape()[1];
    let newest: Vec<f64> = text.floats()?.chunks(size).filter_map(|row| row.last().copied()).collect();
    let token = step.tensor(1)?.clone();
    let attends = || cell.steps().any(is_attention);
    if last.size != 1 || size < 3 || last.tokens != newest || !attends() || !reads_once(token) {
        return None;
    }
    let observed = format!(
        "The text has {size} tokens. The model read the last of them alone, and the next one depends on nothing that was computed \
         of the others: there is no cache."
    );
    let fix = "the whole text so far, ids, or a cache that keeps the keys and values of the tokens before";
    Some(
        Observation::new(step.site(), observed, fix)
            .titled("the model reads the newest token alone, without a cache"),
    )
}

/// Whether a tensor depends on one reading of each table of embeddings only. Which tokens are read is not followed.
fn reads_once(tensor: Tensor) -> bool {
    let (mut walk, mut tables) = (Before::of(&tensor, MOST_TENSORS), HashSet::new());
    while let Some(tensor) = walk.next() {
        let Some(record) = origin(&tensor) else { continue };
        let parts = operands(&record);
        if record.operation.explanation == Explanation::Moved(Movement::Embedded) {
            let table = parts.iter().find(|it| it.dtype().is_float()).map(|it| it.storage().address());
            if !tables.insert(table) {
                return false;
            }
            walk.go_on_with([]);
        } else {
            walk.go_on_with(parts.into_iter().filter(|it| it.dtype() != DType::Bool));
        }
    }
    walk.is_whole() && !tables.is_empty()
}

/// The model read the first tokens of a text, and the newest are missing.
fn unread(step: &Traced, last: &Read, text: &TracedTensor) -> Option<Observation> {
    let size = text.shape()[1];
    let tokens = text.floats()?;
    let all = |from: usize| {
        let mut rows = tokens.chunks(size).zip(last.tokens.chunks(last.size));
        rows.all(|(text, read)| text[from..][..last.size] == *read)
    };
    let is_cut = last.size >= 2 && last.size < size && last.tokens.len() / last.size == text.shape()[0];
    if !is_cut || !all(0) || all(size - last.size) {
        return None;
    }
    let observed = format!(
        "The text has {size} tokens, and the model read the first {} of them: what it wrote since never reaches it.",
        last.size
    );
    Some(
        Observation::new(step.site(), observed, "the newest tokens: ids[:, -context_length:]")
            .titled("the model reads the first tokens of the text, not the newest"),
    )
}
