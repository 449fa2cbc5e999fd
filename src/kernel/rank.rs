//! The order of sorting: nan is larger than all numbers.
//! Source: `torch.sort`, which follows NumPy; of equal elements `std::sort`.

use super::buffer_pool::{self, Element};
use super::{selection, stop, threads};

/// An element that can be sorted.
pub trait Rank: Copy {
    /// Bits of a key.
    const BITS: u32;

    /// A number of [`Rank::BITS`] bits; numbers compare as their elements do.
    fn key(self) -> u64;
}

macro_rules! floats {
    ($float:ty, $bits:literal) => {
        impl Rank for $float {
            const BITS: u32 = $bits;

            #[inline(always)]
            fn key(self) -> u64 {
                // Both zeros are one. Of negative numbers the bits are in reverse order.
                let bits = (self + 0.0).to_bits();
                let sign = 1 << ($bits - 1);
                let key = if bits & sign == 0 { bits | sign } else { !bits };
                u64::from(if self.is_nan() { !0 } else { key })
            }
        }
    };
}

floats!(f32, 32);
floats!(f64, 64);

impl Rank for i64 {
    const BITS: u32 = 64;

    #[inline(always)]
    fn key(self) -> u64 {
        (self as u64) ^ (1 << 63)
    }
}

impl Rank for bool {
    const BITS: u32 = 8;

    #[inline(always)]
    fn key(self) -> u64 {
        u64::from(self)
    }
}

/// Sorts rows. A key and the position of its element are one number, so that sorting reads no element, and equal elements
/// keep their order.
#[derive(Default)]
struct Sorter {
    narrow: Vec<u64>,
    spare: Vec<u64>,
    wide: Vec<u128>,
}

/// Length from which a row is sorted digit by digit.
const LONG: usize = 192;
/// Values of a digit.
const DIGITS: usize = 256;
/// Elements after which a long row checks for interrupts.
const STEP: usize = 1 << 16;

impl Sorter {
    /// Calls `each` with the positions of the elements of a row in sorted order.
    fn sort<T: Rank>(&mut self, row: &[T], descending: bool, mut each: impl FnMut(usize)) {
        let flip = if descending { u64::MAX >> (u64::BITS - T::BITS) } else { 0 };
        if T::BITS <= 32 && u32::try_from(row.len()).is_ok() {
            self.narrow.clear();
            for (first, part) in (0..).step_by(STEP).zip(row.chunks(STEP)) {
                stop::check();
                self.narrow.extend((first..).zip(part).map(|(at, x): (u64, &T)| (x.key() ^ flip) << 32 | at));
            }
            if row.len() < LONG {
                self.narrow.sort_unstable();
            } else {
                self.sort_digits();
            }
            visit(&self.narrow, |pair| each(pair as u32 as usize));
        } else {
            self.wide.clear();
            for (first, part) in (0..).step_by(STEP).zip(row.chunks(STEP)) {
                stop::check();
                let pairs = (first..).zip(part);
                self.wide.extend(pairs.map(|(at, x): (u128, &T)| u128::from(x.key() ^ flip) << 64 | at));
            }
            if row.len() < STEP {
                self.wide.sort_unstable();
            } else {
                let mut compared = 0_usize;
                self.wide.sort_unstable_by(|a, b| {
                    compared += 1;
                    if compared.is_multiple_of(STEP) {
                        stop::check();
                    }
                    a.cmp(b)
                });
            }
            visit(&self.wide, |pair| each(pair as u64 as usize));
        }
    }

