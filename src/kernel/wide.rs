//! Loops compiled once for each instruction set and chosen at run time.
//! The choice itself, with its proof, stands in `gemm.rs`.
//!
//! A body marked `#[inline(always)]` is compiled three times: for AVX-512, for AVX2 with fused
//! multiply-add, and for whatever the crate was built for. All three give the same bits, because
//! lanes and fused operations are written out in the body and never left to the compiler.

/// A piece of work that can be compiled for several instruction sets; `run` must be `#[inline(always)]`.
pub(crate) trait Work {
    /// What the work gives back.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Defines a function generic over [`super::Real`] whose body runs on the widest vectors the machine has.
/// Lifetimes of references are written out: `wide!(pub fn f<'a, T>(x: &'a [T]) -> T { ... });`
macro_rules! wide {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$($life:lifetime,)* $T:ident $(: $bound:path)?>($($arg:ident : $ty:ty),* $(,)?) -> $out:ty $body:block) => {
        $(#[$meta])*
        $vis fn $name<$($life,)* $T: $crate::kernel::Real>($($arg: $ty),*) -> $out {
            struct Args<$($life,)* $T: $crate::kernel::Real>($($ty),*);
            impl<$($life,)* $T: $crate::kernel::Real> $crate::kernel::wide::Work for Args<$($life,)* $T> {
                type Output = $out;
                #[inline(always)]
                fn run(self) -> $out {
                    let Args($($arg),*) = self;
                    $body
                }
            }
            $crate::kernel::gemm::widest(Args::<$($life,)* $T>($($arg),*))
        }
    };
}
pub(crate) use wide;
