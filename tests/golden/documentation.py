"""The examples of PyTorch's documentation, run in PyTorch and in attn: a test of breadth outside CI.

Usage: python documentation.py record EXAMPLES.json
       python documentation.py compare ATTN EXAMPLES.json [--only PATTERN] [--show same|refused|differs] [--core]

`record` needs PyTorch 2.6. It takes the `>>>` lines of every docstring, seeds, runs them statement by statement and
keeps what each prints. Statements that PyTorch itself does not run are left out. `compare` runs the same in attn.
A statement is the same, refused (attn raises), follows (it works on what a refused statement would have made), or
differs (attn prints something else): the last is a defect unless it is listed in `DIFFERS`. `--core` counts only names around attention, training and linear algebra.
"""
import argparse, ast, collections, concurrent.futures, contextlib, doctest, inspect, io, json, multiprocessing, os, re, signal, subprocess, sys, tempfile, warnings

MODULES = """torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn
torch.nn.utils.parametrize torch.nn.utils.parametrizations torch.nn.attention torch.nn.parameter torch.optim
torch.optim.lr_scheduler torch.optim.swa_utils torch.linalg torch.special torch.autograd torch.autograd.functional
torch.autograd.forward_ad torch.autograd.graph torch.utils.data torch.utils.checkpoint torch.random torch.testing
torch.distributions torch.fft torch.func torch.amp torch.overrides""".split()

HEAD = """import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch import Tensor
torch.manual_seed(0)
"""
WRAP = """
class _Said:
    def __call__(self, value):
        if value is not None:
            print(repr(value))
_said = _Said()
"""

# Names around attention, training and linear algebra, and what of them is not: other kinds of numbers and devices.
CORE = re.compile(r"torch\.(nn|optim|linalg|autograd|utils|Tensor|testing|random|func|amp)\b|torch\.\w+$")
ELSEWHERE = re.compile(
    r"(?i)complex|sparse|quant|conj|fft|stft|polar|real$|imag|vmap|jit|cuda|distributed|pool[123]d|conv|upsample"
    r"|shuffle|pad[123]d|pixel|fold|ctc|bilinear2d|nearest2d|swa_utils|lbfgs|forward_ad|named|align|refine|rename"
    r"|numpy|save|load|window|compile|export|library|cond$|while_loop|bucketize|batchnorm[23]d|instancenorm|parametri"
    r"|resolve|view_as_|dlpack|hann|kaiser|blackman|hamming|bartlett|unflatten_parameters|default_device|lobpcg|interpolate|affine_grid"
)

# Differences that are none, and why. PyTorch's own documentation shows other digits in the same places.
DIFFERS = {
    "torch.empty": "memory that nobody has written yet",
    "torch.Tensor.new_empty": "memory that nobody has written yet",
    "torch.conv1d": "the last of five digits of a sum of 165 products",
    "torch.linalg.svd": "residuals of rounding",
    "torch.linalg.qr": "residuals of rounding, and the sign of a rounded zero",
    "torch.linalg.inv": "residuals of rounding",
    "torch.linalg.pinv": "residuals of rounding",
    "torch.empty_strided": "memory that nobody has written yet",
    "torch.resolve_neg": "attn negates at once: no tensor waits for it",
    "torch.linalg.norm": "the smallest singular value of a singular matrix",
}


def collector():
    """A list for documented objects, and what adds one: its name and its docstring, each docstring once."""
    seen, out = set(), []

    def add(name, thing):
        doc = getattr(thing, "__doc__", None)
        if isinstance(doc, str) and ">>>" in doc and doc not in seen:
            seen.add(doc)
            out.append((name, doc))

    return out, add


