//! Random calls of every operation, made from the signatures of the table. Each call gives tensors in range or raises an
//! exception that PyTorch raises too, leaves its inputs as they were, and ends soon; none panics.
//!
//! The calls are Python: `tests/fuzz/generate.py` makes them, `tests/fuzz/check.py` judges them. `scripts/fuzz` runs 10^5
//! of each family. A call that failed once is kept in `tests/fuzz/kept.txt` and runs in every test.
//! [`files`] does the same for damaged files.

mod files;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use std::{env, fs};

use attn::ops::op::Op;
use attn::ops::table::ops;
use attn::session::{Session, SessionOptions, with_large_stack};
use serde_json::{Value as Json, json};

const GENERATE: &str = include_str!("generate.py");
const CHECK: &str = include_str!("check.py");
const EFFECTS: &str = include_str!("effects.py");

/// Calls that failed once.
const KEPT: &str = "tests/fuzz/kept.txt";
/// Which dtypes PyTorch's operations take and give.
const DTYPES: &str = "tests/golden/dtypes.json";
/// Two calls that differ in one argument and in their results, where a search would have to know too much.
const RECORDED: &str = "tests/fuzz/recorded.txt";

fn file(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The row as the generator reads it: name, places, signatures.
fn row(op: &Op) -> Json {
    json!([op.name, op.places, op.forms])
}

/// What can be called by name.
fn reachable() -> impl Iterator<Item = &'static Op> {
    ops().filter(|op| op.places != 0)
}

fn session(sources: &[&str]) -> Session {
    let mut session = Session::new(SessionOptions { max_memory: 2 << 30, ..SessionOptions::default() });
    for source in sources {
        let outcome = session.run(source, "preparation");
        assert_eq!(outcome.error.map(|error| error.message), None);
    }
    session
}

/// Random calls of these operations, a line each.
fn calls(rows: &[Json], seed: usize, count: usize, wild: f64) -> Vec<String> {
    let mut generator = session(&[GENERATE]);
    let rows = serde_json::to_string(rows).expect("names and texts");
    let source = format!("print('\\n'.join(generate({rows}, {seed}, {count}, {wild})))");
    let outcome = generator.run(&source, "generation");
    assert_eq!(outcome.error.map(|error| error.message), None);
    outcome.stdout.lines().map(str::to_owned).collect()
}

/// What went wrong with each of these calls.
fn failures<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut found = Vec::new();
    let mut judge = session(&[CHECK]);
    // Other tests run beside this one: a call that takes long is one that takes very long.
    judge.run("SECONDS = 20.0", "preparation");
    for line in lines {
        let outcome = judge.run(line, "call");
        let wrong = outcome.stdout.lines().find(|line| line.starts_with("WRONG"));
        let text = match (&outcome.error, wrong) {
            // A tensor of just the size that is allowed: what the judge adds to it is too much.
            (Some(error), _) if error.kind == "MemoryError" => continue,
            (Some(error), _) => format!("{}: {}", error.kind, error.message),
            (None, Some(wrong)) => wrong.to_owned(),
            _ => continue,
        };
        found.push(format!("{line}\n    {text}"));
    }
    found
}

fn shown(found: &[String]) -> String {
    let mut text = format!("{} calls failed; append them to tests/fuzz/kept.txt:\n", found.len());
    for one in found.iter().take(30) {
        let _ = writeln!(text, "{one}");
    }
    text
}

#[test]
fn random_calls_give_tensors_in_range_or_raise() {
    if crate::apart::ran() {
        return;
    }
    let found = with_large_stack(|| {
        let rows: Vec<Json> = reachable().map(row).collect();
        let lines = calls(&rows, 1, 3000, 0.3);
        failures(lines.iter().map(String::as_str))
    });
    assert!(found.is_empty(), "{}", shown(&found));
}

#[test]
fn calls_that_failed_once_do_not_fail_again() {
    if crate::apart::ran() {
        return;
    }
    let found = with_large_stack(|| failures(file(KEPT).lines().filter(|line| line.starts_with("check("))));
    assert!(found.is_empty(), "{}", shown(&found));
}

