//! Storages: versions, in-place writes and memory limits.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::buffer::Buffer;
use super::dtype::DType;
use super::error::{Error, Result};
use super::graph::{Made, Record, SharedElements, Storage, Tensor, Write};
use super::layout::Layout;
use crate::each_lane;
use crate::kernel::buffer_pool;

/// The most bytes one tensor may take; a property of the process, as memory is.
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Sets the most bytes one tensor may take (`--max-memory`).
pub fn set_memory_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Whether a tensor of `shape` may be made; asked before anything is allocated.
/// Errors: the `RuntimeError` of PyTorch's allocator, with the bytes asked for.
pub fn allow(shape: &[usize], dtype: DType) -> Result<usize> {
    let elements = shape.iter().try_fold(1u128, |product, &size| product.checked_mul(size as u128));
    let bytes = elements.and_then(|elements| elements.checked_mul(dtype.size() as u128)).unwrap_or(u128::MAX);
    if bytes > u128::from(LIMIT.load(Ordering::Relaxed)).min(isize::MAX as u128) {
        return Err(Error::memory(bytes));
    }
    Ok(bytes as usize / dtype.size())
}

thread_local! {
    /// Bytes of the elements that this thread's tensors hold, and the most they held since it was asked to look.
    static HELD: Cell<u64> = const { Cell::new(0) };
    static PEAK: Cell<u64> = const { Cell::new(0) };
}

/// Runs `work` and tells the most bytes that this thread's tensors held meanwhile, beyond those held before.
/// What a kernel keeps for itself while it runs is not counted.
pub fn peak_memory<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let (before, outer) = (HELD.get(), PEAK.get());
    PEAK.set(before);
    let done = work();
    let peak = PEAK.get();
    PEAK.set(peak.max(outer));
    (done, peak.saturating_sub(before))
}

impl Write {
    /// The tensor it was called on.
    pub fn target(&self) -> &Layout {
        self.target.as_ref().unwrap_or(&self.layout)
    }
}

impl Made {
    /// Result `output` of an operation, which lies so in its storage.
    pub fn new(record: Rc<Record>, output: usize, layout: &Layout) -> Made {
        let plain = layout.offset == 0 && layout.shape == record.shape && layout.is_contiguous();
        Made { record, output, layout: (!plain).then(|| layout.clone()) }
    }

    /// How the result lies in the storage.
    pub fn layout(&self) -> Layout {
        self.layout.clone().unwrap_or_else(|| Layout::contiguous(self.record.shape.clone()))
    }
}

/// How many in-place writes a storage remembers; older ones are forgotten first.
const WRITES_KEPT: usize = 512;

impl Drop for SharedElements {
    /// What nobody sees any more serves a later result.
    fn drop(&mut self) {
        // A thread that ends has nothing to count any more.
        let _ = HELD.try_with(|held| held.set(held.get().saturating_sub(self.bytes)));
        let buffer = std::mem::replace(self.buffer.get_mut(), Buffer::Bool(Vec::new()));
        each_lane!(buffer, data => buffer_pool::recycle(data));
    }
}

impl Storage {
    /// A storage of its own for these elements.
    pub fn new(buffer: Buffer) -> Self {
        let bytes = buffer.bytes();
        HELD.set(HELD.get() + bytes);
        PEAK.set(PEAK.get().max(HELD.get()));
        Storage(Rc::new(SharedElements {
            bytes,
            buffer: RefCell::new(buffer),
            version: Cell::new(0),
            made: RefCell::default(),
            writes: RefCell::default(),
            forgotten: Cell::new(0),
        }))
    }

    /// The elements, to read.
    pub fn read(&self) -> Ref<'_, Buffer> {
        self.0.buffer.borrow()
    }

    /// The elements, to write; every view sees it. The version goes up.
    pub fn write(&self) -> RefMut<'_, Buffer> {
        self.0.version.set(self.0.version.get() + 1);
        self.0.buffer.borrow_mut()
    }

    /// Puts other elements, as many, in the place of these, and gives these back: a write that copies nothing.
    pub fn exchange(&self, buffer: Buffer) -> Buffer {
        std::mem::replace(&mut self.write(), buffer)
    }

    /// The elements, where nobody else holds them; else the storage itself.
    pub fn into_buffer(self) -> std::result::Result<Buffer, Storage> {
        match Rc::strong_count(&self.0) {
            1 => Ok(std::mem::replace(&mut self.write(), Buffer::Bool(Vec::new()))),
            _ => Err(self),
        }
    }

    /// How often the elements were written to. As `Tensor._version`.
    pub fn version(&self) -> u64 {
        self.0.version.get()
    }

    /// Whether both are the same elements in memory.
    pub fn same(&self, other: &Storage) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// How many tensors see it.
    pub(super) fn handles(&self) -> usize {
        Rc::strong_count(&self.0)
    }

    /// A number that tells storages apart while they live. As `Tensor.data_ptr`.
    pub fn address(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// Says what filled it when it was new; what is known already stays.
    pub fn made_by(&self, made: Made) {
        self.0.made.borrow_mut().get_or_insert(made);
    }

    /// What filled it when it was new, if an operation did.
    pub fn made(&self) -> Option<Made> {
        self.0.made.borrow().clone()
    }

    /// Remembers an in-place write that has just been done through `target`.
    pub fn remember(&self, target: &Layout, record: &Rc<Record>, in_place: bool) {
        let version = self.version();
        let write = Write { layout: target.clone(), target: None, record: record.clone(), version, in_place };
        let mut writes = self.0.writes.borrow_mut();
        let oldest = if writes.len() == WRITES_KEPT { writes.pop_front() } else { None };
        writes.push_back(write);
        drop(writes);
        if let Some(oldest) = oldest {
            self.0.forgotten.set(oldest.version);
        }
    }

    /// Says that the last write, by this record, covered only what `layout` sees.
    pub fn narrow_last(&self, record: &Rc<Record>, layout: Layout) {
        if let Some(write) =
            self.0.writes.borrow_mut().back_mut().filter(|write| Rc::ptr_eq(&write.record, record))
        {
            write.target = Some(std::mem::replace(&mut write.layout, layout));
        }
    }

    /// The last write that covered storage element `at` up to version `time`, if it is remembered.
    pub fn last_write(&self, at: usize, time: u64) -> Option<Write> {
        let writes = self.0.writes.borrow();
        writes.iter().rev().find(|write| write.version <= time && write.layout.sees(at)).cloned()
    }

    /// Whether some write up to version `time` is no longer remembered.
    pub fn forgot_before(&self, time: u64) -> bool {
        time > 0 && self.0.forgotten.get() > 0
    }

    /// Storage element `at` as it was at version `time`; `None` where what overwrote it since did not keep it.
    pub fn float_at(&self, at: usize, time: u64) -> Option<f64> {
        if time >= self.version() {
            return Some(self.read().float(at));
        }
        if time < self.0.forgotten.get() {
            return None;
        }
        let writes = self.0.writes.borrow();
        // The first write after that time holds what was there before.
        match writes.iter().find(|write| write.version > time && write.layout.sees(at)) {
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

    /// The records that only this last name of the elements keeps alive.
    pub(super) fn into_records(self) -> Vec<Rc<Record>> {
        let Ok(mut shared) = Rc::try_unwrap(self.0) else { return Vec::new() };
        let written = std::mem::take(shared.writes.get_mut()).into_iter().map(|write| write.record);
        let made = shared.made.get_mut().take().map(|made| made.record);
        made.into_iter().chain(written).collect()
    }
}
