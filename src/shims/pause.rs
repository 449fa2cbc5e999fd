//! `time.sleep`, in short naps, so that a sleeping cell can be stopped.
//! Sees the interpreter's signals only; `py/time.py` puts it in its place.

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_pause")]
mod native {
    use std::time::{Duration, Instant};

    use rustpython_vm::{PyObjectRef, PyResult, VirtualMachine};

    use crate::kernel::stop;

    /// The longest that a stopped cell goes on sleeping.
    const NAP: Duration = Duration::from_millis(5);

    #[pyfunction]
    fn sleep(seconds: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        let seconds = seconds.try_float(vm)?.to_f64();
        if seconds < 0.0 {
            return Err(vm.new_value_error("sleep length must be non-negative"));
        }
        let Ok(length) = Duration::try_from_secs_f64(seconds) else {
            return Err(vm.new_overflow_error("timestamp too large to convert to C PyTime_t"));
        };
        let start = Instant::now();
        loop {
            stop::from_native(|| vm.check_signals())?;
            let left = length.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(NAP));
        }
    }
}
