//! Cascade sums: short runs first, then runs of runs, so that numbers of similar size are added.
//! Source: the order of `torch.sum` on x86: four chains of vectors, runs of 16 or more elements, four levels of runs
//! (pairwise summation: Higham 1993).

use ndarray::{ArrayView1, ArrayViewD};

use super::super::{Real, stop, threads};
use super::plan::{Dim, ReductionPlan, ceil_log2};

/// Numbers below which a sum stays on the caller's thread, and numbers that a thread takes at a time.
const PARALLEL: usize = 1 << 16;
const PIECE: usize = 1 << 14;

/// Calls a function of the lanes of a vector of `T` and of those of four vectors.
macro_rules! in_lanes {
    ($T:ident, $function:ident($($arg:expr),*)) => {
        if $T::LANES == 8 { $function::<$T, 8, 32>($($arg),*) } else { $function::<$T, 4, 16>($($arg),*) }
    };
}

/// Σ over `axes`, row-major over the axes kept. With no axes each element (plus 0) is a result.
pub fn sum<T: Real>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<T> {
    let mut out = vec![T::ZERO; super::plan::results(x.shape(), axes)];
    if x.is_empty() {
        return out;
    }
    let plan = ReductionPlan::new(&x, axes);
    match plan.dims[..] {
        [inner, outer]
            if inner.out == 0
                && inner.step == 1
                && inner.stride == 1
                && outer.size == 1
                && inner.size >= 4 * PARALLEL
                && threads::shares() =>
        {
            out[0] += shared_row(&plan.data[..inner.size]);
        }
        // Each contiguous row has a sum of its own, which any thread can compute.
        [inner, outer] if inner.out == 0 && inner.step == 1 && inner.stride == 1 && outer.out == 1 => {
            let rows = (PIECE / inner.size.max(1)).max(1);
            if inner.size < T::LANES || x.len() < PARALLEL || outer.size <= rows {
                sum_blocks(&plan, &mut out);
                return out;
            }
            threads::share(out.chunks_mut(rows).enumerate(), |(number, out)| {
                let outer = Dim { size: out.len(), ..outer };
                sum_rows(&plan.data, number * rows * outer.stride, inner, outer, out);
            });
        }
        // Columns next to each other have sums of their own too.
        [inner, outer]
            if inner.out == 0 && outer.out == 1 && outer.step == 1 && outer.stride == 1 && inner.step > 1 =>
        {
            let columns = 16 * T::LANES;
            if outer.size < 2 * columns || x.len() < PARALLEL {
                sum_blocks(&plan, &mut out);
                return out;
            }
            // Columns after the last whole piece stay with it: too few vectors would be summed in another order.
            let (pieces, last) = out.split_at_mut((outer.size / columns - 1) * columns);
            let pieces: Vec<&mut [T]> = pieces.chunks_mut(columns).chain([last]).collect();
            threads::share(pieces.into_iter().enumerate(), |(number, out)| {
                let outer = Dim { size: out.len(), ..outer };
                sum_rows(&plan.data, number * columns, inner, outer, out);
            });
        }
        _ => sum_blocks(&plan, &mut out),
    }
    out
}

/// Σ over a whole slice, as [`sum`] over its only axis.
pub(crate) fn sum_all<T: Real>(x: &[T]) -> T {
    sum(ArrayView1::from(x).into_dyn(), &[0])[0]
}

/// Σ over one contiguous row.
pub(crate) fn sum_slice<T: Real>(x: &[T]) -> T {
    if x.len() < T::LANES {
        return row_sum::<T, 1>(x, 0, 1, x.len())[0];
    }
    in_lanes!(T, vector_row(x))
}

fn sum_rows<T: Real>(data: &[T], at: usize, inner: Dim, outer: Dim, out: &mut [T]) {
    in_lanes!(T, block(data, at, inner, outer, out));
}

fn sum_blocks<T: Real>(plan: &ReductionPlan<T>, out: &mut [T]) {
    plan.blocks(|data, at, inner, outer, to| sum_rows(data, at, inner, outer, &mut out[to..]));
}

