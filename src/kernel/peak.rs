//! The peak speed of this processor in multiply-adds: products are compared with it.
#![allow(unsafe_code)] // Calls of functions that need processor features.

use std::hint::black_box;
use std::time::Instant;

/// Rounds of multiply-adds between two readings of the clock: about a millisecond.
const LENGTH: usize = 1 << 19;

/// Single-precision multiply-adds a second on `threads` threads at once, in GFLOP/s (a multiply-add counts as two):
/// the best of `rounds` rounds.
pub(crate) fn multiply_add_peak(threads: usize, rounds: usize) -> f64 {
    let once = || -> f64 {
        let start = Instant::now();
        let work: usize = std::thread::scope(|scope| {
            let one = || black_box(multiply_adds(black_box(LENGTH), black_box(0.5))).0;
            let all: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
            all.into_iter().map(|thread| thread.join().expect("arithmetic does not panic")).sum()
        });
        2.0 * work as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..rounds.max(1)).map(|_| once()).fold(0.0, f64::max)
}

/// Repeats x -> factor x + 1 in registers, on the widest vectors of the processor. Returns the number of
/// multiply-adds and the final value, which approaches 1 / (1 - factor).
pub fn multiply_adds(rounds: usize, factor: f32) -> (usize, f32) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the condition above detects the feature that `vectors_of_16` enables.
            return unsafe { vectors_of_16(rounds, factor) };
        }
        if is_x86_feature_detected!("avx") && is_x86_feature_detected!("fma") {
            // SAFETY: the condition above detects both features that `vectors_of_8` enables.
            return unsafe { vectors_of_8(rounds, factor) };
        }
    }
    let mut sums = [[0.0f32; 4]; 12];
    for _ in 0..rounds {
        for sum in sums.iter_mut().flatten() {
            *sum = *sum * factor + 1.0;
        }
    }
    (rounds * 48, sums[11][3])
}

/// Twelve independent chains hide the latency of the multiply-add.
#[cfg(target_arch = "x86_64")]
macro_rules! chains {
    ($name:ident, $features:literal, $width:literal, $all:ident, $fma:ident, $first:ident) => {
        #[target_feature(enable = $features)]
        fn $name(rounds: usize, factor: f32) -> (usize, f32) {
            use std::arch::x86_64::{$all, $first, $fma};
            // Different starts: the compiler would compute equal chains once.
            let mut sums: [_; 12] = std::array::from_fn(|at| $all(at as f32));
            let (factor, one) = ($all(factor), $all(1.0));
            for _ in 0..rounds {
                for sum in &mut sums {
                    *sum = $fma(*sum, factor, one);
                }
            }
            let first = sums.map(|sum| $first(sum));
            (rounds * 12 * $width, first.iter().sum::<f32>() / 12.0)
        }
    };
}
#[cfg(target_arch = "x86_64")]
chains!(vectors_of_16, "avx512f", 16, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32);
#[cfg(target_arch = "x86_64")]
chains!(vectors_of_8, "avx,fma", 8, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32);
