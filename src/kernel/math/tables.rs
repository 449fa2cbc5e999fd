//! e^x, tanh x and erf (x / √2) in single precision, with tables of 32 numbers that stay in vector registers.
//! Source: a table has what the function is at the nearest of 32 points, a polynomial the difference to it (Tang 1989);
//! where their sum would lose bits, both are pairs of numbers (Dekker 1971). Tables and polynomials, interpolated at
//! Chebyshev points, are computed when attn is compiled.
//!
//! Bits equal to PyTorch 2.6 with AVX-512 in percent, for 2^20 random numbers of each kind; in brackets for the
//! correctly rounded result, which takes three to five times as long in double precision (tanh x is for gelu alone:
//! `torch.tanh` comes from double precision):
//!
//! |        | normal        | -3 to 3       | all bit patterns |
//! |--------|---------------|---------------|------------------|
//! | e^x    | 99.04 (98.92) | 99.05 (98.91) | 99.77 (99.77)    |
//! | tanh x | 98.63 (98.50) | 99.11 (99.03) | 99.97 (99.96)    |

use std::f32::consts::FRAC_1_SQRT_2;

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

/// tanh x, error below 0.54 ULP, from its powers around multiples of a step.
#[inline(always)]
pub(super) fn tanh<V: TableVector>(x: V) -> V {
    // From there on tanh is 1 in single precision.
    let a = x.abs().at_most(V::all(9.1));
    let at = a.fma(V::all(1.0 / TANH_STEP), V::all(ROUND));
    let d = at.sub(V::all(ROUND)).less(V::all(TANH_STEP), a);
    let mut p = V::of_table(&TANH[TANH.len() - 1], at);
    for row in (3..TANH.len() - 1).rev() {
        p = p.fma(d, V::of_table(&TANH[row], at));
    }
    // The constant and the linear term, rounded; then what the rounding lost, and all else.
    let (constant, linear) = (V::of_table(&TANH[0], at), V::of_table(&TANH[2], at));
    let y = linear.fma(d, constant);
    let lost = linear.fma(d, constant.sub(y));
    y.add(p.fma(d, lost.add(V::of_table(&TANH[1], at)))).with_sign(x)
}

/// erf (x / √2) by a polynomial for each quarter of an octave. Equal bits: all.
/// Source: oneDNN 3.5, `gelu_erf`, which PyTorch calls.
#[inline(always)]
pub(super) fn erf_by_root_two<V: TableVector>(x: V) -> V {
    // From there on erf is 1 in single precision; up to the other end one polynomial serves all numbers.
    let a = x.abs().at_most(V::all(f32::from_bits(0x40b1_5cee)));
    let at = a.at_least(V::all(f32::from_bits(0x3e00_0001))).quarter_of_octave();
    let mut p = V::of_table(&ERF[5], at);
    for row in (0..5).rev() {
        p = p.fma(a, V::of_table(&ERF[row], at));
    }
    p.with_sign(x)
}

/// The slope of gelu: Φ(x) and x times the density. Equal bits: all.
/// Source: oneDNN 3.5, which has erf by Abramowitz and Stegun 7.1.26 here.
#[inline(always)]
pub(super) fn gelu_slope<V: TableVector>(x: V) -> V {
    const TERMS: [u32; 4] = [0xbfba00e3, 0x3fb5f0e3, 0xbe91a98e, 0x3e827906];
    let (half, one) = (V::all(0.5), V::all(1.0));
    let root = x.mul(V::all(FRAC_1_SQRT_2));
    let power = exp_below_0(V::all(0.0).sub(root.mul(root)));
    // 1 / √π, as it is rounded there.
    let density = root.mul(V::all(f32::from_bits(0x3f10_6eba))).mul(power);
    let w = one.div(root.abs().fma(V::all(f32::from_bits(0x3ea7_ba05)), one));
    let mut p = V::all(f32::from_bits(0x3f87_dc22));
    for term in TERMS {
        p = p.fma(w, V::all(f32::from_bits(term)));
    }
    let erf = power.mul(w).less(p, one).mul(one.with_sign(x));
    erf.fma(half, density.add(half))
}

/// e^x, x not above 0, by a polynomial whose coefficients are those of oneDNN; the smallest normal number for what is less.
#[inline(always)]
fn exp_below_0<V: TableVector>(x: V) -> V {
    const TERMS: [u32; 5] = [0x3d2b9d0d, 0x3e2aad40, 0x3efffee3, 0x3f7ffffb, 0x3f800000];
    let x = x.at_least(V::all(f32::from_bits(0xc2ae_ac50)));
    let n = x.mul(V::all(std::f32::consts::LOG2_E)).add(V::all(0.5)).floor();
    let r = n.less(V::all(LN2_HIGH), x);
    let mut p = V::all(f32::from_bits(0x3c07_cfce));
    for term in TERMS {
        p = p.fma(r, V::all(f32::from_bits(term)));
    }
    p.times_power_of_two(n)
}