/// The long job of `scripts/fuzz`: `ATTN_FUZZ` calls of each family, from the seed `ATTN_FUZZ_SEED` on.
#[test]
#[ignore = "runs for an hour: scripts/fuzz"]
fn many_random_calls_of_each_family() {
    let number = |name: &str, default| env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let (count, first) = (number("ATTN_FUZZ", 100_000), number("ATTN_FUZZ_SEED", 1000));
    let only = env::var("ATTN_FUZZ_FAMILY").ok();
    let mut families: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for op in reachable() {
        families.entry(format!("{:?}", op.family)).or_default().push(row(op));
    }
    // Sessions leave some memory behind: each family has a process of its own.
    let Some(only) = only else {
        let failed: Vec<&String> = families.keys().filter(|family| !is_sound(family)).collect();
        return assert!(failed.is_empty(), "families with calls that failed: {failed:?}");
    };
    families.retain(|name, _| *name == only);
    let found = with_large_stack(move || {
        let mut all = Vec::new();
        for (name, rows) in families {
            let mut failed = 0;
            for (at, start) in (0..count).step_by(1000).enumerate() {
                let lines = calls(&rows, first + at, 1000.min(count - start), 0.3);
                // A call that ends the process is the last line of this file.
                if let Ok(path) = env::var("ATTN_FUZZ_LOG") {
                    fs::write(path, lines.join("\n")).expect("the log can be written");
                }
                let found = failures(lines.iter().map(String::as_str));
                failed += found.len();
                all.extend(found);
            }
            #[allow(clippy::print_stderr, reason = "a run of an hour says how far it is")]
            {
                eprintln!("{name}: {count} calls, {failed} failed");
            }
        }
        all
    });
    assert!(found.is_empty(), "{}", shown(&found));
}

/// Runs the job for one family, and returns whether nothing was found.
fn is_sound(family: &str) -> bool {
    let program = env::current_exe().expect("the program that runs has a path");
    let mut job = Command::new(program);
    job.args(["many_random_calls_of_each_family", "--ignored", "--nocapture"])
        .env("ATTN_FUZZ_FAMILY", family);
    job.status().expect("the program runs once more").success()
}

/// Writes the table as `tests/fuzz/record_dtypes.py` reads it: `ATTN_ROWS=FILE cargo test ... rows_for_recording`.
#[test]
#[ignore = "writes a file for recording"]
fn rows_for_recording() {
    let path = env::var("ATTN_ROWS").expect("ATTN_ROWS names the file");
    let rows: Vec<Json> = reachable().map(row).collect();
    fs::write(path, Json::from(rows).to_string()).expect("the file can be written");
}

/// The lines of [`RECORDED`]: `row[form].parameter | call | call`.
fn recorded() -> Vec<(String, String, String)> {
    let text = file(RECORDED);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let parts = lines.map(|line| line.splitn(3, " | ").map(str::to_owned).collect::<Vec<_>>());
    parts
        .map(|parts| match <[String; 3]>::try_from(parts) {
            Ok([name, first, second]) => (name, first, second),
            Err(parts) => panic!("{RECORDED}: {parts:?} has no two calls"),
        })
        .collect()
}

#[test]
fn every_argument_changes_a_result_or_is_refused() {
    if crate::apart::ran() {
        return;
    }
    let (without, alike) = with_large_stack(|| {
        let mut session = session(&[CHECK, GENERATE, EFFECTS]);
        let mut without = Vec::new();
        for row in reachable().map(row) {
            let outcome = session.run(&format!("print(*without_effect({row}, 60))"), "effects");
            assert_eq!(outcome.error.map(|error| format!("{row}: {}", error.message)), None);
            without.extend(outcome.stdout.split_whitespace().map(str::to_owned));
        }
        let mut alike = Vec::new();
        for (name, first, second) in recorded() {
            let source = format!("print(differ({first:?}, {second:?}))");
            let outcome = session.run(&source, "recorded");
            if outcome.stdout.trim() != "True" {
                let why = outcome.error.map_or(String::new(), |error| error.message);
                alike.push(format!("{name}: {first} and {second} do not differ {why}"));
            }
        }
        (without, alike)
    });
    let listed: Vec<String> = recorded().into_iter().map(|(name, ..)| name).collect();
    let missing: Vec<&String> = without.iter().filter(|name| !listed.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "no call was found in which these change a result. An argument that is not read is an `only` in its signature; \
         of others, {RECORDED} has two calls that differ: {missing:?}"
    );
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}

