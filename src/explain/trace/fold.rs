//! Folds blocks that ran several times in a row into one.
//! Items are the same if they stand at the same place in the source, whatever their numbers are.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::cost::Cost;
use super::outline::{LoopGroup, OutlineItem};

/// The most items of a block.
const LONGEST: usize = 64;

/// The hash that items are compared by.
pub(super) fn key(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The items with each repeated block folded into one, inner loops first.
pub(super) fn folded(mut items: Vec<OutlineItem>) -> Vec<OutlineItem> {
    'again: loop {
        for period in 1..=LONGEST.min(items.len() / 2) {
            let before = items.len();
            items = fold_blocks(items, period);
            if items.len() < before {
                continue 'again;
            }
        }
        return items;
    }
}

/// Folds the repeated blocks of this length.
fn fold_blocks(items: Vec<OutlineItem>, period: usize) -> Vec<OutlineItem> {
    let keys: Vec<u64> = items.iter().map(OutlineItem::key).collect();
    let mut rest = items.into_iter();
    let mut out = Vec::new();
    let mut at = 0;
    while at < keys.len() {
        let repeats = |pass: &usize| {
            let start = at + pass * period;
            keys.get(start..start + period).is_some_and(|block| *block == keys[at..at + period])
        };
        let passes = if keys.len() - at >= 2 * period { 1 + (1..).take_while(repeats).count() } else { 1 };
        if passes == 1 {
            out.extend(rest.next());
            at += 1;
            continue;
        }
        let block: Vec<OutlineItem> = rest.by_ref().take(passes * period).collect();
        out.push(OutlineItem::Loop(loop_group(block, period)));
        at += passes * period;
    }
    out
}

fn loop_group(items: Vec<OutlineItem>, period: usize) -> LoopGroup {
    let passes = items.len() / period;
    let cost = items.iter().fold(Cost::default(), |cost, item| cost + item.cost());
    let operations = items.iter().map(OutlineItem::operations).sum();
    let mut items = items.into_iter();
    let mut first: Vec<OutlineItem> = items.by_ref().take(period).collect();
    for (at, item) in items.enumerate() {
        merge(&mut first[at % period], &item);
    }
    let inner: Vec<u64> = first.iter().map(OutlineItem::key).collect();
    LoopGroup { passes: (passes, passes), items: first, operations, cost, key: key(&("loop", inner)) }
}

/// Notes in the first pass what a later pass did differently.
fn merge(first: &mut OutlineItem, later: &OutlineItem) {
    let merge_all = |first: &mut Vec<OutlineItem>, later: &[OutlineItem]| {
        first.iter_mut().zip(later).for_each(|(first, later)| merge(first, later));
    };
    match (first, later) {
        (OutlineItem::Operation(first), OutlineItem::Operation(later)) => {
            let last = later.last_shapes.as_ref().unwrap_or(&later.shapes);
            first.last_shapes = (*last != first.shapes).then(|| last.clone());
            first.error = first.error.take().or_else(|| later.error.clone());
        }
        (OutlineItem::Call(first), OutlineItem::Call(later)) => merge_all(&mut first.items, &later.items),
        (OutlineItem::Loop(first), OutlineItem::Loop(later)) => {
            first.passes = (first.passes.0.min(later.passes.0), first.passes.1.max(later.passes.1));
            merge_all(&mut first.items, &later.items);
        }
        _ => unreachable!("items are merged only if their keys are equal, and a key is of one kind"),
    }
}
