//! What a cell cannot reach: forged bytecode, frames and generators that run, the machine's clock, the terminal.

use std::collections::{BTreeMap, BTreeSet};

use attn::session::{Session, SessionOptions, with_large_stack};

/// What the cell printed, then the exception that ended it.
fn told(source: &str) -> String {
    with_large_stack(|| {
        let outcome = Session::new(SessionOptions::default()).run(source, "cell 1");
        let error = outcome.error.map(|error| format!("{}: {}\n", error.kind, error.message));
        outcome.stdout + &error.unwrap_or_default()
    })
}

/// The native functions of `native.txt`, each with what it may reach.
fn listed() -> BTreeMap<&'static str, &'static str> {
    let mut reach = "";
    let mut functions = BTreeMap::new();
    for line in include_str!("native.txt").lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(heading) => reach = heading,
            None => assert_eq!(functions.insert(line, reach), None, "{line} is listed twice"),
        }
    }
    functions
}

#[test]
fn every_native_function_that_a_cell_reaches_is_listed_with_what_it_may_reach() {
    if crate::apart::ran() {
        return;
    }
    let printed = told(include_str!("walk.py"));
    let (functions, walked) = printed.trim_end().rsplit_once('\n').expect("the walk prints its size last");
    let thousands = walked.split(' ').nth(1).and_then(|count| count.parse::<usize>().ok());
    assert!(thousands.is_some_and(|thousands| thousands > 50), "{printed}");
    let reached: BTreeSet<&str> = functions.lines().collect();
    let listed: BTreeSet<&str> = listed().into_keys().collect();
    let new: Vec<_> = reached.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&reached).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in native.txt: {new:?}; not there any more: {gone:?}");
}

#[test]
fn names_that_were_removed_do_not_come_back() {
    if crate::apart::ran() {
        return;
    }
    let program = "
import sys
print([name for name in ('settrace', '_baserepl', 'monitoring') if hasattr(sys, name)])
import _imp
class Spec: pass
for module in ('_clock', '_imp', 'atexit'):
    Spec.name = module
    sys.modules.pop(module, None)
    again = _imp.create_builtin(Spec)
    print(module, [name for name in ('clock_settime', '_fix_co_filename', '_run_exitfuncs') if hasattr(again, name)])
try: _imp.get_frozen_object('os', b'forged')
except TypeError as error: print(error)
import marshal
";
    assert_eq!(
        told(program),
        "[]\n_clock []\n_imp []\natexit []\nget_frozen_object expected at most 1 argument, got 2\n\
         ModuleNotFoundError: No module named 'marshal'\n"
    );
}

/// A program that tries to make or exchange code, and the exception that it raises.
const FORGED: &[(&str, &str)] = &[
    ("f.__code__.replace(co_code=b'')", "attn makes code from source only"),
    ("f.__code__.replace(co_name='g')", "attn makes code from source only"),
    ("import copy; copy.replace(f.__code__, co_exceptiontable=b'')", "attn makes code from source only"),
    ("type(f.__code__)(*range(18))", "attn makes code from source only"),
    ("type(f.__code__).__new__(type(f.__code__))", "attn makes code from source only"),
    ("object.__new__(type(f.__code__))", "object.__new__(code) is not safe"),
    ("f.__code__ = closed.__code__", "attribute '__code__' of 'function' objects is not writable"),
    ("exec(g.__code__)", "exec() cannot run the code of a generator"),
    ("eval(g.__code__)", "eval() cannot run the code of a generator"),
    ("import sys; sys._getframe().f_lineno = 1", "attribute 'f_lineno' of 'frame' objects is not writable"),
    ("import sys; sys._getframe().f_trace = f", "attribute 'f_trace' of 'frame' objects is not writable"),
    ("import sys; sys._getframe().clear()", "cannot clear an executing frame"),
];

#[test]
fn code_and_frames_are_the_compilers() {
    if crate::apart::ran() {
        return;
    }
    let setup = "
def f(): return 1
def g(): yield 1
def outer():
    x = 1
    def inner(): return x
    return inner
closed = outer()
";
    for (program, message) in FORGED {
        let printed = told(&format!("{setup}{program}"));
        assert!(printed.contains(message), "{program}: {printed}");
    }
}

