//! Positions and indices of row-major shapes.

/// The index of element `flat` of a row-major shape, from the last dimension to the first.
pub(super) fn unravel_reversed(
    mut flat: usize,
    reversed_shape: impl Iterator<Item = usize>,
) -> impl Iterator<Item = usize> {
    reversed_shape.map(move |size| {
        let at = flat % size.max(1);
        flat /= size.max(1);
        at
    })
}

/// The index of element `flat` of a row-major shape. As `torch.unravel_index`.
pub fn unravel(flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = unravel_reversed(flat, shape.iter().rev().copied()).collect();
    index.reverse();
    index
}

/// The position of an index in a row-major shape.
pub fn ravel(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |flat, (at, size)| flat * size + at)
}

/// The storage element of element `flat` of a strided view.
pub fn strided_position(flat: usize, shape: &[usize], strides: &[usize], offset: usize) -> usize {
    let index = unravel_reversed(flat, shape.iter().rev().copied());
    offset + index.zip(strides.iter().rev()).map(|(at, stride)| at * stride).sum::<usize>()
}

/// Sorts dimensions by an order that leaves some pairs undecided (0), as PyTorch's loops do: an insertion sort that looks past
/// them. `compare` is -1 where the first comes before the second, 1 where it comes after.
pub(crate) fn sort_dimensions<T>(dims: &mut [T], compare: impl Fn(&T, &T) -> i32) {
    for start in 1..dims.len() {
        let mut at = start;
        for before in (0..start).rev() {
            match compare(&dims[before], &dims[at]) {
                1 => {
                    dims.swap(before, at);
                    at = before;
                }
                -1 => break,
                _ => {}
            }
        }
    }
}