fn block<T: Real, const W: usize, const N: usize>(
    data: &[T],
    at: usize,
    mut inner: Dim,
    mut outer: Dim,
    out: &mut [T],
) {
    if inner.out != 0 && outer.out == 0 {
        std::mem::swap(&mut inner, &mut outer);
    }
    let (n, rows) = (inner.size, outer.size);
    if inner.out != 0 {
        for j in 0..rows {
            for i in 0..n {
                out[j * outer.out + i * inner.out] += data[at + j * outer.stride + i * inner.stride];
            }
        }
    } else if inner.step == 1 && n >= W {
        for j in 0..rows {
            let row = &data[at + j * outer.stride..];
            if inner.stride == 1 {
                out[j * outer.out] += vector_row::<T, W, N>(&row[..n]);
            } else {
                let row: Vec<T> = (0..n).map(|i| row[i * inner.stride]).collect();
                out[j * outer.out] += vector_row::<T, W, N>(&row);
            }
        }
    } else if outer.step == 1 && rows >= W && outer.stride == 1 {
        let mut j = 0;
        while j + 4 * W <= rows {
            let sums = wide_row::<T, N>(data, at + j, inner.stride, n, 0, [[T::ZERO; N]; LEVELS]);
            for (i, lane) in sums.iter().enumerate() {
                out[(j + i) * outer.out] += *lane;
            }
            j += 4 * W;
        }
        while j + W <= rows {
            for (i, lane) in row_sum::<T, W>(data, at + j, inner.stride, n).iter().enumerate() {
                out[(j + i) * outer.out] += *lane;
            }
            j += W;
        }
        for j in j..rows {
            out[j * outer.out] += row_sum::<T, 1>(data, at + j, inner.stride, n)[0];
        }
    } else if inner.step < outer.step {
        for j in 0..rows {
            out[j * outer.out] += row_sum::<T, 1>(data, at + j * outer.stride, inner.stride, n)[0];
        }
    } else {
        let mut j = 0;
        while j + 4 <= rows {
            let sums = multi_row::<T, 1, 4>(data, at + j * outer.stride, inner.stride, outer.stride, n);
            for (i, [lane]) in sums.iter().enumerate() {
                out[(j + i) * outer.out] += *lane;
            }
            j += 4;
        }
        for j in j..rows {
            out[j * outer.out] += row_sum::<T, 1>(data, at + j * outer.stride, inner.stride, n)[0];
        }
    }
}

/// The sum of a contiguous row of at least `W` numbers: vectors, then the rest in order, then the lanes. `N` is `4 * W`.
fn vector_row<T: Real, const W: usize, const N: usize>(row: &[T]) -> T {
    let chains = wide_row::<T, N>(row, 0, N, row.len() / N, 0, [[T::ZERO; N]; LEVELS]);
    finish_row::<T, W, N>(row, &chains)
}

/// The sum of a row of which four chains of vectors are summed up: the vectors that are left over, the elements after the
/// last whole vector, the lanes.
fn finish_row<T: Real, const W: usize, const N: usize>(row: &[T], chains: &[T; N]) -> T {
    let mut lanes = [T::ZERO; W];
    lanes.copy_from_slice(&chains[..W]);
    let vectors = row[row.len() / N * N..].chunks_exact(W);
    let rest = vectors.remainder();
    for vector in vectors {
        add(&mut lanes, vector);
    }
    for chain in chains[W..].chunks_exact(W) {
        add(&mut lanes, chain);
    }
    let mut sum = T::ZERO;
    for &x in rest {
        sum += x;
    }
    for lane in lanes {
        sum += lane;
    }
    sum
}

/// A sum checks for interrupts at steps that have none of these bits.
const UNSTOPPED: usize = (1 << 20) - 1;

/// Levels of runs in a cascade.
const LEVELS: usize = 4;

/// log2 of the number of vectors in a run, of `n` in all.
#[inline(always)]
fn power_of_run(n: usize) -> usize {
    (ceil_log2(n) / LEVELS).max(4)
}

/// `N` sums at once, of neighbours, over `n` steps of `stride`: as [`multi_row`] from step `i` on, with what each level has
/// up to there. One wide vector, because its lanes stay in registers.
fn wide_row<T: Real, const N: usize>(
    data: &[T],
    at: usize,
    stride: usize,
    n: usize,
    mut i: usize,
    mut acc: [[T; N]; LEVELS],
) -> [T; N] {
    let power = power_of_run(n);
    let run = 1 << power;
    if i == 0 && n <= run {
        // Levels that stay zero change nothing.
        let sums = [T::ZERO; N];
        return if n > 0 { wide_run(&data[at..], stride, n, sums) } else { sums };
    }
    while i + run <= n {
        if i & UNSTOPPED == 0 {
            stop::check();
        }
        let sums = wide_run(&data[at + i * stride..], stride, run, [T::ZERO; N]);
        add(&mut acc[1], &sums);
        i += run;
        for j in 2..LEVELS {
            if i & ((run - 1) << ((j - 1) * power)) != 0 {
                break;
            }
            let below = std::mem::replace(&mut acc[j - 1], [T::ZERO; N]);
            add(&mut acc[j], &below);
        }
    }
    let [mut sums, upper @ ..] = acc;
    if i < n {
        sums = wide_run(&data[at + i * stride..], stride, n - i, sums);
    }
    for level in upper {
        add(&mut sums, &level);
    }
    sums
}

