//! Products of blocks that stay in registers: the innermost loop of fast attention, forward and backward.
//!
//! [`multiply`] is C = A B or C = S C + A B for `R` rows of A and `P` vectors of 16 columns of B and C. A is packed: the
//! `R` numbers of one term lie together. B and C are vectors. The other products of a gradient are the same function: for
//! Aᵀ B, pack rows of A instead of columns; for A Bᵀ, make vectors of the rows of B. [`transpose`] does 8 by 8 numbers.
//!
//! Every element is one chain of fused multiply-adds in the order of the terms, so neither the tile nor the processor
//! changes a bit.
//!
//! The tiles are written with intrinsics. From plain loops over arrays the compiler makes the same code or, depending on
//! the size of the compilation unit, code that keeps the sums in memory (measured with one unit for the crate: 2.3 times
//! as slow). Of 32 registers a tile of 8 by 3 vectors takes 28; of 16 registers of half the width, one of 6 by 1 takes 15.
//! Measured on one core of an Intel Xeon, 64 to 128 terms, operands in the first two caches. 64-byte vectors, peak 217
//! GFLOP/s: 8 by 3 191 to 197, 6 by 4 191 to 197, 14 by 2 192 to 196, 8 by 2 182 to 184. 32-byte vectors, peak 115: 6 by 1
//! 110 to 115, 4 by 1 101. `matrixmultiply`, which packs both operands in each call: 129 to 135 in products of 64 terms
//! or 64 columns, 116 to 148 in larger ones.
#![allow(unsafe_code)] // Intrinsics, and calls of functions that need processor features.

use super::super::simd::vector_bytes;

/// Numbers in a vector, whatever the processor's are.
pub(crate) const LANES: usize = 16;

/// A vector: one number of each of 16 columns.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

/// `P` vectors of one row.
pub(crate) type Strip<const P: usize> = [Lanes; P];

pub(crate) const ZEROS: Lanes = Lanes([0.0; LANES]);

/// The processor's vectors, detected once and passed to every tile.
#[derive(Clone, Copy)]
pub(crate) struct Vectors {
    /// Not public: the number says that the processor has them.
    bytes: usize,
}

impl Vectors {
    /// The vectors of this processor.
    pub(crate) fn detect() -> Vectors {
        Vectors { bytes: vector_bytes() }
    }

    /// Their length in bytes; 0 without a fused multiply-add.
    pub(crate) fn bytes(self) -> usize {
        self.bytes
    }
}

/// Bytes of the vectors that a tile of so many rows is for: eight rows take the registers of 64-byte vectors.
pub(crate) const fn vector_bytes_of(rows: usize) -> usize {
    if rows == 8 { 64 } else { 32 }
}

/// `c = a @ b`, or `c = keep * c + a @ b`: (R, terms) @ (terms, 16 P) into (R, 16 P), `keep` one factor for each column.
/// `a` has the `R` numbers of one term together. Terms that one operand lacks are not added.
#[inline(always)]
pub(crate) fn multiply<const R: usize, const P: usize>(
    vectors: Vectors,
    a: &[[f32; R]],
    b: &[Strip<P>],
    keep: Option<&Strip<P>>,
    c: &mut [Strip<P>; R],
) {
    #[cfg(target_arch = "x86_64")]
    match vectors.bytes {
        // SAFETY: only `detect` makes `Vectors`, and 64 bytes mean that it has detected AVX-512.
        64 if const { vector_bytes_of(R) == 64 } => return unsafe { x86::multiply_512(a, b, keep, c) },
        // SAFETY: as above; 32 bytes mean AVX2 and the fused multiply-add.
        32 if const { vector_bytes_of(R) == 32 } => return unsafe { x86::multiply_256(a, b, keep, c) },
        _ => {}
    }
    let _ = vectors;
    let mut sums = [[ZEROS; P]; R];
    if let Some(keep) = keep {
        for (sums, c) in sums.iter_mut().zip(&*c) {
            for p in 0..P {
                for l in 0..LANES {
                    sums[p].0[l] = c[p].0[l] * keep[p].0[l];
                }
            }
        }
    }
    for (a, b) in a.iter().zip(b) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for p in 0..P {
                for l in 0..LANES {
                    sums[p].0[l] = a.mul_add(b[p].0[l], sums[p].0[l]);
                }
            }
        }
    }
    *c = sums;
}

