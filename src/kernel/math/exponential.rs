//! The exponential as vector code computes it: range reduction by ln 2, a polynomial, and scaling by a power of two.
//! Source: the published coefficients of SLEEF's 1.0-ULP `exp` (Shibata & Petrogalli 2020).
#![allow(clippy::excessive_precision)] // the coefficients are as published

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// ln 2 in two parts; the first has so few bits that its multiples are exact.
const LN2_HIGH: f32 = 0.693_145_75;
const LN2_LOW: f32 = 1.428_606_8e-6;
/// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even.
const ROUND: f32 = 12_582_912.0;

/// e^x in single precision, error below 1 ULP over the whole range; inf, nan and underflow as in IEEE 754.
#[inline(always)]
pub(super) fn exp_f32(x: f32) -> f32 {
    let q = (x * LOG2_E).clamp(-400.0, 400.0) + ROUND;
    let n = q.to_bits() as i32 - ROUND.to_bits() as i32;
    let q = q - ROUND;
    let r = q.mul_add(-LN2_LOW, q.mul_add(-LN2_HIGH, x));
    let mut p = 0.000_198_527_62_f32;
    for c in [0.001_393_043_5_f32, 0.008_333_361, 0.041_666_485, 0.166_666_67, 0.5] {
        p = p.mul_add(r, c);
    }
    let p = 1.0 + (r * r).mul_add(p, r);
    let half = n >> 1;
    let p = p * power_of_two(half) * power_of_two(n - half);
    if x < -104.0 {
        0.0
    } else if x > 100.0 {
        f32::INFINITY
    } else {
        p
    }
}

/// ln 2 in two parts for double precision.
const LN2_HIGH_F64: f64 = 0.693_147_180_559_662_956_51;
const LN2_LOW_F64: f64 = 0.282_352_905_630_315_771_23e-12;
/// As `ROUND`, for double precision: 1.5 * 2^52.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

/// e^x in double precision, error below 1 ULP over the whole range; the polynomial in Estrin's order.
#[inline(always)]
pub(super) fn exp_f64(x: f64) -> f64 {
    let q = (x * std::f64::consts::LOG2_E).clamp(-3000.0, 3000.0) + ROUND_F64;
    let n = (q.to_bits() as i64).wrapping_sub(ROUND_F64.to_bits() as i64);
    let q = q - ROUND_F64;
    let r = q.mul_add(-LN2_LOW_F64, q.mul_add(-LN2_HIGH_F64, x));
    let (r2, line) = (r * r, |high: f64, low: f64| r.mul_add(high, low));
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let top = line(0.208_127_637_823_716_445_7e-8, 0.251_121_070_304_228_802_2e-7);
    let high = r2.mul_add(
        line(0.275_576_262_816_949_119_2e-6, 0.275_572_340_202_538_823_9e-5),
        line(0.248_015_868_747_968_626_4e-4, 0.198_412_698_985_586_585_0e-3),
    );
    let low = r2.mul_add(
        line(0.138_888_888_891_449_779_7e-2, 0.833_333_333_331_493_821_0e-2),
        line(0.416_666_666_666_660_259_8e-1, 0.166_666_666_666_666_907_2),
    );
    let p = r8.mul_add(top, r4.mul_add(high, low));
    let p = p.mul_add(r, 0.5);
    let p = p.mul_add(r, 1.0).mul_add(r, 1.0);
    let half = n >> 1;
    let p = p * power_of_two_f64(half) * power_of_two_f64(n - half);
    if x < -1000.0 {
        0.0
    } else if x > 709.782_711_149_557_429_09 {
        f64::INFINITY
    } else {
        p
    }
}

#[inline(always)]
fn power_of_two_f64(n: i64) -> f64 {
    f64::from_bits(((n + 1023) << 52) as u64)
}

#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) << 23) as u32)
}

/// e^x in single precision with an error of at most 20 ULP up to 88.3; 0 below 2^-125.5. As in
/// PyTorch's fused attention.
#[inline(always)]
pub(super) fn exp_fast_f32(x: f32) -> f32 {
    const LEAST: f32 = f32::from_bits(0xc2ae_ac50);
    const MOST: f32 = f32::from_bits(0x42b1_7218);
    let clamped = x.clamp(LEAST, MOST);
    let n = clamped.mul_add(LOG2_E, 0.5).floor();
    let r = (-n).mul_add(f32::from_bits(0x3f31_7218), clamped);
    let mut p = r.mul_add(0.008_289_290_59, 0.041_897_822_1);
    for c in [0.166_676_521_f32, 0.499_991_506, 0.999_999_701, 1.0] {
        p = r.mul_add(p, c);
    }
    // 2^(n - 1) without a conversion: vector units have no saturating one like Rust's.
    let half = f32::from_bits((n + (ROUND + 126.0)).to_bits() << 23);
    let p = p * half * 2.0;
    if x < LEAST {
        0.0
    } else if x.is_nan() {
        x
    } else {
        p
    }
}

/// 2^x in single precision for numbers up to 128, error below 1 ULP from -126.5 to 127.5; 0 below, nan of nan. The polynomial
/// has the least relative error for its degree and is 1 at 0 (error 4e-9; found by the Remez algorithm).
#[inline(always)]
pub fn exp2_down(x: f32) -> f32 {
    /// `ROUND` plus the bias of the exponent: the low bits of a sum then hold the power of two.
    const ROUND_BIASED: f32 = ROUND + 127.0;
    // A comparison that keeps nan.
    let x = if x < -127.0 { -127.0 } else { x };
    let q = x + ROUND_BIASED;
    let r = x - (q - ROUND_BIASED);
    let mut p = 0.000_154_697_32_f32;
    for c in [0.001_341_000_1_f32, 0.009_618_031, 0.055_502_973, 0.240_226_51, 0.693_147_24, 1.0] {
        p = p.mul_add(r, c);
    }
    p * f32::from_bits(q.to_bits() << 23)
}
