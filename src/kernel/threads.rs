//! The number of threads, and sharing work among them.
//!
//! The calling thread takes tasks as the others do, one at a time, so a busy machine does not wait for one slow thread.
//! The result of a task does not depend on its thread: callers divide their work by its size alone, or where the
//! division changes no bit.

use std::cell::Cell;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::time::Instant;

use super::stop::{self, Watch};

/// Numbers below which rows stay on the caller's thread, and numbers that a thread takes at a time, where an operation has no
/// measure of its own.
pub(super) const PARALLEL: usize = 1 << 15;
pub(super) const PIECE: usize = 1 << 14;

/// The number of threads; 0 until it is first needed.
static WANTED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARING: Cell<bool> = const { Cell::new(false) };
}

/// Returns the number of threads: as set by [`set_count`], or one for each processor. As `torch.get_num_threads`.
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

/// Sets the number of threads, at least one. As `torch.set_num_threads`.
pub fn set_count(count: usize) {
    WANTED.store(count.max(1), Ordering::Relaxed);
}

/// Whether work that starts now may be shared: there are several threads, and this is not a task of shared work.
pub fn shares() -> bool {
    count() > 1 && !SHARING.get() && rayon::current_thread_index().is_none()
}

/// Calls `each` for every task on all threads and returns when all tasks are done.
pub fn share<T: Send>(tasks: impl ExactSizeIterator<Item = T> + Send, each: impl Fn(T) + Sync) {
    share_if(true, tasks, each);
}

/// As [`share`] if the work is large enough, else on this thread alone.
pub(crate) fn share_if<T: Send>(
    is_large: bool,
    tasks: impl ExactSizeIterator<Item = T> + Send,
    each: impl Fn(T) + Sync,
) {
    let helpers = if is_large { (count() - 1).min(tasks.len().saturating_sub(1)) } else { 0 };
    if helpers == 0 || !shares() {
        return tasks.for_each(|task| {
            stop::check();
            each(task);
        });
    }
    share_all(tasks.map(Some).collect(), helpers, &each);
}

/// As [`share`] for tasks of some microseconds: when no helper came in time, because other programs have the processors, the
/// next ones are done on this thread alone for a moment.
pub(crate) fn share_brief<T: Send>(tasks: impl ExactSizeIterator<Item = T> + Send, each: impl Fn(T) + Sync) {
    share_if(now() >= ALONE_UNTIL.load(Ordering::Relaxed), tasks, each);
}

/// Until when brief tasks are not shared, and for how long after the last time that no helper came.
static ALONE_UNTIL: AtomicU64 = AtomicU64::new(0);
static ALONE_FOR: AtomicU64 = AtomicU64::new(0);
/// Nanoseconds alone after one helper that came too late, and after many of them.
const ALONE: [u64; 2] = [1_000_000, 16_000_000];

/// The tasks on this thread and on as many others. Compiled once for a type of tasks.
fn share_all<T: Send>(tasks: Vec<Option<T>>, helpers: usize, each: &(dyn Fn(T) + Sync)) {
    let has_help = AtomicBool::new(false);
    let tasks = Mutex::new(Divided::new(tasks, helpers + 1));
    let watch = Watch::of_this_thread();
    run_on_all(helpers, &watch, &|| {
        // The caller is none of the pool's threads.
        let part = rayon::current_thread_index().map_or(0, |number| 1 + number % helpers);
        loop {
            let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).next(part);
            match next {
                Some(task) => {
                    if part > 0 {
                        has_help.store(true, Ordering::Relaxed);
                    }
                    stop::check();
                    each(task);
                }
                None => break,
            }
        }
    });
    let alone = match has_help.into_inner() {
        true => 0,
        false => (2 * ALONE_FOR.load(Ordering::Relaxed)).clamp(ALONE[0], ALONE[1]),
    };
    ALONE_FOR.store(alone, Ordering::Relaxed);
    ALONE_UNTIL.store(now() + alone, Ordering::Relaxed);
}

/// Tasks in as many parts as there are threads. A thread takes the tasks of its own part first: it has most likely worked on
/// the same part of the same tensors before, and has them in its cache.
struct Divided<T> {
    tasks: Vec<Option<T>>,
    /// What is left of each part.
    left: Vec<Range<usize>>,
}

impl<T> Divided<T> {
    fn new(tasks: Vec<Option<T>>, parts: usize) -> Divided<T> {
        let start = |part: usize| tasks.len() * part / parts;
        let left = (0..parts).map(|part| start(part)..start(part + 1)).collect();
        Divided { tasks, left }
    }

    /// The next task of a part; when there is none, the last one of the part with the most tasks left.
    fn next(&mut self, part: usize) -> Option<T> {
        let at = match self.left[part].next() {
            Some(at) => at,
            None => self.left.iter_mut().max_by_key(|left| left.len())?.next_back()?,
        };
        self.tasks[at].take()
    }
}

/// Calls `work` on this thread and on as many others. Compiled once, whatever is shared.
fn run_on_all(helpers: usize, watch: &Watch, work: &(dyn Fn() + Sync)) {
    start_pool();
    let working = AtomicUsize::new(helpers);
    SHARING.set(true);
    let _done = Done;
    rayon::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| {
                watch.during(work);
                working.fetch_sub(1, Ordering::Release);
            });
        }
        work();
        // The others finish soon: sleeping and waking up would take longer.
        let patience = now() + PATIENCE;
        while working.load(Ordering::Acquire) > 0 && now() < patience {
            (0..32).for_each(|_| std::hint::spin_loop());
        }
    });
    keep_awake(helpers);
}

/// Starts the pool of helpers once: one fewer than threads, for the caller works too. A pool as large as the
/// processor has threads would wake one up for work that another, which is awake, takes first.
fn start_pool() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // A pool that a host of this library has started serves as well.
        let _ = rayon::ThreadPoolBuilder::new().num_threads((count() - 1).max(1)).build_global();
    });
}

/// Nanoseconds for which the caller polls for helpers to finish, and helpers poll for more work, before they sleep.
const PATIENCE: u64 = 100_000;
const LINGER: u64 = 200_000;

/// When work was last shared, and the number of helpers that poll for more.
static LAST: AtomicU64 = AtomicU64::new(0);
static AWAKE: AtomicUsize = AtomicUsize::new(0);

/// Nanoseconds since the first call.
fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Keeps helpers awake for a moment: the time between two operations of a network is shorter than waking a thread up.
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

/// Ends the sharing, also when a task panics.
struct Done;

impl Drop for Done {
    fn drop(&mut self) {
        SHARING.set(false);
    }
}
