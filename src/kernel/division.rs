//! Division and remainder that round to negative infinity, as in Python.

use std::ops::Rem;

use super::Real;

/// `a // b`. Panics if `b` is 0; wraps around on overflow.
pub(crate) fn floor_divide_i64(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// `a % b` with the sign of `b`.
pub(crate) fn remainder_i64(a: i64, b: i64) -> i64 {
    a.wrapping_sub(floor_divide_i64(a, b).wrapping_mul(b))
}

/// `a % b` with the sign of `b`.
pub(crate) fn remainder_float<T: Real + Rem<Output = T>>(a: T, b: T) -> T {
    let rest = a % b;
    if rest != T::ZERO && (rest < T::ZERO) != (b < T::ZERO) { rest + b } else { rest }
}
