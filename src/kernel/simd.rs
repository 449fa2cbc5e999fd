//! Loops compiled once for each vector instruction set and chosen when the program runs.
//!
//! A body marked `#[inline(always)]` is compiled three times: for AVX-512, for AVX2 with fused
//! multiply-add, and for the target the crate was built for. All three give the same bits, because
//! lanes and fused operations are written out in the body and never left to the compiler.
#![allow(unsafe_code)] // Calls of functions that need processor features.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Work that can be compiled for several instruction sets; `run` must be `#[inline(always)]`.
pub(crate) trait SimdWork {
    /// The type of the result.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Bytes of the vectors in use; [`UNKNOWN`] until they are first needed.
static BYTES: AtomicUsize = AtomicUsize::new(UNKNOWN);
const UNKNOWN: usize = usize::MAX;

/// Limits the vectors of this process to so many bytes, 64, 32 or 0, for tests and benches: no result depends on it.
pub fn limit_vectors(bytes: usize) {
    BYTES.store(detected(bytes), Ordering::Relaxed);
}

/// Runs `work` as compiled for the widest vectors that this processor has.
pub(crate) fn run_widest<W: SimdWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    match vector_bytes() {
        // SAFETY: 64 means that `detected` has found every feature that `avx512` enables.
        64 => return unsafe { avx512(work) },
        // SAFETY: 32 means that `detected` has found both features that `avx2` enables.
        32 => return unsafe { avx2(work) },
        _ => {}
    }
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
    #[cfg(not(target_arch = "x86_64"))]
    {
        if cfg!(target_arch = "aarch64") { limit.min(16) } else { 0 }
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
