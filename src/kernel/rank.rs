//! The order of sorting: nan is larger than all numbers.
//! Source: `torch.sort`, which follows NumPy.

use std::cmp::Ordering;

/// An element that can be sorted.
pub trait Rank: Copy {
    /// How it compares with another.
    fn rank(self, other: Self) -> Ordering;
}

macro_rules! floats {
    ($float:ty) => {
        impl Rank for $float {
            fn rank(self, other: Self) -> Ordering {
                self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
        }
    };
}

floats!(f32);
floats!(f64);

impl Rank for i64 {
    fn rank(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

impl Rank for bool {
    fn rank(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

/// The positions of the elements of a row in sorted order; equal elements keep their order.
pub fn sorted_places<T: Rank>(row: &[T], descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..row.len()).collect();
    if descending {
        places.sort_by(|&a, &b| row[b].rank(row[a]));
    } else {
        places.sort_by(|&a, &b| row[a].rank(row[b]));
    }
    places
}

/// The positions of keys from the largest to the smallest by their total order; equal keys keep their order.
pub(crate) fn largest_first(keys: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]));
    places
}

/// [`largest_first`] of the magnitudes.
pub(crate) fn largest_magnitude_first(values: impl IntoIterator<Item = f64>) -> Vec<usize> {
    largest_first(&values.into_iter().map(f64::abs).collect::<Vec<f64>>())
}

/// The number of elements of a sorted row that are less than `value`, or with `right`, less than or equal to it.
/// If the row itself is not sorted, `order` has the positions of its elements in sorted order.
pub fn insertion_place<T: Rank>(row: &[T], order: Option<&[i64]>, value: T, right: bool) -> usize {
    let at = |place: usize| row[order.map_or(place, |order| order[place] as usize)];
    let (mut low, mut high) = (0, row.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = match at(middle).rank(value) {
            Ordering::Less => true,
            Ordering::Equal => right,
            Ordering::Greater => false,
        };
        if before { low = middle + 1 } else { high = middle }
    }
    low
}
