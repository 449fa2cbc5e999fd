//! The types of the recorded graph. Tensors, storages, records and arguments contain each other, so they are defined in
//! one file; `tensor.rs`, `storage.rs`, `record.rs`, `arg.rs` and `index.rs` have their methods.
//!
//! The result of an operation has a strong reference to its [`Record`], and so does its storage, which views and
//! detached tensors share. A record has its operands, and through them the way back to the inputs. Nothing else has strong
//! references to records, so a dropped result takes its history with it. The exception is an in-place write, which
//! ties a storage to the values written (see [`Recorder`](super::Recorder)).

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::ops::Deref;
use std::rc::{Rc, Weak};

use smallvec::SmallVec;

use super::budget::Budget;
use super::buffer::Buffer;
use super::descriptor::{Descriptor, GradName};
use super::dtype::DType;
use super::layout::{Layout, Sizes};
use super::site::Site;
use crate::kernel::random::Generator;

/// A PyTorch tensor on the CPU: a layout over a shared storage, a dtype and a history. A clone is the same
/// tensor, like a second Python name.
#[derive(Clone, Debug)]
pub struct Tensor(pub(super) Rc<TensorData>);

#[derive(Debug)]
pub(super) struct TensorData {
    pub(super) storage: Storage,
    pub(super) layout: Layout,
    pub(super) dtype: DType,
    pub(super) meta: RefCell<Meta>,
}

/// The properties of a tensor that may change.
#[derive(Debug, Default, Clone)]
pub(super) struct Meta {
    pub(super) origin: Option<Rc<Record>>,
    pub(super) output: usize,
    pub(super) requires_grad: bool,
    pub(super) leaf: bool,
    /// A view made while gradients were off: it requires a gradient, as its base does, and receives none.
    pub(super) without_edge: bool,
    pub(super) retains_grad: bool,
    pub(super) grad: Option<Tensor>,
    /// The tensor that took its place when `data` was assigned.
    pub(super) successor: Option<Tensor>,
}

/// The elements that a tensor and all its views share. A clone is the same storage.
#[derive(Clone, Debug)]
pub struct Storage(pub(super) Rc<SharedElements>);

/// The order of summation follows from offsets within the storage, not from where the elements are.
#[derive(Debug)]
pub(super) struct SharedElements {
    pub(super) buffer: RefCell<Buffer>,
    pub(super) version: Cell<u64>,
    pub(super) made: RefCell<Option<FilledBy>>,
    pub(super) writes: RefCell<VecDeque<Write>>,
    /// The version up to which writes were forgotten.
    pub(super) forgotten: Cell<u64>,
    /// The last writes that covered all elements, without another between them.
    pub(super) whole_writes: Cell<usize>,
    /// Operands of listed records.
    pub(super) operands: Cell<u32>,
    /// Python objects.
    pub(super) objects: Cell<u32>,
    pub(super) bytes: u64,
    /// Whether it was made of zeros, which it has until the first write.
    pub(super) began_as_zeros: bool,
}

/// An in-place write: the elements it covered and the operation that wrote them.
#[derive(Clone, Debug)]
pub struct Write {
    /// The elements that it covered.
    pub(crate) layout: Layout,
    /// The tensor it was called on, if that is more than it covered. The record's first argument has its old values.
    pub(super) target: Option<Layout>,
    pub record: Rc<Record>,
    /// The version of the storage after the write.
    pub(crate) version: u64,
    /// Whether the record's first argument has the old values of the target; false for a write through `out=`.
    pub(crate) in_place: bool,
}

/// The operation that filled a new storage, and which of its results the storage has.
#[derive(Clone, Debug)]
pub(crate) struct FilledBy {
    pub(crate) record: Rc<Record>,
    pub(crate) output: usize,
    /// The layout of the result in the storage; `None` for the first result, row-major.
    pub(super) layout: Option<Layout>,
}

/// The random numbers that an operation drew from its generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RandomDraws {
    /// The last seed of the generator.
    pub(crate) seed: u64,
    /// The number of the first draw, counted from 1 since the seed; `None` after a state was restored.
    pub(crate) first: Option<u64>,
    pub(crate) count: u64,
    /// 32-bit words that the generator had returned before, so that the draws can be repeated.
    pub(crate) words: Option<u64>,
    /// Whether dropout and related operations draw as the book's build does; other builds use a second generator.
    pub(crate) book: bool,
}

