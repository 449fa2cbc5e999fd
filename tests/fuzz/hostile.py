"""Writes random programs from the interpreter's builtins. Their arguments lie: huge, negative and recursive ones, and objects
whose special methods return, raise or change what they should not. The same seed gives the same programs.

    hostile.py SEED COUNT FOLDER [ATTN]

With the path of attn each program is run by `:run` in a REPL on a terminal of its own, in which a variable was bound before: the
parent may not end, and the variable must be there afterwards. What has not ended after some seconds is stopped by Ctrl-C.
Each program whose process dies is named; only a lost session is a failure.
"""

import os
import pty
import random
import re
import select
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PREAMBLE = '''
import sys, math, itertools, functools, collections, operator, json, re, random, struct, copy, string, textwrap, statistics, \\
    fractions, decimal, bisect, heapq, enum, dataclasses, typing, types, weakref, io, contextlib, gc, time
everything = []
class Liar:
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __index__(self): return self.n
    def __int__(self): return self.n
    def __float__(self): return float(self.n)
    def __length_hint__(self): return self.n
    def __hash__(self): return self.n
    def __iter__(self): return iter([1, 2, 3])
    def __getitem__(self, at): return self
    def __bool__(self): return True
class Changer:
    """Empties every container each time that it is asked for anything."""
    def _change(self):
        for one in everything:
            try: one.clear()
            except Exception: pass
    def __eq__(self, other): self._change(); return True
    def __lt__(self, other): self._change(); return True
    def __hash__(self): self._change(); return 1
    def __index__(self): self._change(); return 1
    def __len__(self): self._change(); return 2
    def __iter__(self): self._change(); return iter([self, 1])
    def __repr__(self): self._change(); return 'changer'
    def __del__(self): self._change()
    def __call__(self, *args): self._change(); return self
    def __getitem__(self, at): self._change(); return 1
    def __contains__(self, what): self._change(); return False
class Grower(Changer):
    def _change(self):
        for one in everything:
            for add in ('append', 'add'):
                try: getattr(one, add)(len(one))
                except Exception: pass
class Raiser:
    def _raise(self, *args): raise KeyError(self)
    __eq__ = __lt__ = __hash__ = __index__ = __len__ = __iter__ = __call__ = __getitem__ = __bool__ = __int__ = _raise
    def __del__(self): raise ValueError('in del')
class Itself:
    def __iter__(self): return self
    def __next__(self): return next(self)
    def __eq__(self, other): return self == other
    def __repr__(self): return repr(self)
    def __call__(self, *args): return self(*args)
    def __index__(self): return operator.index(self)
    def __len__(self): return len(self)
    def __getattr__(self, name): return getattr(self, name + '_')
    def __add__(self, other): return self + other
    __radd__ = __mul__ = __add__
class Wrong:
    def _wrong(self, *args): return 'wrong'
    __len__ = __index__ = __hash__ = __bool__ = __iter__ = __int__ = __float__ = __length_hint__ = __repr__ = __next__ = _wrong
class Ended:
    """Reads its own holder when it goes."""
    def __init__(self, holder): self.holder = holder
    def __del__(self): len(self.holder), list(self.holder), repr(self.holder)
class Text(str):
    def __hash__(self): return 1
    def __eq__(self, other): return True
    def __len__(self): return 10**9
class Number(int):
    def __add__(self, other): return 'x'
    __radd__ = __sub__ = __mul__ = __rmul__ = __neg__ = __add__
def make():
    recursive = [1]; recursive.append(recursive)
    mapping = {1: 2}; mapping['self'] = mapping
    deep = []
    for _ in range(3000): deep = [deep]
    queue = collections.deque([1, 2, 3]); queue.append(queue)
    held = [1, 2]; held.append(Ended(held))
    def endless():
        while True: yield 1
    made = [0, 1, -1, 2**31, 2**63 - 1, -2**63, 2**63, 2**64, -2**70, 10**30, True, None, 0.0, -0.0, 1e308, -1e308,
        float('nan'), float('inf'), -float('inf'), 1j, '', 'a', 'text \\u00e9 \\U0001f600', '\\ud800', 'a' * 1000, '%s%d%*d', '{0.a[b]!r:>{1}}',
        b'', b'bytes', b'\\xff\\xfe', bytearray(b'abc'), memoryview(bytearray(b'abcdef')), [], [3, 1, 2], (), (1, 'a'), {}, {'a': 1}, set(), {1, 2}, frozenset([1]),
        range(5), range(2**63 - 1), range(10, 0, -3), slice(None, None, -1), slice(2**70, -2**70, 2**63), slice(None, None, 0),
        Liar(-1), Liar(2**63 - 1), Liar(2**31), Liar(3), Changer(), Grower(), Raiser(), Itself(), Wrong(), Text('t'), Number(5),
        [Changer(), 1, 2], {Changer(): 1}, [Raiser()], [Liar(-1)], (Itself(),), recursive, mapping, deep, queue, held,
        iter([1, 2]), iter(Changer()), iter({1: 2}), endless(), map(str, [1, 2]), zip([1], [2]), enumerate('ab'), itertools.count(), itertools.cycle([1]),
        reversed([1, 2]), len, print, int, str, list, type, object, lambda *a: a, Changer, make, sys, Exception, ValueError('v'),
        functools.partial(len), operator.itemgetter(1), operator.attrgetter('a.b'), re.compile('(a|b)*'), fractions.Fraction(1, 3), types.SimpleNamespace(a=1),
        collections.OrderedDict(a=1), collections.Counter('abc'), collections.defaultdict(list), collections.ChainMap({}), weakref.ref(Changer),
        io.StringIO('text'), property(len), staticmethod(len), classmethod(len), NotImplemented, ...]
    everything.extend(one for one in made if isinstance(one, (list, dict, set, bytearray, collections.deque)))
    return made
A = make()
def attempt(f):
    try: f()
    except Exception as error:
        try: str(error)[:50]
        except Exception: pass
'''

