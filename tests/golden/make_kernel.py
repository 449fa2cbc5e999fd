"""Records what PyTorch computes, bit for bit, for the kernel's tests: writes kernel.json beside this file.

Run with PyTorch 2.6 on x86-64 (MKL, AVX2 or wider): python tests/golden/make_kernel.py
Numbers are float32, written as the hexadecimal digits of their bits, row-major in the order of storage.
"""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(123)
cases = []


def hexa(t):
    return t.contiguous().reshape(-1).numpy().view(np.uint32).astype(">u4").tobytes().hex()


def operand(shape, layout="n"):
    """A tensor of `shape`: stored row by row (n), transposed in its last two axes (t), or as a slice of wider rows (s)."""
    if layout == "n":
        t = torch.randn(shape)
        return t, {"shape": list(shape), "layout": "n", "bits": hexa(t)}
    if layout == "t":
        t = torch.randn(*shape[:-2], shape[-1], shape[-2])
        return t.transpose(-1, -2), {"shape": list(shape), "layout": "t", "bits": hexa(t)}
    t = torch.randn(*shape[:-1], shape[-1] + 3)
    return t[..., 1:-2], {"shape": list(shape), "layout": "s", "bits": hexa(t)}


def case(op, inputs, result, **more):
    cases.append({"op": op, "in": inputs, **more, "out": hexa(result)})


SHAPES = [(6, 3, 2), (6, 3, 6), (6, 2, 6), (6, 6, 2), (6, 6, 6), (2, 3, 4), (3, 9, 5), (5, 16, 7), (1, 9, 6), (7, 13, 1),
          (4, 5, 12), (7, 13, 17), (8, 10, 24), (3, 17, 13), (4, 200, 12)]
for m, k, n in SHAPES:
    every = [("n", "n"), ("n", "t"), ("t", "n"), ("s", "s")]
    for la, lb in every if m * k * n < 1000 else every[1:2] if k > 100 else every[:2]:
        (a, ja), (b, jb) = operand((m, k), la), operand((k, n), lb)
        case("matmul", [ja, jb], a @ b)
    if k > 40:
        continue
    (a, ja), (b, jb), (c, jc) = operand((m, k)), operand((k, n), "t"), operand((m, n))
    case("addmm", [ja, jb, jc], torch.addmm(c, a, b))
for shape in [(2, 6, 3, 6), (2, 4, 2, 4), (3, 8, 9, 8), (2, 12, 16, 13)]:
    bs, m, k, n = shape
    for lb in "nt":
        (a, ja), (b, jb) = operand((bs, m, k)), operand((bs, k, n), lb)
        case("bmm", [ja, jb], torch.bmm(a, b))
for m, k in [(6, 3), (5, 8), (7, 16), (9, 33), (3, 100)]:
    for layout in "nt":
        (a, ja), (x, jx) = operand((m, k), layout), operand((k,))
        case("mv", [ja, jx], torch.mv(a, x))
for n in [1, 2, 3, 4, 7, 8, 16, 31, 64, 100]:
    (x, jx), (y, jy) = operand((n,)), operand((n,))
    case("dot", [jx, jy], torch.dot(x, y).reshape(1))
for n in list(range(1, 20)) + [31, 32, 33, 40, 64]:
    for op, f in [("softmax", torch.softmax), ("log_softmax", torch.log_softmax)]:
        x, jx = operand((2, n))
        case(op, [jx], f(x, 1), axes=[1])
x = torch.randn(6, 6).masked_fill(torch.triu(torch.ones(6, 6), diagonal=1).bool(), float("-inf"))
case("softmax", [{"shape": [6, 6], "layout": "n", "bits": hexa(x)}], torch.softmax(x, -1), axes=[1])
for inner in [16, 32]:
    x, jx = operand((2, 3, inner))
    case("softmax", [jx], torch.softmax(x, 1), axes=[1])
for shape, layout, axes in [((6, 6), "n", [1]), ((6, 6), "n", [0]), ((6, 6), "t", [1]), ((7,), "n", [0]), ((40,), "n", [0]), ((700,), "n", [0]),
                            ((3, 100), "n", [1]), ((100, 3), "n", [0]), ((50, 17), "n", [0]), ((20, 36), "n", [0]), ((4, 5, 6), "n", [0, 2]),
                            ((4, 5, 6), "n", [1]), ((4, 5, 6), "t", [2]), ((4, 9), "s", [0]), ((9, 33), "s", [1]), ((2, 3, 4, 5), "n", [0, 1, 2, 3])]:
    x, jx = operand(shape, layout)
    made = {"sum": torch.sum(x, axes), "mean": torch.mean(x, axes), "var": torch.var(x, axes), "std": torch.std(x, axes),
            "amax": torch.amax(x, axes), "norm": torch.linalg.vector_norm(x, dim=axes)}
    if len(axes) == 1:
        made["prod"] = torch.prod(x, axes[0])
    cases.append({"op": "reduce", "in": [jx], "axes": axes, "out": {op: hexa(r) for op, r in made.items()}})
    if len(axes) == 1 and x.numel() < 100:
        case("cumsum", [jx], torch.cumsum(x, axes[0]), axes=axes)
for n in [1, 3, 7, 8, 16, 20, 33, 100]:
    (x, jx), (w, jw), (b, jb) = operand((2, n)), operand((n,)), operand((n,))
    case("layer_norm", [jx, jw, jb], F.layer_norm(x, (n,), w, b, 1e-5))
for op, f in [("sigmoid", torch.sigmoid), ("silu", F.silu)]:
    x, jx = operand((64,))
    case(op, [jx], f(x))
for shape in [(1, 2, 6, 4), (1, 2, 9, 8), (1, 1, 33, 4), (1, 2, 40, 3)]:
    for causal in [False, True]:
        (q, jq), (k, jk), (v, jv) = operand(shape), operand(shape), operand(shape)
        case("attention", [jq, jk, jv], F.scaled_dot_product_attention(q, k, v, is_causal=causal), causal=causal)

for n in [3, 16, 40]:
    x, jx = operand((n, 5))
    targets = torch.randint(0, 5, (n,))
    case("nll", [jx], F.nll_loss(x, targets, reduction="sum").reshape(1), targets=targets.tolist())

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.json")
with open(path, "w") as out:
    out.write('{"torch": "%s", "cases": [\n' % torch.__version__.split("+")[0])
    out.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
    out.write("\n]}\n")
print(len(cases), "cases,", os.path.getsize(path), "bytes")
