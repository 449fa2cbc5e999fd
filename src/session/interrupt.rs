//! Stops a running cell from another thread, through RustPython's channel for user signals.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use rustpython_vm::{
    PyResult, VirtualMachine,
    builtins::PyBaseExceptionRef,
    bytecode::{Instruction, find_exception_handler},
    signal::{UserSignalReceiver, UserSignalSender, user_signal_channel},
};

use crate::kernel::stop;
use crate::tensor::size_in_words;

/// Stops the cell that a [`Session`](super::Session) is running; does nothing while none runs.
///
/// It can be cloned and sent to other threads. The cell raises `KeyboardInterrupt`; its variables stay.
#[derive(Clone)]
pub struct Interrupter {
    sender: UserSignalSender,
    state: Arc<InterruptState>,
}

#[derive(Default)]
struct InterruptState {
    /// The number of the current run, 0 while none runs.
    running: AtomicU64,
    /// The number of the last run that [`Interrupter::interrupt`] stopped.
    interrupted: AtomicU64,
    /// Whether the next run stops as soon as it begins.
    stop_next: AtomicBool,
    /// Whether every later run stops as soon as it begins.
    stop_all: AtomicBool,
    /// The request that has not raised its exception yet.
    request: Mutex<Option<StopRequest>>,
    /// Whether there is such a request: what kernels look at.
    stops: Arc<AtomicBool>,
}

/// A request to stop one run.
#[derive(Clone, Copy)]
struct StopRequest {
    run: u64,
    reason: StopReason,
}

/// Why a cell is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    Interrupt,
    /// The process uses more than this many bytes of memory.
    Memory(usize),
}

impl StopReason {
    fn exception(self, vm: &VirtualMachine) -> PyBaseExceptionRef {
        match self {
            StopReason::Interrupt => vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()),
            StopReason::Memory(limit) => {
                let limit = size_in_words(limit as f64);
                vm.new_memory_error(format!("the cell took more than {limit}, which is the limit here"))
            }
        }
    }
}

impl Interrupter {
    pub(super) fn new() -> (Interrupter, UserSignalReceiver) {
        let (sender, receiver) = user_signal_channel();
        let state = InterruptState { stops: stop::flag(), ..InterruptState::default() };
        (Interrupter { sender, state: Arc::new(state) }, receiver)
    }

    /// Asks the running cell to stop. Returns whether a cell was running.
    pub fn interrupt(&self) -> bool {
        match self.running() {
            0 => false,
            run => {
                self.state.interrupted.store(run, Ordering::Release);
                self.stop(StopReason::Interrupt)
            }
        }
    }

    /// Asks the running cell to stop, or, while none runs, the next one as soon as it begins.
    pub(crate) fn interrupt_now_or_next(&self) -> bool {
        if self.interrupt() {
            return true;
        }
        self.state.stop_next.store(true, Ordering::SeqCst);
        // A run may have begun meanwhile, and looked for the request before it was there.
        self.running() != 0 && self.state.stop_next.swap(false, Ordering::SeqCst) && self.interrupt()
    }

    /// Asks the running cell to stop, and each later one as soon as it begins: the program is about to end. Returns whether
    /// a cell was running.
    pub(crate) fn interrupt_for_good(&self) -> bool {
        self.state.stop_all.store(true, Ordering::SeqCst);
        self.interrupt()
    }

    /// Takes a request to stop the next run back.
    pub(crate) fn forget_next(&self) {
        self.state.stop_next.store(false, Ordering::SeqCst);
    }

    /// Whether the running cell was interrupted. Native loops that take long should check it.
    pub(crate) fn requested(&self) -> bool {
        let run = self.running();
        run != 0 && self.interrupted(run)
    }

    /// Whether a request to stop has not reached the running cell yet.
    pub(crate) fn is_waiting(&self) -> bool {
        self.running() != 0 && self.state.request().is_some()
    }

    /// Whether the session was dropped, so that only this handle is left.
    pub(crate) fn is_orphan(&self) -> bool {
        Arc::strong_count(&self.state) == 1
    }

    /// Whether run number `run` was interrupted, also after it ended.
    pub(super) fn interrupted(&self, run: u64) -> bool {
        self.state.interrupted.load(Ordering::Acquire) == run
    }

    /// The number of the current run, 0 while none runs.
    pub(super) fn running(&self) -> u64 {
        self.state.running.load(Ordering::SeqCst)
    }

    /// Asks the current run to stop. Returns whether there is one.
    pub(super) fn stop(&self, reason: StopReason) -> bool {
        let run = self.running();
        if run == 0 {
            return false;
        }
        let mut open = self.state.request();
        *open = Some(StopRequest { run, reason });
        self.signal();
        // What leaves a kernel finds the signal, and the signal finds the request.
        self.state.stops.store(true, Ordering::Release);
        drop(open);
        true
    }

    /// Sends the signal again if a request is still open. Returns whether one is.
    pub(super) fn resend(&self) -> bool {
        let open = self.state.request().is_some();
        if open {
            self.signal();
        }
        open
    }

    fn signal(&self) {
        let state = self.state.clone();
        // Sending fails if the session is gone. Then there is nothing to stop.
        let _ = self.sender.send(Box::new(move |vm| state.deliver(vm)));
    }

    pub(super) fn begin(&self, run: u64) {
        self.state.stops.store(false, Ordering::Release);
        self.state.running.store(run, Ordering::SeqCst);
        if self.state.stop_next.swap(false, Ordering::SeqCst) || self.state.stop_all.load(Ordering::SeqCst) {
            self.interrupt();
        }
    }

    pub(super) fn end(&self) {
        self.state.running.store(0, Ordering::Release);
        *self.state.request() = None;
        self.state.stops.store(false, Ordering::Release);
    }
}

impl InterruptState {
    fn request(&self) -> MutexGuard<'_, Option<StopRequest>> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises the requested exception. The interpreter calls this between two instructions.
    fn deliver(&self, vm: &VirtualMachine) -> PyResult<()> {
        let mut open = self.request();
        self.stops.store(false, Ordering::Release);
        let Some(request) = open.take() else { return Ok(()) };
        if request.run != self.running.load(Ordering::Acquire) {
            return Ok(());
        }
        drop(open);
        if !stop::is_from_native() {
            leave_for_handler(vm);
        }
        Err(request.reason.exception(vm))
    }
}

/// Moves the frame to where an exception that is raised before its next instruction finds a handler that can run.
///
/// RustPython 0.5 passes the argument of that instruction on to the first instruction of the handler. Those of `except`,
/// `finally` and `with` ignore it. Two others do not: that around a whole generator, which exchanges a StopIteration, and
/// that around a comprehension, which gives its variables their former values. They are passed over: the handler that the
/// frame looks for is the one around them.
fn leave_for_handler(vm: &VirtualMachine) {
    let Some(frame) = vm.current_frame() else { return };
    let code = &frame.code;
    // The interpreter looks for the handler of the instruction before `lasti`.
    let mut at = frame.lasti().saturating_sub(1);
    while let Some(entry) = find_exception_handler(&code.exceptiontable, at) {
        let first = code.instructions.get(entry.target as usize).map(|unit| unit.op);
        if matches!(first, Some(Instruction::PushExcInfo)) {
            break;
        }
        at = entry.target;
    }
    frame.set_lasti(at + 1);
}
