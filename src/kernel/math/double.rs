//! e^x, ln x and tanh x in double precision, of many numbers at a time.
//! Source: `exp` and `log` of Arm's optimized routines, which the GNU C library has too: tables of 2^(k/128) and of ln c, and
//! polynomials. With fused multiply-add the bits are those of the C library, which NumPy calls. tanh x keeps what rounding
//! loses in second numbers: nearly all results are correctly rounded.

use super::super::simd::{SimdWork, run_widest, vector_bytes};

/// Below this size no power of two is close to the limits of the type.
const PLAIN: f64 = 512.0;
/// Numbers that are computed before it is looked whether one of them is beyond what vectors compute.
const PIECE: usize = 128;

/// A function that vectors compute of plain numbers, and the C library of others.
macro_rules! functions {
    ($($(#[$meta:meta])* $name:ident: |$x:ident| $is_plain:expr, $plain:expr, $other:expr;)*) => {$(
        $(#[$meta])*
        pub fn $name(x: &[f64], out: &mut [f64]) {
            struct Many<'a>(&'a [f64], &'a mut [f64]);

            impl SimdWork for Many<'_> {
                const WIDEST: usize = 64;
                type Output = ();

                #[inline(always)]
                fn run(self) {
                    for (x, out) in self.0.chunks(PIECE).zip(self.1.chunks_mut(PIECE)) {
                        let mut all_plain = true;
                        for (&$x, out) in x.iter().zip(out.iter_mut()) {
                            all_plain &= $is_plain;
                            *out = $plain($x);
                        }
                        if !all_plain {
                            for (&$x, out) in x.iter().zip(out) {
                                let is_plain = $is_plain;
                                if !is_plain {
                                    *out = $other($x);
                                }
                            }
                        }
                    }
                }
            }

            match cfg!(target_arch = "x86_64") && vector_bytes() >= 32 {
                true => run_widest(Many(x, out)),
                false => x.iter().zip(out).for_each(|(&x, out)| *out = $other(x)),
            }
        }
    )*};
}

functions! {
    /// e^x of each element.
    exp_double: |x| x.abs() < PLAIN, plain, f64::exp;
    /// ln x of each element.
    log_double: |x| (f64::MIN_POSITIVE..f64::INFINITY).contains(&x), log, f64::ln;
    /// tanh x of each element.
    tanh_double: |x| x.abs() < PLAIN / 2.0, tanh, f64::tanh;
}

/// One of two numbers, without a branch: with one the loops would not be compiled for vectors.
#[inline(always)]
fn select(is_first: bool, first: f64, second: f64) -> f64 {
    let mask = u64::from(is_first).wrapping_neg();
    f64::from_bits(first.to_bits() & mask | second.to_bits() & !mask)
}

/// e^x of a number below [`PLAIN`].
#[inline(always)]
fn plain(x: f64) -> f64 {
    let (scale, sum) = power(x);
    scale.mul_add(sum, scale)
}

/// tanh x = 1 - 2 / (e^2x + 1), with the rounding errors of the power, the sum and the quotient; near 0, where the
/// difference cancels, its series.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let size = x.abs();
    let (scale, sum) = power(2.0 * size);
    let high = scale.mul_add(sum, scale);
    let low = scale.mul_add(sum, scale - high);
    let below = high + 1.0;
    let below_low = (high - (below - 1.0)) + low;
    let quotient = 2.0 / below;
    let rest = (-quotient).mul_add(below_low, (-quotient).mul_add(below, 2.0)) * (0.5 * quotient);
    let large = 1.0 - quotient;
    let large = large + (((1.0 - large) - quotient) - rest);
    let x2 = size * size;
    let high = x2.mul_add(x2.mul_add(-1382.0 / 155_925.0, 62.0 / 2835.0), -17.0 / 315.0);
    let series = x2.mul_add(x2.mul_add(high, 2.0 / 15.0), -1.0 / 3.0);
    let small = (size * x2).mul_add(series, size);
    select(size < 0.06, small, large).copysign(x)
}

