//! The memory of the machine, of a container in it, and of this process.

/// The limit in bytes where the size of the machine's memory is unknown.
pub(super) const FALLBACK: usize = 2 << 30;

/// The default limit in bytes: half of the memory that this process may have, which a container or `ulimit` restricts.
pub(crate) fn default_limit() -> usize {
    let least = [machine_memory(), container_memory(), process_memory()].into_iter().flatten().min();
    least.map_or(FALLBACK, |bytes| bytes / 2)
}

/// The memory of the machine in bytes, where the system reports it.
#[cfg(target_os = "linux")]
pub(crate) fn machine_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<usize>().ok().map(|kilobytes| kilobytes.saturating_mul(1024))
}

/// The memory of the machine in bytes, where the system reports it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn machine_memory() -> Option<usize> {
    let mut system = sysinfo::System::new();
    system.refresh_memory_specifics(sysinfo::MemoryRefreshKind::nothing().with_ram());
    usize::try_from(system.total_memory()).ok().filter(|&bytes| bytes > 0)
}

/// The least limit of the control groups that this process is in, version 2 or 1.
fn container_memory() -> Option<usize> {
    const ROOT: &str = "/sys/fs/cgroup";
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limit = |file: String| std::fs::read_to_string(file).ok()?.trim().parse::<usize>().ok();
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (folder, file) = match controllers {
            "" => (ROOT.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                (format!("{ROOT}/memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // A group's parents limit it too. In a container the path may be the host's.
        let mut path = path.trim_end_matches('/');
        loop {
            limits.extend(limit(format!("{folder}{path}/{file}")));
            match path.rsplit_once('/') {
                Some((parent, _)) => path = parent,
                None => break,
            }
        }
    }
    limits.into_iter().min()
}

/// The address space that this process may have, less the stack on which a session runs.
#[cfg(unix)]
fn process_memory() -> Option<usize> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(super::running::STACK_SIZE))
}

#[cfg(not(unix))]
fn process_memory() -> Option<usize> {
    None
}

/// What a process has besides the memory of cells: stacks, which are reserved whole, and what the allocator holds.
#[cfg(target_os = "linux")]
const BESIDES: u64 = 2 << 30;

/// Limits the memory of this process, for cells that may take so many bytes: an allocation beyond fails, which ends the
/// process. What the process has reserved counts, used or not, so this is more than cells may take by a quarter and more.
#[cfg(target_os = "linux")]
pub(crate) fn limit_process(cells: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Data).maximum;
    let wanted = (cells as u64).saturating_add(cells as u64 / 4).saturating_add(BESIDES);
    let current = Some(maximum.map_or(wanted, |most| most.min(wanted)));
    // Without this limit that of the system is left.
    let _ = setrlimit(Resource::Data, Rlimit { current, maximum });
}

/// Other systems count what is reserved in other ways, or not at all.
#[cfg(not(target_os = "linux"))]
pub(crate) fn limit_process(_cells: usize) {}

/// The resident memory of this process in bytes, where the system reports it.
pub(super) fn resident() -> Option<usize> {
    memory_stats::memory_stats().map(|found| found.physical_mem)
}
