//! Picking elements by a list of indices for each axis: flip, roll, repeat, index_select and advanced indexing.
//! Each axis of the result has a list of storage offsets. The elements of the result are those at the sums of one
//! offset of each list, row-major.

/// The storage offsets `0, stride, 2 stride, ...` of a whole axis.
pub fn whole(size: usize, stride: usize) -> Vec<usize> {
    (0..size).map(|at| at * stride).collect()
}

/// The axes with contiguous trailing axes merged into one.
fn merged(axes: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let runs = |axis: &[usize], step: usize| axis.iter().enumerate().all(|(at, &offset)| offset == at * step);
    let mut axes: Vec<Vec<usize>> = axes.iter().filter(|axis| axis.as_slice() != [0]).cloned().collect();
    while axes.len() > 1 {
        let inner = &axes[axes.len() - 1];
        let outer = &axes[axes.len() - 2];
        if !(runs(inner, 1) && runs(outer, inner.len())) {
            break;
        }
        let all = inner.len() * outer.len();
        axes.truncate(axes.len() - 2);
        axes.push((0..all).collect());
    }
    axes
}

/// Calls `row(start, offsets)` for every innermost axis, row-major.
fn rows(start: usize, axes: &[Vec<usize>], row: &mut impl FnMut(usize, &[usize])) {
    match axes {
        [] => row(start, &[0]),
        [last] => row(start, last),
        [first, rest @ ..] => first.iter().for_each(|offset| rows(start + offset, rest, row)),
    }
}

/// The elements at the sums of `offset` and one storage offset of each axis, row-major. Copies.
pub fn pick<T: Copy>(data: &[T], offset: usize, axes: &[Vec<usize>]) -> Vec<T> {
    let axes = merged(axes);
    let mut out = Vec::with_capacity(axes.iter().map(Vec::len).product());
    if axes.iter().any(Vec::is_empty) {
        return out;
    }
    let gapless = axes.last().is_some_and(|last| last.iter().enumerate().all(|(at, &offset)| at == offset));
    rows(offset, &axes, &mut |start, offsets| {
        if gapless {
            out.extend_from_slice(&data[start..start + offsets.len()]);
        } else {
            out.extend(offsets.iter().map(|offset| data[start + offset]));
        }
    });
    out
}

/// The positions in the storage of the elements that [`pick`] copies, row-major.
pub fn places(offset: usize, axes: &[Vec<usize>]) -> Vec<usize> {
    let mut out = Vec::with_capacity(axes.iter().map(Vec::len).product());
    if !axes.iter().any(Vec::is_empty) {
        rows(offset, axes, &mut |start, offsets| out.extend(offsets.iter().map(|offset| start + offset)));
    }
    out
}
