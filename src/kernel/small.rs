//! Products with few rows or columns in single precision, in the order in which MKL adds up their terms on processors of
//! AMD's: there it has loops of their own for them, on vectors of four numbers, which round a product before it is added.
//! The orders were found by experiment: of a term that is far smaller than two others, which cancel, remains something if
//! it is added after both. All results of some thousand random shapes are equal to the bit.
//!
//! | product | an element |
//! |---|---|
//! | terms of both operands contiguous | [`lanes`]: four sums, or eight in the last columns, begun where a row of the left operand is aligned |
//! | the same with a vector | [`with_vector`]: four sums of four rows at a time, the rest alone |
//! | all others | [`by_rows`]: one sum; two in columns before a row of the result is aligned |
//! | two vectors | [`dot`]: four sums of four lanes |
//!
//! Where a row is aligned, to 16 bytes, follows from its place: memory of tensors begins there.

use std::array::from_fn;

use ndarray::{ArrayView2, ArrayViewMut2, CowArray, Ix2};

/// Most rows of a product with many columns.
const ROWS: usize = 3;
/// Most columns of a product with many rows.
const COLUMNS: usize = 11;
/// Most multiplications: with more it counts that the loops of `few_rows.rs` are faster.
const MOST: usize = 1 << 17;
/// Numbers in a vector of 16 bytes.
const VECTOR: usize = 4;

/// `out = alpha * a @ b + beta * out`: (m, k) @ (k, n) into (m, n), if it is such a product; returns whether it is.
pub(super) fn multiply(
    alpha: f32,
    a: ArrayView2<f32>,
    b: ArrayView2<f32>,
    beta: f32,
    out: ArrayViewMut2<f32>,
) -> bool {
    let ((m, n), k) = (out.dim(), a.ncols());
    if m > ROWS && n > COLUMNS || k < 2 || m * n * k > MOST || m * n == 0 {
        return false;
    }
    let mut out = Output { alpha, beta, out };
    let terms_of_a = a.strides()[1] == 1;
    let terms_of_b = b.strides()[0] == 1;
    match (terms_of_a || a.strides()[0] != 1, terms_of_b) {
        (true, _) if n == 1 => with_vector(&rows_of(a), &rows_of(b.reversed_axes()), &mut out),
        (_, true) if m == 1 => with_vector(&rows_of(b.reversed_axes()), &rows_of(a), &mut out),
        (true, true) => by_terms(&rows_of(a), &rows_of(b.reversed_axes()), &mut out),
        (false, true) => {
            let out = Output { out: out.out.reversed_axes(), ..out };
            by_rows(b.reversed_axes(), &rows_of(a.reversed_axes()), false, out);
        }
        (_, false) => by_rows(a, &rows_of(b), true, out),
    }
    true
}

/// Where a product is written.
struct Output<'a> {
    alpha: f32,
    beta: f32,
    out: ArrayViewMut2<'a, f32>,
}

impl Output<'_> {
    fn write(&mut self, row: usize, column: usize, sum: f32) {
        let sum = self.alpha * sum;
        let out = &mut self.out[[row, column]];
        *out = if self.beta == 0.0 { sum } else { self.beta * *out + sum };
    }
}

/// A matrix whose rows are contiguous: itself, or a copy.
fn rows_of(x: ArrayView2<f32>) -> CowArray<f32, Ix2> {
    match x.strides()[1] == 1 {
        true => x.into(),
        false => x.as_standard_layout().into_owned().into(),
    }
}

fn row<'a>(x: &'a CowArray<f32, Ix2>, at: usize) -> &'a [f32] {
    x.row(at).to_slice().expect("rows are contiguous")
}

/// The sum of products of two vectors, as `torch.dot`: four sums of four lanes take turns, and what is left after the last
/// turn goes to the first two.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [[0.0; VECTOR]; 4];
    let mut add = |at: usize, x: &[f32], y: &[f32]| {
        sums[at].iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (&x, &y))| *sum += x * y);
    };
    let whole = a.len() / 16 * 16;
    let vectors = |x| <[f32]>::chunks(x, VECTOR);
    for (at, (x, y)) in vectors(&a[..whole]).zip(vectors(&b[..whole])).enumerate() {
        add(at % 4, x, y);
    }
    for (at, (x, y)) in vectors(&a[whole..]).zip(vectors(&b[whole..])).enumerate() {
        match x.len() {
            VECTOR => add(at % 2, x, y),
            _ => x.iter().zip(y).for_each(|(&x, &y)| add(0, &[x], &[y])),
        }
    }
    let lanes: [f32; VECTOR] = from_fn(|lane| sums[0][lane] + sums[1][lane] + sums[2][lane] + sums[3][lane]);
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// How many numbers come before the first that is aligned.
fn before_alignment(address: *const f32) -> usize {
    (VECTOR - address as usize / size_of::<f32>() % VECTOR) % VECTOR
}

/// The sum of products, one after the other, onto `sum`.
fn in_sequence(sum: f32, a: impl IntoIterator<Item = f32>, b: impl IntoIterator<Item = f32>) -> f32 {
    a.into_iter().zip(b).fold(sum, |sum, (a, b)| sum + a * b)
}

