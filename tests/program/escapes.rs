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
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    let script = OsStr::from_bytes(b"n\xff.py");
    std::fs::write(folder.path().join(script), "print(1)\n").expect("it is written");
    let output = command.arg("run").arg(script).current_dir(folder.path()).output().expect("attn runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("rename the file"), "{said}");
    let modules = "import argparse, tokenize\nargparse.ArgumentParser()\nimport logging.config\n";
    std::fs::write(folder.path().join("modules.py"), modules).expect("it is written");
    for (file, words) in [
        ("/dev/zero", "at most 256 MB are read"),
        ("zeros.py", "it seems to be a binary file"),
        ("modules.py", "ModuleNotFoundError"),
    ] {
        let output = attn(folder.path(), &["run", file]);
        let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        assert!(output.status.code() == Some(3) && said.contains(words), "{file}: {said}");
    }
}

/// What is long, or there are many of, is shown in little time: the bounds are ten times what a loaded machine takes.
#[test]
fn what_is_long_takes_little_time() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is written");
    write("error.py", "raise ValueError('a' * 10**6)\n");
    let recorded = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {},
        "cells": [{
            "cell_type": "code", "id": "a", "metadata": {}, "execution_count": 1, "source": ["print('a' * 100)"],
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["a".repeat(5_000_000) + "\n"]}],
        }],
    });
    write("line.ipynb", &recorded.to_string());
    let many: String = (0..6000).map(|number| format!("x{number} = torch.ones(2) + 1\n")).collect();
    write("many.py", &format!("import torch\n{many}"));
    for (args, code) in [
        (&["run", "error.py"][..], 3),
        (&["check", "line.ipynb"], 1),
        (&["doctor", "many.py"], 0),
        (&["run", "many.py", "--trace"], 0),
    ] {
        let start = std::time::Instant::now();
        let output = attn(folder.path(), args);
        let size = output.stdout.len() + output.stderr.len();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(start.elapsed().as_secs() < 60, "{args:?} took {:?}", start.elapsed());
        assert!(size < 20_000_000, "{args:?} shows {size} bytes");
    }
}

/// Progress that is a link stays one, fields of a later version stay in it, a lock that another program holds is not
/// waited for without end, and no temporary file is left.
#[test]
#[cfg(unix)]
fn progress_survives_links_and_locks() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let state = folder.path().join("state");
    std::fs::create_dir(&state).expect("a folder");
    let (kept, link) = (folder.path().join("kept.json"), state.join("progress.json"));
    let text = "{\"schema\": \"attn.progress/1\", \"later\": 5, \"lessons\": {\"l\": {\"steps\": {\"s\": {\"seen\": true}}}}}";
    std::fs::write(&kept, text).expect("it is written");
    std::os::unix::fs::symlink(&kept, &link).expect("a link");
    let lock = std::fs::File::create(state.join("progress.lock")).expect("a file");
    lock.lock().expect("files can be locked here");
    let start = std::time::Instant::now();
    let held = attn(folder.path(), &["reset", "3.3.1", "--yes"]);
    let said = String::from_utf8_lossy(&held.stderr).replace('\n', " ");
    assert!(start.elapsed().as_secs() < 60 && said.contains("another program holds progress.lock"), "{said}");
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there"), text);
    drop(lock);
    let done = attn(folder.path(), &["reset", "3.3.1", "--yes"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(link.symlink_metadata().is_ok_and(|about| about.is_symlink()), "the link is replaced");
    let after = std::fs::read_to_string(&kept).expect("it is there");
    assert!(after.contains("\"later\": 5"), "{after}");
    let names = std::fs::read_dir(&state).expect("the folder").flatten();
    let temporary: Vec<_> = names
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().starts_with(".attn"))
        .collect();
    assert!(temporary.is_empty(), "{temporary:?}");
}

/// A reader that goes away does not hide that a cell raised.
#[test]
fn an_error_counts_where_the_reader_is_gone() {
    use std::io::Read;
    let folder = tempfile::tempdir().expect("a folder for the test");
    let source = "for i in range(10**5): print(i)\nraise KeyError(1)\n";
    std::fs::write(folder.path().join("cell.py"), source).expect("it is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    command
        .args(["run", "cell.py"])
        .current_dir(folder.path())
        .env("ATTN_STATE_DIR", folder.path().join("state"));
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("attn runs");
    let mut first = [0; 2];
    child.stdout.take().expect("it was piped").read_exact(&mut first).expect("there is output");
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(3) && said.contains("KeyError: 1"), "{:?} {said}", ended.status);
}

