//! Ctrl-Z while keys are read one by one. The caller restores the terminal before it suspends the program.

/// Suspends the program as Ctrl-Z does, and returns when it is resumed.
#[cfg(unix)]
pub(crate) fn suspend() {
    use std::time::Duration;

    use rustix::process::{Signal, kill_current_process_group};
    use signal_hook::consts::SIGCONT;
    use signal_hook::iterator::Signals;

    // Another thread may receive the signal. Without waiting, this thread could change the terminal before the program is
    // suspended.
    let Ok(mut resumed) = Signals::new([SIGCONT]) else { return };
    if kill_current_process_group(Signal::TSTP).is_err() {
        return;
    }
    // A shell without job control suspends nothing: then no signal comes, and the program goes on.
    for _ in 0..50 {
        if resumed.pending().next().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// This platform has no job control.
#[cfg(not(unix))]
pub(crate) fn suspend() {}