#[test]
fn operations_take_and_give_the_dtypes_of_pytorch() {
    if crate::apart::ran() {
        return;
    }
    let cases: Vec<Json> = serde_json::from_str(&file(DTYPES)).expect("a list of cases");
    let wrong = with_large_stack(move || {
        let mut judge = session(&[CHECK]);
        let mut wrong = Vec::new();
        for case in &cases {
            let call = case["call"].as_str().unwrap_or_default();
            for (dtype, wanted) in case["gives"].as_object().into_iter().flatten() {
                let wanted = wanted.as_str().unwrap_or_default();
                let outcome = judge.run(&call.replace("{dtype}", dtype), "call");
                let line = outcome.stdout.lines().next().unwrap_or_default().to_owned();
                let found = match line.strip_prefix("raised ") {
                    Some(error) => error.to_owned(),
                    None => format!("gave {}", dtypes_in(&line)),
                };
                let kind = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
                // What attn does not have yet it refuses; what PyTorch refuses, attn refuses with the same exception.
                let agrees = match wanted.starts_with("gave") {
                    true => found == wanted || !line.starts_with("gave"),
                    false => kind(&found) == kind(wanted),
                };
                if !agrees {
                    wrong.push(format!("{} of {dtype}: {found}, PyTorch: {wanted}", case["name"]));
                }
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The dtypes in a line such as `gave (float32(2,)[..], int64()3)`.
fn dtypes_in(line: &str) -> String {
    const NAMES: [&str; 10] =
        ["bfloat16", "float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool"];
    let mut found = Vec::new();
    for (at, _) in line.match_indices('(') {
        let before = &line[..at];
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
        if NAMES.contains(&&before[start..]) {
            found.push(&before[start..]);
        }
    }
    found.join(" ")
}

/// Parameters of Python's functions that may be unread, because a protocol gives them.
const UNREAD: [&str; 10] =
    ["error", "item", "values", "orig_func", "place", "record", "reduction_of", "rest", "single", "step"];

#[test]
fn functions_in_python_read_their_parameters() {
    if crate::apart::ran() {
        return;
    }
    let mut wrong = Vec::new();
    let mut folders = vec![std::path::PathBuf::from("src/torch/py")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "py") {
                let text = fs::read_to_string(&path).expect("a source file");
                wrong.extend(unread(&text).into_iter().map(|what| format!("{}: {what}", path.display())));
            }
        }
    }
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "an argument is honoured, refused (torch._arguments.only_defaults), or named as one that changes no result \
         (torch._arguments.hint):\n{}",
        wrong.join("\n")
    );
}

/// `function(parameter)` for each parameter that its function does not name again.
fn unread(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("def ") else { continue };
        let (name, mut head) =
            rest.split_once('(').map(|(name, head)| (name, head.to_owned())).expect("a definition");
        // All in one line: what is read is in it.
        if line.contains("): ") {
            continue;
        }
        let mut end = at;
        while !lines[end].trim_end().ends_with(':') && !lines[end].contains("): ") {
            end += 1;
            head.push_str(lines[end].trim());
        }
        let body: Vec<&str> = lines[end + 1..]
            .iter()
            .take_while(|line| line.trim().is_empty() || depth(line) > depth(lines[at]))
            .copied()
            .collect();
        let code = body.join("\n");
        let is_stub = body.iter().filter(|line| !line.trim().is_empty()).all(|line| {
            let line = line.trim();
            line.starts_with("raise ") || line.starts_with(['"', 'f']) || line == ")" || line == "pass"
        });
        if is_stub || code.contains("locals()") {
            continue;
        }
        let head = head.rsplit_once(')').map_or("", |(head, _)| head);
        for part in top_level(head) {
            let word = part.split(['=', ':']).next().unwrap_or_default().trim().trim_start_matches('*');
            let is_named =
                !word.is_empty() && word != "/" && word != "self" && word != "cls" && !word.starts_with('_');
            if is_named && !UNREAD.contains(&word) && !names(&code, word) {
                found.push(format!("{}({word})", name.trim()));
            }
        }
    }
    found
}

/// The parts between commas that are in no brackets.
fn top_level(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0i32);
    for c in text.chars() {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().expect("one part").push(c),
        }
    }
    parts
}

fn names(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part))
}
