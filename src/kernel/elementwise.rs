//! Element-wise loops over strided operands, with row-major results.
//!
//! Dimensions that are contiguous in every operand are merged first, so most calls become one flat loop, which the
//! compiler vectorises. Several threads write large results.

use super::buffer_pool::{self, Element};
use super::index::unravel;
use super::simd::{SimdWork, run_widest};
use super::threads;

/// Elements below which the caller's thread writes the whole result.
const PARALLEL: usize = 1 << 16;
/// Elements that one thread writes at a time; a whole number of vectors of any width.
pub(crate) const PIECE: usize = 1 << 14;

/// An operand: a storage, strides (0 where broadcast) and the offset of index (0, 0, ...).
#[derive(Clone, Copy)]
pub struct Strided<'a, T> {
    /// All elements of the storage.
    pub data: &'a [T],
    /// Distance between neighbours in storage elements, one for each dimension of the result.
    pub strides: &'a [usize],
    /// Storage element of index (0, 0, ...).
    pub offset: usize,
}

/// The shape and the strides of N operands, with contiguous neighbouring dimensions merged and sizes of 1 dropped.
fn merge<const N: usize>(shape: &[usize], strides: [&[usize]; N]) -> (Vec<usize>, Vec<[usize; N]>) {
    let mut sizes: Vec<usize> = Vec::with_capacity(shape.len());
    let mut steps: Vec<[usize; N]> = Vec::with_capacity(shape.len());
    for axis in 0..shape.len() {
        if shape[axis] == 1 {
            continue;
        }
        let step: [usize; N] = std::array::from_fn(|n| strides[n][axis]);
        match (sizes.last_mut(), steps.last_mut()) {
            (Some(size), Some(last)) if (0..N).all(|n| last[n] == step[n] * shape[axis]) => {
                *size *= shape[axis];
                *last = step;
            }
            _ => {
                sizes.push(shape[axis]);
                steps.push(step);
            }
        }
    }
    (sizes, steps)
}

/// Calls `row(starts, steps, length)` for every innermost row in row-major order.
fn rows<const N: usize>(
    shape: &[usize],
    strides: [&[usize]; N],
    offsets: [usize; N],
    mut row: impl FnMut([usize; N], [usize; N], usize),
) {
    if shape.contains(&0) {
        return;
    }
    let (sizes, steps) = merge(shape, strides);
    let Some((&length, outer)) = sizes.split_last() else {
        return row(offsets, [0; N], 1);
    };
    let inner = steps[sizes.len() - 1];
    let mut walk = RowWalk::from(0, outer, &steps, offsets);
    for _ in 0..outer.iter().product() {
        row(walk.at, inner, length);
        walk.next();
    }
}

/// A row-major walk through the outer dimensions.
struct RowWalk<'a, const N: usize> {
    sizes: &'a [usize],
    steps: &'a [[usize; N]],
    index: Vec<usize>,
    at: [usize; N],
}

impl<'a, const N: usize> RowWalk<'a, N> {
    /// A walk that starts at row number `row`.
    fn from(row: usize, sizes: &'a [usize], steps: &'a [[usize; N]], mut at: [usize; N]) -> Self {
        let index = unravel(row, sizes);
        for (step, i) in steps.iter().zip(&index) {
            (0..N).for_each(|n| at[n] += step[n] * i);
        }
        RowWalk { sizes, steps, index, at }
    }

    /// Moves to the next row; after the last one, to the first.
    fn next(&mut self) {
        for axis in (0..self.sizes.len()).rev() {
            self.index[axis] += 1;
            if self.index[axis] < self.sizes[axis] {
                (0..N).for_each(|n| self.at[n] += self.steps[axis][n]);
                return;
            }
            (0..N).for_each(|n| self.at[n] -= self.steps[axis][n] * (self.sizes[axis] - 1));
            self.index[axis] = 0;
        }
    }
}

