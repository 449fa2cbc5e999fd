//! Picking elements by a list of indices for each axis: flip, roll, repeat, index_select and advanced indexing.
//! Each axis of the result has a list of storage offsets. The elements of the result are those at the sums of one
//! offset of each list, row-major.

use super::buffer_pool::{self, Element};
use super::threads::{self, PARALLEL, PIECE};

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

/// The elements at the sums of `offset` and one storage offset of each axis, row-major. Copies.
pub fn pick<T: Element>(data: &[T], offset: usize, axes: &[Vec<usize>]) -> Vec<T> {
    let axes = merged(axes);
    let mut out = buffer_pool::take(axes.iter().map(Vec::len).product());
    let Some((first, rest)) = axes.split_first() else {
        out.fill(data[offset]);
        return out;
    };
    if out.is_empty() {
        return out;
    }
    let last = axes.last().expect("there is a first axis");
    let gapless = last.iter().enumerate().all(|(at, &offset)| at == offset);
    let inner = out.len() / first.len();
    let count = (PIECE / inner).max(1);
    let pieces = first.chunks(count).zip(out.chunks_mut(count * inner));
    threads::share_if(first.len() * inner >= PARALLEL, pieces, |(first, out)| {
        fill(data, offset, first, rest, gapless, out);
    });
    out
}

/// [`pick`] into a slice; `gapless` if the offsets of the last axis follow each other.
fn fill<T: Copy>(
    data: &[T],
    start: usize,
    first: &[usize],
    rest: &[Vec<usize>],
    gapless: bool,
    out: &mut [T],
) {
    match rest {
        [next, rest @ ..] => {
            let inner = out.len() / first.len();
            for (offset, out) in first.iter().zip(out.chunks_exact_mut(inner)) {
                fill(data, start + offset, next, rest, gapless, out);
            }
        }
        [] if gapless => out.copy_from_slice(&data[start + first[0]..][..out.len()]),
        [] => out.iter_mut().zip(first).for_each(|(out, offset)| *out = data[start + offset]),
    }
}

/// The positions in the storage of the elements that [`pick`] copies, row-major.
pub fn places(offset: usize, axes: &[Vec<usize>]) -> Vec<usize> {
    axes.iter().fold(vec![offset], |starts, axis| {
        starts.iter().flat_map(|start| axis.iter().map(move |offset| start + offset)).collect()
    })
}
