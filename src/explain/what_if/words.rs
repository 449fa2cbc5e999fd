//! What moved, in sentences: each is worked out from the figures, none is there for its own sake.

use super::{Moved, WhatIf};

/// Most tensors of weights that are told of.
const TOLD: usize = 3;

/// The sentences for what a change led to.
pub fn sentences(what: &WhatIf) -> Vec<String> {
    let mut words = Vec::new();
    if what.moved.is_empty() && what.reshaped.is_empty() && what.raised.is_none() {
        words.push("Nothing else came out otherwise: no tensor depends on it.".to_owned());
        return words;
    }
    let mut told: Vec<&Moved> = Vec::new();
    for moved in what.moved.iter().filter(|moved| moved.shares_out() && what.is_asked(moved)) {
        let again = |other: &&Moved| (other.largest() - moved.largest()).abs() < 1e-6;
        if told.len() < TOLD && !told.iter().any(again) {
            words.push(weights(moved));
            told.push(moved);
        }
    }
    let both = what
        .moved
        .iter()
        .filter(|moved| what.is_asked(moved))
        .find(|moved| moved.cross().is_some() && moved.is_symmetric());
    if let Some((moved, k)) = both.and_then(|moved| Some((moved, moved.cross()?))) {
        let label = moved.naming.label(0, k);
        let token =
            if label.parse::<usize>().is_ok() { format!("position {label}") } else { format!("\"{label}\"") };
        words.push(format!(
            "{} is symmetric: {token} moved both as the one that asks and as the one that is asked.",
            moved.name
        ));
    }
    words
}

/// Where weight went, and where it came from, in the row that moved most.
fn weights(moved: &Moved) -> String {
    let wide = moved.shape.last().copied().unwrap_or(1);
    let start = moved.most - moved.most % wide;
    let row: Vec<usize> = (start..start + wide).collect();
    let by = |a: &&usize, b: &&usize| moved.difference(**a).total_cmp(&moved.difference(**b));
    let (Some(gained), Some(lost)) = (row.iter().max_by(by), row.iter().min_by(by)) else {
        return String::new();
    };
    let last = moved.shape.len() - 1;
    let name = |place: usize| {
        let at = moved.index(place)[last];
        let label = moved.naming.label(last, at);
        if label.parse::<usize>().is_ok() {
            format!("{} {label}", moved.axis(last))
        } else {
            format!("\"{label}\"")
        }
    };
    let index = moved.index(start);
    let place = moved.naming.place(&index[..last]);
    let place = match (place.is_empty(), last) {
        (true, 0) => String::new(),
        (true, _) => {
            format!(", row {},", index[..last].iter().map(usize::to_string).collect::<Vec<_>>().join(","))
        }
        (false, _) => format!(", {place},"),
    };
    let rows = if moved.shape.len() == 1 { "it still sums to 1" } else { "every row still sums to 1" };
    format!(
        "In {}{place} weight went to {} ({:+.4}), the largest part of it from {} ({:+.4}); {rows}.",
        moved.name,
        name(*gained),
        moved.difference(*gained),
        name(*lost),
        moved.difference(*lost),
    )
}
