"""Writes random.json beside it from a real PyTorch (CPU, x86 with MKL).  Usage: python make_random.py [OUT_DIR]

Each case is one call under one seed. `bits` are the IEEE-754 patterns (8 hex digits for float32, 16 for float64),
`ints` are integers or booleans. Results longer than 64 stand as their first 8 and last 4 elements, their number and
the FNV-1a hash (64 bits) of all elements' little-endian bytes (int64 for integers). `after` are the bits of a
`torch.rand(2)` drawn next: it shows that the generator stands in the right place.
"""
import json, platform, struct, sys
import torch, torch.nn as nn, torch.nn.functional as F

OUT = sys.argv[1] if len(sys.argv) > 1 else "."
torch.set_num_threads(2)
f32, f64 = torch.float32, torch.float64
CASES = []


def fnv(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def bits(t):
    form = ">d" if t.dtype == f64 else ">f"
    return [struct.pack(form, v).hex() for v in t.detach().reshape(-1).tolist()]


def case(op, seed, result, **args):
    t = result.detach().reshape(-1)
    n = t.numel()
    row = {"op": op, "seed": seed, **args}
    float_ = t.dtype.is_floating_point
    if not float_:
        t = t.to(torch.int64)
    row["dtype"] = "float64" if t.dtype == f64 else "float32" if float_ else "int"
    keep = t if n <= 64 else torch.cat([t[:8], t[-4:]])
    row["bits" if float_ else "ints"] = bits(keep) if float_ else keep.tolist()
    if n > 64:
        row["n"] = n
        form = {"float64": "d", "float32": "f", "int": "q"}[row["dtype"]]
        row["fnv"] = fnv(struct.pack(f"<{n}{form}", *t.tolist()))
    row["after"] = bits(torch.rand(2))
    CASES.append(row)


def at(seed):
    torch.manual_seed(seed)
    return seed


def main():
    for seed in [0, 42, 123, 2**32 + 7, 2**64 - 3]:
        for n in [0, 1, 7, 64, 1000]:
            for d, dt in [("float32", f32), ("float64", f64)]:
                at(seed); case("rand", seed, torch.rand(n, dtype=dt), size=n)
        for a, b in [(-2.0, 3.0), (-0.57735, 0.57735), (1e-3, 7.3), (5.0, 5.0), (-1e30, 1e30)]:
            for dt in (f32, f64):
                for n in (9, 300):
                    at(seed); case("uniform", seed, torch.empty(n, dtype=dt).uniform_(a, b), size=n, a=a, b=b)
        for m, s in [(0.0, 1.0), (1.0, 0.5), (-0.3, 0.02), (2.0, 0.0)]:
            for dt in (f32, f64):
                for n in [0, 1, 2, 5, 15, 16, 17, 24, 31, 33, 64, 500]:
                    at(seed); case("normal", seed, torch.empty(n, dtype=dt).normal_(m, s), size=n, a=m, b=s)
        for dt in (f32, f64):
            at(seed); torch.randn(3); case("randn(3) then normal", seed, torch.randn(4, dtype=dt), size=4)
            at(seed); torch.randn(1); torch.randn(20); case("randn(1), randn(20) then normal", seed, torch.randn(3, dtype=dt), size=3)
            at(seed); x = torch.empty(6, 10, dtype=dt)[:, :5].normal_(1.0, 0.5); case("normal_each", seed, x, size=30, a=1.0, b=0.5)
        for lo, hi in [(0, 2), (0, 10), (-5, 5), (0, 50257), (0, 2**31), (0, 2**32 - 1), (0, 2**32), (-(2**40), 2**41), (-(2**63), 2**63 - 1)]:
            at(seed); case("randint", seed, torch.randint(lo, hi, (20,)), size=20, low=str(lo), high=str(hi))
        for dt in ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]:
            at(seed); x = torch.empty(12, dtype=getattr(torch, dt)).random_()
            case("random_", seed, x.to(torch.int64), size=12, kind=dt)
        at(seed); case("raw", seed, torch.empty(6, dtype=torch.int64).random_(-(2**63), None), size=6, range="0", base="0")
        for n in [0, 1, 2, 10, 64, 1000]:
            at(seed); case("randperm", seed, torch.randperm(n), size=n)
        for p in [0.0, 0.1, 0.5, 0.7, 1.0]:
            for n in (1, 36, 1000):
                at(seed); case("bernoulli", seed, torch.empty(n).bernoulli_(p), size=n, p=p, family="mkl")
        for d, dt in [("float32", f32), ("float64", f64)]:
            at(seed); p = torch.rand(40, dtype=dt); case("bernoulli_each", seed, torch.bernoulli(p).long(), size=40, wdtype=d)
        for p in [0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0]:
            for dt in (f32, f64):
                at(seed); case("dropout", seed, F.dropout(torch.ones(36, dtype=dt), p), size=36, p=p, family="mkl")
        for lam in [1.0, 0.5, 3.7]:
            for dt in (f32, f64):
                for n in (5, 200):
                    at(seed); case("exponential", seed, torch.empty(n, dtype=dt).exponential_(lam), size=n, a=lam, family="mkl")
        for d, dt in [("float32", f32), ("float64", f64)]:
            for rows, cats in [(1, 5), (3, 7), (2, 50)]:
                at(seed); w = torch.rand(rows, cats, dtype=dt)
                case("multinomial", seed, torch.multinomial(w, 1), rows=rows, categories=cats, samples=1, replacement=False, wdtype=d, family="mkl")
                at(seed); w = torch.rand(rows, cats, dtype=dt)
                case("multinomial", seed, torch.multinomial(w, 1, replacement=True), rows=rows, categories=cats, samples=1, replacement=True, wdtype=d, family="mkl")
                at(seed); w = torch.rand(rows, cats, dtype=dt)
                case("multinomial", seed, torch.multinomial(w, 4), rows=rows, categories=cats, samples=4, replacement=False, wdtype=d, family="mkl")
                at(seed); w = torch.rand(rows, cats, dtype=dt)
                case("multinomial", seed, torch.multinomial(w, 9, replacement=True), rows=rows, categories=cats, samples=9, replacement=True, wdtype=d, family="mkl")
        for d in ["float16", "bfloat16"]:
            dt = getattr(torch, d)
            at(seed); case("narrow uniform", seed, torch.empty(30, dtype=dt).uniform_(-2.0, 3.3).float(), size=30, a=-2.0, b=3.3, kind=d)
            for n in (5, 16, 21):
                at(seed); case("narrow normal", seed, torch.empty(n, dtype=dt).normal_(0.1, 1.3).float(), size=n, a=0.1, b=1.3, kind=d)
    # Large sizes, which PyTorch spreads over threads: the stream stays the same.
    seed, n = 5, 100_003
    for dt in (f32, f64):
        at(seed); case("rand", seed, torch.rand(n, dtype=dt), size=n)
        at(seed); case("normal", seed, torch.randn(n, dtype=dt), size=n, a=0.0, b=1.0)
        at(seed); case("exponential", seed, torch.empty(n, dtype=dt).exponential_(1.0), size=n, a=1.0, family="mkl")
        at(seed); case("dropout", seed, F.dropout(torch.ones(n, dtype=dt), 0.3), size=n, p=0.3, family="mkl")
    at(seed); case("bernoulli", seed, torch.empty(n).bernoulli_(0.25), size=n, p=0.25, family="mkl")
    at(seed); case("randint", seed, torch.randint(0, 50257, (n,)), size=n, low="0", high="50257")
    at(seed); case("randperm", seed, torch.randperm(n), size=n)
    # The state as bytes.
    states = []
    for name, draws in [("fresh", lambda: None), ("one", lambda: torch.rand(1)), ("block", lambda: torch.rand(624)), ("spare", lambda: torch.randn(3))]:
        torch.manual_seed(2**40 + 9); draws()
        states.append({"name": name, "fnv": fnv(bytes(torch.get_rng_state().tolist())), "after": bits(torch.randn(2))})
    with open(f"{OUT}/random.json", "w") as f:
        head = {"torch": torch.__version__, "machine": platform.machine(), "states": states}
        rows = ",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES)
        f.write(json.dumps(head)[:-1] + ',\n"cases": [\n' + rows + "\n]}\n")


main()
