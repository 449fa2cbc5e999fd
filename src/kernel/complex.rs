//! Complex numbers: pairs of a real and an imaginary part, one after the other.
//! Sources: quotients as in Smith, "Algorithm 116: Complex division", 1962; NumPy rounds each part of a product once less,
//! PyTorch does not.

use super::real::{Real, simd};

simd!(
    /// The product of each pair of numbers; `fused`, each part is rounded once less.
    pub(crate) fn product<'a, T>(a: &'a [T], b: &'a [T], out: &'a mut [T], fused: bool) -> () {
        let part = |x: T, y: T, z: T| if fused { x.fma(y, z) } else { x * y + z };
        let numbers = a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0);
        for (out, (a, b)) in out.as_chunks_mut::<2>().0.iter_mut().zip(numbers) {
            *out = [part(a[0], b[0], -(a[1] * b[1])), part(a[0], b[1], a[1] * b[0])];
        }
    }
);

/// The quotient of each pair of numbers.
pub(crate) fn quotient<T: Real>(a: &[T], b: &[T], out: &mut [T]) {
    let numbers = a.as_chunks::<2>().0.iter().zip(b.as_chunks::<2>().0);
    for (out, (a, &[re, im])) in out.as_chunks_mut::<2>().0.iter_mut().zip(numbers) {
        *out = match re.abs() >= im.abs() {
            true if re == T::ZERO && im == T::ZERO => a.map(|part| part / re.abs()),
            true => {
                let ratio = im / re;
                let scale = T::ONE / (re + im * ratio);
                [(a[0] + a[1] * ratio) * scale, (a[1] - a[0] * ratio) * scale]
            }
            false => {
                let ratio = re / im;
                let scale = T::ONE / (im + re * ratio);
                [(a[0] * ratio + a[1]) * scale, (a[1] * ratio - a[0]) * scale]
            }
        };
    }
}
