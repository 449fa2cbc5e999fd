//! Large vectors that are no longer used, kept for later results of the same size.
//!
//! The first write to fresh memory costs more than the arithmetic: the system clears and maps every page
//! (measured: 19 ms for 48 MB, against 1.4 ms to write memory that is already mapped). A network allocates
//! the same sizes again and again, and a step of training as many of one size as it has layers: the bound is on bytes, not
//! on vectors (with at most eight of one length, a fifth of a small transformer's step went into clearing pages).

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::stop;

/// Bytes below which a vector is not kept.
const SMALLEST: usize = 1 << 16;
/// Bytes of one element type that a thread keeps at most, unless [`set_limit`] changes it; the oldest are freed first.
const LIMIT: usize = 256 << 20;
/// Bytes above which a vector of another size takes the place of the oldest: sizes that grow, as those of a text that is
/// being written, would otherwise fill the pool with vectors that nothing needs.
const LEAST: usize = 128 << 20;

/// The most bytes of one vector, for the process.
static MOST_BYTES: AtomicUsize = AtomicUsize::new(isize::MAX as usize);

/// Sets the most bytes of one vector; a kernel that needs more stops ([`stop::leavable`]).
pub(crate) fn set_most_bytes(bytes: u64) {
    MOST_BYTES
        .store(usize::try_from(bytes).unwrap_or(usize::MAX).min(isize::MAX as usize), Ordering::Relaxed);
}

/// Leaves the kernel if a vector of `len` elements would take too many bytes.
pub(crate) fn allow<T>(len: usize) {
    if len > MOST_BYTES.load(Ordering::Relaxed) / size_of::<T>() {
        stop::too_large(len as u128 * size_of::<T>() as u128);
    }
}

/// Vectors of one element type that a thread keeps at most, so that finding one takes no time to speak of.
const MOST: usize = 512;

/// The unused vectors of one thread, each list with the oldest first.
#[derive(Default)]
pub struct BufferPool {
    limit: Option<usize>,
    f32: Vec<Unused<f32>>,
    f64: Vec<Unused<f64>>,
    i64: Vec<Unused<i64>>,
    bool: Vec<Unused<bool>>,
}

/// An unused vector.
#[doc(hidden)]
#[derive(Debug)]
pub struct Unused<T> {
    vector: Vec<T>,
    /// Whether all elements are zeros that nobody wrote: the system may not have mapped their pages yet.
    is_zero: bool,
}

thread_local! {
    static POOL: RefCell<BufferPool> = RefCell::default();
}

/// Sets how many bytes of one element type this thread keeps at most.
pub(crate) fn set_limit(bytes: usize) {
    POOL.with_borrow_mut(|pool| pool.limit = Some(bytes));
}

/// An element type whose vectors are kept.
pub trait Element: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn unused(pool: &mut BufferPool) -> &mut Vec<Unused<Self>>;
}

macro_rules! element {
    ($($t:ident),*) => {$(
        impl Element for $t {
            fn unused(pool: &mut BufferPool) -> &mut Vec<Unused<$t>> {
                &mut pool.$t
            }
        }
    )*};
}

element!(f32, f64, i64, bool);

/// Returns a vector of `len` elements with unspecified values, for the caller to overwrite.
pub fn take<T: Element>(len: usize) -> Vec<T> {
    allow::<T>(len);
    reused(len, false).map_or_else(|| vec![T::default(); len], |unused| unused.vector)
}

/// Returns a vector of `len` elements, each made from its place.
pub(crate) fn made<T: Element>(len: usize, mut element: impl FnMut(usize) -> T) -> Vec<T> {
    let mut vector = take(len);
    vector.iter_mut().enumerate().for_each(|(at, out)| *out = element(at));
    vector
}

/// Returns a vector of `len` elements of one value.
pub(crate) fn filled<T: Element>(len: usize, value: T) -> Vec<T> {
    allow::<T>(len);
    match reused(len, false) {
        Some(Unused { mut vector, .. }) => {
            vector.fill(value);
            vector
        }
        None => vec![value; len],
    }
}

/// Returns a vector of `len` zeros: one that still has its zeros if there is one. Otherwise zeros are written to memory that
/// is mapped, or the system's own are taken, which are mapped when they are written.
pub(crate) fn zeros<T: Element>(len: usize) -> Vec<T> {
    allow::<T>(len);
    match reused(len, true) {
        Some(Unused { vector, is_zero: true }) => vector,
        Some(Unused { mut vector, .. }) => {
            vector.fill(T::default());
            vector
        }
        None => vec![T::default(); len],
    }
}

/// Returns the smallest unused vector that has `len` elements and at most twice as many; one of zeros first if they are
/// wanted, and last otherwise.
fn reused<T: Element>(len: usize, wants_zeros: bool) -> Option<Unused<T>> {
    if len * size_of::<T>() < SMALLEST {
        return None;
    }
    let mut found = POOL.with_borrow_mut(|pool| {
        let unused = T::unused(pool);
        let fits = |it: &Unused<T>| it.vector.len() >= len && it.vector.len() / 2 <= len;
        // Of equals the newest: it may still be in the cache.
        let best = (0..unused.len())
            .rev()
            .filter(|&at| fits(&unused[at]))
            .min_by_key(|&at| (unused[at].is_zero != wants_zeros, unused[at].vector.len()));
        if best.is_none() {
            free_oldest(unused, |kept, freed| kept > LEAST && freed < len * size_of::<T>());
        }
        Some(unused.remove(best?))
    })?;
    found.vector.truncate(len);
    Some(found)
}

/// Keeps an unused vector for [`take`] if it is large enough, and frees it otherwise.
pub fn recycle<T: Element>(vector: Vec<T>) {
    keep(vector, false);
}

/// Keeps a vector of [`zeros`] that nobody wrote.
pub(crate) fn recycle_zeros<T: Element>(vector: Vec<T>) {
    keep(vector, true);
}

fn keep<T: Element>(mut vector: Vec<T>, is_zero: bool) {
    let bytes = vector.capacity() * size_of::<T>();
    if bytes < SMALLEST {
        return;
    }
    // Memory beyond the length is mapped already, so it costs little to make elements of it.
    vector.resize(vector.capacity(), T::default());
    // The pool is gone while its thread ends: the vector is then freed.
    let _ = POOL.try_with(|pool| {
        let mut pool = pool.borrow_mut();
        let limit = pool.limit.unwrap_or(LIMIT);
        let unused = T::unused(&mut pool);
        unused.push(Unused { vector, is_zero });
        let excess = unused.len().saturating_sub(MOST);
        unused.drain(..excess);
        free_oldest(unused, |kept, _| kept > limit);
    });
}

/// Frees the oldest vectors as long as this is so of the bytes that are kept and those that were freed.
fn free_oldest<T>(unused: &mut Vec<Unused<T>>, more: impl Fn(usize, usize) -> bool) {
    let bytes = |it: &Unused<T>| it.vector.len() * size_of::<T>();
    let (mut kept, mut freed, mut count) = (unused.iter().map(bytes).sum::<usize>(), 0, 0);
    while more(kept, freed) {
        let first = bytes(&unused[count]);
        (kept, freed, count) = (kept - first, freed + first, count + 1);
    }
    unused.drain(..count);
}
