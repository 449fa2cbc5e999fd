//! The report of `attn check` for the programs that run a course's tests: JUnit's XML, and GitHub's annotations.
//! Source: the schema of JUnit reports as Jenkins and GitLab read them; GitHub's workflow commands.

use std::fmt::Write;

use crate::lesson::compare::Verdict;
use crate::view::check::{CheckedCell, CheckedFile, difference};
use crate::view::html::escape;
use crate::view::text::Look;

const WORDS: Look = Look { width: 120, colour: false, plain: true, pictures: None };

/// What differs in a cell.
fn details(file: &CheckedFile, cell: &CheckedCell) -> String {
    difference(&file.file, cell, WORDS).characters()
}

/// Text in XML, which has no place for two code points that are no characters.
fn xml(text: &str) -> String {
    escape(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// A report in JUnit's format: a suite for each file, a case for each cell and each fault. Cells without a recorded
/// output are skipped.
pub(crate) fn junit(files: &[CheckedFile]) -> String {
    let count = |file: &CheckedFile, verdict: Verdict| {
        file.cells.iter().filter(|cell| cell.verdict == verdict).count()
    };
    let failed = |file: &CheckedFile| count(file, Verdict::Differs) + file.faults.len();
    // A file without cells is one case: that it was read.
    let cases = |file: &CheckedFile| (file.cells.len() + file.faults.len()).max(1);
    let all: usize = files.iter().map(cases).sum();
    let wrong: usize = files.iter().map(failed).sum();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attn check\" tests=\"{all}\" failures=\"{wrong}\">\n"
    );
    for file in files {
        let name = xml(&file.file);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">",
            cases(file),
            failed(file),
            count(file, Verdict::Unrecorded)
        );
        for cell in &file.cells {
            let line = cell.line.map(|line| format!(" line=\"{line}\"")).unwrap_or_default();
            let _ = write!(
                out,
                "    <testcase classname=\"{name}\" name=\"{}\" file=\"{name}\"{line}",
                xml(&cell.title)
            );
            let _ = match cell.verdict {
                Verdict::Same | Verdict::Close | Verdict::Machine => writeln!(out, "/>"),
                Verdict::Unrecorded => {
                    writeln!(out, "><skipped message=\"no output is recorded\"/></testcase>")
                }
                Verdict::Differs => writeln!(
                    out,
                    "><failure message=\"the output differs from the recorded one\">{}</failure></testcase>",
                    xml(details(file, cell).trim_end())
                ),
            };
        }
        for fault in &file.faults {
            let _ = writeln!(
                out,
                "    <testcase classname=\"{name}\" name=\"line {}\" file=\"{name}\" line=\"{}\"><failure message=\"{}\"/></testcase>",
                fault.line,
                fault.line,
                xml(&fault.text)
            );
        }
        if file.cells.is_empty() && file.faults.is_empty() {
            let _ = writeln!(
                out,
                "    <testcase classname=\"{name}\" name=\"{}\" file=\"{name}\"/>",
                xml(&file.verdict())
            );
        }
        out.push_str("  </testsuite>\n");
    }
    out + "</testsuites>\n"
}

/// Annotations of GitHub's: an error for each cell that differs and each fault, then a notice for each file.
pub(crate) fn github(files: &[CheckedFile]) -> String {
    let mut out = String::new();
    for file in files {
        for cell in file.cells.iter().filter(|cell| cell.verdict == Verdict::Differs) {
            let title = format!("{}: the output differs from the recorded one", cell.title);
            out.push_str(&annotation("error", &file.file, cell.line, &title, &details(file, cell)));
        }
        for fault in &file.faults {
            out.push_str(&annotation("error", &file.file, Some(fault.line), "a fault", &fault.text));
        }
        out.push_str(&annotation("notice", &file.file, None, "attn check", &file.verdict()));
    }
    out
}

fn annotation(kind: &str, file: &str, line: Option<usize>, title: &str, message: &str) -> String {
    let line = line.map(|line| format!(",line={line}")).unwrap_or_default();
    format!(
        "::{kind} file={}{line},title={}::{}\n",
        property(file),
        property(title),
        data(message.trim_end())
    )
}

/// The text of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of one.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