/// A program in which a generator that runs is stopped or entered again, and what it prints.
const RUNNING: &[(&str, &str)] = &[
    (
        "def g():\n    try: yield\n    finally: h.close()\nh = g(); next(h); h.close()",
        "ValueError: generator already executing\n",
    ),
    // Stopping one that waits for the running one.
    (
        "def inner():\n    yield 1\n    a.close()\n    yield 2\nb = inner()\n\
         def outer(): yield from b\na = outer(); next(a); next(b)",
        "ValueError: generator already executing\n",
    ),
    (
        "def inner():\n    yield 1\n    a.throw(GeneratorExit)\nb = inner()\n\
         def outer(): yield from b\na = outer(); next(a); next(b)",
        "ValueError: generator already executing\n",
    ),
    (
        "def inner():\n    yield 1\n    getattr(a, '__del__', list)()\n    yield 2\nb = inner()\n\
         def outer(): yield from b\na = outer(); next(a); print(next(b))",
        "2\n",
    ),
    // Dropping it: it is not closed, and the running one goes on.
    (
        "def inner():\n    global a\n    yield 1\n    a = None\n    yield 2\nb = inner()\n\
         def outer(): yield from b\na = outer(); next(a); print(next(b), list(b))",
        "2 []\n",
    ),
    // Entering it again leaves it as it is.
    (
        "def g():\n    for enter in (next, lambda h: h.send(None), lambda h: h.throw(KeyError), list, lambda h: h.__next__()):\n        \
         try: enter(h)\n        except ValueError as error: print(error)\n    yield 5\n    yield 6\n\
         h = g(); print(list(h))",
        "generator already executing\ngenerator already executing\ngenerator already executing\n\
         generator already executing\ngenerator already executing\n[5, 6]\n",
    ),
    ("async def c():\n    h.close()\nh = c(); h.send(None)", "ValueError: coroutine already executing\n"),
    (
        "def g():\n    yield\nh = g(); next(h); h.throw(KeyError, KeyError(), None)",
        "TypeError: throw() takes the exception only: throw(value)\n",
    ),
    (
        "async def g():\n    yield\ng().asend(None)",
        "NotImplementedError: attn runs cells on one thread, without an event loop\n",
    ),
];

#[test]
fn a_generator_that_runs_is_neither_closed_nor_entered() {
    if crate::apart::ran() {
        return;
    }
    for (program, printed) in RUNNING {
        assert_eq!(told(program), *printed, "{program}");
    }
}

#[test]
fn random_calls_of_generators_find_nothing() {
    if crate::apart::ran() {
        return;
    }
    let printed = told(include_str!("generators.py"));
    let calls = printed.strip_prefix("calls ").and_then(|count| count.trim_end().parse::<usize>().ok());
    assert!(calls.is_some_and(|calls| calls > 100_000), "{printed}");
}

#[test]
fn the_code_of_patterns_is_checked_before_it_runs() {
    if crate::apart::ran() {
        return;
    }
    assert_eq!(told(include_str!("patterns.py")), "True True\n");
}

/// Programs that a press of Ctrl-C finds within comprehensions and generators, and what they print after it.
const STOPPED: &[(&str, &str)] = &[
    ("x = [[i * j for i in range(10**3)] for j in range(10**7)]", ""),
    ("x = {k: v for k, v in zip(range(10**8), range(10**8))}", ""),
    ("def g():\n    for i in range(10**9): yield i\nfor k in g(): pass", ""),
    (
        "def f():\n    try:\n        y = [i * i for i in range(10**9) if i < 5]\n    finally:\n        \
         print('left')\nf()",
        "left\n",
    ),
];

#[test]
fn a_comprehension_is_stopped_as_anything_else_is() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        for attempt in 0..40 {
            let (program, printed) = STOPPED[attempt % STOPPED.len()];
            let interrupter = session.interrupter();
            let presses = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_micros(20_000 + 37 * attempt as u64));
                // On a loaded machine the cell has not begun yet: nothing would stop it.
                while !interrupter.interrupt() {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
            let outcome = session.run(program, "cell 1");
            presses.join().expect("the thread presses once");
            let error = outcome.error.expect("the cell was stopped");
            // Only an exception that Python raised has a line; a panic has none.
            assert_eq!((error.kind.as_str(), error.line.is_some()), ("KeyboardInterrupt", true), "{program}");
            assert_eq!(outcome.stdout, printed, "{program}");
        }
        assert_eq!(session.run("sum(i for i in [1, 2])", "cell 2").result.as_deref(), Some("3"));
    });
}
