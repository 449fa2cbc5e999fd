//! What made a tensor: the one graph behind `grad_fn`, `why`, the trace and gradients.
//!
//! Each tensor that came out of an operation holds its [`Record`]; a record holds its operands,
//! and so the way back to the inputs. Nothing else holds records strongly, so a result that is
//! dropped takes its history with it (but for in-place writes, which tie a storage to what was
//! written: see the recorder). What is left is the history of living tensors, and that is
//! bounded by the [`Recorder`]: beyond [`Recorder::KEPT`] records or [`Recorder::BYTES`] of held
//! operands the oldest are *forgotten*: they keep operation, shapes and line, and let the operand
//! tensors go. Records that gradients need are kept, as PyTorch keeps them.
//! Room: tensor.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use super::arg::Arg;
use super::tensor::Tensor;

/// Where in the learner's code an operation was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The cell's name.
    pub cell: &'static str,
    /// The line in it, from 1 on.
    pub line: usize,
}

/// One operation that ran: what, on which operands, where.
#[derive(Debug)]
pub struct Record {
    /// Its PyTorch name: `softmax`.
    pub op: &'static str,
    /// What `grad_fn` shows, without `Backward0`: `Softmax`.
    pub grad_name: Cell<&'static str>,
    /// All arguments in the order of its signature, defaults filled in.
    args: RefCell<Vec<Arg>>,
    /// The line that called it.
    pub site: Option<Site>,
    /// Versions of the operands' storages when it ran: a later in-place write shows.
    pub versions: Vec<u64>,
    /// Shape of the (first) result.
    pub shape: Vec<usize>,
    /// Which of several results a tensor is, is told by the tensor; how many there were.
    pub outputs: usize,
    /// Whether gradients flow through it, so that it must not be forgotten.
    pub needs_grad: bool,
    /// Whether its operands were let go to bound memory.
    forgotten: Cell<bool>,
    bytes: usize,
}

impl Record {
    /// The arguments; empty when they were forgotten.
    pub fn args(&self) -> Vec<Arg> {
        self.args.borrow().clone()
    }

    /// Whether the operands were let go to bound memory.
    pub fn is_forgotten(&self) -> bool {
        self.forgotten.get()
    }

    fn forget(&self) -> Vec<Arg> {
        self.forgotten.set(true);
        std::mem::take(&mut *self.args.borrow_mut())
    }
}

impl Drop for Record {
    /// A long history is a long chain: let it go link by link, not by recursion.
    fn drop(&mut self) {
        let mut chain = std::mem::take(self.args.get_mut());
        while let Some(arg) = chain.pop() {
            let tensors = match arg {
                Arg::Tensor(tensor) => vec![tensor],
                Arg::Tensors(tensors) => tensors,
                _ => continue,
            };
            for tensor in tensors {
                if let Some(mut record) = tensor.into_last_record() {
                    chain.append(record.args.get_mut());
                }
            }
        }
    }
}

/// What a caller knows of an operation when it has run.
pub struct Ran {
    /// PyTorch name of the operation.
    pub op: &'static str,
    /// `grad_fn` name without `Backward0`.
    pub grad_name: &'static str,
    /// All arguments.
    pub args: Vec<Arg>,
    /// Where it was called.
    pub site: Option<Site>,
    /// Shape of the first result.
    pub shape: Vec<usize>,
    /// Number of results.
    pub outputs: usize,
    /// Whether gradients flow through it.
    pub needs_grad: bool,
}

/// Makes records and bounds what they hold.
#[derive(Debug, Default)]
pub struct Recorder {
    ring: RefCell<VecDeque<Weak<Record>>>,
    held: Cell<usize>,
    off: Cell<bool>,
}

impl Recorder {
    /// Most records that keep their operands.
    pub const KEPT: usize = 4096;
    /// Most bytes that operands of remembered records may take, shared ones counted each time.
    pub const BYTES: usize = 64 << 20;

    /// Turns recording off (`--no-record`) or on; gradients are still recorded.
    pub fn set_off(&self, off: bool) {
        self.off.set(off);
    }

    /// A record of what ran; the oldest are forgotten beyond the bounds.
    pub fn record(&self, ran: Ran) -> Rc<Record> {
        let versions = ran.args.iter().filter_map(Arg::tensor).map(|t| t.storage().version()).collect();
        let held = |tensor: &Tensor| tensor.storage().read().len() * 8;
        let bytes = ran.args.iter().flat_map(Arg::tensors).map(held).sum::<usize>()
            + ran.shape.iter().product::<usize>() * 8;
        let record = Rc::new(Record {
            op: ran.op,
            grad_name: Cell::new(ran.grad_name),
            args: RefCell::new(ran.args),
            site: ran.site,
            versions,
            shape: ran.shape,
            outputs: ran.outputs,
            needs_grad: ran.needs_grad,
            forgotten: Cell::new(false),
            bytes,
        });
        if record.needs_grad {
            return record;
        }
        if self.off.get() {
            drop(record.forget());
            return record;
        }
        let mut released = Vec::new();
        {
            let mut ring = self.ring.borrow_mut();
            ring.push_back(Rc::downgrade(&record));
            self.held.set(self.held.get() + bytes);
            while ring.len() > Self::KEPT || (self.held.get() > Self::BYTES && ring.len() > 1) {
                let Some(oldest) = ring.pop_front() else {
                    break;
                };
                // A dead record's size is unknown here; what lives is counted anew below.
                if let Some(oldest) = oldest.upgrade() {
                    self.held.set(self.held.get().saturating_sub(oldest.bytes));
                    released.push(oldest.forget());
                } else if self.held.get() > Self::BYTES {
                    ring.retain(|record| record.strong_count() > 0);
                    self.held.set(ring.iter().filter_map(Weak::upgrade).map(|record| record.bytes).sum());
                }
            }
        }
        // Letting go runs the drop of operands, which may be long: outside the borrow.
        drop(released);
        record
    }
}

impl Drop for Recorder {
    /// An in-place write can tie a tensor to its own history; letting all go unties it.
    fn drop(&mut self) {
        let ring = std::mem::take(self.ring.get_mut());
        let released: Vec<_> = ring.iter().filter_map(Weak::upgrade).map(|record| record.forget()).collect();
        drop(released);
    }
}

impl Tensor {
    /// The record this tensor alone keeps alive, taking the tensor apart.
    fn into_last_record(self) -> Option<Record> {
        self.into_origin().and_then(|origin| Rc::try_unwrap(origin).ok())
    }
}
