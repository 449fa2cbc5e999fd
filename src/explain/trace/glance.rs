//! A result in small: its first numbers, or blocks of it averaged.

use super::super::terms::figure;
use crate::ops::trace::{Seen, Traced};

/// Most rows and columns that are left.
const SIDE: usize = 8;
/// Elements beyond which a result is not looked at.
const MOST: usize = 1 << 20;
/// Elements up to which the numbers themselves are given.
const NUMBERS: usize = 3;

/// A result in small.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glance {
    /// Its numbers, where they are few.
    pub numbers: Vec<String>,
    /// The rows of its last two axes, of the first slice, each cell the mean of a block of elements.
    pub rows: Vec<Vec<f64>>,
    /// Whether there is more than the first slice.
    pub more: bool,
    /// How many of all its elements are nan or infinite, as words: `9 -inf`.
    pub odd: Vec<String>,
}

impl Glance {
    /// The result of an operation; nothing of a view, whose numbers were there before.
    pub fn of(ran: &Traced) -> Glance {
        let [result] = ran.results.as_slice() else { return Glance::default() };
        if ran.is_view || ran.op == "setitem" || result.layout.numel() > MOST {
            return Glance::default();
        }
        Glance::seen(result)
    }

    /// A tensor as it was.
    fn seen(result: &Seen) -> Glance {
        let Some(values) = result.values() else { return Glance::default() };
        let values: Vec<f64> = (0..values.len()).map(|at| values.float(at)).collect();
        let count = |name: &str, is: fn(&f64) -> bool| {
            let count = values.iter().filter(|value| is(value)).count();
            (count > 0).then(|| format!("{count} {name}"))
        };
        let odd = [
            count("nan", |value| value.is_nan()),
            count("inf", |value| *value == f64::INFINITY),
            count("-inf", |value| *value == f64::NEG_INFINITY),
        ];
        let odd: Vec<String> = odd.into_iter().flatten().collect();
        if values.len() <= NUMBERS {
            let numbers = values.iter().map(|value| figure(*value)).collect();
            return Glance { numbers, ..Glance::default() };
        }
        if odd.is_empty() && values.iter().all(|value| *value == values[0]) {
            return Glance { numbers: vec![format!("all {}", figure(values[0]))], ..Glance::default() };
        }
        let shape = result.shape();
        let wide = shape.last().copied().unwrap_or(1);
        let high = if shape.len() > 1 { shape[shape.len() - 2] } else { 1 };
        let more = values.len() > high * wide;
        Glance { numbers: Vec::new(), rows: blocks(&values[..high * wide], high, wide), more, odd }
    }
}

/// The means of blocks; a block that has anything but finite numbers shows that.
fn blocks(values: &[f64], high: usize, wide: usize) -> Vec<Vec<f64>> {
    let (down, across) = (high.min(SIDE), wide.min(SIDE));
    let cell = |r: usize, c: usize| {
        let rows = r * high / down..(r + 1) * high / down;
        let columns = c * wide / across..(c + 1) * wide / across;
        let cells = rows.flat_map(|r| columns.clone().map(move |c| values[r * wide + c]));
        let (mut sum, mut count) = (0.0, 0.0);
        for value in cells {
            sum += value;
            count += 1.0;
        }
        sum / count
    };
    (0..down).map(|r| (0..across).map(|c| cell(r, c)).collect()).collect()
}
