"""Writes python_random.json beside it from CPython's own `random`.  Usage: python3.11 make_python_random.py [OUT_DIR]

Each case is a few lines of Python and what they print; every case starts with a seed of its own.
"""
import contextlib, io, json, platform, sys

OUT = sys.argv[1] if len(sys.argv) > 1 else "."
SEEDS = ["0", "1", "42", "123", "-7", "2**32", "2**100 + 12345", "1.5", "-0.25", "'text'", "'ä β'", "b'bytes'", "True"]
DRAWS = [
    "print([random.random() for _ in range(4)])",
    "print([random.getrandbits(k) for k in (1, 5, 31, 32, 33, 64, 100, 0)])",
    "print([random.randint(1, 6) for _ in range(12)], random.randint(-10**20, 10**20))",
    "print([random.randrange(100) for _ in range(5)], random.randrange(10, 50), random.randrange(0, 101, 7), random.randrange(10, 0, -3))",
    "print(random.uniform(-2.5, 7), random.uniform(3, 1), random.triangular(), random.triangular(0, 10, 3))",
    "print([random.choice('abcdefg') for _ in range(6)], random.choice([10, 20, 30]))",
    "print(random.choices(['a', 'b', 'c'], k=6), random.choices([1, 2, 3], weights=[5, 1, 1], k=8), random.choices('xyz', cum_weights=[1, 2, 10], k=5))",
    "x = list(range(12)); random.shuffle(x); print(x); random.shuffle(x); print(x)",
    "print(random.sample(range(100), 10), random.sample(list('abcdef'), 6), random.sample(range(10**6), 5), random.sample(['r', 'b'], counts=[3, 4], k=4))",
    "print([random.gauss(0, 1) for _ in range(5)], random.gauss(10, 2.5), random.gauss())",
    "print([random.normalvariate(0, 1) for _ in range(4)], random.normalvariate(5, 0.1))",
    "print(random.expovariate(1.5), random.betavariate(2, 3), random.gammavariate(0.5, 2), random.gammavariate(1, 2), random.gammavariate(3, 1))",
    "print(random.lognormvariate(0, 0.5), random.vonmisesvariate(1, 4), random.paretovariate(3), random.weibullvariate(1, 1.5))",
    "print(random.randbytes(7), random.random())",
    "s = random.getstate(); a = random.random(), random.gauss(0, 1); random.setstate(s); print(a == (random.random(), random.gauss(0, 1)), s[0], len(s[1]), s[1][:3], s[1][-1], s[2])",
]
OTHERS = [
    "r = random.Random(5); q = random.Random(5); random.seed(1); print(r.random() == q.random(), r.randint(0, 99), random.random())",
    "r = random.Random('state'); r.random(); q = random.Random(); q.setstate(r.getstate()); print(q.random() == r.random())",
    "r = random.Random(3); r.seed(3, version=2); print(r.random()); r.seed('abc', version=1); print(r.random())",
    "class Loaded(random.Random):\n    def random(self):\n        return 0.25\nr = Loaded(1); print(r.random(), r.uniform(0, 8), r.randrange(8), r.choice('abcd'))",
    "random.seed(10); print(random.random()); random.seed(10); random.seed(10); print(random.random())",
    "try:\n    random.choice([])\nexcept IndexError as e:\n    print(e)",
    "try:\n    random.sample([1, 2], 3)\nexcept ValueError as e:\n    print(e)",
    "try:\n    random.randint(5, 1)\nexcept ValueError as e:\n    print(type(e).__name__)",
    "try:\n    random.getrandbits(-1)\nexcept ValueError as e:\n    print(e)",
    "try:\n    random.seed([1])\nexcept TypeError as e:\n    print(type(e).__name__)",
]


def printed(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    return out.getvalue()


cases = []
for seed in SEEDS:
    # All draws for the plain seeds, a few for the others, whose point is the seeding.
    for draw in DRAWS if seed in ("42", "'text'") else DRAWS[:2] + DRAWS[8:10]:
        code = f"import random\nrandom.seed({seed})\n{draw}"
        cases.append({"code": code, "stdout": printed(code)})
for other in OTHERS:
    code = f"import random\n{other}"
    cases.append({"code": code, "stdout": printed(code)})
with open(f"{OUT}/python_random.json", "w") as f:
    json.dump({"python": platform.python_version(), "cases": cases}, f, indent=0, ensure_ascii=False)
    f.write("\n")
