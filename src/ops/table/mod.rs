//! The one table of operations: what lesson code may call, and what each call does.
//! A row defines the function, the method, the in-place twin, `grad_fn`, error messages,
//! completion, `help()` and `docs/torch.md`. CONTRIBUTING says what a new operation needs.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::OnceLock;

pub use super::op::IN_PLACE_ONLY;
pub(crate) use super::op::{FUNCTION, FUNCTIONAL, IN_PLACE, LINALG, METHOD, Op, RELAYOUT};
use crate::tensor::descriptor::{OpNotation, Sign};
use crate::tensor::{Descriptor, Record};

/// The rows of a family, as `OPS`.
macro_rules! rows {
    ($($row:expr),* $(,)?) => {
        pub(super) static OPS: [Op; [$(stringify!($row)),*].len()] = [$($row),*];
    };
}

/// In a signature: the keywords of what makes a tensor.
macro_rules! made {
    () => {
        "dtype? dtype=None, layout? layout=None, device? device=None, bool requires_grad=False"
    };
}

/// In a signature: those of what makes a tensor as another one is.
macro_rules! made_as {
    () => {
        "dtype? dtype=None, device? device=None, bool requires_grad=False, layout? layout=None"
    };
}

/// In a signature: how the losses of all elements become the result.
macro_rules! reduced {
    () => {
        "only size_average=None, only reduce=None, str reduction='mean'"
    };
}

mod compare;
mod complex;
mod composed;
mod create;
mod diagonals;
mod elementary;
mod extremes;
mod functional;
mod index_along;
mod indexing;
mod join;
mod linalg;
pub(crate) mod linalg_eigen;
mod linear;
mod masking;
mod nn_activation;
mod nn_attention;
mod nn_loss;
mod nn_norm;
mod pointwise;
mod random;
mod random_fill;
mod reduce;
mod refused;
mod shape;
mod sorting;
mod split;
mod strides;

/// All families of operations.
static FAMILIES: &[&[Op]] = &[
    &create::OPS,
    &pointwise::OPS,
    &elementary::OPS,
    &compare::OPS,
    &complex::OPS,
    &reduce::OPS,
    &extremes::OPS,
    &shape::OPS,
    &strides::OPS,
    &split::OPS,
    &join::OPS,
    &diagonals::OPS,
    &sorting::OPS,
    &indexing::OPS,
    &index_along::OPS,
    &masking::OPS,
    &linear::OPS,
    &composed::OPS,
    &random::OPS,
    &random_fill::OPS,
    &functional::OPS,
    &nn_activation::OPS,
    &nn_norm::OPS,
    &nn_loss::OPS,
    &nn_attention::OPS,
    &linalg::OPS,
    &linalg_eigen::OPS,
];

/// All operations.
pub fn ops() -> impl Iterator<Item = &'static Op> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The operation of this name.
pub fn find(name: &str) -> Option<&'static Op> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Op>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let mut map = HashMap::new();
        for op in ops() {
            map.entry(op.name).or_insert(op);
        }
        map
    });
    by_name.get(name).copied()
}

/// The row that this descriptor belongs to; none for what Python's syntax calls, such as `x[i] = v`.
pub fn row_of(descriptor: &'static Descriptor) -> Option<&'static Op> {
    static BY_DESCRIPTOR: OnceLock<HashMap<usize, &'static Op>> = OnceLock::new();
    let rows = BY_DESCRIPTOR
        .get_or_init(|| ops().map(|op| (std::ptr::from_ref(&op.descriptor).addr(), op)).collect());
    rows.get(&std::ptr::from_ref(descriptor).addr()).copied()
}

/// The place of the argument of this name in the call that made a record.
pub(crate) fn place_of(record: &Record, name: &str) -> Option<usize> {
    let params = row_of(record.operation)?.params().get(record.form)?;
    params.iter().position(|param| param.name == name)
}

/// The operation that this operator of Python calls.
pub fn operator(sign: Sign) -> Option<&'static Op> {
    ops().find(|op| op.notation == OpNotation::Infix(sign) || op.notation == OpNotation::Prefix(sign))
}

/// The operation of this name, which the table has.
pub(crate) fn row(name: &'static str) -> &'static Op {
    thread_local! {
        /// What was found last for names by where they are in memory, which is quicker than reading them.
        static FOUND: [Cell<Option<(&'static str, &'static Op)>>; 256] = const { [const { Cell::new(None) }; 256] };
    }
    FOUND.with(|found| {
        let place = &found[(name.as_ptr().addr() >> 2) % found.len()];
        match place.get() {
            Some((known, op)) if std::ptr::eq(known, name) => op,
            _ => {
                let op = find(name).unwrap_or_else(|| panic!("the table of operations has no row {name}"));
                place.set(Some((name, op)));
                op
            }
        }
    })
}

/// Second names: `torch.concat` is `torch.cat`.
pub const ALIASES: &[(&str, &str)] = &[
    ("absolute", "abs"),
    ("arccos", "acos"),
    ("arcsin", "asin"),
    ("arctan", "atan"),
    ("clip", "clamp"),
    ("concat", "cat"),
    ("concatenate", "cat"),
    ("divide", "div"),
    ("true_divide", "div"),
    ("fix", "trunc"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
    ("less", "lt"),
    ("less_equal", "le"),
    ("moveaxis", "movedim"),
    ("multiply", "mul"),
    ("negative", "neg"),
    ("not_equal", "ne"),
    ("subtract", "sub"),
    ("row_stack", "vstack"),
];
