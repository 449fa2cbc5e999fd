//! Arithmetic of complex numbers, each a pair of its real part and its imaginary part.
//! Source: C99's complex functions, as NumPy uses them; quotients are Smith's, powers by small whole numbers products.

use super::real::Real;

/// A real part and an imaginary part.
pub(crate) type Pair<T> = [T; 2];

/// A function of the C library for doubles, rounded to `T`.
fn rounded<T: Real>(f: fn(f64) -> f64, x: T) -> T {
    T::from_f64(f(x.to_f64()))
}

/// The same of two numbers.
fn rounded_of_two<T: Real>(f: fn(f64, f64) -> f64, x: T, y: T) -> T {
    T::from_f64(f(x.to_f64(), y.to_f64()))
}

pub(crate) fn add<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a + c, b + d]
}

pub(crate) fn subtract<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a - c, b - d]
}

pub(crate) fn multiply<T: Real>([a, b]: Pair<T>, [c, d]: Pair<T>) -> Pair<T> {
    [a * c - b * d, a * d + b * c]
}

/// The larger part of the divisor is divided by first, so that nothing overflows on the way.
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

pub(crate) fn power<T: Real>(base: Pair<T>, exponent: Pair<T>) -> Pair<T> {
    let (one, zero) = ([T::ONE, T::ZERO], [T::ZERO; 2]);
    if exponent == zero {
        return one;
    }
    if base == zero {
        return if exponent[0] > T::ZERO && exponent[1] == T::ZERO { zero } else { [T::NAN; 2] };
    }
    let whole = exponent[0].to_f64();
    if exponent[1] == T::ZERO && whole.trunc() == whole && whole.abs() < 100.0 {
        return whole_power(base, whole as i32);
    }
    let size = rounded(f64::ln, size(base));
    let turn = rounded_of_two(f64::atan2, base[1], base[0]);
    let [re, im] = multiply(exponent, [size, turn]);
    let size = rounded(f64::exp, re);
    [size * rounded(f64::cos, im), size * rounded(f64::sin, im)]
}

/// Products alone; 1, 2 and 3 without the factor 1.
fn whole_power<T: Real>(base: Pair<T>, exponent: i32) -> Pair<T> {
    match exponent {
        1 => return base,
        2 => return multiply(base, base),
        3 => return multiply(base, multiply(base, base)),
        _ => {}
    }
    let (mut made, mut power, mut left) = ([T::ONE, T::ZERO], base, exponent.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            made = multiply(made, power);
        }
        left >>= 1;
        if left > 0 {
            power = multiply(power, power);
        }
    }
    if exponent < 0 { divide([T::ONE, T::ZERO], made) } else { made }
}

pub(crate) fn negative<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    [-a, -b]
}

pub(crate) fn positive<T: Real>(x: Pair<T>) -> Pair<T> {
    x
}

pub(crate) fn conjugate<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    [a, -b]
}

pub(crate) fn square<T: Real>(x: Pair<T>) -> Pair<T> {
    multiply(x, x)
}

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

pub(crate) fn exp<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    let size = rounded(f64::exp, a);
    match b == T::ZERO {
        true => [size, b],
        false => [size * rounded(f64::cos, b), size * rounded(f64::sin, b)],
    }
}

pub(crate) fn log<T: Real>(x: Pair<T>) -> Pair<T> {
    [rounded(f64::ln, size(x)), rounded_of_two(f64::atan2, x[1], x[0])]
}

pub(crate) fn sqrt<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    let half = T::from_f64(0.5);
    let larger = (half * (size([a, b]) + a.abs())).sqrt();
    let smaller = match larger == T::ZERO {
        true => b.abs(),
        false => b.abs() / (larger + larger),
    };
    let (re, im) = if a >= T::ZERO { (larger, smaller) } else { (smaller, larger) };
    let re = if b.abs() == T::INFINITY { T::INFINITY } else { re };
    [re, rounded_of_two(f64::copysign, im, b)]
}

pub(crate) fn sin<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    let [sin, cos] = [rounded(f64::sin, a), rounded(f64::cos, a)];
    [sin * rounded(f64::cosh, b), cos * rounded(f64::sinh, b)]
}

pub(crate) fn cos<T: Real>([a, b]: Pair<T>) -> Pair<T> {
    let [sin, cos] = [rounded(f64::sin, a), rounded(f64::cos, a)];
    [cos * rounded(f64::cosh, b), -sin * rounded(f64::sinh, b)]
}

/// √(a² + b²)
pub(crate) fn size<T: Real>([a, b]: Pair<T>) -> T {
    rounded_of_two(f64::hypot, a, b)
}
