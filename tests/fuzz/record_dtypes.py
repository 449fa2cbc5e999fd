"""Which dtypes each operation takes, and what it gives: one call of each, in every dtype, as PyTorch answers it.

Usage: python record_dtypes.py ROWS.json ../golden/dtypes.json

ROWS.json is what `ATTN_ROWS=ROWS.json cargo test --release --test library rows_for_recording -- --ignored` writes: the
table's names, places and signatures.
A call is kept as text with `{dtype}` in place of the dtype, and an answer for each dtype: the dtypes of the results, or
the exception and the first line of its message. Operations that draw numbers are asked as well.
"""
import io, json, contextlib, signal, sys, warnings
from generate import Calls, DTYPES

warnings.simplefilter("ignore")


class OneDtype(Calls):
    """Calls whose tensors all have the dtype that is asked for."""

    def dtype(self):
        return "{dtype}"

    def index(self):
        name = super().index()
        return name


def too_long(*_):
    raise TimeoutError


def answers(names, line):
    out = {}
    for dtype in DTYPES:
        # PyTorch itself must survive it.
        text = io.StringIO()
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(5)
        with contextlib.redirect_stdout(text):
            exec(line.replace("{dtype}", dtype), names)
        signal.alarm(0)
        out[dtype] = text.getvalue().split("\n")[0]
    return out


def short(text):
    """`gave float32(2, 3)[...]` as the dtypes alone; an error as it is."""
    import re
    if text.startswith("raised"):
        return text[len("raised "):]
    return "gave " + " ".join(re.findall(r"\b(bool|u?int\d+|b?float\d+)\(", text))


def main():
    rows, path = sys.argv[1:]
    names = {}
    with open(__file__.replace("record_dtypes", "check")) as file:
        exec(file.read().replace("SECONDS = 1.0", "SECONDS = 60.0"), names)
    kept = []
    for row in json.load(open(rows)):
        best = None
        for seed in range(30):
            calls = OneDtype(seed, 0.0)
            line = calls.call(tuple(row))
            if "{dtype}" not in line or "'cuda'" in line:
                continue
            try:
                found = answers(names, line)
            except (Exception, SystemExit):
                continue
            good = sum(answer.startswith("gave") for answer in found.values())
            if found["float32"].startswith("gave") and (best is None or len(line) < len(best[0]) - 40):
                best = (line, found)
                if seed > 25:
                    break
        if best:
            kept.append({"name": row[0], "call": best[0], "gives": {dtype: short(text) for dtype, text in best[1].items()}})
        else:
            print("no call of", row[0])
    with open(path, "w") as file:
        rows = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in kept)
        file.write("[\n" + rows + "\n]\n")
    print(len(kept), "operations")


main()
