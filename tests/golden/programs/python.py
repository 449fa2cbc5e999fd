"""The Python around the tensors: as such notebooks use it."""

# %% format-specs
x = 3.14159
print(f"{x:.2f} {x:10.3f}| {x:<8.1f}| {x:^9.2f}| {x:e} {x:.3g} {1234567:,} {255:x} {255:#b} {0.256:.1%} {'a':>5} {'b':*^5} {-3:+d} {7:03d} {True} {None} {x!r:.6}")
print("%5.2f %d %s %r %%" % (x, 7, "s", "r"), "{:>6} {name}".format("a", name="n"), f"{'nested':{8}}|", f"{x = }", f"{2 ** 10:_}", format(0.1, ".20f"), str(1e16), 1e-5, 1e22, 123456789.0, 0.1 + 0.2, -0.0, 1e100, float("inf"))

# %% print-tables
rows = [("query", 0.1234), ("key", 12.5), ("value", -3.0)]
for name, v in rows:
    print(f"{name:<10}{v:>10.4f}")
print("-" * 20, *[f"{n}={v}" for n, v in rows], sep="\n")
print("\n".join(f"{i:2d}: {n}" for i, (n, _) in enumerate(rows, start=1)))

# %% comprehensions-and-generators
d = {w: len(w) for w in "the quick brown".split()}
g = (x * x for x in range(5) if x % 2)
print(d, list(g), sum(v for v in d.values()), {x % 3 for x in range(7)}, [[i * j for j in range(3)] for i in range(2)], sorted(d, key=d.get, reverse=True), max(d.items(), key=lambda kv: kv[1]), any(v > 4 for v in d.values()))
def count(n):
    while n:
        got = yield n
        n -= 1
print(list(count(3)), dict(zip("ab", count(2))), [*count(2), 0])

# %% classes-and-dunders
class Vec:
    count = 0
    def __init__(self, *xs):
        self.xs = xs
        Vec.count += 1
    def __add__(self, o):
        return Vec(*(a + b for a, b in zip(self.xs, o.xs)))
    def __repr__(self):
        return f"Vec{self.xs}"
    def __eq__(self, o):
        return self.xs == o.xs
    def __getitem__(self, i):
        return self.xs[i]
    def __len__(self):
        return len(self.xs)
    def __iter__(self):
        return iter(self.xs)
    @property
    def norm(self):
        return sum(x * x for x in self) ** 0.5
    @classmethod
    def zeros(cls, n):
        return cls(*[0] * n)
    @staticmethod
    def name():
        return "vec"
v = Vec(3, 4)
print(v + v, v == Vec(3, 4), v[1], len(v), v.norm, Vec.zeros(2), Vec.name(), Vec.count, list(v), [v], isinstance(v, Vec))

# %% dataclasses
from dataclasses import dataclass, field, asdict, replace
@dataclass
class Config:
    vocab_size: int = 50257
    emb_dim: int = 768
    heads: int = 12
    drop: float = 0.1
    names: list = field(default_factory=list)
    @property
    def head_dim(self):
        return self.emb_dim // self.heads
c = Config(emb_dim=64, heads=4)
print(c, c.head_dim, asdict(c), c == Config(emb_dim=64, heads=4), replace(c, drop=0.0).drop)
@dataclass(frozen=True, order=True)
class P:
    x: float
    y: float = 0.0
print(P(1) < P(2), P(1, 2), hash(P(1)) == hash(P(1)))
try:
    P(1).x = 5
except Exception as e:
    print(type(e).__name__, e)

# %% collections
from collections import OrderedDict, defaultdict, Counter, namedtuple, deque
c = Counter("the cat the dog the end".split())
d = defaultdict(list)
for i, ch in enumerate("abca"):
    d[ch].append(i)
Point = namedtuple("Point", ["x", "y"])
q = deque([1, 2, 3], maxlen=3)
q.append(4)
print(c, c.most_common(1), c["none"], dict(d), Point(1, 2), Point(x=1, y=2).y, Point(3, 4)._asdict(), q, list(OrderedDict(a=1).items()), c + Counter(the=1), sorted(Counter("aab").elements()), list(q))

