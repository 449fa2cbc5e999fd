"""What a notebook adds to the builtins: `display`, `help`, `%time`, `%timeit` and `x?`, in IPython's words; and what ends a
cell or asks somebody. Code runs in the namespace of the cells.
"""

import sys
from time import perf_counter

from _pretty import shown

# Rounds of `%timeit`, and the shortest time in seconds that one of them takes.
ROUNDS, SHORTEST = 7, 0.05


class StdinNotImplementedError(NotImplementedError):
    __module__ = "IPython.core.error"


def input(prompt=""):
    raise StdinNotImplementedError("input() was called, but a cell has nobody to ask: write the value in the cell")


def exit(code=None):
    raise SystemExit(code)


quit = exit


def display(*values):
    for value in values:
        print(shown(value))


def help(*about):
    """The text of `help(x)` and `x?`: the value as Jupyter shows it, what a class is called with, and the docstring."""
    if not about:
        print("help(x) says what x is: help(torch.softmax)")
        return
    (about,) = about
    print(shown(about))
    if isinstance(about, type):
        import inspect

        try:
            print(f"{about.__name__}{inspect.signature(about)}")
        except Exception:
            pass
    doc = getattr(about, "__doc__", None)
    if isinstance(doc, str):
        print("", *doc.splitlines(), sep="\n")


def evaluated(source):
    """The value of code; None of statements."""
    names = vars(sys.modules["__main__"])
    try:
        code = compile(source, "<timed>", "eval")
    except SyntaxError:
        code = compile(source, "<timed>", "exec")
    return eval(code, names)


def __attn_help__(source):
    try:
        about = evaluated(source)
    except Exception:
        print(f"Object `{source}` not found.")
        return
    help(about)


def __attn_time__(source):
    start = perf_counter()
    value = evaluated(source)
    wall_time(perf_counter() - start)
    return value


def wall_time(seconds):
    print("Wall time:", duration(seconds))


def __attn_timeit__(source):
    import re
    from timeit import Timer

    # Options such as `-n 100` are left out.
    source = re.sub(r"^(-[nrp]\s*\d+\s+|-\S+\s+)*", "", source)
    timer = Timer(source, timer=perf_counter, globals=vars(sys.modules["__main__"]))
    times = 1
    while times < 1_000_000 and timer.timeit(times) < SHORTEST:
        times *= 10
    seconds = [timer.timeit(times) / times for _ in range(ROUNDS)]
    mean = sum(seconds) / ROUNDS
    spread = (sum((it - mean) ** 2 for it in seconds) / ROUNDS) ** 0.5
    loops = f"{times:,} loop" if times == 1 else f"{times:,} loops"
    print(f"{duration(mean)} ± {duration(spread)} per loop (mean ± std. dev. of {ROUNDS} runs, {loops} each)")


def duration(seconds):
    """Three significant digits in the largest unit in which there is at least 1: `12.3 µs`."""
    units = [(1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")]
    scale, unit = next((it for it in units if seconds * it[0] >= 1), units[-1])
    value = seconds * scale
    return f"{value:.0f} {unit}" if value >= 999.5 else f"{value:.3g} {unit}"
