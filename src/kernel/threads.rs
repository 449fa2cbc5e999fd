//! How many threads work, and work shared among them.
//! No Python, no text, no environment: whoever starts the program says how many.
//!
//! The caller takes part and takes tasks as the others do, one at a time, so that a busy machine waits for no thread.
//! What a task computes never depends on who computes it: callers cut their work by its size alone, or where the cut
//! changes no bit.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// What was asked for; 0 until somebody asks.
static WANTED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARING: Cell<bool> = const { Cell::new(false) };
}

/// Threads that work together: as many as [`set_count`] said, else one for each processor. As `torch.get_num_threads`.
pub fn count() -> usize {
    match WANTED.load(Ordering::Relaxed) {
        0 => {
            let count = std::thread::available_parallelism().map_or(1, NonZero::get);
            WANTED.store(count, Ordering::Relaxed);
            count
        }
        count => count,
    }
}

/// Sets how many threads work together, at least one. As `torch.set_num_threads`.
pub fn set_count(count: usize) {
    WANTED.store(count.max(1), Ordering::Relaxed);
}

/// Whether work that begins here may be shared: several threads are allowed, and this is not a part of shared work.
pub fn shares() -> bool {
    count() > 1 && !SHARING.get() && rayon::current_thread_index().is_none()
}

/// Calls `each` for every task, on as many threads as are allowed; returns when all are done.
pub fn share<T: Send>(tasks: impl ExactSizeIterator<Item = T> + Send, each: impl Fn(T) + Sync) {
    let helpers = (count() - 1).min(tasks.len().saturating_sub(1));
    if helpers == 0 || !shares() {
        return tasks.for_each(each);
    }
    let (tasks, working) = (Mutex::new(tasks), AtomicUsize::new(helpers));
    let work = || {
        loop {
            let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(task) => each(task),
                None => break,
            }
        }
    };
    SHARING.set(true);
    let _done = Done;
    rayon::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| {
                work();
                working.fetch_sub(1, Ordering::Release);
            });
        }
        work();
        // The others are about to be done: to sleep and be woken would take longer.
        let patience = now() + PATIENCE;
        while working.load(Ordering::Acquire) > 0 && now() < patience {
            (0..32).for_each(|_| std::hint::spin_loop());
        }
    });
    keep_awake(helpers);
}

/// Nanoseconds that the caller watches for helpers to end, and that helpers watch for more work, before they sleep.
const PATIENCE: u64 = 100_000;
const LINGER: u64 = 200_000;

/// When work was last shared, and how many helpers watch for more.
static LAST: AtomicU64 = AtomicU64::new(0);
static AWAKE: AtomicUsize = AtomicUsize::new(0);

/// Nanoseconds since the first call.
fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Keeps helpers awake for a moment: between two operations of a network less time passes than waking one takes.
fn keep_awake(helpers: usize) {
    LAST.store(now(), Ordering::Relaxed);
    while AWAKE.load(Ordering::Relaxed) < helpers {
        AWAKE.fetch_add(1, Ordering::Relaxed);
        rayon::spawn(|| {
            while now() < LAST.load(Ordering::Relaxed) + LINGER {
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    (0..32).for_each(|_| std::hint::spin_loop());
                }
            }
            AWAKE.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// Ends the sharing, also where a task panicked.
struct Done;

impl Drop for Done {
    fn drop(&mut self) {
        SHARING.set(false);
    }
}
