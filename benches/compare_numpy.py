"""Times NumPy and attn in turns on the same operations and prints the ratios.

    python benches/compare_numpy.py                        # all cases, some minutes
    python benches/compare_numpy.py --only 512             # those whose name matches a pattern

Needs NumPy, which is not installed with attn. Both read a pattern from their input and run the cases that match. The figure is the fewest seconds
over all rounds; a ratio above 1 means that attn takes less time.
"""

import json
import math
import re
import sys
import time

import numpy as np

try:
    import subprocess
except ImportError:  # in attn, which only times
    subprocess = None

ANSWER = "answer: "


def cases():
    """Name and function of every case; the operands are made once."""
    rng = np.random.default_rng(0)
    a, mask, row = rng.standard_normal((6, 3)), rng.random((6, 3)) > 0.5, np.arange(3.0)
    at, z = np.array([4, 0, 2]), np.exp(1j * np.arange(20.0))
    found = {
        "6x3 a + b": lambda: a + a,
        "6x3 a * 2": lambda: a * 2.0,
        "6x3 a @ b": lambda: a @ a.T,
        "6x3 a > 0": lambda: a > 0,
        "6x3 zeros": lambda: np.zeros((6, 3)),
        "6x3 array": lambda: np.array([[1.0, 2.0], [3.0, 4.0]]),
        "6x3 arange": lambda: np.arange(10),
        "6x3 linspace": lambda: np.linspace(0.0, 1.0, 10),
        "6x3 eye": lambda: np.eye(6),
        "6x3 reshape": lambda: a.reshape(3, 6),
        "6x3 transpose": lambda: a.T,
        "6x3 expand_dims": lambda: np.expand_dims(a, 0),
        "6x3 concatenate": lambda: np.concatenate([a, a]),
        "6x3 stack": lambda: np.stack([a, a]),
        "6x3 split": lambda: np.split(a, 3),
        "6x3 where": lambda: np.where(mask, a, 0.0),
        "6x3 clip": lambda: np.clip(a, -1.0, 1.0),
        "6x3 exp": lambda: np.exp(a),
        "6x3 sum": lambda: a.sum(axis=0),
        "6x3 mean": lambda: np.mean(a),
        "6x3 std": lambda: a.std(axis=-1),
        "6x3 max": lambda: a.max(axis=-1, keepdims=True),
        "6x3 argmax": lambda: a.argmax(axis=-1),
        "6x3 sort": lambda: np.sort(a, axis=0),
        "6x3 cumsum": lambda: np.cumsum(a, axis=0),
        "6x3 einsum": lambda: np.einsum("ij,kj->ik", a, a),
        "6x3 outer": lambda: np.outer(row, row),
        "6x3 tril": lambda: np.tril(a),
        "6x3 astype": lambda: a.astype(np.float32),
        "6x3 random": lambda: np.random.randn(6, 3),
        "indexing a[1, 2]": lambda: a[1, 2],
        "indexing a[1:3]": lambda: a[1:3],
        "indexing a[rows]": lambda: a[at],
        "indexing a[mask]": lambda: a[mask],
        "indexing a[1] = b": lambda: a.__setitem__(1, row),
        "complex exp": lambda: np.exp(1j * z.real),
        "complex product": lambda: z * z,
        "complex sum": lambda: z.sum(),
    }
    for size in (512, 2048):
        big = rng.standard_normal((size, size))
        found |= {
            f"{size} a + b": lambda a=big: a + a,
            f"{size} a @ b": lambda a=big: a @ a,
            f"{size} exp": lambda a=big: np.exp(a),
            f"{size} sum": lambda a=big: a.sum(axis=-1),
            f"{size} softmax": lambda a=big: softmax(a),
            f"{size} transpose and copy": lambda a=big: a.T.copy(),
        }
    return found


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def seconds(function):
    """The fewest seconds of a call, in batches that take some milliseconds."""
    begun = time.perf_counter()
    function()
    count = max(1, min(1000, int(0.005 / (time.perf_counter() - begun + 1e-9))))
    best = math.inf
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(count):
            function()
        best = min(best, (time.perf_counter() - begun) / count)
    return best


def measured(words, pattern):
    """The times that a process finds."""
    out = subprocess.run(words, input=f"{pattern}\n", capture_output=True, text=True)
    lines = [line for line in out.stdout.splitlines() if line.strip().startswith(ANSWER)]
    if not lines:
        sys.exit("a process ended early\n" + out.stdout + out.stderr)
    return json.loads(lines[0].strip().removeprefix(ANSWER))


def compare():
    import argparse

    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--attn", default="target/release/attn")
    words.add_argument("--only", default="", help="a pattern of names")
    words.add_argument("--rounds", type=int, default=3)
    args = words.parse_args()
    commands = {"numpy": [sys.executable, __file__, "--times"], "attn": [args.attn, "run", __file__]}
    best = {}
    for _ in range(args.rounds):
        for which, command in commands.items():
            for name, time_ in measured(command, args.only).items():
                times = best.setdefault(name, {})
                times[which] = min(time_, times.get(which, math.inf))
    print(f"{'':24} {'NumPy':>12} {'attn':>12}   ratio")
    groups = {}
    for name, times in best.items():
        ratio = times["numpy"] / times["attn"]
        groups.setdefault(name.split()[0], []).append(ratio)
        print(f"{name:24} {times['numpy'] * 1e6:9.2f} µs {times['attn'] * 1e6:9.2f} µs {ratio:7.2f}")
    for group, ratios in groups.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{group}: {len(ratios)} cases, geometric mean {mean:.2f}, least {min(ratios):.2f}")


if subprocess is None or "--times" in sys.argv:
    pattern = sys.stdin.readline().strip()
    print(ANSWER + json.dumps({name: seconds(case) for name, case in cases().items() if re.search(pattern, name)}))
else:
    compare()
