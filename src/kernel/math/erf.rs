//! The error function for vector code in double precision.
//! Source: erf(x) / x is smooth in x², so one polynomial covers the range in which erf is not 1 in single precision
//! (interpolated at Chebyshev points in high precision; Trefethen 2013).
//! Relative error below 4e-13: all but a few in a hundred thousand results are correctly rounded in single precision.

/// From here on erf is 1 in single precision.
const FLAT: f64 = 4.0;
/// erf(x) / x as a polynomial in x²/8 - 1, the highest power first.
#[rustfmt::skip]
const ERF: [f64; 23] = [
    1.488_313_773_802_442_7e-06, -4.586_436_654_384_096e-06, 5.069_598_611_100_321e-06, -1.263_529_581_088_252_7e-05,
    5.051_648_098_446_156_5e-05, -0.000_126_494_190_134_647_26, 0.000_273_086_878_140_724_6, -0.000_604_863_172_003_143_6,
    0.001_294_070_020_505_618_7, -0.002_583_029_032_542_320_5, 0.004_852_986_669_306_072, -0.008_604_359_881_842_768,
    0.014_349_738_735_770_06, -0.022_474_029_448_637_27, 0.033_060_611_596_419_896, -0.045_765_040_841_365_04,
    0.059_886_906_743_930_09, -0.074_727_871_567_843_15, 0.090_208_994_044_243_58, -0.107_710_442_304_032_15,
    0.131_675_116_895_472_07, -0.176_576_233_303_926_02, 0.353_530_995_643_404_95,
];

/// erf x, accurate enough to be rounded to single precision. Even and odd powers are two chains of multiply-adds, so
/// that each step waits for half as many.
#[inline(always)]
pub(super) fn erf(x: f64) -> f64 {
    // Comparisons that keep nan. At the bound the polynomial is 1 in single precision.
    let y = if x < -FLAT { -FLAT } else { x };
    let y = if y > FLAT { FLAT } else { y };
    let u = y * (y * 0.125) - 1.0;
    let v = u * u;
    let (mut even, mut odd) = (ERF[0], ERF[1]);
    for &[a, b] in ERF[2..22].as_chunks::<2>().0 {
        even = even.mul_add(v, a);
        odd = odd.mul_add(v, b);
    }
    even = even.mul_add(v, ERF[22]);
    y * odd.mul_add(u, even)
}
