"""Runs every lesson with a real PyTorch and writes what its cells show into the lesson files.

Usage: python record_lessons.py [--check] lessons/*.md     (needs torch; everything else is Python's own)

Cells of a lesson run in order in one namespace, after the cells of the lessons it `needs` (those marked `:aside:` left
out). Under each cell comes a fence ```{output}: what was printed, then the text of a bare last expression, then, where
the tag `raises-exception` allows one, the exception's line. With --check nothing is written; differences are shown,
and each cell is run once more with only what it needs before it.

Three things differ from a plain PyTorch, as they do in attn: `torch.empty` is filled with zeros, and dropout and
`torch.multinomial` take the book's random numbers (one 53-bit uniform an element), not those of a build with MKL.

It also plays the exercises (starter fails, solution passes, each attempt gets its message) and works out the
predictions (the expressions run, and no wrong answer equals the right one).
"""

import ast
import contextlib
import glob
import io
import os
import re
import sys
import traceback

import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def zeros_for_empty(*size, **kw):
    return torch.zeros(*size, **kw)


def dropout_of_the_book(input, p=0.5, training=True, inplace=False):
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    keep = torch.rand(input.shape, dtype=torch.float64) < 1 - p
    return input * (keep.to(input.dtype) / (1 - p))


def multinomial_of_the_book(input, num_samples):
    assert num_samples == 1, "the lessons draw one sample at a time"
    noise = -torch.log1p(-torch.rand(input.shape, dtype=torch.float64))
    return (input / noise.to(input.dtype)).argmax(dim=-1, keepdim=True)


torch.empty = zeros_for_empty
torch.multinomial = multinomial_of_the_book
F.dropout = dropout_of_the_book

FENCE = re.compile(r"^```\{([a-z-]+)\}.*\n((?:.*\n)*?)```[ \t]*\n", re.M)


class Piece:
    def __init__(self, text, match):
        self.kind, self.body = match.group(1), match.group(2)
        self.start, self.end = match.start(), match.end()
        self.line = text.count("\n", 0, match.start()) + 1
        self.options = dict(re.findall(r"^:([a-z]+): *(.*)$", self.body.split("\n\n")[0], re.M))
        self.code = re.sub(r"\A(?::[a-z]+:.*\n)*", "", self.body)


def pieces(text):
    return [Piece(text, m) for m in FENCE.finditer(text)]