# %% itertools-and-functools
import itertools, functools
from functools import partial, reduce, lru_cache
print(list(itertools.chain([1], [2, 3])), list(itertools.product("ab", [1, 2])), list(itertools.combinations(range(3), 2)), list(itertools.islice(itertools.count(5), 3)), list(itertools.zip_longest([1], [2, 3])), reduce(lambda a, b: a * b, [1, 2, 3, 4]), partial(pow, 2)(5), list(itertools.accumulate([1, 2, 3])), list(itertools.permutations("abc", 2))[:3], [(k, list(g)) for k, g in itertools.groupby("aabb")], list(itertools.repeat(0, 2)))
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def twice(f):
    @functools.wraps(f)
    def g(*a, **k):
        return f(f(*a, **k))
    return g
@twice
def inc(x):
    "adds one"
    return x + 1
print(fib(30), inc(1), inc.__name__, inc.__doc__)

# %% math-module
import math
print(math.sqrt(2), math.exp(1), math.log(10), math.log2(8), math.log10(1000), math.log(8, 2), math.pi, math.e, math.inf, math.isnan(math.nan), math.floor(-1.5), math.ceil(1.2), math.pow(2, 3), math.fabs(-1), math.factorial(5), math.gcd(12, 18), math.prod([2, 3]), math.isclose(0.1 + 0.2, 0.3), math.tanh(0.5), math.sin(1), math.cos(1), math.atan2(1, 1), math.hypot(3, 4), math.fsum([0.1] * 10), math.trunc(2.7), math.comb(5, 2), math.erf(0.5), math.degrees(math.pi), math.isqrt(10), math.copysign(1, -0.0))
for f in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.exp(1000)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__)

# %% math-on-tensors
import math
x = torch.tensor(4.0)
print(math.sqrt(x), math.log(x), math.exp(torch.tensor(0)), math.isnan(x), math.floor(torch.tensor(2.5)), x / math.sqrt(2), math.isinf(torch.tensor(math.inf)), abs(x), pow(x, 2), round(x.item() / 3, 3), divmod(7, int(x)))

# %% regular-expressions
import re
text = "Well, then: who ran? The cat-- a grey one!"
print(re.split(r"(\s)", text)[:5], [t for t in re.split(r"(--|[,:?!]|\s)", text) if t and not t.isspace()], re.sub(r"\s+([,.?!])", r"\1", "a , b ."), re.findall(r"\w+", text), re.match(r"(\w+), (\w+)", text).groups(), re.search(r"\d", text), re.compile("t", re.I).sub("T", text), bool(re.fullmatch(r"[a-z]+", "abc")), re.findall(r"(?P<a>\w)(\d)", "a1b2"), re.search(r"c(?P<rest>\w+)", text).group("rest"))

# %% strings-and-text
import string, textwrap
s = "Attention is all you need"
print(s.split(), s.lower().count("a"), s[::-1], s.replace("all", "what"), s.find("all"), "-".join("abc"), s.title(), s.startswith("Att"), s.center(31, "*"), "a,b".partition(","), " x ".strip(), s.upper().isupper(), "%s" % s[:3], "abc".zfill(5), "é".encode("utf-8"), ord("A"), chr(97), string.ascii_lowercase[:5], string.punctuation[:4], "a\nb".splitlines(), "tab\tx".expandtabs(4), repr("it's"), repr('q"q'), "x" in "xyz", s.rsplit(" ", 1), str.maketrans("ab", "cd"))
print(textwrap.fill(s * 2, 20), textwrap.dedent("  a\n   b"), textwrap.shorten(s, 15), textwrap.indent("x\ny", "> "), sep="\n")

