"""Records random tensors and the text that a real PyTorch (CPU) prints for them, beside itself.

Usage: python make_show.py [COUNT [SEED [OUT]]]      (500 cases, seed 0, show_more.json)

Values are exact: `hex` holds IEEE-754 bits, 8 digits an element (16 for float64; float16 and bfloat16 as the float32
they equal), `ints` whole numbers and truth values. A large tensor is a `ramp` [a, m, b, s]: its element i, in row-major
order, is ((i * a) % m - b) * s, computed in double precision and rounded to the dtype.
"""
import json, math, os, random, struct, sys
import torch, torch.nn as nn

FLOATS = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16, "bfloat16": torch.bfloat16}
WHOLES = {"int64": torch.int64, "int32": torch.int32, "int16": torch.int16, "int8": torch.int8, "uint8": torch.uint8, "bool": torch.bool}
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0]
EDGES = [1e-4, 9.9999e-5, 1.0001e-4, 1e8, 99999999.0, 100000001.0, 1e7, 1000.0, 1001.0, 0.001, 1.0, 0.5, 0.25, 0.125, 3.0, 1e-3, 10.0,
         0.00005, 0.99995, 0.99994, 9.99995, 99999.5, 2.5, 3.5, 0.03125, 0.00390625, 1e-45, 1.17549435e-38, 3.4028234663852886e38, 65504.0, 1 / 3]
MAKERS = [lambda t: t.clone(), lambda t: t * 1, lambda t: t.reshape(t.shape), lambda t: t.unsqueeze(0).squeeze(0), lambda t: t.expand(t.shape),
          lambda t: t.as_strided(t.shape, t.stride()), lambda t: t.permute(tuple(range(t.dim()))), lambda t: t[None][0]]


def shape_of(rng):
    dims = rng.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5])
    top = [0, 40, 12, 7, 5, 4][dims]
    return [0 if rng.random() < 0.02 else rng.randint(1, top) for _ in range(dims)]


def floats_of(rng, n):
    style = rng.randrange(11)
    def one():
        if style == 0: return rng.gauss(0, 1)
        if style == 1: return rng.random()
        if style == 2: return float(rng.randint(-12, 12))
        if style == 3: return float(rng.randint(-3000, 3000))
        if style == 4: return rng.choice([-1, 1]) * 10 ** rng.uniform(-12, 12)
        if style == 5: return rng.choice(EDGES) * rng.choice([1, 1, -1])
        if style == 6: return rng.randint(-4096, 4096) / 2 ** rng.randint(0, 12)
        if style == 7: return rng.gauss(0, 1) * 10 ** rng.randint(-1, 3)
        if style == 8: return float(rng.randint(-10**9, 10**9))
        if style == 9: return rng.choice(SPECIAL)
        return round(rng.uniform(-100, 100), rng.randint(0, 3))
    share = rng.choice([0, 0, 0, 0.1, 0.4])
    return [rng.choice(SPECIAL) if rng.random() < share else one() for _ in range(n)]


def wholes_of(rng, n, name):
    if name == "bool": return [rng.randint(0, 1) for _ in range(n)]
    info = torch.iinfo(WHOLES[name])
    top = rng.choice([1, 9, 50, 127, 1000, 30000, 10**6, 2**31, 2**62])
    draw = lambda: rng.choice([info.min, info.max]) if rng.random() < 0.01 else max(info.min, min(info.max, rng.randint(-top, top)))
    return [draw() for _ in range(n)]


def options_of(rng):
    if rng.random() < 0.5: return {}
    pick = lambda **all: {k: rng.choice(v) for k, v in all.items() if rng.random() < 0.5}
    return pick(precision=[0, 1, 2, 3, 5, 6, 8, 12], threshold=[0, 1, 5, 20, 100, 1000, None], edgeitems=[0, 1, 2, 2, 4, 5],
                linewidth=[1, 8, 20, 40, 60, 79, 81, 100, 120, 200, 1000], sci_mode=[True, False])


def case_of(rng):
    large = rng.random() < 0.12
    name = rng.choice(["float32"] * 6 + ["float64"] * 2 + ["float16", "bfloat16"] + ["int64"] * 3 + ["bool"] * 2 + ["int32", "int16", "int8", "uint8"])
    case = {"dtype": name}
    if large:
        dims = rng.randint(1, 4)
        case["shape"] = [rng.randint(1, [2500, 60, 16, 9][dims - 1]) for _ in range(dims)]
        if rng.random() < 0.1: case["shape"] = rng.choice([[1, 1024, 768], [2, 3, 200, 200], [100000], [1, 1, 1, 1, 5000], [5000, 1], [2, 501], [1001]])
        case["ramp"] = [rng.choice([1, 7, 13, 101]), rng.choice([5, 97, 1009, 10**6]), rng.choice([0, 3, 50]), 1 if name in WHOLES else rng.choice([1, 0.5, 0.01, 1e-6, 12345.678])]
        n = math.prod(case["shape"])
        i = torch.arange(n, dtype=torch.int64)
        a, m, b, s = case["ramp"]
        whole = (i * a) % m - b
        values = whole if name in WHOLES else whole.double() * s
        if name in ("int16", "int8", "uint8"): return case_of(rng)
    else:
        case["shape"] = shape_of(rng)
        n = math.prod(case["shape"])
        values = wholes_of(rng, n, name) if name in WHOLES else floats_of(rng, n)
        values = torch.tensor(values, dtype=torch.int64 if name in WHOLES else torch.float64)
    t = values.to({**FLOATS, **WHOLES}[name]).reshape(case["shape"])
    if name == "bool": case["shape"] = list(t.shape)
    if not large:
        if name in WHOLES: case["ints"] = t.reshape(-1).to(torch.int64).tolist()
        else: case["hex"] = "".join(struct.pack(">d" if name == "float64" else ">f", v).hex() for v in t.reshape(-1).tolist())

    default = "float64" if rng.random() < 0.07 else "float32"
    if default != "float32": case["default"] = default
    if rng.random() < 0.05:
        t = nn.Parameter(t, requires_grad=name in FLOATS and rng.random() < 0.8)
        case["parameter"] = True
        if t.requires_grad: case["grad"] = "leaf"
    elif name in FLOATS and rng.random() < 0.35:
        t.requires_grad_()
        case["grad"] = "leaf"
        if rng.random() < 0.8:
            t = rng.choice(MAKERS)(t)
            case["grad"] = type(t.grad_fn).__name__
            assert list(t.shape) == case["shape"]
    options = options_of(rng)
    if n > 3000 and not options.get("threshold", 1000): options.pop("threshold")  # a page in full is enough
    if options: case["options"] = options
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**{k: math.inf if v is None else v for k, v in options.items()})
    torch.set_default_dtype(FLOATS[default])
    case["text"] = repr(t)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    return case


def main(count=500, seed=0, out=os.path.join(os.path.dirname(os.path.abspath(__file__)), "show_more.json")):
    torch.set_num_threads(1)
    rng = random.Random(int(seed))
    head = {"torch": torch.__version__, "contract": "exact, character for character; made by make_show.py"}
    lines = ",\n".join(json.dumps(case_of(rng)) for _ in range(int(count)))
    with open(out, "w") as file:
        file.write(json.dumps(head)[:-1] + ', "cases": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
