//! Arguments to an exit code, and the allocator; nothing else.

use std::process::ExitCode;

/// Aligns what is large to 64 bytes and more, as PyTorch's storages are. No result depends on it.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    attn::main(std::env::args_os().collect())
}
