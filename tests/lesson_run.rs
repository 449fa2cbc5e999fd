//! Lessons are run by the engine and everything they claim is tried: outputs, invariants, predictions, exercises.

use attn::lesson::{Catalogue, gate};
use attn::session::{Options, Session, with_room};

fn findings(lessons: std::ops::Range<usize>) -> Vec<String> {
    with_room(move || {
        let catalogue = Catalogue::new();
        let mut findings = Vec::new();
        for at in lessons {
            let lesson = catalogue.lesson(at).unwrap_or_else(|fault| panic!("{fault}"));
            let report = gate::check(&catalogue, lesson, &|| Session::new(Options::default()))
                .unwrap_or_else(|fault| panic!("{fault}"));
            findings.extend(report.findings.iter().map(ToString::to_string));
        }
        findings
    })
}

fn pass(lessons: std::ops::Range<usize>) {
    let found = findings(lessons);
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

#[test]
fn sections_3_3_and_3_4_pass_the_gate() {
    pass(0..4);
}

#[test]
fn the_other_lessons_pass_the_gate() {
    pass(4..Catalogue::new().len());
}