/// Why a record has no operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LostOperands {
    /// It was forgotten to bound memory.
    Bounds,
    /// Recording was turned off.
    Off,
}

/// An operation that ran, as its caller describes it.
#[derive(Debug)]
pub struct CompletedOperation {
    pub(crate) operation: &'static Descriptor,
    /// Whether it wrote to its first argument.
    pub(crate) in_place: bool,
    /// The number of the signature that the arguments fit.
    pub(crate) form: usize,
    /// What `grad_fn` shows.
    pub(crate) grad_name: Cell<Option<GradName>>,
    /// All arguments in the order of the signature, with defaults.
    pub(crate) args: RefCell<Vec<Arg>>,
    /// The line that called it.
    pub(crate) site: Option<Site>,
    /// The random numbers that it drew.
    pub(crate) drawn: Option<RandomDraws>,
    /// Shape of the first result.
    pub(crate) shape: Sizes,
    /// Number of results; each tensor knows which of them it is.
    pub(crate) outputs: usize,
    /// Whether gradients flow through it; then it is not forgotten.
    pub(crate) needs_grad: bool,
    /// Whether backward ran it, and not the learner's own code.
    pub(crate) in_backward: bool,
}

/// The record of an operation that ran.
#[derive(Debug)]
pub struct Record {
    /// Its place in the order in which operations ran.
    pub(crate) number: u64,
    pub(super) ran: CompletedOperation,
    /// The versions of the operands' storages when it ran, for all tensors in order. They reveal later in-place writes.
    pub(crate) versions: SmallVec<[u64; 2]>,
    pub(super) lost: Cell<Option<LostOperands>>,
    /// The origin of each tensor among the arguments when it ran: a later in-place write changes the origin of the
    /// tensor itself. Kept where gradients flow.
    pub(super) edges: RefCell<Vec<Edge>>,
    /// The result that backward reads.
    pub(super) result: OnceCell<SavedResult>,
    /// The operands of the composed operation whose last part this is, where PyTorch saves them.
    pub(super) operands: OnceCell<Vec<SavedResult>>,
    /// Whether the backward pass is done with it.
    pub(super) spent: Cell<bool>,
    /// Whether it is kept whatever the bounds.
    pub(super) is_kept: Cell<bool>,
    /// The count that its operands are in; `None` if it is not listed.
    pub(super) budget: RefCell<Option<Rc<Budget>>>,
}

impl Deref for Record {
    type Target = CompletedOperation;

    fn deref(&self) -> &CompletedOperation {
        &self.ran
    }
}

/// A result that backward reads. It does not keep the result alive: what a gradient comes from does.
#[derive(Debug)]
pub(super) struct SavedResult {
    pub(super) elements: Weak<SharedElements>,
    pub(super) layout: Layout,
    pub(super) dtype: DType,
    pub(super) version: u64,
}

/// The record that made an operand and the number of the result; `None` for leaves.
pub(crate) type Edge = Option<(Rc<Record>, usize)>;

/// An argument of an operation, independent of Python.
#[derive(Clone, Debug)]
pub enum Arg {
    /// `None`, or not given.
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A string, as in `reduction="mean"`.
    Str(Rc<str>),
    DType(DType),
    Tensor(Tensor),
    /// Several tensors, as for `cat`.
    Tensors(Vec<Tensor>),
    /// Sizes or dims.
    Ints(Vec<i64>),
    Generator(Rc<RefCell<Generator>>),
    /// An index expression, as in `x[1:, None]`.
    Index(Rc<Indices>),
}

/// The parts of an index expression.
pub(crate) type Indices = SmallVec<[Index; 2]>;

/// One part of an index expression.
#[derive(Clone, Debug)]
pub enum Index {
    /// `3`
    Int(i64),
    /// `a:b:c`
    Slice {
        /// First index.
        start: Option<i64>,
        /// One past the last index.
        stop: Option<i64>,
        /// Distance between indices.
        step: Option<i64>,
    },
    /// `None`
    NewAxis,
    /// `...`
    Ellipsis,
    /// `True` or `False`
    Bool(bool),
    /// Integers or a mask.
    Tensor(Tensor),
}
