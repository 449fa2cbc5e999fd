//! Results whose size an argument decides raise MemoryError before anything is allocated, on every route to them.

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use attn::session::{Session, SessionOptions, with_large_stack};

const LIMIT: usize = 4 << 30;

/// Expressions whose values would not fit.
const TOO_LARGE: &[&str] = &[
    "bytes(10**12)",
    "bytes.__new__(bytes, 10**12)",
    "bytes(type('I', (), {'__index__': lambda self: 10**12})())",
    "type('B', (bytes,), {})(10**12)",
    "bytearray(10**12)",
    "torch.ones(1).expand(10**12).tolist()",
    "torch.ones(1).expand(10**12, 0).tolist()",
    "numpy.broadcast_to(numpy.ones(1), 10**12).tolist()",
    "list(numpy.broadcast_to(numpy.ones(1), 10**12))",
    "list(__import__('itertools').repeat(1, 10**12))",
    "list(range(10**12))",
    "tuple(range(10**12))",
    "sorted(range(10**12))",
    "[*range(10**12)]",
    "[*range(__import__('sys').maxsize)]",
    "print(*range(__import__('sys').maxsize))",
    "1, *type('L', (), {'__iter__': lambda self: iter([1]), '__length_hint__': lambda self: 2**63 - 1})()",
    "[0] * 10**12",
    "(0,) * 10**12",
    "'a' * 10**12",
    "10**10**10",
    "1 << 10**12",
];

/// Expressions on tensors that would not fit: the allocator of PyTorch raises RuntimeError.
const TOO_LARGE_TENSORS: &[&str] = &[
    "list(torch.ones(1).expand(10**12))",
    "torch.zeros(3).expand(10**12, 3) + 1",
    "torch.ones(2).tile(2**40)",
    "torch.ones(2).repeat(2**40)",
    "torch.ones(1).expand(10**12).sum()",
    "torch.ones(1).expand(10**12).unbind()",
    "torch.cdist(torch.ones(10**6, 1), torch.ones(10**6, 1))",
    "(torch.set_printoptions(threshold=10**15), repr(torch.ones(1).expand(10**12)))",
    "(torch.set_printoptions(profile='default', edgeitems=10**12), repr(torch.ones(1).expand(10**13)))",
    "(torch.set_printoptions(edgeitems=2**63 - 1), repr(torch.ones(1).expand(10**13)))",
];

/// Cells that nest too deeply for the native stack, and their exceptions.
const TOO_DEEP: &[(&str, &str)] = &[
    ("eval('+'.join(['1'] * 10**6))", "RecursionError"),
    ("eval('-' * 10**6 + '1')", "RecursionError"),
    ("eval('a' + '.b' * 10**6)", "RecursionError"),
    ("eval('f' + '()' * 10**6)", "RecursionError"),
    ("eval('lambda:' * 10**5 + '1')", "RecursionError"),
    ("eval('lambda a, b:' * 10**5 + '1')", "RecursionError"),
    ("eval('1 if 1 else ' * 10**6 + '1')", "RecursionError"),
    ("eval('1 and ' * 10**6 + '1')", "RecursionError"),
    ("compile(b'not ' * 10**6 + b'1', 'x', 'eval')", "RecursionError"),
    ("exec('if x: pass\\n' + 'elif x: pass\\n' * 10**5)", "RecursionError"),
    ("eval('(' * 10**5 + ')' * 10**5)", "SyntaxError"),
    (
        "exec('\\n'.join(' ' * i + 'if 1:' for i in range(1000)) + '\\n' + ' ' * 1000 + 'pass')",
        "IndentationError",
    ),
    (
        "import ast\nx = ast.Name('x', ast.Load())\nfor _ in range(10**4): x = ast.UnaryOp(ast.USub(), x)\ncompile(ast.Expression(x), 'x', 'eval')",
        "RecursionError",
    ),
];

/// What nests, but not too deeply, and its value.
const DEEP: &[(&str, &str)] = &[
    ("eval('+'.join(['1'] * 1000))", "1000"),
    ("eval('(' * 150 + '1' + ')' * 150)", "1"),
    ("(exec('def f():\\n    x = a.b(c)\\n    return x + y\\n' * 2000), 1)[1]", "1"),
    ("len(eval('[' + '1 + 2, ' * 10**5 + ']'))", "100000"),
    ("len(eval(' '.join([\"'a'\"] * 10**5)))", "100000"),
    ("type('C', (), {'__call__': lambda self, n: n and self(n - 1)})()(300)", "0"),
];

