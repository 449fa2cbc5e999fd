//! What the system says of the machine and of this process.

use std::fs;

/// A line `key: value` of a file of the system.
fn fact(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn kilobytes(file: &str, key: &str) -> Option<u64> {
    fact(file, key)?.split_whitespace().next()?.parse().ok()
}

/// The processor's name, or its family if the system does not report the name.
#[cfg(target_os = "linux")]
pub(super) fn cpu() -> String {
    fact("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The processor's name, or its family if the system does not report the name.
#[cfg(not(target_os = "linux"))]
pub(super) fn cpu() -> String {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let name = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The peak memory of this process in megabytes; `None` if the system does not report it.
pub(crate) fn peak_megabytes() -> Option<f64> {
    kilobytes("/proc/self/status", "VmHWM").map(|kilobytes| kilobytes as f64 / 1024.0)
}
