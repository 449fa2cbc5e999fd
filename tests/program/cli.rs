//! Commands as transcripts, one file a case in `tests/cmd`: the command, its output, the exit code.
//! `TRYCMD=overwrite cargo test --test program cli::` writes them again; read the diff. Step numbers are wildcards, as in
//! `step[..]`: a new lesson shifts them.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::snapshot::assert_current;

/// A state folder that is not there: nothing was done yet.
const NOBODY: &str = "tests/cmd/nobody";

fn attn(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    command
        .args(args)
        .env("COLUMNS", "80")
        .env("ATTN_STATE_DIR", NOBODY)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    cases
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/repl/*.toml")
        .env("COLUMNS", "80")
        .env("CLICOLOR_FORCE", "0")
        .env("ATTN_STATE_DIR", NOBODY);
}

/// Documents that machines read, to the byte: one file a case in `tests/cmd/json`, its first line the
/// command. Times are left out, and a step is written as `step(its name)`. `UPDATE=1` writes them again.
#[test]
fn json_keeps_its_shape() {
    let cases = std::fs::read_dir("tests/cmd/json").expect("the cases are there").map(|entry| {
        let path = entry.expect("a listed file can be read").path();
        let case = std::fs::read_to_string(&path).expect("a case is text");
        let typed = case.lines().next().expect("a case begins with its command");
        let args: Vec<&str> = typed.split_whitespace().skip(2).collect();
        let output = attn(&args).output().expect("the program runs");
        let code = output.status.code().unwrap_or(-1);
        let document = String::from_utf8(output.stdout).expect("JSON is UTF-8");
        (path, format!("{typed}\n? {code}\n{}", named(&without_times(&document))))
    });
    assert_current(cases);
}

fn without_times(document: &str) -> String {
    let mut parts = document.split("\"ms\":");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(',').expect("a time is followed by a field");
        assert!(part[..digits].parse::<f64>().is_ok(), "{}", &part[..digits]);
        out.push_str("\"ms\":0");
        out.push_str(&part[digits..]);
    }
    out
}

/// The document with `step(scores)` for the number of the step `scores`.
fn named(document: &str) -> String {
    let catalogue = crate::course::catalogue();
    let steps = catalogue.steps().unwrap_or_else(|fault| panic!("{fault}"));
    let mut parts = document.split("step");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let starts_word = !out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let step =
            part[..digits].parse::<usize>().ok().filter(|_| starts_word).and_then(|n| steps.get(n - 1));
        match step {
            Some(step) => out.push_str(&format!("step({}){}", step.slug, &part[digits..])),
            None => out.push_str(&format!("step{part}")),
        }
    }
    out
}

/// A reader that closes the pipe after the first line causes no error.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = attn(&["run", "3.3.1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut first = [0; 5];
    child.stdout.take().expect("it was piped").read_exact(&mut first).expect("there is output");
    assert_eq!(&first, b"3.3.1");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

/// What comes through stdin has the results of the same file.
#[test]
fn a_dash_is_stdin() {
    for (verb, file, called) in [
        ("run", "tests/cmd/files/script.py", "stdin.py"),
        ("doctor", "tests/cmd/files/wrong.py", "stdin.py"),
        ("check", "tests/cmd/files/good.ipynb", "stdin.ipynb"),
    ] {
        let input = std::fs::File::open(file).expect("the file is there");
        let piped = attn(&[verb, "-", "--json"]).stdin(input).output().expect("the program runs");
        let named = attn(&[verb, file, "--json"]).output().expect("the program runs");
        assert_eq!(piped.status, named.status, "{verb}");
        let [piped, named] = [piped, named].map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        assert_eq!(without_times(&piped), without_times(&named.replace(file, called)));
    }
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let coloured = |args: &[&str], name: &str, value: &str| {
        let output = attn(args).env(name, value).output().expect("the program runs");
        output.stdout.contains(&0x1b)
    };
    let run = ["run", "scores"];
    assert!(!coloured(&run, "TERM", "xterm"), "a pipe has no colours");
    assert!(coloured(&run, "CLICOLOR_FORCE", "1"));
    assert!(!coloured(&run, "CLICOLOR_FORCE", "0"));
    let always = ["run", "scores", "--color", "always"];
    assert!(coloured(&always, "NO_COLOR", "1"), "what is asked for by name counts most");
    let plain = ["run", "scores", "--color", "always", "--plain"];
    assert!(!coloured(&plain, "TERM", "xterm"), "plain has no colours");
    let never = ["run", "scores", "--color", "never"];
    assert!(!coloured(&never, "CLICOLOR_FORCE", "1"));
    let forced = attn(&run).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output();
    assert!(!forced.expect("the program runs").stdout.contains(&0x1b));
}

#[test]
fn results_are_the_same_bytes_each_time() {
    for args in [&["run", "3.3.2"][..], &["list", "--json"], &["show", "softmax-overflow"]] {
        let once = attn(args).output().expect("the program runs").stdout;
        let again = attn(args).output().expect("the program runs").stdout;
        assert_eq!(once, again, "{args:?}");
    }
}

/// Ctrl-C stops an endless loop, in good time, and says so; what was printed before is there.
#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_running_cell() {
    let mut child = attn(&["run", "tests/cmd/files/endless.py"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "a signal can be sent");
    let status = child.wait().expect("it ends");
    assert!(start.elapsed() < Duration::from_secs(1), "it took {:?}", start.elapsed());
    assert_eq!(status.code(), Some(130));
    let mut out = String::new();
    child.stdout.take().expect("it was piped").read_to_string(&mut out).expect("it is text");
    assert_eq!(out, "begun\n");
}

/// Ctrl-C ends a check as a whole, not only the cell that runs.
#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_check() {
    let mut child =
        attn(&["check"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_secs(1));
    let start = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "a signal can be sent");
    let status = child.wait().expect("it ends");
    assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
    assert_eq!(status.code(), Some(130));
}

/// Nothing outside the interpreter can be reached from a cell.
#[test]
fn cells_have_no_files_processes_or_network() {
    let folder = std::env::temp_dir().join(format!("attn-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let reaching = [
        "open('/etc/passwd')",
        "open('made', 'w')",
        "import os; os.system('touch made')",
        "import socket; socket.socket()",
        "import subprocess; subprocess.run(['touch', 'made'])",
        "import urllib.request; urllib.request.urlopen('http://example.org')",
    ];
    for (at, code) in reaching.into_iter().enumerate() {
        let file = folder.join(format!("{at}.py"));
        std::fs::write(&file, code).expect("a file for the test");
        let output = attn(&["run", &file.display().to_string()]).current_dir(&folder).output();
        let output = output.expect("the program runs");
        assert_eq!(output.status.code(), Some(3), "{code}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(!folder.join("made").exists(), "{code}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder can go");
}

/// Each lesson runs by its section or its other name on a clean state, and all that it claims holds. Those after the chapter
/// train models: after what they need only their first step runs here. All of them runs in the gate of the library's tests.
#[test]
fn every_section_runs_on_a_clean_state() {
    let catalogue = crate::course::catalogue();
    let mut is_chapter = true;
    for (at, lesson) in catalogue.lessons().enumerate() {
        let lesson = lesson.unwrap_or_else(|fault| panic!("{fault}"));
        is_chapter &= at == 0 || lesson.part.is_none();
        let steps = if is_chapter { &lesson.steps[..] } else { &lesson.steps[..1] };
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_attn"));
        command.args(["run", &lesson.id, "--plain", "--width", "80"]);
        if let [only] = steps {
            command.args(["--until", &only.slug]);
        }
        let output = command.output().expect("the program runs");
        let shown = String::from_utf8(output.stdout).expect("it writes UTF-8");
        assert_eq!(output.status.code(), Some(0), "{}: {shown}", lesson.id);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{}", lesson.id);
        assert!(!shown.contains("does not hold"), "{}: {shown}", lesson.id);
        for step in steps {
            let place = format!("step {} of ", step.number);
            assert!(shown.contains(&place), "{}: {} is not shown", lesson.id, step.slug);
        }
    }
}

/// The number of threads belongs to the program, so cells that raise it count how often they run. Nothing is drawn at
/// p = 0; with p = 0.5 the family that the recorded output shows is drawn, also where cells may write files.
#[test]
fn cells_run_again_only_to_find_the_recorded_random_numbers() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let cell = |source: &str, printed: &str| {
        let output = serde_json::json!({"output_type": "stream", "name": "stdout", "text": printed});
        serde_json::json!({"cell_type": "code", "metadata": {}, "source": source, "outputs": [output]})
    };
    let ran = |begin: &str, p: &str, recorded: &str, end: &str| {
        let count = format!("import torch\ntorch.set_num_threads(torch.get_num_threads() + 1)\n{begin}");
        let draw = format!(
            "torch.manual_seed(123)\nprint((torch.nn.Dropout({p})(torch.ones(3, 3)) != 0).int().tolist(), \
             torch.get_num_threads())"
        );
        let cells = [cell(&count, ""), cell(&draw, recorded), cell(end, "")];
        let notebook =
            serde_json::json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
        let file = folder.path().join("counted.ipynb");
        std::fs::write(&file, notebook.to_string()).expect("the notebook is written");
        let file = file.to_str().expect("the folder has a plain name");
        let output =
            attn(&["run", file, if begin.len() + end.len() > 0 { "--allow-write" } else { "--no-input" }])
                .env("ATTN_THREADS", "1")
                .output();
        let output = output.expect("the program runs");
        String::from_utf8(output.stdout).expect("the output is UTF-8")
            + &String::from_utf8_lossy(&output.stderr)
    };
    // Recorded by torch.manual_seed(123) in PyTorch 2.6 on x86, with MKL, and without it.
    let mkl = "[[1, 1, 1], [1, 1, 1], [0, 1, 0]]";
    let book = "[[1, 1, 0], [1, 1, 0], [0, 0, 0]]";
    assert_eq!(ran("", "0.0", "something else", ""), "[[1, 1, 1], [1, 1, 1], [1, 1, 1]] 2\n");
    assert_eq!(ran("", "0.5", &format!("{book} 2\n"), ""), format!("{book} 2\n"));
    let append = "with open('ran.txt', 'a') as file: print('once', file=file)";
    let shown = ran("", "0.5", &format!("{mkl} 3\n"), append);
    assert!(
        shown.starts_with(&format!("{mkl} 3\nrandom numbers are drawn as in builds with Intel")),
        "{shown}"
    );
    // Cells that have written files do not run again, and the reader learns what was not tried.
    let shown = ran(append, "0.5", &format!("{mkl} 2\n"), "");
    assert!(shown.starts_with(&format!("{book} 2\ndropout and the like draw as in the book")), "{shown}");
    let written = std::fs::read_to_string(folder.path().join("ran.txt"));
    assert_eq!(written.expect("two cells wrote it"), "once\nonce\n");
}
