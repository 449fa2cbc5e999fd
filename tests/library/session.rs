//! Cells run through a session: what they print, show and raise, and how they are stopped.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use attn::session::{Channel, InputState, Outcome, Session, SessionOptions, input_state, with_large_stack};

fn run(source: &str) -> Outcome {
    Session::new(SessionOptions::default()).run(source, "cell 1")
}

fn names(outcome: &Outcome) -> Vec<&str> {
    outcome.changed.iter().map(|variable| variable.name.as_str()).collect()
}

/// Source, standard output, shown value. As Jupyter with CPython has them.
const SHOWN: &[(&str, &str, Option<&str>)] = &[
    ("1", "", Some("1")),
    ("'it''s'", "", Some("'its'")),
    ("None", "", None),
    ("x = 3", "", None),
    ("3;", "", None),
    ("3; 4", "", Some("4")),
    ("3  # a comment; with a semicolon", "", Some("3")),
    ("print('a', 1.5, end='!\\n', sep='-', flush=True)", "a-1.5!\n", None),
    ("if True: 5", "", None),
    ("", "", None),
    ("# nothing\n", "", None),
    ("_ = 1\nfor _ in range(2): pass", "", None),
    ("display([1, 2], 'x')", "[1, 2]\n'x'\n", None),
    (
        "list(range(30))",
        "",
        Some(
            "[0,\n 1,\n 2,\n 3,\n 4,\n 5,\n 6,\n 7,\n 8,\n 9,\n 10,\n 11,\n 12,\n 13,\n 14,\n 15,\n 16,\n 17,\n 18,\n 19,\n 20,\n 21,\n 22,\n 23,\n 24,\n 25,\n 26,\n 27,\n 28,\n 29]",
        ),
    ),
    ("{'b': 1, 'a': [1, (2,), {3}]}", "", Some("{'b': 1, 'a': [1, (2,), {3}]}")),
    ("{'c', 'a', 'b'}", "", Some("{'a', 'b', 'c'}")),
    ("set(), frozenset({2, 1}), ()", "", Some("(set(), frozenset({1, 2}), ())")),
    ("x = [1]; x.append(x); x", "", Some("[1, [...]]")),
    (
        "class T:\n    def __repr__(self): return 'tensor([[1],\\n        [2]])'\n(T(), 'x', [T()])",
        "",
        Some("(tensor([[1],\n         [2]]),\n 'x',\n [tensor([[1],\n          [2]])])"),
    ),
    (
        "class T:\n    def __repr__(self): return 'ab\\ncd'\n{'key': T(), 'k': 1}",
        "",
        Some("{'key': ab\n cd,\n 'k': 1}"),
    ),
    ("class A: pass\nA, int, len", "", Some("(__main__.A, int, <function len>)")),
    (
        "def f(x, /, y: int = 2, *a, z=3, **k) -> str: pass\nf",
        "",
        Some("<function __main__.f(x, /, y: int = 2, *a, z=3, **k) -> str>"),
    ),
    ("ValueError('no', 3)", "", Some("ValueError('no', 3)")),
    (
        "from collections import *\nCounter('aab'), OrderedDict(a=1)",
        "",
        Some("(Counter({'a': 2, 'b': 1}), OrderedDict([('a', 1)]))"),
    ),
    (
        "from collections import *\ndeque([1], maxlen=2), defaultdict(int, a=1)",
        "",
        Some("(deque([1], maxlen=2), defaultdict(int, {'a': 1}))"),
    ),
    ("__name__ == '__main__'", "", Some("True")),
    ("class A: pass\nA.__module__", "", Some("'__main__'")),
    ("import sys; sys.stdout.write('x\\n'); sys.stdout.isatty()", "x\n", Some("False")),
    (
        "f'{3.14159:>10.3f}|{\"a\"!r:^7}|{1234567:,}|{0.25:.0%}|{255:#06x}'",
        "",
        Some("\"     3.142|  'a'  |1,234,567|25%|0x00ff\""),
    ),
    ("'%5.2f|%-4s|%03d' % (2.345, 'a', 7)", "", Some("' 2.35|a   |007'")),
    (
        "1e16, 1e-5, 0.1 + 0.2, -0.0, float('nan'), 2**70",
        "",
        Some("(1e+16, 1e-05, 0.30000000000000004, -0.0, nan, 1180591620717411303424)"),
    ),
];