/// Writes innermost rows. `write` is marked `#[inline(always)]`: a closure with several loops is not inlined in each of
/// the functions that [`run_widest`] compiles, and would then run on the oldest processor's vectors.
trait RowLoop<const N: usize, R>: Sync {
    /// As in [`SimdWork`].
    const WIDEST: usize;
    /// Writes a row or a part of one, which begins at `at` in the operands, where neighbours are `step` apart.
    fn write(&self, at: [usize; N], step: [usize; N], out: &mut [R]);
}

/// Bytes of the widest vectors for a loop over elements of these sizes. Where all are equal, vectors of 64 bytes take as
/// long as vectors of 32, or longer. Between sizes they take half as long: comparisons give a truth value of one byte.
const fn widest(sizes: &[usize]) -> usize {
    let mut n = 1;
    while n < sizes.len() {
        if sizes[n] != sizes[0] {
            return 64;
        }
        n += 1;
    }
    32
}

/// Rows of a result that are equally far apart, compiled for the widest vectors of the processor.
struct RowsWork<'a, const N: usize, R, L> {
    row_loop: &'a L,
    rows: EvenRows<N>,
    out: &'a mut [R],
}

/// Where rows begin in each operand, and how they lie there.
#[derive(Clone, Copy)]
struct EvenRows<const N: usize> {
    /// The first element of the first row.
    at: [usize; N],
    /// The distance of rows.
    apart: [usize; N],
    /// The distance of neighbours in a row.
    step: [usize; N],
    /// Elements of a row.
    length: usize,
}

impl<const N: usize, R, L: RowLoop<N, R>> SimdWork for RowsWork<'_, N, R, L> {
    const WIDEST: usize = L::WIDEST;
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let EvenRows { mut at, apart, step, length } = self.rows;
        for out in self.out.chunks_exact_mut(length) {
            self.row_loop.write(at, step, out);
            for n in 0..N {
                at[n] += apart[n];
            }
        }
    }
}

/// A row-major result, written by innermost rows or parts of them.
fn row_major_result<const N: usize, R: Element>(
    shape: &[usize],
    strides: [&[usize]; N],
    offsets: [usize; N],
    row_loop: &impl RowLoop<N, R>,
) -> Vec<R> {
    written_by_row(shape, strides, offsets, &|rows, out: &mut [R]| {
        run_widest(RowsWork { row_loop, rows, out });
    })
}

/// Writes whole rows, or a part of one.
type WriteRows<'a, const N: usize, R> = dyn Fn(EvenRows<N>, &mut [R]) + Sync + 'a;

/// [`row_major_result`] without the choice of the instruction set: compiled once for a number of operands and a type.
fn written_by_row<const N: usize, R: Element>(
    shape: &[usize],
    strides: [&[usize]; N],
    offsets: [usize; N],
    write: &WriteRows<N, R>,
) -> Vec<R> {
    let mut out = buffer_pool::take(shape.iter().product());
    if out.is_empty() {
        return out;
    }
    let (sizes, steps) = merge(shape, strides);
    let Some((&length, outer)) = sizes.split_last() else {
        write(EvenRows { at: offsets, apart: [0; N], step: [0; N], length: 1 }, &mut out);
        return out;
    };
    let step = steps[outer.len()];
    let piece = |number: usize, out: &mut [R]| match outer {
        [] => {
            let at = std::array::from_fn(|n| offsets[n] + number * PIECE * step[n]);
            write(EvenRows { at, apart: [0; N], step, length: out.len() }, out);
        }
        [_] => {
            let first = number * (PIECE / length).max(1);
            let at = std::array::from_fn(|n| offsets[n] + first * steps[0][n]);
            write(EvenRows { at, apart: steps[0], step, length }, out);
        }
        _ => {
            let mut walk = RowWalk::from(number * (PIECE / length).max(1), outer, &steps, offsets);
            for out in out.chunks_exact_mut(length) {
                write(EvenRows { at: walk.at, apart: [0; N], step, length }, out);
                walk.next();
            }
        }
    };
    let size = if outer.is_empty() { PIECE } else { (PIECE / length).max(1) * length };
    match out.len() < PARALLEL {
        true if outer.len() < 2 => piece(0, &mut out),
        true => out.chunks_mut(size).enumerate().for_each(|(number, out)| piece(number, out)),
        false => threads::share_brief(out.chunks_mut(size).enumerate(), |(number, out)| piece(number, out)),
    }
    out
}