TYPES = """str bytes bytearray list tuple dict set frozenset int float complex bool range slice memoryview object type property
super classmethod staticmethod map filter zip enumerate reversed collections.deque collections.OrderedDict collections.Counter
collections.defaultdict collections.ChainMap itertools.chain itertools.product itertools.combinations itertools.permutations
itertools.islice itertools.groupby itertools.accumulate itertools.cycle itertools.repeat itertools.count itertools.zip_longest
itertools.starmap itertools.tee itertools.compress itertools.pairwise itertools.batched itertools.takewhile functools.partial functools.reduce
functools.cmp_to_key functools.lru_cache operator.itemgetter operator.methodcaller operator.attrgetter fractions.Fraction
decimal.Decimal ExceptionGroup ValueError types.SimpleNamespace types.MappingProxyType struct.Struct io.StringIO weakref.ref weakref.proxy
random.Random string.Formatter""".split()

FUNCTIONS = """abs all any ascii bin bool bytes callable chr compile delattr dict dir divmod eval exec filter format frozenset getattr
globals hasattr hash hex id int isinstance issubclass iter len list locals map max min next oct ord pow range repr reversed
round set setattr slice sorted str sum tuple type vars zip
math.comb math.factorial math.fmod math.frexp math.fsum math.gcd math.hypot math.isqrt math.ldexp math.log math.perm
math.pow math.prod math.sumprod math.floor math.ceil math.trunc
operator.add operator.mul operator.matmul operator.getitem operator.setitem operator.delitem operator.contains operator.concat
operator.iadd operator.imul operator.lshift operator.mod operator.pow operator.index operator.length_hint operator.indexOf
operator.countOf operator.eq operator.lt operator.neg operator.ior operator.sub operator.and_ operator.floordiv
json.dumps json.loads re.sub re.split re.findall re.match re.fullmatch re.compile re.escape copy.copy copy.deepcopy
struct.pack struct.unpack struct.calcsize bisect.bisect bisect.insort heapq.heapify heapq.heappush
heapq.heappop heapq.merge heapq.nlargest statistics.mean statistics.median textwrap.wrap textwrap.dedent
functools.reduce functools.cmp_to_key itertools.tee collections.namedtuple enum.Enum dataclasses.make_dataclass types.new_class
random.choice random.shuffle random.sample random.randint random.choices string.Template int.from_bytes bytes.fromhex
float.fromhex dict.fromkeys str.maketrans bytes.maketrans gc.collect sys.getsizeof sys.intern sys.setrecursionlimit""".split()