/// Expressions that are near the limit, or look large, and their values.
const FITS: &[(&str, &str)] = &[
    ("('a' * 10**6).replace('zz', 'b' * 10**6) == 'a' * 10**6", "True"),
    ("('a' * 10**6).replace('a', 'b' * 10**3, 2)[:3] + 'c'", "'bbbc'"),
    ("'a'.center(5, '-'), b'7'.zfill(3), 'a\\tb'.expandtabs(4)", "('--a--', b'007', 'a   b')"),
    (
        "'-'.join(str(i) for i in range(4)), '-'.join('abc'), b','.join([b'x', b'y'])",
        "('0-1-2-3', 'a-b-c', b'x,y')",
    ),
    (
        "bytes(3), bytes([1, 2]), bytes('é', 'utf-8'), bytearray(2)",
        "(b'\\x00\\x00\\x00', b'\\x01\\x02', b'\\xc3\\xa9', bytearray(b'\\x00\\x00'))",
    ),
    ("(5).__lshift__(2), (2).__pow__(10), pow(3, 10**9, 7), 2 .__rpow__(3)", "(20, 1024, 4, 9)"),
    (
        "[*range(3)].__iadd__(range(2)), [0, 1].__iadd__('ab'), [].__iadd__(i for i in (1, 2))",
        "([0, 1, 2, 0, 1], [0, 1, 'a', 'b'], [1, 2])",
    ),
    (
        "(lambda x: (x.__setitem__(slice(0, 1), range(3)), x.__setitem__(-1, 9), x)[-1])([5, 6])",
        "[0, 1, 2, 9]",
    ),
    ("f'{5:03}|{\"a\":9>3}|{1.5:6.2f}|{True:5}|{\"abc\":.2}'", "'005|99a|  1.50|    1|ab'"),
    (
        "format('abc', '.1000000'), [*__import__('itertools').product([1, 2], repeat=2)][:2]",
        "('abc', [(1, 1), (1, 2)])",
    ),
    ("[1].__mul__(3), 3 * (1,), 'ab'.translate({97: 'xy', 98: None})", "([1, 1, 1], (1, 1, 1), 'xy')"),
    ("'%5.2f|%*d|%.*s|%%' % (1.5, 4, 7, 2, 'abc')", "' 1.50|   7|ab|%'"),
    ("'%(a(b))s' % {'a(b)': 3}, '%.100000s' % 'abc'", "('3', 'abc')"),
    ("(10**12).to_bytes(8, 'big').hex()", "'000000e8d4a51000'"),
    (
        "'a\\tb\\n\\tc'.expandtabs(0), '\\té'.expandtabs(tabsize=-3), b'a\\tb'.expandtabs(0), 'a\\tb'.expandtabs()",
        "('ab\\nc', 'é', b'ab', 'a       b')",
    ),
];

/// Cells that never end, in native code.
const ENDLESS: &[&str] = &[
    "import itertools; sum(itertools.count())",
    "import itertools; 2 in itertools.repeat(1)",
    "import re; re.match(r'(a+)+$', 'a' * 50 + 'b')",
    "import re; re.sub(r'(x+x+)+y', '', 'é' + 'x' * 50)",
    "sorted(range(10**7), key=lambda number: -number)",
    "import itertools; max(itertools.cycle([1]))",
    "import itertools, collections; collections.deque(itertools.cycle([1]), maxlen=0)",
    "import itertools; list(map(lambda x: x, itertools.count()))",
    "import itertools; sum(itertools.compress(itertools.count(), itertools.repeat(0)))",
    "import torch; x = torch.randn(1500, 1500); [torch.linalg.svd(x) for _ in range(10**6)]",
    "import torch; x = torch.randn(1500, 1500); [torch.inverse(x) for _ in range(10**6)]",
    "import torch; x = torch.randn(3000, 3000); [x @ x for _ in range(10**6)]",
    "import torch; torch.cdist(torch.rand(10**4, 100), torch.rand(10**4, 100))",
    "import torch; torch.conv1d(torch.rand(64, 64, 10000), torch.rand(64, 64, 99))",
    "import numpy; numpy.broadcast_to(1., 10**12).sum()",
    "import random; random.choices([1], k=10**12)",
    "x = 'b' * 10**8; [('a' * 1000 in x) for _ in range(10**6)]",
    "x = [1] * 10**7; [x.index(2) if 2 in x else x.count(3) for _ in range(10**6)]",
    "[len('ab' * 2 * 10**8) for _ in range(10**6)]",
    "import torch; x = torch.rand(2 * 10**7); [x.sort() for _ in range(10**6)]",
    "import torch; x = torch.rand(10**7).double(); [x.sort() for _ in range(10**6)]",
    "import torch; x = torch.rand(10**7); [(x.topk(10**5), x.median()) for _ in range(10**6)]",
    "import torch; [torch.randperm(10**7) for _ in range(10**6)]",
    "import torch; [torch.randn(10**8) for _ in range(10**6)]",
    "import torch; torch.set_printoptions(threshold=10**15); repr(torch.ones(1).expand(10**7))",
];

