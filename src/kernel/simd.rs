//! Loops compiled once for each vector instruction set and chosen when the program runs.
//!
//! A body marked `#[inline(always)]` is compiled for AVX2 with fused multiply-add, for the target the crate was built
//! for, and for AVX-512 where longer vectors save time. All give the same bits, because lanes and fused operations are
//! written out in the body and never left to the compiler.
#![allow(unsafe_code)] // Calls of functions that need processor features.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Work that can be compiled for several instruction sets; `run` must be `#[inline(always)]`.
pub(crate) trait SimdWork {
    /// Bytes of the widest vectors that the work is compiled for: 64 where they save time (roots, quotients and
    /// exponential functions), or 32. Sums and products of numbers from memory take as long with either.
    const WIDEST: usize = 32;
    /// Whether the work is compiled for these vectors alone, because the caller has found that the processor has them.
    const ONLY_WIDEST: bool = false;
    /// The type of the result.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Bytes of the vectors in use; [`UNKNOWN`] until they are first needed.
static BYTES: AtomicUsize = AtomicUsize::new(UNKNOWN);
const UNKNOWN: usize = usize::MAX;

/// Limits the vectors of this process to so many bytes, 64, 32 or 0, for tests and benches: no result depends on it.
#[cfg_attr(private_layers, expect(dead_code, reason = "tests use it"))]
pub fn limit_vectors(bytes: usize) {
    BYTES.store(detected(bytes), Ordering::Relaxed);
}

/// Runs `work` as compiled for the widest vectors that this processor has.
pub(crate) fn run_widest<W: SimdWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let bytes = if const { W::ONLY_WIDEST } { detected(W::WIDEST) } else { vector_bytes() };
        match bytes {
            // SAFETY: 64 means that `detected` has found every feature that `avx512` enables.
            64 if const { W::WIDEST == 64 } => return unsafe { avx512(work) },
            // SAFETY: 32 and 64 mean that `detected` has found both features that `avx2` enables.
            32 | 64 if const { W::WIDEST == 32 || !W::ONLY_WIDEST } => return unsafe { avx2(work) },
            _ if const { W::ONLY_WIDEST } => unreachable!("the caller has found such vectors"),
            _ => {}
        }
    }
    let _ = (W::WIDEST, W::ONLY_WIDEST);
    work.run()
}

/// Bytes in the vectors that [`run_widest`] uses; 0 where the processor has no fused multiply-add on them.
#[inline]
pub(crate) fn vector_bytes() -> usize {
    match BYTES.load(Ordering::Relaxed) {
        UNKNOWN => first_detected(),
        bytes => bytes,
    }
}

/// Whether [`run_on_vectors`] has vectors of this processor, whatever [`limit_vectors`] says.
pub(super) fn has_vectors() -> bool {
    cfg!(target_arch = "x86_64") && detected(UNKNOWN) >= 32
}

/// Whether those are the longest that the kernel knows.
pub(super) fn has_longest() -> bool {
    cfg!(target_arch = "x86_64") && detected(UNKNOWN) >= size_of::<f32>() * MOST_LANES
}

/// Has the processor fetch, into its second-level cache, what is so many numbers after the first one here.
#[inline(always)]
pub(crate) fn fetch(x: &[f32], ahead: usize) {
    // SAFETY: every processor of this family has the instruction, which does nothing where there is no memory.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(x.as_ptr().wrapping_add(ahead).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (x, ahead);
}

