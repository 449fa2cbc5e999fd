//! Square roots as `torch.sqrt` has them in builds with Intel's library: on processors of AMD's not correctly rounded.

use super::super::real::{Real, simd};

/// The square root of each element as Intel's library has it. Of single precision on a processor of AMD's the bits are equal;
/// elsewhere, and in double precision, they are correctly rounded.
pub fn library_roots<T: Real>(x: &[T], out: &mut [T]) {
    match T::root_estimates(x, out) {
        true => refined(x, out),
        false => out.iter_mut().zip(x).for_each(|(out, &x)| *out = x.sqrt()),
    }
}

simd! { wide:
    /// Two steps of Newton's method from estimates of 1 / sqrt(x), each product rounded; the last one rounds the square of a
    /// root that is nearly right, by which one result in six is the neighbour of the nearest number.
    fn refined<'a, T>(x: &'a [T], out: &'a mut [T]) -> () {
        let half = T::from_f64(0.5);
        let least = T::from_f64(f64::from(f32::MIN_POSITIVE));
        for (&x, out) in x.iter().zip(out) {
            let estimate = *out;
            let root = x * estimate;
            let off = half - root * (half * estimate);
            let (root, inverse) = (root + root * off, estimate + estimate * off);
            let root = root + (x - root * root) * (half * inverse);
            *out = if x >= least && x < T::INFINITY { root } else { x.sqrt() };
        }
    }
}
