//! The two-dimensional slices of a tensor: which are shown, and how they are named.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::tensor::layout::unravel;
use crate::tensor::show::joined;
use crate::view::figure::Figure;

/// The last two axes of a tensor at one index of the others.
pub(super) struct Slice {
    /// The index over all axes but the last two.
    pub(crate) index: Vec<usize>,
    /// The row-major offset of the first element.
    pub(crate) start: usize,
}

/// The slices of a tensor that are shown, and how many are left out: only the first and the last of a summarized tensor
/// are shown. A tensor of one or two axes is one slice.
pub(super) fn shown(figure: &Figure) -> (Vec<Slice>, usize) {
    let outer = figure.shape.len().saturating_sub(2);
    let each: usize = figure.shape[outer..].iter().product();
    let count: usize = figure.shape[..outer].iter().product();
    let slice = |at: usize| Slice { index: index(figure, at), start: at * each };
    match figure.is_summarized() && count > 2 {
        true => ([0, count - 1].map(slice).into(), count - 2),
        false => ((0..count).map(slice).collect(), 0),
    }
}

/// The offsets of the elements of a slice that are shown, row by row.
pub(super) fn offsets(figure: &Figure, slice: &Slice) -> Vec<usize> {
    let axes = figure.shape.len();
    let along = |axis: Option<usize>| axis.map_or(vec![Some(0)], |axis| figure.shown(axis));
    let (rows, columns) = (along(axes.checked_sub(2)), along(axes.checked_sub(1)));
    let size = figure.shape.last().copied().unwrap_or(1);
    let mut all = Vec::new();
    for row in rows.iter().flatten() {
        all.extend(columns.iter().flatten().map(|column| slice.start + row * size + column));
    }
    all
}

/// The first of the slices before number `at` that has the same numbers.
pub(super) fn equal(figure: &Figure, slices: &[Slice], at: usize) -> Option<usize> {
    let outer = figure.shape.len().saturating_sub(2);
    let each: usize = figure.shape[outer..].iter().product();
    let numbers = |slice: &Slice| &figure.values[slice.start..slice.start + each];
    let same = |one: &Slice| {
        let mut pairs = numbers(one).iter().zip(numbers(&slices[at]));
        pairs.all(|(one, other)| one.to_bits() == other.to_bits())
    };
    slices[..at].iter().position(|before| each > 4 && same(before))
}

/// The index of slice number `at`, over all axes but the last two.
pub(super) fn index(figure: &Figure, at: usize) -> Vec<usize> {
    unravel(at, &figure.shape[..figure.shape.len().saturating_sub(2)])
}

/// `head 0 (of 2)`, or `name[0, 1]` if an outer axis has no name.
pub(super) fn name(figure: &Figure, index: &[usize]) -> String {
    let named = |(axis, at): (usize, &usize)| {
        let size = figure.shape[axis];
        figure.axis(axis).map(|name| match figure.label(axis, *at) {
            Some(label) => format!("{name} {label}"),
            None => format!("{name} {at} (of {size})"),
        })
    };
    let names: Option<Vec<String>> = index.iter().enumerate().map(named).collect();
    match names {
        Some(names) => names.join(", "),
        None => format!("{}{}", figure.name, brackets(index)),
    }
}

/// `[0, 1]`.
pub(super) fn brackets(index: &[usize]) -> String {
    format!("[{}]", joined(index, ", "))
}

/// A name of at most `most` columns; a longer one ends in `…`.
pub(crate) fn ellipsized(name: &str, most: usize) -> String {
    if name.width() <= most {
        return name.to_string();
    }
    let mut short = String::new();
    for c in name.chars() {
        if short.width() + c.width().unwrap_or(0) >= most {
            break;
        }
        short.push(c);
    }
    short + "…"
}
