//! The folder in which attn keeps what outlasts a run: progress, history.
//! Says where it is; whoever writes there makes it.
//! Source: the XDG base directories, through `etcetera`, which knows the other platforms' folders too.

use std::env;
use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The state folder: `ATTN_STATE_DIR`, else the platform's for programs of the command line.
/// `None` where the home folder is not known. It may not be there yet.
pub fn state_dir() -> Option<PathBuf> {
    let named = env::var_os("ATTN_STATE_DIR").filter(|folder| !folder.is_empty());
    named.map(PathBuf::from).or_else(|| {
        let platform = etcetera::choose_base_strategy().ok()?;
        Some(platform.state_dir().unwrap_or_else(|| platform.data_dir()).join("attn"))
    })
}