def documented():
    """Every documented object: its name and its docstring."""
    import importlib
    out, add = collector()
    for place in MODULES:
        if place == "torch.Tensor":
            import torch
            home = torch.Tensor
        else:
            try:
                home = importlib.import_module(place)
            except ImportError:
                continue
        add(place, home)
        for name in sorted(dir(home)):
            if name.startswith("_"):
                continue
            try:
                thing = getattr(home, name)
            except Exception:
                continue
            owner = getattr(thing, "__module__", None) or "torch"
            if inspect.ismodule(thing) or not owner.startswith(("torch", "_")):
                continue
            add(f"{place}.{name}", thing)
            if inspect.isclass(thing) and owner.startswith(("torch.nn", "torch.optim", "torch.utils", "torch.autograd", "torch.distributions")):
                for part in sorted(vars(thing)):
                    if not part.startswith("__"):
                        add(f"{place}.{name}.{part}", getattr(thing, part, None))
    return out


def statements(doc):
    """The statements of a docstring that Python can read, one text each."""
    out, parser = [], doctest.DocTestParser()
    # A prompt without its space, and continuation lines that forgot theirs, are common in these texts.
    doc = re.sub(r"^(\s*)>>>(?=\S)", r"\1>>> ", doc, flags=re.M)
    doc = re.sub(r"^(\s*)\.\.\.(?=[^\s.])", r"\1... ", doc, flags=re.M)
    lines, sources = doc.expandtabs().splitlines(), []
    for line in lines:
        text = line.strip()
        if text.startswith(">>> ") or text == ">>>":
            sources.append(("new", text[4:]))
        elif (text.startswith("... ") or text == "...") and sources:
            sources.append(("more", text[4:]))
        else:
            sources.append(("end", ""))
    pending = []

    def flush():
        if pending:
            try:
                for node in ast.parse("\n".join(pending)).body:
                    out.append(ast.unparse(node))
                pending.clear()
                return True
            except SyntaxError:
                return False
        return True

    for kind, text in sources:
        if kind == "new":
            # A statement may go on under further prompts: `>>> def f():`, `>>>     return 1`.
            if pending and not text.startswith((" ", "else", "elif", "except", "finally")) and flush():
                pass
            elif pending and not text.startswith(" ") and not flush():
                try:
                    ast.parse("\n".join(pending + [text]))
                except SyntaxError as error:
                    if "EOF" not in str(error) and "never closed" not in str(error) and "expected" not in str(error):
                        pending.clear()
            pending.append(text)
        elif kind == "more":
            pending.append(text)
        elif not flush():
            pending.clear()
    flush()
    return out


def program(texts):
    """A program that runs each statement, says what it shows or raises, and goes on."""
    lines = [HEAD, WRAP]
    for number, text in enumerate(texts):
        node = ast.parse(text).body[0]
        if isinstance(node, ast.Expr):
            text = f"_said({text})" if "\n" not in text else ast.unparse(ast.Expr(ast.Call(ast.Name("_said"), [node.value], [])))
        body = "\n".join("    " + line for line in text.split("\n")) if '"""' not in text and "'''" not in text else None
        if body is None:
            body = "    exec(" + repr(text) + ")"
        lines.append(f"print('\\x1f{number}')\ntry:\n{body}\nexcept Exception as _e:\n    print('\\x1e', type(_e).__name__, ':', str(_e))")
    return "\n".join(lines) + "\n"


def parts(text, count):
    """What each statement printed: (text, error)."""
    out = [None] * count
    for piece in text.split("\x1f")[1:]:
        number, _, rest = piece.partition("\n")
        shown, _, error = rest.partition("\x1e ")
        if number.isdigit() and int(number) < count:
            out[int(number)] = (shown, error.strip() or None)
    return out


def in_torch(job):
    name, doc = job
    signal.alarm(30)
    out, names = io.StringIO(), {"__name__": "__main__"}
    try:
        texts = statements(doc)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                exec(compile(program(texts), "example", "exec"), names)
    except BaseException:
        pass
    ran = parts(out.getvalue(), len(texts))
    # What PyTorch does not run is left out, and run again without it: it may have drawn numbers.
    good = [text for text, part in zip(texts, ran) if part and not part[1]]
    if len(good) < len(texts) and good:
        out, names = io.StringIO(), {"__name__": "__main__"}
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(program(good), "example", "exec"), names)
        except BaseException:
            pass
        ran = parts(out.getvalue(), len(good))
    texts = good
    printed = [part[0] if part and not part[1] else None for part in ran]
    return {"name": name, "statements": texts, "printed": printed[: len(texts)]}


