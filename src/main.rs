//! Arguments to an exit code, and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    attn::app::main(std::env::args_os().collect())
}
