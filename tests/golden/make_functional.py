"""Writes functional.json beside it: products, torch.nn.functional and random numbers as a real PyTorch (CPU, x86 with
MKL) prints them.  Usage: python make_functional.py [OUT_DIR]

Each expression is drawn under its own seed; of a tensor its strides and dtype are printed too. Lines that begin with
`!` are statements that the rest of the family needs. Of a TypeError only the type is printed, because PyTorch lists
overloads in it.
"""
import contextlib, io, json, sys, warnings
import torch
from functional_list import FAMILIES

OUT = sys.argv[1] if len(sys.argv) > 1 else "."
torch.set_num_threads(1)

HEAD = """import torch, math
import torch.nn.functional as F

def show(f, seed):
    torch.manual_seed(seed)
    try:
        r = f()
        print(repr(r))
        if isinstance(r, torch.Tensor):
            print(tuple(r.stride()), r.dtype)
    except TypeError:
        print("TypeError")
    except Exception as e:
        print(type(e).__name__, str(e).split("\\n")[0])
"""
PORTION = 25

cases = []
for family, lines in FAMILIES.items():
    setup = [line[1:] for line in lines if line.startswith("!")]
    shown = [line for line in lines if not line.startswith("!")]
    for start in range(0, len(shown), PORTION):
        body = [f"show(lambda: ({line}), {start + at})" for at, line in enumerate(shown[start : start + PORTION])]
        program = "\n".join([HEAD, *setup, *body]) + "\n"
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(program, {})
        cases.append({"family": family, "name": f"{family} {start}", "program": program, "stdout": out.getvalue()})
with open(f"{OUT}/functional.json", "w") as f:
    json.dump({"torch": torch.__version__, "cases": cases}, f, indent=0)