#[test]
fn cells_print_and_show_as_in_jupyter() {
    if crate::apart::ran() {
        return;
    }
    for (source, stdout, result) in SHOWN {
        let outcome = run(source);
        assert_eq!(outcome.error, None, "{source}");
        assert_eq!((outcome.stdout.as_str(), outcome.result.as_deref()), (*stdout, *result), "{source}");
    }
}

/// Source, type, text, line.
const RAISED: &[(&str, &str, &str, Option<usize>)] = &[
    ("x = 1\n1/0", "ZeroDivisionError", "division by zero", Some(2)),
    ("def f():\n    return {}['k']\n\nf()", "KeyError", "'k'", Some(2)),
    ("y", "NameError", "name 'y' is not defined", Some(1)),
    ("x = (1,\n  2", "SyntaxError", "'(' was never closed", Some(1)),
    ("class Odd(Exception): pass\nraise Odd('so')", "Odd", "so", Some(2)),
    (
        "import json\njson.loads('{')",
        "json.decoder.JSONDecodeError",
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        Some(2),
    ),
    ("'a' + 1", "TypeError", "can only concatenate str (not \"int\") to str", Some(1)),
    ("x = [1]\nx + (2,)", "TypeError", "can only concatenate list (not \"tuple\") to list", Some(2)),
    ("def f()\n    pass", "SyntaxError", "expected ':'", Some(1)),
    ("if True:\nprint(1)", "IndentationError", "expected an indented block after 'if' statement", Some(2)),
    ("x = 1\nprint 'hello'", "SyntaxError", "invalid syntax", Some(2)),
    ("x = [1\n     2]", "SyntaxError", "invalid syntax. Perhaps you forgot a comma?", Some(2)),
    (
        "x = (1,\ny = 2]",
        "SyntaxError",
        "closing parenthesis ']' does not match opening parenthesis '('",
        Some(2),
    ),
    ("f(x) = 2", "SyntaxError", "invalid assignment target", Some(1)),
    ("x = 1\n  y = 2", "IndentationError", "unexpected indent", Some(2)),
    ("'abc", "SyntaxError", "unterminated string literal (detected at line 1)", Some(1)),
    ("assert 1 == 2, 'no'", "AssertionError", "no", Some(1)),
    ("import sys\nsys.exit('bad')", "SystemExit", "bad", Some(2)),
    (
        "input('?')",
        "IPython.core.error.StdinNotImplementedError",
        "input() was called, but a cell has nobody to ask: write the value in the cell",
        Some(1),
    ),
    (
        "open('/etc/passwd')",
        "PermissionError",
        "open('/etc/passwd'): attn reads no files unless it is told to; run it again with --allow-read",
        Some(1),
    ),
    (
        "import os\nos.system('ls')",
        "PermissionError",
        "os.system: attn runs no processes and changes nothing of the system",
        Some(2),
    ),
    (
        "import io; io.open('/etc/passwd')",
        "PermissionError",
        "open('/etc/passwd'): attn reads no files unless it is told to; run it again with --allow-read",
        Some(1),
    ),
    (
        "import socket",
        "ModuleNotFoundError",
        "No module named 'socket' (attn runs lessons without the network; write the text or the numbers in the cell)",
        Some(1),
    ),
    ("len()", "TypeError", "len expected at least 1 argument, got 0", Some(1)),
    ("len([], [])", "TypeError", "len expected at most 1 argument, got 2", Some(1)),
    ("[].append()", "TypeError", "append expected at least 1 argument, got 0", Some(1)),
    ("[].append(1, 2)", "TypeError", "append expected at most 1 argument, got 2", Some(1)),
    ("list.append([])", "TypeError", "append expected at least 1 argument, got 0", Some(1)),
    ("range()", "TypeError", "range expected at least 1 argument, got 0", Some(1)),
    ("range(1, 2, 3, 4)", "TypeError", "range expected at most 3 arguments, got 4", Some(1)),
    ("int('z', 36, 5)", "TypeError", "int expected at most 2 arguments, got 3", Some(1)),
    ("{}.get()", "TypeError", "get expected at least 1 argument, got 0", Some(1)),
    ("[].pop(1, 2)", "TypeError", "pop expected at most 1 argument, got 2", Some(1)),
    ("isinstance(1)", "TypeError", "isinstance expected at least 2 arguments, got 1", Some(1)),
    ("getattr(1)", "TypeError", "getattr expected at least 2 arguments, got 1", Some(1)),
    ("abs()", "TypeError", "abs expected at least 1 argument, got 0", Some(1)),
    ("callable()", "TypeError", "callable expected at least 1 argument, got 0", Some(1)),
    ("'a'.upper(1)", "TypeError", "upper expected at most 0 arguments, got 1", Some(1)),
    ("'a,b'.split(',', 1, 2)", "TypeError", "split expected at most 2 arguments, got 3", Some(1)),
    ("sum()", "TypeError", "sum expected at least 1 argument, got 0", Some(1)),
    ("round(1, 2, 3)", "TypeError", "round expected at most 2 arguments, got 3", Some(1)),
    ("print(1, foo=2)", "TypeError", "'foo' is an invalid keyword argument for print()", Some(1)),
    ("[1].remove(9)", "ValueError", "list.remove(x): x not in list", Some(1)),
    ("bin('a')", "TypeError", "'str' object cannot be interpreted as an integer", Some(1)),
    ("import math; math.sqrt()", "TypeError", "sqrt expected at least 1 argument, got 0", Some(1)),
    ("import math; math.atan2(1)", "TypeError", "atan2 expected at least 2 arguments, got 1", Some(1)),
    ("sorted()", "TypeError", "sorted expected at least 1 argument, got 0", Some(1)),
    ("list(1, 2)", "TypeError", "list expected at most 1 argument, got 2", Some(1)),
    ("filter(5)", "TypeError", "filter expected at least 2 arguments, got 1", Some(1)),
    ("(1).bit_length(2)", "TypeError", "bit_length expected at most 0 arguments, got 1", Some(1)),
    ("import nonsense", "ModuleNotFoundError", "No module named 'nonsense'", Some(1)),
    (
        "from importlib.metadata import version\nversion('pandas')",
        "importlib.metadata.PackageNotFoundError",
        "No package metadata was found for pandas",
        Some(2),
    ),
];

