"""Times NumPy and attn in turns on the same operations and prints the ratios.

    python benches/compare_numpy.py                        # all cases, some minutes
    python benches/compare_numpy.py --only 512             # those whose name matches a pattern

Needs NumPy, which is not installed with attn. Both read a pattern from their input and run the cases that match. The figure
is the fewest seconds over all rounds; a ratio above 1 means that attn takes less time.
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
    found = {}
    for shape in ((6, 3), (512, 512), (2048, 2048)):
        found |= {f"{'x'.join(map(str, shape))} {name}": case for name, case in operations(rng, shape).items()}
    a, row, at, z = rng.standard_normal((6, 3)), np.arange(3.0), np.array([4, 0, 2]), np.exp(1j * np.arange(20.0))
    mask, big, angles = a[:, 0] > 0, rng.standard_normal((512, 512)), np.outer(np.arange(64), np.arange(64.0))
    many = np.exp(1j * angles)
    return found | {
        "indexing a[1, 2]": lambda: a[1, 2],
        "indexing a[1:3]": lambda: a[1:3],
        "indexing a[:, 1]": lambda: a[:, 1],
        "indexing a[..., None]": lambda: a[..., None],
        "indexing a[rows]": lambda: a[at],
        "indexing a[mask]": lambda: a[mask],
        "indexing a[1] = b": lambda: a.__setitem__(1, row),
        "indexing a[:, ::2] = 0": lambda: a.__setitem__((slice(None), slice(None, None, 2)), 0.0),
        "indexing large[rows]": lambda: big[at],
        "indexing large[mask]": lambda: big[big > 1.0],
        "complex 1j * a": lambda: 1j * row,
        "complex exp": lambda: np.exp(z),
        "complex product": lambda: z * z,
        "complex of numbers": lambda: z[3] * z[4],
        "complex conj": lambda: z.conj(),
        "complex real": lambda: z.real,
        "complex z[1:3]": lambda: z[1:3],
        "complex z[1]": lambda: z[1],
        "complex sum": lambda: z.sum(),
        "complex mean over axis": lambda: many.mean(axis=0),
        "complex abs": lambda: np.abs(z),
        "complex angle": lambda: np.angle(z),
        "complex reshape": lambda: z.reshape(4, 5),
        "complex concatenate": lambda: np.concatenate([z, z]),
        "complex 64x64 exp": lambda: np.exp(1j * angles),
        "complex 64x64 product": lambda: many * many,
        "complex 64x64 matmul": lambda: many @ many,
    }


def operations(rng, shape):
    """Forty operations on arrays of this shape."""
    a, row, count = rng.standard_normal(shape), np.arange(float(shape[1])), shape[0] * shape[1]
    mask, positive, flat = a > 0.5, np.abs(a) + 0.5, np.arange(float(shape[0]))
    nested = a.tolist() if count < 100 else a
    return {
        "a + b": lambda: a + a,
        "a * 2": lambda: a * 2.0,
        "a - row": lambda: a - row,
        "a / b": lambda: a / positive,
        "a ** 2": lambda: a**2,
        "a += b": lambda: np.add(a, 0.0, out=a),
        "a > 0": lambda: a > 0,
        "a @ b": lambda: a @ a.T,
        "zeros": lambda: np.zeros(shape),
        "array": lambda: np.array(nested),
        "arange": lambda: np.arange(count),
        "linspace": lambda: np.linspace(0.0, 1.0, count),
        "eye": lambda: np.eye(shape[0]),
        "reshape": lambda: a.reshape(shape[1], shape[0]),
        "transpose and copy": lambda: a.T.copy(),
        "expand_dims": lambda: np.expand_dims(a, 0),
        "concatenate": lambda: np.concatenate([a, a]),
        "stack": lambda: np.stack([a, a]),
        "split": lambda: np.split(a, 2),
        "where": lambda: np.where(mask, a, 0.0),
        "clip": lambda: np.clip(a, -1.0, 1.0),
        "maximum": lambda: np.maximum(a, 0.0),
        "exp": lambda: np.exp(a),
        "log": lambda: np.log(positive),
        "tanh": lambda: np.tanh(a),
        "sqrt": lambda: np.sqrt(positive),
        "sin": lambda: np.sin(a),
        "sum": lambda: a.sum(),
        "sum over rows": lambda: a.sum(axis=0),
        "mean over columns": lambda: np.mean(a, axis=-1),
        "std": lambda: a.std(axis=-1),
        "max": lambda: a.max(axis=-1, keepdims=True),
        "argmax": lambda: a.argmax(axis=-1),
        "sort": lambda: np.sort(a, axis=-1),
        "cumsum": lambda: np.cumsum(a, axis=0),
        "einsum": lambda: np.einsum("ij,j->i", a, row),
        "outer": lambda: np.outer(flat, row),
        "tril": lambda: np.tril(a),
        "astype": lambda: a.astype(np.float32),
        "random": lambda: np.random.randn(*shape),
        "softmax": lambda: softmax(a),
    }


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
    print(f"{'':30} {'NumPy':>12} {'attn':>12}   ratio")
    groups = {}
    for name, times in best.items():
        ratio = times["numpy"] / times["attn"]
        groups.setdefault(name.split()[0], []).append(ratio)
        print(f"{name:30} {times['numpy'] * 1e6:9.2f} µs {times['attn'] * 1e6:9.2f} µs {ratio:7.2f}")
    for group, ratios in groups.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{group}: {len(ratios)} cases, geometric mean {mean:.2f}, least {min(ratios):.2f}")


if subprocess is None or "--times" in sys.argv:
    pattern = sys.stdin.readline().strip()
    print(ANSWER + json.dumps({name: seconds(case) for name, case in cases().items() if re.search(pattern, name)}))
else:
    compare()
