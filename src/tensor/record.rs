//! Recording operations, and the bounds on what records keep alive.
//!
//! What remains is the history of living tensors. Beyond [`Recorder::KEPT`] records the oldest are *forgotten*. Beyond
//! [`Recorder::BYTES`] of operands that only records keep alive, the records with the largest are. A forgotten record
//! keeps operation, shapes and line and drops its operands. Records that gradients need are kept, as in PyTorch.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::{Rc, Weak};

use super::descriptor::{DEEP_COPY, Descriptor, GradName};
use super::graph::{Arg, Drawn, Edge, Lost, Record, Site, Tensor};

impl Record {
    /// The name of the call: `softmax`, or `add_` in place.
    pub fn called(&self) -> &'static str {
        self.operation.called(self.in_place)
    }

    /// The arguments; empty if they were forgotten.
    pub fn args(&self) -> Vec<Arg> {
        self.args.borrow().clone()
    }

    /// Why it has no operands, if it has none.
    pub(crate) fn lost(&self) -> Option<Lost> {
        self.lost.get()
    }

    /// The origins of the tensors among the arguments when it ran; those in lists one by one.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        self.edges.borrow().clone()
    }

    /// Whether the backward pass is done with it.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get()
    }

    fn forget(&self, why: Lost) -> Vec<Arg> {
        self.lost.set(Some(why));
        std::mem::take(&mut *self.args.borrow_mut())
    }
}

impl Drop for Record {
    /// A long history is a long chain of records: they are dropped in a loop, because recursion would overflow the stack.
    fn drop(&mut self) {
        let mut chain = std::mem::take(self.args.get_mut());
        let mut made = std::mem::take(self.edges.get_mut());
        loop {
            let last = |edge: Edge| edge.and_then(|(record, _)| Rc::try_unwrap(record).ok());
            if let Some(mut record) = made.pop().and_then(last) {
                chain.append(record.args.get_mut());
                made.append(record.edges.get_mut());
            }
            let tensors = match chain.pop() {
                Some(Arg::Tensor(tensor)) => vec![tensor],
                Some(Arg::Tensors(tensors)) => tensors,
                None if made.is_empty() => break,
                _ => continue,
            };
            for tensor in tensors {
                for record in tensor.into_records() {
                    // A tensor and its storage may both refer to a record; the last reference drops it.
                    if let Some(mut record) = Rc::into_inner(record) {
                        chain.append(record.args.get_mut());
                        made.append(record.edges.get_mut());
                    }
                }
            }
        }
    }
}

/// An operation that ran, for [`Recorder::record`].
pub(crate) struct Ran {
    /// The operation.
    pub(crate) operation: &'static Descriptor,
    /// Whether it wrote into its first argument.
    pub(crate) in_place: bool,
    /// Which of its signatures the arguments fit.
    pub(crate) form: usize,
    /// What `grad_fn` shows.
    pub(crate) grad_name: Option<GradName>,
    /// All arguments.
    pub(crate) args: Vec<Arg>,
    /// Where it was called.
    pub(crate) site: Option<Site>,
    /// Shape of the first result.
    pub(crate) shape: Vec<usize>,
    /// Number of results.
    pub(crate) outputs: usize,
    /// Whether gradients flow through it.
    pub(crate) needs_grad: bool,
    /// The random numbers it drew.
    pub(crate) drawn: Option<Drawn>,
    /// Whether backward ran it.
    pub(crate) in_backward: bool,
}

/// Makes records and bounds the memory that they keep alive.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    ring: RefCell<VecDeque<Weak<Record>>>,
    held: Cell<usize>,
    off: Cell<bool>,
}

impl Recorder {
    /// Most records of living tensors that keep their operands.
    pub(crate) const KEPT: usize = 4096;
    /// Additional records before the list is cleaned up.
    const SLACK: usize = 1024;
    /// Most bytes of operands that only records keep alive.
    pub(crate) const BYTES: usize = 64 << 20;

    /// Turns recording off (`--no-record`) or on; gradients are still recorded.
    pub(crate) fn set_off(&self, off: bool) {
        self.off.set(off);
    }

    /// Whether recording is turned off.
    pub(crate) fn is_off(&self) -> bool {
        self.off.get()
    }

    /// Makes a record; old ones are forgotten beyond the bounds.
    pub(crate) fn record(&self, ran: Ran) -> Rc<Record> {
        let tensors = ran.args.iter().flat_map(Arg::tensors);
        let versions = tensors.map(|tensor| tensor.storage().version()).collect();
        let edge = |tensor: &Tensor| {
            let made = tensor.origin().filter(|_| !tensor.is_leaf());
            made.map(|record| (record, tensor.output_index()))
        };
        let edges = match ran.needs_grad {
            true => ran.args.iter().flat_map(Arg::tensors).map(edge).collect(),
            false => Vec::new(),
        };
        let bytes = ran.args.iter().flat_map(Arg::tensors).map(bytes_of).sum::<usize>();
        let record = Rc::new(Record {
            operation: ran.operation,
            in_place: ran.in_place,
            form: ran.form,
            grad_name: Cell::new(ran.grad_name),
            args: RefCell::new(ran.args),
            site: ran.site,
            versions,
            shape: ran.shape,
            outputs: ran.outputs,
            needs_grad: ran.needs_grad,
            drawn: ran.drawn,
            in_backward: ran.in_backward,
            lost: Cell::new(None),
            edges: RefCell::new(edges),
            spent: Cell::new(false),
            bytes,
        });
        if !record.needs_grad {
            self.bound(&record);
        }
        record
    }

