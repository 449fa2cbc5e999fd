//! Where two tensors of one shape differ, and by how much.

use crate::tensor::Tensor;
use crate::tensor::layout::unravel;

/// The difference of two tensors, element by element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorDifference {
    /// The number of elements.
    pub count: usize,
    /// The number of elements that differ.
    pub differing: usize,
    /// The number of elements that are nan in only one of the two.
    pub nan: usize,
    /// The greatest difference: its index and both values.
    pub greatest: Option<(Vec<usize>, f64, f64)>,
}

/// The difference `b - a`; `None` where the shapes differ. Two nans are the same, and so are two equal infinities.
pub fn difference(a: &Tensor, b: &Tensor) -> Option<TensorDifference> {
    if a.shape() != b.shape() {
        return None;
    }
    let pairs: Vec<(f64, f64)> = a.to_f64_vec().into_iter().zip(b.to_f64_vec()).collect();
    let mut found = TensorDifference { count: pairs.len(), ..TensorDifference::default() };
    let mut most = 0.0;
    for (at, (one, other)) in pairs.into_iter().enumerate() {
        let same = one == other || (one.is_nan() && other.is_nan());
        let by = if same { 0.0 } else { other - one };
        found.differing += usize::from(!same);
        found.nan += usize::from(by.is_nan());
        if by.abs() > most {
            most = by.abs();
            found.greatest = Some((unravel(at, a.shape()), one, other));
        }
    }
    Some(found)
}