# %% json-module
import json
d = {"a": [1, 2.5, None, True], "b": {"c": "é\n"}, "n": 1e-7}
print(json.dumps(d), json.loads('{"x": [1, {"y": null}], "z": -1.5e3}'), json.dumps(d, indent=2), json.dumps({"b": 1, "a": 2}, sort_keys=True, separators=(",", ":")), json.loads(json.dumps(torch.arange(3).tolist())), json.dumps("ü", ensure_ascii=False))
try:
    json.loads("{bad}")
except ValueError as e:
    print(type(e).__name__)
try:
    json.dumps(torch.ones(1))
except TypeError as e:
    print(e)

# %% typing-and-annotations
from __future__ import annotations
from typing import Optional, List, Dict, Tuple, Any, Callable, Union
import torch
def attend(q: torch.Tensor, mask: Optional[torch.Tensor] = None, *, scale: float | None = None) -> Tuple[torch.Tensor, Dict[str, Any]]:
    """Weights of one query."""
    w = q if mask is None else q.masked_fill(mask, float("-inf"))
    return torch.softmax(w * (scale or 1.0), -1), {"n": len(w)}
x: List[int] = [1, 2]
f: Callable[[int], int] = lambda v: v + 1
print(attend(torch.tensor([1., 2.])), attend(torch.tensor([1., 2.]), torch.tensor([True, False]), scale=0.5), attend.__doc__, f(x[0]), sorted(attend.__annotations__))

# %% contexts-and-warnings
import contextlib, io, warnings
@contextlib.contextmanager
def tag(name):
    print(f"<{name}>")
    try:
        yield name.upper()
    finally:
        print(f"</{name}>")
with tag("a") as t:
    print(t)
buf = io.StringIO()
with contextlib.redirect_stdout(buf):
    print("hidden")
print(repr(buf.getvalue()))
with contextlib.suppress(ZeroDivisionError):
    1 / 0
warnings.filterwarnings("ignore")
warnings.warn("quiet")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print("end")

# %% time-and-counting
import time
t0 = time.time()
t1 = time.perf_counter()
x = sum(range(1000))
print(time.time() >= t0, time.perf_counter() >= t1, x, isinstance(time.strftime("%Y"), str), time.sleep(0) is None, f"{0.12345:.2f}s")

# %% loops-and-branches
total = 0
for i in range(10):
    if i == 2:
        continue
    if i == 6:
        break
    total += i
else:
    print("not reached")
n = 3
while n:
    n -= 1
else:
    print("done", total)
match (1, [2, 3]):
    case (1, [a, *rest]):
        print(a, rest)
