//! Damaged files: notebooks, lessons, scripts, folders of lessons and saved progress, with flipped bits, missing parts,
//! nesting, huge numbers, bytes that are no text and values of other types. For each the program ends with an exit code of
//! its own, soon, in bounded memory, without a panic.
//!
//! `scripts/fuzz` runs it with 20,000 files. A file that failed once is kept in `tests/fuzz/files`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// Files that failed once.
const KEPT: &str = "tests/fuzz/files";

/// One kind of file: the files that are damaged, and the commands that read them. `FILE` stands for the damaged file,
/// `FOLDER` for the folder that it is in.
struct Kind {
    name: &'static str,
    sources: fn() -> Vec<PathBuf>,
    /// The damaged file's name, in a folder of its own.
    file: &'static str,
    commands: &'static [&'static [&'static str]],
    /// What is typed, for the commands that read it.
    input: &'static str,
}

const KINDS: [Kind; 6] = [
    Kind {
        name: "notebook",
        sources: || with_ending("tests/cmd/files", "ipynb"),
        file: "damaged.ipynb",
        commands: &[
            &["run", "FILE", "--keep-going"],
            &["run", "FILE", "--json"],
            &["check", "FILE"],
            &["check", "FILE", "--format", "github"],
            &["doctor", "FILE"],
            &["why", "FILE", "x[0]"],
            &["export", "FILE", "-o", "page.html"],
            &["export", "FILE", "-o", "copy.md"],
            &["repl", "FILE"],
        ],
        input: "1 + 1\n",
    },
    Kind {
        name: "lesson",
        sources: || {
            let mut files = with_ending("lessons", "md");
            files.extend(with_ending("tests/lessons", "md"));
            files.extend(with_ending("tests/cmd/files", "md"));
            files
        },
        file: "damaged.md",
        commands: &[
            &["run", "FILE", "--until", "1"],
            &["show", "FILE"],
            &["list", "FILE"],
            &["check", "FILE"],
            &["doctor", "FILE"],
            &["export", "FILE", "-o", "copy.ipynb"],
        ],
        input: "",
    },
    Kind {
        name: "script",
        sources: || {
            let mut files = with_ending("tests/cmd/files", "py");
            files.extend(with_ending("tests/zoo/correct", "py"));
            files.retain(|file| !["endless.py", "growing.py"].iter().any(|name| file.ends_with(name)));
            files
        },
        file: "damaged.py",
        commands: &[
            &["run", "FILE"],
            &["run", "FILE", "--json"],
            &["run", "FILE", "--trace"],
            &["doctor", "FILE"],
            &["doctor", "FILE", "--json"],
            &["repl", "FILE"],
        ],
        input: "x\n:vars\n",
    },
    Kind {
        name: "progress",
        sources: || vec![PathBuf::from("tests/fuzz/progress.json")],
        file: "state/progress.json",
        commands: &[
            &["list"],
            &["list", "--json"],
            &["list", "3.4.1"],
            &["review", "--plain"],
            &["reset", "3.3.1", "--yes"],
            &["reset", "--yes"],
            &["export", "another-query"],
            &["learn"],
        ],
        input: "a\n\n",
    },
    Kind {
        name: "history",
        sources: || vec![PathBuf::from("tests/fuzz/history.jsonl")],
        file: "state/history.jsonl",
        commands: &[&["repl", "--plain"]],
        input: "1 + 1\n",
    },
    Kind {
        name: "course",
        sources: || {
            let mut files = with_ending("tests/courses/cosine", "md");
            files.extend(with_ending("tests/courses/german", "md"));
            files
        },
        file: "README.md",
        commands: &[
            &["list", "FOLDER"],
            &["check", "FOLDER"],
            &["show", "FOLDER"],
            &["show", "FOLDER", "glossary"],
        ],
        input: "",
    },
];

fn with_ending(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    found.sort();
    found
}

/// Random numbers that follow from a seed. Source: Steele, Lea, Flood 2014 (SplitMix64).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Text that is put in: no text, commands for a terminal, marks of other formats, numbers that fit nowhere.
const ODD: [&[u8]; 24] = [
    b"\xff\xfe",
    b"\x00",
    b"\xed\xa0\x80",
    b"\xc3",
    b"\x1b]52;c;aGk=\x07",
    b"\xc2\x9b2J",
    b"\xe2\x80\xae",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\t",
    b"---\n",
    b"```",
    b"%%time\n",
    b"!ls\n",
    b"\"",
    b"'''",
    b"\\",
    b"1e999",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"NaN",
    b"null",
    b"&a [*a, *a]",
];

/// What nests: it is put in many times.
const NESTING: [&[u8]; 14] =
    [b"[", b"{", b"(", b"{\"a\":", b"[[", b"> ", b"- ", b"`", b"![", b"**", b"not ", b"-", b"f(", b"<div>"];

/// Values of other types.
fn odd_value(draws: &mut Draws) -> Json {
    match draws.below(12) {
        0 => Json::Null,
        1 => Json::Bool(true),
        2 => Json::from(-1),
        3 => Json::from(u64::MAX),
        4 => Json::from(1e308),
        5 => Json::from(""),
        6 => Json::from("x".repeat(100_000)),
        7 => Json::from("\u{1b}[2J\u{202e}\u{0}"),
        8 => Json::Array(vec![]),
        9 => Json::Array(vec![Json::Null; 1000]),
        10 => serde_json::json!({}),
        _ => (0..100).fold(Json::Null, |inner, _| Json::Array(vec![inner])),
    }
}

/// Changes one value of a JSON document, at a place that is drawn.
fn change_value(json: &mut Json, draws: &mut Draws) {
    let stays = draws.below(6) == 0;
    match json {
        Json::Object(fields) if !fields.is_empty() && !stays => {
            let at = draws.below(fields.len());
            let key = fields.keys().nth(at).expect("there are as many keys").clone();
            match draws.below(12) {
                0 => drop(fields.remove(&key)),
                1 => {
                    let value = fields.remove(&key).expect("the key is there");
                    fields.insert(key + "\u{7f}", value);
                }
                _ => change_value(fields.get_mut(&key).expect("the key is there"), draws),
            }
        }
        Json::Array(items) if !items.is_empty() && !stays => {
            let at = draws.below(items.len());
            match draws.below(12) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => change_value(&mut items[at], draws),
            }
        }
        json => *json = odd_value(draws),
    }
}

