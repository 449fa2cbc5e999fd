//! One thread of the process at a time has interpreters.
//!
//! RustPython is built without its feature `threading`: each thread has types, strings and counts of references of its own,
//! which are not atomic. One thing belongs to the process all the same: in `rustpython-vm` 0.5 the cache of attributes found in
//! types (`TYPE_CACHE` in `builtins/type.rs`) is a static of borrowed pointers. A thread that has found its type and name in
//! an entry reads the pointer after that; if another thread has written the entry in between, it is a pointer to an object
//! of the other thread, whose count it changes, without the other thread's knowledge, before it looks again and sees its mistake.
//! A change that is lost frees an object that is in use.

use std::marker::PhantomData;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// The thread that has interpreters, and how many.
static HOLDER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);

/// Tells those who wait that no thread has interpreters.
static FREE: Condvar = Condvar::new();

/// The right to have an interpreter. It stays with its thread.
pub(super) struct Turn(PhantomData<*const ()>);

impl Turn {
    /// Waits until no other thread has an interpreter.
    pub(super) fn take() -> Turn {
        let own = thread::current().id();
        let mut holder = holder();
        loop {
            match &mut *holder {
                None => {
                    *holder = Some((own, 1));
                    break;
                }
                Some((thread, count)) if *thread == own => {
                    *count += 1;
                    break;
                }
                Some(_) => holder = FREE.wait(holder).unwrap_or_else(PoisonError::into_inner),
            }
        }
        Turn(PhantomData)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut holder = holder();
        match &mut *holder {
            Some((_, count)) if *count > 1 => *count -= 1,
            _ => {
                *holder = None;
                FREE.notify_one();
            }
        }
    }
}

fn holder() -> MutexGuard<'static, Option<(ThreadId, usize)>> {
    HOLDER.lock().unwrap_or_else(PoisonError::into_inner)
}
