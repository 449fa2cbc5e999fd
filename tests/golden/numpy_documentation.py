"""The examples of NumPy's documentation, run in NumPy and in attn: a test of breadth outside CI.

Usage: python numpy_documentation.py record EXAMPLES.json
       python numpy_documentation.py compare ATTN EXAMPLES.json [--only PATTERN] [--show same|refused|differs|reasons]

`record` needs NumPy 1.26.4. It takes the `>>>` lines of every docstring, runs them statement by statement with a seeded
generator and keeps what each prints; statements that NumPy itself does not run are left out. `compare` runs the same in
attn, and counts the examples of names that attn has. The words are those of `documentation.py`, which does the work.
"""
import argparse, importlib, inspect, json, re, subprocess, sys, tempfile

import documentation as base

MODULES = ["numpy", "numpy.linalg", "numpy.random", "numpy.testing"]

base.HEAD = """import math
import numpy as np
from numpy import linalg as LA
from numpy.random import default_rng
np.random.seed(0)
_default_rng = np.random.default_rng
np.random.default_rng = default_rng = lambda seed=None: _default_rng(0 if seed is None else seed)
rng = np.random.default_rng()
"""

# Differences that are none, and why.
base.DIFFERS = {
    "numpy.empty": "memory that nobody has written yet",
    "numpy.empty_like": "memory that nobody has written yet",
    "numpy.partition": "the order within the parts, which is any",
    "numpy.argpartition": "the order within the parts, which is any",
    "numpy.ndarray.partition": "the order within the parts, which is any",
    "numpy.ndarray": "memory that nobody has written yet",
    "numpy.linalg.eigvalsh": "2.0 - 0j, whose imaginary part is -0.0 from Python 3.14 on",
    "numpy.linalg.cond": "the last digit",
    "numpy.linalg.norm": "the rounding of a singular value that is 0",
    "numpy.arctan": "the last digit, which limits of a plot show",
    "numpy.logaddexp": "the last digits",
    "numpy.random.SeedSequence": "entropy from the system's clock",
    "numpy.random.Generator": "entropy from the system's clock: PCG64() without a seed",
}


def documented():
    """Every documented object: its name and its docstring."""
    import numpy
    out, add = base.collector()
    for place in MODULES:
        home = importlib.import_module(place)
        for name in sorted(dir(home)):
            if name.startswith("_"):
                continue
            try:
                thing = getattr(home, name)
            except Exception:
                continue
            if not inspect.ismodule(thing):
                add(f"{place}.{name}", thing)
    for owner in (numpy.ndarray, numpy.ufunc, numpy.dtype, numpy.random.Generator):
        place = f"numpy.{owner.__name__}" if owner.__module__ == "numpy" else "numpy.random.Generator"
        for name in sorted(dir(owner)):
            if not name.startswith("_"):
                add(f"{place}.{name}", getattr(owner, name))
    return out


base.documented = documented


def known(attn, cases):
    """The names among the cases that attn has."""
    lines = ["import numpy as np"]
    for number, case in enumerate(cases):
        path = case["name"].split(".")[1:]
        home = ".".join(["np", *path[:-1]])
        lines.append(f"try:\n    print({number}, hasattr({home}, {path[-1]!r}))\nexcept Exception:\n    print({number}, False)")
    text = "\n".join(lines).replace("np.ndarray,", "np.zeros(1),").replace("np.random.Generator,", "np.random.default_rng(0),")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([attn, "run", file.name, "--json", "--no-input", "--no-record"], capture_output=True, text=True)
    said = "".join(cell["stdout"] for cell in json.loads(done.stdout)["cells"]) if done.stdout else ""
    return {int(line.split()[0]) for line in said.splitlines() if line.endswith("True")}


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = args.add_subparsers(dest="verb", required=True)
    verbs.add_parser("record").add_argument("examples")
    verb = verbs.add_parser("compare")
    verb.add_argument("attn")
    verb.add_argument("examples")
    verb.add_argument("--only", default="")
    verb.add_argument("--show", choices=["same", "refused", "follows", "differs", "listed", "reasons"])
    args = args.parse_args()
    if args.verb == "record":
        return base.record(args.examples)
    cases = json.load(open(args.examples))["cases"]
    had = known(args.attn, cases)
    names = "|".join(re.escape(case["name"]) for number, case in enumerate(cases) if number in had and re.search(args.only, case["name"]))
    print(len(had), "of", len(cases), "documented names are there")
    return base.compare(args.attn, args.examples, f"^({names})$", args.show, False)


if __name__ == "__main__":
    sys.exit(main())
