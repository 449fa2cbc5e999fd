//! Products, `torch.nn.functional` and random numbers print what a real PyTorch on x86 with MKL prints for them.
//! The figures are `tests/golden/functional.json`, made by `make_functional.py`.

use std::fs;

use attn::kernel::random::Family;
use attn::session::{Session, SessionOptions, with_large_stack};
use serde_json::Value as Json;

#[test]
fn expressions_print_as_recorded() {
    if crate::apart::ran() {
        return;
    }
    let text = fs::read_to_string("tests/golden/functional.json")
        .expect("the recorded figures are in the repository");
    let doc: Json = serde_json::from_str(&text).expect("the recorded figures are JSON");
    let cases = doc["cases"].as_array().expect("the recorded figures are a list of cases").clone();
    let differing = with_large_stack(move || {
        let mut differing = Vec::new();
        for case in &cases {
            let field = |key: &str| case[key].as_str().unwrap_or_default();
            let mut session =
                Session::new(SessionOptions { random: Family::Mkl, ..SessionOptions::default() });
            let outcome = session.run(field("program"), "program");
            let mut printed = outcome.stdout.lines();
            let wrong = field("stdout").lines().find_map(|recorded| match printed.next() {
                Some(line) if line == recorded => None,
                line => Some((recorded, line.unwrap_or("nothing more").to_owned())),
            });
            if let Some((recorded, line)) = wrong {
                differing.push(format!("{}\n    recorded {recorded}\n    printed  {line}", field("name")));
            }
        }
        differing
    });
    assert!(differing.is_empty(), "{} programs differ:\n{}", differing.len(), differing.join("\n"));
}
