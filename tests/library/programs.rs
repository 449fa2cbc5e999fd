//! Programs print what a real PyTorch prints for them, character for character.
//!
//! The recorded ones are `tests/golden/{programs,show,errors,programs_more,nn}.json`; each runs in a
//! session of its own. `ATTN_PROGRAMS=FILE[,FILE]` runs other recorded files instead (those of
//! `make_programs.py`), `ATTN_FAMILY=NAME` only one family, and `ATTN_SHOW=N` shows more differences.

use std::{collections::BTreeMap, env, fmt::Write, fs};

use attn::session::{Session, SessionOptions, with_large_stack};
use serde_json::Value as Json;

use crate::explained::why::faults_in;

/// The program itself, or with the imports it takes for granted put before it.
fn with_imports(source: &str) -> String {
    if source.contains("import torch\n") {
        return source.to_owned();
    }
    let mut lines = vec!["import torch", "inf, nan = float('inf'), float('nan')"];
    if source.contains("nn.") {
        lines.push("import torch.nn as nn");
    }
    if source.contains("F.") {
        lines.push("import torch.nn.functional as F");
    }
    lines.push(source);
    lines.join("\n")
}

struct Program {
    family: String,
    name: String,
    source: String,
    stdout: String,
}

fn cases(path: &str) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut doc: Json = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    match doc["cases"].take() {
        Json::Array(cases) => cases,
        _ => panic!("{path} has no list of cases"),
    }
}

fn text(case: &Json, key: &str) -> String {
    case[key].as_str().unwrap_or_default().to_owned()
}

/// Programs with their recorded output; those without imports of their own get them.
fn recorded(path: &str) -> Vec<Program> {
    cases(path)
        .iter()
        .enumerate()
        .map(|(index, case)| {
            let name = case["name"].as_str();
            Program {
                family: text(case, "family"),
                name: name.map_or(format!("program {index}"), str::to_owned),
                source: with_imports(&text(case, "program")),
                stdout: text(case, "stdout"),
            }
        })
        .collect()
}

/// How a program went: `None` when it printed what it should, and `why` explains what it left by figures that add up.
fn difference(program: &Program) -> Option<String> {
    let mut session = Session::new(SessionOptions::default());
    let outcome = session.run(&program.source, "program");
    if let Some(error) = outcome.error {
        let line = error.line.and_then(|n| program.source.lines().nth(n.saturating_sub(1)));
        return Some(format!(
            "raised {}: {}\n    in {}",
            error.kind,
            error.message,
            line.unwrap_or_default().trim()
        ));
    }
    if outcome.stdout == program.stdout {
        // `backward` leaves gradients, which have no way to what they were computed from, and NumPy's programs plain numbers.
        let is_explained = ![".backward(", "numpy"].iter().any(|word| program.source.contains(word));
        return is_explained.then(|| faults_in(&session)).and_then(|faults| faults.into_iter().next());
    }
    let mut lines = program.stdout.lines();
    let mut printed = outcome.stdout.lines();
    loop {
        match (lines.next(), printed.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => return Some("differs in its line ends".to_owned()),
            (a, b) => {
                return Some(format!(
                    "recorded {}\n    printed  {}",
                    a.unwrap_or("nothing more"),
                    b.unwrap_or("nothing more")
                ));
            }
        }
    }
}

/// Runs all and fails with a table of families and the first differences.
fn all_agree(programs: Vec<Program>) {
    let shown = env::var("ATTN_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(15);
    let report = with_large_stack(move || {
        let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut report = String::new();
        let mut wrong = 0;
        for program in &programs {
            let row = families.entry(&program.family).or_default();
            row.1 += 1;
            let Some(difference) = difference(program) else {
                row.0 += 1;
                continue;
            };
            wrong += 1;
            if wrong <= shown {
                let _ = writeln!(report, "{}/{}: {difference}", program.family, program.name);
            }
        }
        if wrong == 0 {
            return None;
        }
        for (family, (same, all)) in families {
            let _ = writeln!(report, "{family:<14} {same:>5} of {all:>5}");
        }
        let all = programs.len();
        let _ = writeln!(report, "{} of {all} agree", all - wrong);
        Some(report)
    });
    if let Some(report) = report {
        panic!("\n{report}");
    }
}

fn chosen(default: &str) -> Vec<Program> {
    let paths = env::var("ATTN_PROGRAMS").unwrap_or_else(|_| default.to_owned());
    let family = env::var("ATTN_FAMILY").ok();
    paths
        .split(',')
        .flat_map(recorded)
        .filter(|program| family.as_ref().is_none_or(|name| *name == program.family))
        .collect()
}

#[test]
fn programs_of_every_family_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    all_agree(chosen("tests/golden/programs_more.json"));
}

/// Recorded by `make_nn.py`: modules, their starting values, data loading, and Python over them.
#[test]
fn programs_of_torch_nn_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    all_agree(recorded("tests/golden/nn.json"));
}

/// Recorded by `make_numpy.py`, from NumPy 1.26.
#[test]
fn programs_of_numpy_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    all_agree(recorded("tests/golden/numpy.json"));
}

/// Recorded by `make_tokens.py`, from tiktoken with the published ranks.
#[test]
fn programs_of_tokens_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    all_agree(recorded("tests/golden/tokens.json"));
}

#[test]
fn programs_about_views_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    all_agree(recorded("tests/golden/programs.json"));
}

#[test]
fn expressions_show_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    let cases = cases("tests/golden/show.json");
    let programs = cases.iter().map(|case| Program {
        family: "show".to_owned(),
        name: text(case, "expr"),
        source: with_imports(&format!(
            "v = {}\nprint(repr(v))\nprint(str(v))\nprint(f\"{{v}}\")",
            text(case, "expr")
        )),
        stdout: format!("{}\n{}\n{}\n", text(case, "repr"), text(case, "str"), text(case, "fstring")),
    });
    all_agree(programs.collect());
}

#[test]
fn errors_say_what_is_recorded() {
    if crate::apart::ran() {
        return;
    }
    let cases = cases("tests/golden/errors.json");
    let programs = cases.iter().map(|case| {
        let message = text(case, "message");
        let error = case["error"].as_str();
        Program {
            family: "errors".to_owned(),
            name: text(case, "expr"),
            source: with_imports(&format!(
                "try:\n    {}\n    print('fine')\nexcept Exception as e:\n    print(type(e).__name__, str(e)[:{}])",
                text(case, "expr"),
                message.chars().count()
            )),
            stdout: match error {
                Some(error) => format!("{error} {message}\n"),
                None => "fine\n".to_owned(),
            },
        }
    });
    all_agree(programs.collect());
}
