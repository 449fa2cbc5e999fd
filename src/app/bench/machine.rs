//! What machine this is, and the most it can do.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::kernel::peak::multiply_add_peak;

/// Rounds of which the best is taken as the peak.
const ROUNDS: usize = 60;

/// A machine as the document names it.
#[derive(Serialize, Deserialize)]
pub struct Machine {
    /// Its processor, as the system calls it.
    pub cpu: String,
    /// Threads that can run at once.
    pub cores: usize,
    /// Multiply-adds a second on one thread, GFLOP/s.
    pub peak_gflops_one_thread: f64,
    /// The same on as many threads as are measured with.
    pub peak_gflops: f64,
    /// Bytes of memory.
    pub memory: u64,
}

impl Machine {
    /// Looks at this machine and measures its peak.
    pub fn look(threads: usize) -> Machine {
        let one = multiply_add_peak(1, ROUNDS);
        Machine {
            cpu: cpu(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            peak_gflops_one_thread: one,
            peak_gflops: if threads == 1 { one } else { multiply_add_peak(threads, ROUNDS) },
            memory: memory(),
        }
    }

    /// Measures the peak once more: what else the machine did the first time may be over.
    pub fn look_again(&mut self, threads: usize) {
        self.peak_gflops_one_thread = self.peak_gflops_one_thread.max(multiply_add_peak(1, ROUNDS));
        let all = if threads == 1 { self.peak_gflops_one_thread } else { multiply_add_peak(threads, ROUNDS) };
        self.peak_gflops = self.peak_gflops.max(all);
    }

    /// In a line.
    pub fn words(&self, threads: usize) -> String {
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

fn cpu() -> String {
    fact("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// All memory in bytes; where the system does not say, as much as can be addressed.
fn memory() -> u64 {
    kilobytes("/proc/meminfo", "MemTotal").map_or(u64::MAX, |kilobytes| kilobytes << 10)
}

/// The most memory this process ever took, in megabytes; nothing where the system does not say.
pub fn peak_megabytes() -> Option<f64> {
    kilobytes("/proc/self/status", "VmHWM").map(|kilobytes| kilobytes as f64 / 1024.0)
}
