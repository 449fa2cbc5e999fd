//! Each code of the doctor has a section in docs/mistakes.md: code in which it finds the mistake, and code in which it
//! finds nothing.

use attn::explain::{TensorNames, doctor};
use attn::session::{Session, SessionOptions, with_large_stack};

/// The names of the mistakes in a program, from its operations and its syntax.
fn found(source: &str) -> Vec<&'static str> {
    let mut session = Session::new(SessionOptions::default());
    let (outcome, trace, calls) = session.examined(source, "program", doctor::calls_to_repeat);
    assert_eq!(outcome.error, None, "{source}");
    let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let mut all = doctor::examine(&trace, &names, &calls, &session.sources().collect());
    all.extend(doctor::read("program", source, doctor::Reading::Ran));
    all.iter().map(|finding| finding.mistake).collect()
}

#[test]
fn each_code_has_an_example_that_has_it_and_one_that_does_not() {
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for mistake in doctor::MISTAKES {
            let Some(example) = doctor::example_of(mistake) else {
                wrong.push(format!("{} has no section", mistake.code));
                continue;
            };
            let (first, second) = (found(example.wrong), found(example.right));
            if !first.contains(&mistake.name) || !second.is_empty() {
                wrong.push(format!("{} {}: {first:?}, then {second:?}", mistake.code, mistake.name));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn codes_and_names_are_unique() {
    for (at, mistake) in doctor::MISTAKES.iter().enumerate() {
        let others = &doctor::MISTAKES[at + 1..];
        assert!(
            others.iter().all(|it| it.code != mistake.code && it.name != mistake.name),
            "{}",
            mistake.code
        );
        assert!(!mistake.title.is_empty() && mistake.why.ends_with('.'), "{}", mistake.name);
        for cause in mistake.implied_by {
            assert!(doctor::MISTAKES.iter().any(|it| it.name == *cause), "{cause}");
        }
    }
}

#[test]
fn syntax_is_read_where_nothing_can_run() {
    let source = "\
import torch.nn.functional as F
def attend(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scores.masked_fill(mask, float('-inf'))
    return F.softmax(F.softmax(scores, dim=-1), dim=-1) @ v
def both(q, k, v, mask):
    loss = F.cross_entropy(F.softmax(q, dim=-1), v)
    return attend(q, v, k, mask)
";
    let read = doctor::read("cell", source, doctor::Reading::Instead);
    let told: Vec<(&str, Option<usize>)> = read.iter().map(|it| (it.mistake, it.line)).collect();
    let wanted = [
        ("masked-copy-unused", Some(4)),
        ("softmax-twice", Some(5)),
        ("softmax-before-loss", Some(7)),
        ("arguments-swapped", Some(8)),
    ];
    assert_eq!(told, wanted);
    let ran = doctor::read("cell", source, doctor::Reading::Ran);
    assert_eq!(
        ran.iter().map(|it| it.mistake).collect::<Vec<_>>(),
        ["masked-copy-unused", "arguments-swapped"]
    );
}
