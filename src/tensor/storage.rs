//! Storages: versions, in-place writes and memory limits.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::budget::Budget;
use super::buffer::{Buffer, in_lane};
use super::dtype::DType;
use super::error::{Error, Result};
use super::graph::{FilledBy, Record, SharedElements, Storage, Tensor, Write};
use super::layout::Layout;
use crate::each_lane;
use crate::kernel::buffer_pool;

/// The most bytes of one tensor, for the process.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets the most bytes of one tensor (`--max-memory`).
pub(crate) fn set_memory_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
    buffer_pool::set_most_bytes(bytes);
}

/// A number of bytes in decimal units: `720 bytes`, `12.3 kB`. (bytesize writes `720 B`; the rest would be its own.)
pub(crate) fn size_in_words(bytes: f64) -> String {
    match bytes {
        n if n < 1e3 => format!("{n:.0} bytes"),
        n if n < 1e6 => format!("{:.1} kB", n / 1e3),
        n if n < 1e9 => format!("{:.1} MB", n / 1e6),
        n if n < 1e12 => format!("{:.1} GB", n / 1e9),
        n => format!("{:.1} TB", n / 1e12),
    }
}

/// Checks the memory of a tensor before it is allocated, and returns the number of its elements.
/// Errors: the `RuntimeError` of PyTorch's allocator, with the bytes requested.
pub(crate) fn allow(shape: &[usize], dtype: DType) -> Result<usize> {
    let elements = shape.iter().try_fold(1u128, |product, &size| product.checked_mul(size as u128));
    // Strides of empty tensors count the other sizes too.
    let steps = shape.iter().try_fold(1u128, |product, &size| product.checked_mul(size.max(1) as u128));
    if elements == Some(0) && steps.is_none_or(|steps| steps > i64::MAX as u128) {
        return Err(Error::runtime("Stride calculation overflowed"));
    }
    let elements = elements.unwrap_or(u128::MAX);
    // An element takes more memory here than in PyTorch, whose bytes the error names.
    let taken = elements.saturating_mul(in_lane!(dtype.lane(), T => size_of::<T>()) as u128);
    if taken > u128::from(LIMIT.load(Ordering::Relaxed)).min(isize::MAX as u128) {
        return Err(Error::memory(elements.saturating_mul(dtype.size() as u128)));
    }
    Ok(elements as usize)
}

/// Checks the memory of the Python objects in nested lists of this shape before they are made.
pub(crate) fn allow_objects(shape: &[usize]) -> Result<()> {
    // Of a float and its place in a list.
    const OBJECT: usize = 40;
    // The lists around an empty dimension take memory too.
    let filled = shape.iter().copied().take_while(|&size| size > 0);
    allow(&filled.chain([OBJECT]).collect::<Vec<_>>(), DType::Bool).map(drop)
}

thread_local! {
    /// How often this thread's storages were written.
    static WRITES: Cell<u64> = const { Cell::new(0) };
    /// Bytes of the elements of this thread's tensors, and their maximum in [`peak_memory`].
    static CURRENT: Cell<u64> = const { Cell::new(0) };
    static PEAK: Cell<u64> = const { Cell::new(0) };
}

/// Bytes of the elements of this thread's tensors.
#[cfg_attr(private_layers, expect(dead_code, reason = "tests use it"))]
pub fn tensor_bytes() -> u64 {
    CURRENT.get()
}

/// Runs `work` and returns the most bytes that this thread's tensors had meanwhile, less those before.
/// Work buffers of kernels are not counted.
pub(crate) fn peak_memory<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (before, outer) = (CURRENT.get(), PEAK.get());
    PEAK.set(before);
    let done = work();
    let peak = PEAK.get();
    PEAK.set(peak.max(outer));
    (done, peak.saturating_sub(before))
}

impl Write {
    /// The tensor it was called on.
    pub(crate) fn target(&self) -> &Layout {
        self.target.as_ref().unwrap_or(&self.layout)
    }
}

impl FilledBy {
    /// Result `output` of an operation, with its layout in the storage.
    pub(crate) fn new(record: Rc<Record>, output: usize, layout: &Layout) -> FilledBy {
        let plain = layout.offset == 0 && layout.shape == record.shape && layout.is_contiguous();
        FilledBy { record, output, layout: (!plain).then(|| layout.clone()) }
    }

    /// The layout of the result in the storage.
    pub(crate) fn layout(&self) -> Layout {
        self.layout.clone().unwrap_or_else(|| Layout::contiguous(self.record.shape.clone()))
    }
}

/// In-place writes that a storage remembers; older ones are forgotten.
const WRITES_KEPT: usize = 512;
/// Writes in a row that covered all elements, as an optimizer's steps do: those before them are forgotten, with the values
/// that they kept.
const WHOLE_KEPT: usize = 64;

