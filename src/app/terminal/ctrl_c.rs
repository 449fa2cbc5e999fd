//! Ctrl-C as the system reports it. A handler runs in a thread of its own, which may be late when the machine is busy: what
//! tells whether a key was pressed before or after something else is [`take`], which changes when the signal arrives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Whether Ctrl-C was pressed since the last [`take`].
static ARRIVED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Runs `handler` in a thread at each Ctrl-C. Errors: the system does not let the program handle Ctrl-C; it then ends the
/// program, as it does by default.
#[cfg(unix)]
pub(crate) fn handle(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::SIGINT;

    // Actions run in the order of their registration: when the thread wakes up, the flag is set.
    signal_hook::flag::register(SIGINT, ARRIVED.clone())?;
    let mut signals = signal_hook::iterator::Signals::new([SIGINT])?;
    let wait = move || signals.forever().for_each(|_| handler());
    std::thread::Builder::new().name("attn Ctrl-C".into()).spawn(wait)?;
    Ok(())
}

/// Runs `handler` in a thread at each Ctrl-C. Errors: the system does not let the program handle Ctrl-C; it then ends the
/// program, as it does by default.
#[cfg(not(unix))]
pub(crate) fn handle(handler: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let handler = move || {
        ARRIVED.store(true, Ordering::Release);
        handler();
    };
    ctrlc::set_handler(handler).map_err(std::io::Error::other)
}

/// Whether Ctrl-C was pressed since the last call. A handler that asks and gets `false` is late: someone else has already
/// dealt with that press.
pub(crate) fn take() -> bool {
    ARRIVED.swap(false, Ordering::AcqRel)
}