#[test]
fn exceptions_are_values() {
    if crate::apart::ran() {
        return;
    }
    for (source, kind, message, line) in RAISED {
        let error = run(source).error.unwrap_or_else(|| panic!("{source} raises"));
        assert_eq!(
            (error.kind.as_str(), error.message.as_str(), error.line),
            (*kind, *message, *line),
            "{source}"
        );
        assert!(!error.interrupted);
    }
}

#[test]
fn lines_are_those_of_the_cell_that_runs() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    session.run("\n\ndef f(x):\n    return 1 / x", "cell 1");
    let error = session.run("\nf(0)", "cell 2").error.expect("it divides by zero");
    assert_eq!(error.line, Some(2));
    let frames: Vec<_> =
        error.frames.iter().map(|frame| (&*frame.cell, frame.line, &*frame.function)).collect();
    assert_eq!(frames, [("cell 2", 2, "<module>"), ("cell 1", 4, "f")]);
}

#[test]
fn exit_ends_the_cell_only() {
    if crate::apart::ran() {
        return;
    }
    for source in ["x = 1\nexit()\nx = 2", "x = 1\nimport sys\nsys.exit()\nx = 2", "x = 1\nquit(0)\nx = 2"] {
        let mut session = Session::new(SessionOptions::default());
        let outcome = session.run(source, "cell 1");
        assert_eq!(outcome.error, None);
        assert_eq!(outcome.stderr, "the cell ended itself with exit(); attn goes on\n");
        assert_eq!(session.run("x", "cell 2").result.as_deref(), Some("1"));
    }
}