/// ln x of a normal number: near 1 by a polynomial in r = x - 1, elsewhere as k ln 2 + ln c + ln (1 + r), where x = 2^k z and
/// r = z / c - 1 for the nearest c of the table.
#[inline(always)]
fn log(x: f64) -> f64 {
    const FAR: [u64; 5] = [
        0xbfe0_0000_0000_0001,
        0x3fd5_5555_5551_305b,
        0xbfcf_ffff_ffeb_4590,
        0x3fc9_99b3_24f1_0111,
        0xbfc5_5575_e506_c89f,
    ];
    const NEAR: [u64; 11] = [
        0xbfe0_0000_0000_0000,
        0x3fd5_5555_5555_5577,
        0xbfcf_ffff_ffff_fdcb,
        0x3fc9_9999_9995_dd0c,
        0xbfc5_5555_5567_45a7,
        0x3fc2_4924_a344_de30,
        0xbfbf_ffff_a442_3d65,
        0x3fbc_7184_282a_d6ca,
        0xbfb9_99eb_43b0_68ff,
        0x3fb7_8182_f7af_d085,
        0xbfb5_5213_75d1_45cd,
    ];
    let bits = x.to_bits();
    let from = bits.wrapping_sub(0x3fe6_0000_0000_0000);
    let at = 2 * ((from >> 45) % 128) as usize;
    // The bits of 2^52 + 2048 + k.
    let k = f64::from_bits((from >> 52 ^ 0x800) & 0xfff | 0x4330_0000_0000_0000);
    let k = k - (4_503_599_627_370_496.0 + 2048.0);
    let z = f64::from_bits(bits.wrapping_sub(from & 0xfff << 52));
    let [inverse, log] = [LOGARITHMS[at], LOGARITHMS[at + 1]].map(f64::from_bits);
    let [ln2, ln2_low] = [0x3fe6_2e42_fefa_3800, 0x3d2e_f357_93c7_6730].map(f64::from_bits);
    let r = z.mul_add(inverse, -1.0);
    let sum = k.mul_add(ln2, log);
    let high = sum + r;
    let low = k.mul_add(ln2_low, (sum - high) + r);
    let r2 = r * r;
    let [a0, a1, a2, a3, a4] = FAR.map(f64::from_bits);
    let series = r2.mul_add(r.mul_add(a4, a3), r.mul_add(a2, a1));
    let far = (r * r2).mul_add(series, r2.mul_add(a0, low)) + high;
    let r = x - 1.0;
    let (r2, r3) = (r * r, r * (r * r));
    let [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10] = NEAR.map(f64::from_bits);
    let series = r3.mul_add(b10, r2.mul_add(b9, r.mul_add(b8, b7)));
    let series = r3.mul_add(series, r2.mul_add(b6, r.mul_add(b5, b4)));
    let series = r3.mul_add(series, r2.mul_add(b3, r.mul_add(b2, b1)));
    // The first half of the bits of r, whose square is exact.
    let first = r + r * 134_217_728.0 - r * 134_217_728.0;
    let square = first * first * b0;
    let high = r + square;
    let low = (b0 * (r - first)).mul_add(first + r, (r - high) + square);
    let near = r3.mul_add(series, low) + high;
    select((0.9375..1.064_697_265_625).contains(&x), near, far)
}

/// For each c of the table: 1 / c, and ln c as a multiple of 2^-43, so that the sum with k ln 2 is exact.
const LOGARITHMS: &[u64; 256] = &{
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const UNIT: f64 = 1.0 / (1_u64 << 43) as f64;
    let (mut table, mut at) = ([0; 256], 0);
    while at < 128 {
        let inverse = f64::from_bits(INVERSES[at]);
        // ln c = -2 (z + z^3 / 3 + z^5 / 5 + ...)
        let z = (inverse - 1.0) / (inverse + 1.0);
        let (mut series, mut power) = (0.0, 25);
        while power > 0 {
            series = series * z * z + 1.0 / power as f64;
            power -= 2;
        }
        table[2 * at] = INVERSES[at];
        table[2 * at + 1] = ((-2.0 * z * series / UNIT + ROUND - ROUND) * UNIT).to_bits();
        at += 1;
    }
    table
};

