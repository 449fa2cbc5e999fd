//! Correct attention programs in many styles: each prints what PyTorch prints, and the doctor finds nothing in it.

use std::fs;
use std::path::{Path, PathBuf};

use attn::explain::{TensorNames, doctor};
use attn::kernel::random::Family;
use attn::session::{Session, SessionOptions, with_large_stack};

/// The programs in a folder of the zoo.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo").join(folder);
    let files =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read").path());
    let mut programs: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "py")).collect();
    programs.sort();
    programs
}

/// What a program prints, and what the doctor finds in it.
fn examined(source: &str) -> (String, Vec<String>) {
    let mut session = Session::new(SessionOptions { random: Family::Mkl, ..SessionOptions::default() });
    doctor::watch(&mut session);
    let (outcome, trace, calls) = session.examined(source, "program", doctor::calls_to_repeat);
    let error = outcome.error.map(|error| format!("{}: {}\n", error.kind, error.message)).unwrap_or_default();
    let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let mut findings = doctor::examine(&trace, &names, &calls, &session.sources().collect());
    findings.extend(doctor::watched(&mut session));
    findings.retain(|finding| {
        let line = finding.line.and_then(|line| source.lines().nth(line - 1));
        !line.is_some_and(|line| doctor::is_allowed(finding.mistake, line))
    });
    let told = findings.iter().map(|it| format!("{} in line {:?}: {}", it.mistake, it.line, it.observed));
    (outcome.stdout + &error, told.collect())
}

/// A program as the cells of a notebook, one for each statement at the left margin; what is indented or closes a bracket
/// belongs to the statement before.
fn cells(source: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    let mut is_text = false;
    for line in source.lines() {
        let continues = is_text
            || line.is_empty()
            || line.starts_with([' ', ')', ']', '}', '#'])
            || ["else:", "elif ", "except", "finally"].iter().any(|it| line.starts_with(it))
            || cells.last().is_some_and(|cell| {
                cell.trim_end().lines().next_back().is_some_and(|it| it.starts_with('@'))
            });
        match cells.last_mut().filter(|_| continues) {
            Some(cell) => cell.push_str(line),
            None => cells.push(line.to_owned()),
        }
        if let Some(cell) = cells.last_mut() {
            cell.push('\n');
        }
        is_text ^= line.matches("\"\"\"").count() % 2 == 1;
    }
    cells
}

/// What the doctor finds in a program whose statements run one cell at a time, as in a notebook.
fn found_in_cells(source: &str) -> Vec<String> {
    let mut session = Session::new(SessionOptions { random: Family::Mkl, ..SessionOptions::default() });
    doctor::watch(&mut session);
    let cells: Vec<(String, String)> =
        cells(source).into_iter().enumerate().map(|(at, cell)| (format!("cell {at}"), cell)).collect();
    let mut findings = Vec::new();
    for (name, cell) in &cells {
        let (outcome, trace, calls) = session.examined(cell, name, doctor::calls_to_repeat);
        if let Some(error) = outcome.error {
            return vec![format!("{name} raised {}: {}", error.kind, error.message)];
        }
        let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
        findings.extend(doctor::examine(&trace, &names, &calls, &session.sources().collect()));
    }
    let named: Vec<(&str, &str)> = cells.iter().map(|(name, cell)| (name.as_str(), cell.as_str())).collect();
    findings.retain(|finding| {
        let source = named.iter().find(|(name, _)| Some(*name) == finding.cell.as_deref());
        let line = source.and_then(|(_, source)| source.lines().nth(finding.line? - 1));
        !line.is_some_and(|line| doctor::is_allowed(finding.mistake, line))
    });
    findings.iter().map(|it| format!("{} in {:?}: {}", it.mistake, it.cell, it.observed)).collect()
}

/// Every fourth program: what is particular about cells is that one follows the other.
#[test]
fn correct_programs_have_no_findings_as_notebooks() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for path in programs("correct").into_iter().step_by(4) {
            let source = fs::read_to_string(&path).expect("it can be read");
            let name = path.file_stem().expect("it has a name").to_string_lossy();
            wrong.extend(found_in_cells(&source).into_iter().map(|finding| format!("{name}: {finding}")));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn correct_programs_print_what_pytorch_prints_and_have_no_findings() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        let programs = programs("correct");
        assert!(programs.len() >= 40, "{}", programs.len());
        for path in programs {
            let source = fs::read_to_string(&path).expect("it can be read");
            let recorded = fs::read_to_string(path.with_extension("txt")).expect("it was recorded");
            let (printed, found) = examined(&source);
            let name = path.file_stem().expect("it has a name").to_string_lossy();
            if printed.trim_end() != recorded.trim_end() {
                wrong.push(format!("{name} prints\n{printed}and not\n{recorded}"));
            }
            wrong.extend(found.into_iter().map(|finding| format!("{name}: {finding}")));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
