//! Arithmetic of complex numbers, each a pair of its real part and its imaginary part.
//! Source: C99's complex functions, as NumPy uses them; quotients are Smith's. NumPy multiplies elements of arrays with
//! fused operations, and single numbers without.

use super::real::Real;

/// A real part and an imaginary part.
pub(crate) type Pair<T> = [T; 2];

/// Functions of the C library, in the precision of the type.
pub(crate) trait Library: Real {
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn ln_1p(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn copysign(self, sign: Self) -> Self;
}

macro_rules! library {
    ($($t:ty)*) => {$(
        impl Library for $t {
            fn exp(self) -> Self {
                <$t>::exp(self)
            }
            fn ln(self) -> Self {
                <$t>::ln(self)
            }
            fn ln_1p(self) -> Self {
                <$t>::ln_1p(self)
            }
            fn sin(self) -> Self {
                <$t>::sin(self)
            }
            fn cos(self) -> Self {
                <$t>::cos(self)
            }
            fn hypot(self, other: Self) -> Self {
                <$t>::hypot(self, other)
            }
            fn copysign(self, sign: Self) -> Self {
                <$t>::copysign(self, sign)
            }
        }
    )*};
}

library!(f32 f64);

#[inline(always)]
pub(crate) fn add<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a + c, b + d]
}

#[inline(always)]
pub(crate) fn subtract<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a - c, b - d]
}

/// The product of elements of arrays, whose second terms are not rounded before they are added.
#[inline(always)]
pub(crate) fn multiply<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a.fma(c, -(b * d)), a.fma(d, b * c)]
}

/// The product of two numbers.
#[inline(always)]
pub(crate) fn product<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a * c - b * d, a * d + b * c]
}

/// The larger part of the divisor is divided by first, so that nothing overflows on the way.
#[inline(always)]
pub(crate) fn divide<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    if c.abs() >= d.abs() {
        if c == T::ZERO && d == T::ZERO {
            return [a / c.abs(), b / c.abs()];
        }
        let ratio = d / c;
        let scale = T::ONE / (c + d * ratio);
        [(a + b * ratio) * scale, (b - a * ratio) * scale]
    } else {
        let ratio = c / d;
        let scale = T::ONE / (d + c * ratio);
        [(a * ratio + b) * scale, (b * ratio - a) * scale]
    }
}

/// Whether [`power`] has this power: a whole one between -100 and 100, or any of a positive real number.
pub(crate) fn has_power([a, b]: Pair<f64>, exponent: Pair<f64>) -> bool {
    is_small_whole(exponent) || (b == 0.0 && a > 0.0)
}

fn is_small_whole([a, b]: Pair<f64>) -> bool {
    b == 0.0 && a.trunc() == a && a.abs() < 100.0
}

/// A number to a whole power, by products alone, or a positive real number to any power.
pub(crate) fn power<T: Library>(base: Pair<T>, exponent: Pair<T>) -> Pair<T> {
    if !is_small_whole(exponent.map(T::to_f64)) {
        return exp(product(exponent, [logarithm(base[0]), T::ZERO]));
    }
    let exponent = exponent[0].to_f64() as i32;
    match exponent {
        0 => return [T::ONE, T::ZERO],
        _ if base == [T::ZERO; 2] => return if exponent > 0 { base } else { [T::NAN; 2] },
        1 => return base,
        2 => return product(base, base),
        3 => return product(base, product(base, base)),
        _ => {}
    }
    let (mut made, mut power, mut left) = ([T::ONE, T::ZERO], base, exponent.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            made = product(made, power);
        }
        left >>= 1;
        if left > 0 {
            power = product(power, power);
        }
    }
    if exponent < 0 { divide([T::ONE, T::ZERO], made) } else { made }
}

/// ln x of a positive number, as the real part of a complex logarithm is computed.
fn logarithm<T: Library>(x: T) -> T {
    let (one, half) = (T::ONE, T::from_f64(0.5));
    if x >= half && x < one + one { half * Library::ln_1p((x - one) * (x + one)) } else { Library::ln(x) }
}

#[inline(always)]
pub(crate) fn negative<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    [-a, -b]
}

#[inline(always)]
pub(crate) fn positive<T: Real>(x: Pair<T>) -> Pair<T> {
    x
}

#[inline(always)]
pub(crate) fn conjugate<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    [a, -b]
}

#[inline(always)]
pub(crate) fn square<T: Real>(x: Pair<T>) -> Pair<T> {
    multiply(x, x)
}

#[inline(always)]
pub(crate) fn reciprocal<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    if a.abs() >= b.abs() {
        let ratio = b / a;
        let scale = a + b * ratio;
        [T::ONE / scale, -ratio / scale]
    } else {
        let ratio = a / b;
        let scale = b + a * ratio;
        [ratio / scale, -T::ONE / scale]
    }
}

pub(crate) fn exp<T: Library>([a, b]: Pair<T>) -> Pair<T> {
    let size = Library::exp(a);
    match b == T::ZERO {
        true => [size, b],
        false => [size * Library::cos(b), size * Library::sin(b)],
    }
}

/// √(a² + b²)
pub(crate) fn size<T: Library>([a, b]: Pair<T>) -> T {
    Library::hypot(a, b)
}

/// The same of an element of an array, which NumPy scales by the larger part.
pub(crate) fn size_in_array<T: Library>([a, b]: Pair<T>) -> T {
    let (a, b) = (a.abs(), b.abs());
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    if large == T::ZERO || a == T::INFINITY || b == T::INFINITY {
        return size([a, b]);
    }
    let ratio = small / large;
    large * ratio.fma(ratio, T::ONE).sqrt()
}

pub(crate) fn sqrt<T: Library>([a, b]: Pair<T>) -> Pair<T> {
    let half = T::from_f64(0.5);
    let larger = (half * (size([a, b]) + a.abs())).sqrt();
    let smaller = match larger == T::ZERO {
        true => b.abs(),
        false => b.abs() / (larger + larger),
    };
    let (re, im) = if a >= T::ZERO { (larger, smaller) } else { (smaller, larger) };
    let re = if b.abs() == T::INFINITY { T::INFINITY } else { re };
    [re, im.copysign(b)]
}