#[rustfmt::skip]
const INVERSES: [u64; 128] = [
    0x3ff734f0c3e0de9f, 0x3ff713786a2ce91f, 0x3ff6f26008fab5a0, 0x3ff6d1a61f138c7d,
    0x3ff6b1490bc5b4d1, 0x3ff69147332f0cba, 0x3ff6719f18224223, 0x3ff6524f99a51ed9,
    0x3ff63356aa8f24c4, 0x3ff614b36b9ddc14, 0x3ff5f66452c65c4c, 0x3ff5d867b5912c4f,
    0x3ff5babccb5b90de, 0x3ff59d61f2d91a78, 0x3ff5805612465687, 0x3ff56397cee76bd3,
    0x3ff54725e2a77f93, 0x3ff52aff42064583, 0x3ff50f22dbb2bddf, 0x3ff4f38f4734ded7,
    0x3ff4d843cfde2840, 0x3ff4bd3ec078a3c8, 0x3ff4a27fc3e0258a, 0x3ff4880524d48434,
    0x3ff46dce1b192d0b, 0x3ff453d9d3391854, 0x3ff43a2744b4845a, 0x3ff420b54115f8fb,
    0x3ff40782da3ef4b1, 0x3ff3ee8f5d57fe8f, 0x3ff3d5d9a00b4ce9, 0x3ff3bd60c010c12b,
    0x3ff3a5242b75dab8, 0x3ff38d22cd9fd002, 0x3ff3755bc5847a1c, 0x3ff35dce49ad36e2,
    0x3ff34679984dd440, 0x3ff32f5cceffcb24, 0x3ff3187775a10d49, 0x3ff301c8373e3990,
    0x3ff2eb4ebb95f841, 0x3ff2d50a0219a9d1, 0x3ff2bef9a8b7fd2a, 0x3ff2a91c7a0c1bab,
    0x3ff293726014b530, 0x3ff27dfa5757a1f5, 0x3ff268b39b1d3bbf, 0x3ff2539d838ff5bd,
    0x3ff23eb7aac9083b, 0x3ff22a012ba940b6, 0x3ff2157996cc4132, 0x3ff201201dd2fc9b,
    0x3ff1ecf4494d480b, 0x3ff1d8f5528f6569, 0x3ff1c52311577e7c, 0x3ff1b17c74cb26e9,
    0x3ff19e010c2c1ab6, 0x3ff18ab07bb670bd, 0x3ff1778a25efbcb6, 0x3ff1648d354c31da,
    0x3ff151b990275fdd, 0x3ff13f0ea432d24c, 0x3ff12c8b7210f9da, 0x3ff11a3028ecb531,
    0x3ff107fbda8434af, 0x3ff0f5ee0f4e6bb3, 0x3ff0e4065d2a9fce, 0x3ff0d244632ca521,
    0x3ff0c0a77ce2981a, 0x3ff0af2f83c636d1, 0x3ff09ddb98a01339, 0x3ff08cabaf52e7df,
    0x3ff07b9f2f4e28fb, 0x3ff06ab58c358f19, 0x3ff059eea5ecf92c, 0x3ff04949cdd12c90,
    0x3ff038c6c6f0ada9, 0x3ff02865137932a9, 0x3ff0182427ea7348, 0x3ff008040614b195,
    0x3fefe01ff726fa1a, 0x3fefa11cc261ea74, 0x3fef6310b081992e, 0x3fef25f63ceeadcd,
    0x3feee9c8039113e7, 0x3feeae8078cbb1ab, 0x3fee741aa29d0c9b, 0x3fee3a91830a99b5,
    0x3fee01e009609a56, 0x3fedca01e577bb98, 0x3fed92f20b7c9103, 0x3fed5cac66fb5cce,
    0x3fed272caa5ede9d, 0x3fecf26e3e6b2ccd, 0x3fecbe6da2a77902, 0x3fec8b266d37086d,
    0x3fec5894bd5d5804, 0x3fec26b533bb9f8c, 0x3febf583eeece73f, 0x3febc4fd75db96c1,
    0x3feb951e0c864a28, 0x3feb65e2c5ef3e2c, 0x3feb374867c9888b, 0x3feb094b211d304a,
    0x3feadbe885f2ef7e, 0x3feaaf1d31603da2, 0x3fea82e63fd358a7, 0x3fea5740ef09738b,
    0x3fea2c2a90ab4b27, 0x3fea01a01393f2d1, 0x3fe9d79f24db3c1b, 0x3fe9ae2505c7b190,
    0x3fe9852ef297ce2f, 0x3fe95cbaeea44b75, 0x3fe934c69de74838, 0x3fe90d4f2f6752e6,
    0x3fe8e6528effd79d, 0x3fe8bfce9fcc007c, 0x3fe899c0dabec30e, 0x3fe87427aa2317fb,
    0x3fe84f00acb39a08, 0x3fe82a49e8653e55, 0x3fe8060195f40260, 0x3fe7e22563e0a329,
    0x3fe7beb377dcb5ad, 0x3fe79baa679725c2, 0x3fe77907f2170657, 0x3fe756cadbd6130c,
];