#[test]
fn endless_cells_are_stopped_and_variables_stay() {
    if crate::apart::ran() {
        return;
    }
    for source in [
        "x = 7\nwhile True: pass",
        "x = 7\nimport time\ntime.sleep(100)",
        "x = 7\nsum(range(10**15))",
        "x = 7\nfor i in range(10**15): y = i",
        "x = 7\nmax(i for i in range(10**15))",
    ] {
        let mut session = Session::new(SessionOptions::default());
        let interrupter = session.interrupter();
        assert!(!interrupter.interrupt(), "nothing runs yet");
        let helper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            // On a loaded machine the cell has not begun yet: nothing would stop it.
            while !interrupter.interrupt() {
                std::thread::sleep(Duration::from_millis(1));
            }
            while interrupter.interrupt() {
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let start = Instant::now();
        let error = session.run(source, "cell 1").error.expect("it was stopped");
        assert!(start.elapsed() < Duration::from_secs(3), "{source}");
        helper.join().expect("the helper ends");
        assert_eq!((error.kind.as_str(), error.interrupted), ("KeyboardInterrupt", true), "{source}");
        let after = session.run("x", "cell 2");
        assert_eq!((after.error, after.result.as_deref()), (None, Some("7")), "{source}");
    }
}

/// Two threads with interpreters at once would share what must not be shared.
#[test]
fn one_thread_at_a_time_has_sessions() {
    if crate::apart::ran() {
        return;
    }
    let own = [(); 2].map(|()| Session::new(SessionOptions::default()));
    let (begins, begun) = std::sync::mpsc::channel();
    let other = std::thread::spawn(move || {
        let mut session = Session::new(SessionOptions::default());
        begins.send(()).expect("this test waits for it");
        session.run("6 * 7", "cell 1").result
    });
    for session in own {
        assert!(begun.recv_timeout(Duration::from_millis(30)).is_err(), "it waits for both");
        drop(session);
    }
    assert_eq!(other.join().expect("its turn comes").as_deref(), Some("42"));
}

#[test]
fn deep_recursion_is_an_error() {
    if crate::apart::ran() {
        return;
    }
    for source in [
        "def f(): return f()\nf()",
        "x = []\nfor i in range(100000): x = [x]\nprint(x)",
        "x = []\nfor i in range(100000): x = [x]\nx",
        "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().y",
        "import sys\nsys.setrecursionlimit(10**7)\ndef f(n): return f(n + 1)\nf(0)",
    ] {
        let kind = with_large_stack(|| run(source).error.map(|error| error.kind));
        assert_eq!(kind.as_deref(), Some("RecursionError"), "{source}");
    }
}

#[test]
fn what_cannot_be_allocated_is_a_memory_error() {
    if crate::apart::ran() {
        return;
    }
    for source in [
        "[0] * 10**12",
        "10**12 * (0,)",
        "'x' * 10**13",
        "b'x' * 10**13",
        "x = [0]\nx *= 10**12",
        "10**10**8",
        "1 << 10**12",
        "2**2**40",
    ] {
        let mut session = Session::new(SessionOptions { max_memory: 1 << 30, ..SessionOptions::default() });
        let error = session.run(source, "cell 1").error.unwrap_or_else(|| panic!("{source} raises"));
        assert_eq!(error.kind, "MemoryError", "{source}");
        assert_eq!(session.run("1 + 1", "cell 2").result.as_deref(), Some("2"));
    }
    assert_eq!(
        run("10**400 == 10**200 * 10**200, [0] * 3, 2**-1, 1 << 3").result.as_deref(),
        Some("(True, [0, 0, 0], 0.5, 8)")
    );
}

#[test]
fn growth_bit_by_bit_is_stopped() {
    if crate::apart::ran() {
        return;
    }
    for source in ["x = []\nwhile True: x.append('a' * 1000)", "x = list(range(10**12))"] {
        let mut session = Session::new(SessionOptions { max_memory: 400 << 20, ..SessionOptions::default() });
        let error = session.run(source, "cell 1").error.expect("it grows without end");
        assert_eq!(error.kind, "MemoryError", "{source}");
    }
}

#[test]
fn output_beyond_the_limit_is_cut() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions { max_output: 100, ..SessionOptions::default() });
    let outcome = session.run("for i in range(1000): print('é' * 10)\nx = 1", "cell 1");
    assert!(outcome.stdout.len() <= 100);
    assert!(outcome.stderr.contains("output cut here"), "{}", outcome.stderr);
    assert_eq!(session.run("print(x)", "cell 2").stdout, "1\n");
}

