//! One result element from one element of each operand, for any strides.
//! Room: kernel. Slices, shapes and strides in; a row-major vector out.
//!
//! Dimensions that lie without gaps in every operand are merged first, so that most calls come
//! down to one flat loop, which the compiler vectorises.

/// An operand: storage elements, strides (0 where broadcast) and the element of index (0, 0, ...).
#[derive(Clone, Copy)]
pub struct Strided<'a, T> {
    /// All storage elements.
    pub data: &'a [T],
    /// Storage elements between neighbours, one for each dimension of the result.
    pub strides: &'a [usize],
    /// Storage element of the first index.
    pub offset: usize,
}

/// Shape and the strides of N operands with gapless neighbours merged; sizes of 1 dropped.
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
    let mut index = vec![0; outer.len()];
    let mut at = offsets;
    loop {
        row(at, inner, length);
        let mut axis = outer.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < outer[axis] {
                (0..N).for_each(|n| at[n] += steps[axis][n]);
                break;
            }
            (0..N).for_each(|n| at[n] -= steps[axis][n] * (outer[axis] - 1));
            index[axis] = 0;
        }
    }
}

/// The elements a strided view sees, row-major. Copies.
pub fn gather_strided<T: Copy>(data: &[T], shape: &[usize], strides: &[usize], offset: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(shape.iter().product());
    rows(shape, [strides], [offset], |[at], [step], length| match step {
        1 => out.extend_from_slice(&data[at..at + length]),
        0 => out.extend(std::iter::repeat_n(data[at], length)),
        _ => out.extend(data[at..].iter().step_by(step).take(length)),
    });
    out
}

/// The storage elements a strided view sees, row-major.
pub fn places(shape: &[usize], strides: &[usize], offset: usize) -> Vec<usize> {
    let mut out = Vec::with_capacity(shape.iter().product());
    rows(shape, [strides], [offset], |[at], [step], length| out.extend((0..length).map(|i| at + i * step)));
    out
}

/// Writes `values` (row-major, as many as `shape` has) where a strided view sees them.
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

/// Writes one value wherever a strided view sees.
pub fn fill_strided<T: Copy>(data: &mut [T], shape: &[usize], strides: &[usize], offset: usize, value: T) {
    rows(shape, [strides], [offset], |[at], [step], length| {
        (0..length).for_each(|i| data[at + i * step] = value);
    });
}

/// `f` of each element, row-major.
pub fn unary<A: Copy, R>(shape: &[usize], a: Strided<A>, f: impl Fn(A) -> R) -> Vec<R> {
    let mut out = Vec::with_capacity(shape.iter().product());
    rows(shape, [a.strides], [a.offset], |[at], [step], length| match step {
        1 => out.extend(a.data[at..at + length].iter().map(|&x| f(x))),
        _ => out.extend((0..length).map(|i| f(a.data[at + i * step]))),
    });
    out
}

/// `f` of each pair of elements, row-major.
pub fn binary<A: Copy, B: Copy, R>(
    shape: &[usize],
    a: Strided<A>,
    b: Strided<B>,
    f: impl Fn(A, B) -> R,
) -> Vec<R> {
    let mut out = Vec::with_capacity(shape.iter().product());
    rows(shape, [a.strides, b.strides], [a.offset, b.offset], |[i, j], [di, dj], length| match (di, dj) {
        (1, 1) => {
            let pairs = a.data[i..i + length].iter().zip(&b.data[j..j + length]);
            out.extend(pairs.map(|(&x, &y)| f(x, y)));
        }
        (1, 0) => {
            let y = b.data[j];
            out.extend(a.data[i..i + length].iter().map(|&x| f(x, y)));
        }
        (0, 1) => {
            let x = a.data[i];
            out.extend(b.data[j..j + length].iter().map(|&y| f(x, y)));
        }
        _ => out.extend((0..length).map(|k| f(a.data[i + k * di], b.data[j + k * dj]))),
    });
    out
}

/// `f` of each triple of elements, row-major.
pub fn ternary<A: Copy, B: Copy, C: Copy, R>(
    shape: &[usize],
    a: Strided<A>,
    b: Strided<B>,
    c: Strided<C>,
    f: impl Fn(A, B, C) -> R,
) -> Vec<R> {
    let mut out = Vec::with_capacity(shape.iter().product());
    let offsets = [a.offset, b.offset, c.offset];
    rows(shape, [a.strides, b.strides, c.strides], offsets, |[i, j, k], [di, dj, dk], length| {
        out.extend((0..length).map(|n| f(a.data[i + n * di], b.data[j + n * dj], c.data[k + n * dk])));
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_and_broadcast_operands_meet_in_row_major_order() {
        let a = [1, 2, 3, 4, 5, 6];
        let column = Strided { data: &a, strides: &[1, 3], offset: 0 };
        let row = Strided { data: &a, strides: &[0, 1], offset: 0 };
        assert_eq!(binary(&[3, 2], column, row, |x, y| x * 10 + y), [11, 42, 21, 52, 31, 62]);
        assert_eq!(gather_strided(&a, &[2, 2], &[3, 2], 0), [1, 3, 4, 6]);
        assert_eq!(gather_strided(&a, &[2, 0], &[3, 2], 0), [0; 0]);
        assert_eq!(gather_strided(&a, &[], &[], 4), [5]);
        let mut out = [0; 6];
        scatter_strided(&mut out, &[3, 2], &[1, 3], 0, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(out, [1, 3, 5, 2, 4, 6]);
    }
}