/// Points of [`TANH`] are as far apart.
const TANH_STEP: f32 = 37.0 / 128.0;

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
static TANH: [[f32; 32]; 10] = around_multiples();

/// The polynomials that interpolate tanh x at Chebyshev points around 32 multiples of a step.
const fn around_multiples<const ROWS: usize>() -> [[f32; 32]; ROWS] {
    const TERMS: usize = 28;
    let (mut rows, step) = ([[0.0; 32]; ROWS], TANH_STEP as f64);
    let (mut value, mut slope) = (0.0, 1.0);
    let mut n = 0;
    while n < 32 {
        // The Taylor series of the function f and of its slope s, where s' = -2 f s.
        let (mut f, mut s) = ([0.0; TERMS + 1], [0.0; TERMS + 1]);
        (f[0], s[0]) = (value, slope);
        let mut k = 0;
        while k < TERMS {
            let (mut sum, mut i) = (0.0, 0);
            while i <= k {
                sum += 2.0 * f[i] * s[k - i];
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
        let (first, count) = if n == 0 { (3, ROWS - 4) } else { (0, ROWS - 2) };
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

/// The coefficients of [`ERF`], from the constant on, for the quarters of octaves from 1/8 on.
#[rustfmt::skip]
const QUARTERS: [[u32; 22]; 6] = [
    [0x32827792, 0x3381cc0c, 0x34523d4a, 0x351ac44d, 0x35f36d88, 0x36ee8229, 0x37b8a3bb, 0x3867a213, 0x3940033b, 0x3a2a5a1d, 0x3ae35863, 0x3b7828f2, 0x3c08b14b, 0x3c515ed3, 0xbb503236, 0xbd8d8e5e, 0xbe8abcd9, 0xbf0c19a2, 0xbeccb328, 0x3e176ced, 0x3f470d99, 0x3f7abb28],
    [0x3f4c421f, 0x3f4c4207, 0x3f4c41cb, 0x3f4c413b, 0x3f4c3fad, 0x3f4c3a2f, 0x3f4c2d40, 0x3f4c146a, 0x3f4bc341, 0x3f4ad08c, 0x3f48f8cf, 0x3f45fac7, 0x3f404e07, 0x3f3b980f, 0x3f48dff3, 0x3f78b21b, 0x3fbb0704, 0x40019c32, 0x3fe536d6, 0x3f81331e, 0x3e6c8684, 0x3c98f936],
    [0x3735e4cf, 0x37f2ff89, 0x388c23be, 0x3917535c, 0x39ab2ab0, 0x3a60fadb, 0x3af9b960, 0x3b6e5491, 0x3c0a4ec5, 0x3ca5aa8c, 0x3d2138d9, 0x3d8737d4, 0x3ddfb660, 0x3e0f27ab, 0x3d94004b, 0xbe0efdeb, 0xbf1d96c3, 0xbf89db58, 0xbf6d9897, 0xbef69fb8, 0xbdc4f8a8, 0xbbde6422],
    [0xbe084570, 0xbe08639b, 0xbe089837, 0xbe08f409, 0xbe09ab95, 0xbe0b66d0, 0xbe0e400a, 0xbe124df8, 0xbe1bde02, 0xbe2f19c9, 0xbe4931bf, 0xbe685fbc, 0xbe89c95f, 0xbe96cbca, 0xbe8044aa, 0xbe0550f2, 0x3dcfd6a1, 0x3e94c826, 0x3e79345f, 0x3decec91, 0x3ca46568, 0x3aa1e00a],
    [0x39f097a3, 0x3a5845dc, 0x3ab1fa35, 0x3b0cefb8, 0x3b653ab6, 0x3bcae527, 0x3c221712, 0x3c6c5840, 0x3cc0a703, 0x3d1dcc19, 0x3d63656d, 0x3d955907, 0x3dbf9910, 0x3dd53f69, 0x3db7dcef, 0x3d639ebe, 0xba6ede48, 0xbd22be69, 0xbd041cf1, 0xbc64f5ab, 0xbb097a32, 0xb8ebf380],
    [0x3c9b6050, 0x3c978d11, 0x3c92e850, 0x3c8d058b, 0x3c848454, 0x3c6cd623, 0x3c4c824b, 0x3c2a7935, 0x3be0b390, 0x3b0651ac, 0xbb232f53, 0xbbd42fa0, 0xbc2c5366, 0xbc492c9e, 0xbc2a7aa6, 0xbbd55d04, 0xba823a76, 0x3b102aa8, 0x3ae25a7e, 0x3a31f792, 0x38b84375, 0x3689bb5a],
];

/// The polynomials of erf (x / √2), each at the place that `quarter_of_octave` names.
static ERF: [[f32; 32]; 6] = {
    let (mut table, mut at) = ([[0.0; 32]; 6], 0);
    while at < 6 * 22 {
        table[at / 22][(at % 22 + 16) % 32] = f32::from_bits(QUARTERS[at / 22][at % 22]);
        at += 1;
    }
    table
};