fn session() -> Session {
    Session::new(SessionOptions { max_memory: LIMIT, ..SessionOptions::default() })
}

#[test]
fn too_large_a_result_raises_memory_error() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = session();
        assert_eq!(session.run("import numpy, torch", "cell 0").error, None);
        for source in TOO_LARGE {
            let raised = session.run(source, "cell 1").error.map(|error| error.kind);
            assert_eq!(raised.as_deref(), Some("MemoryError"), "{source}");
        }
        for source in TOO_LARGE_TENSORS {
            let error = session.run(source, "cell 1").error.expect(source);
            assert_eq!(error.kind, "RuntimeError", "{source}");
            assert!(error.message.contains("can't allocate memory"), "{source}: {}", error.message);
        }
    });
}

#[test]
fn what_fits_is_what_python_computes() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = session();
        for (source, value) in FITS {
            let outcome = session.run(source, "cell 1");
            assert_eq!((outcome.result.as_deref(), outcome.error), (Some(*value), None), "{source}");
        }
    });
}

#[test]
fn nesting_that_is_too_deep_raises_an_exception() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        for (source, kind) in TOO_DEEP {
            let raised = session().run(source, "cell 1").error.map(|error| error.kind);
            assert_eq!(raised.as_deref(), Some(*kind), "{source}");
        }
        let mut session = session();
        for (source, value) in DEEP {
            let outcome = session.run(source, "cell 1");
            assert_eq!((outcome.result.as_deref(), outcome.error), (Some(*value), None), "{source}");
        }
    });
}

/// Nothing is said of a place that there is none of.
#[test]
fn nesting_that_is_too_deep_says_so() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        for (source, text) in [
            ("eval('(' * 201 + '1' + ')' * 201)", "too many nested parentheses (<string>, line 1)"),
            ("exec('x = 1\\n' + '[' * 201 + ']' * 201)", "too many nested parentheses (<string>, line 2)"),
        ] {
            let error = session().run(source, "cell 1").error.expect(source);
            assert_eq!((error.kind.as_str(), error.message.as_str()), ("SyntaxError", text), "{source}");
        }
    });
}

#[test]
fn the_digits_of_a_float_do_not_end() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = session();
        for (source, value) in [
            ("s = f'{1.5:.{10**5}f}'; len(s), s[:5], s[-2:]", "(100002, '1.500', '00')"),
            ("s = f'{2.0:.70000e}'; len(s), s[-6:]", "(70006, '00e+00')"),
            ("f'{0.1:.70000g}' == f'{0.1:.60g}', f'{0.1:.60f}'[-8:]", "(True, '62500000')"),
        ] {
            let outcome = session.run(source, "cell 1");
            assert_eq!((outcome.result.as_deref(), outcome.error), (Some(value), None), "{source}");
        }
    });
}

#[test]
fn roots_of_large_integers_are_exact() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let source = "import math
for n in [*range(1, 2000), *(10**k + d for k in range(3, 200) for d in (-1, 0, 1)), *((7**k)**2 + d for k in range(1, 99) for d in (-1, 0, 1)), 1 << 1999999]:
    root = math.isqrt(n)
    assert root * root <= n < (root + 1)**2, n
root = math.isqrt(1 << 1999998)
root == 1 << 999999";
        let outcome = session().run(source, "cell 1");
        assert_eq!((outcome.result.as_deref(), outcome.error), (Some("True"), None));
    });
}

#[test]
fn endless_native_loops_are_stopped() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut session = session();
        assert_eq!(session.run("import numpy, random, torch", "cell 0").error, None);
        for source in ENDLESS {
            let interrupter = session.interrupter();
            let (ended, has_ended) = std::sync::mpsc::channel::<()>();
            let presses = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                // On a loaded machine the cell has not begun yet: nothing would stop it.
                while !interrupter.interrupt() {
                    let waited = has_ended.recv_timeout(Duration::from_millis(1));
                    assert_eq!(waited, Err(RecvTimeoutError::Timeout), "the cell runs");
                }
                let first = Instant::now();
                // If the first press stops nothing, later ones end the cell so that the test fails below and does not hang.
                while let Err(RecvTimeoutError::Timeout) = has_ended.recv_timeout(Duration::from_secs(10)) {
                    interrupter.interrupt();
                }
                first
            });
            let outcome = session.run(source, "cell 1");
            drop(ended);
            let took = presses.join().expect("the thread presses while the cell runs").elapsed();
            let error = outcome.error.expect("the cell was stopped");
            assert_eq!((error.kind.as_str(), error.line), ("KeyboardInterrupt", Some(1)), "{source}");
            // Half a second is what a learner may wait; a loaded machine takes longer.
            assert!(took < Duration::from_secs(10), "{source}: {took:?}");
        }
    });
}