def program(seed):
    rng = random.Random(seed)

    def argument():
        return f"A[{rng.randrange(140)} % len(A)]"

    def arguments(most=4):
        given = [argument() for _ in range(rng.choices(range(most + 1), [1, 5, 5, 3, 1][: most + 1])[0])]
        if rng.random() < 0.08:
            given.append(f"{rng.choice(['key', 'default', 'start', 'reverse', 'maxlen', 'strict', 'repeat', 'base', 'sep', 'r'])}={argument()}")
        if rng.random() < 0.04:
            given.append(f"*[{argument()}]")
        return ", ".join(given)

    lines = []
    for number in range(25):
        kind = rng.random()
        if kind < 0.35:
            call = f"{rng.choice(FUNCTIONS)}({arguments()})"
        elif kind < 0.5:
            call = f"made.append({rng.choice(TYPES)}({arguments()}))"
        elif kind < 0.85:
            # A method, by its number among the names of what it is called on.
            target = rng.choice([argument(), f"made[{rng.randrange(50)} % len(made)]"])
            call = f"method({target}, {rng.randrange(10**6)})({arguments(3)})"
        elif kind < 0.92:
            call = f"list(itertools.islice({argument()}, 5))"
        else:
            a, b, c = argument(), argument(), argument()
            call = rng.choice(
                [
                    f"{a}[{b}]", f"{a} + {b}", f"{a} * {b}", f"{a} % {b}", f"{a} == {b}", f"{a} in {b}", f"{a} < {b}", f"f'{{{a}:{{{b}}}}}'",
                    f"{a}.__setitem__({b}, {c})", f"[*{a}]", f"{{**{a}}}", f"{a} ** {b}", f"{a} @ {b}", f"{a} | {b}", f"-{a}", f"{a}[{b}:{c}]", f"'%s' % {a}",
                    f"({a} if {b} else {c})", f"{a} << {b}", f"exec('del x', dict(x={a}))", f"(lambda *x, **y: x)(*{a}, **{b})",
                ]
            )
        lines.append(f"attempt(lambda: {call})")
    helper = """
made = [1]
def method(of, number):
    names = [name for name in dir(of) if name not in ('__class__', '__subclasshook__')]
    return getattr(of, names[number % len(names)])
"""
    return PREAMBLE + helper + "\n".join(lines) + "\nsys.setrecursionlimit(1000)\nprint('to the end')\n"


class Repl:
    """attn's REPL on a terminal."""

    def __init__(self, attn, folder):
        self.before = self.heard = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(ATTN_STATE_DIR=str(folder), TERM="xterm", COLUMNS="100", LINES="40")
            os.execv(attn, [attn, "repl", "--max-memory", "1G"])

    def type(self, text):
        os.write(self.terminal, text.encode())

    def hears(self, pattern, seconds):
        """Whether this comes within so many seconds; what was heard up to it is forgotten."""
        end = time.monotonic() + seconds
        while True:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", self.heard)
            found = re.search(pattern, plain)
            if found:
                self.before, self.heard = plain[: found.end()], plain[found.end() :]
                return found
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                return None
            try:
                self.heard += os.read(self.terminal, 1 << 16).decode(errors="replace")
            except OSError:
                return None


def run(attn, file, patience=12):
    """How a program ended: "ended", "stopped" by Ctrl-C, "died", or "lost" with the session."""
    repl = Repl(attn, file.parent / "state")
    how = "ended"
    try:
        if not repl.hears(r"attn \[1\]> $", 30):
            return "lost: no prompt"
        repl.type("x = 41\r")
        if not repl.hears(r"attn \[2\]> $", 30):
            return "lost: no second prompt"
        repl.type(f":run {file}\r")
        # A line that begins so is a prompt, after the program or after a new process has run the first input again.
        prompt = r"\nattn \[[23]\]> $"
        for press in range(3):
            if repl.hears(prompt, patience if press == 0 else 7):
                break
            repl.type("\x03")
            how = "stopped"
        else:
            return "lost: it does not stop"
        if "session's process" in repl.before:
            how = "died"
        repl.heard = ""
        repl.type("'kept', x + 1\r")
        kept = repl.hears(r"\('kept', 42\)", 20)
        return how if kept else "lost: what was bound is gone"
    finally:
        os.kill(repl.process, signal.SIGHUP)
        os.close(repl.terminal)
        os.waitpid(repl.process, 0)


if __name__ == "__main__":
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{seed + at:06}.py" for at in range(count)]
    for at, file in enumerate(files):
        file.write_text(program(seed + at))
    if len(sys.argv) > 4:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            ends = list(pool.map(lambda file: run(os.path.abspath(sys.argv[4]), file), files))
        for file, end in zip(files, ends):
            if end.startswith(("died", "lost")):
                print(file.name, end)
        print(dict(Counter(ends)))
        sys.exit(any(end.startswith("lost") for end in ends))
