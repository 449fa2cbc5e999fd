//! e^x, tanh x and erf (x / √2) in single precision, with tables of 32 numbers that stay in vector registers.
//! Source: a table has what the function is at the nearest of 32 points, a polynomial the difference to it (Tang 1989);
//! where their sum would lose bits, both are pairs of numbers (Dekker 1971). Tables and polynomials, interpolated at
//! Chebyshev points, are computed when attn is compiled.
//!
//! Bits equal to PyTorch 2.6 with AVX-512 in percent, for 2^20 random numbers of each kind; in brackets for the
//! correctly rounded result, which takes three to five times as long in double precision:
//! |        | normal        | -3 to 3       | all bit patterns |
//! |--------|---------------|---------------|------------------|
//! | e^x    | 99.04 (98.92) | 99.05 (98.91) | 99.77 (99.77)    |
//! | tanh x | 98.63 (98.50) | 99.11 (99.03) | 99.97 (99.96)    |

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

use super::super::simd::TableVector;
use super::double;

/// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, which the low bits of the sum then hold.
const ROUND: f32 = 12_582_912.0;

/// ln 2 in two parts. Multiples of the first, subtracted in one step from a number near them, are exact.
const LN2_HIGH: f32 = std::f32::consts::LN_2;
const LN2_LOW: f32 = -1.904_654_2e-9;

/// e^x, error below 0.55 ULP, and below 1 ULP where the result is subnormal. From the power of two at the last of 32
/// points in an octave: the distance is not negative, as in Intel's vector library.
#[inline(always)]
pub(super) fn exp<V: TableVector>(x: V) -> V {
    /// `ROUND` for multiples of 1/32.
    const ROUND_POINT: f32 = ROUND / 32.0;
    let x = x.at_least(V::all(-105.0)).at_most(V::all(90.0));
    let at = x.fma(V::all(std::f32::consts::LOG2_E), V::all(-1.0 / 64.0)).add(V::all(ROUND_POINT));
    let n = at.sub(V::all(ROUND_POINT));
    let r = n.less(V::all(LN2_LOW), n.less(V::all(LN2_HIGH), x));
    let (power, low) = (V::of_table(&POWERS[0], at), V::of_table(&POWERS[1], at));
    // e^r - 1 = r + r²/2 + r³/6 + r⁴/24
    let p = r.fma(V::all(1.0 / 24.0), V::all(1.0 / 6.0)).fma(r, V::all(0.5)).fma(r, V::all(1.0));
    power.fma(p.fma(r, low), power).times_power_of_two(n)
}

/// tanh x, error below 0.54 ULP.
#[inline(always)]
pub(super) fn tanh<V: TableVector>(x: V) -> V {
    // From there on tanh is 1 in single precision.
    around_points(x, 9.1, TANH_STEP, &TANH)
}

/// erf (x / √2), absolute error below 2^-25: what 1 + erf (x / √2) needs.
#[inline(always)]
pub(super) fn erf_by_root_two<V: TableVector>(x: V) -> V {
    // From there on erf is 1 in single precision.
    around_points(x, 5.9, ERF_STEP, &ERF)
}

/// An odd function that is constant from `end` on, from its powers around multiples of `step`.
#[inline(always)]
fn around_points<V: TableVector, const ROWS: usize>(
    x: V,
    end: f32,
    step: f32,
    table: &[[f32; 32]; ROWS],
) -> V {
    let a = x.abs().at_most(V::all(end));
    let at = a.fma(V::all(1.0 / step), V::all(ROUND));
    let d = at.sub(V::all(ROUND)).less(V::all(step), a);
    let mut p = V::of_table(&table[ROWS - 1], at);
    for row in (3..ROWS - 1).rev() {
        p = p.fma(d, V::of_table(&table[row], at));
    }
    // The constant and the linear term, rounded; then what the rounding lost, and all else.
    let (constant, linear) = (V::of_table(&table[0], at), V::of_table(&table[2], at));
    let y = linear.fma(d, constant);
    let lost = linear.fma(d, constant.sub(y));
    y.add(p.fma(d, lost.add(V::of_table(&table[1], at)))).with_sign(x)
}

