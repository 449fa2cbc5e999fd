//! Sine and cosine in single precision, from a polynomial in double precision.
//! Source: multiples of pi are subtracted (Cody & Waite 1980). The coefficients are fitted to PyTorch's results.

use std::f64::consts::FRAC_1_PI;

use super::of_floats;

of_floats! {
    within: |x| sine(x, 0.0);
    turned: |x| sine(x, 0.5);
}

/// The sine of each element. Equal bits: 99.999%, beyond 10,000 98.6%.
pub fn sin(x: &[f32], out: &mut [f32]) {
    within(x, out);
    far(x, out, f64::sin);
}

/// The cosine of each element. Equal bits: as [`sin`].
pub fn cos(x: &[f32], out: &mut [f32]) {
    turned(x, out);
    far(x, out, f64::cos);
}

/// Writes the exact results where multiples of pi in two parts do not suffice.
fn far(x: &[f32], out: &mut [f32], exact: fn(f64) -> f64) {
    for (out, &x) in out.iter_mut().zip(x).filter(|(_, x)| x.is_nan() || x.abs() > 1e4) {
        *out = exact(f64::from(x)) as f32;
    }
}

/// The sine of x + `turned` * pi, where `turned` is 0 or 1/2, with an error of at most 0.1 ULP before it is rounded.
#[inline(always)]
fn sine(x: f32, turned: f64) -> f32 {
    /// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, whose low bits the sum then has.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// Pi in two parts. Multiples of the first are exact.
    const PI: [f64; 2] = [3.141_592_653_468_251_2, 1.215_420_101_301_238_4e-10];
    let x = f64::from(x);
    let biased = x * FRAC_1_PI + turned + ROUND;
    let n = biased - ROUND - turned;
    let r = x - n * PI[0] - n * PI[1];
    let z = r * r;
    let mut p = 2.605_781_458_855_876e-6;
    for c in [-0.000_198_096_033_436_601_67, 0.008_333_066_253_837_798, -0.166_666_595_508_734_58, 1.0] {
        p = p * z + c;
    }
    // Odd multiples of pi turn the sign.
    f64::from_bits((p * r).to_bits() ^ (biased.to_bits() << 63)) as f32
}
