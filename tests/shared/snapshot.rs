//! Snapshots: files that record what the program writes. `UPDATE=1 cargo test` writes them again; read the diff.

use std::fs;
use std::path::PathBuf;

/// Asserts that each file has its text, or writes the files if `UPDATE` is set. The message names all that differ, each
/// with its first differing line.
pub fn assert_current(files: impl IntoIterator<Item = (PathBuf, String)>) {
    let update = std::env::var_os("UPDATE").is_some();
    let mut differing = Vec::new();
    for (path, now) in files {
        // A file that is missing is one that differs.
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        if recorded == now {
            continue;
        }
        if update {
            fs::write(&path, now).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            continue;
        }
        let same = recorded.lines().zip(now.lines()).take_while(|(old, new)| old == new).count();
        let line = |text: &str| text.lines().nth(same).unwrap_or("(end of the text)").to_owned();
        let (old, new) = (line(&recorded), line(&now));
        differing.push(format!("{}:{}\n- {old}\n+ {new}", path.display(), same + 1));
    }
    assert!(
        differing.is_empty(),
        "{} files differ (UPDATE=1 writes them again):\n{}",
        differing.len(),
        differing.join("\n")
    );
}