/// e^x = 2^(k/128) e^r of a number below [`PLAIN`]: the power of two, and what e^r is more than 1.
#[inline(always)]
fn power(x: f64) -> (f64, f64) {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x.mul_add(128.0 * std::f64::consts::LOG2_E, SHIFT);
    let (bits, k) = (shifted.to_bits(), shifted - SHIFT);
    // ln 2 / 128 in two parts.
    let [high, low] = [0xbf76_2e42_fefa_0000, 0xbd0c_f79a_bc9e_3b39].map(f64::from_bits);
    let r = k.mul_add(low, k.mul_add(high, x));
    let at = 2 * (bits % 128) as usize;
    let tail = f64::from_bits(POWERS[at]);
    let scale = f64::from_bits(POWERS[at + 1].wrapping_add(bits << 45));
    let [c2, c3, c4, c5] =
        [0x3fdf_ffff_ffff_fdbd, 0x3fc5_5555_5555_543c, 0x3fa5_5555_cf17_2b91, 0x3f81_1111_67a4_d017]
            .map(f64::from_bits);
    let r2 = r * r;
    let sum = r2.mul_add(r.mul_add(c3, c2), tail + r);
    let sum = (r2 * r2).mul_add(r.mul_add(c5, c4), sum);
    (scale, sum)
}

/// For k from 0 to 127: what 2^(k/128) is more than its nearest double, as a share of it, and the bits of that double less
/// k in the place of the exponent.
pub(super) const POWERS: &[u64; 256] = &{
    /// 2^(1/128), as all powers here a multiple of 2^-126.
    const ROOT: u128 = 0x4058_f6a7_eccc_d5b6_1299_ab8c_db73_7e90;
    let (mut table, mut power, mut k) = ([0; 256], 1_u128 << 126, 0);
    while k < 128 {
        let nearest = power as f64;
        let rest = power.wrapping_sub(nearest as u128) as i128 as f64 / nearest;
        table[2 * k] = rest.to_bits();
        table[2 * k + 1] = nearest.to_bits() - (126 << 52) - ((k as u64) << 45);
        // The product of the upper halves, and of each upper half with the other's lower half.
        let (high, low) = (power >> 64, power as u64 as u128);
        power = ((high * (ROOT >> 64)) << 2) + ((high * (ROOT as u64 as u128) + low * (ROOT >> 64)) >> 62);
        k += 1;
    }
    table
};
