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

use super::super::simd::{TableVector, fetch, vector_bytes};

/// Numbers in a vector, whatever the processor's are.
pub(crate) const LANES: usize = 16;

/// A vector: one number of each of 16 columns.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

/// `P` vectors of one row.
pub(crate) type Strip<const P: usize> = [Lanes; P];

pub(crate) const ZEROS: Lanes = Lanes([0.0; LANES]);

/// Bytes of the vectors that a tile of so many rows is for: eight rows take the registers of 64-byte vectors.
pub(crate) const fn vector_bytes_of(rows: usize) -> usize {
    if rows == 8 { 64 } else { 32 }
}

/// `c = a @ b`, or `c = keep * c + a @ b`: (R, terms) @ (terms, 16 P) into (R, 16 P), `keep` one factor for each column.
/// `a` has the `R` numbers of one term together. Terms that one operand lacks are not added.
#[inline(always)]
pub(crate) fn multiply<const R: usize, const P: usize>(
    a: &[[f32; R]],
    b: &[Strip<P>],
    keep: Option<&Strip<P>>,
    c: &mut [Strip<P>; R],
) {
    #[cfg(target_arch = "x86_64")]
    match vector_bytes() {
        // SAFETY: 64 bytes mean that AVX-512 was detected.
        64 if const { vector_bytes_of(R) == 64 } => return unsafe { x86::multiply_512(a, b, keep, c) },
        // SAFETY: 32 bytes mean AVX2 and the fused multiply-add.
        32 if const { vector_bytes_of(R) == 32 } => return unsafe { x86::multiply_256(a, b, keep, c) },
        _ => {}
    }
    tile::<f32, 16, R, P>(a, b, keep, c);
}

/// [`multiply`] with `H` vectors of the processor for each `Lanes`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "closures would not be compiled for the processor's vectors")]
fn tile<V: TableVector, const H: usize, const R: usize, const P: usize>(
    a: &[[f32; R]],
    b: &[Strip<P>],
    keep: Option<&Strip<P>>,
    c: &mut [Strip<P>; R],
) {
    let mut sums = [[[V::all(0.0); H]; P]; R];
    if let Some(keep) = keep {
        for r in 0..R {
            for p in 0..P {
                for h in 0..H {
                    let (c, keep) = (&c[r][p].0[h * V::LANES..], &keep[p].0[h * V::LANES..]);
                    sums[r][p][h] = V::load(c).mul(V::load(keep));
                }
            }
        }
    }
    for (a, b) in a.iter().zip(b) {
        let mut row = [[V::all(0.0); H]; P];
        for p in 0..P {
            for h in 0..H {
                row[p][h] = V::load(&b[p].0[h * V::LANES..]);
            }
        }
        for r in 0..R {
            let x = V::all(a[r]);
            for p in 0..P {
                for h in 0..H {
                    sums[r][p][h] = x.fma(row[p][h], sums[r][p][h]);
                }
            }
        }
    }
    for r in 0..R {
        for p in 0..P {
            for h in 0..H {
                sums[r][p][h].store(&mut c[r][p].0[h * V::LANES..]);
            }
        }
    }
}

/// The columns of 8 rows of 8 numbers. The compiler would make 64 single moves or gathers of the plain loop.
pub(crate) fn transpose(rows: [&[f32; 8]; 8], columns: [&mut [f32; 8]; 8]) {
    #[cfg(target_arch = "x86_64")]
    if vector_bytes() >= 32 {
        // SAFETY: 32 bytes or more mean that AVX2 was detected.
        return unsafe { x86::transpose(rows, columns) };
    }
    for (l, column) in columns.into_iter().enumerate() {
        for (x, row) in column.iter_mut().zip(rows) {
            *x = row[l];
        }
    }
}

/// Asks for a row that is used soon, so that it is in the second-level cache by then.
#[inline(always)]
pub(crate) fn prefetch(row: &[f32]) {
    row.chunks(LANES).for_each(|line| fetch(line, 0));
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Strip, tile};

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    pub(super) fn multiply_512<const R: usize, const P: usize>(
        a: &[[f32; R]],
        b: &[Strip<P>],
        keep: Option<&Strip<P>>,
        c: &mut [Strip<P>; R],
    ) {
        tile::<__m512, 1, R, P>(a, b, keep, c);
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn multiply_256<const R: usize, const P: usize>(
        a: &[[f32; R]],
        b: &[Strip<P>],
        keep: Option<&Strip<P>>,
        c: &mut [Strip<P>; R],
    ) {
        tile::<__m256, 2, R, P>(a, b, keep, c);
    }

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
