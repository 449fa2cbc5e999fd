//! What a thread behind the wall ([`super::wall`]) has done outside of it: it opens files, and starts the learner's editor.
//! On a thread without a wall it is done at once.

use std::cell::Cell;
use std::sync::OnceLock;

use rayon::ThreadPool;

thread_local! {
    static IS_WALLED: Cell<bool> = const { Cell::new(false) };
}

/// The thread that was started before the wall.
static OUTSIDE: OnceLock<ThreadPool> = OnceLock::new();

/// Starts the thread outside. Returns whether there is one: without it, there can be no wall.
#[cfg(target_os = "linux")]
pub(super) fn start() -> bool {
    if OUTSIDE.get().is_none()
        && let Ok(thread) =
            rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "attn files".into()).build()
    {
        let _ = OUTSIDE.set(thread);
    }
    OUTSIDE.get().is_some()
}

/// From now on this thread is.
#[cfg(target_os = "linux")]
pub(super) fn walled() {
    IS_WALLED.set(true);
}

/// Does this where no wall is, and waits until it is done.
pub(crate) fn outside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match OUTSIDE.get().filter(|_| IS_WALLED.get()) {
        Some(thread) => thread.install(work),
        None => work(),
    }
}

/// The functions of `std::fs` that the program uses after cells have run.
pub(crate) mod fs {
    use std::fs;
    use std::io;
    use std::path::Path;

    pub(crate) use std::fs::canonicalize;

    use super::outside;

    pub(crate) fn read(path: impl AsRef<Path> + Send) -> io::Result<Vec<u8>> {
        outside(|| fs::read(path))
    }

    pub(crate) fn read_to_string(path: impl AsRef<Path> + Send) -> io::Result<String> {
        outside(|| fs::read_to_string(path))
    }

    pub(crate) fn read_dir(path: impl AsRef<Path> + Send) -> io::Result<fs::ReadDir> {
        outside(|| fs::read_dir(path))
    }

    pub(crate) fn write(path: impl AsRef<Path> + Send, content: impl AsRef<[u8]> + Send) -> io::Result<()> {
        outside(|| fs::write(path, content))
    }
}
