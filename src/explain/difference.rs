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
    /// Whether `torch.allclose` with this [`ATOL`] finds them close.
    pub is_close: bool,
    /// The mean of all absolute differences that are finite.
    pub mean: f64,
    /// The second minus the first, row-major.
    pub(crate) values: Vec<f64>,
}

/// The absolute tolerance of [`TensorDifference::is_close`]. The relative one is PyTorch's default.
pub const ATOL: f64 = 1e-5;
const RTOL: f64 = 1e-5;

/// The difference `b - a`; `None` where the shapes differ. Two nans are the same, and so are two equal infinities.
pub fn difference(a: &Tensor, b: &Tensor) -> Option<TensorDifference> {
    if a.shape() != b.shape() {
        return None;
    }
    let pairs: Vec<(f64, f64)> = a.to_f64_vec().into_iter().zip(b.to_f64_vec()).collect();
    let mut found = TensorDifference { count: pairs.len(), is_close: true, ..TensorDifference::default() };
    let (mut sum, mut most) = (0.0, 0.0);
    for (at, (one, other)) in pairs.into_iter().enumerate() {
        let same = one == other || (one.is_nan() && other.is_nan());
        let by = if same { 0.0 } else { other - one };
        found.values.push(by);
        found.is_close &= one == other || (by.is_finite() && by.abs() <= ATOL + RTOL * other.abs());
        found.differing += usize::from(!same);
        found.nan += usize::from(by.is_nan());
        if by.is_finite() {
            sum += by.abs();
        }
        if by.abs() > most {
            most = by.abs();
            found.greatest = Some((unravel(at, a.shape()), one, other));
        }
    }
    found.mean = sum / found.count.max(1) as f64;
    Some(found)
}