def record(path):
    jobs = documented()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        waiting = [pool.apply_async(in_torch, (job,)) for job in jobs]
        cases = []
        for job, result in zip(jobs, waiting):
            try:
                cases.append(result.get(40))
            except multiprocessing.TimeoutError:
                print("no answer:", job[0])
    cases = [case for case in cases if any(case["printed"])]
    with open(path, "w") as file:
        json.dump({"cases": cases}, file, ensure_ascii=False, indent=0)
    print(len(cases), "examples;", sum(1 for case in cases for text in case["printed"] if text), "statements that print")


def in_attn(attn, case):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "example.py")
        with open(path, "w") as file:
            file.write(program(case["statements"]))
        try:
            done = subprocess.run([attn, "run", path, "--json", "--no-input", "--no-record", "--random", RANDOM], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return [("", "Hang: took more than a minute")] * len(case["statements"])
    try:
        cells = json.loads(done.stdout)["cells"]
        text = "".join(cell["stdout"] for cell in cells)
        stop = next((f"{c['error']['type']}: {c['error']['message']}" for c in cells if c.get("error")), None)
    except (ValueError, KeyError):
        text, stop = "", f"no document, exit {done.returncode}: {(done.stderr or done.stdout).strip()[:300]}"
    return [part or ("", stop or "did not run") for part in parts(text, len(case["statements"]))]


# The random numbers of the PyTorch that recorded: with Intel's library, as builds for x86 are.
RANDOM = "mkl"
# Addresses differ from run to run, and attn says at the end of a program which figures it showed.
VARIES = re.compile(r"( at)? 0x[0-9a-f]+|\b\d{13,15}\b|^<Figure size .* Axes>\n?", re.M)


def word(recorded, printed, error):
    if error:
        return "refused"
    return "same" if VARIES.sub("", recorded) == VARIES.sub("", printed) else "differs"


def compare(attn, path, only, show, core):
    cases = [c for c in json.load(open(path))["cases"] if (not only or re.search(only, c["name"])) and (not core or is_core(c["name"]))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: in_attn(attn, case), cases))
    counts, reasons = collections.Counter(), collections.Counter()
    for case, result in zip(cases, results):
        failed = None
        for number, (text, recorded) in enumerate(zip(case["statements"], case["printed"])):
            printed, error = result[number]
            if error and failed is None:
                failed = f"{error.splitlines()[0]}   [{text.splitlines()[0][:90]}]"
            if not recorded:
                continue
            kind = word(recorded, printed, error)
            if kind == "differs" and case["name"] in DIFFERS:
                kind = "listed"
            elif kind == "differs" and failed is not None:
                # Works on what a refused statement above would have made: the refusal has been seen.
                kind = "follows"
            counts[kind] += 1
            if kind in ("refused", "follows"):
                reasons[f"{case['name']}: {failed}"] += 1
            if kind == show:
                print(f"==== {case['name']} [{number}] {kind}\n>>> {text}\n--- PyTorch\n{recorded.rstrip()}\n--- attn {error or ''}\n{printed.rstrip()}")
    for reason, count in reasons.most_common() if show == "reasons" else []:
        print(f"{count:>4}  {reason}")
    whole = sum(counts.values())
    print(", ".join(f"{kind} {count} ({100 * count / whole:.1f}%)" for kind, count in counts.most_common()), "of", whole, "in", len(cases), "examples")
    return counts["differs"] > 0


def is_core(name):
    return bool(CORE.match(name)) and not ELSEWHERE.search(name)


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = args.add_subparsers(dest="verb", required=True)
    verbs.add_parser("record").add_argument("examples")
    verb = verbs.add_parser("compare")
    verb.add_argument("attn")
    verb.add_argument("examples")
    verb.add_argument("--only")
    verb.add_argument("--show", choices=["same", "refused", "follows", "differs", "listed", "reasons"])
    verb.add_argument("--core", action="store_true")
    args = args.parse_args()
    if args.verb == "record":
        return record(args.examples)
    return compare(args.attn, args.examples, args.only, args.show, args.core)


if __name__ == "__main__":
    sys.exit(main())
