//! The inverse error function in double precision.
//! Source: Winitzki's approximation (2008), made exact by Halley's method.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Returns the number whose erf is `y`, with a relative error of about 1e-15; infinite at ±1, NaN beyond. As
/// `torch.erfinv` in double precision.
pub fn erfinv(y: f64) -> f64 {
    const A: f64 = 0.147;
    let (size, rest) = (y.abs(), 1.0 - y.abs());
    if size >= 1.0 {
        return if size == 1.0 { y * f64::INFINITY } else { f64::NAN };
    }
    let log = (rest * (1.0 + size)).ln();
    let t = 2.0 / (PI * A) + 0.5 * log;
    let mut x = ((t * t - log / A).sqrt() - t).sqrt();
    // Each step has three times as many digits as the one before; the first approximation has two or three.
    for _ in 0..3 {
        let excess = if size < 0.5 { libm::erf(x) - size } else { rest - libm::erfc(x) };
        let step = excess / (FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x.copysign(y)
}
