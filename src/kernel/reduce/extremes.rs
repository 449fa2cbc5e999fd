//! The largest and the smallest, and where they stand; NaN wins, as in PyTorch.
//! Room: kernel. Sees ndarray views; no Tensor, no text.
//! Source: `torch.amax`, `torch.max`, `torch.argmax` and their kin.

use ndarray::ArrayViewD;

use super::rows::Rows;

/// A number that has a largest and a smallest.
pub trait Order: Copy + PartialOrd {
    /// Whether this is NaN.
    fn unordered(self) -> bool;
}

macro_rules! order {
    ($($t:ty: $nan:expr),*) => {$(
        impl Order for $t {
            #[inline(always)]
            fn unordered(self) -> bool {
                let nan: fn($t) -> bool = $nan;
                nan(self)
            }
        }
    )*};
}

order!(f32: |x| x.is_nan(), f64: |x| x.is_nan(), i64: |_| false, bool: |_| false);

fn largest<T: Order>(best: T, x: T) -> bool {
    !best.unordered() && (x > best || x.unordered())
}

fn smallest<T: Order>(best: T, x: T) -> bool {
    !best.unordered() && (x < best || x.unordered())
}

/// The largest over `axes`, row-major over the axes kept; `None` if there are results to give and nothing to choose from.
pub fn amax<T: Order>(x: ArrayViewD<T>, axes: &[usize]) -> Option<Vec<T>> {
    Some(choose(x, axes, largest)?.into_iter().map(|(x, _)| x).collect())
}

/// The smallest over `axes`, as [`amax`].
pub fn amin<T: Order>(x: ArrayViewD<T>, axes: &[usize]) -> Option<Vec<T>> {
    Some(choose(x, axes, smallest)?.into_iter().map(|(x, _)| x).collect())
}

/// Where the largest stands, counted row-major through `axes`; the first of equals, and the first NaN before all.
pub fn argmax<T: Order>(x: ArrayViewD<T>, axes: &[usize]) -> Option<Vec<i64>> {
    Some(choose(x, axes, largest)?.into_iter().map(|(_, i)| i).collect())
}

/// Where the smallest stands, as [`argmax`].
pub fn argmin<T: Order>(x: ArrayViewD<T>, axes: &[usize]) -> Option<Vec<i64>> {
    Some(choose(x, axes, smallest)?.into_iter().map(|(_, i)| i).collect())
}

/// The largest along one axis and where each stands: `torch.max(x, dim)`.
pub fn max_along<T: Order>(x: ArrayViewD<T>, axis: usize) -> Option<(Vec<T>, Vec<i64>)> {
    Some(choose(x, &[axis], largest)?.into_iter().unzip())
}

/// The smallest along one axis and where each stands: `torch.min(x, dim)`.
pub fn min_along<T: Order>(x: ArrayViewD<T>, axis: usize) -> Option<(Vec<T>, Vec<i64>)> {
    Some(choose(x, &[axis], smallest)?.into_iter().unzip())
}

fn choose<T: Order>(x: ArrayViewD<T>, axes: &[usize], better: fn(T, T) -> bool) -> Option<Vec<(T, i64)>> {
    let picked = Rows::new(&x, axes).map(|row| {
        let (&first, rest) = row.split_first()?;
        let mut best = (first, 0);
        for (i, &x) in rest.iter().enumerate() {
            if better(best.0, x) {
                best = (x, i as i64 + 1);
            }
        }
        Some(best)
    });
    picked.into_iter().collect()
}

/// Whether any over `axes` is not zero, row-major over the axes kept.
pub fn any<T: Copy + PartialEq + Default>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<bool> {
    Rows::new(&x, axes).map(|row| row.iter().any(|&x| x != T::default()))
}

/// Whether all over `axes` are not zero, row-major over the axes kept.
pub fn all<T: Copy + PartialEq + Default>(x: ArrayViewD<T>, axes: &[usize]) -> Vec<bool> {
    Rows::new(&x, axes).map(|row| row.iter().all(|&x| x != T::default()))
}
