//! Text that a model writes: which outputs a token comes from, how it is drawn, and what the model reads.

use std::collections::HashMap;

use super::attention::is_softmax;
use super::axes::carried_operands;
use super::flow::{operand, origin, projection};
use super::losses::reads_tokens;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use super::sampling::is_for_choice;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Reducer, SoftmaxKind};
use crate::tensor::{Site, Tensor};

/// The most operations between a token that is chosen and the outputs that it is chosen from.
const LONGEST: usize = 12;
/// So many texts that models read are remembered.
const MOST_READS: usize = 4;

pub(super) static LAST_TOKEN: Mistake = Mistake::new(
    ("A208", "not-from-the-last-token"),
    "the next token does not come from the last one",
    "The output at a token says what follows that token. A text is continued by the output at its last token, from the \
     newest tokens that the model can read; from another place it is written without what was just said.",
    &[Detector::Once(last_token), Detector::Once(standing_still)],
);

/// Texts that a model read: how many tokens each has, and all of them in order.
struct Read {
    size: usize,
    tokens: Vec<f64>,
    /// The table of the tokens, which another model does not read.
    table: Option<usize>,
    /// Whether it goes on with a text that was read before.
    is_later: bool,
}

impl Read {
    fn texts(&self) -> usize {
        self.tokens.len() / self.size
    }

    /// Whether each of its texts begins with one of the other, which is shorter.
    fn begins_with(&self, before: &Read) -> bool {
        let mut rows = before.tokens.chunks(before.size).zip(self.tokens.chunks(self.size));
        before.size < self.size
            && before.texts() == self.texts()
            && rows.all(|(before, row)| row.starts_with(before))
    }

    /// The token that stands only at the ends of texts, as often as a text is shorter than others.
    fn padding(&self) -> Option<f64> {
        let ends = self.tokens.chunks(self.size).map(|row| {
            let last = row[self.size - 1];
            (last, row.iter().rev().take_while(|token| **token == last).count())
        });
        let padding = ends.clone().find(|(_, count)| (2..self.size).contains(count))?.0;
        let at_ends = |(token, count): (f64, usize)| if token == padding { count } else { 0 };
        let counts: Vec<usize> = ends.map(at_ends).collect();
        let differ = counts.iter().any(|count| *count != counts[0]);
        let all = self.tokens.iter().filter(|token| **token == padding).count();
        (differ && all == counts.iter().sum::<usize>()).then_some(padding)
    }
}

/// Tokens that were chosen, one for each text, from the outputs at this place of so many.
struct Choice<'s> {
    step: &'s Traced,
    /// None where the trace does not have them, as with a number that NumPy draws.
    tokens: Option<Vec<f64>>,
    place: usize,
    places: usize,
    /// Whether it was chosen from numbers that are sorted, and is their rank.
    is_rank: bool,
}

fn last_token(cell: &TracedCell) -> Option<Observation> {
    let mut reads: Vec<Read> = Vec::new();
    let mut open: Option<Choice> = None;
    for step in cell.steps() {
        if let Some(read) = read_by(step) {
            let goes_on =
                open.as_ref().and_then(|choice| reads.iter().find(|before| continues(before, choice, &read)));
            if let Some((before, choice)) = goes_on.zip(open.take_if(|_| goes_on.is_some()))
                && let Some(found) = elsewhere(&choice).or_else(|| of_padding(&choice, before, true, cell))
            {
                return Some(found);
            }
            let is_later = goes_on.is_some() || reads.iter().any(|before| read.begins_with(before));
            reads.push(Read { is_later, ..read });
            // A model may look up places too before it looks up the tokens.
            if reads.len() > MOST_READS {
                reads.remove(0);
            }
        } else if let Some(choice) = chosen(step) {
            let is_of = |read: &&Read| Some(read.texts()) == choice.tokens.as_ref().map(Vec::len);
            let read = reads.iter().rev().filter(is_of).find(|read| read.size == choice.places);
            if let Some(found) = read.and_then(|read| of_padding(&choice, read, false, cell)) {
                return Some(found);
            }
            open = Some(choice);
        } else if let Some(choice) = &mut open
            && step.operation.called(step.in_place) == "gather"
            && step.tensor(2).zip(choice.step.result()).is_some_and(|(places, chosen)| places.is(chosen))
        {
            // Of logits that were sorted, a place was chosen.
            choice.tokens = step.results.first().and_then(|it| it.floats());
            choice.is_rank = false;
        }
    }
    None
}