/// Calls `write` for all pairs of pieces of two slices of one length, on several threads if they are long.
pub fn in_pieces<A: Sync, R: Send>(x: &[A], out: &mut [R], write: impl Fn(&[A], &mut [R]) + Sync) {
    match x.len() < PARALLEL {
        true => write(x, out),
        false => threads::share_brief(x.chunks(PIECE).zip(out.chunks_mut(PIECE)), |(x, out)| write(x, out)),
    }
}

/// The elements of a strided view, row-major. Copies.
pub fn gather_strided<T: Element>(data: &[T], shape: &[usize], strides: &[usize], offset: usize) -> Vec<T> {
    let (sizes, steps) = merge(shape, [strides]);
    if let ([.., rows, columns], [.., [1], [step]]) = (&sizes[..], &steps[..])
        && *step > 1
        && *rows >= TILE
        && *columns >= TILE
    {
        let outer = sizes.len() - 2;
        return transposed(data, [*rows, *columns], *step, &sizes[..outer], &steps[..outer], offset);
    }
    unary(shape, Strided { data, strides, offset }, |x| x)
}

/// Side of the squares in which a matrix is transposed: whole cache lines are read and written.
const TILE: usize = 16;

/// Copies of matrices with neighbouring elements in a column: element (i, j) of each is `step * j + i` after its start.
fn transposed<T: Element>(
    data: &[T],
    [rows, columns]: [usize; 2],
    step: usize,
    outer: &[usize],
    outer_steps: &[[usize; 1]],
    offset: usize,
) -> Vec<T> {
    let mut out = buffer_pool::take(outer.iter().product::<usize>() * rows * columns);
    let is_large = out.len() >= PARALLEL;
    // A band is as many rows as a cache line has elements, or two lines: their neighbours are fetched with them.
    let bands = out.chunks_exact_mut(rows * columns).enumerate().flat_map(|(matrix, out)| {
        let start = RowWalk::from(matrix, outer, outer_steps, [offset]).at[0];
        let starts = (start..).step_by(2 * TILE);
        starts.zip(out.chunks_mut(2 * TILE * columns))
    });
    let each = |(start, band): (usize, &mut [T])| transpose_band(&data[start..], step, columns, band);
    match is_large {
        true => threads::share_brief(bands.collect::<Vec<_>>().into_iter(), each),
        false => bands.for_each(each),
    }
    out
}

/// The first rows of a transposed matrix: `band` has at most two tiles of rows, each of `columns`.
fn transpose_band<T: Element>(data: &[T], step: usize, columns: usize, band: &mut [T]) {
    let rows = band.len() / columns;
    let mut tile = [[T::default(); 2 * TILE]; TILE];
    for first in (0..columns).step_by(TILE) {
        let width = TILE.min(columns - first);
        for (j, tile) in tile[..width].iter_mut().enumerate() {
            let at = (first + j) * step;
            tile[..rows].copy_from_slice(&data[at..at + rows]);
        }
        for (i, row) in band.chunks_exact_mut(columns).enumerate() {
            let row = &mut row[first..first + width];
            match <&mut [T; TILE]>::try_from(&mut *row) {
                Ok(row) => (0..TILE).for_each(|j| row[j] = tile[j][i]),
                Err(_) => row.iter_mut().zip(&tile).for_each(|(out, tile)| *out = tile[i]),
            }
        }
    }
}