#[test]
fn a_listener_receives_output_while_the_cell_runs() {
    if crate::apart::ran() {
        return;
    }
    let received = Rc::new(RefCell::new(Vec::new()));
    let target = received.clone();
    let on_output = move |channel: Channel, text: &str| target.borrow_mut().push((channel, text.to_owned()));
    let mut session =
        Session::new(SessionOptions { on_output: Some(Box::new(on_output)), ..SessionOptions::default() });
    session.run("import sys\nprint('a')\nprint('b', file=sys.stderr)", "cell 1");
    let all: String = received.borrow().iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(all, "a\nb\n");
    assert!(received.borrow().contains(&(Channel::Stderr, "b".to_owned())));
}

/// At the end of a session nobody could stop a finalizer that does not end.
#[test]
fn no_finalizer_runs_when_a_session_ends() {
    if crate::apart::ran() {
        return;
    }
    let received = Rc::new(RefCell::new(String::new()));
    let target = received.clone();
    let on_output = move |_, text: &str| target.borrow_mut().push_str(text);
    let mut session =
        Session::new(SessionOptions { on_output: Some(Box::new(on_output)), ..SessionOptions::default() });
    let class = "class A:\n    def __del__(self): print('finalizer')\n";
    session.run(&format!("{class}A()\na = A()\ndef f(): return a"), "cell 1");
    assert_eq!(*received.borrow(), "finalizer\n", "of the object without a name");
    drop(session);
    assert_eq!(*received.borrow(), "finalizer\n");
}

#[test]
fn notebook_commands_are_run_or_skipped() {
    if crate::apart::ran() {
        return;
    }
    for (source, stdout, stderr, result) in [
        ("%matplotlib inline\n1", "", "", Some("1")),
        (
            "!pip install torch\n2",
            "",
            "skipped: !pip install torch (attn installs nothing; what it has is built in)\n",
            Some("2"),
        ),
        ("%%bash\nls", "", "skipped: the cell is for %%bash, which attn does not have\n", None),
        ("%%capture\nprint(1)\n2", "", "", None),
        ("s = '''\n%time x\n'''\nlen(s)", "", "", Some("9")),
        ("5 \\\n% 3", "", "", Some("2")),
    ] {
        let outcome = run(source);
        assert_eq!(outcome.error, None, "{source}");
        assert_eq!(
            (&*outcome.stdout, &*outcome.stderr, outcome.result.as_deref()),
            (stdout, stderr, result),
            "{source}"
        );
    }
    let outcome = run("%time x = 3\nx");
    assert!(outcome.stdout.starts_with("Wall time: "), "{}", outcome.stdout);
    assert_eq!(outcome.result.as_deref(), Some("3"));
    let outcome = run("%%time\ny = 1\n1/0");
    assert_eq!(outcome.error.and_then(|error| error.line), Some(3));
    for line in ["time.sleep(0.03)", "-n 10 abs(-x)", "-n10 -r 3 abs(-x)", "-o -n 10 abs(-x)"] {
        let outcome = run(&format!("import time\nx = 1\n%timeit {line}"));
        assert_eq!(outcome.error, None, "{line}");
        let report = outcome.stdout;
        assert!(report.contains("s per loop (mean ± std. dev. of 7 runs, 1"), "{report}");
        assert!(report.trim_end().ends_with("0 loops each)"), "{report}");
    }
}

/// Source as a notebook has it, the same in Python, and how many remarks say that something was skipped.
const TRANSLATED: &[(&str, &str, usize)] = &[
    ("y = (3\n % 2)\ny", "3 % 2", 0),
    ("!pip install torch\n'''\n!ls\n'''", "'''\n!ls\n'''", 1),
    ("if True:\n    !ls\n5", "5", 1),
    ("files = !ls\nfiles", "[]", 1),
    ("pip install torch\n1", "1", 1),
    ("  x = 1\n  y = 2\n  x, y", "(1, 2)", 0),
    (">>> x = 1\n>>> if x:\n...     y = 2\n...\n>>> x, y", "(1, 2)", 0),
    ("?len", "help(len)", 0),
    ("len?", "help(len)", 0),
];