/// `sums` and `n` steps of `stride`, at least one.
///
/// Not inlined: beside other loops the compiler would add the numbers in pairs. Vectors longer than the oldest processor's
/// would wait for the sums all the same.
#[inline(never)]
fn wide_run<T: Real, const N: usize>(data: &[T], stride: usize, n: usize, mut sums: [T; N]) -> [T; N] {
    let data = &data[..(n - 1) * stride + N];
    for i in 0..n {
        let step = &data[i * stride..i * stride + N];
        for l in 0..N {
            sums[l] += step[l];
        }
    }
    sums
}

/// One sum of `n` vectors of `W` lanes, `stride` apart, in four chains.
fn row_sum<T: Real, const W: usize>(data: &[T], at: usize, stride: usize, n: usize) -> [T; W] {
    let [mut sum, rest @ ..] = multi_row::<T, W, 4>(data, at, 4 * stride, stride, n / 4);
    for i in n / 4 * 4..n {
        add(&mut sum, &data[at + i * stride..]);
    }
    for chain in rest {
        add(&mut sum, &chain);
    }
    sum
}

/// `R` sums at once, `apart` from each other, over `n` vectors of `W` lanes that lie `stride` apart.
fn multi_row<T: Real, const W: usize, const R: usize>(
    data: &[T],
    at: usize,
    stride: usize,
    apart: usize,
    n: usize,
) -> [[T; W]; R] {
    let power = power_of_run(n);
    let run = 1 << power;
    let mut acc = [[[T::ZERO; W]; R]; LEVELS];
    let mut i = 0;
    while i + run <= n {
        if i & UNSTOPPED == 0 {
            stop::check();
        }
        let mut level = acc[0];
        for _ in 0..run {
            for (k, level) in level.iter_mut().enumerate() {
                add(level, &data[at + i * stride + k * apart..]);
            }
            i += 1;
        }
        acc[0] = level;
        for j in 1..LEVELS {
            let below = std::mem::replace(&mut acc[j - 1], [[T::ZERO; W]; R]);
            for (level, below) in acc[j].iter_mut().zip(&below) {
                add(level, below);
            }
            if i & ((run - 1) << (j * power)) != 0 {
                break;
            }
        }
    }
    let [mut sums, upper @ ..] = acc;
    for i in i..n {
        for (k, sum) in sums.iter_mut().enumerate() {
            add(sum, &data[at + i * stride + k * apart..]);
        }
    }
    for level in upper {
        for (sum, level) in sums.iter_mut().zip(&level) {
            add(sum, level);
        }
    }
    sums
}

#[inline(always)]
fn add<T: Real, const W: usize>(sum: &mut [T; W], x: &[T]) {
    for (sum, &x) in sum.iter_mut().zip(&x[..W]) {
        *sum += x;
    }
}

/// The sums of pieces of `run * run` steps each, which the second level of a cascade adds up.
fn second_level<T: Real, const W: usize, const N: usize>(data: &[T], run: usize, out: &mut [[T; 32]]) {
    for (data, out) in data.chunks_exact(run * run * N).zip(out) {
        let mut sums = [T::ZERO; N];
        for data in data.chunks_exact(run * N) {
            add(&mut sums, &wide_run(data, N, run, [T::ZERO; N]));
        }
        out[..N].copy_from_slice(&sums);
    }
}

/// [`vector_row`] of a long row, on several threads: whole pieces of the cascade start at zero, wherever they are.
fn shared_row<T: Real>(row: &[T]) -> T {
    let step = 4 * T::LANES;
    let n = row.len() / step;
    let run = 1 << power_of_run(n);
    let (piece, pieces) = (run * run * step, n / (run * run));
    let mut sums = vec![[T::ZERO; 32]; pieces];
    let at_a_time = (PIECE / piece).max(1);
    let tasks = row[..pieces * piece].chunks(at_a_time * piece).zip(sums.chunks_mut(at_a_time));
    threads::share(tasks, |(data, sums)| in_lanes!(T, second_level(data, run, sums)));
    in_lanes!(T, join_pieces(row, &sums))
}

fn join_pieces<T: Real, const W: usize, const N: usize>(row: &[T], sums: &[[T; 32]]) -> T {
    let n = row.len() / N;
    let run = 1 << power_of_run(n);
    let mut acc = [[T::ZERO; N]; LEVELS];
    for (at, piece) in sums.iter().enumerate() {
        add(&mut acc[2], &piece[..N]);
        if (at + 1) & (run - 1) == 0 {
            let below = std::mem::replace(&mut acc[2], [T::ZERO; N]);
            add(&mut acc[3], &below);
        }
    }
    finish_row::<T, W, N>(row, &wide_row(row, 0, N, n, sums.len() * run * run, acc))
}
