//! Programs from public reports on the interpreter (github.com/RustPython/RustPython, by number): each gives CPython's
//! answer, or ends its cell with an exception that does not call it a defect, and the next cell runs.

use attn::session::{Session, SessionOptions, with_large_stack};

/// What a program ends with.
enum End {
    /// It prints this, as CPython does.
    Prints(&'static str),
    /// CPython would go on; here an exception of this type ends the cell.
    Raises(&'static str),
}
use End::{Prints, Raises};

/// The number of an issue or a pull request, a program, and how it ends.
const REPORTED: &[(u32, &str, End)] = &[
    (1750, "try: [...] * (2 << 61)\nexcept MemoryError: print('memory')", Prints("memory\n")),
    (
        1877,
        "def g4(): yield next(g)\ng = g4()\ntry: next(g)\nexcept ValueError as e: print(e)",
        Prints("generator already executing\n"),
    ),
    (
        2386,
        "import sys\ntry: bytearray()[-sys.maxsize - 1]\nexcept IndexError: print('index')\nprint([1, 2, 3][::-sys.maxsize - 1])",
        Prints("index\n[3]\n"),
    ),
    (
        2782,
        "x = {}\nfor i in range(20000): x = {1: x}\ntry: repr(x)\nexcept RecursionError: print('deep')",
        Prints("deep\n"),
    ),
    (
        2919,
        "class T:\n    def __eq__(self, o): self.d.pop(); return True\nt = T(); t.d = [1, 2, t, 3, 4]\nprint(t.d.count(4))",
        Prints("1\n"),
    ),
    (
        2919,
        "from collections import deque\nclass T:\n    def __eq__(self, o): self.d.pop(); return True\nt = T(); t.d = deque([1, 2, t, 3, 4])\nt.d.count(4)",
        Raises("RuntimeError"),
    ),
    (
        4857,
        "try: eval('-' * 100000 + '1')\nexcept (RecursionError, MemoryError, SyntaxError): print('deep')",
        Prints("deep\n"),
    ),
    (
        4862,
        "import ast\nd = ast.UnaryOp(ast.Not(), None, lineno=0, col_offset=0)\nd.operand = d\ntry: compile(ast.Expression(d), 't', 'eval')\nexcept RecursionError: print('deep')",
        Prints("deep\n"),
    ),
    (
        4863,
        "class D:\n    n = 0\n    def __del__(self):\n        D.n += 1\n        if D.n < 50: type(self)()\nd = D()\ndel d\nprint(D.n)",
        Prints("50\n"),
    ),
    (
        5154,
        "class L:\n    def one(self):\n        while self: break\n        else: return x\n        {'(': 1, ')': 2}\nwhile L().one(): pass\nprint('ended')",
        Prints("ended\n"),
    ),
    (
        6589,
        "class E:\n    def __eq__(self, o): next(self.it); return True\ne = E(); e.it = iter(lambda: object(), e)\nnext(e.it)",
        Raises("RecursionError"),
    ),
    (
        6590,
        "class E:\n    def __getitem__(self, i): raise IndexError\n    def __len__(self): it.__length_hint__(); return 1\nit = iter(E())\nit.__length_hint__()",
        Raises("RuntimeError"),
    ),
    (
        6591,
        "class E:\n    def __repr__(self): items.append(1); return 'e'\nitems = [E()]\nprint(len(repr(items)) > 2)",
        Prints("True\n"),
    ),
    (
        7632,
        "import json\ntry: json.loads('[' * 50000 + ']' * 50000)\nexcept RecursionError: print('deep')",
        Prints("deep\n"),
    ),
    (
        7655,
        "try: compile('[' * 5000 + ']' * 5000, 's', 'exec')\nexcept SyntaxError: print('deep')",
        Prints("deep\n"),
    ),
    (
        8011,
        "class V:\n    entered = False\n    def __eq__(self, o):\n        if not self.entered:\n            self.entered = True\n            next(self.it)\n        return True\nv = V(); v.it = iter(lambda: v, object())\nnext(v.it)",
        Raises("RuntimeError"),
    ),
    (8514, "from collections import deque\nimport sys\ndeque([0]) * sys.maxsize", Raises("MemoryError")),
    (8514, "try: (1,) * 10**12\nexcept MemoryError: print('memory')", Prints("memory\n")),
    (
        8514,
        "import itertools\ntry: itertools.combinations(range(5), 2**64)\nexcept OverflowError: print('overflow')",
        Prints("overflow\n"),
    ),
    (
        8514,
        "import math\nfrom itertools import count\ntry: math.sumprod(count(), [1])\nexcept ValueError as e: print(e)",
        Prints("Inputs are not the same length\n"),
    ),
    (
        8524,
        "print(repr(''.expandtabs(0)), repr('a\\tb'.expandtabs(0)), b'\\t'.expandtabs(-1))",
        Prints("'' 'ab' b''\n"),
    ),
    (
        8551,
        "import struct\ntry: struct.pack('%dx' % 2**60)\nexcept (MemoryError, struct.error): print('refused')",
        Prints("refused\n"),
    ),
    (
        8551,
        "try: __import__('itertools').product([1, 2], repeat=2**60)\nexcept MemoryError: print('refused')",
        Prints("refused\n"),
    ),
    (
        8551,
        "class A:\n    def __add__(self, o): return self + o\ntry: A() + 1\nexcept RecursionError: print('deep')",
        Prints("deep\n"),
    ),
    // The last five have no report of their own; the sweep that led to the pull requests above names their kinds.
    (
        8514,
        "class D:\n    def __del__(self): print(v)\ndef outer():\n    global D\n    class D:\n        def __del__(self): v\n    v = D()\n    v = 1\nouter()",
        Raises("RuntimeError"),
    ),
    (
        6636,
        "import sys\nclass L:\n    def __iter__(self): return iter([1])\n    def __length_hint__(self): return sys.maxsize\nfor f in (list, tuple, sorted, [].extend, lambda x: [*x], lambda x: (1, *x)):\n    try: print(f(L()))\n    except MemoryError: pass\nprint('refused')",
        Prints("refused\n"),
    ),
    (
        6636,
        "class L:\n    asked = 0\n    def __iter__(self): return iter([1, 2])\n    def __length_hint__(self): L.asked += 1; return 1\nprint(list(L()), L.asked)",
        Prints("[1, 2] 1\n"),
    ),
    (
        6636,
        "class L:\n    def __iter__(self): return iter([1])\n    def __length_hint__(self): return -1\ntry: list(L())\nexcept ValueError as e: print(e)",
        Prints("__length_hint__() should return >= 0\n"),
    ),
    (
        6636,
        "import sys\nfor f in (list, tuple, sorted, lambda x: [*x], lambda x: (lambda *y: y)(*x)):\n    try: print(f(range(sys.maxsize)))\n    except MemoryError: print('memory')",
        Prints("memory\nmemory\nmemory\nmemory\nmemory\n"),
    ),
];

#[test]
fn reported_programs_end_well() {
    if crate::apart::ran() {
        return;
    }
    let faults: Vec<String> = with_large_stack(|| {
        let mut session = Session::new(SessionOptions::default());
        let mut faults = Vec::new();
        for (number, program, end) in REPORTED {
            let outcome = session.run(program, "cell 1");
            let raised = outcome.error.as_ref().map(|error| error.kind.as_str());
            let fits = match end {
                Prints(text) => raised.is_none() && outcome.stdout == *text,
                Raises(kind) => raised == Some(*kind),
            };
            if !fits {
                faults.push(format!("{number}: {program}\n  {:?} {:?}", outcome.stdout, outcome.error));
            }
            assert_eq!(session.run("1 + 1", "cell 2").result.as_deref(), Some("2"), "after {number}");
        }
        faults
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
