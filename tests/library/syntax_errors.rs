//! Errors of syntax read as in CPython: class, text and line, recorded by `tests/golden/make_syntax_errors.py`.

use attn::session::{Session, SessionOptions, with_large_stack};

/// What differs, and why: the parser reads newer versions of Python too, and goes on where CPython stops.
const DIFFERS: &[&str] = &[
    "if x == 1 and y = 2:\n  pass",
    "f() := 1",
    "def f():\n\treturn 1\n        x",
    "if x:\n\ty\n        z",
    "if x:\n# c\n",
    "f'{a['x']}'",
    "f\"{'\\n'}\"",
    "f\"{#}\"",
    "def f(a, (b, c)): pass",
    "def f(a=): pass",
    "def f() -> : pass",
    "for (i in x): pass",
    "try: x\nexcept: y\nexcept ValueError: z",
    "try: x\nexcept A, B: y",
    "def f():\n  nonlocal x",
    "{**x for x in y}",
    "@x\n",
    "def __debug__(): pass",
    "[(yield 1) for x in y]",
    "if 1:\n\ta\n    b",
];

#[test]
fn mistakes_are_worded_as_in_cpython() {
    let recorded: Vec<(String, String, String, Option<usize>)> =
        serde_json::from_str(include_str!("../golden/syntax_errors.json")).expect("the recorded errors");
    let printed = with_large_stack(|| {
        let sources: Vec<&str> = recorded.iter().map(|(source, ..)| source.as_str()).collect();
        let sources = serde_json::to_string(&sources).expect("texts");
        // Rust and Python escape other characters in different ways.
        let escaped = |letter: char| match letter.is_ascii() {
            true => letter.to_string(),
            false => format!("\\u{:04x}", u32::from(letter)),
        };
        let sources: String = sources.chars().map(escaped).collect();
        let program = format!(
            "import json
for source in json.loads({sources:?}):
    try:
        compile(source, '<s>', 'exec')
        print('OK')
    except SyntaxError as error:
        print(type(error).__name__, error.msg, error.lineno, sep=' | ')
"
        );
        let outcome = Session::new(SessionOptions::default()).run(&program, "cell 1");
        assert_eq!(outcome.error, None);
        outcome.stdout
    });
    let mut wrong = Vec::new();
    for ((source, kind, text, line), ours) in recorded.iter().zip(printed.lines()) {
        let theirs = format!("{kind} | {text} | {}", line.map_or("None".to_owned(), |line| line.to_string()));
        let is_listed = DIFFERS.contains(&source.as_str());
        if (theirs == ours) == is_listed {
            wrong.push(format!("{source:?}\n    CPython: {theirs}\n    attn:    {ours}"));
        }
    }
    assert_eq!(printed.lines().count(), recorded.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), recorded.len(), wrong.join("\n"));
}