/// Writes the processor's own estimates of 1 / sqrt(x), of 12 bits, as Intel's library has them on a processor of AMD's.
/// Writes nothing and returns false on others, where the library begins elsewhere. Both slices have one length.
pub(crate) fn root_estimates(x: &[f32], out: &mut [f32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__cpuid, _mm_loadu_ps, _mm_rsqrt_ps, _mm_storeu_ps};
        use std::sync::LazyLock;

        static IS_AMD: LazyLock<bool> = LazyLock::new(|| {
            let maker = __cpuid(0);
            let words = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes);
            words.concat() == b"AuthenticAMD"
        });
        let estimate = |x: &[f32; 4], out: &mut [f32; 4]| {
            // SAFETY: both have the four numbers of a vector, and every processor of this family has the instructions.
            unsafe { _mm_storeu_ps(out.as_mut_ptr(), _mm_rsqrt_ps(_mm_loadu_ps(x.as_ptr()))) }
        };
        if *IS_AMD {
            let ((x, last), (out, out_last)) = (x.as_chunks::<4>(), out.as_chunks_mut::<4>());
            x.iter().zip(out).for_each(|(x, out)| estimate(x, out));
            let (mut padded, mut made) = ([1.0; 4], [0.0; 4]);
            padded[..last.len()].copy_from_slice(last);
            estimate(&padded, &mut made);
            out_last.copy_from_slice(&made[..last.len()]);
            return true;
        }
    }
    let _ = (x, out);
    false
}

#[cold]
fn first_detected() -> usize {
    let bytes = detected(UNKNOWN);
    // A limit that another thread has set meanwhile stays.
    let set = BYTES.compare_exchange(UNKNOWN, bytes, Ordering::Relaxed, Ordering::Relaxed);
    set.err().unwrap_or(bytes)
}