/// A limit of the process is that of a cell too, and a file that cannot be written stays what it was.
#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_process_are_met_in_words() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let place = folder.path();
    let limited = |limit: &str, args: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_attn")]).args(args);
        command.current_dir(place).env("ATTN_STATE_DIR", place.join("state")).env("ATTN_THREADS", "1");
        command.output().expect("attn runs")
    };
    std::fs::write(place.join("large.py"), "a = bytearray(2 * 10**9)\n").expect("it is written");
    let output = limited("ulimit -v 3000000", &["run", "large.py"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && said.contains("MemoryError"), "{said}");
    // A cell may handle a MemoryError, and then another one. If it keeps what it has and takes more, its process ends.
    let lines = [
        "import itertools\nfor i in range(3):\n    try: x = list(itertools.count())",
        "    except MemoryError: print('stopped', i)",
    ];
    std::fs::write(place.join("handles.py"), lines.join("\n")).expect("it is written");
    let output = attn(place, &["run", "--max-memory", "400M", "handles.py"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown == "stopped 0\nstopped 1\nstopped 2\n", "{shown}");
    let goes_on = "kept, one = [], b'x' * 10**6\nwhile True:\n    try:\n        while True: kept.append(one + one)\n    except MemoryError: pass";
    std::fs::write(place.join("goes_on.py"), goes_on).expect("it is written");
    let output = attn(place, &["run", "--plain", "--max-memory", "400M", "goes_on.py"]);
    let shown = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_none() && said.contains("memory allocation of"), "{shown}{said}");
    // Of several targets it is one that failed, as one that cannot be read; the others run.
    std::fs::write(place.join("one.py"), "print(1)\n").expect("it is written");
    std::fs::write(place.join("broken.ipynb"), "{").expect("it is written");
    let several = ["one.py", "goes_on.py", "broken.ipynb", "one.py"];
    let output = attn(place, &[&["run", "--max-memory", "400M"][..], &several].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*output.stdout), (Some(3), &b"1\n1\n"[..]), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "attn: goes_on.py: its process crashed (SIGABRT)");
    assert!(lines.len() == 2 && lines[1].contains("broken.ipynb is not a notebook"), "{said}");
    let output = attn(place, &[&["check", "--json", "--max-memory", "400M"][..], &several].concat());
    let shown = String::from_utf8_lossy(&output.stdout);
    let files: Vec<&str> = shown.lines().map(|line| line.split(',').nth(1).unwrap_or_default()).collect();
    assert_eq!(files, several.map(|file| format!("\"target\":\"{file}\"")), "{shown}");
    assert_eq!(output.status.code(), Some(3));
    assert!(shown.contains("\"faults\":[\"goes_on.py: its process crashed (SIGABRT)\"]"), "{shown}");
    // The system refuses every file of more than one kilobyte, as a full disk does.
    let full = "trap '' XFSZ; ulimit -f 2";
    let old = "# what was there";
    for (file, args) in [
        ("scores.md", &["export", "scores", "--force", "-o", "scores.md"][..]),
        ("scores.html", &["export", "scores", "--force", "-o", "scores.html"]),
        ("scores.ipynb", &["export", "scores", "--force", "-o", "scores.ipynb"]),
    ] {
        std::fs::write(place.join(file), old).expect("it is written");
        let output = limited(full, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(file), "{args:?}: {said}");
        assert_eq!(std::fs::read_to_string(place.join(file)).expect("it is still there"), old);
        let names =
            std::fs::read_dir(place).expect("the folder").map(|entry| entry.expect("a file").file_name());
        let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains("tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Cells run behind the wall of the system, in each command, and `--version --verbose` says so.
#[cfg(target_os = "linux")]
#[test]
fn cells_run_behind_a_wall() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let output = attn(folder.path(), &["--version", "--verbose"]);
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert_eq!(said.lines().next(), Some(concat!("attn ", env!("CARGO_PKG_VERSION"))));
    assert_eq!(said.matches("refuses cells").count(), 2, "{said}");
    let held = said.contains("the system refuses cells programs");
    for args in [&["run", "-"][..], &["repl"], &["check", "-"], &["doctor", "-"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
        command.args(args).current_dir(folder.path()).env("ATTN_STATE_DIR", folder.path().join("state"));
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        let mut attn = command.spawn().expect("attn runs");
        let mut stdin = attn.stdin.take().expect("it was asked for");
        std::io::Write::write_all(&mut stdin, b"import torch\nany(iter(int, 1))\n").expect("it reads");
        drop(stdin);
        let walled = |thread: &std::path::Path| {
            let status = std::fs::read_to_string(thread.join("status")).unwrap_or_default();
            status.contains("Name:\tattn memory\n").then(|| status.contains("Seccomp:\t2\n"))
        };
        let threads = format!("/proc/{}/task", attn.id());
        let start = std::time::Instant::now();
        let found = loop {
            let all = std::fs::read_dir(&threads).into_iter().flatten().flatten();
            match all.filter_map(|thread| walled(&thread.path())).next() {
                Some(found) => break found,
                None => assert!(start.elapsed().as_secs() < 20, "{args:?}: no cell runs"),
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        attn.kill().expect("it runs");
        let _ = attn.wait();
        assert_eq!(found, held, "{args:?}");
    }
}