print([x if x % 2 else -x for x in range(4)], (y := 5) + y, 1 < 2 < 3, [] or "empty", not [], 7 // 2, -7 // 2, -7 % 3, 2 ** -1, 10 ** 20, 1_000, 0b11, 0xff, 5 & 3, ~5, 1 << 4, True + True, round(2.5), round(-0.5), round(2.675, 2), abs(-3), divmod(-7, 2))

# %% argument-passing
def f(a, b=2, *args, c, d=4, **kw):
    return a, b, args, c, d, kw
print(f(1, c=3), f(1, 5, 6, 7, c=0, e=9), f(*[1, 2, 3], **{"c": 4, "z": 5}))
for g in (lambda: f(1), lambda: f(c=1), lambda: f(1, 2, c=3, a=4)):
    try:
        g()
    except TypeError as e:
        print(e)
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    return inner
h = outer()
print(h(), h(), (lambda *a, **k: (a, k))(1, x=2))

# %% enums-and-abstract-classes
import abc, enum
class Kind(enum.Enum):
    SELF = 1
    CROSS = "x"
class Base(abc.ABC):
    @abc.abstractmethod
    def run(self): ...
class Child(Base):
    def run(self):
        return "ran"
print(Kind.SELF, Kind("x"), Kind.CROSS.name, list(Kind), Child().run())
try:
    Base()
except TypeError as e:
    print(e)
class Two(Base):
    @abc.abstractmethod
    def also(self): ...
try:
    Two()
except TypeError as e:
    print(e)

# %% versions
from importlib.metadata import version
import importlib.metadata
import torch
v = version("torch")
print(isinstance(v, str), v.split(".")[0], importlib.metadata.version("torch") == v, torch.__version__.startswith(v.split("+")[0]), tuple(map(int, v.split("+")[0].split(".")[:2])) >= (2, 0))

# %% main-guard-and-globals
LIMIT = 3
def main():
    global LIMIT
    LIMIT += 1
    print("main", LIMIT, __name__)
if __name__ == "__main__":
    main()
print(sorted(k for k in globals() if k in ("LIMIT", "main")), "LIMIT" in locals(), callable(main), vars(type("T", (), {"a": 1}))["a"], getattr(main, "__name__"), hasattr(main, "nope"), getattr(main, "nope", 5))

# %% sorting-and-sets
rows = [("b", 2), ("a", 2), ("c", 1)]
print(sorted(rows), sorted(rows, key=lambda r: (-r[1], r[0])), list(zip(*rows)), dict(rows), {1, 2} | {3}, {1, 2} & {2}, frozenset([1]), list(map(lambda r: r[0], filter(lambda r: r[1] > 1, rows))), rows.index(("c", 1)), rows[::-1][0], [1, 2] + [3] * 2, list(range(10, 0, -3)), tuple("ab"), min(rows), sum([[1], [2]], []), list(enumerate("ab", 1)), [1, 2, 3][-2:], (1,), "abc"[1:], all([]), list(reversed([1, 2])))

# %% patterns-and-matches
import re, copy
def show(*a):
    try: print(*[x() if callable(x) else x for x in a])
    except Exception as e: print(type(e).__name__, e)
T = ["", "a", "abc", "aaa bbb", "naïve café — “quoted” text, 123.", "x=1, yy=22; zzz=333", "日本語 text\nline two\n", "\U0001F600 smile \U0001F600\U0001F600", "a\nb\r\nc", "AbCaBc"]
P = [r"", r"a", r"\w+", r"\b", r"(\w)(\w)?", r"(?P<key>\w+)=(?P<value>\d+)", r"[^\w\s]", r"\s+", r"(a|b)*", r"(?<=\w)\W", r"(?=\w)", r"^", r"$", r"(?m)^.", r"(?i)abc", r"(.)\1", r"(?:x|y)+", r"[“”]", r"\d+\.?", r".*?e", r"(?s).+", r"(?>a+)b", r"a*+", r"(a)?(?(1)b|c)", r"[é-ï]+", r"\U0001F600+", r"(?P<w>\w+)\s+(?P=w)", r"(x)?(y)?z"]
for p in P:
    try: r = re.compile(p)
    except Exception as e: print(p, type(e).__name__, e); continue
    print(r, r.groups, dict(r.groupindex), r.flags)
    for t in T:
        show(repr(t), lambda: r.findall(t), lambda: r.split(t), lambda: r.sub("<\\g<0>>", t), lambda: r.subn("-", t, 2), lambda: r.match(t), lambda: r.fullmatch(t), lambda: r.search(t, 1), lambda: r.search(t, 1, 4))
        for m in r.finditer(t):
            print("  ", m, m.span(), m.groups(), m.groupdict("?"), m.lastindex, m.lastgroup, m.group(0), m[0], m.start(), m.end())
        show(lambda: r.split(t, 1), lambda: r.sub(lambda m: m.group().upper() + str(m.start()), t))
m = re.match(r"(?P<first>\w+) (?P<last>\w+)", "Ada Lovelace, née Byron")
print(m["last"], m[1], m.group("first", 2), bool(m))
show(lambda: m.group(3)); show(lambda: m["nope"]); show(lambda: re.compile(b"a").findall("a")); show(lambda: re.compile("a").findall(b"a")); show(lambda: re.compile("a").findall(3))
print(re.findall(rb"\w+", b"ab \xff cd"), re.split(rb",", bytearray(b"a,b")), re.sub(rb"a", b"x", b"banana"))
print(re.compile("a", re.I | re.X), re.compile(b"x", re.M), re.compile("a") == re.compile("a"), hash(re.compile("a")) == hash(re.compile("a")))
print(re.Pattern, re.Match, re.compile("a").pattern, dict(re.compile("(?P<a>x)").groupindex))
print(re.sub("a", lambda m: None, "banana") if False else "", re.escape("a.b*c"), re.sub(r"(a)(x)?", r"[\1\2]", "banana"))
show(lambda: re.compile("a").match("a", pos=-3), lambda: re.compile("a").match(string="ba", pos=1, endpos=10**30 if False else 5))
print(re.compile(r"\w+").findall("xx yy", 1), re.compile("").findall("abc", 5), re.compile("$").findall("a\n"))

# %% sorting-counted
import random
random.seed(7)
class Counted:
    calls = 0
    def __init__(self, v): self.v = v
    def __lt__(self, other): Counted.calls += 1; return self.v < other.v
for n in (0, 1, 2, 17, 100, 3000):
    x = [Counted(random.randrange(n or 1)) for _ in range(n)]
    Counted.calls = 0
    y = sorted(x)
    ordered = all(not b.v < a.v and (a.v != b.v or x.index(a) < x.index(b)) for a, b in zip(y, y[1:])) if n < 3000 else [c.v for c in y] == sorted(c.v for c in x)
    print(n, ordered, Counted.calls < 1.1 * n * max(n - 1, 1).bit_length() + 1)
    Counted.calls = 0; sorted(y); print(Counted.calls == max(n - 1, 0))
words = "the quick brown fox jumps over the lazy dog Zebra été ß 日本".split()
print(sorted(words), sorted(words, key=len), sorted(words, key=len, reverse=True), sorted(words, key=str.lower))
print(sorted([3, 1.5, True, -2, 10**30, -10**30]), sorted([0.0, -0.0, 0]), sorted([(1, "b"), (1, "a"), (0, "z")], reverse=True))
print(sorted({"b": 1, "a": 2}), sorted("hello"), sorted(range(5), key=lambda v: -v), sorted([[2], [1, 5], [1]]), sorted([True, False, True]))
x = [5, 3, 4]; print(x.sort(), x, x.sort(reverse=1), x, x.sort(key=None), x)
for bad in (lambda: sorted([1, "a"]), lambda: [1, None].sort(), lambda: sorted(3), lambda: sorted([1, 2], key=5)):
    try: print(bad())
    except TypeError as e: print(e)
x = [3, 1, 2]
def grows(v): x.append(v); return v
try: x.sort(key=grows)
except ValueError as e: print(e, x)
y = [2, "a", 1]
try: y.sort()
except TypeError: print(sorted(map(str, y)))
class L(list): pass
l = L([2, 1]); l.sort(); print(l, type(l), list.sort([1]), max(l, key=lambda v: -v))

# %% words-of-errors
import math
CASES = r"""
"".join([1,2])
",".join(["a", None])
int("abc")
int("3.5")
float("x")
[1,2][5]
(1,2)[5]
"abc"[9]
{}["k"]
{}[3]
[1,2]["a"]
"abc"["x"]
1 + "a"
"a" + 1
[1] + (2,)
[1] + 1
None + 1
"a" * "b"
"a" - "b"
-"a"
not_defined
None.foo
(1).foo
"a".foo
[].foo
{}.foo
math.foo
len(5)
abs("a")
sum(["a"])
sum([[1],[2]])
range("a")
range(1.5)
for_x = [x for x in 5]
a, b = 1, 2, 3
a, b, c = 1, 2
a, b = 5
set([[1]])
{[1]: 2}
hash([])
1/0
1//0
1%0
1.0/0
1.0//0
2.0**10000
math.sqrt(-1)
math.log(0)
isinstance(1, 2)
issubclass(1, int)
int([])
int(None)
float(None)
float([])
chr(-1)
chr(10**9)
ord("ab")
ord("")
"abc".index("z")
[1].index(9)
[].pop()
{}.pop("x")
set().pop()
next(iter([]))
max([])
min(())
max(1)
max("a", 1)
[1] < [None]
1 < "a"
None < 1
{} < {}
1j < 2
(lambda x: x)()
(lambda x: x)(1, 2)
(lambda: 0)(1)
(lambda x, *, y: x)(1)
(lambda x: x)(y=3)
"{a}".format(b=1)
"%d" % "a"
"%s %s" % 1
f"{'a':d}"
f"{1.5:d}"
format("a", ".2f")
"abc".encode("ascii2")
"é".encode("ascii")
b"\xff".decode()
bytes("abc")
bytes([300])
[1,2,3][::0]
list(5)
tuple(5)
list(zip([1], 5))
list(map(5, [1]))
enumerate(5)
sorted([1,"a"])
iter(5)
next(5)
super().foo
object().x
object() + 1
type("A", (), {})().y
int.foo
assert 1 == 2
assert False, "message"
raise ValueError("x")
raise ValueError
del zzz
x = 1; x()
x = 1; x[0]
x = 1; x[0] = 2
x = (1,); x[0] = 2
x = "a"; x[0] = "b"
x = [1]; x["a"] = 1
x = [1]; del x[5]
x = 1; x.y = 2
x = 1; len(x)
round(1.5, "a")
pow("a", 2)
complex("a")
"a".split("")
"abc".startswith(1)
[].extend(5)
{}.update(5)
set().add([])
{1}.remove(2)
[2]
{1} + {2}
int("12", 99)
float("1_0_")
zip([1], [1,2], strict=True) and list(zip([1], [1,2], strict=True))
getattr(1, "foo")
setattr(1, "foo", 2)
vars(1)
type()
type(1, 2)
math.factorial(-1)
math.factorial(1.5)
math.sqrt("a")
math.floor("a")
math.gcd(1.5)
math.comb(-1, 2)
def_ = lambda: undefined_name; def_()
class_ = type("A", (), {"f": lambda self: 1}); class_().f(2)
class_ = type("A", (), {"f": lambda self: 1}); class_.f()
type("A", (), {"__init__": lambda self, a: None})()
type("A", (), {"__init__": lambda self, a: None})(1, 2)
type("A", (), {"__init__": lambda self, a: None})(b=1)
type("A", (), {"__init__": lambda self: 5})()
type("A", (), {})(1)
object(1)
int.__new__(str)
"abc".nope()
"x".join({1:2})
[1,2,3].index(4, 1)
(1,2).index(3)
(1,2).append(3)
range(3)[5]
range(0,1,0)
[1,2,3]["1":2]
{}.fromkeys(5)
frozenset().add(1)
bytearray(-1)
sum(1, 2)
sum([1], "a")
all(5)
any(5)
list(filter(5, [1]))
hex(1.5)
(5).to_bytes(0, "big")
(300).to_bytes(1, "big")
"a" in 5
5 in "abc"
None in "abc"
[] in {}
1 in None
x = None; x[0]
x = None; x.shape
x = None; x()
x = None; len(x)
x = None; x + 1
x = None; [y for y in x]
x = None; a, b = x
x = [1]; x.shape
x = (1,); x.shape
x = 5; x.shape
x = "s"; x.shape
x = {}; x.shape
x = 5; [y for y in x]
x = 5; x.append(1)
x = {}; x.append(1)
x = {}; x.a
x = []; x.add(1)
x = 5; x @ x
x = [1]; x @ x
x = [[1]]; x[0, 0]
x = [1]; x[1.0]
x = [1]; x[None]
x = "a"; x[1.0]
x = (1,); x["a"]
x = range(3); x[1.0]
x = {1}; x[0]
x = 5; del x[0]
x = [1]; x.T
"5" / 2
"5" // 2
"5" % 2
"5" ** 2
5 % "a"
5 ** "a"
5 & 1.5
2
~1.5
1 << -1
1 << 1.5
+[]
not_a = [] ; not_a[0][1]
raise IndexError("index out of range")
raise TypeError("'int' object is not iterable")
raise ZeroDivisionError("division by zero")
"""
for case in CASES.strip().split("\n"):
    try:
        exec(case, {"math": math}); print("ran", case)
    except Exception as e:
        print(type(e).__name__, "|", e, "|", case)
class Own:
    def __getitem__(self, i): raise IndexError("index out of range")
    def __contains__(self, i): return iter(5)
for f in (lambda: Own()[3], lambda: 2.0**10000, lambda: 1e200**2, lambda: 10.0**308, lambda: float("inf")**2, lambda: 2**0.5):
    try: print(f())
    except Exception as e: print(type(e).__name__, e, e.args)


# %% texts-of-other-alphabets
TEXTS = ["", "abc", "Ab1 cD\t", "é", "éÀß", "ΑΒ αβ", "٣1²", "½Ⅷ", "aªb", "\x1fa\x1c b\x85", "a\r\n\u2028b\x0b", "-é5", "éaéaéa", "日本 語", "İı", "😀a😀", "ा", "\u200b"]
def told(f):
    try:
        return f()
    except Exception as e:
        return type(e).__name__
for method in "isalpha isalnum isdecimal isdigit isnumeric isspace isprintable isidentifier islower isupper istitle isascii".split():
    print(method, "".join("01"[getattr(t, method)()] for t in TEXTS))
for method in "upper lower capitalize casefold strip lstrip rstrip split rsplit splitlines".split():
    print(method, [getattr(t, method)() for t in TEXTS])
for call in [
    lambda t: [len(t[::2]), t[::2], t[::-1], t[::-3], t[1:], t[-2:0:-1], t[4::-2], t[2:100:3]],
    lambda t: [t.center(7, "é"), t.ljust(5) + "|", t.rjust(5, "日"), f"{t:é^9}", f"{t:>8}"],
    lambda t: [t.replace("a", "é", 1)],
    lambda t: [t.count("a", 1), t.find("a", -3), t.rfind("é", 0, 3), t.find("", 2)],
    lambda t: [t.partition("é"), t.rpartition("a"), t.split(None, 1), t.rsplit(None, 1), t.split("a", 1), t.rsplit("é", 1), t.splitlines(True)],
    lambda t: [t.strip("aé"), t.lstrip("\x1f"), t.expandtabs(3), told(lambda: t.index("b")), told(lambda: t.rindex("é", 1))],
    lambda t: [t.encode("utf-16-le").hex(), t.encode("utf-8-sig").hex(), t.encode("ascii", "replace"), t.encode("unicode_escape")],
]:
    for t in TEXTS:
        print(told(lambda: call(t)))
x = "éaéaéa"[::2]
print(len(x), x[-1], x[2:], x.ljust(4) + "|", x == "é" * 3, [*x], x.find("é", -1))

# %% long-texts-and-bytes
def told(value):
    """The length of a text, and a sum of some of its characters; of a list, how many parts, and the same of all."""
    if isinstance(value, (list, tuple)):
        between = b"|" if value and isinstance(value[-1], (bytes, bytearray)) else "|"
        return len(value), told(between.join(value))
    some = value[::7919] + value[4194290:4194310] + value[-20:]
    codes = some if isinstance(some, (bytes, bytearray)) else map(ord, some)
    return len(value), sum((at + 1) * code for at, code in enumerate(codes))
unit = "aB é\tΣc日\r\nd\x1ce F\x0b😀.\r"
texts = [unit * 170001, "x" + " " * 4400000 + "y"]
for number, t in enumerate(texts):
    print(number, told(t))
    for method in "upper lower capitalize title strip split rsplit splitlines expandtabs".split():
        print(method, told(getattr(t, method)()))
    print([getattr(t, method)() for method in "isalpha isalnum isdigit isspace isprintable islower isupper istitle isidentifier".split()])
    print(told(t[::2]), told(t[::-1]), told(t[-3::-7]), told(t[5:-9]), told(t[100:4300000:3]), t[::2][-1:], len(t[1::2]))
    print(t.find("y"), t.rfind("aB"), t.count("a"), t.count("a", 5, -4), t.find("b", 10**6), t.rfind("é", 0, -5), t.find("zz"), t.count("ab" * 3))
    print(told(t.partition("c")), told(t.rpartition("a")), told(t.partition("zz")), told(t.split("a", 3)), told(t.rsplit("a", 3)), told(t.rsplit("a")))
    print(told(t.split(None, 5)), told(t.rsplit(None, 5)), told(t.splitlines(True)), told(t.replace("a", "éé")), told(t.replace("a", "", 1000)))
    print(told(t.strip("abB cé\td\nxy")), told(t.lstrip("ax")), told(t.rstrip("\n b")), told(t.rjust(9000001)), told(t.ljust(9000002, "é")))
for b in [b"aB c\td\n" * 640001, bytearray(b"-" + b"ab" * 2200001)]:
    for method in "upper lower capitalize title swapcase strip split rsplit splitlines expandtabs".split():
        print(method, told(getattr(b, method)()))
    print(told(b[::2]), told(b[::-1]), told(b[-3::-7]), told(b[5:-9]), b.find(b"y"), b.rfind(b"aB"), b.count(b"a", 5, -4), told(b.replace(b"a", b"xyz")))
    print(told(b.zfill(9000001)), told(b.center(9000001, b"-")), told(b.center(9000002)), told(b.partition(b"c")), told(b.rsplit(b"a", 3)), told(b.strip(b"aB cd")))
    print(told(b.translate(None, b"a")), told(b.translate(bytes(range(255, -1, -1)))), type(b[::2]), type(b.split()[0]), type(b.zfill(5000000)))
print(told(texts[0].translate({97: "é", 66: None})), told(f"{5:>5000001}"), told(f"{True:5000001}"), told(f"{'é':日^5000001}"), told(f"{1.5:<5000001.2f}"), told("-7".zfill(5000001)), told("é".center(5000002, "ß")))
x = list(range(1100001))
print([sum(part) for part in (x[::2], x[::-1], x[5:-7], x[-3:2:-5], tuple(x)[::3], tuple(x)[::-2])])

# %% width-and-precision-of-text
for token in ["Ġattention", "é", "the", ""]:
    print(f"[{token:<8.5}] [{token:>8.3s}] [{token:.1}] [{token:^7.2}] [{token:*^7.2}]", "{:{w}.{p}}|".format(token, w=6, p=2), format(token, "4.2"), f"{token:05}")
for spec in ["=6", "+6", " 6", ",", "d"]:
    try:
        f"{'text':{spec}}"
    except ValueError as e:
        print(e)

# %% with-blocks-that-never-reach-their-end
from contextlib import suppress
def later(form):
    if form == 0:
        with suppress(KeyError):
            raise KeyError("first")
        raise ValueError("second")
    if form == 1:
        with suppress(KeyError):
            if form:
                raise KeyError("first")
            else:
                return "left"
        raise ValueError("third")
    with suppress(KeyError), suppress(ValueError):
        with suppress(IndexError):
            while True:
                raise IndexError
        raise ValueError
    return [form, undefined_name]
for form in range(3):
    try:
        print(later(form))
    except Exception as e:
        print(form, type(e).__name__, e)
with suppress(KeyError) as nothing:
    raise KeyError("x")
try:
    raise ValueError("after", [nothing])
except ValueError as e:
    print(e.args)

# %% python-pickles-tensors
import pickle
x = torch.arange(6.).view(2, 3)
kept = pickle.loads(pickle.dumps({"x": x.T, "half": x.half()[0], "w": nn.Parameter(x[1]), "n": torch.tensor(3)}))
print(kept["x"], kept["half"], kept["n"])
print(kept["w"], kept["w"].is_leaf, kept["w"] is not x)

# %% messages-of-round-and-recursion
for value in ("a", [1], None):
    try:
        round(value)
    except TypeError as e:
        print(e)
def deeper(x):
    return deeper(x + 1)
try:
    deeper(0)
except RecursionError as e:
    print(repr(str(e)))
