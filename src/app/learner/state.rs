//! The folder for progress and history. It is created when something is written.
//! Source: the XDG base directories; `etcetera` has the folders of other platforms.

use std::env;
use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The state folder: `ATTN_STATE_DIR`, else the platform's. It may not exist yet.
/// `None`: the home folder is not known.
pub(crate) fn state_dir() -> Option<PathBuf> {
    let named = env::var_os("ATTN_STATE_DIR").filter(|folder| !folder.is_empty());
    named.map(PathBuf::from).or_else(|| {
        let platform = etcetera::choose_base_strategy().ok()?;
        Some(platform.state_dir().unwrap_or_else(|| platform.data_dir()).join("attn"))
    })
}
