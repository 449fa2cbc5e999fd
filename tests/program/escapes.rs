//! Nothing that a notebook, a cell or an argument contains commands the terminal: results on a terminal, remarks and
//! JSON have no character that it obeys but those that place text.

use std::process::{Command, Output};

/// Sets the clipboard, clears the screen with the one-byte form of the code, deletes, and turns the text around.
const COMMANDS: &str = "\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{7f}\u{202e}\u{2066}";

fn attn(folder: &std::path::Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    command.args(args).current_dir(folder).env("ATTN_STATE_DIR", folder.join("state"));
    command.output().expect("attn runs")
}

fn is_obeyed(c: char) -> bool {
    (c.is_control() && !"\n\r\t\u{8}".contains(c))
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || c == '\u{2066}'
}

#[test]
fn nothing_from_outside_commands_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let language = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "cells": [],
        "metadata": {"language_info": {"name": COMMANDS}, "kernelspec": {"name": "x", "language": COMMANDS}},
    });
    // A list of characters, so that the source itself has none of them.
    let codes: Vec<u32> = COMMANDS.chars().map(u32::from).collect();
    let source = format!(
        "import sys\nx = ''.join(map(chr, {codes:?}))\nsys.stderr.write(x)\nprint(x)\nraise KeyError(x)\n"
    );
    std::fs::write(folder.path().join("language.ipynb"), language.to_string()).expect("it is written");
    std::fs::write(folder.path().join("cell.py"), source).expect("it is written");
    let wrong = format!("--{COMMANDS}");
    let mut shown = 0;
    for args in [
        &["run", "language.ipynb"][..],
        &["check", "language.ipynb"],
        &["doctor", "language.ipynb"],
        &["run", COMMANDS],
        &["why", COMMANDS],
        &["run", &wrong],
        &["run", "--plain", "cell.py"],
        &["run", "--json", "cell.py"],
        &["--json", "list", COMMANDS],
    ] {
        let output = attn(folder.path(), args);
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains(is_obeyed), "{args:?} on {stream}: {text:?}");
            shown += text.matches("202e").count();
        }
    }
    // They are seen where they were: at least once for each command.
    assert!(shown >= 7, "{shown}");
}

/// A file name of any bytes is refused in words, and a file without end is read to a bound.
#[test]
#[cfg(unix)]
fn odd_files_are_refused_in_words() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder for the test");
    let name = OsStr::from_bytes(b"ex\xff.md");
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    command.args(["export", "scores", "-o"]).arg(name).current_dir(folder.path());
    let output = command.env("ATTN_STATE_DIR", folder.path().join("state")).output().expect("attn runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("an argument must be UTF-8 text"), "{said}");
    std::fs::write(folder.path().join("zeros.py"), "\0".repeat(1 << 20)).expect("it is written");
    for (file, words) in
        [("/dev/zero", "at most 256 MB are read"), ("zeros.py", "it seems to be a binary file")]
    {
        let output = attn(folder.path(), &["run", file]);
        let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        assert!(output.status.code() == Some(3) && said.contains(words), "{file}: {said}");
    }
}