/// Products of one row with `C` columns: `L` sums, the first begun with `first` terms; terms that do not fill steps are added
/// to the whole.
fn lanes<const L: usize, const C: usize>(
    row: &[f32],
    columns: [&[f32]; C],
    first: usize,
    step: usize,
) -> [f32; C] {
    let first = first.min(row.len());
    let end = first + (row.len() - first) / step * step;
    let mut sums = [[0.0; L]; C];
    for (sums, column) in sums.iter_mut().zip(columns) {
        sums[0] = in_sequence(0.0, row[..first].iter().copied(), column[..first].iter().copied());
    }
    let whole = row[first..end].as_chunks::<L>().0;
    let numbers = columns.map(|column| &column[first..end].as_chunks::<L>().0[..whole.len()]);
    for (at, x) in whole.iter().enumerate() {
        for (sums, numbers) in sums.iter_mut().zip(numbers) {
            let y = &numbers[at];
            *sums = from_fn(|lane| sums[lane] + x[lane] * y[lane]);
        }
    }
    from_fn(|column| {
        let sums: [f32; VECTOR] = from_fn(|lane| (lane..L).step_by(VECTOR).map(|at| sums[column][at]).sum());
        let whole = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        in_sequence(whole, row[end..].iter().copied(), columns[column][end..].iter().copied())
    })
}

/// A matrix times the vector that is the one row of `x`; the result is a row or a column.
fn with_vector(matrix: &CowArray<f32, Ix2>, x: &CowArray<f32, Ix2>, out: &mut Output) {
    let x = row(x, 0);
    let is_row = out.out.nrows() == 1;
    let mut write = |at, sum| if is_row { out.write(0, at, sum) } else { out.write(at, 0, sum) };
    let fours = matrix.nrows() / 4 * 4;
    for first in (0..fours).step_by(4) {
        let sums = lanes::<4, 4>(x, from_fn(|at| row(matrix, first + at)), (x.len() - 1) % 4 + 1, 4);
        sums.into_iter().enumerate().for_each(|(at, sum)| write(first + at, sum));
    }
    for at in fours..matrix.nrows() {
        let [sum] = match (at - fours) % 2 {
            0 => lanes::<8, 1>(x, [row(matrix, at)], 4, 8),
            _ => lanes::<4, 1>(x, [row(matrix, at)], 4, 8),
        };
        write(at, sum);
    }
}

/// Rows times columns, whose terms are contiguous.
fn by_terms(a: &CowArray<f32, Ix2>, columns: &CowArray<f32, Ix2>, out: &mut Output) {
    let fours = columns.nrows() / 4 * 4;
    for at in 0..a.nrows() {
        let x = row(a, at);
        let first = before_alignment(x.as_ptr());
        for column in (0..fours).step_by(4) {
            let sums = lanes::<4, 4>(x, from_fn(|next| row(columns, column + next)), first, 4);
            sums.into_iter().enumerate().for_each(|(next, sum)| out.write(at, column + next, sum));
        }
        for column in fours..columns.nrows() {
            let [sum] = lanes::<8, 1>(x, [row(columns, column)], first, 8);
            out.write(at, column, sum);
        }
    }
}

/// Adds products of factors with rows to sums.
type SumUp = fn(&[f32], &[f32], &mut [f32]);

/// What adds up rows of so few columns in registers: a row of factors, the rows, and the sums, which it goes on from.
fn narrow(columns: usize) -> Option<SumUp> {
    fn sum_up<const N: usize>(a: &[f32], b: &[f32], out: &mut [f32]) {
        let mut sums: [f32; N] = from_fn(|at| out[at]);
        for (&x, y) in a.iter().zip(b.as_chunks::<N>().0) {
            sums = from_fn(|at| sums[at] + x * y[at]);
        }
        out.copy_from_slice(&sums);
    }
    Some(match columns {
        2 => sum_up::<2>,
        3 => sum_up::<3>,
        4 => sum_up::<4>,
        5 => sum_up::<5>,
        6 => sum_up::<6>,
        7 => sum_up::<7>,
        8 => sum_up::<8>,
        9 => sum_up::<9>,
        10 => sum_up::<10>,
        11 => sum_up::<11>,
        _ => return None,
    })
}

/// Sums of rows of `b`, which begin with what is in the result; the left operand is scaled. If the result is `aligned`,
/// columns before the first aligned one have eight terms in two sums, where a vector of columns follows.
fn by_rows(a: ArrayView2<f32>, b: &CowArray<f32, Ix2>, aligned: bool, mut out: Output) {
    let n = b.ncols();
    let Output { alpha, beta, ref mut out } = out;
    let begun = |x: f32| if beta == 0.0 { 0.0 } else { beta * x };
    let (mut sums, mut factors) = (vec![0.0; n], vec![0.0; a.ncols()]);
    let narrow = b.as_slice().and_then(|b| narrow(n).map(|sum_up| (sum_up, b)));
    for (a, mut out) in a.outer_iter().zip(out.outer_iter_mut()) {
        factors.iter_mut().zip(a).for_each(|(factor, &x)| *factor = alpha * x);
        sums.iter_mut().zip(&out).for_each(|(sum, &x)| *sum = begun(x));
        match &narrow {
            Some((sum_up, b)) => sum_up(&factors, b, &mut sums),
            None => {
                for (term, &x) in factors.iter().enumerate() {
                    sums.iter_mut().zip(row(b, term)).for_each(|(sum, &y)| *sum += x * y);
                }
            }
        }
        let first = if aligned { before_alignment(out.as_ptr()) } else { 0 };
        for column in 0..if n >= first + VECTOR { first } else { 0 } {
            let part = |sum, terms: std::ops::Range<usize>| {
                in_sequence(sum, terms.clone().map(|term| factors[term]), terms.map(|term| b[[term, column]]))
            };
            let end = factors.len() / 8 * 8;
            let sum = (0..end).step_by(8).fold(begun(out[column]), |sum, term| {
                part(sum, term..term + 4) + part(0.0, term + 4..term + 8)
            });
            sums[column] = part(sum, end..factors.len());
        }
        out.iter_mut().zip(&sums).for_each(|(out, &sum)| *out = sum);
    }
}