    /// Sorts the narrow pairs by the four digits of their keys, the last digit first.
    fn sort_digits(&mut self) {
        let digit = |pair: u64, number: usize| (pair >> (32 + 8 * number)) as usize % DIGITS;
        let mut counts = [[0_u32; DIGITS]; 4];
        visit(&self.narrow, |pair| {
            for (number, counts) in counts.iter_mut().enumerate() {
                counts[digit(pair, number)] += 1;
            }
        });
        self.spare.resize(self.narrow.len(), 0);
        for (number, counts) in counts.iter_mut().enumerate() {
            if counts[digit(self.narrow[0], number)] as usize == self.narrow.len() {
                continue; // all are the same
            }
            let mut next = 0;
            for count in counts.iter_mut() {
                next += std::mem::replace(count, next);
            }
            let spare = &mut self.spare;
            visit(&self.narrow, |pair| {
                let place = &mut counts[digit(pair, number)];
                spare[*place as usize] = pair;
                *place += 1;
            });
            std::mem::swap(&mut self.narrow, &mut self.spare);
        }
    }
}

/// Calls `each` with the pairs in order. A cell that is to stop leaves here.
fn visit<T: Copy>(pairs: &[T], mut each: impl FnMut(T)) {
    for part in pairs.chunks(STEP) {
        stop::check();
        part.iter().copied().for_each(&mut each);
    }
}

/// The positions of the elements of a row in sorted order; equal elements keep their order.
pub fn sorted_places<T: Rank>(row: &[T], descending: bool) -> Vec<usize> {
    let mut places = Vec::with_capacity(row.len());
    Sorter::default().sort(row, descending, |at| places.push(at));
    places
}

/// Elements that one thread sorts at a time.
const PIECE: usize = 1 << 14;

/// The order of equal elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Equal {
    /// As in the row.
    Stable,
    /// As the steps of the C++ library leave them: `torch.sort` without `stable=True`.
    Unstable,
}

/// Rows of `length` elements, sorted, and the positions that the elements had in their row.
pub fn sorted_rows<T: Rank + Element>(
    data: &[T],
    length: usize,
    descending: bool,
    equal: Equal,
) -> (Vec<T>, Vec<i64>) {
    let (mut sorted, mut places) = (buffer_pool::take(data.len()), buffer_pool::take(data.len()));
    if let Some(rows) = PIECE.checked_div(length) {
        let size = rows.max(1) * length;
        let pieces = data.chunks(size).zip(sorted.chunks_mut(size).zip(places.chunks_mut(size)));
        threads::share_if(data.len() > PIECE, pieces, |(data, (sorted, places))| {
            let mut sorter = Sorter::default();
            let results = sorted.chunks_exact_mut(length).zip(places.chunks_exact_mut(length));
            for (row, (sorted, places)) in data.chunks_exact(length).zip(results) {
                let mut to = sorted.iter_mut().zip(places.iter_mut());
                sorter.sort(row, descending, |at| {
                    let (sorted, place) = to.next().expect("a row has as many places as elements");
                    (*sorted, *place) = (row[at], at as i64);
                });
                // Sorting by keys is faster; only of equal elements the order is another.
                if equal == Equal::Unstable && length > selection::SHORT && has_equal(sorted) {
                    in_steps(row, descending, sorted, places);
                }
            }
        });
    }
    (sorted, places)
}

fn has_equal<T: Rank>(sorted: &[T]) -> bool {
    sorted.windows(2).any(|two| two[0].key() == two[1].key())
}

/// Sorts a row with the steps of the C++ library.
fn in_steps<T: Rank>(row: &[T], descending: bool, sorted: &mut [T], places: &mut [i64]) {
    let mut pairs: Vec<(u64, i64)> = row.iter().map(|x| x.key()).zip(0..).collect();
    if descending {
        selection::sort(&mut pairs, |a, b| a.0 > b.0);
    } else {
        selection::sort(&mut pairs, |a, b| a.0 < b.0);
    }
    for ((_, at), (sorted, place)) in pairs.into_iter().zip(sorted.iter_mut().zip(places)) {
        (*sorted, *place) = (row[at as usize], at);
    }
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
pub fn insertion_place<T: Rank>(row: &[T], value: T, right: bool) -> usize {
    let value = value.key();
    row.partition_point(|x| x.key() < value || right && x.key() == value)
}
