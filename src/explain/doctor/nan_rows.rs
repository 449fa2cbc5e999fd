//! A row of scores that is minus infinity throughout: its softmax is 0/0.

use super::attention::Attention;
use super::{Find, Mistake, Run, Seen};

pub(super) static MISTAKE: Mistake = Mistake {
    name: "row-all-hidden",
    title: "a row has every key hidden, and its weights are nan",
    why: "The softmax of a row divides exp(score) by their sum; of a row that is -inf throughout that is 0/0. The nan \
          spreads to everything computed from that row.",
    find: Find::Attention(find),
};

/// The first row of the softmax's input that is minus infinity throughout, and how many are.
pub(super) fn row(attention: &Attention) -> Option<(usize, usize, usize)> {
    let input = attention.input()?;
    let columns = *input.shape().last()?;
    if input.numel() > 1 << 22 || columns == 0 || attention.axis != 1 {
        return None;
    }
    let values = input.to_f64_vec();
    let hidden = |row: &[f64]| row.iter().all(|score| *score == f64::NEG_INFINITY);
    let rows: Vec<usize> =
        values.chunks(columns).enumerate().filter(|(_, row)| hidden(row)).map(|(at, _)| at).collect();
    let per = if input.ndim() >= 2 { input.shape()[input.ndim() - 2] } else { 1 };
    rows.first().map(|first| (first % per, rows.len(), columns))
}

fn find(attention: &Attention, run: &Run) -> Option<Seen> {
    let (first, count, columns) = row(attention)?;
    let input = attention.input()?;
    let scores = run.called(&input, "the scores");
    let more = if count > 1 { format!(" ({count} rows in all)") } else { String::new() };
    let saw = format!(
        "Row {first} of {scores} is -inf in all {columns} places{more}: the softmax gives nan there."
    );
    let fix = "leave every token at least itself: torch.triu(..., diagonal=1) hides what comes after it, and not itself";
    Some(Seen::new(attention.site(), saw, fix))
}
