//! Maxima and minima and their positions; NaN counts as larger and smaller than all numbers, as in PyTorch.
//! Source: `torch.amax`, `torch.max`, `torch.argmax` and the functions for minima.

use ndarray::ArrayViewD;

use super::super::simd::SimdWork;
use super::super::simd::run_widest;
use super::super::threads;
use super::rows::Rows;

/// Candidates that are compared in parallel.
const LANES: usize = 32;
/// Numbers of one row that a thread takes at a time.
const PIECE: usize = 1 << 15;

/// An element type with a maximum and a minimum.
pub trait Order: Copy + Default + PartialOrd + Send + Sync {
    /// Whether this is NaN.
    #[inline(always)]
    fn unordered(self) -> bool {
        self.partial_cmp(&self).is_none()
    }
}

impl<T: Copy + Default + PartialOrd + Send + Sync> Order for T {}

/// Maximum or minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

#[inline(always)]
fn larger<T: Order>(best: T, x: T) -> bool {
    x > best
}

#[inline(always)]
fn smaller<T: Order>(best: T, x: T) -> bool {
    x < best
}

/// The largest or smallest over `axes`, row-major over the axes kept; `None` if there are results but no elements.
pub fn extremes<T: Order>(x: ArrayViewD<T>, axes: &[usize], end: End) -> Option<Vec<T>> {
    if end == End::Max { values(x, axes, larger) } else { values(x, axes, smaller) }
}

/// The same, and the position of each, row-major through `axes`: the first of equals, or the first NaN.
pub fn extremes_and_places<T: Order>(
    x: ArrayViewD<T>,
    axes: &[usize],
    end: End,
) -> Option<(Vec<T>, Vec<i64>)> {
    let found = if end == End::Max { choose(x, axes, larger) } else { choose(x, axes, smaller) };
    Some(found?.into_iter().unzip())
}

/// The best of each row and its position.
fn choose<T: Order>(
    x: ArrayViewD<T>,
    axes: &[usize],
    better: impl Fn(T, T) -> bool + Copy + Sync,
) -> Option<Vec<(T, i64)>> {
    let rows = Rows::new(&x, axes);
    rows.map(|row| first_of(row, of_row(row, better)?)).into_iter().collect()
}

/// The best of each row.
fn values<T: Order>(
    x: ArrayViewD<T>,
    axes: &[usize],
    better: impl Fn(T, T) -> bool + Copy + Sync,
) -> Option<Vec<T>> {
    let rows = Rows::new(&x, axes);
    let picked = rows.map(|row| {
        let best = of_row(row, better)?;
        // Of several NaN, and of 0 and -0, the first counts; other equal numbers are identical.
        let plain = !best.unordered() && best != T::default();
        if plain { Some(best) } else { first_of(row, best).map(|(x, _)| x) }
    });
    picked.into_iter().collect()
}

/// The first element of a row that equals its best (or is NaN as well), and its position.
fn first_of<T: Order>(row: &[T], best: T) -> Option<(T, i64)> {
    let at = match best.unordered() {
        true => row.iter().position(|x| x.unordered())?,
        false => run_widest(First { row, best })?,
    };
    Some((row[at], at as i64))
}

/// The position of the first number that equals another.
struct First<'a, T> {
    row: &'a [T],
    best: T,
}

impl<T: Order> SimdWork for First<'_, T> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        // Whole pieces are searched without a branch; then the piece that contains it is searched for the position.
        let mut start = 0;
        for piece in self.row.as_chunks::<LANES>().0 {
            let mut is_here = false;
            for &x in piece {
                is_here |= x == self.best;
            }
            if is_here {
                break;
            }
            start += LANES;
        }
        self.row[start..].iter().position(|&x| x == self.best).map(|at| start + at)
    }
}

/// The best of a row, any of equals, or NaN if there is one; several threads search long rows.
fn of_row<T: Order>(row: &[T], better: impl Fn(T, T) -> bool + Copy + Sync) -> Option<T> {
    if row.len() <= 2 * PIECE || !threads::shares() {
        return best(row, better);
    }
    let mut found: Vec<Option<T>> = vec![None; row.len().div_ceil(PIECE)];
    threads::share(row.chunks(PIECE).zip(&mut found), |(piece, found)| *found = best(piece, better));
    let found: Vec<T> = found.into_iter().map(|best| best.expect("no piece is empty")).collect();
    best(&found, better)
}

/// The best of a row, any of equals, or its first NaN.
fn best<T: Order>(row: &[T], better: impl Fn(T, T) -> bool + Copy) -> Option<T> {
    let &first = row.first()?;
    match run_widest(Best { first, row, better }) {
        Some(best) => Some(best),
        None => row.iter().find(|x| x.unordered()).copied(),
    }
}

struct Best<'a, T, F> {
    first: T,
    row: &'a [T],
    better: F,
}

impl<T: Order, F: Fn(T, T) -> bool + Copy> SimdWork for Best<'_, T, F> {
    /// `None` if there is a NaN: comparisons do not keep it.
    type Output = Option<T>;

    #[inline(always)]
    fn run(self) -> Option<T> {
        let better = self.better;
        let mut lanes = [self.first; LANES];
        let mut unordered = false;
        let (chunks, rest) = self.row.as_chunks::<LANES>();
        for chunk in chunks {
            let mut any = false;
            for (best, &x) in lanes.iter_mut().zip(chunk) {
                *best = if better(*best, x) { x } else { *best };
                any |= x.unordered();
            }
            unordered |= any;
        }
        for (best, &x) in lanes.iter_mut().zip(rest) {
            *best = if better(*best, x) { x } else { *best };
            unordered |= x.unordered();
        }
        if unordered {
            return None;
        }
        let mut count = LANES;
        while count > 1 {
            count /= 2;
            let (best, others) = lanes.split_at_mut(count);
            for (best, &x) in best.iter_mut().zip(&*others) {
                *best = if better(*best, x) { x } else { *best };
            }
        }
        Some(lanes[0])
    }
}

/// Whether any, or all, over `axes` are not zero, row-major over the axes kept.
pub(crate) fn truths<T: Order>(x: ArrayViewD<T>, axes: &[usize], all: bool) -> Vec<bool> {
    // All are true unless any is false.
    Rows::new(&x, axes).map(|row| row.iter().any(|&x| (x == T::default()) == all) != all)
}
