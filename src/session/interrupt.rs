//! Stopping a cell that runs, from another thread or from a signal handler's thread.
//! Sees the interpreter's user-signal channel only.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use rustpython_vm::{
    VirtualMachine,
    builtins::PyBaseExceptionRef,
    bytecode::{CodeFlags, OpArgByte},
    signal::{UserSignalReceiver, UserSignalSender, user_signal_channel},
};

/// Stops the cell that a [`Session`](super::Session) is running; does nothing while none runs.
///
/// May be cloned and sent to other threads. The cell sees a `KeyboardInterrupt`; its variables stay.
#[derive(Clone, Debug)]
pub struct Interrupter {
    sender: UserSignalSender,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the run that is under way, 0 while none is.
    running: AtomicU64,
    /// Number of the run that was last asked to stop by hand.
    stopped: AtomicU64,
    /// The wish that no instruction has heard yet.
    wish: Mutex<Option<Wish>>,
}

/// One run is to stop.
#[derive(Clone, Copy, Debug)]
struct Wish {
    run: u64,
    why: Stop,
    /// How often an instruction had to let it pass.
    passed: u32,
}

/// Why a cell is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The learner asked for it.
    Hand,
    /// The process holds more than this many bytes.
    Memory(usize),
}

impl Stop {
    fn exception(self, vm: &VirtualMachine) -> PyBaseExceptionRef {
        match self {
            Stop::Hand => vm.new_exception_empty(vm.ctx.exceptions.keyboard_interrupt.to_owned()),
            Stop::Memory(limit) => vm.new_memory_error(format!(
                "the cell took more than {:.1} GB, which is the limit here",
                limit as f64 / 1e9
            )),
        }
    }
}

impl Interrupter {
    pub(super) fn new() -> (Interrupter, UserSignalReceiver) {
        let (sender, receiver) = user_signal_channel();
        (Interrupter { sender, state: Arc::default() }, receiver)
    }

    /// Asks the running cell to stop. Returns whether there was one.
    pub fn interrupt(&self) -> bool {
        match self.running() {
            0 => false,
            run => {
                self.state.stopped.store(run, Ordering::Release);
                self.stop(Stop::Hand)
            }
        }
    }

    /// Whether the running cell was asked to stop: for native loops that take long.
    pub fn requested(&self) -> bool {
        let run = self.running();
        run != 0 && self.state.stopped.load(Ordering::Acquire) == run
    }

    /// Whether the session is gone, and only this handle left of it.
    pub fn is_orphan(&self) -> bool {
        Arc::strong_count(&self.state) == 1
    }

    /// Whether the run `run` was asked to stop, also after it ended.
    pub(super) fn asked(&self, run: u64) -> bool {
        self.state.stopped.load(Ordering::Acquire) == run
    }

    /// The number of the run that is under way, 0 while none is.
    pub(super) fn running(&self) -> u64 {
        self.state.running.load(Ordering::Acquire)
    }

    pub(super) fn stop(&self, why: Stop) -> bool {
        let run = self.running();
        if run == 0 {
            return false;
        }
        *self.state.wish() = Some(Wish { run, why, passed: 0 });
        self.knock();
        true
    }

    /// Knocks again if a wish was not heard. Returns whether one is open.
    pub(super) fn remind(&self) -> bool {
        let open = self.state.wish().is_some();
        if open {
            self.knock();
        }
        open
    }

    fn knock(&self) {
        let state = self.state.clone();
        // The session's end of the channel may be gone: then there is nothing to stop.
        let _ = self.sender.send(Box::new(move |vm| state.hear(vm)));
    }

    pub(super) fn begin(&self, run: u64) {
        self.state.running.store(run, Ordering::Release);
    }

    pub(super) fn end(&self) {
        self.state.running.store(0, Ordering::Release);
        *self.state.wish() = None;
    }
}

impl State {
    fn wish(&self) -> MutexGuard<'_, Option<Wish>> {
        self.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises what was wished, between two instructions of the interpreter.
    fn hear(&self, vm: &VirtualMachine) -> rustpython_vm::PyResult<()> {
        let mut open = self.wish();
        let Some(wish) = open.as_mut() else {
            return Ok(());
        };
        if wish.run != self.running.load(Ordering::Acquire) {
            *open = None;
            return Ok(());
        }
        if wish.passed < MOST_PASSES && !may_raise(vm) {
            wish.passed += 1;
            return Ok(());
        }
        let why = wish.why;
        *open = None;
        drop(open);
        Err(why.exception(vm))
    }
}

/// After this many attempts the exception is raised wherever the cell is.
const MOST_PASSES: u32 = 200;

/// Whether an exception may be raised before the instruction that comes next.
///
/// RustPython 0.5 gives that instruction's argument to the first one of the handler. A handler
/// that was written heeds none; the one that every generator has does, so there the argument must be 0.
fn may_raise(vm: &VirtualMachine) -> bool {
    let Some(frame) = vm.current_frame() else {
        return true;
    };
    let next = (frame.lasti() as usize).saturating_sub(1);
    !frame.code.flags.intersects(CodeFlags::GENERATOR | CodeFlags::COROUTINE)
        || frame.code.instructions.read_arg(next) == OpArgByte::from(0)
}
