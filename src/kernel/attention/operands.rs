//! Operands and masks of attention, and the division of its result into blocks of queries.

use ndarray::{ArrayView2, ArrayView4, ArrayViewMut, ArrayViewMut2, ArrayViewMut4, Axis, RemoveAxis};

use super::super::gemm::Multiply;
use super::super::threads;

/// Queries (B, H, T, D), keys (B, G, S, D) and values (B, G, S, E), H a multiple of G, with any strides.
#[derive(Clone, Copy)]
pub struct Operands<'a, T> {
    /// Queries.
    pub q: ArrayView4<'a, T>,
    /// Keys.
    pub k: ArrayView4<'a, T>,
    /// Values.
    pub v: ArrayView4<'a, T>,
}

impl<T> Operands<'_, T> {
    pub(super) fn is_empty(&self) -> bool {
        self.q.is_empty() || self.k.is_empty()
    }
}

/// The matrix of one head of one batch element.
pub(super) fn of_head<'a, T>(x: ArrayView4<'a, T>, batch: usize, head: usize) -> ArrayView2<'a, T> {
    x.index_axis_move(Axis(0), batch).index_axis_move(Axis(0), head)
}

pub(super) fn matrix<T>(data: &mut [T], rows: usize, columns: usize) -> ArrayViewMut2<'_, T> {
    ArrayViewMut2::from_shape((rows, columns), data).expect("the slice has the elements of the matrix")
}

pub(super) fn whole<T>(data: &[T], rows: usize, columns: usize) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((rows, columns), data).expect("the slice has the elements of the matrix")
}

/// Which keys a query attends to.
pub enum Mask<'a, T> {
    /// All.
    None,
    /// Keys up to the position of the query, counted from the start.
    Causal,
    /// Keys where this is true: (B, H, T, S), which may be expanded.
    Keep(ArrayView4<'a, bool>),
    /// All, with this added to the scores: (B, H, T, S), which may be expanded.
    Added(ArrayView4<'a, T>),
}

/// What the gradients are computed from.
pub struct GradientInputs<'a, T> {
    /// Queries, keys and values.
    pub x: Operands<'a, T>,
    /// The gradient of the result: (B, H, T, E).
    pub grad: ArrayView4<'a, T>,
    /// By what dropout multiplied each weight: (B, H, T, S), may be expanded.
    pub noise: Option<ArrayView4<'a, T>>,
    /// The factor of the products.
    pub scale: T,
    pub mask: Mask<'a, T>,
}

/// Where the gradients are written; they may lie in memory in any order.
pub struct AttentionGradients<'a, T> {
    /// Of the queries: (B, H, T, D).
    pub q: ArrayViewMut4<'a, T>,
    /// Of the keys: (B, G, S, D).
    pub k: ArrayViewMut4<'a, T>,
    /// Of the values: (B, G, S, E).
    pub v: ArrayViewMut4<'a, T>,
    /// Of a mask that is added, if that is wanted: (B, H, T, S).
    pub mask: Option<ArrayViewMut4<'a, T>>,
}

/// The gradients that belong to the heads of one group: (T, D) for each head, (S, D), (S, E), and (T, S) for each head.
pub struct GroupGradients<'a, T> {
    pub(super) q: Vec<ArrayViewMut2<'a, T>>,
    pub(super) k: ArrayViewMut2<'a, T>,
    pub(super) v: ArrayViewMut2<'a, T>,
    pub(super) mask: Vec<ArrayViewMut2<'a, T>>,
}

/// Scores from which the fast forms are used: 12 heads of 592 tokens. Below it the exact forms take milliseconds.
pub(super) const MANY: usize = 1 << 22;

/// Number types that may have a fast form of attention.
pub trait Fused: Multiply {
    /// Whether it has one on this processor.
    fn is_fast() -> bool {
        false
    }

    /// Computes it in the fast form. The operands are not empty.
    fn fused(_: &Operands<Self>, _: Self, _: &Mask<Self>, _: ArrayViewMut4<Self>) {
        unreachable!("only single precision has a fast form")
    }

    /// Computes the gradients of a group of heads in the fast form; `at` is batch and group. The operands are not empty.
    #[doc(hidden)]
    fn fused_backward(_: &GradientInputs<Self>, _at: [usize; 2], _: GroupGradients<Self>) {
        unreachable!("only single precision has a fast form")
    }
}

/// A block of queries: batch, head and first query, and the part of the result.
pub(super) type QueryBlock<'a, T> = ([usize; 3], ArrayViewMut2<'a, T>);

/// (B, H, T, E) divided into blocks of at most `rows` queries of one head. Late queries come first: under a causal mask
/// they attend to most keys, and no thread should begin the longest work last.
pub(super) fn blocks<T>(out: ArrayViewMut4<'_, T>, rows: usize) -> Vec<QueryBlock<'_, T>> {
    let mut blocks = Vec::new();
    for (batch, out) in split(out).into_iter().enumerate() {
        for (head, mut out) in split(out).into_iter().enumerate() {
            let mut first = 0;
            while out.nrows() > 0 {
                let n = rows.min(out.nrows());
                let (block, rest) = out.split_at(Axis(0), n);
                blocks.push(([batch, head, first], block));
                (first, out) = (first + n, rest);
            }
        }
    }
    blocks.reverse();
    blocks
}

/// The parts along the first axis.
pub(super) fn split<T, D: RemoveAxis>(mut whole: ArrayViewMut<T, D>) -> Vec<ArrayViewMut<T, D::Smaller>> {
    let mut parts = Vec::with_capacity(whole.len_of(Axis(0)));
    while whole.len_of(Axis(0)) > 0 {
        let (part, rest) = whole.split_at(Axis(0), 1);
        parts.push(part.index_axis_move(Axis(0), 0));
        whole = rest;
    }
    parts
}

/// Scores from which several threads are used.
pub(super) const PARALLEL: usize = 1 << 13;

/// Computes every block, on several threads if there are enough scores.
pub(super) fn for_each_block<T: Send>(
    scores: usize,
    blocks: Vec<QueryBlock<T>>,
    each: impl Fn([usize; 3], ArrayViewMut2<T>) + Sync,
) {
    threads::share_if(scores >= PARALLEL, blocks.into_iter(), |(at, out)| each(at, out));
}
