//! The blocked matrix product: the call into `matrixmultiply` (Goto & van de Geijn 2008).
#![allow(unsafe_code)] // The call takes pointers and strides.

use ndarray::{ArrayView2, ArrayViewMut2, s};

use super::{Real, few_rows, small};

/// `out = alpha * a @ b + beta * out`, of these in order. Returns whether it was computed.
pub type Product<T> = fn(T, ArrayView2<T>, ArrayView2<T>, T, ArrayViewMut2<T>) -> bool;

/// A number type whose matrices [`super::gemm`] multiplies.
pub trait Multiply: Real {
    /// What computes products of few rows or columns in PyTorch's order, where that is known.
    const SMALL: Option<Product<Self>>;
    /// What computes products of few rows faster than [`Multiply::blocked`], where it does.
    const FEW_ROWS: Product<Self>;
    /// How many of so many terms of an element are one chain of sums in PyTorch.
    const IN_A_ROW: fn(usize) -> usize;

    /// `out = alpha * a @ b + beta * out`: (m, k) @ (k, n) into (m, n). Panics if the shapes disagree.
    fn blocked(alpha: Self, a: ArrayView2<Self>, b: ArrayView2<Self>, beta: Self, out: ArrayViewMut2<Self>);

    /// The same, the terms of each element in the order that PyTorch has.
    fn in_parts(
        alpha: Self,
        a: ArrayView2<Self>,
        b: ArrayView2<Self>,
        beta: Self,
        mut out: ArrayViewMut2<Self>,
    ) {
        let terms = a.ncols();
        let step = Self::IN_A_ROW(terms);
        if step == terms {
            return Self::blocked(alpha, a, b, beta, out);
        }
        for first in (0..terms).step_by(step) {
            let part = first..terms.min(first + step);
            let beta = if first == 0 { beta } else { Self::ONE };
            Self::blocked(alpha, a.slice(s![.., part.clone()]), b.slice(s![part, ..]), beta, out.view_mut());
        }
    }
}

macro_rules! multiply {
    ($t:ty, $kernel:path, $small:expr, $few_rows:expr, $in_a_row:expr) => {
        impl Multiply for $t {
            const SMALL: Option<Product<$t>> = $small;
            const FEW_ROWS: Product<$t> = $few_rows;
            const IN_A_ROW: fn(usize) -> usize = $in_a_row;

            fn blocked(
                alpha: $t,
                a: ArrayView2<$t>,
                b: ArrayView2<$t>,
                beta: $t,
                mut out: ArrayViewMut2<$t>,
            ) {
                let (m, k) = a.dim();
                let n = b.ncols();
                assert!(b.nrows() == k && out.dim() == (m, n), "the shapes of a product agree");
                let (ra, ca) = (a.strides()[0], a.strides()[1]);
                let (rb, cb) = (b.strides()[0], b.strides()[1]);
                let (rc, cc) = (out.strides()[0], out.strides()[1]);
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), out.as_mut_ptr());
                // SAFETY: the assertion above makes (m, k), (k, n) and (m, n) the shapes of `a`, `b` and
                // `out`, and the pointers and strides come from these same views: each index that the kernel
                // forms is an element of a live view. `out` is borrowed mutably, so it overlaps neither
                // operand, and a mutable ndarray view never contains one element twice.
                unsafe { $kernel(m, k, n, alpha, a, ra, ca, b, rb, cb, beta, c, rc, cc) };
            }
        }
    };
}

multiply!(f32, matrixmultiply::sgemm, Some(small::multiply), few_rows::multiply, few_rows::in_a_row);
multiply!(f64, matrixmultiply::dgemm, None, |_, _, _, _, _| false, |terms| terms);
