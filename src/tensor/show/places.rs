//! Which elements of a tensor are printed: all, or the first and last of each dimension.

use crate::kernel::{buffer_pool, stop};

pub(super) fn numel(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The indices along one dimension that are shown: all of them, or the first and last `edge` with `None` for the
/// dots between.
pub(crate) fn shown_along(size: usize, edge: Option<usize>) -> impl Iterator<Item = Option<usize>> {
    let (head, tail) = match edge {
        Some(edge) if size > edge.saturating_mul(2) => (edge, size - edge),
        _ => (size, size),
    };
    let dots = (tail > head).then_some(None);
    (0..head).map(Some).chain(dots).chain((tail..size).map(Some))
}

/// How many indices [`shown_along`] has, without the dots.
fn shown_count(size: usize, edge: Option<usize>) -> usize {
    edge.map_or(size, |edge| size.min(edge.saturating_mul(2)))
}

/// The bytes that a shown element takes while it is printed: its position, its value, its text.
const SHOWN: usize = 64;

/// Row-major positions of the shown elements, in the order of printing.
pub(super) fn shown_places(shape: &[usize], edge: Option<usize>) -> Vec<usize> {
    let count = shape.iter().map(|&size| shown_count(size, edge)).fold(1, usize::saturating_mul);
    buffer_pool::allow::<[u8; SHOWN]>(count);
    let mut places = vec![0];
    for &size in shape {
        stop::check();
        places = places
            .into_iter()
            .flat_map(|before| shown_along(size, edge).flatten().map(move |i| before * size + i))
            .collect();
    }
    places
}