/// The texts whose tokens an operation looks up.
fn read_by(step: &Traced) -> Option<Read> {
    let (tensor, tokens) = reads_tokens(step)?;
    Some(Read { size: tensor.shape()[1], tokens, table: table_of(step), is_later: false })
}

/// The table whose rows an operation looks up, by the address of its storage.
fn table_of(step: &Traced) -> Option<usize> {
    let table = step.operands.iter().filter(|it| it.dtype.is_float()).find_map(|it| it.tensor.as_ref());
    table.map(|it| it.storage().address())
}

/// The tokens that an operation chooses from a row of outputs for each text.
fn chosen(step: &Traced) -> Option<Choice<'_>> {
    let tokens = match step.operation.called(step.in_place) {
        "argmax" | "multinomial" => Some(step.results.first()?.floats()?),
        _ if is_for_choice(step) => None,
        _ => return None,
    };
    let (mut at, mut is_rank) = (step.tensor(0)?.clone(), false);
    for _ in 0..LONGEST {
        let record = origin(&at)?;
        is_rank |= matches!(record.operation.called(false), "sort" | "topk") && at.output_index() == 0;
        let is_mean = record.operation.explanation == Explanation::Reduction(Reducer::Mean);
        if let (true, Some(all)) = (is_mean, operand(&record, 0))
            && let (&[texts, places, classes], &[own, of]) = (all.shape(), at.shape())
        {
            let is_over_places = (texts, classes) == (own, of) && places > 1;
            return is_over_places.then_some(Choice { step, tokens, place: places, places, is_rank });
        }
        let is_log = record.operation.explanation == Explanation::Softmax(SoftmaxKind::Log);
        let is_exp = record.operation.explanation == Explanation::Pointwise(Formula::Exp);
        // The outputs of one place may be projected to the vocabulary alone.
        let before = match projection(&at) {
            Some(product) => product.left,
            None if is_log || is_exp || is_softmax(&record) => operand(&record, 0)?,
            // What filters the logits, such as top-p, keeps their shape.
            None => {
                let first = operand(&record, 0).filter(|it| it.shape() == at.shape());
                carried_operands(&record).into_iter().next().or(first)?
            }
        };
        let texts = tokens.as_ref().map_or(1, Vec::len);
        if let Some((place, places)) = row_of(&at, &before).filter(|_| texts == before.shape()[0]) {
            return Some(Choice { step, tokens, place, places, is_rank });
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
    let Some(tokens) = &choice.tokens else {
        return before.size == choice.places
            && after.size == before.size + 1
            && before.tokens.len() == before.size
            && after.tokens.starts_with(&before.tokens);
    };
    let rows = || before.tokens.chunks(before.size).zip(tokens);
    let whole = || rows().flat_map(|(row, token)| row.iter().chain([token]).copied()).collect::<Vec<f64>>();
    before.size == choice.places
        && before.table == after.table
        && before.tokens.len() == before.size * tokens.len()
        && (after.size == before.size + 1 && after.tokens == whole()
            || after.size == 1 && after.tokens == *tokens)
}

fn elsewhere(choice: &Choice) -> Option<Observation> {
    let Choice { place, places, is_rank, .. } = *choice;
    if is_rank {
        let observed = "A place among sorted probabilities was chosen, and the model then read it as a token: it is the token's rank.";
        let fix = "token = order.gather(-1, place), with order from the same sort";
        let found = Observation::new(choice.step.site(), observed, fix);
        let found = found.titled("the rank of a token is taken for the token");
        return Some(found.because(
            "Token 0 is the first of the vocabulary, and rank 0 the most likely token, whatever it is.",
        ));
    }
    let from = match place == places {
        true => "the mean of its outputs at all of them".to_owned(),
        false => format!("its outputs at token {place}"),
    };
    let observed = format!(
        "The model read {places} tokens, and the next one is chosen from {from}, not from those at the last one, {}.",
        places - 1
    );
    (place + 1 != places).then(|| Observation::new(choice.step.site(), observed, "logits = logits[:, -1, :]"))
}

/// The first token of a text is chosen from the output at its padding.
fn of_padding(choice: &Choice, before: &Read, is_continued: bool, cell: &TracedCell) -> Option<Observation> {
    let padding = match cell.calls.iter().find_map(|call| call.padding_token) {
        Some((token, _)) if is_continued => token as f64,
        _ => before.padding().filter(|_| choice.place + 1 == choice.places)?,
    };
    let mut rows = before.tokens.chunks(before.size);
    let text = rows.position(|row| row[choice.place] == padding && row.iter().any(|it| *it != padding))?;
    let observed = format!(
        "The first new token of text {text} is chosen from the output at token {}, which is padding ({padding}).",
        choice.place
    );
    let fix = "padding before the texts of a batch that is continued (left padding), or the output at each text's own last token";
    let found = Observation::new(choice.step.site(), observed, fix);
    (!before.is_later).then(|| found.titled("the next token comes from padding"))
}

/// Texts that one table was read with, each of which begins with the one before.
#[derive(Default)]
struct Growing<'s> {
    reads: Vec<(Read, &'s Traced)>,
}

impl<'s> Growing<'s> {
    fn add(&mut self, read: Read, step: &'s Traced) {
        if !self.reads.last().is_some_and(|(before, _)| read.begins_with(before)) {
            self.reads.clear();
        }
        self.reads.push((read, step));
    }

    /// Whether one line made the last three calls.
    fn is_by_one_line(&self) -> bool {
        let [.., (_, first), (_, before), (_, last)] = self.reads.as_slice() else { return false };
        let lines = |step: &Traced| step.calls.iter().map(|call| call.site()).collect::<Vec<Site>>();
        lines(first) == lines(before) && lines(before) == lines(last)
    }

    /// The line that made both of the last two calls.
    fn site(&self) -> Option<Site> {
        let [.., (_, before), (_, last)] = self.reads.as_slice() else { return None };
        let own = |step: &'s Traced| step.calls.iter().filter(|call| !call.library);
        let shared = own(last).zip(own(before)).take_while(|(a, b)| a.activation == b.activation);
        shared.map(|(call, _)| call.site()).last()
    }
}

/// A text that grew token by token, and does not change any more although its model goes on reading: it is cut to its first
/// tokens, and what is written now never reaches the model.
fn standing_still(cell: &TracedCell) -> Option<Observation> {
    let mut texts: HashMap<usize, Growing> = HashMap::new();
    for step in cell.steps() {
        let (Some(read), Some(table)) = (read_by(step), table_of(step)) else { continue };
        let growing = texts.entry(table).or_default();
        if let [.., (first, _), _, (last, _)] = growing.reads.as_slice()
            && last.size > first.size + 1
            && last.tokens == read.tokens
            && read.tokens.iter().any(|it| *it != read.tokens[0])
            && growing.is_by_one_line()
        {
            let observed = format!(
                "The model read a text that grew by a token each time, up to {} tokens; then it read the same {} tokens again.",
                last.size, last.size
            );
            return Some(
                Observation::new(growing.site(), observed, "the newest tokens: ids[-context_length:]")
                    .titled("the model reads the first tokens of the text, not the newest"),
            );
        }
        growing.add(read, step);
    }
    None
}