/// A range of `bytes`, mostly a short one.
fn range(bytes: &[u8], draws: &mut Draws) -> std::ops::Range<usize> {
    let start = draws.below(bytes.len());
    let most = if draws.below(3) == 0 { bytes.len() } else { 40 };
    start..(start + draws.below(most)).min(bytes.len())
}

/// The bytes with one change.
fn change(bytes: &mut Vec<u8>, other: &[u8], draws: &mut Draws) {
    let at = draws.below(bytes.len() + 1);
    match draws.below(12) {
        0 => (0..1 + draws.below(8)).for_each(|_| {
            if !bytes.is_empty() {
                let at = draws.below(bytes.len());
                bytes[at] ^= 1 << draws.below(8);
            }
        }),
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(range(bytes, draws))),
        3 => {
            let copied = bytes[range(bytes, draws)].to_vec();
            bytes.splice(at..at, copied);
        }
        4 => {
            let copied = other[range(other, draws)].to_vec();
            bytes.splice(at..at, copied);
        }
        5 => {
            let text = *draws.pick(&NESTING);
            let times = *draws.pick(&[3, 300, 100_000]);
            bytes.splice(at..at, text.repeat(times));
        }
        6 => change_number(bytes, draws),
        7 => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            let (a, b) = (draws.below(lines.len()), draws.below(lines.len()));
            if !lines.is_empty() {
                lines.swap(a, b);
            }
            *bytes = lines.concat();
        }
        8 => {
            // A line in another block.
            let starts: Vec<usize> =
                (0..bytes.len()).filter(|&at| at == 0 || bytes[at - 1] == b'\n').collect();
            if !starts.is_empty() {
                let at = *draws.pick(&starts);
                bytes.splice(at..at, *b"    ");
            }
        }
        _ => {
            let text = *draws.pick(&ODD);
            bytes.splice(at..at, text.iter().copied());
        }
    }
}

/// Replaces one number by one that fits nowhere.
fn change_number(bytes: &mut Vec<u8>, draws: &mut Draws) {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = *draws.pick(&starts);
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let many = "9".repeat(5000);
    let numbers =
        ["0", "-1", "65536", "2147483648", "9223372036854775807", "9223372036854775808", "1e400", &many];
    bytes.splice(start..start + digits, draws.pick(&numbers).bytes());
}

/// The content of damaged file number `seed` of a kind.
fn damaged(kind: &Kind, seed: u64) -> Vec<u8> {
    let mut draws = Draws(seed);
    let sources = (kind.sources)();
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = read(draws.pick(&sources));
    let other = read(draws.pick(&sources));
    if let (Ok(mut json), true) = (serde_json::from_slice::<Json>(&bytes), draws.below(2) == 0) {
        for _ in 0..1 + draws.below(4) {
            change_value(&mut json, &mut draws);
        }
        bytes = json.to_string().into_bytes();
        if draws.below(3) > 0 {
            return bytes;
        }
    }
    for _ in 0..1 + draws.below(3) {
        change(&mut bytes, &other, &mut draws);
    }
    bytes
}

/// The program: a copy of it, if `ATTN_FUZZ_PROGRAM` names one.
fn program() -> String {
    std::env::var("ATTN_FUZZ_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_attn").to_owned())
}