/// Points of [`TANH`] and of [`ERF`] are as far apart.
const TANH_STEP: f32 = 37.0 / 128.0;
const ERF_STEP: f32 = 3.0 / 16.0;

/// 2^(i / 32), and what these lack, relative to them.
static POWERS: [[f32; 32]; 2] = {
    let (mut table, mut i) = ([[0.0; 32]; 2], 0);
    while i < 32 {
        let power = f64::from_bits(double::POWERS[8 * i + 1] + ((4 * i as u64) << 45));
        let nearest = power as f32 as f64;
        (table[0][i], table[1][i]) = (nearest as f32, ((power - nearest) / nearest) as f32);
        i += 1;
    }
    table
};

/// tanh x around n times [`TANH_STEP`], as powers of the distance: the constant and the linear term in two parts
/// each, then the others.
static TANH: [[f32; 32]; 10] = around_multiples(TANH_STEP, true);

/// erf (x / √2) around n times [`ERF_STEP`], as [`TANH`].
static ERF: [[f32; 32]; 8] = around_multiples(ERF_STEP, false);

/// The polynomials that interpolate tanh x, or erf (x / √2), at Chebyshev points around 32 multiples of a step.
const fn around_multiples<const ROWS: usize>(step: f32, is_tanh: bool) -> [[f32; 32]; ROWS] {
    const TERMS: usize = 28;
    let (mut rows, step) = ([[0.0; 32]; ROWS], step as f64);
    let (mut value, mut slope) = (0.0, if is_tanh { 1.0 } else { FRAC_2_SQRT_PI / SQRT_2 });
    let mut n = 0;
    while n < 32 {
        // The Taylor series of the function f and of its slope s, where s' = -2 f s or s' = -x s.
        let (mut f, mut s) = ([0.0; TERMS + 1], [0.0; TERMS + 1]);
        let mut x = [0.0; TERMS + 1];
        (f[0], s[0], x[0], x[1]) = (value, slope, n as f64 * step, 1.0);
        let mut k = 0;
        while k < TERMS {
            let (mut sum, mut i) = (0.0, 0);
            while i <= k {
                sum += if is_tanh { 2.0 * f[i] } else { x[i] } * s[k - i];
                i += 1;
            }
            k += 1;
            (f[k], s[k]) = (s[k - 1] / k as f64, -sum / k as f64);
        }
        (value, slope) = (f[k], s[k]);
        while k > 0 {
            k -= 1;
            (value, slope) = (value * step + f[k], slope * step + s[k]);
        }
        // The series less multiples of the polynomial that is 0 at the points. Near 0 the first two terms of tanh x stay:
        // the rest, over x³, is interpolated.
        let (first, count) = if is_tanh && n == 0 { (3, ROWS - 4) } else { (0, ROWS - 2) };
        let zero: [f64; ROWS] = chebyshev(count, step / 2.0);
        let mut last = TERMS;
        while last >= first + count {
            let mut k = 0;
            while k < count {
                f[last - count + k] -= f[last] * zero[k];
                k += 1;
            }
            last -= 1;
        }
        let mut k = 0;
        while k < ROWS - 2 {
            let row = if k < 2 { 2 * k } else { k + 2 };
            rows[row][n] = f[k] as f32;
            if k < 2 {
                rows[row + 1][n] = (f[k] - rows[row][n] as f64) as f32;
            }
            k += 1;
        }
        n += 1;
    }
    rows
}

/// The coefficients of the Chebyshev polynomial of this degree on -end to end, the highest of which is 1.
const fn chebyshev<const N: usize>(degree: usize, end: f64) -> [f64; N] {
    let (mut before, mut found) = ([0.0; N], [0.0; N]);
    (before[0], found[1]) = (1.0, 1.0);
    let mut done = 1;
    while done < degree {
        let (mut next, mut k) = ([0.0; N], 0);
        while k < N {
            let share = if done == 1 { 0.5 } else { 0.25 } * end * end;
            next[k] = if k == 0 { 0.0 } else { found[k - 1] } - share * before[k];
            k += 1;
        }
        (before, found) = (found, next);
        done += 1;
    }
    found
}