def run(code, names, may_raise=False):
    """What the cell shows: printed text, last expression, exception."""
    out = io.StringIO()
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(tree, "<cell>", "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
                if value is not None:
                    print(repr(value))
        except Exception as e:
            if not may_raise:
                raise
            print(f"{type(e).__name__}: {e}")
    return out.getvalue()


def front(text, key):
    found = re.search(rf"^{key}: *(.*)$", text.split("\n---\n")[0], re.M)
    return found.group(1).strip().strip('"') if found else ""


def state_after(lesson, lessons, names):
    """Runs what `lesson` needs, in the order of the chapter."""
    wanted = set()

    def mark(text):
        for need in re.findall(r"[a-z0-9.-]+", front(text, "needs")):
            wanted.add(need)
            mark(lessons[need])

    mark(lesson)
    for id_, text in lessons.items():
        if id_ in wanted:
            for p in pieces(text):
                if p.kind == "code-cell" and p.options.get("aside") != "true":
                    run(p.code, names, "raises-exception" in p.options.get("tags", ""))


def play(path, text, lessons, done, upto):
    """Exercises that stand at this point, each try on a fresh state: that of the cells before it, asides left out."""
    problems = []

    def attempt(code, checks):
        state = {"__name__": "__main__"}
        state_after(text, lessons, state)
        for p in pieces(text):
            if p.kind == "code-cell" and p.start < upto and p.options.get("aside") != "true":
                run(p.code, state, "raises-exception" in p.options.get("tags", ""))
        try:
            run(code, state)
            for check in checks:
                run(check, state)
        except Exception as e:
            return f"{type(e).__name__}: {e}"
        return None

    for ex in done:
        says = attempt(ex["starter"].code, ex["checks"])
        if says is None:
            problems.append(f"{path}:{ex['starter'].line}: the starter passes")
        says = attempt(ex["solution"].code, ex["checks"])
        if says is not None:
            problems.append(f"{path}:{ex['solution'].line}: the solution fails: {says}")
        for wrong in ex["attempts"]:
            says = attempt(wrong.code, ex["checks"])
            want = wrong.options["says"].strip('"')
            if says is None or want not in says:
                problems.append(f"{path}:{wrong.line}: the attempt should hear `{want}` and hears: {says}")
    return problems


def shape_of(value):
    return tuple(value.shape) if hasattr(value, "shape") else tuple(value)


def prediction(path, piece, names):
    problems = []
    answer = re.search(r"^(shape|value): *(.*)$", piece.body, re.M)
    if not answer:
        return problems
    unquote = lambda s: s[1:-1] if s[:1] in "\"'" else s
    kind, right = answer.group(1), unquote(answer.group(2))
    wrongs = [unquote(w) for w in re.findall(r"^  - value: *(.*)$", piece.body, re.M)]
    for expr in [right] + wrongs:
        try:
            value = eval(expr, dict(names))
            value = shape_of(value) if kind == "shape" else torch.as_tensor(value).detach().double()
        except Exception as e:
            problems.append(f"{path}:{piece.line}: `{expr}`: {type(e).__name__}: {e}")
            continue
        if expr == right:
            truth = value
        elif kind == "shape" and value == truth:
            problems.append(f"{path}:{piece.line}: the wrong answer `{expr}` has the right shape {value}")
        elif kind == "value" and value.shape == truth.shape and torch.allclose(value, truth, atol=1e-3):
            problems.append(f"{path}:{piece.line}: the wrong answer `{expr}` has the right value {value}")
    return problems


def record(path, text, lessons):
    names = {"__name__": "__main__"}
    state_after(text, lessons, names)
    out, at, problems = [], 0, []
    waiting, exercise = [], None
    found = pieces(text)
    for i, p in enumerate(found):
        if p.kind == "predict":
            waiting.append(p)
        elif p.kind == "exercise":
            exercise = {"starter": p, "checks": [], "attempts": []}
            j = i + 1
            while j < len(found) and found[j].kind in ("hint", "solution", "check", "attempt"):
                q = found[j]
                if q.kind == "solution":
                    exercise["solution"] = q
                elif q.kind == "check":
                    exercise["checks"].append(q.code)
                elif q.kind == "attempt":
                    exercise["attempts"].append(q)
                j += 1
            problems += play(path, text, lessons, [exercise], p.start)
        elif p.kind == "code-cell":
            try:
                shown = run(p.code, names, "raises-exception" in p.options.get("tags", ""))
            except Exception:
                traceback.print_exc()
                sys.exit(f"{path}:{p.line}: the cell raised")
            for check in [c.strip() for c in p.options.get("check", "").strip('"').split(";") if c.strip()]:
                problems += invariant(path, p, check, names)
            for w in waiting:
                problems += prediction(path, w, names)
            waiting = []
            out.append(text[at:p.end])
            at = p.end
            if i + 1 < len(found) and found[i + 1].kind == "output":
                at = found[i + 1].end
                if p.options.get("varies") == "true":  # times and the like: what is recorded stays
                    shown = found[i + 1].body.strip() and found[i + 1].body or shown
            if shown:
                shown = "\n".join(l.rstrip() for l in shown.rstrip().split("\n"))
                out.append("```{output}\n" + shown + "\n```\n")
    out.append(text[at:])
    return "".join(out), problems


def alone(path, text, lessons):
    """Each cell again on the state of a prelude (asides left out): it must show the same."""
    problems = []
    found = pieces(text)
    for i, p in enumerate(found):
        if p.kind != "code-cell" or p.options.get("varies") == "true":
            continue
        state = {"__name__": "__main__"}
        state_after(text, lessons, state)
        for q in found[:i]:
            if q.kind == "code-cell" and q.options.get("aside") != "true":
                run(q.code, state, "raises-exception" in q.options.get("tags", ""))
        shown = run(p.code, state, "raises-exception" in p.options.get("tags", ""))
        recorded = found[i + 1].body if i + 1 < len(found) and found[i + 1].kind == "output" else ""
        if "\n".join(l.rstrip() for l in shown.rstrip().split("\n")) != recorded.rstrip():
            problems.append(f"{path}:{p.line}: shows something else without the asides before it")
    return problems


def invariant(path, piece, check, names):
    forms = [
        (r"rows of (.+) sum to (.+)", lambda x, n: (x.sum(-1) - n).abs().max()),
        (r"(.+) sums to (.+)", lambda x, n: (x.sum() - n).abs()),
        (r"(.+) is never negative", lambda x: (-x).max().clamp(min=0)),
        (r"(.+) is zero above the diagonal", lambda x: torch.triu(x, diagonal=1).abs().max()),
        (r"(.+) is symmetric", lambda x: (x - x.transpose(-2, -1)).abs().max()),
        (r"(.+) equals (.+)", lambda x, y: (x - y).abs().max()),
    ]
    for form, deviation in forms:
        found = re.fullmatch(form, check)
        if found:
            values = [eval(g, dict(names)) for g in found.groups()]
            values = [v.detach() if hasattr(v, "detach") else v for v in values]
            apart = float(deviation(*values))
            return [] if apart <= 1e-5 else [f"{path}:{piece.line}: `{check}` is off by {apart}"]
    return [f"{path}:{piece.line}: cannot read the check `{check}`"]


def main():
    args = sys.argv[1:]
    check = "--check" in args
    paths = sorted(a for a in args if a != "--check" and not a.endswith("glossary.md"))
    texts = {p: open(p, encoding="utf-8").read() for p in paths}
    beside = {f for p in paths for f in glob.glob(os.path.join(os.path.dirname(p), "*.md"))}
    course = [open(f, encoding="utf-8").read() for f in sorted(beside)]
    lessons = {front(t, "id"): t for t in course + list(texts.values())}
    bad = []
    for path, text in texts.items():
        new, problems = record(path, text, lessons)
        bad += problems
        if new != text and check:
            bad.append(f"{path}: recorded outputs differ from what PyTorch shows")
        elif check:
            bad += alone(path, text, lessons)
        elif new != text:
            open(path, "w", encoding="utf-8").write(new)
            print(f"{path}: written")
    print("\n".join(bad) or "all well")
    sys.exit(bool(bad))


main()
