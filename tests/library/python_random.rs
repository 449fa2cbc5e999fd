//! Python's `random` in a session gives CPython's own streams.
//! `tests/golden/python_random.json`, made by `make_python_random.py` beside it.

use attn::session::{Session, SessionOptions};
use serde_json::Value;

#[test]
fn streams_are_those_of_cpython() {
    if crate::apart::ran() {
        return;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/python_random.json");
    let text = std::fs::read_to_string(path).expect("golden files are part of the repository");
    let file: Value = serde_json::from_str(&text).expect("golden files are JSON");
    let mut session = Session::new(SessionOptions::default());
    let mut wrong = Vec::new();
    for case in file["cases"].as_array().expect("a list of cases") {
        let (code, expected) = (case["code"].as_str(), case["stdout"].as_str());
        let (code, expected) = (code.expect("code"), expected.expect("what it prints"));
        let outcome = session.run(code, "cell 1");
        if outcome.stdout != expected {
            let error = outcome.error.map(|e| format!("{}: {}", e.kind, e.message));
            wrong.push(format!(
                "{code}\n gave {}{}\n for  {expected}",
                outcome.stdout,
                error.unwrap_or_default()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Streams that nobody seeded differ from each other, and repeat from session to session.
#[test]
fn unseeded_streams_repeat_from_run_to_run() {
    if crate::apart::ran() {
        return;
    }
    let code = "import random; print(random.random(), random.Random().random())";
    let run = || Session::new(SessionOptions::default()).run(code, "cell 1").stdout;
    let first = run();
    let mut two = first.split_whitespace();
    assert_ne!(two.next(), two.next());
    assert_eq!(first, run());
}

/// NIST's examples for SHA-512, which text seeds go through, and the lengths around the end of a block.
#[test]
fn digests_are_the_published_ones() {
    if crate::apart::ran() {
        return;
    }
    let source = "from _sha2 import sha512\n\
        for text in (b'', b'abc', *(b'a' * n for n in (111, 112, 127, 128, 129, 300))):\n    \
        print(sha512(text).digest()[:8].hex())";
    let outcome = Session::new(SessionOptions::default()).run(source, "cell 1");
    assert_eq!(outcome.error.map(|error| error.message), None);
    let expected = [
        "cf83e1357eefb8bd",
        "ddaf35a193617aba",
        "fa9121c7b32b9e01",
        "c01d080efd492776",
        "828613968b501dc0",
        "b73d1929aa615934",
        "4f681e0bd53cda4b",
        "a6a77010dd9696c2",
    ];
    assert_eq!(outcome.stdout.lines().collect::<Vec<_>>(), expected);
}
