//! Blocks of code that ran several times running, folded into one.
//! What is the same is told by where in the source it stands, not by its numbers.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Cost, Item, Repeat};

/// The most items that a block may have.
const LONGEST: usize = 64;

/// A number for what stands in the same place and does the same.
pub(super) fn key(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The same items, with each block that comes again and again as one; inner loops before outer ones.
pub(super) fn folded(mut items: Vec<Item>) -> Vec<Item> {
    'again: loop {
        for period in 1..=LONGEST.min(items.len() / 2) {
            let before = items.len();
            items = once(items, period);
            if items.len() < before {
                continue 'again;
            }
        }
        return items;
    }
}

/// Folds the blocks of this length.
fn once(items: Vec<Item>, period: usize) -> Vec<Item> {
    let keys: Vec<u64> = items.iter().map(Item::key).collect();
    let mut rest = items.into_iter();
    let mut out = Vec::new();
    let mut at = 0;
    while at < keys.len() {
        let same = |times: usize| {
            let start = at + times * period;
            keys.get(start..start + period).is_some_and(|block| *block == keys[at..at + period])
        };
        let times = match keys.len() - at >= 2 * period {
            true => 1 + (1..).take_while(|times| same(*times)).count(),
            false => 1,
        };
        if times == 1 {
            out.extend(rest.next());
            at += 1;
            continue;
        }
        let taken: Vec<Item> = rest.by_ref().take(times * period).collect();
        out.push(Item::Again(repeat(taken, period)));
        at += times * period;
    }
    out
}

fn repeat(items: Vec<Item>, period: usize) -> Repeat {
    let times = items.len() / period;
    let cost = items.iter().fold(Cost::default(), |cost, item| cost + item.cost());
    let operations = items.iter().map(Item::operations).sum();
    let mut passes = items.into_iter();
    let mut first: Vec<Item> = passes.by_ref().take(period).collect();
    for (at, item) in passes.enumerate() {
        merge(&mut first[at % period], &item);
    }
    let inner: Vec<u64> = first.iter().map(Item::key).collect();
    Repeat { times: (times, times), items: first, operations, cost, key: key(&("again", inner)) }
}

/// Takes into the first pass what a later one did otherwise.
fn merge(first: &mut Item, later: &Item) {
    match (first, later) {
        (Item::Ran(first), Item::Ran(later)) => {
            let last = later.last_shapes.as_ref().unwrap_or(&later.shapes);
            first.last_shapes = (*last != first.shapes).then(|| last.clone());
            first.error = first.error.take().or_else(|| later.error.clone());
        }
        (Item::Called(first), Item::Called(later)) => {
            first.items.iter_mut().zip(&later.items).for_each(|(first, later)| merge(first, later));
        }
        (Item::Again(first), Item::Again(later)) => {
            first.times = (first.times.0.min(later.times.0), first.times.1.max(later.times.1));
            first.items.iter_mut().zip(&later.items).for_each(|(first, later)| merge(first, later));
        }
        _ => {}
    }
}