#[test]
fn notebook_source_is_translated_to_python() {
    if crate::apart::ran() {
        return;
    }
    for (notebook, python, remarks) in TRANSLATED {
        let (translated, plain) = (run(notebook), run(python));
        assert_eq!(translated.error, None, "{notebook}");
        assert_eq!((translated.stdout, translated.result), (plain.stdout, plain.result), "{notebook}");
        assert_eq!(translated.stderr.lines().count(), *remarks, "{notebook}");
    }
    // A translated line keeps its number.
    assert_eq!(run("%matplotlib inline\n\n1/0").error.and_then(|error| error.line), Some(3));
}

/// Expressions and their values in CPython.
const NUMBERS: &[(&str, &str)] = &[
    ("round(2.675, 2), round(0.05, 1), round(0.5, 0), round(2.5, 0)", "(2.67, 0.1, 0.0, 2.0)"),
    ("round(-1.25, 1), round(25.0, -1), round(75.0, -2), round(50.0, -2)", "(-1.2, 20.0, 100.0, 0.0)"),
    ("round(4.0, -1), round(6.0, -1), round(1234.5, -2)", "(0.0, 10.0, 1200.0)"),
    ("round(98819958037.42827, 5)", "98819958037.42827"),
    ("divmod(7.5, 2.0), divmod(-7.5, 2.0), 1.0 // 0.1", "((3.0, 1.5), (-4.0, 0.5), 9.0)"),
    ("divmod(6.0, -2.0)", "(-3.0, -0.0)"),
    ("f'{4.9959:.3}|{12345.0:.5}|{1234567.891:,.2f}'", "'5.0|1.2345e+04|1,234,567.89'"),
    ("f'{4.0:013,.0e}|{-2120.3:>12,.0%}'", "'0,000,004e+00|   -212,030%'"),
    ("f'{float(\"inf\"):012,}|{-0.04:013,.2f}'", "'000000000inf|-0,000,000.04'"),
    ("f'{1e-7:*^9}|{2.5:+g}|{100000.0:g}|{1e6:g}'", "'**1e-07**|+2.5|100000|1e+06'"),
    ("f'{True:>6}|{False:d}'", "'     1|0'"),
];

#[test]
fn numbers_are_rounded_divided_and_formatted_as_in_cpython() {
    if crate::apart::ran() {
        return;
    }
    for (source, value) in NUMBERS {
        assert_eq!(run(source).result.as_deref(), Some(*value), "{source}");
    }
    assert_eq!(run("format(1.5, 'd')").error.map(|error| error.kind).as_deref(), Some("ValueError"));
}

#[test]
fn typed_input_is_complete_or_not() {
    for (source, state) in [
        ("x = 1", InputState::Complete),
        ("print(", InputState::Incomplete),
        ("for i in x:", InputState::Incomplete),
        ("for i in x:\n    pass", InputState::Incomplete),
        ("for i in x:\n    pass\n", InputState::Complete),
        ("def f():\n    return 1\n\n", InputState::Complete),
        ("'''abc", InputState::Incomplete),
        ("@wraps", InputState::Incomplete),
        ("try:", InputState::Incomplete),
        ("try:\n    x = 1", InputState::Incomplete),
        ("def f():\n    try:\n        x = 1", InputState::Incomplete),
        ("try:\n    x = 1\nprint(x)", InputState::Error),
        ("try:\n    x = 1\nexcept Exception:\n    pass", InputState::Incomplete),
        ("x = [1,\n", InputState::Error),
        ("1 +", InputState::Error),
        ("x = = 1", InputState::Error),
        ("%time x", InputState::Complete),
        ("", InputState::Complete),
    ] {
        assert_eq!(input_state(source), state, "{source:?}");
    }
}

#[test]
fn names_and_expressions() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    session.run("import math\nx = 2\n_hidden = 1\ndef f(): pass", "cell 1");
    assert_eq!(session.names(), ["math", "x", "f"]);
    assert!(session.attributes("math").contains(&"sqrt".to_owned()));
    assert!(session.attributes("").contains(&"print".to_owned()));
    assert!(session.attributes("f()").is_empty());
    let value = session.evaluate("x * 21", |value, vm| value.try_to_value::<i64>(vm).ok());
    assert_eq!(value, Ok(Some(42)));
    let error = session.evaluate("nowhere", |_, _| ()).expect_err("the name is not there");
    assert_eq!(error.kind, "NameError");
}

