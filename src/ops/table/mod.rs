//! The one table of operations: what lesson code may call, and what each call does.
//! A row feeds the function, the method, the in-place twin, `grad_fn`, error texts,
//! completion, `help()` and `docs/torch.md`. Adding an operation is one row and its kernel.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::call::{Call, Value};
use super::schema::{self, Param};
use crate::tensor::descriptor::{InPlace, OpNotation, Sign};
use crate::tensor::{Descriptor, Result};

mod compare;
mod contract;
mod create;
mod functional;
mod indexing;
mod join;
mod linalg;
mod linalg_norm;
mod linear;
mod masking;
mod nn_activation;
mod nn_attention;
mod nn_loss;
mod nn_norm;
mod nn_window;
pub mod page;
mod pointwise;
mod random;
mod random_fill;
mod reduce;
mod refused;
mod shape;
mod sorting;
mod special;
mod split;
mod strides;

/// Reachable as `torch.name(...)`.
pub const FUNCTION: u8 = 1;
/// Reachable as `tensor.name(...)`.
pub const METHOD: u8 = 2;
/// Has a twin `tensor.name_(...)` that writes into the tensor.
pub const IN_PLACE: u8 = 4;
/// Reachable as `torch.nn.functional.name(...)`.
pub const FUNCTIONAL: u8 = 8;
/// Writes into its first argument, through whatever view that is, and has no form that does not: `tensor.name(...)`
/// with a name that ends in `_`.
pub const IN_PLACE_ONLY: u8 = 16;
/// Has a twin `tensor.name_(...)` that gives the tensor itself another shape: `unsqueeze_`.
pub const RELAYOUT: u8 = 32;
/// Reachable as `torch.linalg.name(...)`; the row's own name begins with `linalg_`.
pub const LINALG: u8 = 64;
/// Reachable as `torch.name_(...)` too (`torch.relu_`).
pub const BOTH: u8 = FUNCTION | METHOD;
/// The usual pointwise operation: function, method and in-place twin.
pub const ALL: u8 = FUNCTION | METHOD | IN_PLACE;

/// One operation: its descriptor, and what calls of it need.
pub struct Op {
    /// What is known of it.
    pub descriptor: Descriptor,
    /// Where it can be reached.
    pub places: u8,
    /// Its signatures, most usual first.
    pub forms: &'static [&'static str],
    /// One line on what it computes, shapes included.
    pub doc: &'static str,
    /// What it does.
    pub run: fn(&Call) -> Result<Value>,
    parsed: OnceLock<Vec<Vec<Param>>>,
}

impl std::ops::Deref for Op {
    type Target = Descriptor;

    fn deref(&self) -> &Descriptor {
        &self.descriptor
    }
}

/// A row of the table.
pub const fn op(
    mut descriptor: Descriptor,
    places: u8,
    forms: &'static [&'static str],
    doc: &'static str,
    run: fn(&Call) -> Result<Value>,
) -> Op {
    if places & IN_PLACE_ONLY != 0 {
        descriptor.in_place = InPlace::Always;
    } else if places & RELAYOUT != 0 {
        descriptor.in_place = InPlace::Relayout;
    } else if places & IN_PLACE != 0 {
        descriptor.in_place = InPlace::Twin;
    }
    Op { descriptor, places, forms, doc, run, parsed: OnceLock::new() }
}

impl Op {
    /// The parameters of each form.
    pub fn params(&self) -> &[Vec<Param>] {
        self.parsed.get_or_init(|| self.forms.iter().map(|form| schema::parse(form)).collect())
    }

    /// Whether it can be reached there.
    pub fn is_in(&self, place: u8) -> bool {
        self.places & place != 0
    }
}

/// All families of operations.
static FAMILIES: &[&[Op]] = &[
    &create::OPS,
    &pointwise::OPS,
    &special::OPS,
    &compare::OPS,
    &reduce::OPS,
    &shape::OPS,
    &strides::OPS,
    &split::OPS,
    &join::OPS,
    &sorting::OPS,
    &indexing::OPS,
    &masking::OPS,
    &linear::OPS,
    &contract::OPS,
    &random::OPS,
    &random_fill::OPS,
    &functional::OPS,
    &nn_activation::OPS,
    &nn_norm::OPS,
    &nn_loss::OPS,
    &nn_attention::OPS,
    &nn_window::OPS,
    &linalg::OPS,
    &linalg_norm::OPS,
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

/// The operation that this operator of Python calls.
pub fn operator(sign: Sign) -> Option<&'static Op> {
    ops().find(|op| op.notation == OpNotation::Infix(sign) || op.notation == OpNotation::Prefix(sign))
}

/// The operation of this name, which the table has.
pub fn row(name: &'static str) -> &'static Op {
    find(name).unwrap_or_else(|| panic!("the table of operations has no row {name}"))
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
