//! The second wall: what the threads of cells give up before the first one runs. Should a defect of the interpreter run
//! code that is no Python, the system refuses it files, programs, the network, and other processes.
//!
//! Landlock and seccomp bind one thread and those that it starts later. What attn itself does with files afterwards is
//! done on a thread that was started before ([`super::outside`]).

/// What holds on the thread that asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wall {
    /// No files, but for facts about this process and the terminal.
    pub files: bool,
    /// No programs, no network, no other processes.
    pub calls: bool,
}

/// Raises the wall before this thread, and before those that it starts from now on. What the system does not have is left out.
#[cfg(target_os = "linux")]
pub fn raise() -> Wall {
    use std::cell::Cell;

    use super::outside;

    thread_local! {
        static RAISED: Cell<Option<Wall>> = const { Cell::new(None) };
    }
    if let Some(raised) = RAISED.get() {
        return raised;
    }
    let raised = match outside::start() {
        true => Wall { files: linux::give_up_files().is_ok_and(|held| held), calls: linux::give_up_calls() },
        false => Wall::default(),
    };
    RAISED.set(Some(raised));
    outside::walled();
    raised
}

/// Other systems have nothing that one thread can give up for good.
#[cfg(not(target_os = "linux"))]
pub fn raise() -> Wall {
    Wall::default()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::env::consts::ARCH;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
        RulesetStatus, Scope, path_beneath_rules,
    };
    use seccompiler::{
        BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, apply_filter,
    };

    /// What is read to know the memory of the process and of the machine, its processors, and its time.
    const FACTS: [&str; 6] = [
        "/proc/self",
        "/proc/meminfo",
        "/sys/fs/cgroup",
        "/sys/devices/system/cpu",
        "/etc/localtime",
        "/usr/share/zoneinfo",
    ];

    /// The terminal: it is opened again for keys and for its settings.
    const TERMINAL: &str = "/dev/tty";

    /// Takes away all files but these. Returns whether the system does.
    pub(super) fn give_up_files() -> Result<bool, RulesetError> {
        let all = AccessFs::from_all(ABI::V5);
        let terminal = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
        let status = Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(ABI::V4))?
            .scope(Scope::AbstractUnixSocket)?
            .create()?
            .add_rules(path_beneath_rules(FACTS, AccessFs::ReadFile | AccessFs::ReadDir))?
            .add_rules(path_beneath_rules([TERMINAL], terminal))?
            .restrict_self()?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }

    /// Takes away the calls below. Returns whether the system does.
    pub(super) fn give_up_calls() -> bool {
        let applied = || -> Result<(), Error> {
            // Threads are started by this call, whose arguments a filter cannot see, or else by `clone`.
            apply_filter(&filter([(libc::SYS_clone3, Vec::new())].into(), libc::ENOSYS)?)?;
            apply_filter(&filter(refused()?, libc::EPERM)?)
        };
        applied().is_ok()
    }

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    fn filter(rules: Rules, error: i32) -> Result<BpfProgram, Error> {
        let arch = ARCH.try_into().map_err(Error::Backend)?;
        let refuse = SeccompAction::Errno(error.cast_unsigned());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).map_err(Error::Backend)?;
        filter.try_into().map_err(Error::Backend)
    }

    /// What is refused whatever the arguments are.
    const REFUSED: &[i64] = &[
        // Programs.
        libc::SYS_execve,
        libc::SYS_execveat,
        // The network, and sockets of other programs. `socketpair` joins two ends of this process.
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_listen,
        libc::SYS_accept,
        libc::SYS_accept4,
        // Other processes, and what is shared with them.
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_process_madvise,
        libc::SYS_tkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_kcmp,
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_mq_open,
        // What Landlock does not see: owners, permissions and attributes of files, and handles.
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
        libc::SYS_utimensat,
        libc::SYS_open_by_handle_at,
        // The kernel's larger doors. What needs more rights than a learner has, and mounts, which Landlock refuses, are left out:
        // each call here takes time at the start.
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_unshare,
        libc::SYS_setns,
        // `fchmodat2`, which has this number everywhere.
        452,
    ];

    /// The old forms that only this processor has.
    #[cfg(target_arch = "x86_64")]
    const OLD: &[i64] = &[
        libc::SYS_fork,
        libc::SYS_vfork,
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
        libc::SYS_futimesat,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const OLD: &[i64] = &[];

    fn refused() -> Result<Rules, Error> {
        let own = u64::from(std::process::id());
        let is = |at, operator, value| SeccompCondition::new(at, SeccompCmpArgLen::Dword, operator, value);
        let rule = |conditions: Vec<_>| {
            let conditions: Result<Vec<_>, _> = conditions.into_iter().collect();
            conditions.and_then(SeccompRule::new).map_err(Error::Backend)
        };
        let (equal, other) = (SeccompCmpOp::Eq, SeccompCmpOp::Ne);
        let thread = libc::CLONE_THREAD as u64;
        let mut rules: Rules = REFUSED.iter().chain(OLD).map(|call| (*call, Vec::new())).collect();
        // A new process is refused; a new thread is not.
        rules.insert(libc::SYS_clone, vec![rule(vec![is(0, SeccompCmpOp::MaskedEq(thread), 0)])?]);
        // Signals to this process; to its group only Ctrl-Z's.
        let suspend = libc::SIGTSTP as u64;
        let strangers = rule(vec![is(0, other.clone(), own), is(0, other.clone(), 0)])?;
        let group = rule(vec![is(0, equal.clone(), 0), is(1, other.clone(), suspend)])?;
        rules.insert(libc::SYS_kill, vec![strangers, group]);
        rules.insert(libc::SYS_tgkill, vec![rule(vec![is(0, other.clone(), own)])?]);
        rules.insert(libc::SYS_prlimit64, vec![rule(vec![is(0, other.clone(), 0), is(0, other, own)])?]);
        // Keys typed in the learner's name, which the shell would read afterwards.
        #[allow(clippy::unnecessary_cast, reason = "the type of the numbers differs between C libraries")]
        let typed =
            [libc::TIOCSTI, libc::TIOCLINUX].map(|request| rule(vec![is(1, equal.clone(), request as u64)]));
        rules.insert(libc::SYS_ioctl, typed.into_iter().collect::<Result<_, _>>()?);
        Ok(rules)
    }
}