/// Copies the next `run` elements of each part in turn, `rounds` times, into `out`. Each part is (elements, run).
pub(crate) fn interleave<T: Element>(parts: &[(&[T], usize)], rounds: usize, out: &mut [T]) {
    let width: usize = parts.iter().map(|part| part.1).sum();
    let copy = |first: usize, out: &mut [T]| {
        for (round, mut out) in (first..).zip(out.chunks_exact_mut(width)) {
            for &(data, run) in parts {
                let (place, after) = out.split_at_mut(run);
                place.copy_from_slice(&data[round * run..(round + 1) * run]);
                out = after;
            }
        }
    };
    if out.len() < PARALLEL {
        if width > 0 {
            copy(0, out);
        }
    } else if rounds > 1 {
        let at_a_time = (PIECE / width).max(1);
        let tasks = out.chunks_mut(at_a_time * width).enumerate();
        threads::share_brief(tasks, |(number, out)| copy(number * at_a_time, out));
    } else {
        let mut pieces = Vec::new();
        let mut rest = out;
        for &(data, run) in parts {
            let (place, after) = rest.split_at_mut(run);
            pieces.extend(place.chunks_mut(PIECE).zip(data[..run].chunks(PIECE)));
            rest = after;
        }
        threads::share_brief(pieces.into_iter(), |(out, data)| out.copy_from_slice(data));
    }
}

/// The elements whose mask is true, in order. Copies.
pub(crate) fn compress<T: Element>(data: &[T], mask: &[bool]) -> Vec<T> {
    let kept = |mask: &[bool]| mask.iter().map(|&keep| usize::from(keep)).sum::<usize>();
    let counts: Vec<usize> = mask.chunks(PIECE).map(kept).collect();
    let mut out: Vec<T> = buffer_pool::take(counts.iter().sum());
    let mut rest = &mut out[..];
    let pieces = data.chunks(PIECE).zip(mask.chunks(PIECE)).zip(&counts).map(|((data, mask), &count)| {
        let (out, after) = std::mem::take(&mut rest).split_at_mut(count);
        rest = after;
        (data, mask, out)
    });
    let write = |(data, mask, out): (&[T], &[bool], &mut [T])| {
        // Every element is written, and the next one takes its place unless its mask is true: no branch to mispredict.
        let Some(last) = out.len().checked_sub(1) else { return };
        let mut at = 0;
        for (&x, &keep) in data.iter().zip(mask) {
            if at > last {
                break;
            }
            out[at] = x;
            at += usize::from(keep);
        }
    };
    let pieces: Vec<_> = pieces.collect();
    threads::share_if(data.len() >= PARALLEL, pieces.into_iter(), write);
    out
}

/// The positions in the storage of the elements of a strided view, row-major.
pub(crate) fn places(shape: &[usize], strides: &[usize], offset: usize) -> Vec<usize> {
    let mut out = Vec::with_capacity(shape.iter().product());
    rows(shape, [strides], [offset], |[at], [step], length| out.extend((0..length).map(|i| at + i * step)));
    out
}

/// Writes `values` (row-major, as many as `shape` has) to the elements of a strided view.
pub fn scatter_strided<T: Copy>(
    data: &mut [T],
    shape: &[usize],
    strides: &[usize],
    offset: usize,
    values: &[T],
) {
    let mut next = 0;
    rows(shape, [strides], [offset], |[at], [step], length| {
        let row = &values[next..next + length];
        next += length;
        if step == 1 {
            data[at..at + length].copy_from_slice(row);
        } else {
            row.iter().enumerate().for_each(|(i, &value)| data[at + i * step] = value);
        }
    });
}

/// `f` of each element, row-major.
pub fn unary<A: Element, R: Element>(shape: &[usize], a: Strided<A>, f: impl Fn(A) -> R + Sync) -> Vec<R> {
    row_major_result(shape, [a.strides], [a.offset], &Unary { a: a.data, f })
}

struct Unary<'a, A, F> {
    a: &'a [A],
    f: F,
}

impl<A: Element, R: Element, F: Fn(A) -> R + Sync> RowLoop<1, R> for Unary<'_, A, F> {
    const WIDEST: usize = widest(&[size_of::<A>(), size_of::<R>()]);

    #[inline(always)]
    fn write(&self, [at]: [usize; 1], [step]: [usize; 1], out: &mut [R]) {
        let (a, f) = (&self.a[at..], &self.f);
        match step {
            1 => {
                let a = &a[..out.len()];
                out.iter_mut().zip(a).for_each(|(out, &x)| *out = f(x));
            }
            0 => out.fill(f(a[0])),
            _ => out.iter_mut().zip(a.iter().step_by(step)).for_each(|(out, &x)| *out = f(x)),
        }
    }
}

