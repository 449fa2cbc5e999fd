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
    let (outcome, trace, calls) = session.examined(source, "program", doctor::calls_to_repeat);
    let error = outcome.error.map(|error| format!("{}: {}\n", error.kind, error.message)).unwrap_or_default();
    let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let mut findings = doctor::examine(&trace, &names, &calls, &session.sources().collect());
    findings.extend(doctor::read("program", source, doctor::Reading::Ran));
    findings.retain(|finding| {
        let line = finding.line.and_then(|line| source.lines().nth(line - 1));
        !line.is_some_and(|line| doctor::is_allowed(finding.mistake, line))
    });
    let told = findings.iter().map(|it| format!("{} in line {:?}: {}", it.mistake, it.line, it.observed));
    (outcome.stdout + &error, told.collect())
}

#[test]
fn correct_programs_print_what_pytorch_prints_and_have_no_findings() {
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
