//! Powers.
//! Source: `torch.pow`, which has special cases for the exponents 0.5, 2, 3 and some negative ones.

use super::super::Real;
use super::super::real::simd;

simd! {
    /// x^y of each element for one exponent. Equal bits: all for 0, 1, 2, 3, -0.5, -1, -2; as `sqrt` for 0.5; 98% otherwise.
    pub fn pow_scalar<'a, T>(x: &'a [T], y: f64, out: &'a mut [T]) -> () {
        let pairs = x.iter().zip(out);
        if y == 0.0 {
            pairs.for_each(|(_, out)| *out = T::ONE);
        } else if y == 1.0 {
            pairs.for_each(|(&x, out)| *out = x);
        } else if y == 2.0 {
            pairs.for_each(|(&x, out)| *out = x * x);
        } else if y == 3.0 {
            pairs.for_each(|(&x, out)| *out = x * x * x);
        } else if y == 0.5 {
            pairs.for_each(|(&x, out)| *out = x.sqrt());
        } else if y == -0.5 {
            pairs.for_each(|(&x, out)| *out = T::ONE / x.sqrt());
        } else if y == -1.0 {
            pairs.for_each(|(&x, out)| *out = T::ONE / x);
        } else if y == -2.0 {
            pairs.for_each(|(&x, out)| *out = T::ONE / (x * x));
        } else {
            let y = T::from_f64(y);
            pairs.for_each(|(&x, out)| *out = x.pow(y));
        }
    }
}

/// x^y of one number and each exponent: `2 ** t`. Equal bits: 98%.
pub fn scalar_pow<T: Real>(x: f64, y: &[T], out: &mut [T]) {
    let x = T::from_f64(x);
    for (&y, out) in y.iter().zip(out) {
        *out = x.pow(y);
    }
}

/// x^y of each pair; slices of one length. Equal bits: 98%.
pub fn pow_elements<T: Real>(x: &[T], y: &[T], out: &mut [T]) {
    for ((&x, &y), out) in x.iter().zip(y).zip(out) {
        *out = x.pow(y);
    }
}