/// `f` of each pair of elements, row-major.
pub fn binary<A: Element, B: Element, R: Element>(
    shape: &[usize],
    a: Strided<A>,
    b: Strided<B>,
    f: impl Fn(A, B) -> R + Sync,
) -> Vec<R> {
    let row_loop = Binary { a: a.data, b: b.data, f };
    row_major_result(shape, [a.strides, b.strides], [a.offset, b.offset], &row_loop)
}

struct Binary<'a, A, B, F> {
    a: &'a [A],
    b: &'a [B],
    f: F,
}

impl<A: Element, B: Element, R, F: Fn(A, B) -> R + Sync> RowLoop<2, R> for Binary<'_, A, B, F> {
    const WIDEST: usize = widest(&[size_of::<A>(), size_of::<B>(), size_of::<R>()]);

    #[inline(always)]
    fn write(&self, [i, j]: [usize; 2], steps: [usize; 2], out: &mut [R]) {
        let (a, b, f, length) = (&self.a[i..], &self.b[j..], &self.f, out.len());
        match steps {
            [1, 1] => {
                let (a, b) = (&a[..length], &b[..length]);
                out.iter_mut().zip(a).zip(b).for_each(|((out, &x), &y)| *out = f(x, y));
            }
            [1, 0] => {
                let y = b[0];
                out.iter_mut().zip(&a[..length]).for_each(|(out, &x)| *out = f(x, y));
            }
            [0, 1] => {
                let x = a[0];
                out.iter_mut().zip(&b[..length]).for_each(|(out, &y)| *out = f(x, y));
            }
            [di, dj] => {
                out.iter_mut().enumerate().for_each(|(k, out)| *out = f(a[k * di], b[k * dj]));
            }
        }
    }
}

/// `f` of each triple of elements, row-major.
pub fn ternary<A: Element, B: Element, C: Element, R: Element>(
    shape: &[usize],
    a: Strided<A>,
    b: Strided<B>,
    c: Strided<C>,
    f: impl Fn(A, B, C) -> R + Sync,
) -> Vec<R> {
    let offsets = [a.offset, b.offset, c.offset];
    let row_loop = Ternary { a: a.data, b: b.data, c: c.data, f };
    row_major_result(shape, [a.strides, b.strides, c.strides], offsets, &row_loop)
}

struct Ternary<'a, A, B, C, F> {
    a: &'a [A],
    b: &'a [B],
    c: &'a [C],
    f: F,
}

impl<A: Element, B: Element, C: Element, R, F> RowLoop<3, R> for Ternary<'_, A, B, C, F>
where
    F: Fn(A, B, C) -> R + Sync,
{
    const WIDEST: usize = widest(&[size_of::<A>(), size_of::<B>(), size_of::<C>(), size_of::<R>()]);

    #[inline(always)]
    fn write(&self, [i, j, k]: [usize; 3], steps: [usize; 3], out: &mut [R]) {
        let (a, b, c, f) = (&self.a[i..], &self.b[j..], &self.c[k..], &self.f);
        let length = out.len();
        match steps {
            [1, 1, 1] => {
                let (a, b, c) = (&a[..length], &b[..length], &c[..length]);
                out.iter_mut().zip(a).zip(b).zip(c).for_each(|(((out, &x), &y), &z)| *out = f(x, y, z));
            }
            [1, 1, 0] => {
                let (a, b, z) = (&a[..length], &b[..length], c[0]);
                out.iter_mut().zip(a).zip(b).for_each(|((out, &x), &y)| *out = f(x, y, z));
            }
            [1, 0, 1] => {
                let (a, y, c) = (&a[..length], b[0], &c[..length]);
                out.iter_mut().zip(a).zip(c).for_each(|((out, &x), &z)| *out = f(x, y, z));
            }
            [di, dj, dk] => {
                out.iter_mut().enumerate().for_each(|(n, out)| *out = f(a[n * di], b[n * dj], c[n * dk]));
            }
        }
    }
}
