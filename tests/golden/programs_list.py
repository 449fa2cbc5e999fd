"""Runs the programs of programs/*.py on a real PyTorch (CPU) and records what each prints, in programs_more.json.

Usage: python programs_list.py [--check] [--record] [FAMILY...]

A file holds one family; `# %% name` starts a program. Each program runs alone, in a fresh namespace with the imports
it needs put before it, and with default settings. `--check` runs them twice and says what does not repeat.
Programs of named families are shown; `--record` puts them in the place of those that were recorded of these families.
The family einops needs einops 0.8.
None of them draws from a dropout mask or another stream that two builds of PyTorch draw differently.
"""
import contextlib, io, json, os, pathlib, re, sys, traceback, warnings
import torch

HERE = pathlib.Path(__file__).resolve().parent
IMPORTS = [("torch", "import torch"), ("nn", "import torch.nn as nn"), ("F", "import torch.nn.functional as F")]


def with_imports(body):
    """The program with the usual imports that its text asks for and does not make itself."""
    if re.search(r"^(import torch|from torch)", body, re.M):
        return body
    lines = [line for name, line in IMPORTS if name == "torch" or re.search(rf"\b{name}\.", body)]
    return "\n".join(lines + [body])


def programs(families=()):
    for path in sorted(HERE.glob("programs/*.py")):
        if families and path.stem not in families:
            continue
        parts = re.split(r"^# %% *(.*)$", path.read_text(), flags=re.M)
        for name, body in zip(parts[1::2], parts[2::2]):
            yield path.stem, name.strip(), with_imports(body.strip() + "\n")


def run(program):
    """What the program prints; a program that raises is a mistake in the program."""
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def main(args):
    check = "--check" in args
    families = [a for a in args if not a.startswith("--")]
    cases, wrong = [], 0
    for family, name, program in programs(families):
        try:
            text = run(program)
            if check and run(program) != text:
                raise RuntimeError("prints something else the second time")
            cases.append({"family": family, "name": name, "program": program, "stdout": text})
        except Exception as e:
            wrong += 1
            line = next((f.lineno for f in reversed(traceback.extract_tb(e.__traceback__)) if f.filename == "<program>"), None)
            print(f"{family}/{name}: line {line}: {type(e).__name__}: {e}", file=sys.stderr)
    names = [c["name"] for c in cases]
    for twice in {n for n in names if names.count(n) > 1}:
        wrong += 1
        print(f"the name {twice} is used twice", file=sys.stderr)
    print(f"{len(cases)} programs, {wrong} wrong")
    if "--record" in args and families and not wrong:
        recorded = json.loads((HERE / "programs_more.json").read_text())["cases"]
        by_family = {}
        for c in [c for c in recorded if c["family"] not in families] + cases:
            by_family.setdefault(c["family"], []).append(c)
        cases = [c for family in sorted(by_family) for c in by_family[family]]
    elif families or wrong:
        for c in cases if families else []:
            print(f"---- {c['family']}/{c['name']}\n{c['program']}----\n{c['stdout']}")
        return wrong > 0
    head = {"torch": torch.__version__, "contract": "exact stdout; made by programs_list.py"}
    lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    with open(HERE / "programs_more.json", "w") as file:
        file.write(json.dumps(head)[:-1] + ', "cases": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    torch.set_num_threads(1)
    sys.exit(main(sys.argv[1:]))