impl Drop for SharedElements {
    /// The buffer is recycled for later results.
    fn drop(&mut self) {
        // The counter is gone while its thread ends.
        let _ = CURRENT.try_with(|bytes| bytes.set(bytes.get().saturating_sub(self.bytes)));
        let buffer = std::mem::replace(self.buffer.get_mut(), Buffer::Bool(Vec::new()));
        match self.began_as_zeros && self.version.get() == 0 {
            true => each_lane!(buffer, data => buffer_pool::recycle_zeros(data)),
            false => each_lane!(buffer, data => buffer_pool::recycle(data)),
        }
    }
}

impl Storage {
    /// A new storage of these elements.
    pub fn new(buffer: Buffer) -> Self {
        Storage::begun(buffer, false)
    }

    /// A new storage of `len` zeros.
    pub(super) fn zeros(dtype: DType, len: usize) -> Self {
        Storage::begun(Buffer::zeros(dtype, len), true)
    }

    fn begun(buffer: Buffer, began_as_zeros: bool) -> Self {
        let bytes = buffer.bytes();
        CURRENT.set(CURRENT.get() + bytes);
        PEAK.set(PEAK.get().max(CURRENT.get()));
        Storage(Rc::new(SharedElements {
            bytes,
            began_as_zeros,
            buffer: RefCell::new(buffer),
            version: Cell::new(0),
            made: RefCell::default(),
            writes: RefCell::default(),
            forgotten: Cell::new(0),
            whole_writes: Cell::new(0),
            operands: Cell::new(0),
            objects: Cell::new(0),
        }))
    }