/// How long the program may take before Ctrl-C, and after it.
const SECONDS: (u64, u64) = (20, 5);
/// The address space that the program may use, in kilobytes. Its threads' stacks are in it.
const MEMORY: usize = 4 << 20;

/// What the program does wrong with a file, if anything.
fn wrong(kind: &Kind, command: &[&str], content: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join(kind.file);
    fs::create_dir_all(file.parent().expect("it is in the folder")).expect("a folder");
    fs::write(&file, content).expect("a file");
    let place = |word: &&str| match *word {
        "FILE" => kind.file.to_owned(),
        "FOLDER" => ".".to_owned(),
        word => word.to_owned(),
    };
    let mut command_line = match cfg!(target_os = "linux") {
        true => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""), &program()]);
            shell
        }
        false => Command::new(program()),
    };
    let said = |name: &str| folder.path().join(name);
    let output = |name: &str| fs::File::create(said(name)).expect("a file for what it says");
    fs::write(said("typed"), kind.input).expect("a file");
    let mut child = command_line
        .args(command.iter().map(place))
        .current_dir(folder.path())
        .env("ATTN_STATE_DIR", folder.path().join("state"))
        .env("ATTN_THREADS", "1")
        .stdin(Stdio::from(fs::File::open(said("typed")).expect("it was written")))
        .stdout(output("stdout"))
        .stderr(output("stderr"))
        .spawn()
        .expect("attn runs");
    let mut waits = |seconds: u64| {
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().expect("it is our process") {
                return Ok(status);
            }
            if start.elapsed() > Duration::from_secs(seconds) {
                return Err(child.id());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let status = match waits(SECONDS.0) {
        Ok(status) => status,
        Err(process) => {
            // A cell may run for ever: then Ctrl-C ends it.
            let pressed = Command::new("kill").args(["-INT", &process.to_string()]).status();
            assert!(pressed.is_ok_and(|status| status.success()), "Ctrl-C can be pressed");
            match waits(SECONDS.1) {
                Ok(status) => status,
                Err(_) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Some(format!("took more than {} seconds, and Ctrl-C did not end it", SECONDS.0));
                }
            }
        }
    };
    let text = |name: &str| String::from_utf8_lossy(&fs::read(said(name)).unwrap_or_default()).into_owned();
    let (printed, remarks) = (text("stdout"), text("stderr"));
    let tail = remarks.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect::<String>();
    match status.code() {
        None => return Some(format!("{status}: {tail}")),
        Some(0..=3 | 130) => {}
        Some(code) => return Some(format!("exit code {code}: {tail}")),
    }
    let defect = ["defect of attn", "panicked at", "RUST_BACKTRACE"];
    let found = defect.iter().find(|words| printed.contains(**words) || remarks.contains(**words));
    found.map(|words| format!("said `{words}`: {tail}"))
}

/// Damages this many files, from a seed on, and returns what went wrong with which, and what was kept of it.
fn failures(count: usize, first: u64) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            let seed = first + at as u64;
            let kind = &KINDS[at % KINDS.len()];
            let command = kind.commands[(at / KINDS.len()) % kind.commands.len()];
            let content = damaged(kind, seed);
            if let Some(text) = wrong(kind, command, &content) {
                let place = std::env::temp_dir().join(format!("attn-damaged-{}-{seed}", kind.name));
                fs::write(&place, &content).expect("the file is kept");
                let words = command.join(" ");
                let line = format!("{} (attn {words}, {}): {text}", kind.name, place.display());
                found.lock().expect("no thread panics").push(line);
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    found.into_inner().expect("no thread panics")
}

#[test]
fn damaged_files_are_refused_in_words() {
    let found = failures(120, 1);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The long job of `scripts/fuzz`: `ATTN_FUZZ_FILES` files, from the seed `ATTN_FUZZ_SEED` on.
#[test]
#[ignore = "runs for half an hour: scripts/fuzz"]
fn many_damaged_files() {
    let number = |name: &str, default: usize| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (count, first) = (number("ATTN_FUZZ_FILES", 20_000), number("ATTN_FUZZ_SEED", 1000));
    let found = failures(count, first as u64);
    #[allow(clippy::print_stderr, reason = "a long run says what it did")]
    {
        eprintln!("{count} files, {} failed", found.len());
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Files that failed once, by their kinds: `notebook-....`.
#[test]
fn files_that_failed_once_do_not_fail_again() {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(KEPT)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let content = fs::read(entry.path()).expect("a kept file");
        let kind = KINDS.iter().find(|kind| name.starts_with(kind.name));
        let kind = kind.unwrap_or_else(|| panic!("{KEPT}/{name} begins with no kind"));
        for command in kind.commands {
            let text = wrong(kind, command, &content);
            found.extend(text.map(|text| format!("{name} (attn {}): {text}", command.join(" "))));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