/// The columns of 8 rows of 8 numbers. The compiler would make 64 single moves or gathers of the plain loop.
pub(crate) fn transpose(vectors: Vectors, rows: [&[f32; 8]; 8], columns: [&mut [f32; 8]; 8]) {
    #[cfg(target_arch = "x86_64")]
    if vectors.bytes >= 32 {
        // SAFETY: only `detect` makes `Vectors`, and 32 bytes or more mean that it has detected AVX2.
        return unsafe { x86::transpose(rows, columns) };
    }
    let _ = vectors;
    for (l, column) in columns.into_iter().enumerate() {
        for (x, row) in column.iter_mut().zip(rows) {
            *x = row[l];
        }
    }
}

/// Asks for a row that is used soon, so that it is in the second-level cache by then.
#[inline(always)]
pub(crate) fn prefetch(row: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    for line in row.chunks(16) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint reads nothing; SSE is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Strip;

    /// A tile whose sums are `$h` processor vectors for each `Lanes`.
    macro_rules! tile {
        ($name:ident, $features:literal, $vector:ty, $h:literal, $zero:ident, $load:ident, $store:ident, $set1:ident,
         $mul:ident, $fma:ident) => {
            #[target_feature(enable = $features)]
            pub(super) fn $name<const R: usize, const P: usize>(
                a: &[[f32; R]],
                b: &[Strip<P>],
                keep: Option<&Strip<P>>,
                c: &mut [Strip<P>; R],
            ) {
                const WIDTH: usize = 16 / $h;
                let load = |x: &Strip<P>| -> [[$vector; $h]; P] {
                    // SAFETY: each vector is `WIDTH` of the 16 numbers of one of `P` `Lanes`.
                    std::array::from_fn(|p| {
                        std::array::from_fn(|h| unsafe { $load(x[p].0.as_ptr().add(h * WIDTH)) })
                    })
                };
                let mut sums = [[[$zero(); $h]; P]; R];
                if let Some(keep) = keep {
                    let keep = load(keep);
                    for r in 0..R {
                        let c = load(&c[r]);
                        for p in 0..P {
                            for h in 0..$h {
                                sums[r][p][h] = $mul(c[p][h], keep[p][h]);
                            }
                        }
                    }
                }
                for (a, b) in a.iter().zip(b) {
                    let b = load(b);
                    for r in 0..R {
                        let x = $set1(a[r]);
                        for p in 0..P {
                            for h in 0..$h {
                                sums[r][p][h] = $fma(x, b[p][h], sums[r][p][h]);
                            }
                        }
                    }
                }
                for r in 0..R {
                    for p in 0..P {
                        for h in 0..$h {
                            // SAFETY: as `load`.
                            unsafe { $store(c[r][p].0.as_mut_ptr().add(h * WIDTH), sums[r][p][h]) };
                        }
                    }
                }
            }
        };
    }

    tile!(
        multiply_512,
        "avx512f",
        __m512,
        1,
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_set1_ps,
        _mm512_mul_ps,
        _mm512_fmadd_ps
    );
    tile!(
        multiply_256,
        "avx2,fma",
        __m256,
        2,
        _mm256_setzero_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_mul_ps,
        _mm256_fmadd_ps
    );

    /// Pairs of numbers are exchanged, then pairs of pairs, then the halves of vectors.
    #[target_feature(enable = "avx2")]
    pub(super) fn transpose(rows: [&[f32; 8]; 8], columns: [&mut [f32; 8]; 8]) {
        // SAFETY: each vector is a whole row.
        let x = rows.map(|row| unsafe { _mm256_loadu_ps(row.as_ptr()) });
        let low = |r| _mm256_unpacklo_ps(x[r], x[r + 1]);
        let high = |r| _mm256_unpackhi_ps(x[r], x[r + 1]);
        let (a, b) = ([low(0), low(2), low(4), low(6)], [high(0), high(2), high(4), high(6)]);
        let fours = |x: [__m256; 4], at| {
            [_mm256_shuffle_ps::<0x44>(x[at], x[at + 1]), _mm256_shuffle_ps::<0xee>(x[at], x[at + 1])]
        };
        let (upper, lower) = ([fours(a, 0), fours(b, 0)], [fours(a, 2), fours(b, 2)]);
        for (l, column) in columns.into_iter().enumerate() {
            let (upper, lower) = (upper[l % 4 / 2][l % 2], lower[l % 4 / 2][l % 2]);
            let eight = match l {
                0..4 => _mm256_permute2f128_ps::<0x20>(upper, lower),
                _ => _mm256_permute2f128_ps::<0x31>(upper, lower),
            };
            // SAFETY: a vector is a whole column.
            unsafe { _mm256_storeu_ps(column.as_mut_ptr(), eight) };
        }
    }
}
