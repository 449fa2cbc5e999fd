//! Tests that run Python, each in a process of its own.
//!
//! One thread of a process at a time has interpreters (`src/session/turn.rs`): tests that share a process would wait for
//! each other. Alone, a test also has the memory of its process to itself, and if it ends its process, only it has failed.

use std::{env, process::Command, thread};

/// Runs the test that calls it in a process of its own, with what it printed as the message if it fails. Returns `false` in
/// that process, where the test goes on, and `true` in this one, where it has ended.
///
/// Without threads for tests (`--test-threads=1`) the test goes on at once.
pub(crate) fn ran() -> bool {
    const MARK: &str = "ATTN_TEST_APART";
    if env::var_os(MARK).is_some() {
        return false;
    }
    // The threads of tests have the names of their tests.
    let current = thread::current();
    let Some(test) = current.name().filter(|name| *name != "main") else { return false };
    let this = env::current_exe().expect("a running program has a path");
    let ended = Command::new(this).args([test, "--exact", "--include-ignored"]).env(MARK, test).output();
    let ended = ended.expect("the program starts again");
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && out.contains("1 passed"), "{}\n{out}{err}", ended.status);
    true
}
