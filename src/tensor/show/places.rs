//! Which elements of a tensor are printed: all, or the first and last of each dimension.

pub(super) fn numel(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The indices along one dimension that are shown: all of them, or the first and last `edge` with `None` for the
/// dots between.
pub(super) fn shown_along(size: usize, edge: Option<usize>) -> impl Iterator<Item = Option<usize>> {
    let (head, tail) = match edge {
        Some(edge) if size > 2 * edge => (edge, size - edge),
        _ => (size, size),
    };
    let dots = (tail > head).then_some(None);
    (0..head).map(Some).chain(dots).chain((tail..size).map(Some))
}

/// Row-major positions of the shown elements, in the order of printing.
pub(super) fn shown_places(shape: &[usize], edge: Option<usize>) -> Vec<usize> {
    let mut places = vec![0];
    for &size in shape {
        places = places
            .into_iter()
            .flat_map(|before| shown_along(size, edge).flatten().map(move |i| before * size + i))
            .collect();
    }
    places
}