/// Bytes in the widest vectors of the processor within a limit.
fn detected(limit: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("fma") || limit < 32 {
            0
        } else if limit >= 64
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
        {
            64
        } else {
            32
        }
    }
    // Every such processor has a fused multiply-add, and no vectors are longer where a program is compiled for all of them.
    #[cfg(target_arch = "aarch64")]
    {
        limit.min(16)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = limit;
        0
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
fn avx512<W: SimdWork>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<W: SimdWork>(work: W) -> W::Output {
    work.run()
}

/// Numbers of one type that are computed together; one number is such a vector too. All vectors of a type give the same
/// bits. Every method is compiled inside a function that has the processor's features.
pub trait Vector: Copy {
    /// The type of a number.
    type Number: Copy;
    /// Numbers in the vector.
    const LANES: usize;

    /// The first numbers of a slice.
    fn load(x: &[Self::Number]) -> Self;
    /// Writes the first numbers of a slice.
    fn store(self, out: &mut [Self::Number]);
    /// The same number in every lane.
    fn all(x: Self::Number) -> Self;
    /// `self + b`.
    fn add(self, b: Self) -> Self;
    /// `self - b`.
    fn sub(self, b: Self) -> Self;
    /// `self * b`.
    fn mul(self, b: Self) -> Self;
    /// `self / b`.
    fn div(self, b: Self) -> Self;
    /// `self * a + b`, rounded once.
    fn fma(self, a: Self, b: Self) -> Self;
    /// `b - self * a`, rounded once.
    fn less(self, a: Self, b: Self) -> Self;
    /// The larger of two, `self` if it is NaN.
    fn at_least(self, least: Self) -> Self;
    /// The smaller of two, `self` if it is NaN.
    fn at_most(self, most: Self) -> Self;
}

/// A vector in single precision, with what functions of tables need and loops over slices cannot express.
pub trait TableVector: Vector<Number = f32> {
    /// The absolute value.
    fn abs(self) -> Self;
    /// The absolute value of `self` with the sign of another number.
    fn with_sign(self, sign: Self) -> Self;
    /// `self * 2^n`, rounded once; the part of `n` behind the point is cut off downwards. `n` lies in -160..=130, and
    /// `self` between 1/2 and 4.
    fn times_power_of_two(self, n: Self) -> Self;
    /// The largest whole number that is not above.
    fn floor(self) -> Self;
    /// For [`TableVector::of_table`]: in which quarter of an octave a positive number lies, the end of it included. The
    /// quarter from 1/8 on is place 16.
    fn quarter_of_octave(self) -> Self;
    /// The number of a table at the place that the last five bits of `at` name.
    fn of_table(table: &[f32; 32], at: Self) -> Self;
    /// The sum of the lanes: the upper half is added to the lower one until one lane is left.
    fn sum(self) -> f32;
}

/// Work in single precision that is written with vectors. `run` is marked `#[inline(always)]`.
pub(crate) trait VectorWork {
    /// Does the work.
    fn run<V: TableVector>(self);
}

/// Does the work on the widest vectors that this processor has.
pub(crate) fn run_on_vectors<W: VectorWork>(work: W) {
    #[cfg(target_arch = "x86_64")]
    match vector_bytes() {
        // SAFETY: 64 means that `detected` has found every feature that the function enables.
        64 => return unsafe { x86::run_512(work) },
        // SAFETY: 32 means that `detected` has found both features that the function enables.
        32 => return unsafe { x86::run_256(work) },
        _ => {}
    }
    work.run::<f32>();
}

/// Lanes of the longest vectors.
pub(crate) const MOST_LANES: usize = 16;

impl TableVector for f32 {
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
    #[inline(always)]
    fn with_sign(self, sign: f32) -> f32 {
        self.copysign(sign)
    }
    #[inline(always)]
    fn times_power_of_two(self, n: f32) -> f32 {
        // Two factors: one alone may be too small for a normal number. The first product is exact.
        let n = n.floor() as i32;
        let power = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
        self * power(n >> 1) * power(n - (n >> 1))
    }
    #[inline(always)]
    fn floor(self) -> f32 {
        f32::floor(self)
    }
    #[inline(always)]
    fn quarter_of_octave(self) -> f32 {
        f32::from_bits((self.to_bits() - 1) >> 21)
    }
    #[inline(always)]
    fn of_table(table: &[f32; 32], at: f32) -> f32 {
        table[(at.to_bits() & 31) as usize]
    }
    #[inline(always)]
    fn sum(self) -> f32 {
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{TableVector, Vector, VectorWork};

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    pub(super) fn run_512<W: VectorWork>(work: W) {
        work.run::<__m512>();
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn run_256<W: VectorWork>(work: W) {
        work.run::<__m256>();
    }

    /// The methods that are one instruction.
    macro_rules! instructions {
        ($lanes:literal, $load:ident, $store:ident, $set1:ident,
         $($name:ident($self:ident $(, $x:ident)*) $instruction:ident($($arg:ident),*);)*) => {
            type Number = f32;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn load(x: &[f32]) -> Self {
                let x = &x[..$lanes];
                // SAFETY: the slice has as many numbers as the vector; `run_on_vectors` has checked the features, here and
                // below.
                unsafe { $load(x.as_ptr()) }
            }
            #[inline(always)]
            fn store(self, out: &mut [f32]) {
                let out = &mut out[..$lanes];
                // SAFETY: as above.
                unsafe { $store(out.as_mut_ptr(), self) }
            }
            #[inline(always)]
            fn all(x: f32) -> Self {
                // SAFETY: as above.
                unsafe { $set1(x) }
            }
            $(#[inline(always)]
            fn $name($self $(, $x: Self)*) -> Self {
                // SAFETY: as above.
                unsafe { $instruction($($arg),*) }
            })*
        };
    }

    impl Vector for __m512 {
        instructions!(
            16,
            _mm512_loadu_ps,
            _mm512_storeu_ps,
            _mm512_set1_ps,
            add(self, b) _mm512_add_ps(self, b);
            sub(self, b) _mm512_sub_ps(self, b);
            mul(self, b) _mm512_mul_ps(self, b);
            div(self, b) _mm512_div_ps(self, b);
            fma(self, a, b) _mm512_fmadd_ps(self, a, b);
            less(self, a, b) _mm512_fnmadd_ps(self, a, b);
            // Of two numbers one of which is NaN, the instruction returns the second.
            at_least(self, least) _mm512_max_ps(least, self);
            at_most(self, most) _mm512_min_ps(most, self);
        );
    }

    impl TableVector for __m512 {
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_abs_ps(self) }
        }
        #[inline(always)]
        fn with_sign(self, sign: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_or_ps(_mm512_abs_ps(self), _mm512_and_ps(sign, _mm512_set1_ps(-0.0))) }
        }
        #[inline(always)]
        fn times_power_of_two(self, n: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_scalef_ps(self, n) }
        }
        #[inline(always)]
        fn floor(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm512_roundscale_ps::<_MM_FROUND_TO_NEG_INF>(self) }
        }
        #[inline(always)]
        fn quarter_of_octave(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let below = _mm512_sub_epi32(_mm512_castps_si512(self), _mm512_set1_epi32(1));
                _mm512_castsi512_ps(_mm512_srli_epi32::<21>(below))
            }
        }
        #[inline(always)]
        fn of_table(table: &[f32; 32], at: Self) -> Self {
            let (low, high) = (Self::load(&table[..16]), Self::load(&table[16..]));
            // SAFETY: as above.
            unsafe { _mm512_permutex2var_ps(low, _mm512_castps_si512(at), high) }
        }
        #[inline(always)]
        fn sum(self) -> f32 {
            // SAFETY: as above.
            unsafe { _mm256_add_ps(_mm512_castps512_ps256(self), _mm512_extractf32x8_ps::<1>(self)) }.sum()
        }
    }

    impl Vector for __m256 {
        instructions!(
            8,
            _mm256_loadu_ps,
            _mm256_storeu_ps,
            _mm256_set1_ps,
            add(self, b) _mm256_add_ps(self, b);
            sub(self, b) _mm256_sub_ps(self, b);
            mul(self, b) _mm256_mul_ps(self, b);
            div(self, b) _mm256_div_ps(self, b);
            fma(self, a, b) _mm256_fmadd_ps(self, a, b);
            less(self, a, b) _mm256_fnmadd_ps(self, a, b);
            // Of two numbers one of which is NaN, the instruction returns the second.
            at_least(self, least) _mm256_max_ps(least, self);
            at_most(self, most) _mm256_min_ps(most, self);
        );
    }

    impl TableVector for __m256 {
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self) }
        }
        #[inline(always)]
        fn with_sign(self, sign: Self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_or_ps(self.abs(), _mm256_and_ps(sign, _mm256_set1_ps(-0.0))) }
        }
        #[inline(always)]
        fn times_power_of_two(self, n: Self) -> Self {
            // As for one number.
            // SAFETY: as above.
            unsafe {
                let n = _mm256_cvtps_epi32(_mm256_floor_ps(n));
                let (half, bias) = (_mm256_srai_epi32::<1>(n), _mm256_set1_epi32(127));
                let (low, high) =
                    (_mm256_add_epi32(half, bias), _mm256_add_epi32(_mm256_sub_epi32(n, half), bias));
                let low = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(low));
                let high = _mm256_castsi256_ps(_mm256_slli_epi32::<23>(high));
                _mm256_mul_ps(_mm256_mul_ps(self, low), high)
            }
        }
        #[inline(always)]
        fn floor(self) -> Self {
            // SAFETY: as above.
            unsafe { _mm256_floor_ps(self) }
        }
        #[inline(always)]
        fn quarter_of_octave(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let below = _mm256_sub_epi32(_mm256_castps_si256(self), _mm256_set1_epi32(1));
                _mm256_castsi256_ps(_mm256_srli_epi32::<21>(below))
            }
        }
        #[inline(always)]
        fn of_table(table: &[f32; 32], at: Self) -> Self {
            // Four registers. A gather is faster on recent processors of Intel's, and far slower on AMD's and on those
            // that protect it (measured: 3.5 cycles instead of 7).
            let parts = [
                Self::load(&table[..8]),
                Self::load(&table[8..]),
                Self::load(&table[16..]),
                Self::load(&table[24..]),
            ];
            // SAFETY: as above.
            unsafe {
                let at = _mm256_castps_si256(at);
                let fourth = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(at));
                let fifth = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(at));
                let low = _mm256_blendv_ps(
                    _mm256_permutevar8x32_ps(parts[0], at),
                    _mm256_permutevar8x32_ps(parts[1], at),
                    fourth,
                );
                let high = _mm256_blendv_ps(
                    _mm256_permutevar8x32_ps(parts[2], at),
                    _mm256_permutevar8x32_ps(parts[3], at),
                    fourth,
                );
                _mm256_blendv_ps(low, high, fifth)
            }
        }
        #[inline(always)]
        fn sum(self) -> f32 {
            // SAFETY: as above.
            unsafe {
                let four = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
                let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
                _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
            }
        }
    }
}
