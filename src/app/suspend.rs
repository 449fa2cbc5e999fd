//! Ctrl-Z where keys are read one by one: the program stops, and goes on when the shell says so.
//! The terminal is as it was found when this is called.

/// Stops the program as Ctrl-Z does elsewhere, and comes back when it was taken up again.
#[cfg(unix)]
pub fn suspend() {
    use std::time::Duration;

    use rustix::process::{Signal, kill_current_process_group};
    use signal_hook::consts::SIGCONT;
    use signal_hook::iterator::Signals;

    // Of several threads another may be the one that hears the signal: without waiting, this one
    // could change the terminal again before all of them stand still.
    let Ok(mut taken_up) = Signals::new([SIGCONT]) else {
        return;
    };
    if kill_current_process_group(Signal::TSTP).is_err() {
        return;
    }
    // A shell without jobs does not stop what it runs: then nothing comes, and it goes on.
    for _ in 0..50 {
        if taken_up.pending().next().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// There is no such thing here.
#[cfg(not(unix))]
pub fn suspend() {}
