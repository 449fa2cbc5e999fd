//! The natural logarithm as vector code computes it. Of log-softmax: mantissa in [0.75, 1.5) and a series in (m - 1) / (m + 1),
//! with the critical steps in two numbers.
//! Source: the published coefficients of SLEEF's 1.0-ULP `log` (Shibata & Petrogalli 2020); two-number arithmetic: Dekker 1971.
#![allow(clippy::excessive_precision, clippy::approx_constant)] // the coefficients are as published

/// ln x in single precision as `torch.log` computes it: mantissa in [2/3, 4/3) and a polynomial in m - 1, each step rounded.
/// The coefficients are fitted to PyTorch's results.
#[inline(always)]
pub(super) fn log_in_steps(x: f32) -> f32 {
    const TWO_THIRDS: i32 = 0x3f2a_aaab;
    #[rustfmt::skip]
    const SERIES: [f32; 8] =
        [0.139_823_63, -0.121_840_54, 0.140_062_11, -0.166_804_94, 0.200_103_92, -0.249_997_97, 0.333_332_15, -0.5];
    let small = x < f32::MIN_POSITIVE;
    let scaled = if small { x * 16_777_216.0 } else { x };
    let bits = (scaled.to_bits() as i32).wrapping_sub(TWO_THIRDS);
    let e = ((bits >> 23) - if small { 24 } else { 0 }) as f32;
    let r = f32::from_bits(((bits & 0x7f_ffff) + TWO_THIRDS) as u32) - 1.0;
    let mut p = -0.128_931_08_f32;
    for c in SERIES {
        p = p * r + c;
    }
    let y = p * r * r + r + e * 1.428_606_8e-6 + e * 0.693_145_75;
    if x > 0.0 && x < f32::INFINITY {
        y
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}

macro_rules! logarithm {
    ($name:ident, $t:ty, $series:ident, $split:ident, $ln2:expr, $ln2_low:expr) => {
        /// ln x, error below 1 ULP; -inf at 0, nan below.
        #[inline(always)]
        pub(super) fn $name(x: $t) -> $t {
            let (m, e) = $split(x);
            // (m - 1) / (m + 1) as a pair
            let (n, n_low) = two_sum(-1.0, m);
            let (d, d_low) = two_sum(1.0, m);
            let t = 1.0 / d;
            let q = n * t;
            let u = t.mul_add(n, -q);
            let v = (-d_low).mul_add(t, (-d).mul_add(t, 1.0));
            let q_low = q.mul_add(v, n_low.mul_add(t, u));
            let s = $ln2 * e;
            let s_low = ($ln2_low as $t).mul_add(e, ($ln2 as $t).mul_add(e, -s));
            let (y, y_low) = (2.0 * q, 2.0 * q_low);
            let z = s + y;
            let z_low = (((s - z) + y) + s_low) + y_low;
            let q2 = q * q;
            let w = (q2 * q) * $series(q2);
            let r = z + w;
            let r_low = ((z - r) + w) + z_low;
            if x.is_nan() || x < 0.0 {
                <$t>::NAN
            } else if x == 0.0 {
                <$t>::NEG_INFINITY
            } else if x == <$t>::INFINITY {
                x
            } else {
                r + r_low
            }
        }
    };
}

/// The sum of two numbers and its rounding error.
#[inline(always)]
fn two_sum<T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T>>(x: T, y: T) -> (T, T) {
    let s = x + y;
    let v = s - x;
    (s, (x - (s - v)) + (y - v))
}

#[inline(always)]
fn split_f32(x: f32) -> (f32, f32) {
    let small = x < f32::MIN_POSITIVE;
    let x = if small { x * 18_446_744_073_709_551_616.0 } else { x };
    let e = ((x * (1.0 / 0.75)).to_bits() >> 23) as i32 - 127;
    let m = f32::from_bits((x.to_bits() as i32).wrapping_sub(e << 23) as u32);
    (m, (if small { e - 64 } else { e }) as f32)
}

#[inline(always)]
fn split_f64(x: f64) -> (f64, f64) {
    let small = x < f64::MIN_POSITIVE;
    let x = if small { x * 18_446_744_073_709_551_616.0 } else { x };
    let e = ((x * (1.0 / 0.75)).to_bits() >> 52) as i64 - 1023;
    let m = f64::from_bits((x.to_bits() as i64).wrapping_sub(e << 52) as u64);
    (m, (if small { e - 64 } else { e }) as f64)
}

#[inline(always)]
fn series_f32(x: f32) -> f32 {
    0.302_729_487_4_f32.mul_add(x, 0.399_610_817_4).mul_add(x, 0.666_669_488_0)
}

#[inline(always)]
fn series_f64(x: f64) -> f64 {
    let x2 = x * x;
    let x4 = x2 * x2;
    let high = x2.mul_add(
        0.153_207_698_850_270_135_3,
        x.mul_add(0.152_562_905_100_342_871_6, 0.181_860_593_293_778_599_6),
    );
    let low = x2.mul_add(
        x.mul_add(0.222_221_451_983_938_000_9, 0.285_714_293_279_429_931_7),
        x.mul_add(0.399_999_999_963_525_199_0, 0.666_666_666_666_733_354_1),
    );
    x4.mul_add(high, low)
}

logarithm!(log_f32, f32, series_f32, split_f32, 0.693_147_182_464_599_609_38, -1.904_654_323_148_236_017e-9);
logarithm!(
    log_f64,
    f64,
    series_f64,
    split_f64,
    0.693_147_180_559_945_286_226_764,
    2.319_046_813_846_299_558_417_771e-17
);
