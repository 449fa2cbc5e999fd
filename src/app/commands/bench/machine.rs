//! The machine and its peak performance.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::kernel::peak::multiply_add_peak;
use crate::session::machine_memory;

/// The number of measurements; the peak is the best of them.
const ROUNDS: usize = 60;

/// The machine, in the document of `attn bench --json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor's name.
    pub(crate) cpu: String,
    /// The number of threads that can run at once.
    pub(crate) cores: usize,
    /// Multiply-adds a second on one thread, GFLOP/s.
    pub(crate) peak_gflops_one_thread: f64,
    /// The same on all threads of the benchmark.
    pub(crate) peak_gflops: f64,
    /// The size of the memory in bytes; the largest number if the system does not report it.
    pub(crate) memory: u64,
}

impl Machine {
    /// Reads the facts of this machine and measures its peak.
    pub(crate) fn measured(threads: usize) -> Machine {
        let one = multiply_add_peak(1, ROUNDS);
        Machine {
            cpu: cpu(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            peak_gflops_one_thread: one,
            peak_gflops: if threads == 1 { one } else { multiply_add_peak(threads, ROUNDS) },
            memory: machine_memory().map_or(u64::MAX, |bytes| bytes as u64),
        }
    }

    /// Measures the peak again and keeps the better result: other programs may have disturbed the first one.
    pub(crate) fn measure_again(&mut self, threads: usize) {
        self.peak_gflops_one_thread = self.peak_gflops_one_thread.max(multiply_add_peak(1, ROUNDS));
        let all = if threads == 1 { self.peak_gflops_one_thread } else { multiply_add_peak(threads, ROUNDS) };
        self.peak_gflops = self.peak_gflops.max(all);
    }

    /// The machine in one line.
    pub(crate) fn words(&self, threads: usize) -> String {
        let plural = if threads == 1 { "" } else { "s" };
        format!("{}, {threads} thread{plural}, multiply-add peak {:.0} GFLOP/s", self.cpu, self.peak_gflops)
    }
}

/// A line `key: value` of a file of the system.
fn fact(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn kilobytes(file: &str, key: &str) -> Option<u64> {
    fact(file, key)?.split_whitespace().next()?.parse().ok()
}

/// The processor's name; that of its family if the system does not report it.
#[cfg(target_os = "linux")]
fn cpu() -> String {
    fact("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The processor's name; that of its family if the system does not report it.
#[cfg(not(target_os = "linux"))]
fn cpu() -> String {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let name = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The peak memory of this process in megabytes; `None` if the system does not report it.
pub(crate) fn peak_megabytes() -> Option<f64> {
    kilobytes("/proc/self/status", "VmHWM").map(|kilobytes| kilobytes as f64 / 1024.0)
}