#[test]
fn an_outcome_lists_the_changed_tensors() {
    if crate::apart::ran() {
        return;
    }
    let mut session = Session::new(SessionOptions::default());
    let first = session.run("import torch\nb = torch.tensor([1., 2.])\na = b\nn = 5", "cell 1");
    assert_eq!(first.error, None);
    assert_eq!(names(&first), ["b", "a"]);
    assert_eq!(names(&session.run("c = b + 1\nb = c * 2", "cell 2")), ["c", "b"]);
    assert!(names(&session.run("b\nn = 6", "cell 3")).is_empty());
    assert_eq!(names(&session.run("a[0] = 9.", "cell 4")), ["a"]);
    assert_eq!(names(&session.run("a = a", "cell 5")), Vec::<&str>::new());
    let all: Vec<String> = session.variables().into_iter().map(|variable| variable.name).collect();
    assert_eq!(all, ["b", "a", "c"]);
    assert!(session.tensor("a + 1").is_ok_and(|tensor| tensor.is_some()));
}

/// A linear layer starts its sums with the bias, as `addmm` does, in products of every size.
#[test]
fn linear_layers_begin_with_their_bias() {
    if crate::apart::ran() {
        return;
    }
    let source = "
import torch
torch.manual_seed(1)
for rows, terms, columns in [(3, 20, 5), (30, 200, 40), (200, 400, 150), (30, 70, 600), (210, 200, 800)]:
    x, weight, bias = torch.randn(rows, terms), torch.randn(columns, terms), torch.randn(columns)
    made = torch.nn.functional.linear(x, weight, bias)
    assert torch.equal(made, torch.addmm(bias, x, weight.T)), (rows, terms, columns)
    assert torch.equal(made, torch.nn.functional.linear(x, weight, torch.stack([bias, bias], 1)[:, 0])), columns
";
    let outcome = run(source);
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
}

/// What methods give for a text that is not ASCII is what they give for its parts.
#[test]
fn texts_that_are_not_ascii_are_made_of_characters() {
    if crate::apart::ran() {
        return;
    }
    let source = "
unit = 'aB çd\\nΣΑΣ ß\\tx '
n = 3
s = unit * n
for name in 'upper lower title casefold'.split():
    assert getattr(s, name)() == getattr(unit, name)() * n, name
assert s.translate({97: 'bb', 98: None}) == unit.translate({97: 'bb', 98: None}) * n
assert s.expandtabs(4).count(' ' * 2) == n, s.expandtabs(4).count(' ' * 2)
for part in ('x a', 'ç', ' ', 'none'):
    found = s.count(part)
    assert found == unit.count(part) * n + (part == 'x a') * (n - 1), part
    pieces = s.split(part)
    assert len(pieces) == found + 1 and part.join(pieces) == s, part
    assert s.replace(part, '--') == '--'.join(pieces), part
    assert s.replace(part, '') == ''.join(pieces), part
assert s.split() == unit.split() * n
assert '\\n'.join(s.splitlines()) == s and s.splitlines(True) == [line + '\\n' for line in s.splitlines()[:-1]] + [s.splitlines()[-1]]
for call in (lambda: 'ç'.count(''), lambda: 'ç'.replace('', '-'), lambda: 'ç'.zfill(4), lambda: 'ç'.swapcase()):
    try:
        call()
        assert False
    except NotImplementedError:
        pass
assert 'aéb\\x1cc'.split() == ['aéb', 'c'] and 'a é\\x1d b'.rsplit(None, 1) == ['a é', 'b'] and '\\x1eé '.strip() == 'é'
assert 'aébçd'[::2] == 'abd' and 'aébçd'[::-2] == 'dba' and 'aébçd'[3:0:-1] == 'çbé' and 'éaé'.strip('é') == 'a'
assert b'abc'.hex('-', 2) == '61-6263'
assert s.replace('a', 'b', 1) == 'b' + s[1:] and s.split(' ', 1) == ['aB', s[3:]] and s.count('a', 1) == n - 1
";
    let outcome = run(source);
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
}