    /// The elements, to read.
    pub(crate) fn read(&self) -> Ref<'_, Buffer> {
        self.0.buffer.borrow()
    }

    /// The elements, to write. The version is incremented.
    pub(crate) fn write(&self) -> RefMut<'_, Buffer> {
        self.0.version.set(self.0.version.get() + 1);
        WRITES.set(WRITES.get() + 1);
        self.0.buffer.borrow_mut()
    }

    /// Replaces the elements by as many others without copying, and returns the old ones.
    pub(crate) fn exchange(&self, buffer: Buffer) -> Buffer {
        std::mem::replace(&mut self.write(), buffer)
    }

    /// The elements, if no other tensor has this storage; otherwise the storage.
    pub(crate) fn into_buffer(self) -> std::result::Result<Buffer, Storage> {
        match Rc::strong_count(&self.0) {
            1 => Ok(std::mem::replace(&mut self.write(), Buffer::Bool(Vec::new()))),
            _ => Err(self),
        }
    }

    /// The number of writes. As `Tensor._version`.
    pub(crate) fn version(&self) -> u64 {
        self.0.version.get()
    }

    /// How often the storages of this thread were written.
    pub(crate) fn writes() -> u64 {
        WRITES.get()
    }

    /// Whether Python objects refer to it.
    pub(crate) fn is_bound(&self) -> bool {
        self.0.objects.get() > 0
    }

    /// Whether both are the same storage.
    pub fn same(&self, other: &Storage) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Bytes of its elements.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes as usize
    }

    /// Whether only records keep it alive: operands of theirs, and no Python object.
    pub(super) fn is_held(&self) -> bool {
        self.0.operands.get() > 0 && self.0.objects.get() == 0
    }

    /// Another operand of a listed record refers to it.
    pub(super) fn enlist(&self, budget: &Budget) {
        self.counted(budget, || self.0.operands.set(self.0.operands.get() + 1));
    }

    /// An operand of a listed record no longer refers to it.
    pub(super) fn delist(&self, budget: &Budget) {
        self.counted(budget, || self.0.operands.set(self.0.operands.get() - 1));
    }

    /// Another Python object refers to it.
    pub(crate) fn bind(&self, budget: &Budget) {
        self.counted(budget, || self.0.objects.set(self.0.objects.get() + 1));
    }

    /// A Python object no longer refers to it.
    pub(crate) fn unbind(&self, budget: &Budget) {
        self.counted(budget, || self.0.objects.set(self.0.objects.get() - 1));
    }

    fn counted(&self, budget: &Budget, change: impl FnOnce()) {
        let before = self.is_held();
        change();
        let now = self.is_held();
        if now != before {
            budget.count(self.bytes(), now);
        }
    }

    /// A number that identifies the storage while it exists, a multiple of 64: PyTorch aligns storages so, and
    /// `Tensor.data_ptr` shows it. It is eight times where the storage is, which is aligned to 8 bytes at least.
    pub fn address(&self) -> usize {
        (Rc::as_ptr(&self.0) as usize) << 3
    }

    /// Sets the operation that filled the new storage, unless it is set already.
    pub(crate) fn made_by(&self, made: FilledBy) {
        self.0.made.borrow_mut().get_or_insert(made);
    }

    /// The operation that filled the new storage, if one did.
    pub(crate) fn made(&self) -> Option<FilledBy> {
        self.0.made.borrow().clone()
    }

    /// Remembers an in-place write through `target`.
    pub(crate) fn remember(&self, target: &Layout, record: &Rc<Record>, in_place: bool) {
        let version = self.version();
        let write = Write { layout: target.clone(), target: None, record: record.clone(), version, in_place };
        let whole = write.layout.numel() == self.read().len();
        self.0.whole_writes.set(if whole { self.0.whole_writes.get() + 1 } else { 0 });
        let is_long = self.0.whole_writes.get() > WHOLE_KEPT;
        let most = if is_long { WHOLE_KEPT } else { WRITES_KEPT };
        self.0.writes.borrow_mut().push_back(write);
        let oldest = || {
            let mut writes = self.0.writes.borrow_mut();
            if writes.len() > most { writes.pop_front() } else { None }
        };
        // What is dropped may have tensors on this storage.
        while let Some(write) = oldest() {
            self.0.forgotten.set(write.version);
            if is_long {
                // The values that it kept have a history of their own.
                drop(write.record.release());
            }
        }
    }

    /// Forgets all in-place writes, after one that is not recorded: what the elements were is unknown.
    pub(crate) fn forget_writes(&self) {
        self.0.forgotten.set(self.version());
        let writes = std::mem::take(&mut *self.0.writes.borrow_mut());
        self.0.whole_writes.set(0);
        drop(writes);
    }

    /// Remembers a write of all elements: what was written before does not matter any more. `before` is the version
    /// that the storage had; the record's first argument has those values, if it has arguments.
    pub(crate) fn replaced(&self, target: &Layout, record: &Rc<Record>, before: u64) {
        let in_place = !record.args.borrow().is_empty();
        let version = self.version();
        let write = Write { layout: target.clone(), target: None, record: record.clone(), version, in_place };
        let old = self.0.writes.replace(VecDeque::from([write]));
        self.0.forgotten.set(if in_place { before } else { version });
        // Dropping records may drop tensors on this storage.
        drop(old);
    }

    /// Restricts the last write, if this record did it, to the elements of `layout`.
    pub(crate) fn narrow_last(&self, record: &Rc<Record>, layout: Layout) {
        if let Some(write) =
            self.0.writes.borrow_mut().back_mut().filter(|write| Rc::ptr_eq(&write.record, record))
        {
            write.target = Some(std::mem::replace(&mut write.layout, layout));
            self.0.whole_writes.set(0);
        }
    }

    /// The last write that covered storage element `at` up to version `time`, if it is remembered.
    pub fn last_write(&self, at: usize, time: u64) -> Option<Write> {
        let writes = self.0.writes.borrow();
        writes.iter().rev().find(|write| write.version <= time && write.layout.contains(at)).cloned()
    }

    /// The operations of the writes that are remembered.
    pub(crate) fn written_by(&self) -> Vec<Rc<Record>> {
        self.0.writes.borrow().iter().map(|write| write.record.clone()).collect()
    }

    /// The operation of the first write after version `time`, if it is remembered.
    pub(crate) fn write_after(&self, time: u64) -> Option<Rc<Record>> {
        let writes = self.0.writes.borrow();
        writes.iter().find(|write| write.version > time).map(|write| write.record.clone())
    }

    /// Whether some write up to version `time` is no longer remembered.
    pub(crate) fn forgot_before(&self, time: u64) -> bool {
        time > 0 && self.0.forgotten.get() > 0
    }

    /// Storage element `at` at version `time`; `None` if a later write did not keep it.
    pub(crate) fn float_at(&self, at: usize, time: u64) -> Option<f64> {
        if time >= self.version() {
            return Some(self.read().float(at));
        }
        if time < self.0.forgotten.get() {
            return None;
        }
        let writes = self.0.writes.borrow();
        // The record of the first later write has the old value.
        match writes.iter().find(|write| write.version > time && write.layout.contains(at)) {
            None => Some(self.read().float(at)),
            Some(write) if write.in_place => {
                let index = write.target().index_of(at)?;
                let before: Tensor = write.record.args().first()?.tensor()?.clone();
                let strides = before.strides().iter().zip(&index);
                let place = before.layout().offset + strides.map(|(stride, at)| stride * at).sum::<usize>();
                Some(before.storage().read().float(place))
            }
            Some(_) => None,
        }
    }

    /// The records that only this last reference keeps alive.
    pub(super) fn into_records(self) -> Vec<Rc<Record>> {
        let Ok(mut shared) = Rc::try_unwrap(self.0) else { return Vec::new() };
        let written = std::mem::take(shared.writes.get_mut()).into_iter().map(|write| write.record);
        let made = shared.made.get_mut().take().map(|made| made.record);
        made.into_iter().chain(written).collect()
    }
}
