//! The blocked matrix product: the call into `matrixmultiply` (Goto & van de Geijn 2008).
#![allow(unsafe_code)] // The call takes pointers and strides.

use ndarray::{ArrayView2, ArrayViewMut2};

use super::tiles::Start;
use super::{packed, unpacked};

/// What a number type needs so that [`super::gemm`] can multiply matrices of it.
pub trait Multiply: Sized {
    /// Terms that one chain of multiply-adds has at most; the sums of chains are added to the result one by one.
    const DEPTH: usize;
    /// Whether rows after the last whole four and columns after the last whole twelve are computed as small products.
    const EDGES: bool;
    /// Whether there are tiles of this crate's for the type.
    const TILES: bool;

    /// `out = start + a @ b`, where [`packed::fits`] holds.
    fn packed(a: ArrayView2<Self>, b: ArrayView2<Self>, start: Start<Self>, out: ArrayViewMut2<Self>);

    /// `out = start + a @ b`, where [`unpacked::fits`] holds.
    fn unpacked(a: ArrayView2<Self>, b: ArrayView2<Self>, start: Start<Self>, out: ArrayViewMut2<Self>);

    /// `out = alpha * a @ b + beta * out`: (m, k) @ (k, n) into (m, n). Panics if the shapes disagree.
    fn blocked(alpha: Self, a: ArrayView2<Self>, b: ArrayView2<Self>, beta: Self, out: ArrayViewMut2<Self>);
}

macro_rules! multiply {
    ($t:ty, $kernel:path, $depth:expr, $edges:expr, $tiles:expr, $packed:path, $unpacked:path) => {
        impl Multiply for $t {
            const DEPTH: usize = $depth;
            const EDGES: bool = $edges;
            const TILES: bool = $tiles;

            fn packed(a: ArrayView2<$t>, b: ArrayView2<$t>, start: Start<$t>, out: ArrayViewMut2<$t>) {
                $packed(a, b, start, out);
            }

            fn unpacked(a: ArrayView2<$t>, b: ArrayView2<$t>, start: Start<$t>, out: ArrayViewMut2<$t>) {
                $unpacked(a, b, start, out);
            }

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
                // SAFETY: the assertion above makes (m, k), (k, n) and (m, n) the shapes of `a`, `b` and
                // `out`, and the pointers and strides come from these same views: each index that the kernel
                // forms is an element of a live view. `out` is borrowed mutably, so it overlaps neither
                // operand, and a mutable ndarray view never contains one element twice.
                unsafe {
                    $kernel(
                        m,
                        k,
                        n,
                        alpha,
                        a.as_ptr(),
                        ra,
                        ca,
                        b.as_ptr(),
                        rb,
                        cb,
                        beta,
                        out.as_mut_ptr(),
                        rc,
                        cc,
                    );
                }
            }
        }
    };
}

multiply!(f32, matrixmultiply::sgemm, packed::DEPTH, false, true, packed::product, unpacked::product);
multiply!(f64, matrixmultiply::dgemm, usize::MAX, true, false, none, none);

fn none(_: ArrayView2<f64>, _: ArrayView2<f64>, _: Start<f64>, _: ArrayViewMut2<f64>) {
    unreachable!("TILES is false");
}