    /// Ends the use of a record for gradients: from now on it may be forgotten.
    pub(crate) fn spend(&self, record: &Rc<Record>) {
        if !record.spent.replace(true) {
            let edges = std::mem::take(&mut *record.edges.borrow_mut());
            self.bound(record);
            drop(edges);
        }
    }

    /// Adds a record, and forgets old ones beyond the bounds.
    fn bound(&self, record: &Rc<Record>) {
        if self.off.get() {
            drop(record.forget(Lost::Off));
            return;
        }
        let released = self.keep(record);
        // Dropping operands may take long and may need the list: it happens outside the borrow.
        drop(released);
    }

    /// A record of a copy that no call of an operation made, as `copy.deepcopy` makes one.
    pub(crate) fn copied(&self, tensor: &Tensor, site: Option<Site>) -> Rc<Record> {
        self.record(Ran {
            operation: &DEEP_COPY,
            in_place: false,
            form: 0,
            grad_name: None,
            args: vec![Arg::Tensor(tensor.clone())],
            site,
            shape: tensor.shape().to_vec(),
            outputs: 1,
            needs_grad: false,
            drawn: None,
            in_backward: false,
        })
    }

    /// Adds a record and returns the operands of those that are forgotten for it.
    fn keep(&self, record: &Rc<Record>) -> Vec<Vec<Arg>> {
        let mut ring = self.ring.borrow_mut();
        ring.push_back(Rc::downgrade(record));
        self.held.set(self.held.get() + record.bytes);
        if ring.len() <= Self::KEPT + Self::SLACK && self.held.get() <= Self::BYTES {
            return Vec::new();
        }
        // Records that were dropped meanwhile leave the list.
        let mut living: Vec<Rc<Record>> = ring.iter().filter_map(Weak::upgrade).collect();
        let excess = living.len().saturating_sub(Self::KEPT);
        let mut released: Vec<Vec<Arg>> =
            living.drain(..excess).map(|old| old.forget(Lost::Bounds)).collect();
        if self.held.get() <= Self::BYTES {
            *ring = living.iter().map(Rc::downgrade).collect();
            return released;
        }
        let mut owned = owned(&living);
        let mut held: usize = owned.iter().map(|storage| storage.bytes).sum();
        // The largest are forgotten first, so that one large computation does not cost the history of small tensors.
        owned.sort_by_key(|storage| std::cmp::Reverse(storage.bytes));
        let newest = living.len().saturating_sub(1);
        for storage in owned {
            if held <= Self::BYTES {
                break;
            }
            // The newest record always stays.
            if storage.records.contains(&newest) {
                continue;
            }
            held -= storage.bytes;
            released.extend(storage.records.iter().map(|&at| living[at].forget(Lost::Bounds)));
        }
        *ring = living.iter().map(Rc::downgrade).collect();
        self.held.set(held);
        released
    }
}

/// A storage that only records keep alive, and the records.
struct OwnedStorage {
    bytes: usize,
    records: Vec<usize>,
}

/// The storages that only these records keep alive.
fn owned(records: &[Rc<Record>]) -> Vec<OwnedStorage> {
    struct Usage {
        handles: usize,
        bytes: usize,
        tensors: HashSet<usize>,
        records: Vec<usize>,
    }
    // References to a tensor by records, and all references.
    let mut tensors: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut storages: HashMap<usize, Usage> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        for tensor in record.args.borrow().iter().flat_map(Arg::tensors) {
            tensors.entry(tensor.id()).or_insert((0, tensor.handles())).0 += 1;
            let storage = tensor.storage();
            let usage = storages.entry(storage.address()).or_insert_with(|| Usage {
                handles: storage.handles(),
                bytes: bytes_of(tensor),
                tensors: HashSet::new(),
                records: Vec::new(),
            });
            usage.tensors.insert(tensor.id());
            if usage.records.last() != Some(&at) {
                usage.records.push(at);
            }
        }
    }
    let only_ours = |usage: &Usage| {
        usage.handles == usage.tensors.len()
            && usage.tensors.iter().all(|tensor| tensors.get(tensor).is_some_and(|(ours, all)| ours == all))
    };
    let mut found: Vec<(usize, OwnedStorage)> = storages
        .into_values()
        .filter(only_ours)
        .map(|usage| (usage.records[0], OwnedStorage { bytes: usage.bytes, records: usage.records }))
        .collect();
    // By age, so that addresses do not decide the order.
    found.sort_by_key(|(first, _)| *first);
    found.into_iter().map(|(_, owned)| owned).collect()
}

/// Bytes of the storage of a tensor.
fn bytes_of(tensor: &Tensor) -> usize {
    tensor.storage().read().len() * tensor.dtype().size()
}

impl Drop for Recorder {
    /// An in-place write can make a tensor part of its own history; forgetting all records breaks the cycle.
    fn drop(&mut self) {
        let ring = std::mem::take(self.ring.get_mut());
        let living = ring.iter().filter_map(Weak::upgrade);
        let released: Vec<_> = living.map(|record| record.forget(Lost::Bounds)).collect();
        drop(released);
    }
}
